// The derivatives of forces and of states of the model in joint coordinates: P by ξ, Q by η or by velocities, inertias
// by ζ, in the words of joint_slopes.cpp. What depends on one body, or on two whose paths meet, is added up inward.
#include <algorithm>
#include <array>
#include <map>

#include "trammel/motion/joint_motion.h"

namespace trammel {

// The Cartesian slopes of forces, block by block; where their entries go is found once.
void JointMotion::take_blocks() {
  const std::array from = {&bodies_.slopes_.force_pose.matrix(), &bodies_.slopes_.force_twist.matrix()};
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

// Of −(I A + V ×* I V) and of the weight, with l, k = I V the momentum, f, n the force at the point:
//
//   by S: [0, m g× − f×; −f×, h× g× − n×]      by S': [0, 2 l×; 0, 2 h× v× + J ω× − ω× J + (J ω)×]
//
// Those of the wrenches of elements, which are carried along, come on top.
void JointMotion::add_inertia(std::size_t node) {
  if (node_bodies_[node].is_massless) return;
  const RigidInertia& inertia = inertias_[node];
  const Eigen::Vector3d gravity = eigen(equations_.elements().gravity);
  const Eigen::Vector3d v = V_[node].head<3>(), omega = V_[node].tail<3>();
  const Six momentum = inertia * V_[node];
  Six falling = A_[node];
  falling.head<3>() -= gravity;
  const Six force = -(inertia * falling) - cross_force(V_[node], momentum);
  const Eigen::Matrix3d f = cross_matrix(force.head<3>()), h = cross_matrix(inertia.moment),
                        w = cross_matrix(omega), &J = inertia.second;
  Composite& sum = composites_[node];
  sum.P.topRightCorner<3, 3>() += cross_matrix(inertia.mass * gravity) - f;
  sum.P.bottomLeftCorner<3, 3>() -= f;
  sum.P.bottomRightCorner<3, 3>() += h * cross_matrix(gravity) - cross_matrix(force.tail<3>());
  sum.Q.topRightCorner<3, 3>() += cross_matrix(2 * momentum.head<3>());
  sum.Q.bottomRightCorner<3, 3>() += 2 * h * cross_matrix(v) + J * w - w * J + cross_matrix(J * omega);
}

// A wrench on a body goes along with it.
void JointMotion::add_carried(int body) {
  const BodyState& state = bodies_.states_[static_cast<std::size_t>(body)];
  const Wrench<double>& wrench = bodies_.wrenches_[static_cast<std::size_t>(body)];
  Composite& sum = composites_[static_cast<std::size_t>(node_of(body))];
  const Eigen::Matrix3d force = cross_matrix(eigen(wrench.force));
  sum.P.bottomLeftCorner<3, 3>() -= force;
  sum.P.bottomRightCorner<3, 3>() +=
      force * cross_matrix(eigen(state.r) - centre_) - cross_matrix(eigen(state.R * wrench.torque));
}

void JointMotion::gather_composites() {
  composites_.resize(tree_.nodes().size());
  for (Composite& sum : composites_) {
    sum.P.setZero();
    sum.Q.setZero();
  }
  for (std::size_t i = 0; i < composites_.size(); ++i) add_inertia(i);
  for (const int body : working_bodies_) add_carried(body);
  for (const Block& block : blocks_) {
    if (block.together < 0) continue;
    composites_[static_cast<std::size_t>(block.together)].P += block.P;
    composites_[static_cast<std::size_t>(block.together)].Q += block.Q;
  }
  for (std::size_t i = composites_.size(); i-- > 0;)
    if (const int parent = tree_.nodes()[i].parent; parent >= 0) {
      composites_[static_cast<std::size_t>(parent)].P += composites_[i].P;
      composites_[static_cast<std::size_t>(parent)].Q += composites_[i].Q;
    }
}

namespace {

// Slopes of forces by S and by S' of what a node carries, as matrices: of bodies and elements.
struct CarriedByMatrices {
  const SixBySix &P, &Q;

  Six by_pose(const Six& S) const { return P * S; }
  Six by_rate(const Six& S) const { return Q * S; }
  Six transposed_by_pose(const Six& S) const { return P.transpose() * S; }
  Six transposed_by_rate(const Six& S) const { return Q.transpose() * S; }
};

// The same of bodies and their weight alone: what add_inertia() says, summed up.
struct CarriedByBodies {
  const RigidInertia& inertia;
  const Six& force;
  const CarriedMomentum& momentum;
  const Eigen::Vector3d& gravity;

  Six by_pose(const Six& S) const {
    const Eigen::Vector3d v = S.head<3>(), w = S.tail<3>(), f = force.head<3>(), n = force.tail<3>();
    Six result;
    result.head<3>() = (inertia.mass * gravity - f).cross(w);
    result.tail<3>() = inertia.moment.cross(gravity.cross(w)) - n.cross(w) - f.cross(v);
    return result;
  }
  Six by_rate(const Six& S) const {
    const Eigen::Vector3d w = S.tail<3>();
    Six result;
    result.head<3>() = momentum.twice_linear.cross(w);
    result.tail<3>() = momentum.turning * w;
    return result;
  }
  Six transposed_by_pose(const Six& S) const {
    const Eigen::Vector3d v = S.head<3>(), w = S.tail<3>(), f = force.head<3>(), n = force.tail<3>();
    Six result;
    result.head<3>() = f.cross(w);
    result.tail<3>() =
        gravity.cross(inertia.moment.cross(w)) + n.cross(w) - (inertia.mass * gravity - f).cross(v);
    return result;
  }
  Six transposed_by_rate(const Six& S) const {
    const Eigen::Vector3d v = S.head<3>(), w = S.tail<3>();
    Six result;
    result.head<3>().setZero();
    result.tail<3>() = momentum.turning.transpose() * w - momentum.twice_linear.cross(v);
    return result;
  }
};

}  // namespace

void JointMotion::gather_momenta() {
  carried_momenta_.resize(V_.size());
  for (std::size_t i = 0; i < V_.size(); ++i) {
    const RigidInertia& inertia = inertias_[i];
    const Eigen::Vector3d v = V_[i].head<3>(), omega = V_[i].tail<3>();
    const Eigen::Matrix3d &J = inertia.second, h = cross_matrix(inertia.moment), w = cross_matrix(omega);
    CarriedMomentum& sum = carried_momenta_[i];
    sum.twice_linear = 2 * (inertia.mass * v - inertia.moment.cross(omega));
    sum.turning = 2 * h * cross_matrix(v) + J * w - w * J + cross_matrix(J * omega);
  }
  for (std::size_t i = V_.size(); i-- > 0;)
    if (const int parent = tree_.nodes()[i].parent; parent >= 0) {
      carried_momenta_[static_cast<std::size_t>(parent)].twice_linear += carried_momenta_[i].twice_linear;
      carried_momenta_[static_cast<std::size_t>(parent)].turning += carried_momenta_[i].turning;
    }
}

// Columns on one path: what the outer one carries counts for both. Nodes go from the ground outward, branch by branch, so
// that the columns inward of each are the first ones of path_, and all of them are multiplied at once.
template <class CarriedBy, class Add>
void JointMotion::for_tree_pairs(const CarriedBy& carried_by, const Add& add) {
  static_assert(sizeof(Column) == 24 * sizeof(double));
  for (const int i : branch_order_) {
    const auto at = static_cast<std::size_t>(i);
    const Node& joint = node(i);
    const Index inward = columns_inward_[at], columns = joint.velocities();
    const auto slopes = carried_by(at);
    const RigidInertia& inertia = composite_inertias_[at];
    for (Index k = joint.v; k < joint.v + columns; ++k) {
      const Column& outer = columns_[at_index(k)];
      PathWeights weights;
      weights.twist = slopes.by_rate(outer.S);
      weights.pose = slopes.by_pose(outer.S) + slopes.by_rate(outer.rate) - inertia * outer.second;
      weights.twist -= inertia * outer.swing;
      for (Index other = joint.v; other < joint.v + columns; ++other) {
        const Six& S = S_[at_index(other)];
        // of a ball each turn moves the axes of the others
        const double carried = joint.is_ball() ? S.dot(cross_force(outer.S, forces_[at])) : 0;
        add(other, k, S.dot(weights.pose) - carried, S.dot(weights.twist));
      }
      if (inward == 0) continue;
      // against (S'', S', S) and (S, swing) of the inner columns
      weights.inertia = -(inertia * outer.S);
      weights.rate = slopes.transposed_by_rate(outer.S);
      weights.pose_row = slopes.transposed_by_pose(outer.S) + cross_force(outer.S, forces_[at]);
      multiply_path(weights, inward);
      for (Index j = 0; j < inward; ++j) {
        const Index inner = path_columns_[at_index(j)];
        add(inner, k, path_products_(j, 0), path_products_(j, 1));
        add(k, inner, path_products_(j, 2), path_products_(j, 3));
      }
    }
    if (is_leaf_[at]) continue;
    for (Index k = 0; k < columns; ++k) {
      path_columns_[at_index(inward + k)] = joint.v + k;
      path_.row(inward + k) =
          Eigen::Map<const Eigen::Matrix<double, 1, 24>>(columns_[at_index(joint.v + k)].second.data());
    }
  }
}

namespace {

// Where the processor has them: vectors of four numbers. Their products and sums are those of two, to the last bit.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define TRAMMEL_WIDE_VECTORS __attribute__((target_clones("avx", "default")))
#else
#define TRAMMEL_WIDE_VECTORS
#endif

// Four numbers side by side, anywhere.
using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

// Four rows of `path` at a time, whose columns (S'', S', S, swing) are `stride` apart: by S against `pose` and `twist`; all of
// them against `inertia`, `rate` and `pose_row`.
TRAMMEL_WIDE_VECTORS
void multiply_rows(const double* path, std::ptrdiff_t stride, std::ptrdiff_t count, const double* pose,
                   const double* twist, const double* inertia, const double* rate, const double* pose_row,
                   double* products) {
  for (std::ptrdiff_t j = 0; j < count; j += 4) {
    Four by_pose{}, by_twist{}, row_by_pose{}, row_by_twist{};
    for (int c = 0; c < 6; ++c) {
      const double* at = path + j + c * stride;
      const Four &second = *reinterpret_cast<const Four*>(at),
                 &first = *reinterpret_cast<const Four*>(at + 6 * stride),
                 &S = *reinterpret_cast<const Four*>(at + 12 * stride),
                 &swing = *reinterpret_cast<const Four*>(at + 18 * stride);
      by_pose += S * pose[c];
      by_twist += S * twist[c];
      row_by_pose += second * inertia[c] + first * rate[c] + S * pose_row[c];
      row_by_twist += S * rate[c] + swing * inertia[c];
    }
    *reinterpret_cast<Four*>(products + j) = by_pose;
    *reinterpret_cast<Four*>(products + j + stride) = by_twist;
    *reinterpret_cast<Four*>(products + j + 2 * stride) = row_by_pose;
    *reinterpret_cast<Four*>(products + j + 3 * stride) = row_by_twist;
  }
}

#undef TRAMMEL_WIDE_VECTORS

}  // namespace

void JointMotion::multiply_path(const PathWeights& weights, Index count) {
  multiply_rows(path_.data(), path_.rows(), count, weights.pose.data(), weights.twist.data(),
                weights.inertia.data(), weights.rate.data(), weights.pose_row.data(), path_products_.data());
}

// Nodes branch by branch, and how many columns each has inward of it.
void JointMotion::find_branches() {
  const std::size_t nodes = tree_.nodes().size();
  std::vector<std::vector<int>> outward(nodes);
  std::vector<int> open;
  for (std::size_t i = nodes; i-- > 0;) {
    const int parent = tree_.nodes()[i].parent;
    (parent < 0 ? open : outward[static_cast<std::size_t>(parent)]).push_back(static_cast<int>(i));
  }
  columns_inward_.assign(nodes, 0);
  is_leaf_.assign(nodes, 0);
  Index longest = 0;
  while (!open.empty()) {
    const int i = open.back();
    const auto at = static_cast<std::size_t>(i);
    open.pop_back();
    branch_order_.push_back(i);
    is_leaf_[at] = outward[at].empty();
    const Index next = columns_inward_[at] + node(i).velocities();
    longest = std::max(longest, next);
    for (const int child : outward[at]) {
      columns_inward_[static_cast<std::size_t>(child)] = next;
      open.push_back(child);
    }
  }
  const Index room = (longest + 3) / 4 * 4;
  path_.setZero(room, 24);
  path_products_.setZero(room, 4);
  path_columns_.resize(at_index(room));
}

void JointMotion::assemble_forces() {
  slopes_.force_pose.begin();
  slopes_.force_twist.begin();
  const auto carried_by = [&](std::size_t i) {
    return CarriedByMatrices{composites_[i].P, composites_[i].Q};
  };
  for_tree_pairs(carried_by, [&](Index row, Index column, double by_pose, double by_twist) {
    slopes_.force_pose.add(row, column, by_pose);
    slopes_.force_twist.add(row, column, by_twist);
  });
  for (const Block& block : blocks_) add_cross_block(block);
  if (rotors_work_) add_rotor_slopes();
  slopes_.force_pose.finish();
  slopes_.force_twist.finish();
}

// Where nothing acts but gravity, straight into the matrices.
void JointMotion::differentiate_required(const MotionPoint& at, Eigen::Ref<Matrix> by_position,
                                         Eigen::Ref<Matrix> by_velocity) {
  if (!bodies_.forces_.empty() || rotors_work_ || !is_open()) {
    differentiate(at, everything);
    by_position = -slopes_.force_pose.matrix();
    by_velocity = -slopes_.force_twist.matrix();
    return;
  }
  place(at, Level::accelerations);
  vary_columns();
  gather_composite_inertias();
  for (const int body : working_bodies_) bodies_.wrenches_[static_cast<std::size_t>(body)] = {};
  gather_forces(A_);
  gather_momenta();
  by_position.setZero();
  by_velocity.setZero();
  const Eigen::Vector3d gravity = eigen(equations_.elements().gravity);
  const auto carried_by = [&](std::size_t i) {
    return CarriedByBodies{composite_inertias_[i], forces_[i], carried_momenta_[i], gravity};
  };
  for_tree_pairs(carried_by, [&](Index row, Index column, double by_pose, double by_twist) {
    by_position(row, column) = -by_pose;
    by_velocity(row, column) = -by_twist;
  });
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
        slopes_.force_pose.add(i, k, S_[at_index(i)].dot(by_pose));
        slopes_.force_twist.add(i, k, S_[at_index(i)].dot(by_twist));
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
  chain(bodies_.slopes_.force_state.matrix(), slopes_.force_state, [](Index col) { return col; });
  chain(bodies_.slopes_.force_multiplier.matrix(), slopes_.force_multiplier,
        [&](Index col) { return multiplier_of(col); });
}

// A multiplier of a Cartesian row, among those of the rows here; −1: none.
Index JointMotion::multiplier_of(Index cartesian) const {
  const Index holonomic = equations_.elements().holonomic.size();
  return cartesian < holonomic ? equations_.row_of(cartesian)
                               : nonholonomic_multiplier(cartesian - holonomic);
}

void JointMotion::chain_states() {
  slopes_.state_pose.begin();
  slopes_.state_twist.begin();
  const auto along = [&](Index col, Index row, double value, bool by_twist) {
    const int body = static_cast<int>(col) / 6 + 1;
    std::array<double, 6> unit{};
    unit[at_index(col % 6)] = value;
    const BodyState& state = bodies_.states_[static_cast<std::size_t>(body)];
    Six part = row_part(body, unit.data(), nullptr, nullptr, nullptr).value, carried = Six::Zero();
    if (by_twist) carried.tail<3>() = eigen(state.v).cross(Eigen::Map<const Eigen::Vector3d>(unit.data()));
    along_path(node_of(body), -1, [&](Index k) {
      const Column& column = columns_[at_index(k)];
      if (by_twist) {
        slopes_.state_pose.add(row, k, carried.dot(column.S) + part.dot(column.rate));
        slopes_.state_twist.add(row, k, part.dot(column.S));
      } else {
        slopes_.state_pose.add(row, k, part.dot(column.S));
      }
    });
  };
  for_entries(bodies_.slopes_.state_pose.matrix(),
              [&](Index row, Index col, double value) { along(col, row, value, false); });
  for_entries(bodies_.slopes_.state_twist.matrix(),
              [&](Index row, Index col, double value) { along(col, row, value, true); });
  slopes_.state_pose.finish();
  slopes_.state_twist.finish();
  slopes_.state_state.begin();
  for_entries(bodies_.slopes_.state_state.matrix(),
              [&](Index row, Index col, double value) { slopes_.state_state.add(row, col, value); });
  slopes_.state_state.finish();
  slopes_.state_multiplier.begin();
  for_entries(bodies_.slopes_.state_multiplier.matrix(), [&](Index row, Index col, double value) {
    if (const Index target = multiplier_of(col); target >= 0)
      slopes_.state_multiplier.add(row, target, value);
  });
  slopes_.state_multiplier.finish();
}

// As of a body (cartesian_slopes.cpp): with e' held, the angular velocity of a displacement θ is θ' + ½ ω × θ,
// ω that of the ball against what it moves on.
void JointMotion::assemble_kinematics() {
  slopes_.kinematics.begin();
  for (const Node& joint : tree_.nodes()) {
    if (!joint.is_ball()) continue;
    const Eigen::Vector3d half = 0.5 * velocities_.segment<3>(joint.v);
    const Eigen::Matrix3d turn = cross_matrix(half);
    for (Index row = 0; row < 3; ++row)
      for (Index col = 0; col < 3; ++col)
        if (row != col) slopes_.kinematics.add(joint.v + row, joint.v + col, turn(row, col));
  }
  slopes_.kinematics.finish();
}

}  // namespace trammel
