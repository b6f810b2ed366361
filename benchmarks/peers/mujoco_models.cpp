#include "mujoco_models.h"

#include <fmt/format.h>

#include "chain.h"
#include "mujoco_simulator.h"
#include "n_four_bar.h"

namespace peers {

std::string mujoco_four_bars(int windows, double step) {
  std::string text = mujoco_head(step, four_bar_gravity, "RK4") + "<worldbody>";
  for (int i = 0; i <= windows; ++i) {
    text += fmt::format("<body name='crank{}' pos='{} 0 0'><joint axis='0 0 1'/>", i, i) +
            mujoco_inertial(1, 1.0 / 12, 0, 0.5);
    if (i < windows)
      text += fmt::format("<body name='coupler{}' pos='0 1 0'><joint axis='0 0 1'/>", i) +
              mujoco_inertial(1, 1.0 / 12, 0.5, 0) + "</body>";
    text += "</body>";
  }
  text += "</worldbody><equality>";
  for (int i = 0; i < windows; ++i)
    text += mujoco_connection(fmt::format("coupler{}", i), fmt::format("crank{}", i + 1), 1, 0, step);
  return text + "</equality></mujoco>";
}

std::string mujoco_chain(int rods, double step) {
  std::string text = mujoco_head(step, chain_gravity, "RK4") + "<worldbody>", ends;
  for (int i = 0; i < rods; ++i) {
    text += fmt::format("<body pos='{} 0 0'><joint axis='0 0 1'/>", i > 0 ? 1 : 0) +
            mujoco_inertial(1, 1.0 / 12, 0.5, 0);
    ends += "</body>";
  }
  return text + ends + "</worldbody></mujoco>";
}

}  // namespace peers
