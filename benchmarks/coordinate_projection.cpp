// Coordinate projection: what the structure of Newton's matrix saves, and how much of a run is spent outside the
// derivative.
//
//   coordinate_projection [--links N] [--violations yes]
//
// First, a chain of N links (300) in joint coordinates: the factorisation of σE − J that bdf uses beside that of the
// full matrix of twice the size, densely.
//
// Then the size that coordinate projection was asked for at Stanford in 2006: 50 arms of 20 links, 1000 joint
// coordinates, with a ring in each closed by a ball, 150 loop equations of which 50 depend on the others, in 50 groups.
// Steps, evaluations of the derivative, and the share of the time that is not spent there, as it is and with a force
// that costs as much as five derivatives.
//
// With --violations: the largest violation after any step of long runs, as a fraction of an error that is just tolerated, at
// tolerances from 1e-3 to 1e-10. It takes some minutes.
#include "trammel/formulation/projection/coordinate_projection.h"

#include <Eigen/LU>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "trammel/motion/assembly.h"
#include "trammel/motion/mechanism_motion.h"
#include "trammel/published/builtin.h"
#include "trammel/simulation/simulation.h"

namespace {

using namespace trammel;

template <class Function>
double best_seconds(int repeats, const Function& function) {
  double best = 1e9;
  for (int i = 0; i < repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    function();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

Body link(const std::string& name, const Vec3<double>& from, const Vec3<double>& to) {
  Body body;
  body.name = name;
  body.mass = 1;
  body.reference.origin = (from + to) * 0.5;
  body.inertia = {{0.01, 0, 0}, {0, 0.01, 0}, {0, 0, 0.01}};
  return body;
}

// Links along the x axis, 0.1 m each, hinged about y, side by side along y. In each the links 2 to 5 make a ring: they
// go round a square, and a ball ties the end of the fifth to the beginning of the second.
Mechanism arms(int count, int links, bool rings) {
  Mechanism mechanism;
  for (int arm = 0; arm < count; ++arm) {
    Vec3<double> at{0, static_cast<double>(arm), 0};
    std::string before = "ground", ring_begin;
    Vec3<double> ring_at{};
    for (int k = 0; k < links; ++k) {
      const std::string name = "arm" + std::to_string(arm) + "_" + std::to_string(k);
      const double turn = rings && k >= 2 && k <= 5 ? 0.5 * M_PI * (k - 2) + 0.2 : 0.1 * std::sin(1.0 * k);
      const Vec3<double> to = at + Vec3<double>{0.1 * std::cos(turn), 0, -0.1 * std::sin(turn)};
      if (k == 2) {
        ring_begin = before;
        ring_at = at;
      }
      mechanism.add(link(name, at, to));
      mechanism.add_joint("hinge_" + name, JointType::revolute, before, name, at, {0, 1, 0});
      if (rings && k == 5) {
        mechanism.add_joint("ring" + std::to_string(arm), JointType::spherical, ring_begin, name, ring_at);
        mechanism.joints.back().in_tree = false;
      }
      before = name;
      at = to;
    }
  }
  return mechanism;
}

void newton_matrix(int links) {
  const auto equations = make_equations(arms(1, links, false), "joint");
  Vector x = equations->initial_state();
  CoordinateProjection problem(*equations, {});
  if (problem.start(0, x) != Outcome::ok || problem.linearize(0, x) != Outcome::ok) {
    std::printf("no chain: %s\n", problem.failure().message.c_str());
    return;
  }
  const double structured = best_seconds(7, [&] { problem.factor(1e3); });
  // the same matrix without its structure: any numbers will do
  const Index n = 2 * equations->layout().v.size;
  const Matrix full = Matrix::Random(n, n) + 30 * Matrix::Identity(n, n);
  Eigen::PartialPivLU<Matrix> lu(n);
  const double whole = best_seconds(7, [&] { lu.compute(full); });
  std::printf("%ld degrees of freedom: %.2f ms with the structure, %.2f ms without, %.1f times\n",
              static_cast<long>(n / 2), 1e3 * structured, 1e3 * whole, whole / structured);
}

void rings() {
  const auto equations = make_equations(arms(50, 20, true), "joint");
  const Layout& l = equations->layout();
  std::printf("\n%ld joint coordinates, %ld loop equations; swinging for 0.5 s\n",
              static_cast<long>(l.p.size), static_cast<long>(l.lambda.size));
  for (const char* integrator : {"adams", "bdf", "ida"})
    for (const double tolerance : {1e-3, 1e-5}) {
      Options options;
      options.tolerances.relative = options.tolerances.absolute = tolerance;
      options.record = false;
      options.watch_constraints = options.watch_energy = false;
      const bool index1 = std::string(integrator) == "ida";
      const Method method{index1 ? "projected-index1" : "projected", integrator};
      Simulation simulation(*equations, method, options);
      const Summary summary = simulation.run(equations->initial_state(), 0, 0.5);
      if (!summary.ok()) {
        std::printf("%s at %.0e: %s\n", integrator, tolerance, summary.message().c_str());
        continue;
      }
      CoordinateProjection problem(*equations, {});
      Vector x = summary.final_state, rates(x.size());
      problem.start(0.5, x);
      const double one = best_seconds(5, [&] {
        x[0] += 1e-12;  // or it would be remembered
        problem.rates(0.5, x, rates);
      });
      const auto evaluations = static_cast<double>(summary.statistics.evaluations);
      const double outside = std::max(0.0, summary.wall_seconds - evaluations * one);
      std::printf(
          "%-20s %.0e: %5ld steps, %5ld derivatives, %4ld Jacobians, %.2f s, outside the derivative "
          "%.0f %%, with a force of five derivatives %.0f %%\n",
          method.name().c_str(), tolerance, summary.statistics.accepted, summary.statistics.evaluations,
          summary.statistics.jacobians, summary.wall_seconds, 100 * outside / summary.wall_seconds,
          100 * outside / (summary.wall_seconds + 5 * evaluations * one));
    }
}

// In the scale of the end of the step, with rows measured there.
double worst_violation(const BuiltinProblem& builtin, const std::map<std::string, double>& parameters,
                       double end, const Method& method, double tolerance, Summary& summary) {
  ProblemCase instance = builtin.make(builtin.values(parameters));
  Options options;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  options.record = false;
  options.reduce_planar = false;
  options.watch_constraints = options.watch_energy = false;
  options.assembly = instance.assembly;
  options.radau.max_steps = options.cvodes.max_steps = options.ida.max_steps = 10000000;
  const CoordinateProjectionOptions own;
  const auto tangent = instance.equations->tangent();
  const Layout& l = instance.equations->layout();
  Vector x = Vector::Zero(l.total), scale(l.total);
  double worst = 0;
  Simulation simulation(*instance.equations, method, options);
  simulation.on_step([&](const Point<double>& point, double h) {
    x.segment(l.p.begin, l.p.size) = Eigen::Map<const Vector>(point.p.data(), l.p.size);
    x.segment(l.v.begin, l.v.size) = Eigen::Map<const Vector>(point.v.data(), l.v.size);
    options.tolerances.fill(x, scale);
    double size = 0;
    if (h > 0 && !WeightedProjection(*tangent, own).violation(point.t, x, scale, size))
      worst = std::max(worst, size);
    return true;
  });
  summary = simulation.run(instance.x0, instance.t_start, end > 0 ? end : instance.t_end);
  return worst;
}

void violations() {
  struct Run {
    const char* problem;
    std::map<std::string, double> parameters;
    double end;
  };
  const std::vector<Run> runs = {{"pendulum", {}, 1000},
                                 {"four-bar", {}, 100},
                                 {"andrews", {}, 0},
                                 {"hmmwv", {}, 0},
                                 {"n-four-bar", {{"N", 1}}, 0},
                                 {"n-four-bar", {{"N", 5}}, 0},
                                 {"n-four-bar", {{"N", 10}}, 0},
                                 {"n-four-bar", {{"N", 40}}, 0}};
  for (const Run& run : runs)
    for (const Method& method :
         {Method{"projected", "bdf"}, Method{"projected-index1", "ida"}, Method{"projected", "adams"}}) {
      if (std::string(run.problem) == "hmmwv" && method.integrator == "adams") continue;  // stiff
      std::printf(
          "%-12s %s %-21s", run.problem,
          run.parameters.empty() ? "    " : ("N=" + std::to_string(int(run.parameters.at("N")))).c_str(),
          method.name().c_str());
      for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
        Summary summary;
        const double worst =
            worst_violation(*find_problem(run.problem), run.parameters, run.end, method, tolerance, summary);
        std::printf("  %.1e%s", worst, summary.ok() ? "" : "!");
        std::fflush(stdout);
      }
      std::printf("\n");
    }
}

}  // namespace

int main(int count, char** arguments) {
  int links = 300;
  for (int i = 1; i + 1 < count; i += 2)
    if (std::string(arguments[i]) == "--links") links = std::max(1, std::atoi(arguments[i + 1]));
  for (int i = 1; i < count; ++i)
    if (std::string(arguments[i]) == "--violations") {
      violations();
      return 0;
    }
  newton_matrix(links);
  rings();
}
