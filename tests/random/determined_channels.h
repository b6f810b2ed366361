// Which channels a redundant mechanism determines: two hinges of a door share its weight as they like.
#pragma once

#include <set>
#include <string>

#include "tests/random/model_run.h"

namespace trammel {

// The names of the channels that change if multipliers that do nothing to the motion are added, at the start
// or at the end of the run.
std::set<std::string> undetermined_channels(const Model& model, const ModelRun& run);

}  // namespace trammel
