// Trees of hinges that all programs evaluate: accelerations for given angles and rates, under gravity.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace peers {

// One hinge and the body that it carries, all in metres, kilograms and axes of the hinge: it turns about z.
struct HingedBody {
  int parent = -1;                 // −1: the ground; parents come first
  std::array<double, 3> origin{};  // of the hinge at zero, seen from the hinge of the parent
  std::array<double, 9> axes{};    // likewise, by columns
  double mass = 0;
  std::array<double, 3> centre{};   // of mass
  std::array<double, 9> inertia{};  // about the centre of mass
};

struct HingeTree {
  std::string name;
  std::array<double, 3> gravity{};
  std::vector<HingedBody> bodies;
};

// A program at work on such a tree.
class ForwardDynamics {
 public:
  virtual ~ForwardDynamics() = default;
  virtual void evaluate(const double* angles, const double* rates, double* accelerations) = 0;
};

// Cranks and couplers of the N-four-bar (n_four_bar.h), its loops closed: cranks and couplers have these angles and rates.
struct FourBarPose {
  double crank = -0.4, coupler = 0.4, crank_rate = -1, coupler_rate = 1;  // of couplers against their cranks
};

// Null where the program was not found. They throw std::runtime_error where it refuses the tree.
std::unique_ptr<ForwardDynamics> mujoco_dynamics(const HingeTree& tree);
std::unique_ptr<ForwardDynamics> dart_dynamics(const HingeTree& tree);
std::unique_ptr<ForwardDynamics> simbody_dynamics(const HingeTree& tree);

// Of `windows` + 1 cranks in a FourBarPose: evaluate() is given what is added to the angle of the first one, so small that
// loops are still closed, and no rates; accelerations are those of the cranks.
std::unique_ptr<ForwardDynamics> mujoco_loop_dynamics(int windows);
std::unique_ptr<ForwardDynamics> simbody_loop_dynamics(int windows);

}  // namespace peers
