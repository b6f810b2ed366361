// The coach in a double lane change as a built-in problem: the model of examples/models/coach.yaml, whose text the build
// puts into the library (cmake/EmbeddedModels.cmake).
#pragma once

#include <string_view>

#include "trammel/published/builtin.h"

namespace trammel {

std::string_view coach_model_text();

BuiltinProblem coach_problem();

}  // namespace trammel
