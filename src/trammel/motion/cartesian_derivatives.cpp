// The derivatives of the Cartesian equations by their own coordinates, dense: the slopes along the twists
// (cartesian_slopes.cpp) with the chain rule from a body's coordinates to its pose, twist and acceleration.
#include <algorithm>
#include <array>
#include <cmath>

#include "trammel/motion/cartesian_motion.h"

namespace trammel {

namespace {

using ByPosition = Eigen::Matrix<double, 6, 7>;
using ByVelocity = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 7>;

}  // namespace

// The derivatives of a body's pose, twist and acceleration (rows) by its positions and velocities.
struct CartesianMotion::Chain {
  ByPosition pose_p, twist_p, acceleration_p;
  ByVelocity twist_v, acceleration_v;
};

CartesianMotion::Chain CartesianMotion::chain(Index body, const MotionPoint& at) const {
  Chain result;
  const Eigen::Vector4d e = at.x.segment<4>(layout().p.begin + 7 * body + 3);
  const double norm = e.squaredNorm();
  const EulerMatrix T = (2 / norm) * euler_matrix(e);
  for (ByPosition* matrix : {&result.pose_p, &result.twist_p, &result.acceleration_p}) matrix->setZero();
  result.pose_p.topLeftCorner<3, 3>().setIdentity();
  result.pose_p.bottomRightCorner<3, 4>() = T;
  result.twist_v = ByVelocity::Zero(6, per_body_);
  result.acceleration_v = ByVelocity::Zero(6, per_body_);
  result.twist_v.topLeftCorner<3, 3>().setIdentity();
  if (velocities_ == Velocities::angular) {
    result.twist_v.bottomRightCorner<3, 3>().setIdentity();
    return result;
  }
  // ω = T e', α = T e'' − s ω, s = 2 eᵀe'/eᵀe
  const Eigen::Vector4d rate = at.x.segment<4>(layout().v.begin + 7 * body + 3);
  const Eigen::Vector4d second = at.a.segment<4>(7 * body + 3);
  const Eigen::Vector3d omega = T * rate;
  const double s = 2 * e.dot(rate) / norm;
  const Eigen::RowVector4d norm_e = (2 / norm) * e.transpose();
  const EulerMatrix omega_e = -(2 / norm) * euler_matrix(rate) - omega * norm_e;
  result.twist_p.bottomRightCorner<3, 4>() = omega_e;
  result.twist_v.bottomRightCorner<3, 4>() = T;
  result.acceleration_p.bottomRightCorner<3, 4>() = -(2 / norm) * euler_matrix(second) -
                                                    (T * second) * norm_e - s * omega_e -
                                                    omega * ((2 / norm) * rate.transpose() - s * norm_e);
  result.acceleration_v.bottomRightCorner<3, 4>() = -s * T - omega * norm_e;
  return result;
}

namespace {

// out(:, first + size·body ...) += matrix(rows) · chain(body)
template <class Select>
void chain_rows(const SparseMatrix& matrix, Index first_row, Index rows, Index first_column, Index size,
                const Select& select, Matrix& out) {
  for (Index col = 0; col < matrix.outerSize(); ++col) {
    const Index body = col / 6, direction = col % 6;
    for (SparseMatrix::InnerIterator entry(matrix, static_cast<int>(col)); entry; ++entry) {
      if (entry.row() < first_row || entry.row() >= first_row + rows || entry.value() == 0) continue;
      out.row(entry.row() - first_row).segment(first_column + size * body, size) +=
          entry.value() * select(body).row(direction);
    }
  }
}

}  // namespace

void CartesianMotion::chain_constraints(const std::vector<Chain>& chains, Parts wanted,
                                        MotionDerivatives& out) const {
  const Layout& l = layout();
  const auto pose_p = [&](Index b) -> const auto& { return chains[at_index(b)].pose_p; };
  const auto twist_p = [&](Index b) -> const auto& { return chains[at_index(b)].twist_p; };
  const auto twist_v = [&](Index b) -> const auto& { return chains[at_index(b)].twist_v; };
  const auto acceleration_p = [&](Index b) -> const auto& { return chains[at_index(b)].acceleration_p; };
  const auto acceleration_v = [&](Index b) -> const auto& { return chains[at_index(b)].acceleration_v; };
  const bool plain = velocities_ == Velocities::angular;

  const auto rate = [&](Index first, Index rows, Matrix& target) {
    target.setZero();
    chain_rows(slopes_.rate_pose.matrix(), first, rows, l.p.begin, 7, pose_p, target);
    if (!plain) chain_rows(slopes_.jacobian.matrix(), first, rows, l.p.begin, 7, twist_p, target);
    chain_rows(slopes_.jacobian.matrix(), first, rows, l.v.begin, per_body_, twist_v, target);
  };
  const auto acceleration = [&](Index first, Index rows, Matrix& target) {
    target.setZero();
    chain_rows(slopes_.acceleration_pose.matrix(), first, rows, l.p.begin, 7, pose_p, target);
    chain_rows(slopes_.acceleration_twist.matrix(), first, rows, l.v.begin, per_body_, twist_v, target);
    if (plain) return;
    chain_rows(slopes_.acceleration_twist.matrix(), first, rows, l.p.begin, 7, twist_p, target);
    chain_rows(slopes_.jacobian.matrix(), first, rows, l.p.begin, 7, acceleration_p, target);
    chain_rows(slopes_.jacobian.matrix(), first, rows, l.v.begin, per_body_, acceleration_v, target);
  };
  const Index holonomic = elements_.holonomic.size(), nonholonomic = elements_.nonholonomic.size();
  if (wanted & part::g) {
    out.g.setZero();
    chain_rows(slopes_.jacobian.matrix(), 0, holonomic, l.p.begin, 7, pose_p, out.g);
  }
  if (wanted & part::gI) rate(0, holonomic, out.gI);
  if (wanted & part::gII) acceleration(0, holonomic, out.gII);
  if (wanted & part::h) rate(holonomic, nonholonomic, out.h);
  if (wanted & part::hI) acceleration(holonomic, nonholonomic, out.hI);
}

// Of Tᵀ (w − 𝕁 A), with w the wrench of each body, 𝕁 its inertia, A its acceleration and T = ∂twist/∂v.
void CartesianMotion::chain_dynamics(const MotionPoint& at, const std::vector<Chain>& chains,
                                     MotionDerivatives& out) {
  const Layout& l = layout();
  const bool plain = velocities_ == Velocities::angular;
  Matrix by_twist = Matrix::Zero(6 * body_count(), l.total);
  const Index rows = by_twist.rows();
  const auto pose_p = [&](Index b) -> const auto& { return chains[at_index(b)].pose_p; };
  const auto twist_p = [&](Index b) -> const auto& { return chains[at_index(b)].twist_p; };
  const auto twist_v = [&](Index b) -> const auto& { return chains[at_index(b)].twist_v; };
  chain_rows(slopes_.force_pose.matrix(), 0, rows, l.p.begin, 7, pose_p, by_twist);
  if (!plain) chain_rows(slopes_.force_twist.matrix(), 0, rows, l.p.begin, 7, twist_p, by_twist);
  chain_rows(slopes_.force_twist.matrix(), 0, rows, l.v.begin, per_body_, twist_v, by_twist);
  by_twist.middleCols(l.r.begin, l.r.size) += slopes_.force_state.matrix();
  // constraint rows of the mechanism, without the lengths of Euler parameters
  const Index holonomic = elements_.holonomic.size(), nonholonomic = elements_.nonholonomic.size();
  const SparseMatrix reaction =
      slopes_.force_multiplier.matrix() - SparseMatrix(slopes_.jacobian.matrix().transpose());
  by_twist.middleCols(l.lambda.begin, holonomic) += reaction.leftCols(holonomic);
  by_twist.middleCols(l.mu.begin, nonholonomic) += reaction.rightCols(nonholonomic);
  if (plain) {
    out.dynamics = by_twist;
    return;
  }

  evaluate_inputs(at);
  evaluate_wrenches(at, Accelerations::of_bodies);
  // the accelerations that rotors feel vary with e and e', too
  if (has_rotors())
    for_rotors([&](Index rotor, const ConstraintBlock::Element& element, const ConstraintSlopes& slopes) {
      const double inertia = elements_.rotor_inertias[at_index(rotor)];
      const Eigen::Map<const Eigen::Matrix<double, 12, 1>> gradient(slopes.jacobian.data());
      const std::array<int, 2> bodies = {element.body_a, element.body_b};
      for (int row = 0; row < 2; ++row)
        for (int column = 0; column < 2; ++column) {
          const Index i = bodies[static_cast<std::size_t>(row)] - 1,
                      k = bodies[static_cast<std::size_t>(column)] - 1;
          if (i < 0 || k < 0) continue;
          const Eigen::Matrix<double, 6, 6> felt =
              inertia * gradient.segment<6>(6 * row) * gradient.segment<6>(6 * column).transpose();
          by_twist.block<6, 7>(6 * i, l.p.begin + 7 * k) -= felt * chains[at_index(k)].acceleration_p;
          by_twist.block<6, 7>(6 * i, l.v.begin + 7 * k) -= felt * chains[at_index(k)].acceleration_v;
        }
    });
  out.dynamics.setZero();
  for (Index i = 0; i < body_count(); ++i) {
    const Chain& chain = chains[at_index(i)];
    const Eigen::Matrix3d J = eigen(elements_.bodies[at_index(i + 1)].inertia);
    auto w = by_twist.middleRows(6 * i, 6);
    w.bottomRows<3>().middleCols(l.p.begin + 7 * i, 7) -= J * chain.acceleration_p.bottomRows<3>();
    w.bottomRows<3>().middleCols(l.v.begin + 7 * i, 7) -= J * chain.acceleration_v.bottomRows<3>();
    out.dynamics.middleRows(7 * i, 7) = chain.twist_v.transpose() * w;

    // T varies with e: T = 2 L(e)/eᵀe, so Tᵀτ varies by 2 L(δe)ᵀτ/eᵀe − Tᵀτ 2eᵀδe/eᵀe
    const Eigen::Vector4d e = at.x.segment<4>(l.p.begin + 7 * i + 3);
    const double norm = e.squaredNorm();
    const Eigen::Vector3d torque =
        eigen(wrenches_[at_index(i + 1)].torque) - J * eigen(states_[at_index(i + 1)].alpha);
    auto block = out.dynamics.block<4, 4>(7 * i + 3, l.p.begin + 7 * i + 3);
    for (Index k = 0; k < 4; ++k)
      block.col(k) += (2 / norm) * (euler_matrix(Eigen::Vector4d::Unit(k)).transpose() * torque);
    block -= (chain.twist_v.bottomRightCorner<3, 4>().transpose() * torque) * ((2 / norm) * e.transpose());
    // −e λ
    const Index lambda = l.lambda.begin + holonomic + i;
    block.diagonal().array() -= at.x[lambda];
    out.dynamics.block<4, 1>(7 * i + 3, lambda) -= e;
  }
}

void CartesianMotion::chain_states(const std::vector<Chain>& chains, MotionDerivatives& out) const {
  const Layout& l = layout();
  const auto pose_p = [&](Index b) -> const auto& { return chains[at_index(b)].pose_p; };
  const auto twist_p = [&](Index b) -> const auto& { return chains[at_index(b)].twist_p; };
  const auto twist_v = [&](Index b) -> const auto& { return chains[at_index(b)].twist_v; };
  out.b.setZero();
  chain_rows(slopes_.state_pose.matrix(), 0, l.r.size, l.p.begin, 7, pose_p, out.b);
  chain_rows(slopes_.state_twist.matrix(), 0, l.r.size, l.p.begin, 7, twist_p, out.b);
  chain_rows(slopes_.state_twist.matrix(), 0, l.r.size, l.v.begin, per_body_, twist_v, out.b);
  out.b.middleCols(l.r.begin, l.r.size) += slopes_.state_state.matrix();
  out.b.middleCols(l.lambda.begin, elements_.holonomic.size()) +=
      slopes_.state_multiplier.matrix().leftCols(elements_.holonomic.size());
  out.b.middleCols(l.mu.begin, l.mu.size) += slopes_.state_multiplier.matrix().rightCols(l.mu.size);
}

void CartesianMotion::chain_kinematics(const MotionPoint& at, MotionDerivatives& out) const {
  const Layout& l = layout();
  out.kinematics.setZero();
  for (Index i = 0; i < body_count(); ++i) {
    const Index p = l.p.begin + 7 * i, v = l.v.begin + per_body_ * i;
    if (velocities_ == Velocities::parameter_rates) {
      out.kinematics.block<7, 7>(7 * i, v).setIdentity();
      continue;
    }
    out.kinematics.block<3, 3>(7 * i, v).setIdentity();
    out.kinematics.block<4, 3>(7 * i + 3, v + 3) = 0.5 * euler_matrix(at.x.segment<4>(p + 3)).transpose();
    const Eigen::Vector3d omega = at.x.segment<3>(v + 3);
    for (Index k = 0; k < 4; ++k)
      out.kinematics.block<4, 1>(7 * i + 3, p + 3 + k) =
          0.5 * euler_matrix(Eigen::Vector4d::Unit(k)).transpose() * omega;
  }
}

void CartesianMotion::chain_normalizations(const MotionPoint& at, Parts wanted,
                                           MotionDerivatives& out) const {
  const Layout& l = layout();
  if (wanted & part::n) out.n.setZero();
  for (Index i = 0; i < body_count(); ++i) {
    const Index p = l.p.begin + 7 * i + 3, v = l.v.begin + per_body_ * i + 3;
    const Eigen::RowVector4d e = at.x.segment<4>(p).transpose();
    if (velocities_ == Velocities::angular) {
      if (wanted & part::n) out.n.block<1, 4>(i, p) = e;
      continue;
    }
    const Index row = elements_.holonomic.size() + i;
    const Eigen::RowVector4d rate = at.x.segment<4>(v).transpose();
    if (wanted & part::g) out.g.block<1, 4>(row, p) = e;
    if (wanted & part::gI) {
      out.gI.block<1, 4>(row, p) = rate;
      out.gI.block<1, 4>(row, v) = e;
    }
    if (wanted & part::gII) {
      out.gII.block<1, 4>(row, p) = at.a.segment<4>(7 * i + 3).transpose();
      out.gII.block<1, 4>(row, v) = 2 * rate;
    }
  }
}

void CartesianMotion::differentiate_by_coordinates(const MotionPoint& at, Parts wanted,
                                                   MotionDerivatives& out) {
  unsigned levels = jacobian;
  if (wanted & (part::gI | part::gII | part::h | part::hI)) levels |= hidden;
  if (wanted & (part::dynamics | part::b)) levels |= forces;
  constexpr Parts of_elements =
      part::g | part::gI | part::gII | part::h | part::hI | part::dynamics | part::b;
  if (wanted & of_elements) {
    differentiate(at, levels);
    std::vector<Chain> chains;
    for (Index i = 0; i < body_count(); ++i) chains.push_back(chain(i, at));
    chain_constraints(chains, wanted, out);
    if (wanted & part::dynamics) chain_dynamics(at, chains, out);
    if (wanted & part::b) chain_states(chains, out);
  }
  if (wanted & part::kinematics) chain_kinematics(at, out);
  chain_normalizations(at, wanted, out);
}

// A condition on a measured row or its rate, with the gradient by the coordinates of its bodies.
double CartesianMotion::initial_residual(const InitialCondition& initial, double t, const VectorIn& x,
                                         Eigen::Ref<Eigen::RowVectorXd> gradient) {
  const Vector rest = Vector::Zero(layout().v.size);
  const MotionPoint at{t, x, rest};
  // one condition after the other is asked for at the same place
  constexpr unsigned levels = ConstraintBlock::position | ConstraintBlock::velocity;
  if (!initial_known_ || t != t_ || x != initial_x_) {
    set_bodies(at);
    evaluate_rows(measured_, t, levels, measured_view_);
    for (const std::unique_ptr<ConstraintBlock>& block : measured_.blocks)
      block->differentiate(states_, {}, levels);
    initial_x_ = x;
    initial_known_ = true;
  }
  for (const CartesianEquations::Source& source : equations_.sources()[at_index(initial.row)]) {
    ConstraintBlock& block = *measured_.blocks[source.block];
    const ConstraintBlock::Element& element = block.elements()[at_index(source.element)];
    const ConstraintSlopes slopes = block.slopes(source.element);
    for (int side = 0; side < 2; ++side) {
      const int body = side == 0 ? element.body_a : element.body_b;
      if (body == 0) continue;
      const Chain by = chain(body - 1, at);
      const auto row = [&](std::span<const double> values) {
        return Eigen::Map<const Eigen::RowVectorXd>(values.data() + 12 * source.row + 6 * side, 6);
      };
      const Index p = layout().p.begin + 7 * (body - 1), v = layout().v.begin + per_body_ * (body - 1);
      if (initial.on_rate) {
        gradient.segment(p, 7) += row(slopes.rate_pose) * by.pose_p + row(slopes.jacobian) * by.twist_p;
        gradient.segment(v, per_body_) += row(slopes.jacobian) * by.twist_v;
      } else {
        gradient.segment(p, 7) += row(slopes.jacobian) * by.pose_p;
      }
    }
  }
  const auto row = at_index(initial.row);
  return (initial.on_rate ? measured_rate_ : measured_value_)[row] - initial.value;
}

}  // namespace trammel
