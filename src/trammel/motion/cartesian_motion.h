// The Cartesian equations of a mechanism (cartesian_equations.h) at work: states of bodies, blocks of elements
// with their slopes and turns, sparse matrices along the twists whose patterns are found once.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "trammel/motion/cartesian_equations.h"
#include "trammel/motion/euler_parameters.h"
#include "trammel/numerics/assembled_matrix.h"

namespace trammel {

class CartesianMotion final : public MechanismMotion {
 public:
  // Elements alone work where something else places the bodies and knows their masses.
  enum class Use { by_itself, for_elements };

  // The equations must outlive this.
  explicit CartesianMotion(const CartesianEquations& equations, Use use = Use::by_itself);

  void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) override;
  std::string differentiate(const MotionPoint& at, unsigned wanted) override;
  TangentSlopes slopes() const override { return matrices(slopes_); }
  void displacement_to_positions(const VectorIn& p, const VectorIn& q, const VectorIn& residual,
                                 VectorOut change) override;
  void pull_back(const VectorIn& p, const VectorIn& gradient, VectorOut by_displacement) override;
  void rates_to_velocities(const VectorIn& p, const VectorIn& rates, VectorOut v) override;
  void displacement_metric(double t, const VectorIn& x, const VectorIn& weights,
                           SparseMatrix& metric) override;
  void follow(double t, const VectorIn& x) override;
  void carry(Carrier& carried) override;
  Index switch_count() const override { return switch_count_; }
  std::string switch_name(Index i) const override;
  void hold_switches(std::span<const HeldBranch> held, double negligible) override;
  void read_switches(double t, const VectorIn& x, std::span<SwitchReading> readings) override;
  // The same of the bodies as they are placed.
  void read_switches(const MotionPoint& at, std::span<SwitchReading> readings);

  void set_state(double t, const VectorIn& x, const VectorIn& a) override;
  std::span<const BodyState> bodies() const override { return states_; }
  std::span<const double> input_values() const override { return input_values_; }
  const RowValues& measured() const override { return measured_view_; }
  MeasuredSlopes measured_slopes() override;
  Wrench<double> reaction(const Elements::JointRows& rows, int body,
                          const Vec3<double>& point_world) override;
  double multiplier(const Elements::JointRows& row) override;
  double kinetic_energy() const override;
  double potential_energy() const override;
  bool energy(double t, const VectorIn& x, EnergyState& state) override;

  // Holonomic rows that are met anyway are not evaluated from now on (planar_tangent.h).
  void set_resting(const std::vector<char>& rows);

  // By the coordinates themselves, dense.
  void differentiate_by_coordinates(const MotionPoint& at, Parts wanted, MotionDerivatives& out);
  // What a measured row or its rate differs by from what is asked of it; adds the gradient by x.
  double initial_residual(const InitialCondition& initial, double t, const VectorIn& x,
                          Eigen::Ref<Eigen::RowVectorXd> gradient);
  // What rotors add to the mass matrix by the velocities themselves.
  void add_rotor_mass(const MotionPoint& at, Matrix& M);
  EnergyState energy_of_bodies(const MotionPoint& at);
  // Values of a system of rows at the present states of the bodies.
  void evaluate_holonomic(double t, std::span<double> values) const;

 private:
  using Velocities = CartesianEquations::Velocities;
  struct Chain;  // how twists depend on a body's coordinates

  // A system of rows with blocks of its own.
  struct Rows {
    explicit Rows(const RowSystem& from);
    const RowSystem& system;
    std::vector<std::unique_ptr<ConstraintBlock>> blocks;

    // The elements that begin in some rows. All of them are sorted by rows when this is first asked for, so that the
    // reactions of all joints are found in one pass.
    struct Place {
      int row, block, element;
    };
    std::span<const Place> elements_of(Index first, Index count);
    std::vector<Place> by_row;
  };

  Index body_count() const { return static_cast<Index>(elements_.bodies.size()) - 1; }

