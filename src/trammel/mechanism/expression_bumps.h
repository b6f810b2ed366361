// Bumps of smooth laws over a state: exp(-((x - 5)/0.01)^2) is nothing at both ends of a step that leads from x = 4
// to x = 6, and no estimate of the error sees it. They are found before the motion is known, and made branches
// (switches.h) whose ends are ends of nothing but of steps: step(x, begin, 0, end, 0) is added, which is zero.
#pragma once

#include "trammel/mechanism/expression.h"

namespace trammel {

// The same function, with a switch for every bump over quantities other than the time, input 0.
ExpressionProgram with_watched_bumps(ExpressionProgram program);

// Where a law has bumps over the time: from, middle and to of each.
struct TimeBump {
  double from = 0, middle = 0, to = 0;
};
std::vector<TimeBump> time_bumps(const ExpressionProgram& program);
// Those that come again and again, such as of mod(t, 1): comparisons that change where they begin, culminate and end.
std::vector<ExpressionProgram> periodic_time_bumps(const ExpressionProgram& program);

// Whether it makes straight lines of straight lines.
bool is_linear(Operation operation);

}  // namespace trammel
