#include "trammel/formulation/splitting/coordinate_splitting.h"

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
  std::fill_n(newton_index_.begin() + layout_.v.begin, layout_.v.size, options_.velocity_index);
  state_.setZero(layout_.total);
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
  for (const Index i : velocities_.independent()) index_[at_index(l.v.begin + i)] = options_.velocity_index;
  std::fill_n(index_.begin() + l.r.begin, l.r.size, 1);
  counted_ =
      std::max<Index>(static_cast<Index>(index_.size()) - std::count(index_.begin(), index_.end(), 0), 1);
}

Outcome CoordinateSplitting::start(double t, VectorIn x) {
  const Layout& l = layout_;
  if (l.w.size + l.s.size > 0)
    return give_up(
        Reason::invalid_options,
        "coordinate splitting has no place for auxiliary unknowns and contact coordinates; use 'psf' or "
        "'partitioned'");
  exact_ = options_.iteration == CoordinateSplittingOptions::Iteration::cs;
  rate_[0] = rate_[1] = 0;
  multipliers_ = x.segment(l.lambda.begin, l.lambda.size + l.mu.size);
  positions_ = velocities_ = Parametrization();
  Outcome outcome = DenseMotionProblem::start(t, x);
  if (outcome == Outcome::ok) outcome = differentiate_constraints(t, x);
  if (outcome == Outcome::ok) outcome = choose_coordinates(t);
  if (outcome == Outcome::ok) outcome = find_rates(t, x);
  if (outcome != Outcome::ok) return outcome;
  // in motion and under load: friction does nothing at rest
  const Index m = l.lambda.size + l.mu.size;
  Vector moving = x;
  moving.segment(l.v.begin, l.v.size) += sample_velocities();
  moving.segment(l.lambda.begin, m).array() += 1;
  outcome = differentiate(t, moving, part::dynamics | part::b);
  if (outcome != Outcome::ok) return outcome;
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

bool CoordinateSplitting::velocities_are_rates() const {
  const Layout& l = layout_;
  return l.p.size == l.v.size && l.normalizations == 0 &&
         derivatives_.kinematics.middleCols(l.v.begin, l.v.size).isIdentity(0) &&
         derivatives_.kinematics.leftCols(l.p.size).isZero(0);
}

// cs: what the turning of P makes of the first row, whose s vanishes on the solution: −∂(Gᵀs)/∂p is linear in
// s, and the derivatives of the dynamics have it already for the s of the second row.
Outcome CoordinateSplitting::differentiate_kinematics(double t, const Vector& s, const Vector& kinematic,
                                                      Matrix& kinematics) {
  const Layout& l = layout_;
  Vector s_kinematic;
  positions_.multipliers(kinematic, s_kinematic);
  const MotionDerivatives kept = derivatives_;
  state_.segment(l.lambda.begin, l.lambda.size) = s + s_kinematic;
  const Outcome outcome = differentiate(t, state_, part::dynamics);
  if (outcome != Outcome::ok) return outcome;
  kinematics.middleCols(l.p.begin, l.p.size) +=
      (derivatives_.dynamics - kept.dynamics).middleCols(l.p.begin, l.p.size);
  derivatives_ = kept;
  return outcome;
}

// The derivatives of all rows, and the projectors, at this point with the rates at hand.
Outcome CoordinateSplitting::differentiate_rows(double t, VectorIn x, Matrix& kinematics) {
  ++statistics().jacobians;
  const Layout& l = layout_;
  Vector residuals(equations());
  const Vector rates = xdot_;
  Outcome outcome = residual(t, x, rates, residuals);
  --statistics().evaluations;
  if (outcome != Outcome::ok) return outcome;
  const Vector kinematic = values_.kinematics - rates.segment(l.p.begin, l.p.size);
  Vector dynamic = values_.dynamics;
  dynamic.noalias() -= values_.M * rates.segment(l.v.begin, l.v.size);

  // cs: the force Dᵀs as if s were multipliers
  Vector s = Vector::Zero(l.lambda.size + l.mu.size);
  if (exact_) velocities_.multipliers(dynamic, s);
  a_ = rates.segment(l.v.begin, l.v.size);
  state_.segment(l.lambda.begin, s.size()) = s;
  outcome = differentiate(
      t, state_, part::kinematics | part::dynamics | part::b | part::velocity_level | part::g | part::n);
  if (outcome != Outcome::ok) return outcome;
  kinematics = derivatives_.kinematics;
  simple_ = l.mu.size == 0 && velocities_are_rates();
  return exact_ && simple_ ? differentiate_kinematics(t, s, kinematic, kinematics) : outcome;
}

Outcome CoordinateSplitting::linearize(double t, VectorIn x) {
  Matrix kinematics;
  const Outcome outcome = differentiate_rows(t, x, kinematics);
  if (outcome != Outcome::ok) return outcome;
  reduced_ = options_.reduced_system && simple_ && positions_.independent() == velocities_.independent() &&
             positions_.rows() == velocities_.rows();
  if (reduced_)
    form_reduced_system(kinematics);
  else
    form_full_system(kinematics, E_, J_);
  return Outcome::ok;
}

// Stiff forces that turn with their bodies make a matrix of one point useless at another: where the
// simplified iteration fails, each stage gets its own. It is the exact one for cm too: without the terms that
// cm leaves out the iteration on the stages is as slow as the one that failed, and its changes go up and down
// so that none of them tells what is left.
Outcome CoordinateSplitting::linearize_stage(int stage, double t, VectorIn x, VectorIn xdot) {
  xdot_ = xdot;
  const bool exact = exact_;
  exact_ = true;
  Matrix kinematics;
  const Outcome outcome = differentiate_rows(t, x, kinematics);
  exact_ = exact;
  if (outcome == Outcome::ok)
    form_full_system(kinematics, stage_E_[at_index(stage)], stage_J_[at_index(stage)]);
  return outcome;
}

Outcome CoordinateSplitting::factor_stages(const Eigen::Matrix3d& weights) {
  ++statistics().decompositions;
  const Index n = equations();
  shifted_.resize(3 * n, 3 * n);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) {
      auto block = shifted_.block(i * n, j * n, n, n);
      block = weights(i, j) * stage_E_[at_index(i)];
      if (i == j) block -= stage_J_[at_index(i)];
    }
  if (!shifted_.allFinite()) return Outcome::retry;
  stages_lu_.compute(shifted_);
  return n == 0 || stages_lu_.matrixLU().diagonal().cwiseAbs().minCoeff() > 0 ? Outcome::ok : Outcome::retry;
}

