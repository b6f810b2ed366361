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
#include <map>

#include "trammel/motion/joint_motion.h"

namespace trammel {

namespace {

using Three = Eigen::Vector3d;

constexpr double round_off = 1e-14;

Eigen::Map<const Three> three(const double* at) { return Eigen::Map<const Three>(at); }

}  // namespace

TangentSlopes JointMotion::slopes() const {
  return {mass_.matrix(),
          jacobian_.matrix(),
          rate_pose_.matrix(),
          acceleration_pose_.matrix(),
          acceleration_twist_.matrix(),
          force_pose_.matrix(),
          force_twist_.matrix(),
          force_state_.matrix(),
          force_multiplier_.matrix(),
          state_pose_.matrix(),
          state_twist_.matrix(),
          state_state_.matrix(),
          state_multiplier_.matrix(),
          kinematics_.matrix(),
          no_invariants_,
          no_invariants_};
}

// All matrices and their patterns, at the reference position.
void JointMotion::prepare() {
  const Layout& l = layout();
  const Index v = l.v.size, r = l.r.size, m = l.lambda.size + l.mu.size;
  for (AssembledMatrix* matrix : {&mass_, &force_pose_, &force_twist_, &kinematics_})
    *matrix = AssembledMatrix(v, v);
  for (AssembledMatrix* matrix : {&jacobian_, &rate_pose_, &acceleration_pose_, &acceleration_twist_})
    *matrix = AssembledMatrix(m, v);
  force_state_ = AssembledMatrix(v, r);
  force_multiplier_ = AssembledMatrix(v, m);
  state_pose_ = state_twist_ = AssembledMatrix(r, v);
  state_state_ = AssembledMatrix(r, r);
  state_multiplier_ = AssembledMatrix(r, m);
  no_invariants_.resize(0, v);
  differentiate({0, equations_.initial_state(), rest_}, everything);
}

std::string JointMotion::differentiate(const MotionPoint& at, unsigned wanted) {
  const MotionPoint cartesian = place(at);
  take_columns();
  bodies_.differentiate_blocks(cartesian, wanted);
  evaluate_mass();
  assemble_constraints(wanted);
  if ((wanted & forces) == 0) return {};
  bodies_.assemble_forces();
  bodies_.assemble_states(cartesian);
  bodies_.evaluate_wrenches(cartesian);
  take_blocks();
  gather_forces(true);
  gather_composites();
  assemble_forces();
  chain_by_states();
  chain_states();
  assemble_kinematics();
  return {};
}

// S', S'' and what goes with the velocities.
void JointMotion::take_columns() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& joint = tree_.nodes()[i];
    Six V = Six::Zero(), A = Six::Zero();  // of what it moves against
    if (joint.parent >= 0) {
      V = nodes_[static_cast<std::size_t>(joint.parent)].V;
      A = nodes_[static_cast<std::size_t>(joint.parent)].A;
    }
    for (Index k = joint.v; k < joint.v + joint.velocities(); ++k) {
      Column& column = columns_[at_index(k)];
      column.S = S_[at_index(k)];
      column.size = column.S.norm();
      column.rate = cross_motion(V, column.S);
      column.second = cross_motion(A, column.S) + cross_motion(V, column.rate);
      // axes of a ball go with the outer frame
      column.swing = column.rate + (joint.is_ball() ? cross_motion(nodes_[i].V, column.S) : column.rate);
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
      const Column& column = columns_[at_index(k)];
      // a row that a joint cannot violate has no slope at all, where round-off would leave some
      const double slope = part.value.dot(column.S);
      matrices[0]->add(row, k, std::abs(slope) > round_off * part.size * column.size ? slope : 0.0);
      if (!all) return;
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
      if (block->rests(i)) continue;
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
  // the first time all of them, so that their patterns are known
  const bool all = (wanted & (hidden | forces)) != 0 || !rate_pose_.known();
  const std::array every = {&jacobian_, &rate_pose_, &acceleration_pose_, &acceleration_twist_};
  const std::span<AssembledMatrix* const> matrices(every.data(), all ? every.size() : 1);
  for (AssembledMatrix* matrix : matrices) matrix->begin();
  chain_rows(
      bodies_.holonomic_, [&](Index row) { return equations_.row_of(row); }, matrices);
  const Index first = layout().lambda.size;
  chain_rows(
      bodies_.nonholonomic_, [&](Index row) { return first + row; }, matrices);
  for (AssembledMatrix* matrix : matrices) matrix->finish();
}

MeasuredSlopes JointMotion::measured_slopes() {
  take_columns();
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

// --- forces -----------------------------------------------------------------------------------------------

// The Cartesian slopes of forces, block by block; where their entries go is found once.
void JointMotion::take_blocks() {
  const std::array from = {&bodies_.force_pose_.matrix(), &bodies_.force_twist_.matrix()};
  if (blocks_.empty() && pose_entries_.empty() && twist_entries_.empty()) {
    std::map<std::pair<int, int>, int> known;
    for (std::size_t which = 0; which < 2; ++which)
      for_entries(*from[which], [&](Index row, Index col, double) {
        const int i = static_cast<int>(row) / 6 + 1, j = static_cast<int>(col) / 6 + 1;
        const auto [found, is_new] = known.emplace(std::pair{i, j}, static_cast<int>(blocks_.size()));
        if (is_new)
          blocks_.push_back({i, j, SixBySix::Zero(), SixBySix::Zero(), SixBySix::Zero(), SixBySix::Zero(),
                             tree_.common(node_of(i), node_of(j))});
        (which == 0 ? pose_entries_ : twist_entries_)
            .push_back({found->second, static_cast<int>(row) % 6, static_cast<int>(col) % 6});
      });
  }
  for (Block& block : blocks_) {
    block.pose.setZero();
    block.twist.setZero();
  }
  const double* values = from[0]->valuePtr();
  for (const Entry& entry : pose_entries_)
    blocks_[static_cast<std::size_t>(entry.block)].pose(entry.row, entry.column) = *values++;
  values = from[1]->valuePtr();
  for (const Entry& entry : twist_entries_)
    blocks_[static_cast<std::size_t>(entry.block)].twist(entry.row, entry.column) = *values++;
  for (Block& block : blocks_)
    if (node_of(block.row_body) >= 0 && node_of(block.column_body) >= 0) take_to_paths(block);
}

void JointMotion::take_to_paths(Block& block) const {
  const BodyState& row = bodies_.states_[static_cast<std::size_t>(block.row_body)];
  const BodyState& column = bodies_.states_[static_cast<std::size_t>(block.column_body)];
  const Eigen::Matrix3d Rt = eigen(column.R).transpose(), turn = cross_matrix(eigen(column.r) - centre_);
  // times X = [1, −[r]×; 0, Rᵀ]
  const auto on_right = [&](const SixBySix& matrix) {
    SixBySix result;
    result.leftCols<3>() = matrix.leftCols<3>();
    result.rightCols<3>() = matrix.rightCols<3>() * Rt - matrix.leftCols<3>() * turn;
    return result;
  };
  const Eigen::Matrix3d R = eigen(row.R), arm = cross_matrix(eigen(row.r) - centre_);
  const auto on_left = [&](const SixBySix& matrix) {
    SixBySix result;
    result.topRows<3>() = matrix.topRows<3>();
    result.bottomRows<3>() = R * matrix.bottomRows<3>() + arm * matrix.topRows<3>();
    return result;
  };
  SixBySix by_pose = on_right(block.pose);
  by_pose.rightCols<3>() -= block.twist.leftCols<3>() * cross_matrix(eigen(column.v));
  block.P = on_left(by_pose);
  block.Q = on_left(on_right(block.twist));
}

// Of −inertia · acceleration, and of the wrench itself as it is carried along.
void JointMotion::add_inertia(int body, Composite& sum) const {
  const BodyState& state = bodies_.states_[static_cast<std::size_t>(body)];
  const BodyInertia& inertia = equations_.elements().bodies[static_cast<std::size_t>(body)];
  const Wrench<double>& wrench = bodies_.wrenches_[static_cast<std::size_t>(body)];
  const double m = inertia.mass;
  const Eigen::Matrix3d R = eigen(state.R), arm = cross_matrix(eigen(state.r) - centre_);
  const Eigen::Matrix3d J = R * eigen(inertia.inertia) * R.transpose();
  const Eigen::Matrix3d a = cross_matrix(eigen(state.a)), v = cross_matrix(eigen(state.v));
  const Eigen::Matrix3d omega = cross_matrix(R * eigen(state.omega));
  const Eigen::Matrix3d force = cross_matrix(eigen(wrench.force - m * state.a));
  const Eigen::Matrix3d torque = cross_matrix(R * eigen(wrench.torque - inertia.inertia * state.alpha));
  sum.P.topRightCorner<3, 3>() += m * a;
  sum.P.bottomRightCorner<3, 3>() += m * arm * a - torque + force * arm;
  sum.P.bottomLeftCorner<3, 3>() -= force;
  sum.Q.topRightCorner<3, 3>() += 2 * m * v;
  sum.Q.bottomRightCorner<3, 3>() += 2 * m * arm * v + J * omega;
}

void JointMotion::gather_composites() {
  for (Composite& sum : composites_) {
    sum.P.setZero();
    sum.Q.setZero();
  }
  for (std::size_t i = 1; i < tree_.bodies().size(); ++i)
    if (const int on = tree_.bodies()[i].node; on >= 0)
      add_inertia(static_cast<int>(i), composites_[static_cast<std::size_t>(on)]);
  for (const Block& block : blocks_) {
    if (block.together < 0) continue;
    composites_[static_cast<std::size_t>(block.together)].P += block.P;
    composites_[static_cast<std::size_t>(block.together)].Q += block.Q;
  }
  for (std::size_t i = nodes_.size(); i-- > 0;)
    if (const int parent = tree_.nodes()[i].parent; parent >= 0) {
      composites_[static_cast<std::size_t>(parent)].P += composites_[i].P;
      composites_[static_cast<std::size_t>(parent)].Q += composites_[i].Q;
    }
}

void JointMotion::assemble_forces() {
  force_pose_.begin();
  force_twist_.begin();
  add_tree_pairs();
  for (const Block& block : blocks_) add_cross_block(block);
  force_pose_.finish();
  force_twist_.finish();
}

// Columns on one path: what the outer one carries counts for both.
void JointMotion::add_tree_pairs() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& joint = tree_.nodes()[i];
    const SixBySix &P = composites_[i].P, &Q = composites_[i].Q, &inertia = inertias_[i];
    for (Index k = joint.v; k < joint.v + joint.velocities(); ++k) {
      const Column& outer = columns_[at_index(k)];
      const Six by_pose = P * outer.S + Q * outer.rate - inertia * outer.second;
      const Six by_twist = Q * outer.S - inertia * outer.swing;
      for (Index other = joint.v; other < joint.v + joint.velocities(); ++other) {
        const Six& S = S_[at_index(other)];
        // of a ball each turn moves the axes of the others
        const double carried = joint.is_ball() ? S.dot(cross_force(outer.S, forces_[i])) : 0;
        force_pose_.add(other, k, S.dot(by_pose) - carried);
        force_twist_.add(other, k, S.dot(by_twist));
      }
      if (joint.parent < 0) continue;
      const Six S_by_pose = P.transpose() * outer.S + cross_force(outer.S, forces_[i]);
      const Six S_by_twist = Q.transpose() * outer.S, S_inertia = inertia * outer.S;
      along_path(joint.parent, -1, [&](Index inner_column) {
        const Column& inner = columns_[at_index(inner_column)];
        force_pose_.add(inner_column, k, inner.S.dot(by_pose));
        force_twist_.add(inner_column, k, inner.S.dot(by_twist));
        force_pose_.add(k, inner_column,
                        S_by_pose.dot(inner.S) + S_by_twist.dot(inner.rate) - S_inertia.dot(inner.second));
        force_twist_.add(k, inner_column, S_by_twist.dot(inner.S) - S_inertia.dot(inner.swing));
      });
    }
  }
}

