// The derivatives of the equations in joint coordinates: slopes of the elements by poses and twists of bodies
// (cartesian_slopes.cpp), taken along the paths of the tree. All exact.
//
// A displacement q of the joints moves a body by ξ = Σ S q, and with η = Σ S' q, ζ = Σ S'' q its pose (a
// translation of the centre of mass in world axes, a rotation in body axes), twist and acceleration, as elements
// see them, vary by
//
//   X ξ,   X η + (ξω × v, 0),   X ζ + (2 ηω × v, −Rᵀ(ω × ηω)) + (ξω × a, 0)
//
// where X takes a motion to the centre of mass and to body axes. Velocities u vary twist and acceleration by X S
// and by X (S' + dS/dt) + (2 Sω × v, −Rᵀ(ω × Sω)).
#include <array>
#include <cmath>

#include "trammel/motion/joint_motion.h"

namespace trammel {

namespace {

using Three = Eigen::Vector3d;

constexpr double round_off = 1e-14;

Eigen::Map<const Three> three(const double* at) { return Eigen::Map<const Three>(at); }

}  // namespace

// D at the reference position. All others are made when they are first asked for: many motions never ask, and those of
// masses and forces have an entry for each pair of joints on a path.
void JointMotion::prepare() {
  const Layout& l = layout();
  set_sizes(slopes_, {l.v.size, l.lambda.size + l.mu.size, l.r.size});
  const Vector state = equations_.initial_state();
  differentiate_rows({0, state, rest_}, jacobian);
}

std::string JointMotion::differentiate(const MotionPoint& at, unsigned wanted) {
  const MotionPoint cartesian = differentiate_rows(at, wanted);
  if ((wanted & without_mass) == 0) evaluate_mass();
  if ((wanted & forces) == 0) return {};
  const std::array of_forces = {&bodies_.slopes_.force_pose, &bodies_.slopes_.force_twist,
                                &bodies_.slopes_.force_state, &bodies_.slopes_.force_multiplier};
  for (AssembledMatrix* matrix : of_forces) matrix->begin();
  bodies_.add_element_slopes();
  if (rotors_work_) {
    bodies_.differentiate_rotors(forces);
    bodies_.add_rotor_reaction_slopes();
  }
  for (AssembledMatrix* matrix : of_forces) matrix->finish();
  bodies_.assemble_states(cartesian);
  evaluate_element_wrenches(cartesian, A_);
  take_blocks();
  gather_forces(A_);
  gather_composites();
  assemble_forces();
  chain_by_states();
  chain_states();
  assemble_kinematics();
  return {};
}

MotionPoint JointMotion::differentiate_rows(const MotionPoint& at, unsigned wanted) {
  const bool alone = (wanted & (hidden | forces)) == 0;
  Level level = layout().mu.size > 0 ? Level::velocities : Level::positions;
  if (!alone) level = Level::accelerations;
  const MotionPoint cartesian = place(at, level);
  if (alone && jacobian_known_) return cartesian;
  take_columns();
  if (level == Level::accelerations) vary_columns();
  bodies_.differentiate_blocks(cartesian, wanted);
  assemble_constraints(wanted);
  jacobian_known_ = true;
  return cartesian;
}

// S', S'' and what goes with the velocities.
void JointMotion::vary_columns() {
  columns_.resize(S_.size());
  for (std::size_t i = 0; i < V_.size(); ++i) {
    const Node& joint = tree_.nodes()[i];
    Six V = Six::Zero(), A = Six::Zero();  // of what it moves against
    if (joint.parent >= 0) {
      V = V_[static_cast<std::size_t>(joint.parent)];
      A = A_[static_cast<std::size_t>(joint.parent)];
    }
    for (Index k = joint.v; k < joint.v + joint.velocities(); ++k) {
      Column& column = columns_[at_index(k)];
      column.S = S_[at_index(k)];
      column.rate = cross_motion(V, column.S);
      column.second = cross_motion(A, column.S) + cross_motion(V, column.rate);
      // axes of a ball go with the outer frame
      column.swing = column.rate + (joint.is_ball() ? cross_motion(V_[i], column.S) : column.rate);
    }
  }
}

// --- rows -------------------------------------------------------------------------------------------------

JointMotion::RowPart JointMotion::row_part(int body, const double* slope, const double* rate_pose,
                                           const double* acceleration_pose,
                                           const double* acceleration_twist) const {
  const BodyState& state = bodies_.states_[static_cast<std::size_t>(body)];
  const Eigen::Matrix3d R = eigen(state.R);
  const Three arm = eigen(state.r) - centre_, v = eigen(state.v), a = eigen(state.a),
              omega = R * eigen(state.omega);
  const auto to_path = [&](const double* row) {
    Six result;
    result.head<3>() = three(row);
    result.tail<3>() = R * three(row + 3) + arm.cross(three(row));
    return result;
  };
  RowPart part;
  part.value = to_path(slope);
  part.size = part.value.norm();
  if (rate_pose == nullptr) return part;
  part.rate_S = to_path(rate_pose);
  part.rate_S.tail<3>() += v.cross(three(slope));
  part.acceleration_S = to_path(acceleration_pose);
  part.acceleration_S.tail<3>() += v.cross(three(acceleration_twist)) + a.cross(three(slope));
  part.acceleration_rate = to_path(acceleration_twist);
  part.acceleration_rate.tail<3>() += 2 * v.cross(three(slope)) + omega.cross(R * three(slope + 3));
  return part;
}

// Adds the rows of a system to the matrices (jacobian, and if there are more, rate_pose, acceleration_pose,
// acceleration_twist). `row_of` says where a row goes, −1: nowhere.
template <class RowOf>
void JointMotion::chain_rows(const Rows& rows, const RowOf& row_of,
                             std::span<AssembledMatrix* const> matrices) const {
  const bool all = matrices.size() > 1;
  const auto add = [&](Index row, const RowPart& part, int from, int end) {
    along_path(from, end, [&](Index k) {
      // a row that a joint cannot violate has no slope at all, where round-off would leave some
      const Six& S = S_[at_index(k)];
      const double slope = part.value.dot(S);
      const double least = round_off * part.size;
      const bool counts =
          slope * slope > least * least * S.squaredNorm() && (locked_.empty() || !locked_[at_index(k)]);
      matrices[0]->add(row, k, counts ? slope : 0.0);
      if (!all) return;
      const Column& column = columns_[at_index(k)];
      matrices[1]->add(row, k, part.rate_S.dot(column.S) + part.value.dot(column.rate));
      matrices[2]->add(row, k,
                       part.acceleration_S.dot(column.S) + part.acceleration_rate.dot(column.rate) +
                           part.value.dot(column.second));
      matrices[3]->add(row, k, part.acceleration_rate.dot(column.S) + part.value.dot(column.swing));
    });
  };
  for (const std::unique_ptr<ConstraintBlock>& block : rows.blocks)
    for (std::size_t i = 0; i < block->elements().size(); ++i) {
      const ConstraintBlock::Element& element = block->elements()[i];
      if (&rows != &bodies_.measured_ && block->rests(i)) continue;
      const ConstraintSlopes slopes = block->slopes(static_cast<Index>(i));
      const int a = node_of(element.body_a), b = node_of(element.body_b);
      const int together = tree_.common(a, b);
      const bool moves_along = !block->relative();  // with what is common to the paths
      for (Index r = 0; r < block->rows(); ++r) {
        const Index row = row_of(element.row + r);
        if (row < 0) continue;
        const auto part = [&](int body, int side) {
          const Index at = 12 * r + 6 * side;
          return all ? row_part(body, &slopes.jacobian[at_index(at)], &slopes.rate_pose[at_index(at)],
                                &slopes.acceleration_pose[at_index(at)],
                                &slopes.acceleration_twist[at_index(at)])
                     : row_part(body, &slopes.jacobian[at_index(at)], nullptr, nullptr, nullptr);
        };
        RowPart both{Six::Zero(), Six::Zero(), Six::Zero(), Six::Zero(), 0};
        for (int side = 0; side < 2; ++side) {
          const int body = side == 0 ? element.body_a : element.body_b, from = side == 0 ? a : b;
          if (from < 0) continue;
          const RowPart one = part(body, side);
          add(row, one, from, together);
          if (together < 0 || !moves_along) continue;
          both.value += one.value;
          both.size += one.size;
          if (!all) continue;
          both.rate_S += one.rate_S;
          both.acceleration_S += one.acceleration_S;
          both.acceleration_rate += one.acceleration_rate;
        }
        if (together >= 0 && moves_along) add(row, both, together, -1);
      }
    }
}

void JointMotion::assemble_constraints(unsigned wanted) {
  const bool all = (wanted & (hidden | forces)) != 0;
  const std::array every = {&slopes_.jacobian, &slopes_.rate_pose, &slopes_.acceleration_pose,
                            &slopes_.acceleration_twist};
  const std::span<AssembledMatrix* const> matrices(every.data(), all ? every.size() : 1);
  for (AssembledMatrix* matrix : matrices) matrix->begin();
  chain_rows(
      bodies_.holonomic_, [&](Index row) { return equations_.row_of(row); }, matrices);
  chain_rows(
      bodies_.nonholonomic_, [&](Index row) { return nonholonomic_multiplier(row); }, matrices);
  for (AssembledMatrix* matrix : matrices) matrix->finish();
}

void JointMotion::chain_rotor_rows(std::span<AssembledMatrix* const> matrices) {
  chain_rows(
      bodies_.rotors_, [](Index row) { return row; }, matrices);
}

MeasuredSlopes JointMotion::measured_slopes() {
  vary_columns();
  const Index rows = equations_.elements().measured.size();
  std::array<AssembledMatrix, 4> matrices;
  std::array<AssembledMatrix*, 4> pointers;
  for (std::size_t i = 0; i < 4; ++i) {
    matrices[i] = AssembledMatrix(rows, layout().v.size);
    matrices[i].begin();
    pointers[i] = &matrices[i];
  }
  for (const std::unique_ptr<ConstraintBlock>& block : bodies_.measured_.blocks)
    block->differentiate(
        bodies_.states_, {},
        ConstraintBlock::position | ConstraintBlock::velocity | ConstraintBlock::acceleration);
  chain_rows(
      bodies_.measured_, [](Index row) { return row; }, pointers);
  for (AssembledMatrix& matrix : matrices) matrix.finish();
  return {matrices[0].matrix(), matrices[1].matrix(), matrices[2].matrix(), matrices[3].matrix()};
}

}  // namespace trammel
