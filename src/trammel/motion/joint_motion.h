// The equations of a mechanism in joint coordinates (joint_equations.h) at work.
//
// Motions and forces of bodies are six-vectors in world axes at one point that rests, chosen anew wherever the
// equations are evaluated: (velocity there, angular velocity), (force, moment about it). With S the columns of
// the joints and V_b the motion of what a joint moves against,
//
//   V = Σ S u         along the path from the ground
//   A = Σ S u' + V_b × S u
//   f = Sᵀ Σ W        over all bodies outward, W their forces less the inertial ones
//
// Outward for motions, inward for forces: linear in the number of bodies. How poses, twists and accelerations
// vary along a joint's displacement needs three six-vectors for each of its columns,
//
//   S,   S' = V_b × S,   S'' = A_b × S + V_b × S'
//
// since V varies by S × (V − V_b) and A by S × (A − A_b) + S' × (V − V_b) in all bodies outward (after S. Singh,
// R. Russell, P. Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra,
// 2022). Slopes of elements by poses and twists of bodies go along the paths; those of one body are added up
// inward first, so that a pair of columns costs a few products.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "trammel/motion/acceleration_system.h"
#include "trammel/motion/cartesian_motion.h"
#include "trammel/motion/joint_equations.h"
#include "trammel/motion/loop_accelerations.h"
#include "trammel/motion/minimal_multipliers.h"
#include "trammel/motion/six_vectors.h"
#include "trammel/motion/tree_accelerations.h"

namespace trammel {

// Of bodies that are carried together: their momentum, and the lower right part of how their forces of inertia vary with S'.
struct CarriedMomentum {
  Eigen::Vector3d twice_linear;
  Eigen::Matrix3d turning;
};

class JointMotion final : public MechanismMotion {
 public:
  // The equations must outlive this.
  explicit JointMotion(const JointEquations& equations);
  ~JointMotion() override;

  void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) override;
  std::string differentiate(const MotionPoint& at, unsigned wanted) override;
  TangentSlopes slopes() const override { return matrices(slopes_); }
  void displacement_to_positions(const VectorIn& p, const VectorIn& q, const VectorIn& residual,
                                 VectorOut change) override;
  void pull_back(const VectorIn& p, const VectorIn& gradient, VectorOut by_displacement) override;
  void rates_to_velocities(const VectorIn& p, const VectorIn& rates, VectorOut v) override;
  void displacement_metric(double t, const VectorIn& x, const VectorIn& weights,
                           SparseMatrix& metric) override;
  std::unique_ptr<AccelerationSystem> acceleration_system(double rank_tolerance) override;
  // The same by recursion; none where sparse matrices are better, or the only way.
  std::vector<int> elimination_order() const override;
  std::unique_ptr<AccelerationSystem> recursive_acceleration_system(double rank_tolerance);
  void follow(double t, const VectorIn& x) override;
  void carry(Carrier& carried) override;
  Index switch_count() const override { return bodies_.switch_count(); }
  std::string switch_name(Index i) const override { return bodies_.switch_name(i); }
  void hold_switches(std::span<const HeldBranch> held, double negligible) override {
    bodies_.hold_switches(held, negligible);
  }
  void read_switches(double t, const VectorIn& x, std::span<SwitchReading> readings) override;
  EveryConstraint with_every_constraint(double t, const VectorIn& x) override;

  void set_state(double t, const VectorIn& x, const VectorIn& a) override;
  std::span<const BodyState> bodies() const override { return bodies_.bodies(); }
  std::span<const double> input_values() const override { return bodies_.input_values(); }
  const RowValues& measured() const override { return bodies_.measured(); }
  MeasuredSlopes measured_slopes() override;
  Wrench<double> reaction(const Elements::JointRows& rows, int body,
                          const Vec3<double>& point_world) override;
  double multiplier(const Elements::JointRows& row) override;
  double kinetic_energy() const override { return bodies_.kinetic_energy(); }
  double potential_energy() const override { return bodies_.potential_energy(); }
  bool energy(double t, const VectorIn& x, EnergyState& state) override;

  // By the coordinates themselves, dense.
  void differentiate_by_coordinates(const MotionPoint& at, Parts wanted, MotionDerivatives& out);
  // What a measured row or its rate differs by from what is asked of it; adds the gradient by x.
  double initial_residual(const InitialCondition& initial, double t, const VectorIn& x,
                          Eigen::Ref<Eigen::RowVectorXd> gradient);
  // Whether accelerations follow from the tree alone, and what they follow from at a point.
  bool is_open() const { return layout().lambda.size + layout().mu.size == 0; }
  void take_tree(const MotionPoint& at, TreeAccelerations& accelerations);
  // The same with loops.
  const JointClusters& clusters();
  void take_loops(const MotionPoint& at, LoopAccelerations& accelerations);
  const JointTree& tree() const { return tree_; }
  // From now on these columns, one mark for each velocity, are left alone: rows of constraints have no slopes along them, and
  // recursions leave their accelerations zero.
  void lock(std::vector<char> columns) {
    locked_ = std::move(columns);
    jacobian_known_ = false;
  }
  const std::vector<char>& locked() const { return locked_; }
  Vector reference_state() const { return equations_.initial_state(); }
  // The velocities of the joints whose bodies, placed as they are, have these twists.
  void joint_velocities(const VectorIn& twists, VectorOut v) const;
  // Of the bodies as they are placed; multipliers of the tree's joints are zero.
  Vector cartesian_state() const;