// What a block couples besides the paths that its bodies share.
void JointMotion::add_cross_block(const Block& block) {
  const int row = node_of(block.row_body), column = node_of(block.column_body);
  if (row < 0 || column < 0 || row == column) return;
  const int together = block.together;
  const SixBySix &P = block.P, &Q = block.Q;
  const auto add = [&](int rows_end, int first_row, int columns_end, int first_column) {
    along_path(first_column, columns_end, [&](Index k) {
      const Column& along = columns_[at_index(k)];
      const Six by_pose = P * along.S + Q * along.rate, by_twist = Q * along.S;
      along_path(first_row, rows_end, [&](Index i) {
        force_pose_.add(i, k, S_[at_index(i)].dot(by_pose));
        force_twist_.add(i, k, S_[at_index(i)].dot(by_twist));
      });
    });
  };
  add(together, row, -1, column);
  if (together >= 0) add(-1, together, together, column);
}

// --- force states, multipliers ----------------------------------------------------------------------------

// Forces by what is no pose: each entry of a body goes inward along its path.
void JointMotion::chain_by_states() {
  const auto chain = [&](const SparseMatrix& from, AssembledMatrix& to, const auto& column_of) {
    to.begin();
    for (int col = 0; col < from.outerSize(); ++col) {
      const Index target = column_of(col);
      if (target < 0) continue;
      for (SparseMatrix::InnerIterator entry(from, col); entry; ++entry) {
        const int body = static_cast<int>(entry.row()) / 6 + 1, direction = static_cast<int>(entry.row()) % 6;
        Vec3<double> force, torque;
        (direction < 3 ? force : torque)[direction % 3] = entry.value();
        const Six wrench = spatial(body, force, torque);
        along_path(node_of(body), -1, [&](Index k) { to.add(k, target, S_[at_index(k)].dot(wrench)); });
      }
    }
    to.finish();
  };
  chain(bodies_.force_state_.matrix(), force_state_, [](Index col) { return col; });
  chain(bodies_.force_multiplier_.matrix(), force_multiplier_, [&](Index col) { return multiplier_of(col); });
}

