// A model of MuJoCo with its state, and a timed run of it.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>

#include "contest.h"

namespace peers {

class MujocoSimulator {
 public:
  // From an XML model. Throws std::runtime_error with MuJoCo's words.
  explicit MujocoSimulator(const std::string& text);

  // Steps of the size that the model has; the error is not set.
  Run run(double end);

  mjModel& model() { return *model_; }
  mjData& data() { return *data_; }

 private:
  struct FreeModel {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
  };
  struct FreeData {
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  std::unique_ptr<mjModel, FreeModel> model_;
  std::unique_ptr<mjData, FreeData> data_;
};

// XML of models, z across the plane of motion. Numbers in full precision.
std::string mujoco_number(double value);
// Before the bodies.
std::string mujoco_head(double step, double gravity, const std::string& integrator);
// A centre of mass in the plane.
std::string mujoco_inertial(double mass, double inertia, double com_x, double com_y);
// Closes a loop: a point of one body on the other. The stiffest that the manual allows: a time constant of
// two steps.
std::string mujoco_connection(const std::string& body1, const std::string& body2, double anchor_x,
                              double anchor_y, double step);

}  // namespace peers