void CoordinateSplitting::solve_stages(const std::array<Vector, 3>& residuals,
                                       std::array<Vector, 3>& changes) {
  const Index n = equations();
  Vector all(3 * n);
  for (Index i = 0; i < 3; ++i) all.segment(i * n, n) = residuals[at_index(i)];
  if (n > 0) all = stages_lu_.solve(all).eval();
  for (Index i = 0; i < 3; ++i) {
    changes[at_index(i)].setZero(unknowns());
    changes[at_index(i)].head(n) = all.segment(i * n, n);
  }
}

void CoordinateSplitting::form_reduced_system(const Matrix& kinematics) {
  const Layout& l = layout_;
  const auto by_positions = [&](const Matrix& slopes) { return slopes.middleCols(l.p.begin, l.p.size); };
  const auto by_velocities = [&](const Matrix& slopes) { return slopes.middleCols(l.v.begin, l.v.size); };
  const auto by_states = [&](const Matrix& slopes) { return slopes.middleCols(l.r.begin, l.r.size); };
  SplittingSystem::Rows rows;
  rows.kinematics = by_positions(kinematics);
  rows.mass = values_.M;
  rows.force_by_position = by_positions(derivatives_.dynamics);
  rows.force_by_velocity = by_velocities(derivatives_.dynamics);
  rows.force_by_state = by_states(derivatives_.dynamics);
  rows.rate = by_positions(derivatives_.gI);
  rows.state_by_position = by_positions(derivatives_.b);
  rows.state_by_velocity = by_velocities(derivatives_.b);
  rows.state_by_state = by_states(derivatives_.b);
  velocities_.correction(Matrix::Identity(l.lambda.size, l.lambda.size), change_);
  Matrix closing(l.v.size, velocities_.rank());
  for (Index k = 0; k < closing.cols(); ++k) closing.col(k) = -change_.col(velocities_.rows()[at_index(k)]);
  system_.form(rows, T_velocity_, closing, velocities_.independent(), velocities_.rows());
}

void CoordinateSplitting::form_full_system(const Matrix& kinematics, Matrix& E, Matrix& J) const {
  const Layout& l = layout_;
  const Index y = positions_.size(), w = velocities_.size();
  E.setZero(equations(), equations());
  J.resize(equations(), equations());
  Index row = 0;
  // the columns by (p, v, r) of derivatives by all unknowns
  const auto put = [&](const auto& slopes) {
    J.middleRows(row, slopes.rows()) = slopes.leftCols(equations());
    row += slopes.rows();
  };
  const auto put_row = [&](Index i, const Matrix& holonomic, const Matrix& other) {
    put(i < l.lambda.size ? holonomic.row(i) : other.row(i - l.lambda.size));
  };
  E.block(row, l.p.begin, y, l.p.size) = T_position_.transpose();
  put(Matrix(T_position_.transpose() * kinematics));
  for (const Index i : positions_.rows()) put_row(i, derivatives_.g, derivatives_.n);
  E.block(row, l.v.begin, w, l.v.size).noalias() = T_velocity_.transpose() * values_.M;
  put(Matrix(T_velocity_.transpose() * derivatives_.dynamics));
  for (const Index i : velocities_.rows()) put_row(i, derivatives_.gI, derivatives_.h);
  E.block(row, l.r.begin, l.r.size, l.r.size).setIdentity();
  put(derivatives_.b);
}

