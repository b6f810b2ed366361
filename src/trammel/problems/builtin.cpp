#include "trammel/problems/builtin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trammel {

const std::vector<BuiltinProblem>& builtin_problems() {
  static const std::vector<BuiltinProblem> problems = {
      pendulum_problem(),         pendulum_energy_problem(), truck_problem(),         andrews_problem(),
      chain_problem(),            chaplygin_sleigh_problem(), knife_edge_problem(),   doubled_four_bar_problem(),
      force_element_problem(),    rolling_contact_problem(),
  };
  return problems;
}

const BuiltinProblem* find_problem(const std::string& name) {
  for (const BuiltinProblem& problem : builtin_problems())
    if (problem.name == name) return &problem;
  return nullptr;
}

std::map<std::string, double> BuiltinProblem::values(const std::map<std::string, double>& changes) const {
  std::map<std::string, double> result;
  std::vector<std::string> names;
  for (const ProblemParameter& parameter : parameters) {
    result[parameter.name] = parameter.value;
    names.push_back(parameter.name);
  }
  for (const auto& [parameter, value] : changes) {
    if (!result.contains(parameter)) {
      const std::string near = nearest_name(parameter, names);
      throw std::invalid_argument(fmt::format("problem '{}' has no parameter '{}'{}; it has: {}", name, parameter,
                                              near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near),
                                              fmt::join(names, ", ")));
    }
    if (!std::isfinite(value))
      throw std::invalid_argument(fmt::format("parameter '{}' is not a finite number", parameter));
    result[parameter] = value;
  }
  return result;
}

std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates) {
  // Levenshtein distance, one row at a time
  std::string best;
  std::size_t best_distance = word.size() / 2 + 2;
  for (const std::string& candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t above = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1)});
        diagonal = above;
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

double digits_of(double error) { return error > 1e-16 ? -std::log10(error) : 16.0; }

}  // namespace trammel
