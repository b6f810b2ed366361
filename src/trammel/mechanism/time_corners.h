// The times at which a law is not smooth, found before the motion is known: where a comparison of times
// changes, where ramps, steps and tables over time have their corners. A step that ends at all of them sees
// every region of a law of time, however short.
//
// Smooth laws can be short, too: a blow written with exp(). Laws of time alone are looked at on a grid of
// `grid_cells` cells over the run; where one wakes up after a rest, its begin, its extrema and its end are
// among the corners, as corners of nothing. So are those of bumps about a time that the law names, such as t - 5,
// however short.
#pragma once

#include <vector>

#include "trammel/mechanism/expression.h"

namespace trammel {

struct TimeCorner {
  double t = 0;
  // The lowest derivative of the law that jumps: 0 its value, 1 its slope, 2 its curvature, and so on.
  int order = 0;
};

constexpr int grid_cells = 1 << 13;  // a smooth feature as wide as one of them is seen
constexpr int no_jump = 9;           // the order of a corner that is none
// The order of the last corner of a list that does not go to the end of the time: there one has to ask again.
constexpr int ask_again = 1000;

// Of an expression whose input 0 is the time, in (from, to), ascending. Where it depends on other inputs too,
// those of its parts that depend on time alone. `to` is brought nearer where there are very many, or where a
// switching function changes too fast for a grid over all of the time: who wants more asks again from there.
std::vector<TimeCorner> time_corners(const Expression& expression, double from, double& to);

}  // namespace trammel
