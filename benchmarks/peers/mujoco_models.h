// Models of MuJoCo as XML that more than one program needs.
#pragma once

#include <string>

namespace peers {

std::string mujoco_four_bars(int windows, double step);
std::string mujoco_chain(int rods, double step);

}  // namespace peers
