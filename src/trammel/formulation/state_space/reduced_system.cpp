#include "trammel/formulation/state_space/reduced_system.h"

namespace trammel {

void ReducedSystem::finish() {
  velocities_are_rates_ = rate_by_velocity.rows() == rate_by_velocity.cols() &&
                          rate_by_velocity.isIdentity(1e-15) && rate_by_position.isZero(0);
}

template <class Scalar>
bool ReducedSystem::factor_shifted(Scalar shift, Shifted<Scalar>& out) {
  using Numbers = typename Shifted<Scalar>::Numbers;
  const Scalar alpha = Scalar(1) / shift;
  const Index w = velocities(), r = states(), y = positions();
  out.shift = shift;
  out.matrix.resize(w + r, w + r);
  auto& by_velocity = out.position_by_velocity;  // y = … + this · w
  if (velocities_are_rates_) {
    by_velocity = alpha * Numbers::Identity(y, w);
  } else {
    if (y > 0) out.kinematics.compute(shift * Numbers::Identity(y, y) - rate_by_position.cast<Scalar>());
    by_velocity.resize(y, w);
    if (y > 0 && w > 0) by_velocity = out.kinematics.solve(rate_by_velocity.cast<Scalar>());
  }
  const Numbers by_position = mass_by_position.cast<Scalar>();
  out.matrix.topLeftCorner(w, w) = mass.cast<Scalar>() - alpha * mass_by_velocity.cast<Scalar>();
  if (velocities_are_rates_)
    out.matrix.topLeftCorner(w, w) -= (alpha * alpha) * by_position;
  else
    out.matrix.topLeftCorner(w, w).noalias() -= alpha * (by_position * by_velocity);
  if (r > 0) {
    out.matrix.topRightCorner(w, r) = -alpha * mass_by_state.cast<Scalar>();
    out.matrix.bottomLeftCorner(r, w) = -alpha * state_by_velocity.cast<Scalar>();
    out.matrix.bottomLeftCorner(r, w).noalias() -= alpha * (state_by_position.cast<Scalar>() * by_velocity);
    out.matrix.bottomRightCorner(r, r) = Numbers::Identity(r, r) - alpha * state_by_state.cast<Scalar>();
  }
  if (out.matrix.rows() == 0) return true;
  out.lu.compute(out.matrix);
  const auto pivots = out.lu.matrixLU().diagonal().cwiseAbs();
  return out.matrix.allFinite() && pivots.minCoeff() > 0;
}

template <class Scalar>
void ReducedSystem::solve_shifted(const Shifted<Scalar>& at,
                                  Eigen::Ref<Eigen::Matrix<Scalar, Eigen::Dynamic, 1>> b) const {
  using Column = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  const Scalar alpha = Scalar(1) / at.shift;
  const Index y = positions(), w = velocities(), r = states();
  Column position = b.head(y);
  if (velocities_are_rates_)
    position *= alpha;
  else if (y > 0)
    position = at.kinematics.solve(position);
  Column rest(w + r);
  rest.head(w).noalias() = mass.cast<Scalar>() * b.segment(y, w);
  rest.head(w).noalias() += mass_by_position.cast<Scalar>() * position;
  if (r > 0) {
    rest.tail(r) = b.tail(r);
    rest.tail(r).noalias() += state_by_position.cast<Scalar>() * position;
  }
  rest *= alpha;
  if (w + r > 0) rest = at.lu.solve(rest);
  b.tail(w + r) = rest;
  b.head(y) = position;
  b.head(y).noalias() += at.position_by_velocity * rest.head(w);
}

template bool ReducedSystem::factor_shifted(double, Shifted<double>&);
template bool ReducedSystem::factor_shifted(std::complex<double>, Shifted<std::complex<double>>&);
template void ReducedSystem::solve_shifted(const Shifted<double>&, Eigen::Ref<Vector>) const;
template void ReducedSystem::solve_shifted(const Shifted<std::complex<double>>&,
                                           Eigen::Ref<ComplexVector>) const;

}  // namespace trammel
