// The page of the documentation that lists formulations, integrators, methods and options: docs/methods.md is
// this text (trammel methods --page), which a test checks.
#pragma once

#include <string>

namespace trammel {

std::string methods_page();

}  // namespace trammel
