// A mechanism as functions: constraint rows, forces, states and measured quantities, in terms of the poses
// and twists of its bodies. This is what equations of motion are made from, whatever their coordinates.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trammel/mechanism/constraint_block.h"
#include "trammel/mechanism/expression.h"
#include "trammel/mechanism/force_block.h"
#include "trammel/mechanism/mechanism.h"

namespace trammel {

struct BodyInertia {
  double mass = 0;
  Mat3<double> inertia;  // about the centre of mass, body axes
};

// A function of time that a row of constraints must equal: value, rate and acceleration.
class TimeFunction {
 public:
  virtual ~TimeFunction() = default;
  virtual Taylor<double> operator()(double t) const = 0;
  // The formula behind it, of (t): that of the value, the rate or the acceleration (level 0, 1, 2). None: it has no formula.
  struct Formula {
    const Expression* expression = nullptr;
    int level = 0;
  };
  virtual Formula formula() const { return {}; }
};

// A system of rows with the blocks that add to them: row = Σ factor · function − time function.
struct RowSystem {
  std::vector<std::string> names;
  std::vector<std::unique_ptr<ConstraintBlock>> blocks;
  struct Driven {
    Index row;
    std::unique_ptr<TimeFunction> function;
  };
  std::vector<Driven> driven;
  // What a row is made equal to, unless a time function says so: a coupler's offset.
  std::vector<double> offsets;

  Index size() const { return static_cast<Index>(names.size()); }
  Index add_row(std::string name, double offset = 0);
  // The block of a kernel, made if there is none.
  template <class Kernel>
  Constraints<Kernel>& block() {
    for (const std::unique_ptr<ConstraintBlock>& block : blocks)
      if (auto* found = dynamic_cast<Constraints<Kernel>*>(block.get())) return *found;
    blocks.push_back(std::make_unique<Constraints<Kernel>>());
    return static_cast<Constraints<Kernel>&>(*blocks.back());
  }
};

// A number that laws use.
struct Input {
  enum class Kind { value, rate, state, multiplier, nonholonomic_multiplier };

  Kind kind = Kind::value;
  Index index = 0;  // row of Elements::measured, state, or row of a constraint
};

struct StateEquation {
  std::string name;
  double initial = 0;
  Expression rate;          // of (t, inputs...)
  std::vector<int> inputs;  // into Elements::inputs
  int first_switch = 0;     // of the state equations' switches
};

// An expression of quantities, recorded with the results.
struct MeasuredExpression {
  std::string name, unit;
  Expression value;         // of (t, inputs..., measures...)
  std::vector<int> inputs;  // into Elements::inputs
  // Others that it names, whose values follow the inputs: into Elements::measures. See measure_values.h.
  std::vector<int> measures;
};

// A law that acts on the motion, for the times at which it is not smooth (time_corners.h).
struct ActingLaw {
  std::string name;       // of the driver, force or state
  Expression expression;  // its input 0 is the time
  // What of the motion is as smooth as the law: 0 positions, 1 velocities, 2 accelerations, 3 their rates.
  int order = 2;
};

// A coordinate of a joint, for results and initial conditions: a row of Elements::measured.
struct JointCoordinate {
  std::string name;  // "crank.angle"
  int joint = 0;     // into Mechanism::joints
  Index row = 0;
  bool is_angle = false;
};

struct InitialCondition {
  std::string name;  // "crank.angle"
  Index row = 0;     // of Elements::measured
  bool on_rate = false;
  double value = 0;
  SourcePlace place;
};

struct Elements {
  std::vector<BodyInertia> bodies;  // bodies[0], the ground, has none
  Vec3<double> gravity;
  RowSystem holonomic, nonholonomic;
  RowSystem measured;  // values and rates that inputs, coordinates and results refer to
  std::vector<std::unique_ptr<ForceBlock>> forces;
  // Coordinates of joints that rotors resist on, and with which inertia: what turns with it reflected there.
  RowSystem rotors;
  std::vector<double> rotor_inertias;
  std::vector<StateEquation> states;
  std::vector<Input> inputs;
  std::vector<ActingLaw> laws;
  std::vector<MeasuredExpression> measures;
  std::vector<int> measure_order;  // in which they can be evaluated
  std::vector<JointCoordinate> coordinates;
  std::vector<InitialCondition> initial;
  // Couplers whose offset is that of the assembled position: the rows to be set then.
  std::vector<Index> offsets_from_assembly;
  // Rows of each joint, of Mechanism::joints: holonomic and nonholonomic ones.
  struct JointRows {
    Index first = 0, count = 0;                            // in holonomic
    Index first_nonholonomic = 0, count_nonholonomic = 0;  // in nonholonomic
  };
  std::vector<JointRows> joint_rows, driver_rows, coupler_rows;

  template <class Kernel>
  Forces<Kernel>& force_block() {
    for (const std::unique_ptr<ForceBlock>& block : forces)
      if (auto* found = dynamic_cast<Forces<Kernel>*>(block.get())) return *found;
    forces.push_back(std::make_unique<Forces<Kernel>>());
    return static_cast<Forces<Kernel>&>(*forces.back());
  }
};

// In which axes rows that keep two points together are, and with them their multipliers: those of the world, or
// of the joint's frame on its first body.
enum class PointRows { in_world, in_first_frame };

// Compiles a checked mechanism. Throws ModelError.
std::unique_ptr<Elements> make_elements(const Mechanism& mechanism, PointRows points = PointRows::in_world);

}  // namespace trammel
