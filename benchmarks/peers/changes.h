// Whether two runs of the comparison agree: how much each ratio changed.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace peers {

// Ratios that both have; a change is the larger over the smaller, less one.
struct Changes {
  double worst = 0;
  std::string report;  // a line for each ratio, the worst last
};

// Both are what `--json` writes. Throws std::runtime_error if they have no ratio in common.
Changes changes(const nlohmann::ordered_json& earlier, const nlohmann::ordered_json& now);

}  // namespace peers
