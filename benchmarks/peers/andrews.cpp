// Andrews' squeezing mechanism for 0.03 s: seven bodies, three loops, one degree of freedom; not stiff, fast.
// The error is the largest relative error of an angle at the end, as in the Test Set for Initial Value
// Problem Solvers. Equations by hand (Trammel's built-in problem, SUNDIALS) stand beside each other, and
// models of bodies and joints (Trammel's, Simbody's, MuJoCo's).
#include <memory>

#include "andrews_equations.h"
#include "methods.h"
#include "mujoco_peers.h"
#include "simbody_peers.h"
#include "sundials_peer.h"
#include "trammel_mechanisms.h"
#include "trammel_peer.h"

namespace peers {

namespace {

namespace data = andrews_data;
using data::AndrewsEquations;

// Angles of a body are known up to turns: the turn of the reference is taken.
double model_error(const trammel::MechanismMotion& at_end) {
  const std::array<data::Part, 7> parts = data::parts();
  const auto direction = [&](int body) {
    const trammel::Vec3<double>& along = at_end.bodies()[static_cast<std::size_t>(body)].R.column[0];
    return std::atan2(along.y, along.x);
  };
  std::array<double, 7> q{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double parent = parts[i].parent > 0 ? direction(parts[i].parent) : 0;
    const auto coordinate = static_cast<std::size_t>(parts[i].coordinate);
    const double expected = data::reference[coordinate];
    q[coordinate] = expected + std::remainder(direction(static_cast<int>(i) + 1) - parent - expected,
                                              2 * 3.14159265358979323846);
  }
  return data::worst_relative_error(q.data());
}

void add_trammel(const std::shared_ptr<AndrewsEquations>& system, Contest& contest) {
  const auto mechanism = std::make_shared<trammel::Mechanism>(andrews_mechanism());
  for (const std::string& method : methods::andrews_model)
    contest.competitors.push_back(
        {"Trammel", method + ", model", decades(3, 11), [mechanism, method](double tolerance) {
           Run run = run_mechanism(*mechanism, method, data::end_time, tolerance, model_error);
           run.energy_drift = std::nan("");  // it is driven
           return run;
         }});
  const StateFunction error = [](const trammel::Vector& x) { return data::worst_relative_error(x.data()); };
  const StateFunction energy = [system](const trammel::Vector& x) {
    return system->energy(x.head(7), x.segment(7, 7));
  };
  for (const std::string& method : methods::andrews)
    contest.competitors.push_back({"Trammel", method, decades(4, 11),
                                   [method, error, energy](double tolerance) {
                                     return run_builtin("andrews", {}, data::end_time, method, tolerance,
                                                        error, energy);
                                   },
                                   true});
}

void add_sundials(const std::shared_ptr<AndrewsEquations>& system, Contest& contest) {
  const auto add = [&](const std::string& program, const std::string& method, auto run) {
    contest.competitors.push_back({program, method, decades(4, 11),
                                   [system, run](double tolerance) {
                                     SundialsTask task;
                                     task.system = system.get();
                                     task.q = Eigen::Map<const VectorXd>(data::initial.data(), 7);
                                     task.v.setZero(7);
                                     task.end = data::end_time;
                                     task.tolerance = tolerance;
                                     task.constraint_tolerance = 1e-10;
                                     task.error = [](const VectorXd& q, const VectorXd&) {
                                       return data::worst_relative_error(q.data());
                                     };
                                     return run(task);
                                   },
                                   true});
  };
  add("CVODE", "BDF, projected", [](const SundialsTask& task) { return run_cvode(task, Formula::bdf); });
  add("CVODE", "Adams, projected", [](const SundialsTask& task) { return run_cvode(task, Formula::adams); });
  add("IDA", "GGL", [](const SundialsTask& task) { return run_ida(task); });
}

}  // namespace

Contest andrews() {
  const auto system = std::make_shared<AndrewsEquations>();
  Contest contest;
  contest.name = "andrews";
  contest.title = "Andrews' squeezing mechanism, 0.03 s";
  contest.error_is = "largest relative error of an angle";
  contest.notes = {
      "Trammel without `model`, and SUNDIALS: seven angles, six constraints, by hand. Trammel, model: seven "
      "spatial bodies in Cartesian coordinates. Simbody, MuJoCo: a tree of pins with three loops closed. "
      "Ratios "
      "are of like to like.",
      "CVODE's projections hold the constraints below 1e-10. Simbody chooses its constraint tolerance "
      "itself."};
  add_trammel(system, contest);
  add_sundials(system, contest);
  add_simbody_andrews(contest);
  add_mujoco_andrews(contest);
  return contest;
}

}  // namespace peers
