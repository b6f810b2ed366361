#include "mujoco_simulator.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

namespace peers {

MujocoSimulator::MujocoSimulator(const std::string& text) {
  // or warnings go to a file where the program is run; run() reads their number
  mju_user_warning = [](const char*) {};
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  const int file = mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(text.size()));
  std::memcpy(files->filedata[file], text.data(), text.size());
  char problem[1000] = "";
  model_.reset(mj_loadXML("model.xml", files.get(), problem, sizeof problem));
  mj_deleteVFS(files.get());
  if (!model_) throw std::runtime_error(problem);
  data_.reset(mj_makeData(model_.get()));
}

Run MujocoSimulator::run(double end) {
  const auto steps = static_cast<long>(std::lround(end / model_->opt.timestep));
  Run result;
  mj_forward(model_.get(), data_.get());
  const double energy = data_->energy[0] + data_->energy[1];
  const Stopwatch watch;
  for (long i = 0; i < steps; ++i) mj_step(model_.get(), data_.get());
  result.seconds = watch.seconds();
  result.steps = static_cast<double>(steps);
  mj_forward(model_.get(), data_.get());
  result.energy_drift = std::abs(data_->energy[0] + data_->energy[1] - energy);
  for (int i = 0; i < data_->ne; ++i) {
    if (i == 0) result.position_violation = result.velocity_violation = 0;
    result.position_violation = std::max(result.position_violation, std::abs(data_->efc_pos[i]));
    result.velocity_violation = std::max(result.velocity_violation, std::abs(data_->efc_vel[i]));
  }
  if (data_->warning[mjWARN_BADQACC].number > 0) result.failure = "unstable";
  return result;
}

std::string mujoco_number(double value) { return fmt::format("{:.17g}", value); }

std::string mujoco_head(double step, double gravity, const std::string& integrator) {
  return fmt::format(
      "<mujoco><compiler angle='radian'/><option timestep='{}' gravity='0 {} 0' integrator='{}' "
      "solver='Newton' "
      "tolerance='1e-14'><flag energy='enable' contact='disable'/></option>",
      mujoco_number(step), -gravity, integrator);
}

std::string mujoco_inertial(double mass, double inertia, double com_x, double com_y) {
  const std::string about = mujoco_number(inertia);
  return fmt::format("<inertial pos='{} {} 0' mass='{}' diaginertia='{} {} {}'/>", mujoco_number(com_x),
                     mujoco_number(com_y), mass, about, about, about);
}

std::string mujoco_connection(const std::string& body1, const std::string& body2, double anchor_x,
                              double anchor_y, double step) {
  return fmt::format(
      "<connect body1='{}' body2='{}' anchor='{} {} 0' solref='{} 1' solimp='0.9999 0.9999 0.001'/>", body1,
      body2, mujoco_number(anchor_x), mujoco_number(anchor_y), mujoco_number(2 * step));
}

}  // namespace peers
