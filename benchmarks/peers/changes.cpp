#include "changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace peers {

namespace {

// By a name that says problem, peer and error, or claim.
std::map<std::string, double> ratios(const nlohmann::ordered_json& all) {
  std::map<std::string, double> result;
  for (const auto& problem : all.value("problems", nlohmann::ordered_json::array()))
    for (const auto& outcome : problem.at("outcomes")) {
      const auto& by_error = outcome.at("trammel_over_this");
      if (!by_error.is_object()) continue;
      for (const auto& [error, value] : by_error.items())
        result[fmt::format("{}, {} {}, {}", problem.at("problem").get<std::string>(),
                           outcome.at("program").get<std::string>(), outcome.at("method").get<std::string>(),
                           error)] = value.get<double>();
    }
  for (const auto& claim : all.value("claims", nlohmann::ordered_json::array()))
    if (claim.contains("trammel_over_other"))
      result["claim: " + claim.at("name").get<std::string>()] = claim.at("trammel_over_other").get<double>();
  return result;
}

}  // namespace

Changes changes(const nlohmann::ordered_json& earlier, const nlohmann::ordered_json& now) {
  const std::map<std::string, double> before = ratios(earlier), after = ratios(now);
  Changes result;
  std::string worst_name;
  for (const auto& [name, value] : after) {
    const auto old = before.find(name);
    if (old == before.end()) continue;
    const double change = std::max(value / old->second, old->second / value) - 1;
    result.report +=
        fmt::format("{:>5.0f} %  {:>8.3g} -> {:>8.3g}  {}\n", 100 * change, old->second, value, name);
    if (worst_name.empty() || change > result.worst) {
      result.worst = change;
      worst_name = name;
    }
  }
  if (worst_name.empty()) throw std::runtime_error("the earlier run has no ratio in common with this one");
  result.report += fmt::format("largest change: {:.0f} %, of {}\n", 100 * result.worst, worst_name);
  return result;
}

}  // namespace peers
