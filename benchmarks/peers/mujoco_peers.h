// Adds MuJoCo to a contest, or nothing where MuJoCo was not found.
#pragma once

#include <memory>

#include "contest.h"
#include "scaling.h"

namespace peers {

#ifdef TRAMMEL_PEER_MUJOCO
void add_mujoco_n_four_bar(int windows, double exact_angle, Contest& contest);
void add_mujoco_chain(const std::vector<double>& exact_angles, Contest& contest);
void add_mujoco_andrews(Contest& contest);
void add_mujoco_double_pendulum(Contest& contest);
std::unique_ptr<ScaledModel> mujoco_scaled_model(Growing growing, int bodies);
#else
inline void add_mujoco_n_four_bar(int, double, Contest&) {}
inline void add_mujoco_chain(const std::vector<double>&, Contest&) {}
inline void add_mujoco_andrews(Contest&) {}
inline void add_mujoco_double_pendulum(Contest&) {}
inline std::unique_ptr<ScaledModel> mujoco_scaled_model(Growing, int) { return nullptr; }
#endif

}  // namespace peers
