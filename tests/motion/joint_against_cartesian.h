// Joint coordinates held against Cartesian ones and against differences of their own values, for any mechanism.
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism/mechanism.h"

namespace trammel {

struct JointComparison {
  // Sentences on what differs; empty if nothing does.
  std::vector<std::string> differences;
  // Why there was nothing to compare; empty if there was.
  std::string left_out;
  bool redundant = false;
};

// At a state with all velocities, on the constraints: accelerations of the bodies, reactions, energies, measured
// quantities, rates of states, to 1e-10, whatever the condition of the problem is (of examples, published mechanisms and 200
// random ones a net with a condition of 3e6 has the largest difference, 4e-11; all others are below 2e-12);
// all slopes of the joint equations against differences of fourth order, to 1e-7. Relative to the largest number of their kind.
JointComparison compare_joint_with_cartesian(const Mechanism& mechanism);

// The slopes alone, at a state that meets no constraint.
std::vector<std::string> compare_joint_slopes(const Mechanism& mechanism);

}  // namespace trammel
