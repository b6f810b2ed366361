// What all implementations of the N-four-bar agree on.
#pragma once

namespace peers {

constexpr double four_bar_gravity = 9.81, four_bar_end = 10;

// The exact angle of all cranks at the end, clockwise from the vertical.
double four_bar_angle(int windows);

}  // namespace peers
