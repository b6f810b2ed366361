// The derivatives of the equations in joint coordinates by the coordinates themselves, dense: the slopes along
// the joints (joint_slopes.cpp), and from the directions of a ball to its four Euler parameters.
#include "trammel/motion/joint_motion.h"

namespace trammel {

namespace {

// The rotation of a ball by its Euler parameters, in its own axes.
EulerMatrix by_parameters(const Eigen::Vector4d& e) { return (2 / e.squaredNorm()) * euler_matrix(e); }

}  // namespace

// out(:, p) += matrix(rows) by displacements
void JointMotion::add_by_positions(const SparseMatrix& matrix, Index first, Index rows, const VectorIn& x,
                                   Matrix& out) const {
  const Index p = layout().p.begin;
  for (const Node& joint : tree_.nodes())
    for (Index k = 0; k < joint.velocities(); ++k) {
      const auto T = joint.is_ball() ? by_parameters(x.segment<4>(p + joint.p)) : EulerMatrix::Zero().eval();
      for (SparseMatrix::InnerIterator entry(matrix, static_cast<int>(joint.v + k)); entry; ++entry) {
        if (entry.row() < first || entry.row() >= first + rows) continue;
        if (joint.is_ball())
          out.block<1, 4>(entry.row() - first, p + joint.p) += entry.value() * T.row(k);
        else
          out(entry.row() - first, p + joint.p) += entry.value();
      }
    }
}

void JointMotion::differentiate_by_coordinates(const MotionPoint& at, Parts wanted, MotionDerivatives& out) {
  const Layout& l = layout();
  differentiate(at, everything);
  const Index m = l.lambda.size, h = l.mu.size;
  const auto constraints = [&](Parts which, Index first, Index rows, const SparseMatrix& by_pose,
                               const SparseMatrix* by_twist, Matrix& to) {
    if ((wanted & which) == 0) return;
    to.setZero();
    add_by_positions(by_pose, first, rows, at.x, to);
    if (by_twist != nullptr) to.middleCols(l.v.begin, l.v.size) += Matrix(*by_twist).middleRows(first, rows);
  };
  const SparseMatrix& D = slopes_.jacobian.matrix();
  constraints(part::g, 0, m, D, nullptr, out.g);
  constraints(part::gI, 0, m, slopes_.rate_pose.matrix(), &D, out.gI);
  constraints(part::gII, 0, m, slopes_.acceleration_pose.matrix(), &slopes_.acceleration_twist.matrix(),
              out.gII);
  constraints(part::h, m, h, slopes_.rate_pose.matrix(), &D, out.h);
  constraints(part::hI, m, h, slopes_.acceleration_pose.matrix(), &slopes_.acceleration_twist.matrix(),
              out.hI);

  if (wanted & part::dynamics) {
    out.dynamics.setZero();
    add_by_positions(slopes_.force_pose.matrix(), 0, l.v.size, at.x, out.dynamics);
    out.dynamics.middleCols(l.v.begin, l.v.size) += slopes_.force_twist.matrix();
    out.dynamics.middleCols(l.r.begin, l.r.size) += slopes_.force_state.matrix();
    // λ and μ are neighbours in x
    out.dynamics.middleCols(l.lambda.begin, m + h) += slopes_.force_multiplier.matrix();
    out.dynamics.middleCols(l.lambda.begin, m + h) -= Matrix(D).transpose();
  }
  if (wanted & part::b) {
    out.b.setZero();
    add_by_positions(slopes_.state_pose.matrix(), 0, l.r.size, at.x, out.b);
    out.b.middleCols(l.v.begin, l.v.size) += slopes_.state_twist.matrix();
    out.b.middleCols(l.r.begin, l.r.size) += slopes_.state_state.matrix();
    out.b.middleCols(l.lambda.begin, m + h) += slopes_.state_multiplier.matrix();
  }

  if (wanted & part::kinematics) out.kinematics.setZero();
  if (wanted & part::n) out.n.setZero();
  Index row = 0;
  for (const Node& joint : tree_.nodes()) {
    const Index p = l.p.begin + joint.p, v = l.v.begin + joint.v;
    if (!joint.is_ball()) {
      if (wanted & part::kinematics) out.kinematics(joint.p, v) = 1;
      continue;
    }
    const Eigen::Vector4d e = at.x.segment<4>(p);
    if (wanted & part::kinematics) {
      out.kinematics.block<4, 3>(joint.p, v) = 0.5 * euler_matrix(e).transpose();
      for (Index k = 0; k < 4; ++k)
        out.kinematics.block<4, 1>(joint.p, p + k) =
            0.5 * euler_matrix(Eigen::Vector4d::Unit(k)).transpose() * at.x.segment<3>(v);
    }
    if (wanted & part::n) out.n.block<1, 4>(row, p) = e.transpose();
    ++row;
  }
}

// A condition on a measured row or its rate, with the gradient by the coordinates on its path.
double JointMotion::initial_residual(const InitialCondition& initial, double t, const VectorIn& x,
                                     Eigen::Ref<Eigen::RowVectorXd> gradient) {
  const Layout& l = layout();
  // one condition after the other is asked for at the same place
  if (!initial_known_ || t != initial_t_ || x != initial_x_) {
    place({t, x, rest_}, Level::accelerations, Whose::all);
    bodies_.evaluate_rows(bodies_.measured_, t, ConstraintBlock::position | ConstraintBlock::velocity,
                          bodies_.measured_view_);
    initial_slopes_ = measured_slopes();
    initial_t_ = t;
    initial_x_ = x;
    initial_known_ = true;
  }
  const auto add = [&](const SparseMatrix& slopes) {
    Matrix row = Matrix::Zero(1, l.total);
    add_by_positions(slopes, initial.row, 1, x, row);
    gradient += row.row(0);
  };
  add(initial.on_rate ? initial_slopes_.rate_pose : initial_slopes_.jacobian);
  if (initial.on_rate)
    for (Index k = 0; k < l.v.size; ++k)
      gradient[l.v.begin + k] += initial_slopes_.jacobian.coeff(initial.row, k);
  const auto row = at_index(initial.row);
  return (initial.on_rate ? bodies_.measured_rate_ : bodies_.measured_value_)[row] - initial.value;
}

}  // namespace trammel
