// Every method on every built-in problem, at three tolerances: what is run, and the table that says what must
// come of it. The test checks the table (method_matrix_test.cpp), a program writes it
// (benchmarks/method_matrix.cpp).
//
// A line of the table says that a run ends with an error of at most a factor times the tolerance, or how it
// fails:
//
//   chain  psf/radau5    1e-06  within  10
//   chain  index1/ida    1e-06  within  3000  drift
//   truck  ode/radau5    1e-06  fails   invalid_model  not-for-this-method
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "trammel/published/builtin.h"
#include "trammel/simulation/simulation.h"

namespace trammel {

struct MatrixProblem {
  std::string name;     // in the table
  std::string problem;  // of builtin_problems()
  std::map<std::string, double> parameters = {};
  std::optional<double> until = {};
  // So few that the whole matrix is a matter of two minutes: a method that needs more says so.
  long max_steps = 5000;
};

inline const std::vector<MatrixProblem>& matrix_problems() {
  static const std::vector<MatrixProblem> list = {
      {"pendulum", "pendulum"},
      {"pendulum-energy", "pendulum-energy"},
      {"simple-pendulum", "simple-pendulum"},
      {"circular-track", "circular-track"},
      {"chain", "chain", {{"N", 5}}},
      {"andrews", "andrews"},
      // fixed points of adams hardly converge here: a tenth more or less of the steps is chance
      {"truck", "truck", {}, {}, 7000},
      {"knife-edge", "knife-edge"},
      {"skate", "skate"},
      {"chaplygin-sleigh", "chaplygin-sleigh"},
      {"force-element", "force-element"},
      {"rolling-contact", "rolling-contact"},
      {"double-pendulum", "double-pendulum"},
      {"stiff-spring-pendulum", "stiff-spring-pendulum", {}, {}, 8500},  // trapezoidal: 8065 at 1e-6
      {"slider-crank", "slider-crank", {}, {}, 7000},
      {"bushing", "bushing"},
      {"four-bar", "four-bar", {}, {}, 2000},
      {"four-bar,doubled=0", "four-bar", {{"doubled", 0}}, {}, 2000},
      // past two singular positions
      {"n-four-bar", "n-four-bar", {{"N", 2}}, 2, 500},
      {"n-four-bar,redundant=0", "n-four-bar", {{"N", 2}, {"redundant", 0}}, 2, 500},
      {"bricard", "bricard", {}, 2.5, 400},
      {"heavy-top", "heavy-top", {}, 0.5, 1500},
      {"spatial-four-bar", "spatial-four-bar", {}, {}, 1000},
      {"hmmwv", "hmmwv", {{"bump_after", 0.03}}, 0.06, 100},
      {"multiple-four-bar", "multiple-four-bar", {{"configuration", 2}, {"dof", 3}}, 0.5, 1000},
      {"coach", "coach", {}, 0.3, 500},
  };
  return list;
}

inline const std::vector<double>& matrix_tolerances() {
  static const std::vector<double> list = {1e-3, 1e-6, 1e-9};
  return list;
}

// What came of a run.
struct MatrixResult {
  Reason reason = Reason::none;
  std::string message;
  double error = 0;
  long steps = 0;

  bool finished() const { return reason == Reason::none; }
};

// Runs one problem by all methods.
class MatrixRunner {
 public:
  explicit MatrixRunner(const MatrixProblem& problem) : problem_(problem) {}

  MatrixResult run(const Method& method, double tolerance) {
    const ProblemCase instance = make(method);
    const Summary summary = simulate(instance, method, tolerance, problem_.max_steps);
    MatrixResult result;
    result.steps = summary.statistics.accepted;
    if (summary.status != Status::finished) {
      result.reason = summary.failure.reason;
      result.message = summary.message();
      return result;
    }
    result.error = error_of(instance, summary);
    return result;
  }

 private:
  ProblemCase make(const Method& method) const {
    const BuiltinProblem& builtin = *find_problem(problem_.problem);
    return builtin.make_for(method.formulation, builtin.values(problem_.parameters));
  }

  Summary simulate(const ProblemCase& instance, const Method& method, double tolerance,
                   long max_steps) const {
    Options options;
    options.tolerances.relative = options.tolerances.absolute = tolerance;
    options.h0 = instance.h0;
    options.assembly = instance.assembly;
    options.psf.enforce_invariants = instance.enforce_invariants;
    options.record = false;
    const auto set = [&](const std::string& key, const std::string& value) {
      if (Failure failure = set_option(options, key, value)) throw std::logic_error(failure.message);
    };
    for (const auto& [key, value] : instance.options) set(key, value);
    set("max_steps", std::to_string(max_steps));
    Simulation simulation(*instance.equations, method, options);
    return simulation.run(instance.x0, instance.t_start, problem_.until.value_or(instance.t_end));
  }

  // By the criterion of the problem; without a reference, the largest difference of the positions from a
  // tight run of the state-space form, which has hardly a line in common with the default method.
  double error_of(const ProblemCase& instance, const Summary& summary) {
    if (const auto error = instance.error(summary.t, summary.final_state)) return *error;
    const Index positions = instance.equations->layout().p.size;
    if (reference_.size() == 0) {
      const Method other{"partitioned", "radau5"};
      const Summary tight = simulate(make(other), other, 1e-12, 100000);
      if (tight.status != Status::finished) throw std::runtime_error("no reference: " + tight.message());
      reference_ = tight.final_state.head(positions);
    }
    return (summary.final_state.head(positions) - reference_).lpNorm<Eigen::Infinity>();
  }

  const MatrixProblem& problem_;
  Vector reference_;
};

// A line of the table.
struct MatrixEntry {
  std::string problem, method;
  double tolerance = 0;
  double factor = 0;   // 0: fails
  std::string reason;  // how it fails
  std::string why;     // in a word, of failures and of factors that are large

  bool fails() const { return factor == 0; }
};

inline std::vector<MatrixEntry> read_matrix(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<MatrixEntry> entries;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    MatrixEntry entry;
    std::string outcome;
    words >> entry.problem >> entry.method >> entry.tolerance >> outcome;
    if (outcome == "within")
      words >> entry.factor;
    else if (outcome == "fails")
      words >> entry.reason;
    else
      throw std::runtime_error("not a line of the table: " + line);
    if (!words || (outcome == "within" && !(entry.factor > 0)))
      throw std::runtime_error("not a line of the table: " + line);
    words >> entry.why;
    entries.push_back(entry);
  }
  return entries;
}

}  // namespace trammel
