#include "trammel/formulation/coordinate_splitting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

std::size_t at_index(Index i) { return static_cast<std::size_t>(i); }

double largest(const Eigen::Ref<const Matrix>& values) {
  return values.size() > 0 ? values.lpNorm<Eigen::Infinity>() : 0.0;
}

}  // namespace

CoordinateSplitting::CoordinateSplitting(EquationsOfMotion& motion, CoordinateSplittingOptions options)
    : DenseMotionProblem(motion, false), options_(options) {
  index_.assign(at_index(layout_.total), 0);
  newton_index_ = index_;
  std::fill_n(newton_index_.begin(), equations(), 1);  // p, v and r come first
  state_.setZero(layout_.total);
  E_.setZero(equations(), equations());
  J_ = E_;
}

// --- coordinates

Outcome CoordinateSplitting::differentiate_constraints(double t, VectorIn x) {
  const Layout& l = layout_;
  const Outcome outcome = differentiate(t, x, part::g | part::n | part::velocity_level);
  if (outcome != Outcome::ok) return outcome;
  position_jacobian_.resize(l.lambda.size + l.normalizations, l.p.size);
  position_jacobian_.topRows(l.lambda.size) = derivatives_.g.middleCols(l.p.begin, l.p.size);
  position_jacobian_.bottomRows(l.normalizations) = derivatives_.n.middleCols(l.p.begin, l.p.size);
  velocity_jacobian_.resize(l.lambda.size + l.mu.size, l.v.size);
  velocity_jacobian(velocity_jacobian_);
  return Outcome::ok;
}

Outcome CoordinateSplitting::coordinates_singular(double t) {
  return try_again(Reason::position_rank,
                   fmt::format("no splitting of the coordinates is good at t = {:.10g}: the constraints are "
                               "singular there. The method 'psf/radau5' passes such positions.",
                               t));
}

Outcome CoordinateSplitting::choose_coordinates(double t) {
  ++statistics().selectors;
  const auto choose = [&](Parametrization& which, const Matrix& jacobian) {
    which.choose(jacobian, Parametrization::Kind::partition, 0, Vector::Ones(jacobian.cols()),
                 options_.rank_tolerance, which.rank());
    return which.condition() < 1e14;
  };
  const bool good = choose(positions_, position_jacobian_);
  if (!choose(velocities_, velocity_jacobian_) || !good) return coordinates_singular(t);
  set_index();
  return Outcome::ok;
}

// Dependent coordinates are geometry.
void CoordinateSplitting::set_index() {
  const Layout& l = layout_;
  std::fill(index_.begin(), index_.end(), 0);
  for (const Index i : positions_.independent()) index_[at_index(l.p.begin + i)] = 1;
  for (const Index i : velocities_.independent()) index_[at_index(l.v.begin + i)] = 1;
  std::fill_n(index_.begin() + l.r.begin, l.r.size, 1);
  counted_ = std::max<Index>(std::count(index_.begin(), index_.end(), 1), 1);
}

Outcome CoordinateSplitting::start(double t, VectorIn x) {
  const Layout& l = layout_;
  if (l.w.size + l.s.size > 0)
    return give_up(
        Reason::invalid_options,
        "coordinate splitting has no place for auxiliary unknowns and contact coordinates; use 'psf' or "
        "'partitioned'");
  exact_ = options_.iteration == CoordinateSplittingOptions::Iteration::cs;
  positions_ = velocities_ = Parametrization();
  Outcome outcome = DenseMotionProblem::start(t, x);
  if (outcome == Outcome::ok) outcome = differentiate_constraints(t, x);
  if (outcome == Outcome::ok) outcome = choose_coordinates(t);
  if (outcome == Outcome::ok) outcome = find_rates(t, x);
  if (outcome != Outcome::ok) return outcome;
  outcome = differentiate(t, x, part::dynamics | part::b);
  if (outcome != Outcome::ok) return outcome;
  const Index m = l.lambda.size + l.mu.size;
  const Matrix coupling =
      derivatives_.dynamics.middleCols(l.lambda.begin, m) + velocity_jacobian_.transpose();
  if (coupling.isZero(1e-9 * (1 + velocity_jacobian_.norm())) &&
      derivatives_.b.middleCols(l.lambda.begin, m).isZero(0))
    return Outcome::ok;
  return give_up(
      Reason::invalid_options,
      "coordinate splitting has no multipliers, so forces must not depend on reactions (friction); use "
      "'psf' or 'partitioned'");
}

// x' that belongs to a consistent state with its multipliers.
Outcome CoordinateSplitting::find_rates(double t, VectorIn x) {
  const Outcome outcome = accelerate(t, x, part::kinematics | part::b);
  if (outcome != Outcome::ok) return outcome;
  xdot_.setZero(layout_.total);
  xdot_.segment(layout_.p.begin, layout_.p.size) = values_.kinematics;
  xdot_.segment(layout_.v.begin, layout_.v.size) = a_;
  xdot_.segment(layout_.r.begin, layout_.r.size) = values_.b;
  return outcome;
}

