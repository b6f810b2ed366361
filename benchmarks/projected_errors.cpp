// What the projection of errors gains: accepted steps with it over those without, of multistep methods with projection.
//
//   projected_errors [--problems LIST] [--methods LIST] [--tolerances LIST] [--nearby N] [--spread P]
//
// How many steps a run takes is a number with scatter: orders and step sizes are chosen by comparing estimates, and a tolerance that
// is a little different takes another way. So each pair is run at N tolerances (17) that are evenly spread by P (0.04) to both sides
// of the one that is asked for, which by themselves change the number of steps by less than a hundredth. Printed are the ratio of
// the single runs in the middle, the ratio of the sums, the standard error of that, and by how much single runs scatter about their
// mean, both without and with projected errors.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "trammel/published/builtin.h"
#include "trammel/simulation/simulation.h"

namespace {

using namespace trammel;

struct Scatter {
  std::vector<double> logarithms;

  double mean() const {
    double sum = 0;
    for (const double value : logarithms) sum += value;
    return sum / static_cast<double>(logarithms.size());
  }
  double deviation() const {
    double sum = 0;
    for (const double value : logarithms) sum += (value - mean()) * (value - mean());
    return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(logarithms.size() - 1, 1)));
  }
};

// Accepted steps; −1: the run ended early.
long steps_of(const std::string& word, const Method& method, double tolerance, bool projects_errors) {
  const std::size_t colon = word.find(':');
  const BuiltinProblem& builtin = *find_problem(word.substr(0, colon));
  std::map<std::string, double> parameters;
  if (colon != std::string::npos) parameters["N"] = std::stod(word.substr(colon + 1));
  ProblemCase instance = builtin.make(builtin.values(parameters));
  Options options;
  for (const auto& [key, value] : instance.options) set_option(options, key, value);
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  options.record = false;
  options.watch_constraints = options.watch_energy = false;
  options.assembly = instance.assembly;
  options.cvodes.max_steps = options.ida.max_steps = 1000000;
  options.projection_control.project_error = projects_errors;
  Simulation simulation(*instance.equations, method, options);
  const std::map<std::string, double> ends = {{"pendulum", 100}, {"four-bar", 20}};
  const auto end = ends.find(builtin.name);
  const Summary summary =
      simulation.run(instance.x0, instance.t_start, end == ends.end() ? instance.t_end : end->second);
  return summary.ok() ? summary.statistics.accepted : -1;
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> result;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) result.push_back(word);
  return result;
}

struct Nearby {
  int count = 17;
  double spread = 0.04;
};

// The logarithm of the ratio of sums, or nothing where a run did not end.
void compare(const std::string& problem, const std::string& name, double tolerance, const Nearby& nearby,
             Scatter& ratios, double& largest) {
  Method method;
  if (parse_method(name, method)) return;
  Scatter with, without;
  double single = 0;
  for (int k = 0; k < nearby.count; ++k) {
    const double place = nearby.count > 1 ? 2.0 * k / (nearby.count - 1) - 1 : 0;
    const double near = tolerance * (1 + nearby.spread * place);
    const long a = steps_of(problem, method, near, true), b = steps_of(problem, method, near, false);
    if (a <= 0 || b <= 0) continue;
    with.logarithms.push_back(std::log(static_cast<double>(a)));
    without.logarithms.push_back(std::log(static_cast<double>(b)));
    if (k == nearby.count / 2) single = static_cast<double>(a) / static_cast<double>(b);
  }
  if (with.logarithms.empty()) {
    std::printf("| %s | `%s` | %.1e | did not end |\n", problem.c_str(), name.c_str(), tolerance);
    return;
  }
  const double ratio = with.mean() - without.mean();
  const double error = std::hypot(with.deviation(), without.deviation()) /
                       std::sqrt(static_cast<double>(with.logarithms.size()));
  std::printf("| %s | `%s` | %.1e | %.3f | %.3f | ±%.3f | %.1f %% | %.1f %% | %.0f / %.0f\n", problem.c_str(),
              name.c_str(), tolerance, single, std::exp(ratio), error, 100 * without.deviation(),
              100 * with.deviation(), std::exp(with.mean()), std::exp(without.mean()));
  std::fflush(stdout);
  ratios.logarithms.push_back(ratio);
  largest = std::max(largest, ratio);
}

}  // namespace

int main(int count, char** arguments) {
  std::string problems = "pendulum,four-bar,andrews,n-four-bar:1,n-four-bar:5",
              methods = "projected/bdf,projected/adams,projected-index1/ida",
              tolerances = "1e-3,1e-5,1e-7,1e-9";
  Nearby nearby;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = arguments[i], value = arguments[i + 1];
    if (name == "--problems") problems = value;
    if (name == "--methods") methods = value;
    if (name == "--tolerances") tolerances = value;
    if (name == "--nearby") nearby.count = std::max(1, std::stoi(value));
    if (name == "--spread") nearby.spread = std::stod(value);
  }
  std::printf("| problem | method | tolerance | single | mean | | scatter without | with |\n");
  for (const std::string& method : words_of(methods)) {
    Scatter ratios;
    double largest = -1;
    for (const std::string& problem : words_of(problems))
      for (const std::string& tolerance : words_of(tolerances))
        compare(problem, method, std::stod(tolerance), nearby, ratios, largest);
    if (!ratios.logarithms.empty())
      std::printf("%s: geometric mean %.3f, largest %.3f, of %zu\n", method.c_str(), std::exp(ratios.mean()),
                  std::exp(largest), ratios.logarithms.size());
  }
}
