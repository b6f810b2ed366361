// Ways of differentiation to look at: what a Jacobian costs by each of them, and its pattern.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trammel/derivatives/way_comparison.h"

namespace trammel {

// Functions by their names.
using ComparedFunctions = std::vector<std::pair<std::string, WayComparison>>;

// "Jacobian of Q, coach: 26 x 52, 732 entries"
std::string pattern_title(const std::string& function, const std::string& model,
                          const WayComparison& comparison);

// A page that stands alone.
std::string derivatives_page(const std::string& model, const ComparedFunctions& functions);

}  // namespace trammel
