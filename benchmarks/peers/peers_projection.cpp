// Multistep methods with coordinate projection beside CPodes, the integrator with projection inside Simbody, on the same
// equations: CPodes gets the derivative and the projections of Trammel (cpodes.h). Steps, evaluations of the derivative, CPU time
// and error at each tolerance, then the time to given errors and its ratio, below one where Trammel is faster.
//
//   peers-projection [--problems LIST] [--repeats N] [--longest S]
//
// LIST is of pendulum (1000 s), four-bar (100 s), andrews, hmmwv, n-four-bar:N and rings (../ring_arms.h), by default all with
// N = 1, 5, 10 and 40. The HMMWV is stiff: bdf alone. Rings: 1000 coordinates, so that CPodes has a dense Jacobian of 2000 columns by
// differences; bdf is left out there.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "../ring_arms.h"
#include "cpodes.h"
#include "measurement.h"
#include "trammel/formulation/projection/coordinate_projection.h"
#include "trammel/motion/mechanism_motion.h"
#include "trammel/published/builtin.h"
#include "trammel/simulation/simulation.h"

namespace peers {

namespace {

using namespace trammel;
using trammel::Outcome;
using Measured = peers::Outcome;

// A problem, ready to be run again and again.
struct Case {
  std::string name;
  std::unique_ptr<EquationsOfMotion> equations;
  Vector start;  // assembled
  double begin = 0, end = 1;
  std::function<double(const Vector& x)> error;  // of a state at the end
  std::vector<double> tolerances = decades(3, 9);
  bool stiff = false, large = false;
};

Options quiet_options(double tolerance) {
  Options options;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  options.record = false;
  options.reduce_planar = false;
  options.watch_constraints = options.watch_energy = false;
  options.cvodes.max_steps = options.ida.max_steps = options.radau.max_steps = 10000000;
  return options;
}

Summary run_trammel(Case& problem, const std::string& name, double tolerance) {
  Method method;
  if (const Failure failure = parse_method(name, method)) throw std::runtime_error(failure.message);
  Simulation simulation(*problem.equations, method, quiet_options(tolerance));
  return simulation.run(problem.start, problem.begin, problem.end);
}

double largest_difference(const Case& problem, const Vector& x, const Vector& reference) {
  const Index n = problem.equations->layout().p.size;
  return ((x - reference).head(n).array() / (1 + reference.head(n).array().abs())).abs().maxCoeff();
}

// Where no solution is known: a run of another formulation at a tight tolerance.
void take_reference(Case& problem, const std::string& method, double tolerance) {
  const Summary summary = run_trammel(problem, method, tolerance);
  if (!summary.ok()) throw std::runtime_error("no reference of " + problem.name + ": " + summary.message());
  const Vector reference = summary.final_state;
  problem.error = [&problem, reference](const Vector& x) {
    return largest_difference(problem, x, reference);
  };
}

std::shared_ptr<Case> builtin_case(const std::string& word) {
  auto problem = std::make_shared<Case>();
  problem->name = word;
  const std::string name = word.substr(0, word.find(':'));
  const BuiltinProblem* builtin = find_problem(name);
  if (builtin == nullptr) throw std::runtime_error("there is no problem " + name);
  std::map<std::string, double> parameters;
  if (name != word) parameters["N"] = std::stod(word.substr(name.size() + 1));
  ProblemCase instance = builtin->make(builtin->values(parameters));
  problem->equations = std::move(instance.equations);
  problem->start = instance.x0;
  problem->begin = instance.t_start;
  problem->end = name == "pendulum" ? 1000 : name == "four-bar" ? 100 : instance.t_end;
  if (const Failure failure =
          Assembly(*problem->equations, instance.assembly).run(problem->begin, problem->start).failure)
    throw std::runtime_error(failure.message);
  problem->stiff = name == "hmmwv";
  if (instance.digits && instance.digits(problem->end, problem->start)) {
    const auto digits = instance.digits;
    const double end = problem->end;
    problem->error = [digits, end](const Vector& x) { return std::pow(10.0, -digits(end, x).value()); };
  } else {
    take_reference(*problem, problem->stiff ? "psf/radau5" : "projected/dop853",
                   problem->stiff ? 1e-9 : 1e-12);
  }
  return problem;
}

std::shared_ptr<Case> rings() {
  auto problem = std::make_shared<Case>();
  problem->name = "rings";
  auto equations = make_equations(ring_arms(50, 20, true), "joint");
  problem->start = equations->initial_state();
  problem->equations = std::move(equations);
  problem->end = 0.5;
  problem->large = true;
  problem->tolerances = {1e-3, 1e-5};
  take_reference(*problem, "projected/dop853", 1e-10);
  return problem;
}

Run measure_trammel(Case& problem, const std::string& method, double tolerance) {
  Run run;
  const Stopwatch watch;
  const Summary summary = run_trammel(problem, method, tolerance);
  run.seconds = watch.seconds();
  run.steps = static_cast<double>(summary.statistics.accepted);
  run.evaluations = static_cast<double>(summary.statistics.evaluations);
  if (!summary.ok())
    run.failure = summary.message();
  else
    run.error = problem.error(summary.final_state);
  return run;
}

// With the operators of `projected`, and what it takes for near enough.
Run measure_cpodes(Case& problem, bool adams, double tolerance) {
  constexpr double constraint_tolerance = 1e-3;
  Run run;
  long evaluations = 0;
  CoordinateProjection operators(*problem.equations, {});
  const Index n = operators.counted();
  Vector x = problem.start, rates = x, scale(x.size()), error = x;
  if (operators.start(problem.begin, x) != Outcome::ok) throw std::runtime_error(operators.failure().message);
  Tolerances tolerances;
  tolerances.relative = tolerances.absolute = tolerance;
  CpodesTask task;
  task.adams = adams;
  task.begin = problem.begin;
  task.end = problem.end;
  task.tolerance = tolerance;
  task.start.assign(x.data(), x.data() + n);
  task.derivative = [&](double t, const double* y, double* out) {
    ++evaluations;
    x.head(n) = Eigen::Map<const Vector>(y, n);
    if (operators.rates(t, x, rates) != Outcome::ok) return false;
    Eigen::Map<Vector>(out, n) = rates.head(n);
    return true;
  };
  task.project = [&](double t, double* y, double* y_error) {
    x.head(n) = Eigen::Map<const Vector>(y, n);
    tolerances.fill(x, scale);
    double violation = 0;
    if (operators.violation(t, x, scale, violation) != Outcome::ok) return false;
    if (violation > constraint_tolerance &&
        operators.project(t, scale, constraint_tolerance, x) != Outcome::ok)
      return false;
    error.setZero();
    error.head(n) = Eigen::Map<const Vector>(y_error, n);
    if (operators.project_error(t, x, scale, error) != Outcome::ok) return false;
    Eigen::Map<Vector>(y, n) = x.head(n);
    Eigen::Map<Vector>(y_error, n) = error.head(n);
    return true;
  };
  CpodesResult result;
  const Stopwatch watch;
  if (!run_cpodes(task, result)) result.failure = "Simbody was not found";
  run.seconds = watch.seconds();
  run.steps = static_cast<double>(result.steps);
  run.evaluations = static_cast<double>(evaluations);
  run.failure = result.failure;
  if (!run.failure.empty()) return run;
  x.head(n) = Eigen::Map<const Vector>(result.state.data(), n);
  run.error = problem.error(x);
  return run;
}

Contest contest_of(const std::shared_ptr<Case>& problem) {
  Contest contest;
  contest.name = problem->name;
  const auto add = [&](const std::string& program, const std::string& method, auto run) {
    contest.competitors.push_back({program, method, problem->tolerances, run});
  };
  const auto ours = [&](const std::string& method) {
    add("Trammel", method,
        [problem, method](double tolerance) { return measure_trammel(*problem, method, tolerance); });
  };
  const auto theirs = [&](bool adams) {
    add("CPodes", adams ? "Adams" : "BDF",
        [problem, adams](double tolerance) { return measure_cpodes(*problem, adams, tolerance); });
  };
  if (!problem->large) {
    ours("projected/bdf");
    theirs(false);
  }
  if (!problem->stiff) {
    ours("projected/adams");
    theirs(true);
  }
  ours("projected-index1/ida");
  return contest;
}

const Measured* find(const Result& result, const std::string& name) {
  for (const Measured& outcome : result.outcomes)
    if (outcome.name() == name) return &outcome;
  return nullptr;
}

// One pair of methods of a kind: the times of both to an error, and their ratio.
void print_ratios(const Result& result, const std::string& ours, const std::string& theirs) {
  const Measured *const one = find(result, ours), *const other = find(result, theirs);
  if (one == nullptr || other == nullptr) return;
  fmt::print("{} over {}, CPU time to an error of", ours, theirs);
  for (const double error : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
    const auto a = one->time_to(error), b = other->time_to(error);
    if (a && b)
      fmt::print("  {:.0e}: {:.2f}", error, a->seconds / b->seconds);
    else if (a || b)
      fmt::print("  {:.0e}: {}", error, a ? "ours only" : "theirs only");
  }
  fmt::print("\n");
}

void report(const Result& result) {
  fmt::print("\n{}\n{:<30} {:>7} {:>9} {:>11} {:>10} {:>9}\n", result.contest.name, "method", "tol", "steps",
             "evaluations", "CPU ms", "error");
  for (const Measured& outcome : result.outcomes)
    for (const Row& row : outcome.rows) {
      fmt::print("{:<30} {:>7.0e} {:>9.0f} {:>11.0f} {:>10.2f} ", outcome.name(), row.tolerance,
                 row.run.steps, row.run.evaluations, 1e3 * row.run.seconds);
      if (row.run.failure.empty())
        fmt::print("{:>9.1e}\n", row.run.error);
      else
        fmt::print("{}\n", row.run.failure.substr(0, 100));
    }
  print_ratios(result, "Trammel projected/bdf", "CPodes BDF");
  print_ratios(result, "Trammel projected/adams", "CPodes Adams");
  std::cout << std::flush;
}

void run(int argc, char** argv) {
  std::string problems =
      "pendulum,four-bar,andrews,hmmwv,n-four-bar:1,n-four-bar:5,n-four-bar:10,n-four-bar:40,rings";
  Effort effort;
  effort.repeats = 3;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 >= argc) throw std::runtime_error(name + " needs a value");
    if (name == "--problems")
      problems = argv[i + 1];
    else if (name == "--repeats")
      effort.repeats = std::stoi(argv[i + 1]);
    else if (name == "--longest")
      effort.longest = std::stod(argv[i + 1]);
    else
      throw std::runtime_error("unknown argument " + name);
  }
  std::istringstream words(problems);
  for (std::string word; std::getline(words, word, ',');)
    report(hold(contest_of(word == "rings" ? rings() : builtin_case(word)), effort));
}

}  // namespace

}  // namespace peers

int main(int argc, char** argv) {
  try {
    peers::run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
