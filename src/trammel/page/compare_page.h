// A comparison to look at: work-precision diagrams, and a page that stands alone with them, the
// recommendation, all runs, and how errors were measured.
#pragma once

#include <string>

#include "trammel/comparison/comparison.h"

namespace trammel {

// In CSS pixels, without the legend.
struct DiagramSize {
  double width = 720, height = 440;
};

// Error against CPU time and against evaluations, both logarithmic, as SVG.
std::string time_diagram(const Comparison& comparison, DiagramSize size = {});
std::string evaluations_diagram(const Comparison& comparison, DiagramSize size = {});
// Largest violation of the position constraints against the tolerance.
std::string violation_diagram(const Comparison& comparison, DiagramSize size = {});

std::string comparison_page(const Comparison& comparison);

}  // namespace trammel