Outcome CoordinateSplitting::factor(double shift) {
  ++statistics().decompositions;
  bool regular = false;
  if (reduced_) {
    regular = system_.factor(shift);
  } else {
    shifted_.noalias() = shift * E_ - J_;
    lu_.compute(shifted_);
    regular =
        shifted_.rows() == 0 || (shifted_.allFinite() && lu_.matrixLU().diagonal().cwiseAbs().minCoeff() > 0);
  }
  if (regular) return Outcome::ok;
  return try_again(Reason::differential_singular, "the matrix of Newton's iteration is singular");
}

Outcome CoordinateSplitting::factor(std::complex<double> shift) {
  bool regular = false;
  if (reduced_) {
    regular = system_.factor(shift);
  } else {
    complex_shifted_ = shift * E_.cast<std::complex<double>>() - J_.cast<std::complex<double>>();
    complex_lu_.compute(complex_shifted_);
    regular = complex_shifted_.rows() == 0 ||
              (complex_shifted_.allFinite() && complex_lu_.matrixLU().diagonal().cwiseAbs().minCoeff() > 0);
  }
  if (regular) return Outcome::ok;
  return try_again(Reason::differential_singular, "the matrix of Newton's iteration is singular");
}

void CoordinateSplitting::solve(VectorIn residual, VectorOut x) {
  x.setZero();
  if (reduced_)
    system_.solve(residual, x.head(equations()));
  else
    x.head(equations()) = lu_.solve(residual);
}

void CoordinateSplitting::solve(const Eigen::Ref<const ComplexVector>& residual,
                                Eigen::Ref<ComplexVector> x) {
  x.setZero();
  if (reduced_)
    system_.solve(residual, x.head(equations()));
  else
    x.head(equations()) = complex_lu_.solve(residual);
}

// csm: the other iteration, if it is not known to be as slow.
void CoordinateSplitting::newton_failed() {
  if (options_.iteration != CoordinateSplittingOptions::Iteration::csm) return;
  rate_[exact_ ? 1 : 0] = 1;
  exact_ = !exact_;
}

// csm: the other iteration where this one is slow, unless that was slower when it was last tried. What is
// known of it fades.
void CoordinateSplitting::newton_converged(double rate) {
  if (options_.iteration != CoordinateSplittingOptions::Iteration::csm) return;
  constexpr double slow = 0.2, fading = 0.9;
  double &present = rate_[exact_ ? 1 : 0], &other = rate_[exact_ ? 0 : 1];
  present = rate;
  other *= fading;
  if (present > slow && other < 0.5 * present) exact_ = !exact_;
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

// Redundant rows depend on the others on the constraints only: they are closed before rows are chosen.
Outcome CoordinateSplitting::accepted(double t, VectorOut x) {
  Vector closed = x;
  const auto factor_here = [&](bool& good) {
    const Outcome outcome = differentiate_constraints(t, closed);
    ++statistics().closing_jacobians;
    good = outcome == Outcome::ok && positions_.factor(position_jacobian_) &&
           velocities_.factor(velocity_jacobian_);
    return outcome;
  };
  bool good = false;
  Outcome outcome = factor_here(good);
  if (outcome == Outcome::ok && good) {
    outcome = close(t, closed);
    if (outcome == Outcome::ok) outcome = factor_here(good);
  }
  if (outcome == Outcome::ok &&
      (!good || positions_.has_degraded(options_.growth) || velocities_.has_degraded(options_.growth))) {
    outcome = choose_coordinates(t);
    if (outcome == Outcome::ok) outcome = close(t, closed);
  }
  if (outcome != Outcome::ok) return Outcome::fail;
  x = closed;
  if (multipliers_.size() == 0) return Outcome::ok;
  // the multipliers at hand mean nothing
  if (project(t, closed) != Outcome::ok) return Outcome::fail;
  multipliers_ = closed.segment(layout_.lambda.begin, multipliers_.size());
  x.segment(layout_.lambda.begin, multipliers_.size()) = multipliers_;
  return Outcome::ok;
}

void CoordinateSplitting::tidy(VectorOut x) {
  x.segment(layout_.lambda.begin, multipliers_.size()) = multipliers_;
}

// With the multipliers that belong to the state, of minimal norm, whatever they were.
Outcome CoordinateSplitting::project(double t, VectorOut x) {
  Vector state = x;
  state.segment(layout_.lambda.begin, multipliers_.size()).setZero();
  const Outcome outcome = DenseMotionProblem::project(t, state);
  if (outcome == Outcome::ok) x = state;
  return outcome;
}

}  // namespace trammel