  // Which forces act by themselves: gravity alone, or all of the mechanism's, with the multipliers of x.
  enum class Acting { gravity, everything };
  // The forces along the velocities that the accelerations at.a need besides those: inverse dynamics, in proportion
  // to the number of bodies.
  void required_forces(const MotionPoint& at, Acting acting, VectorOut forces);
  // How these, with all that acts, depend on displacements and on velocities. Exact.
  void differentiate_required(const MotionPoint& at, Eigen::Ref<Matrix> by_position,
                              Eigen::Ref<Matrix> by_velocity);
  // How a point of a body, given in the world, moves by the velocities where the bodies are placed: its velocity and
  // the angular velocity, in world axes.
  void point_jacobian(int body, const Vec3<double>& point, Eigen::Ref<Matrix> jacobian) const;
  // The accelerations that it has without accelerations of joints.
  Six point_drift(int body, const Vec3<double>& point) const;

 private:
  using Node = JointTree::Node;
  using Rows = CartesianMotion::Rows;

  // What of a point is known: each level has those before it.
  enum class Level { nothing, positions, velocities, accelerations };
  // Bodies that elements at work depend on, or all of them.
  enum class Whose { of_elements, all };

  // What moves with a node, as one rigid body in the frame of the node.
  struct NodeBody {
    double mass = 0;
    Vec3<double> centre;
    Mat3<double> inertia;  // about the centre
    bool is_massless = true;
  };
  // What is known of a column beside S itself.
  struct Column {
    Six second, rate, S;  // S'', S', S
    Six swing;            // by which A varies with its velocity, besides S × V: S' and the rate of S
  };
  // Slopes of forces, added up from the leaves inward: by S and by S'. Those by S'' are the inertias.
  struct Composite {
    SixBySix P, Q;
  };
  // A block of the Cartesian slopes: how the wrench of a body depends on pose and twist of another.
  struct Block {
    int row_body, column_body;
    SixBySix pose, twist;
    SixBySix P, Q;  // as seen from the paths: by S, and by S' or velocities
    int together = -1;
  };
  struct Entry {
    int block, row, column;
  };
  // Six numbers by which a row depends on S, S' and S'' of the path of one body.
  struct RowPart {
    Six value, rate_S, acceleration_S, acceleration_rate;
    double size;  // of value, before anything cancels
  };

  // An angle that is a sum of joint coordinates.
  struct TurnTerm {
    Index position;
    double sign;
  };
  struct Turn {
    ConstraintBlock* block;
    Index element;
    double* expected;
    double offset;
    std::vector<TurnTerm> terms;
  };

  const Node& node(int i) const { return tree_.nodes()[static_cast<std::size_t>(i)]; }
  int node_of(int body) const { return tree_.bodies()[static_cast<std::size_t>(body)].node; }
  // Calls visit(column) for the columns from a node inward, down to `end`, which is left out.
  template <class Visit>
  void along_path(int from, int end, const Visit& visit) const {
    for (int i = from; i != end; i = node(i).parent)
      for (Index k = node(i).velocities(); k-- > 0;) visit(node(i).v + k);
  }

  // values
  MotionPoint place(const MotionPoint& at, Level level, Whose whose = Whose::of_elements);
  void place_nodes();
  void take_columns();
  void move_nodes();
  void accelerate_nodes();
  void place_bodies(Level level, Whose whose);
  void find_working_bodies();
  void merge_bodies();
  void find_turns();
  std::vector<TurnTerm> turning_between(const Turn& angle) const;
  double sum_of(const Turn& angle) const;
  void take_turns();
  Six spatial(int body, const Vec3<double>& force, const Vec3<double>& torque) const;
  // With these accelerations of the nodes.
  void gather_forces(const std::vector<Six>& accelerations);
  void gather_inertias();
  // Rotors that act between bodies with these accelerations of the nodes.
  void evaluate_element_wrenches(const MotionPoint& cartesian, const std::vector<Six>& accelerations);
  void add_rotors_at_work(const std::vector<Six>& accelerations);
  void accelerate_body(const Six& A, std::size_t node, BodyState& body) const;
  void gather_composite_inertias();
  void evaluate_mass();

