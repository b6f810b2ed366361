// A motion given by joint coordinates over time, between which splines go, and all other coordinates as the joints ask.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/motion/consistent_state.h"
#include "trammel/motion/joint_equations.h"
#include "trammel/result/recording.h"

namespace trammel {

class TableMotion {
 public:
  // Channels are named as joint coordinates, "A.angle"; their rates and accelerations, "A.angle_rate" and
  // "A.angle_acceleration", may be among them, and come from the coordinate's spline otherwise. Throws
  // std::invalid_argument if there is another channel, or if the coordinates do not determine the motion.
  TableMotion(const Mechanism& mechanism, const Recording& table);
  ~TableMotion();

  // In what way velocities and accelerations were found.
  const std::string& source() const { return source_; }
  // The state at a time, from one time to the next, and its accelerations; x is laid out as asked for, with the positions,
  // velocities and force states of the same tree.
  Failure find(double t, const Layout& layout, Vector& x, Vector& accelerations);

 private:
  struct Coordinate;

  Failure start(double t);

  std::vector<std::shared_ptr<const Coordinate>> coordinates_;
  std::string source_;
  std::unique_ptr<JointEquations> equations_;  // with a driver for each coordinate
  std::unique_ptr<MechanismMotion> motion_;
  std::unique_ptr<ConsistentState> state_;
  Vector x_;
  bool started_ = false;
};

}  // namespace trammel
