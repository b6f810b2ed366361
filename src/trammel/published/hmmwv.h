// The HMMWV over a bump as a built-in problem: the model of examples/models/hmmwv.yaml, whose text the build
// puts into the library (cmake/EmbeddedModels.cmake), so that there is one copy of the data. docs/hmmwv.md
// describes it.
#pragma once

#include <string_view>

#include "trammel/published/builtin.h"

namespace trammel {

std::string_view hmmwv_model_text();

BuiltinProblem hmmwv_problem();

}  // namespace trammel
