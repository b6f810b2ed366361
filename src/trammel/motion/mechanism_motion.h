// The equations of motion of a mechanism, whatever their coordinates, and what results are made of: states of
// bodies, measured quantities, reactions, energies.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trammel/mechanism/elements.h"
#include "trammel/motion/assembly.h"
#include "trammel/motion/tangent_motion.h"

namespace trammel {

// Rows of Elements::measured along displacements and velocities.
struct MeasuredSlopes {
  SparseMatrix jacobian, rate_pose, acceleration_pose, acceleration_twist;
};

// Work space at one state.
class MechanismMotion : public TangentMotion {
 public:
  using TangentMotion::TangentMotion;

  // Sets the states of the bodies, and with them everything below. Empty a: at rest as to accelerations.
  virtual void set_state(double t, const VectorIn& x, const VectorIn& a) = 0;
  // bodies()[0] is the ground.
  virtual std::span<const BodyState> bodies() const = 0;
  virtual std::span<const double> input_values() const = 0;
  // Values, rates and accelerations of Elements::measured.
  virtual const RowValues& measured() const = 0;
  virtual MeasuredSlopes measured_slopes() = 0;
  // What a joint (its rows of constraints) does to one of its bodies: force in world axes at a point, torque
  // in world axes.
  virtual Wrench<double> reaction(const Elements::JointRows& rows, int body,
                                  const Vec3<double>& point_world) = 0;
  // The multiplier of a driver or a coupler, of one row, as it belongs to the reactions.
  virtual double multiplier(const Elements::JointRows& row) = 0;
  virtual double kinetic_energy() const = 0;
  virtual double potential_energy() const = 0;  // of gravity (zero at the world's origin) and of springs
};

class MechanismEquations : public EquationsOfMotion {
 public:
  using EquationsOfMotion::EquationsOfMotion;

  MechanismEquations* of_mechanism() override { return this; }
  const MechanismEquations* of_mechanism() const override { return this; }

  virtual const Mechanism& mechanism() const = 0;
  virtual const Elements& elements() const = 0;

  // Where a row of Elements::holonomic is among the rows of these equations; −1 if it is none of them, because
  // the coordinates meet it anyway.
  virtual Index row_of(Index holonomic) const { return holonomic; }

  // The reference position with the velocities that the mechanism guesses, and initial states.
  virtual Vector initial_state() const = 0;
  // What the mechanism asks of the initial state besides its joints.
  virtual std::vector<Condition> conditions() = 0;
  // How firmly assembly keeps each unknown.
  virtual Vector weights() const = 0;
  // Whether displacements are six for each body, three translations in world axes and three rotations in its
  // own.
  virtual bool rotates_bodies() const = 0;

  virtual std::unique_ptr<MechanismMotion> mechanism_motion() = 0;

 protected:
  // Conditions from the residual of an initial condition, which adds its gradient by x.
  using InitialResidual = std::function<double(const InitialCondition& initial, double t, const VectorIn& x,
                                               Eigen::Ref<Eigen::RowVectorXd> gradient)>;
  std::vector<Condition> initial_conditions(const InitialResidual& residual) const;
};

// In these coordinates: cartesian, or cartesian-parameters (cartesian_equations.h), or joint (joint_equations.h). What
// `auto` stands for is known before (coordinate_choice.h); here it is cartesian. Throws ModelError if the mechanism is not
// sound, and std::invalid_argument for other coordinates.
std::unique_ptr<MechanismEquations> make_equations(const Mechanism& mechanism,
                                                   const std::string& coordinates = "cartesian");
// Throws std::invalid_argument if there are no coordinates of this name; `auto` is one.
void check_coordinates(const std::string& coordinates);

}  // namespace trammel
