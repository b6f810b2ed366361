// Coordinate projection: what the structure of Newton's matrix saves, and how much of a run is spent outside the
// derivative.
//
//   coordinate_projection [--links N]
//   coordinate_projection --violations LIST [--methods LIST] [--tolerances LIST]
//
// First, a chain of N links (300) in joint coordinates: the factorisation of σE − J that bdf uses beside that of the
// full matrix of twice the size, densely.
//
// Then a branched chain with rings, 1000 joint coordinates with 150 loop equations in 50 groups, of which 50 depend on the
// others (ring_arms.h): steps, evaluations of the derivative, and the share of the time that is not spent there, with a force that
// costs as much as five evaluations of all accelerations.
//
// With --violations: the largest violation after any step of long runs, as a fraction of an error that is just tolerated, at
// tolerances from 1e-3 to 1e-10; rows of a table in Markdown. LIST is of pendulum, four-bar, andrews, hmmwv and n-four-bar:N, or
// `all`, which takes half an hour.
#include "trammel/formulation/projection/coordinate_projection.h"

#include <Eigen/LU>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "ring_arms.h"
#include "trammel/integrator/multistep.h"
#include "trammel/motion/assembly.h"
#include "trammel/motion/mechanism_motion.h"
#include "trammel/numerics/thread_team.h"
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

void newton_matrix(int links) {
  const auto equations = make_equations(ring_arms(1, links, false), "joint");
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

// Coordinate projection with a force that costs as much as five evaluations of all accelerations, which are done and timed; and
// what else takes time.
class CostlyForce final : public CoordinateProjection {
 public:
  using CoordinateProjection::CoordinateProjection;
  using CoordinateProjection::factor;
  using CoordinateProjection::solve;
  double force_seconds = 0, derivative_seconds = 0, jacobian_seconds = 0, factor_seconds = 0,
         solve_seconds = 0, projection_seconds = 0;
  long factorizations = 0, solves = 0;

  Outcome rates(double t, VectorIn x, VectorOut xdot) override {
    const std::clock_t begin = std::clock();
    Vector beside = x;
    for (int i = 0; i < 5; ++i) {
      beside[0] += 1e-9;  // or it would be remembered
      CoordinateProjection::rates(t, beside, xdot);
      --statistics().evaluations;
    }
    const std::clock_t after = std::clock();
    const Outcome outcome = CoordinateProjection::rates(t, x, xdot);
    force_seconds += seconds(after - begin);
    derivative_seconds += seconds(std::clock() - begin);
    return outcome;
  }
  Outcome linearize(double t, VectorIn x) override {
    return timed(jacobian_seconds, [&] { return CoordinateProjection::linearize(t, x); });
  }
  Outcome factor(double shift) override {
    ++factorizations;
    return timed(factor_seconds, [&] { return CoordinateProjection::factor(shift); });
  }
  void solve(VectorIn residual, VectorOut x) override {
    ++solves;
    timed(solve_seconds, [&] { return CoordinateProjection::solve(residual, x), Outcome::ok; });
  }
  Outcome violation(double t, VectorIn x, VectorIn scale, double& size) override {
    return timed(projection_seconds, [&] { return CoordinateProjection::violation(t, x, scale, size); });
  }
  Outcome project(double t, VectorIn scale, double tolerance, VectorOut x) override {
    return timed(projection_seconds, [&] { return CoordinateProjection::project(t, scale, tolerance, x); });
  }
  Outcome project_error(double t, VectorIn x, VectorIn scale, VectorOut error) override {
    return timed(projection_seconds, [&] { return CoordinateProjection::project_error(t, x, scale, error); });
  }

  static double seconds(std::clock_t ticks) { return static_cast<double>(ticks) / CLOCKS_PER_SEC; }

 private:
  template <class Function>
  static Outcome timed(double& sum, const Function& function) {
    const std::clock_t begin = std::clock();
    const Outcome outcome = function();
    sum += seconds(std::clock() - begin);
    return outcome;
  }
};

// By one thread: of several, CPU time counts how they wait for each other.
void rings() {
  ThreadTeam::of_process().set_threads(1);
  const auto equations = make_equations(ring_arms(50, 20, true), "joint");
  const Layout& l = equations->layout();
  std::printf("\n%ld joint coordinates, %ld loop equations; swinging for 0.5 s\n",
              static_cast<long>(l.p.size), static_cast<long>(l.lambda.size));
  for (const MultistepFamily family : {MultistepFamily::adams, MultistepFamily::bdf})
    for (const double tolerance : {1e-3, 1e-5}) {
      CostlyForce problem(*equations, {});
      MultistepOptions options;
      options.family = family;
      options.tolerances.relative = options.tolerances.absolute = tolerance;
      Multistep steps(problem, options);
      const std::clock_t begin = std::clock();
      Outcome outcome = steps.start(0, equations->initial_state(), 0.5, 0);
      while (outcome == Outcome::ok && steps.t() < 0.5) outcome = steps.step(0.5);
      const double all = CostlyForce::seconds(std::clock() - begin);
      const Statistics& s = problem.statistics();
      const double outside = all - problem.derivative_seconds;
      std::printf(
          "projected/%-5s %.0e: %5ld steps, %5ld derivatives, %4ld Jacobians, %5ld projections, %.2f s; "
          "outside force and accelerations %.1f %%, outside the force alone %.1f %%%s\n",
          family == MultistepFamily::bdf ? "bdf" : "adams", tolerance, s.accepted, s.evaluations, s.jacobians,
          s.projections, all, 100 * outside / all, 100 * (all - problem.force_seconds) / all,
          outcome == Outcome::ok ? "" : (": " + steps.failure().message).c_str());
      std::printf(
          "    of it Jacobians %.1f %%, %ld factorisations %.1f %%, %ld solves %.1f %%, projection %.1f %%, "
          "the rest %.1f %%\n",
          100 * problem.jacobian_seconds / all, problem.factorizations, 100 * problem.factor_seconds / all,
          problem.solves, 100 * problem.solve_seconds / all, 100 * problem.projection_seconds / all,
          100 *
              (outside - problem.jacobian_seconds - problem.factor_seconds - problem.solve_seconds -
               problem.projection_seconds) /
              all);
    }
}

// The largest violation after a step, in the scale of its end, with rows measured there; and what is left if a run ends early.
double worst_violation(const BuiltinProblem& builtin, const std::map<std::string, double>& parameters,
                       double end, const Method& method, double tolerance, Summary& summary) {
  ProblemCase instance = builtin.make(builtin.values(parameters));
  Options options;
  for (const auto& [key, value] : instance.options) set_option(options, key, value);
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  options.record = false;
  options.reduce_planar = false;
  options.watch_constraints = options.watch_energy = false;
  options.assembly = instance.assembly;
  options.cvodes.max_steps = options.ida.max_steps = 10000000;
  const CoordinateProjectionOptions own;
  const auto tangent = instance.equations->tangent();
  const Layout& l = instance.equations->layout();
  Vector x = Vector::Zero(l.total), scale(l.total);
  WeightedProjection measure(*tangent, own);
  double worst = 0;
  Simulation simulation(*instance.equations, method, options);
  simulation.on_step([&](const Point<double>& point, double h) {
    x.segment(l.p.begin, l.p.size) = Eigen::Map<const Vector>(point.p.data(), l.p.size);
    x.segment(l.v.begin, l.v.size) = Eigen::Map<const Vector>(point.v.data(), l.v.size);
    options.tolerances.fill(x, scale);
    double size = 0;
    measure.forget();
    if (h > 0 && !measure.violation(point.t, x, scale, size)) worst = std::max(worst, size);
    return true;
  });
  summary = simulation.run(instance.x0, instance.t_start, end > 0 ? end : instance.t_end);
  return worst;
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> result;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) result.push_back(word);
  return result;
}

