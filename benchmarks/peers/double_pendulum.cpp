// The stiff double pendulum: two rods with spring-dampers in their hinges, the fastest eigenvalue −1e5, for
// 2 s. Trammel has it as a model of spatial bodies and joints, as planar equations with four constraints, and
// as an ODE in its two angles; SUNDIALS as the ODE; Simbody and MuJoCo as a tree, which is the ODE too, but
// made by the program. The error is the largest one of angles and rates.
#include "double_pendulum.h"

#include <memory>

#include "methods.h"
#include "mujoco_peers.h"
#include "simbody_peers.h"
#include "sundials_peer.h"
#include "trammel_mechanisms.h"
#include "trammel_peer.h"

namespace peers {

namespace {

namespace data = double_pendulum_data;

// In the two absolute angles.
class DoublePendulum final : public ConstrainedSystem {
 public:
  DoublePendulum() : ConstrainedSystem(2, 0) {}

  void M(const VectorXd& q, MatrixXd& M) const override {
    M(0, 0) = (data::mass1 * 4 / 3 + 4 * data::mass2) * data::half1 * data::half1;
    M(1, 1) = data::mass2 * data::half2 * data::half2 * 4 / 3;
    M(0, 1) = M(1, 0) = coupling * std::cos(q[0] - q[1]);
  }
  void f(const VectorXd& q, const VectorXd& v, VectorXd& f) const override {
    const double first = data::stiffness1 * (q[0] - data::zero1) + data::damping1 * v[0];
    const double second = data::stiffness2 * (q[1] - q[0]) + data::damping2 * (v[1] - v[0]);
    const double sine = coupling * std::sin(q[0] - q[1]);
    f[0] = second - first - sine * v[1] * v[1] -
           (data::mass1 + 2 * data::mass2) * data::half1 * data::gravity * std::cos(q[0]);
    f[1] = -second + sine * v[0] * v[0] - data::mass2 * data::half2 * data::gravity * std::cos(q[1]);
  }
  double energy(const VectorXd&, const VectorXd&) const override { return std::nan(""); }  // it is damped

 private:
  static constexpr double coupling = 2 * data::mass2 * data::half1 * data::half2;
};

// Angle and rate of a rod from its middle, seen from its hinge.
std::array<double, 2> turn(double x, double y, double vx, double vy, double expected) {
  return {expected + std::remainder(std::atan2(y, x) - expected, 2 * data::pi),
          (x * vy - y * vx) / (x * x + y * y)};
}

double model_error(const trammel::MechanismMotion& at_end) {
  const trammel::BodyState &first = at_end.bodies()[1], &second = at_end.bodies()[2];
  const auto [theta1, omega1] = turn(first.r.x, first.r.y, first.v.x, first.v.y, data::reference[0]);
  const auto [theta2, omega2] =
      turn(second.r.x - 2 * first.r.x, second.r.y - 2 * first.r.y, second.v.x - 2 * first.v.x,
           second.v.y - 2 * first.v.y, data::reference[1]);
  return data::error(theta1, theta2, omega1, omega2);
}

}  // namespace

Contest double_pendulum() {
  Contest contest;
  contest.name = "double-pendulum";
  contest.title = "Stiff double pendulum, 2 s";
  contest.error_is = "largest error of angles and rates [rad, rad/s]";
  contest.notes = {
      "Trammel, model: spatial bodies with ten constraints; partitioned and psf: planar with four; ode, and "
      "all "
      "peers: two angles. Trammel's ratio to Simbody and MuJoCo is that of its model."};
  const auto mechanism = std::make_shared<trammel::Mechanism>(double_pendulum_mechanism());
  for (const std::string& method : methods::double_pendulum_model)
    contest.competitors.push_back(
        {"Trammel", method + ", model", decades(2, 9), [mechanism, method](double tolerance) {
           Run run = run_mechanism(*mechanism, method, data::end, tolerance, model_error);
           run.energy_drift = std::nan("");  // it is damped
           return run;
         }});
  for (const std::string& method : methods::double_pendulum)
    contest.competitors.push_back({"Trammel", method, decades(2, 9),
                                   [method](double tolerance) {
                                     return run_builtin("double-pendulum", {}, data::end, method, tolerance,
                                                        {}, {});
                                   },
                                   true});
  const auto system = std::make_shared<DoublePendulum>();
  contest.competitors.push_back({"CVODE", "BDF, two angles", decades(2, 10),
                                 [system](double tolerance) {
                                   SundialsTask task;
                                   task.system = system.get();
                                   task.q = Eigen::Map<const VectorXd>(data::start.data(), 2);
                                   task.v = Eigen::Map<const VectorXd>(data::start.data() + 2, 2);
                                   task.end = data::end;
                                   task.tolerance = tolerance;
                                   task.error = [](const VectorXd& q, const VectorXd& v) {
                                     return data::error(q[0], q[1], v[0], v[1]);
                                   };
                                   return run_cvode(task, Formula::bdf);
                                 },
                                 true});
  add_simbody_double_pendulum(contest);
  add_mujoco_double_pendulum(contest);
  return contest;
}

}  // namespace peers