// A multiplier of a Cartesian row, among those of the rows here; −1: none.
Index JointMotion::multiplier_of(Index cartesian) const {
  const Index holonomic = equations_.elements().holonomic.size();
  return cartesian < holonomic ? equations_.row_of(cartesian) : layout().lambda.size + cartesian - holonomic;
}

void JointMotion::chain_states() {
  state_pose_.begin();
  state_twist_.begin();
  const auto along = [&](Index col, Index row, double value, bool by_twist) {
    const int body = static_cast<int>(col) / 6 + 1;
    std::array<double, 6> unit{};
    unit[at_index(col % 6)] = value;
    const BodyState& state = bodies_.states_[static_cast<std::size_t>(body)];
    Six part = row_part(body, unit.data(), nullptr, nullptr, nullptr).value, carried = Six::Zero();
    if (by_twist) carried.tail<3>() = eigen(state.v).cross(three(unit.data()));
    along_path(node_of(body), -1, [&](Index k) {
      const Column& column = columns_[at_index(k)];
      if (by_twist) {
        state_pose_.add(row, k, carried.dot(column.S) + part.dot(column.rate));
        state_twist_.add(row, k, part.dot(column.S));
      } else {
        state_pose_.add(row, k, part.dot(column.S));
      }
    });
  };
  for_entries(bodies_.state_pose_.matrix(),
              [&](Index row, Index col, double value) { along(col, row, value, false); });
  for_entries(bodies_.state_twist_.matrix(),
              [&](Index row, Index col, double value) { along(col, row, value, true); });
  state_pose_.finish();
  state_twist_.finish();
  state_state_.begin();
  for_entries(bodies_.state_state_.matrix(),
              [&](Index row, Index col, double value) { state_state_.add(row, col, value); });
  state_state_.finish();
  state_multiplier_.begin();
  for_entries(bodies_.state_multiplier_.matrix(), [&](Index row, Index col, double value) {
    if (const Index target = multiplier_of(col); target >= 0) state_multiplier_.add(row, target, value);
  });
  state_multiplier_.finish();
}

// As of a body (cartesian_slopes.cpp): with e' held, the angular velocity of a displacement θ is θ' + ½ ω × θ,
// ω that of the ball against what it moves on.
void JointMotion::assemble_kinematics() {
  kinematics_.begin();
  for (const Node& joint : tree_.nodes()) {
    if (!joint.is_ball()) continue;
    const Three half = 0.5 * velocities_.segment<3>(joint.v);
    const Eigen::Matrix3d turn = cross_matrix(half);
    for (Index row = 0; row < 3; ++row)
      for (Index col = 0; col < 3; ++col)
        if (row != col) kinematics_.add(joint.v + row, joint.v + col, turn(row, col));
  }
  kinematics_.finish();
}

}  // namespace trammel