void violations(std::string problems, const std::string& methods, const std::string& tolerances) {
  if (problems == "all")
    problems = "pendulum,four-bar,andrews,hmmwv,n-four-bar:1,n-four-bar:5,n-four-bar:10,n-four-bar:40";
  const std::map<std::string, double> ends = {{"pendulum", 1000}, {"four-bar", 100}};
  for (const std::string& word : words_of(problems))
    for (const std::string& name : words_of(methods)) {
      Method method;
      if (parse_method(name, method)) continue;
      const std::string problem = word.substr(0, word.find(':'));
      if (problem == "hmmwv" && (method.integrator == "adams" || method.integrator == "dop853"))
        continue;  // stiff
      std::map<std::string, double> parameters;
      if (problem != word) parameters["N"] = std::stod(word.substr(problem.size() + 1));
      std::printf("| %s | `%s` |", word.c_str(), name.c_str());
      std::string steps, ended;
      for (const std::string& tolerance : words_of(tolerances)) {
        Summary summary;
        const double worst =
            worst_violation(*find_problem(problem), parameters, ends.contains(problem) ? ends.at(problem) : 0,
                            method, std::stod(tolerance), summary);
        std::printf(" %.1e |", worst);
        std::fflush(stdout);
        steps += " " + std::to_string(summary.statistics.accepted);
        if (!summary.ok()) ended += "\n  " + tolerance + ": " + summary.message();
      }
      std::printf(" steps%s%s\n", steps.c_str(), ended.c_str());
    }
}

}  // namespace

int main(int count, char** arguments) {
  int links = 300;
  std::string problems, methods = "projected/bdf,projected-index1/ida,projected/adams",
                        tolerances = "1e-3,1e-4,1e-5,1e-6,1e-7,1e-8,1e-9,1e-10";
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = arguments[i], value = arguments[i + 1];
    if (name == "--links") links = std::max(1, std::stoi(value));
    if (name == "--violations") problems = value;
    if (name == "--methods") methods = value;
    if (name == "--tolerances") tolerances = value;
  }
  if (!problems.empty()) {
    violations(problems, methods, tolerances);
    return 0;
  }
  newton_matrix(links);
  rings();
}
