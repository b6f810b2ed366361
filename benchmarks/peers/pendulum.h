// The planar simple pendulum (benchmark A01 of the IFToMM library): a point mass of 1 kg on a massless bar of
// 1 m, let go from (-1, 0), for 10 s.
#pragma once

namespace peers::pendulum_data {

constexpr double gravity = 9.81, end = 10;

// The angle from the vertical at the end, counted from -π/2.
double final_angle();

}  // namespace peers::pendulum_data
