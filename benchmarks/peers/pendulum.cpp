// The simple pendulum in x and y with one constraint; in Simbody as a pin, which has none.
#include "pendulum.h"

#include <memory>
#include <numbers>

#include "methods.h"
#include "pendulum_angle.h"
#include "simbody_peers.h"
#include "sundials_peer.h"
#include "trammel_peer.h"

namespace peers {

namespace {

namespace data = pendulum_data;

class Pendulum final : public ConstrainedSystem {
 public:
  Pendulum() : ConstrainedSystem(2, 1) {}

  void M(const VectorXd&, MatrixXd& M) const override { M.setIdentity(); }
  void f(const VectorXd&, const VectorXd&, VectorXd& f) const override { f[1] = -data::gravity; }
  void g(const VectorXd& q, VectorXd& g) const override { g[0] = (q.squaredNorm() - 1) / 2; }
  void G(const VectorXd& q, MatrixXd& G) const override { G = q.transpose(); }
  void curvature(const VectorXd&, const VectorXd& v, VectorXd& c) const override { c[0] = v.squaredNorm(); }
  double energy(const VectorXd& q, const VectorXd& v) const override {
    return v.squaredNorm() / 2 + data::gravity * q[1];
  }
};

double position_error(double x, double y, double angle) {
  return std::max(std::abs(x - std::sin(angle)), std::abs(y + std::cos(angle)));
}

}  // namespace

double pendulum_data::final_angle() {
  return pendulum_angle(-static_cast<long double>(gravity), -std::numbers::pi_v<long double> / 2, 0, end);
}

Contest pendulum() {
  const double angle = data::final_angle();
  const auto system = std::make_shared<Pendulum>();
  Contest contest;
  contest.name = "pendulum";
  contest.title = "Simple pendulum, 10 s";
  contest.error_is = "error of the position [m]";
  contest.notes = {"Simbody has the pendulum in its angle, without a constraint; all others in x and y."};
  const StateFunction error = [angle](const trammel::Vector& x) { return position_error(x[0], x[1], angle); };
  const StateFunction energy = [system](const trammel::Vector& x) {
    return system->energy(x.head(2), x.segment(2, 2));
  };
  const std::map<std::string, double> parameters = {
      {"g", data::gravity}, {"angle", -std::numbers::pi / 2}, {"v10", 0}};
  for (const std::string& method : methods::pendulum)
    contest.competitors.push_back({"Trammel", method, decades(3, 11),
                                   [parameters, method, error, energy](double tolerance) {
                                     return run_builtin("pendulum", parameters, data::end, method, tolerance,
                                                        error, energy);
                                   },
                                   true});
  const auto add = [&](const std::string& program, const std::string& method, auto run) {
    contest.competitors.push_back({program, method, decades(3, 11),
                                   [system, angle, run](double tolerance) {
                                     SundialsTask task;
                                     task.system = system.get();
                                     task.q = Eigen::Vector2d(-1, 0);
                                     task.v = Eigen::Vector2d(0, 0);
                                     task.end = data::end;
                                     task.tolerance = tolerance;
                                     task.constraint_tolerance = 1e-11;
                                     task.error = [angle](const VectorXd& q, const VectorXd&) {
                                       return position_error(q[0], q[1], angle);
                                     };
                                     return run(task);
                                   },
                                   true});
  };
  add("CVODE", "BDF, projected", [](const SundialsTask& task) { return run_cvode(task, Formula::bdf); });
  add("CVODE", "Adams, projected", [](const SundialsTask& task) { return run_cvode(task, Formula::adams); });
  add("IDA", "GGL", [](const SundialsTask& task) { return run_ida(task); });
  add_simbody_pendulum(angle, contest);
  return contest;
}

}  // namespace peers