  // Joint coordinates place the bodies by themselves and let the elements work here (joint_motion.h).
  friend class JointMotion;
  void set_bodies(const MotionPoint& at);
  // Angles are followed with the bodies where they are at t, and expected elsewhere at other times. True if those
  // that were expected have changed.
  void follow_turns(double t);
  bool expect_turns(double t);
  void take_multipliers(const MotionPoint& at);
  // With the bodies where they are.
  void evaluate_elements(const MotionPoint& at, Parts wanted, MotionValues& out);
  // Those of forces and states, whose measured rows are evaluated for them, or those of measures, too, with all measured rows
  // as they are.
  enum class Inputs { of_laws, all };
  void evaluate_inputs(const MotionPoint& at, Inputs which = Inputs::of_laws);
  void rest_unused_measures();
  void evaluate_rows(const Rows& rows, double t, unsigned wanted, const RowValues& out) const;
  // Forces of rotors without what accelerations have to do with them, or with these of the bodies too.
  enum class Accelerations { none, of_bodies };
  void evaluate_wrenches(const MotionPoint& at, Accelerations of_rotors);
  void add_element_wrenches(const MotionPoint& at);
  void evaluate_dynamics(const MotionPoint& at, MotionValues& out);
  double evaluate_state(std::size_t i, double t, const Switches& switches) const;
  void evaluate_states(const MotionPoint& at, MotionValues& out) const;
  void evaluate_normalizations(const MotionPoint& at, Parts wanted, MotionValues& out) const;

  // Rotors (cartesian_rotors.cpp).
  bool has_rotors() const { return !elements_.rotor_inertias.empty(); }
  void evaluate_rotors(std::span<const BodyState> bodies, bool all);
  void add_rotor_wrenches();
  void differentiate_rotors(unsigned wanted);
  void add_rotor_mass();
  void add_rotor_reaction_slopes();
  void add_rotor_acceleration_slopes();
  double kinetic_energy_of_rotors() const;
  // visit(row, element, slopes) of those at work
  template <class Visit>
  void for_rotors(const Visit& visit) const {
    for (const std::unique_ptr<ConstraintBlock>& block : rotors_.blocks)
      for (std::size_t i = 0; i < block->elements().size(); ++i)
        if (!block->rests(i))
          visit(block->elements()[i].row, block->elements()[i], block->slopes(static_cast<Index>(i)));
  }

  void differentiate_blocks(const MotionPoint& at, unsigned wanted);
  void assemble_mass();
  void assemble_constraints(unsigned wanted);
  // D of all rows, those that rest included, with the bodies where they are.
  const SparseMatrix& all_constraints();
  void assemble_forces();
  void add_gyroscopic_slopes();
  void add_element_slopes();
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

  const CartesianEquations& equations_;
  const Elements& elements_;
  const Velocities velocities_;
  const Index per_body_;  // velocities of a body: 6 or 7
  Rows holonomic_, nonholonomic_, measured_, rotors_;
  std::vector<std::unique_ptr<ForceBlock>> forces_;
  // Switches: those of the forces, block by block, then those of the states.
  Index switch_count_ = 0, force_switches_ = 0;
  std::vector<HeldBranch> held_states_;
  double negligible_ = 0;
  Switches state_switches(std::size_t i, SwitchReading* readings = nullptr) const {
    if (held_states_.empty()) return {};
    return Switches(held_states_.data(), readings, negligible_).from(elements_.states[i].first_switch);
  }

  std::vector<BodyState> states_;
  std::vector<Wrench<double>> wrenches_;
  std::vector<double> measured_value_, measured_rate_, measured_acceleration_;
  RowValues measured_view_;
  std::vector<double> rotor_forces_;         // J c''
  mutable std::vector<double> rotor_rates_;  // c'
  std::vector<BodyState> drifting_;          // bodies without accelerations of their own, for rotors
  std::vector<double> input_values_;
  std::vector<double> multipliers_, nonholonomic_multipliers_;
  double t_ = 0;
  bool rest_ = false;
  // When angles were followed, for when they are expected, and how long that is good for; at first, for ever.
  double followed_ = std::numeric_limits<double>::max(), expected_ = followed_, turn_time_ = followed_;
  // Whether the measured rows and their slopes are those of initial_residual() at this state.
  bool initial_known_ = false;
  Vector initial_x_;

  SlopesKeptAs<AssembledMatrix> slopes_;
};

}  // namespace trammel