// --- the problem: rows (P of positions, g and n that count, P of velocities, gᴵ and h that count, b)

Outcome CoordinateSplitting::residual(double t, VectorIn x, VectorIn xdot, VectorOut out) {
  ++statistics().evaluations;
  const Layout& l = layout_;
  xdot_ = xdot;
  state_ = x;
  state_.segment(l.lambda.begin, l.lambda.size + l.mu.size).setZero();
  Outcome outcome = differentiate_constraints(t, state_);
  if (outcome != Outcome::ok) return outcome;
  outcome = evaluate(
      t, state_,
      part::kinematics | part::dynamics | part::mass | part::b | part::g | part::n | part::velocity_level);
  if (outcome != Outcome::ok) return outcome;
  if (!positions_.factor(position_jacobian_) || !velocities_.factor(velocity_jacobian_))
    return coordinates_singular(t);
  positions_.tangent(T_position_);
  velocities_.tangent(T_velocity_);

  Index row = 0;
  work_ = values_.kinematics - xdot.segment(l.p.begin, l.p.size);
  out.segment(row, positions_.size()).noalias() = T_position_.transpose() * work_;
  row += positions_.size();
  for (const Index i : positions_.rows())
    out[row++] = i < l.lambda.size ? values_.g[i] : values_.n[i - l.lambda.size];
  work_ = values_.dynamics;
  work_.noalias() -= values_.M * xdot.segment(l.v.begin, l.v.size);
  out.segment(row, velocities_.size()).noalias() = T_velocity_.transpose() * work_;
  row += velocities_.size();
  for (const Index i : velocities_.rows())
    out[row++] = i < l.lambda.size ? values_.gI[i] : values_.h[i - l.lambda.size];
  out.segment(row, l.r.size) = values_.b - xdot.segment(l.r.begin, l.r.size);
  return Outcome::ok;
}

void CoordinateSplitting::put(Index row, const Matrix& slopes) {
  J_.middleRows(row, slopes.rows()) = slopes.leftCols(equations());
}

Outcome CoordinateSplitting::linearize(double t, VectorIn x) {
  ++statistics().jacobians;
  const Layout& l = layout_;
  const Index m = l.lambda.size + l.mu.size;
  // residuals and the projectors at this point, with the rates at hand
  Vector residuals(equations());
  const Vector rates = xdot_;
  Outcome outcome = residual(t, x, rates, residuals);
  --statistics().evaluations;
  if (outcome != Outcome::ok) return outcome;
  const Vector kinematic = values_.kinematics - rates.segment(l.p.begin, l.p.size);
  Vector dynamic = values_.dynamics;
  dynamic.noalias() -= values_.M * rates.segment(l.v.begin, l.v.size);

  // cs: the force Dᵀs as if s were multipliers
  Vector s = Vector::Zero(m);
  if (exact_) velocities_.multipliers(dynamic, s);
  a_ = rates.segment(l.v.begin, l.v.size);
  state_.segment(l.lambda.begin, m) = s;
  outcome = differentiate(
      t, state_, part::kinematics | part::dynamics | part::b | part::velocity_level | part::g | part::n);
  if (outcome != Outcome::ok) return outcome;

  Index row = 0;
  const Index y = positions_.size(), w = velocities_.size();
  E_.setZero();
  Matrix kinematics = derivatives_.kinematics;
  const bool velocities_are_rates = l.p.size == l.v.size && l.normalizations == 0 &&
                                    kinematics.middleCols(l.v.begin, l.v.size).isIdentity(0) &&
                                    kinematics.leftCols(l.p.size).isZero(0);
  if (exact_ && velocities_are_rates && l.mu.size == 0) {
    // the same for the first row, whose s vanishes on the solution: −∂(Gᵀs)/∂p is linear in s
    Vector s_kinematic;
    positions_.multipliers(kinematic, s_kinematic);
    const Matrix with = derivatives_.dynamics.middleCols(l.p.begin, l.p.size);
    const MotionDerivatives kept = derivatives_;
    state_.segment(l.lambda.begin, l.lambda.size) = s + s_kinematic;
    outcome = differentiate(t, state_, part::dynamics);
    if (outcome != Outcome::ok) return outcome;
    kinematics.middleCols(l.p.begin, l.p.size) +=
        derivatives_.dynamics.middleCols(l.p.begin, l.p.size) - with;
    derivatives_ = kept;
  }
  put(row, T_position_.transpose() * kinematics);
  E_.block(row, l.p.begin, y, l.p.size) = T_position_.transpose();
  row += y;
  for (const Index i : positions_.rows())
    put(row++,
        i < l.lambda.size ? Matrix(derivatives_.g.row(i)) : Matrix(derivatives_.n.row(i - l.lambda.size)));
  put(row, T_velocity_.transpose() * derivatives_.dynamics);
  E_.block(row, l.v.begin, w, l.v.size).noalias() = T_velocity_.transpose() * values_.M;
  row += w;
  for (const Index i : velocities_.rows())
    put(row++,
        i < l.lambda.size ? Matrix(derivatives_.gI.row(i)) : Matrix(derivatives_.h.row(i - l.lambda.size)));
  put(row, derivatives_.b);
  E_.block(row, l.r.begin, l.r.size, l.r.size).setIdentity();
  return Outcome::ok;
}

