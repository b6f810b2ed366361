// The states of a recording, of whatever method and coordinates, in joint coordinates: from positions, orientations and
// velocities of the bodies.
#pragma once

#include <vector>

#include "trammel/motion/joint_equations.h"
#include "trammel/result/recording.h"

namespace trammel {

class RecordedStates {
 public:
  // Throws std::invalid_argument if a body of the mechanism has no channels in the recording. Both must outlive this.
  RecordedStates(JointEquations& equations, const Recording& recording);

  Index samples() const { return recording_.samples.samples(); }
  double time(Index sample) const { return recording_.times()[at_index(sample)]; }
  // Positions, velocities and force states of a sample; multipliers are zero. Velocities are those of the tree's joints
  // that fit the bodies best. Angles have the turns that their channels tell.
  void state(Index sample, Vector& x);
  // The sample nearest to a time.
  Index nearest(double t) const;
  // Force states that the recording does not tell, which have their initial values.
  const std::vector<std::string>& unknown_states() const { return unknown_states_; }

 private:
  struct BodyChannels {
    const Channel* position[3];
    const Channel* quaternion[4];
    const Channel* velocity[3];
    const Channel* angular_velocity[3];
  };

  JointEquations& equations_;
  const Recording& recording_;
  Mechanism placed_;  // its reference position is that of the sample
  Vector initial_, twists_;
  std::vector<BodyChannels> bodies_;       // bodies_[0] is of body 1
  std::vector<const Channel*> positions_;  // of the coordinates, for turns; null where there is none
  std::vector<const Channel*> states_;
  std::vector<std::string> unknown_states_;
};

}  // namespace trammel