  // slopes
  void prepare();
  MotionPoint differentiate_rows(const MotionPoint& at, unsigned wanted);
  void vary_columns();
  RowPart row_part(int body, const double* slope, const double* rate_pose, const double* acceleration_pose,
                   const double* acceleration_twist) const;
  template <class RowOf>
  void chain_rows(const Rows& rows, const RowOf& row_of, std::span<AssembledMatrix* const> matrices) const;
  void assemble_constraints(unsigned wanted);
  void take_blocks();
  void gather_composites();
  void add_inertia(std::size_t node);
  void add_carried(int body);
  void assemble_forces();
  // Calls add(row, column, slope by displacement, by velocity) for all pairs of columns on one path; carried_by(node): the
  // slopes of forces on all that it carries.
  template <class CarriedBy, class Add>
  void for_tree_pairs(const CarriedBy& carried_by, const Add& add);
  struct PathWeights {
    Six pose, twist;              // against S of the inner column, by displacement and by velocity
    Six inertia, rate, pose_row;  // against its S'', S' and S
  };
  void gather_momenta();
  void multiply_path(const PathWeights& weights, Index count);
  void find_branches();
  void add_cross_block(const Block& block);
  void take_to_paths(Block& block) const;
  void rest_rotors();
  void chain_rotor_rows(std::span<AssembledMatrix* const> matrices);
  void take_rotor_rows(std::span<AssembledMatrix* const> matrices);
  void add_rotor_mass();
  void add_rotor_slopes();
  void chain_by_states();
  void chain_states();
  Index multiplier_of(Index cartesian) const;
  // Of a row of Elements::nonholonomic, likewise.
  Index nonholonomic_multiplier(Index row) const {
    const Index kept = equations_.nonholonomic_row_of(row);
    return kept < 0 ? -1 : layout().lambda.size + kept;
  }
  void assemble_kinematics();
  void find_reactions();
  void begin_solver(const MotionPoint& at);
  void find_carrying_elements();
  bool carry_inward(Vector& left);
  void add_by_positions(const SparseMatrix& matrix, Index first, Index rows, const VectorIn& x,
                        Matrix& out) const;

  const JointEquations& equations_;
  const JointTree& tree_;
  TreeParts parts_;  // of nodes
  // The elements at work on the bodies that are placed here; rows of the tree's joints rest.
  CartesianMotion bodies_;
  MotionValues values_;                           // of the Cartesian equations
  Vector x_, rest_;                               // only force states and multipliers of x_ are in use
  std::vector<int> working_bodies_, all_bodies_;  // of those that move
  std::vector<NodeBody> node_bodies_;
  std::vector<Turn> turns_;

  // the point at hand, and what is known of it
  Level known_ = Level::nothing;
  Level known_of_working_ = Level::nothing, known_of_all_ = Level::nothing;
  bool inertias_known_ = false, mass_known_ = false, jacobian_known_ = false;
  bool columns_known_ = false;
  Vector positions_, velocities_, accelerations_;  // of the joints
  // of nodes
  std::vector<Vec3<double>> origins_;
  std::vector<Mat3<double>> axes_;
  std::vector<Six> V_, A_, drift_;  // drift: A without the accelerations of the joints
  std::vector<RigidInertia> inertias_;
  std::vector<Six> forces_;
  // of columns; beside S only where slopes of forces or of the hidden constraints have been asked for
  std::vector<Six> S_;
  std::vector<Column> columns_;
  Eigen::Vector3d centre_;  // the point that rests

  std::vector<RigidInertia> composite_inertias_;
  std::vector<CarriedMomentum> carried_momenta_;

  // Rotors on coordinates that are none of the tree's: these by the joints (jacobian, rate_pose, acceleration_pose,
  // acceleration_twist), and where entries of each are.
  bool rotors_work_ = false;
  std::vector<char> locked_;  // empty: none
  std::array<AssembledMatrix, 4> rotor_rows_;
  struct RotorEntry {
    Index column;
    int slot;
  };
  std::vector<std::vector<RotorEntry>> rotor_entries_;

  // for pairs of columns on a path: nodes branch by branch, columns inward of the one at hand, numbers of each in a row
  std::vector<int> branch_order_;
  std::vector<Index> columns_inward_, path_columns_;
  std::vector<char> is_leaf_;
  Matrix path_, path_products_;

  std::vector<Composite> composites_;  // empty until slopes of forces have been asked for
  std::vector<Block> blocks_;
  std::vector<Entry> pose_entries_, twist_entries_;

  // for reactions
  struct CarryingElement {
    int block, element;
  };
  std::vector<std::vector<CarryingElement>> carried_by_;  // of each edge of the tree
  bool no_row_is_left_out_ = false;  // all rows of joints outside of the tree are rows here
  bool reactions_known_ = false;
  Vector state_x_, state_a_;
  double state_t_ = 0;
  std::unique_ptr<AccelerationSystem> solver_;
  std::optional<JointClusters> clusters_;
  std::optional<bool> recursion_serves_;  // joints feel inertia without the help of loops
  MinimalMultipliers minimal_;

  bool initial_known_ = false;
  Vector initial_x_;
  double initial_t_ = 0;
  MeasuredSlopes initial_slopes_;

  SlopesKeptAs<AssembledMatrix> slopes_;
};

}  // namespace trammel
