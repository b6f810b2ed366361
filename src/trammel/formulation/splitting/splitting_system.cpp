#include "trammel/formulation/splitting/splitting_system.h"

namespace trammel {

void SplittingSystem::form(const Rows& rows, const Matrix& T, const Matrix& closing,
                           const std::vector<Index>& independent, const std::vector<Index>& active) {
  rows_ = rows;
  T_ = T;
  closing_ = closing;
  const Index n = T.rows(), p = T.cols(), m = static_cast<Index>(active.size());
  active_rate_.resize(m, n);
  for (Index k = 0; k < m; ++k) active_rate_.row(k) = rows.rate.row(active[static_cast<std::size_t>(k)]);

  // −Q stands in the dependent rows of T
  std::vector<char> is_independent(static_cast<std::size_t>(n), 0);
  for (const Index i : independent) is_independent[static_cast<std::size_t>(i)] = 1;
  Q_.resize(m, p);
  for (Index i = 0, k = 0; i < n; ++i)
    if (!is_independent[static_cast<std::size_t>(i)]) Q_.row(k++) = -T.row(i);
  by_rows_ = m < p;
  Matrix H = by_rows_ ? Matrix(Q_ * Q_.transpose()) : Matrix(Q_.transpose() * Q_);
  H.diagonal().array() += 1;
  H_.compute(H);

  const auto P = T_.transpose();
  PM_.noalias() = P * rows.mass;
  Pv_.noalias() = P * rows.force_by_velocity;
  Pq_.noalias() = P * rows.force_by_position;
  Pr_.noalias() = P * rows.force_by_state;
  PK_.noalias() = P * rows.kinematics;
  const Matrix YN = -closing_ * (active_rate_ * T_);
  const Matrix rest = -(P * YN) - PK_ * T_;
  V_ = T_ * divided_by_H<double>(rest) + YN;
  A2_.noalias() = PM_ * T_;
  A1_ = PM_ * V_ - Pv_ * T_;
  A0_ = -(Pv_ * V_) - Pq_ * T_;
  state1_.noalias() = rows.state_by_velocity * T_;
  state0_ = rows.state_by_position * T_ + rows.state_by_velocity * V_;
}

template <class Scalar>
SplittingSystem::Numbers<Scalar> SplittingSystem::divided_by_H(const Numbers<Scalar>& b) const {
  const auto solve = [this](const Matrix& columns) -> Matrix {
    if (!by_rows_) return H_.solve(columns);
    return columns - Q_.transpose() * H_.solve(Q_ * columns);
  };
  if constexpr (std::is_same_v<Scalar, double>) {
    return solve(b);
  } else {
    Numbers<Scalar> result(b.rows(), b.cols());
    result.real() = solve(b.real());
    result.imag() = solve(b.imag());
    return result;
  }
}

template <class Scalar>
bool SplittingSystem::factor_shifted(Scalar shift, Shifted<Scalar>& out) const {
  const Index p = T_.cols(), nr = rows_.state_by_state.rows();
  out.shift = shift;
  out.matrix.resize(p + nr, p + nr);
  out.matrix.topLeftCorner(p, p) =
      (shift * shift) * A2_.cast<Scalar>() + shift * A1_.cast<Scalar>() + A0_.cast<Scalar>();
  out.matrix.topRightCorner(p, nr) = -Pr_.cast<Scalar>();
  out.matrix.bottomLeftCorner(nr, p) = -(shift * state1_.cast<Scalar>() + state0_.cast<Scalar>());
  out.matrix.bottomRightCorner(nr, nr) = -rows_.state_by_state.cast<Scalar>();
  out.matrix.diagonal().tail(nr).array() += shift;
  if (p + nr == 0) return true;
  out.lu.compute(out.matrix);
  return out.matrix.allFinite() && out.lu.matrixLU().diagonal().cwiseAbs().minCoeff() > 0;
}

template <class Scalar>
void SplittingSystem::solve_shifted(const Shifted<Scalar>& at, const Eigen::Ref<const Column<Scalar>>& b,
                                    Eigen::Ref<Column<Scalar>> x) const {
  const Index n = T_.rows(), p = T_.cols(), m = active_rate_.rows(), nr = rows_.state_by_state.rows();
  const auto times = [](const Matrix& matrix, const Column<Scalar>& vector) -> Column<Scalar> {
    return matrix.cast<Scalar>() * vector;
  };
  const Column<Scalar> Yc = -times(closing_, b.segment(p, m));
  const Column<Scalar> Yd = -times(closing_, b.segment(2 * p + m, m) + times(active_rate_, Yc));
  const Column<Scalar> rest = times(T_.transpose(), at.shift * Yc - Yd) - times(PK_, Yc) - b.head(p);
  const Column<Scalar> v0 = times(T_, Column<Scalar>(divided_by_H<Scalar>(rest))) + Yd;

  Column<Scalar> unknowns(p + nr);
  unknowns.head(p) = b.segment(p + m, p) - at.shift * times(PM_, v0) + times(Pv_, v0) + times(Pq_, Yc);
  unknowns.tail(nr) = b.tail(nr) + times(rows_.state_by_position, Yc) + times(rows_.state_by_velocity, v0);
  if (unknowns.size() > 0) unknowns = at.lu.solve(unknowns).eval();
  const Column<Scalar> a = unknowns.head(p), Ta = times(T_, a);
  x.head(n) = Ta + Yc;
  x.segment(n, n) = at.shift * Ta + times(V_, a) + v0;
  x.segment(2 * n, nr) = unknowns.tail(nr);
}

template bool SplittingSystem::factor_shifted(double, Shifted<double>&) const;
template bool SplittingSystem::factor_shifted(std::complex<double>, Shifted<std::complex<double>>&) const;
template void SplittingSystem::solve_shifted(const Shifted<double>&, const Eigen::Ref<const Vector>&,
                                             Eigen::Ref<Vector>) const;
template void SplittingSystem::solve_shifted(const Shifted<std::complex<double>>&,
                                             const Eigen::Ref<const ComplexVector>&,
                                             Eigen::Ref<ComplexVector>) const;

}  // namespace trammel
