// The equations of motion of a mechanism in joint coordinates: those of the joints of a spanning tree
// (joint_tree.h). Joints outside of the tree, couplers, drivers and nonholonomic constraints are rows of
// constraints, the same ones as in Cartesian coordinates. Fewer equations of the same motion are those without
// coordinates that drivers prescribe (prescribed_motion.h).
//
// Elements know poses and twists only: they are those of a CartesianEquations, which is in here. What is added
// is the way from joint coordinates to poses and twists and back (joint_motion.h).
#pragma once

#include <memory>

#include "trammel/motion/cartesian_equations.h"
#include "trammel/motion/joint_tree.h"

namespace trammel {

class AccelerationSystem;
class JointMotion;

class JointEquations final : public MechanismEquations {
 public:
  // Throws ModelError if the mechanism is not sound.
  explicit JointEquations(const Mechanism& mechanism);
  ~JointEquations() override;

  const Mechanism& mechanism() const override { return cartesian_->mechanism(); }
  const Elements& elements() const override { return cartesian_->elements(); }
  bool rotates_bodies() const override { return false; }
  Index row_of(Index holonomic) const override { return row_of_[at_index(holonomic)]; }

  Vector initial_state() const override;
  std::vector<Condition> conditions() override;
  Vector weights() const override;

  void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) override;
  void differentiate(const MotionPoint& at, Parts wanted, MotionDerivatives& out) override;
  void follow(double t, const VectorIn& x) override;
  void carry(Carrier& carried) override;
  void hold_switches(std::span<const HeldBranch> held, double negligible) override;
  std::unique_ptr<TangentMotion> tangent() override;
  std::unique_ptr<MechanismMotion> mechanism_motion() override;

  Vector displacement_sizes(const VectorIn& x) const override;
  std::vector<MotionCorner> corners(double from, double to) const override;
  bool energy(double t, const VectorIn& x, EnergyState& state) override;
  std::unique_ptr<ReducedMotion> reduced(double t, const VectorIn& x) override;

  // The tree that the equations of a mechanism would have. Throws ModelError if it is not sound.
  static JointTree tree_of(const Mechanism& mechanism);
  const JointTree& tree() const { return tree_; }
  CartesianEquations& cartesian() const { return *cartesian_; }
  // Whether something besides joints of the tree constrains the motion: only then can constraints depend on each other.
  bool has_loops() const;
  // Of Elements::holonomic those that are rows here.
  const std::vector<Index>& kept_rows() const { return kept_; }
  // Likewise of Elements::nonholonomic: all of them, unless these equations are without(...) some.
  const std::vector<Index>& kept_nonholonomic() const { return kept_nonholonomic_; }
  Index nonholonomic_row_of(Index row) const { return nonholonomic_row_of_[at_index(row)]; }
  // The same equations without some rows of Elements, marked: for who knows what these rows ask for.
  std::unique_ptr<JointEquations> without(const std::vector<char>& holonomic,
                                          const std::vector<char>& nonholonomic) const;

  // Whether measures name reactions of the tree's joints.
  bool shows_reactions_of_tree() const { return shows_reactions_of_tree_; }

  EveryJoint with_every_joint(double t, const VectorIn& x) override;
  bool accelerates_by_recursion() const override;
  bool accelerate(double t, const VectorIn& x, const Vector& forces, Vector& a) override;

  // The same state in Cartesian coordinates; multipliers of joints of the tree are zero.
  Vector to_cartesian(double t, const VectorIn& x) const;
  // Takes the velocities of a Cartesian state with the positions of x.
  void take_velocities(double t, const VectorIn& cartesian, Vector& x) const;

 private:
  using Bodies = std::shared_ptr<CartesianEquations>;
  explicit JointEquations(const Bodies& cartesian);
  JointEquations(const Bodies& cartesian, const JointTree& tree);
  JointEquations(const Bodies& cartesian, const JointTree& tree, std::vector<Index> rows,
                 std::vector<Index> nonholonomic);
  static std::vector<Index> rows_that_matter(const Bodies& cartesian, const JointTree& tree);
  void count_turns();

  Bodies cartesian_;
  JointTree tree_;
  std::vector<Index> kept_, row_of_, kept_nonholonomic_, nonholonomic_row_of_;
  bool shows_reactions_of_tree_ = false;
  Vector reference_;                      // positions
  std::unique_ptr<JointMotion> scratch_;  // for evaluations by the coordinates themselves
  std::unique_ptr<AccelerationSystem> recursion_;
  Vector rest_, no_rows_;
};

}  // namespace trammel
