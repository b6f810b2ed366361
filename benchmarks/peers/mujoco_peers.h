// Adds MuJoCo to a contest, or nothing where MuJoCo was not found.
#pragma once

#include "contest.h"

namespace peers {

#ifdef TRAMMEL_PEER_MUJOCO
void add_mujoco_n_four_bar(int windows, double exact_angle, Contest& contest);
void add_mujoco_double_pendulum(Contest& contest);
#else
inline void add_mujoco_n_four_bar(int, double, Contest&) {}
inline void add_mujoco_double_pendulum(Contest&) {}
#endif

}  // namespace peers