Outcome CoordinateSplitting::factor(double shift) {
  ++statistics().decompositions;
  shifted_.noalias() = shift * E_ - J_;
  lu_.compute(shifted_);
  const auto pivots = lu_.matrixLU().diagonal().cwiseAbs();
  if (shifted_.rows() == 0 || (shifted_.allFinite() && pivots.minCoeff() > 0)) return Outcome::ok;
  return try_again(Reason::differential_singular, "the matrix of Newton's iteration is singular");
}

Outcome CoordinateSplitting::factor(std::complex<double> shift) {
  complex_shifted_ = shift * E_.cast<std::complex<double>>() - J_.cast<std::complex<double>>();
  complex_lu_.compute(complex_shifted_);
  const auto pivots = complex_lu_.matrixLU().diagonal().cwiseAbs();
  if (shifted_.rows() == 0 || (complex_shifted_.allFinite() && pivots.minCoeff() > 0)) return Outcome::ok;
  return try_again(Reason::differential_singular, "the matrix of Newton's iteration is singular");
}

void CoordinateSplitting::solve(VectorIn residual, VectorOut x) {
  x.setZero();
  x.head(equations()) = lu_.solve(residual);
}

void CoordinateSplitting::solve(const Eigen::Ref<const ComplexVector>& residual,
                                Eigen::Ref<ComplexVector> x) {
  x.setZero();
  x.head(equations()) = complex_lu_.solve(residual);
}

// csm: the other iteration.
void CoordinateSplitting::newton_failed() {
  if (options_.iteration == CoordinateSplittingOptions::Iteration::csm) exact_ = !exact_;
}

// What Newton's iteration left of the constraints is closed by the dependent coordinates.
Outcome CoordinateSplitting::close(double t, Vector& x) {
  const Layout& l = layout_;
  for (int iteration = 0; iteration < 8; ++iteration) {
    if (const Outcome outcome = evaluate(t, x, part::g | part::n); outcome != Outcome::ok) return outcome;
    rows_.resize(position_jacobian_.rows(), 1);
    rows_ << values_.g, values_.n;
    positions_.correction(rows_, change_);
    x.segment(l.p.begin, l.p.size) += change_.col(0);
    if (largest(change_) <= 1e-15 * (1 + largest(x.segment(l.p.begin, l.p.size)))) break;
  }
  for (int iteration = 0; iteration < 8; ++iteration) {
    if (const Outcome outcome = evaluate(t, x, part::velocity_level); outcome != Outcome::ok) return outcome;
    rows_.resize(velocity_jacobian_.rows(), 1);
    rows_ << values_.gI, values_.h;
    velocities_.correction(rows_, change_);
    x.segment(l.v.begin, l.v.size) += change_.col(0);
    if (largest(change_) <= 1e-15 * (1 + largest(x.segment(l.v.begin, l.v.size)))) break;
  }
  return Outcome::ok;
}

Outcome CoordinateSplitting::accepted(double t, VectorOut x) {
  state_ = x;
  Outcome outcome = differentiate_constraints(t, state_);
  if (outcome != Outcome::ok) return outcome;
  ++statistics().closing_jacobians;
  if (!positions_.factor(position_jacobian_) || !velocities_.factor(velocity_jacobian_) ||
      positions_.has_degraded(options_.growth) || velocities_.has_degraded(options_.growth))
    outcome = choose_coordinates(t);
  Vector closed = x;
  if (outcome == Outcome::ok) outcome = close(t, closed);
  if (outcome != Outcome::ok) return Outcome::fail;
  x = closed;
  // multipliers that belong to it, of minimal norm: those at hand mean nothing
  const Index m = layout_.lambda.size + layout_.mu.size;
  closed.segment(layout_.lambda.begin, m).setZero();
  if (m > 0 && project(t, closed) == Outcome::ok)
    x.segment(layout_.lambda.begin, m) = closed.segment(layout_.lambda.begin, m);
  return Outcome::ok;
}

}  // namespace trammel
