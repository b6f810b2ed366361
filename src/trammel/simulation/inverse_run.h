// Inverse dynamics along a motion that is given: the forces of motors, and everything that a run would record.
//
//   trammel::InverseRun inverse(model, recording_of_a_run);
//   inverse.run();
//   inverse.recording().find("shoulder_motor.torque");
//
// The motion is a run's, with channels for all bodies, or a table of joint coordinates over time. Actuators and drivers of
// the model are left out; actuators with the forces that were found take their places. That model, driven(), moves as
// asked for when it is run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/mechanism/model.h"
#include "trammel/motion/joint_equations.h"
#include "trammel/numerics/failure.h"
#include "trammel/result/recording.h"

namespace trammel {

struct InverseRequest {
  // Along which motors act: "A.angle". None: those of the model's actuators and drivers; if it has none, all coordinates of
  // the joints of its tree.
  std::vector<std::string> coordinates;
};

class InverseRun {
 public:
  // The recording must outlive this. Throws ModelError and std::invalid_argument.
  InverseRun(const Model& model, const Recording& along, const InverseRequest& request = {});
  ~InverseRun();

  // Once. What was computed before a failure is kept.
  Failure run();

  const Recording& recording() const { return recording_; }
  // How positions, velocities and accelerations were got from the file: a sentence.
  const std::string& source() const { return source_; }
  const std::vector<std::string>& notes() const { return notes_; }
  // Of the recording those of the motors: "shoulder_motor.torque".
  std::vector<std::string> channels() const;
  // The model with these forces as tables over time, from the start of the motion. Throws std::invalid_argument if that does
  // not start at t = 0.
  Model driven() const;

 private:
  struct Motor {
    std::string name, coordinate, table;
    bool is_angle = true;
  };
  struct Sample {
    double t = 0;
    Vector x, accelerations, forces;
  };

  void choose_motors(const std::vector<std::string>& wanted);
  std::string free_name(const std::string& wanted) const;
  Failure find_motion(const Recording& along);
  void take_recorded(const Recording& along);
  void judge_accelerations(const Matrix& velocities);
  Failure take_table(const Recording& table);
  Failure find_forces();
  void record();
  Mechanism with_motors() const;

  const Model& model_;
  const Recording& along_;
  std::unique_ptr<JointEquations> equations_;  // without motors
  std::vector<Motor> motors_;
  std::vector<Sample> samples_;
  Recording recording_;
  std::string source_;
  std::vector<std::string> notes_;
};

}  // namespace trammel
