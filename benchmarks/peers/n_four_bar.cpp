// The N-four-bar (benchmark A02 of the IFToMM library): N parallelograms in a row, falling and turning for
// 10 s. Twice in every turn all rods lie in one line, where N + 1 motions are possible; on the motion as one
// parallelogram
//
//   ((N+1)/3 + N) θ'' = ((N+1)/2 + N) g sin θ,   θ(0) = 0, θ'(0) = 1,   θ from the vertical,
//
// which is the exact solution for all cranks.
#include "n_four_bar.h"

#include <memory>
#include <numbers>

#include "methods.h"
#include "mujoco_peers.h"
#include "pendulum_angle.h"
#include "planar_rods.h"
#include "simbody_peers.h"
#include "sundials_peer.h"
#include "trammel/model/model.h"
#include "trammel_peer.h"

namespace peers {

namespace {

// Cranks, then couplers.
std::vector<PlanarRods::Hinge> four_bar_hinges(int windows) {
  std::vector<PlanarRods::Hinge> hinges;
  for (int i = 0; i <= windows; ++i) hinges.push_back({i, -0.5, -1, 0, 1.0 * i});
  for (int i = 0; i < windows; ++i) {
    const int coupler = windows + 1 + i;
    hinges.push_back({i, 0.5, coupler, -0.5, 0});
    hinges.push_back({coupler, 0.5, i + 1, 0.5, 0});
  }
  return hinges;
}

void add_trammel(int windows, double exact, Contest& contest) {
  const auto model = std::make_shared<trammel::Model>(
      trammel::read_model(TRAMMEL_PEERS_MODELS "/n-four-bar.yaml", {{{"n", std::to_string(windows)}}}));
  // the rods of the file have a thickness, which would limit the error to 1e-6; about the other axes they do
  // not turn
  for (trammel::Body& body : model->mechanism.bodies)
    body.inertia = {{1 / 12.0, 0, 0}, {0, 1 / 12.0, 0}, {0, 0, 1 / 12.0}};
  const auto error = [exact, model](const trammel::MechanismMotion& at_end) {
    double worst = 0;
    for (std::size_t body = 1; body < at_end.bodies().size(); ++body) {
      const std::string& name = model->mechanism.bodies[body].name;
      if (!name.starts_with("crank")) continue;
      const trammel::Vec3<double>& r = at_end.bodies()[body].r;
      worst = std::max(worst, angle_between(std::atan2(r.x - std::stod(name.substr(5)), r.y), exact));
    }
    return worst;
  };
  for (const std::string& method : methods::four_bars)
    contest.competitors.push_back({"Trammel", method, decades(3, method.starts_with("projected") ? 9 : 8),
                                   [model, method, error](double tolerance) {
                                     return run_mechanism(model->mechanism, method, four_bar_end, tolerance,
                                                          error);
                                   }});
}

void add_sundials(int windows, double exact, Contest& contest) {
  const auto system =
      std::make_shared<PlanarRods>(2 * windows + 1, four_bar_hinges(windows), four_bar_gravity);
  SundialsTask task;
  task.end = four_bar_end;
  task.constraint_tolerance = 1e-11;
  task.q.setZero(system->nq);
  task.v.setZero(system->nq);
  for (int i = 0; i <= windows; ++i) {
    task.q.segment<3>(3 * i) << i, 0.5, std::numbers::pi / 2;
    task.v.segment<3>(3 * i) << 0.5, 0, -1;
  }
  for (int i = 0; i < windows; ++i) {
    task.q.segment<3>(3 * (windows + 1 + i)) << i + 0.5, 1, 0;
    task.v[3 * (windows + 1 + i)] = 1;
  }
  task.error = [windows, exact](const VectorXd& q, const VectorXd&) {
    double worst = 0;
    for (int i = 0; i <= windows; ++i)
      worst = std::max(worst, angle_between(std::numbers::pi / 2 - q[3 * i + 2], exact));
    return worst;
  };
  const auto add = [&](const std::string& program, const std::string& method, auto run) {
    contest.competitors.push_back({program, method, decades(4, 9),
                                   [system, task, run](double tolerance) {
                                     SundialsTask now = task;
                                     now.system = system.get();
                                     now.tolerance = tolerance;
                                     return run(now);
                                   },
                                   true});
  };
  add("CVODE", "BDF, projected", [](const SundialsTask& now) { return run_cvode(now, Formula::bdf); });
  add("CVODE", "Adams, projected", [](const SundialsTask& now) { return run_cvode(now, Formula::adams); });
  add("IDA", "GGL", [](const SundialsTask& now) { return run_ida(now); });
}

}  // namespace

double four_bar_angle(int windows) {
  const long double n = windows;
  return pendulum_angle(((n + 1) / 2 + n) * four_bar_gravity / ((n + 1) / 3 + n), 0, 1, four_bar_end);
}

Contest n_four_bar(int windows) {
  const double exact = four_bar_angle(windows);
  Contest contest;
  contest.name = "n-four-bar-" + std::to_string(windows);
  contest.title = "N-four-bar, N = " + std::to_string(windows) + ", 10 s";
  contest.error_is = "largest error of a crank's angle [rad]";
  contest.notes = {
      "Trammel has spatial bodies and redundant constraints here, Simbody pins in a tree with planar "
      "closings, "
      "SUNDIALS planar rods in dense matrices: each what its user would write.",
      "A run that left the motion as one parallelogram at a singular position has an error of "
      "about 1."};
  add_trammel(windows, exact, contest);
  add_simbody_n_four_bar(windows, exact, contest);
  // dense matrices: the cost grows with the cube of N
  if (windows <= 5) add_sundials(windows, exact, contest);
  add_mujoco_n_four_bar(windows, exact, contest);
  return contest;
}

}  // namespace peers
