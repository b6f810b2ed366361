// The equations of motion of a mechanism in Cartesian coordinates: for each body the position of its centre
// of mass and four Euler parameters, seven positions in all.
//
// Velocities are one of two kinds. `angular`: the velocity of the centre of mass and the angular velocity in
// body axes, six for each body, p' = Z(p) v; M is constant, and the length of the Euler parameters is a
// normalisation without multiplier. `parameter_rates`: v = p', seven for each body, with the length of the
// Euler parameters as one more constraint (E. J. Haug; seed of the state-space formulation).
//
// Elements are evaluated in terms of poses and twists (mechanism/elements.h), once for each body and joint:
// the cost is linear in their number.
#pragma once

#include <memory>

#include "trammel/mechanism/elements.h"
#include "trammel/motion/assembly.h"
#include "trammel/motion/equations.h"
#include "trammel/motion/euler_parameters.h"
#include "trammel/motion/sparse_motion.h"
#include "trammel/numerics/assembled_matrix.h"

namespace trammel {

class CartesianEquations final : public EquationsOfMotion, public SparseMotion {
 public:
  enum class Velocities { angular, parameter_rates };

  // Throws ModelError if the mechanism is not sound.
  explicit CartesianEquations(const Mechanism& mechanism, Velocities velocities = Velocities::angular);
  ~CartesianEquations() override;

  const Mechanism& mechanism() const { return mechanism_; }
  const Elements& elements() const { return *elements_; }
  Velocities velocities() const { return velocities_; }

  // The reference position with the velocities that the mechanism guesses, and initial states.
  Vector initial_state() const;
  // What the mechanism asks of the initial state besides its joints.
  std::vector<Condition> conditions();
  // How firmly assembly keeps each unknown.
  Vector weights() const;

  void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) override;
  void differentiate(const MotionPoint& at, Parts wanted, MotionDerivatives& out) override;
  void follow(double t, const VectorIn& x) override;

  Vector displacement_sizes(const VectorIn& x) const override;
  std::vector<MotionCorner> corners(double from, double to) const override;
  bool energy(double t, const VectorIn& x, EnergyState& state) override;

  SparseMotion* sparse() override { return velocities_ == Velocities::angular ? this : nullptr; }
  // Planar mechanisms have a planar motion (planar_motion.h).
  std::unique_ptr<ReducedMotion> reduced(double t, const VectorIn& x) override;
  SparseSlopes slopes() const override;
  void differentiate_sparse(const MotionPoint& at, unsigned wanted) override;
  void displacement_to_positions(const VectorIn& p, const VectorIn& q, const VectorIn& residual,
                                 VectorOut change) const override;
  void pull_back(const VectorIn& p, const VectorIn& gradient, VectorOut by_displacement) const override;
  void rates_to_velocities(const VectorIn& p, const VectorIn& rates, VectorOut v) const override;

  // Holonomic rows that are met anyway are not evaluated while these equations are told so (planar_motion.h).
  void set_resting(const std::vector<char>& rows);
  void let_rest(bool rest) { rest_ = rest; }

  // --- what results are made of ---------------------------------------------------------------------------

  // Sets the states of the bodies, and with them everything below.
  void set_state(double t, const VectorIn& x, const VectorIn& a);
  // bodies()[0] is the ground.
  std::span<const BodyState> bodies() const { return states_; }
  std::span<const double> input_values() const { return input_values_; }
  double kinetic_energy() const;
  double potential_energy() const;  // of gravity (zero at the world's origin) and of springs
  // Values, rates and accelerations of Elements::measured.
  const RowValues& measured() const { return measured_view_; }
  // What a joint (its rows of constraints) does to its second body: force in world axes at the origin of its
  // frame on that body, torque in world axes. `multipliers` are λ, then μ.
  Wrench<double> reaction(const Elements::JointRows& rows, int body, const Vec3<double>& point_world) const;

 private:
  struct Chain;  // how twists depend on a body's coordinates

  Index body_count() const { return static_cast<Index>(mechanism_.bodies.size()) - 1; }
  CartesianEquations(const Mechanism& mechanism, std::unique_ptr<Elements> elements, Velocities velocities);

  void settle_offsets();
  void set_bodies(const MotionPoint& at);
  void evaluate_inputs(const MotionPoint& at);
  void evaluate_rows(const RowSystem& rows, double t, unsigned wanted, const RowValues& out) const;
  void evaluate_wrenches(const MotionPoint& at);
  void evaluate_dynamics(const MotionPoint& at, MotionValues& out);
  void evaluate_states(const MotionPoint& at, MotionValues& out) const;
  void evaluate_mass(const MotionPoint& at, MotionValues& out) const;
  void evaluate_normalizations(const MotionPoint& at, Parts wanted, MotionValues& out) const;

  void differentiate_blocks(const MotionPoint& at, unsigned wanted);
  void assemble_constraints(unsigned wanted);
  void assemble_forces();
  void assemble_states(const MotionPoint& at);
  void assemble_kinematics();
  // Adds slope times the gradient of an input to a row of the four matrices.
  struct GradientTarget {
    AssembledMatrix &pose, &twist, &state, &multiplier;
  };
  void add_input_gradient(int input, Index row, double slope, const GradientTarget& target) const;
  Chain chain(Index body, const MotionPoint& at) const;
  void chain_constraints(const std::vector<Chain>& chains, Parts wanted, MotionDerivatives& out) const;
  void chain_dynamics(const MotionPoint& at, const std::vector<Chain>& chains, MotionDerivatives& out);
  void chain_states(const std::vector<Chain>& chains, MotionDerivatives& out) const;
  void chain_kinematics(const MotionPoint& at, MotionDerivatives& out) const;
  void chain_normalizations(const MotionPoint& at, Parts wanted, MotionDerivatives& out) const;

  Mechanism mechanism_;
  std::unique_ptr<Elements> elements_;
  Velocities velocities_;
  Index per_body_;  // velocities of a body: 6 or 7

  std::vector<BodyState> states_;
  std::vector<Wrench<double>> wrenches_;
  std::vector<double> measured_value_, measured_rate_, measured_acceleration_;
  RowValues measured_view_;
  std::vector<double> input_values_;
  std::vector<double> multipliers_, nonholonomic_multipliers_;
  double t_ = 0;
  bool rest_ = false;

  // elements of each measured row: block, element, row within it
  struct Source {
    std::size_t block;
    Index element;
    int row;
  };
  std::vector<std::vector<Source>> sources_;

  AssembledMatrix mass_, jacobian_, rate_pose_, acceleration_pose_, acceleration_twist_, force_pose_,
      force_twist_, force_state_, force_multiplier_, state_pose_, state_twist_, state_state_,
      state_multiplier_, kinematics_;
};

}  // namespace trammel
