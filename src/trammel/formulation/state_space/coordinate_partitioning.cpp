#include "trammel/formulation/state_space/coordinate_partitioning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

std::size_t at_index(Index i) { return static_cast<std::size_t>(i); }

double largest(const Eigen::Ref<const Matrix>& values) {
  return values.size() > 0 ? values.lpNorm<Eigen::Infinity>() : 0.0;
}

bool same(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && largest(a - b) <= 1e-12 * (1 + largest(a));
}

}  // namespace

CoordinatePartitioning::CoordinatePartitioning(EquationsOfMotion& motion,
                                               CoordinatePartitioningOptions options)
    : DenseMotionProblem(motion, false),
      options_(options),
      forces_(layout_.lambda.size + layout_.mu.size + layout_.w.size),
      found_(Vector::Zero(forces_)) {
  index_.assign(at_index(layout_.total), 0);
  state_.setZero(layout_.total);
}

// --- choice of coordinates

// The Jacobians of both levels, at the last differentiation.
Outcome CoordinatePartitioning::differentiate_constraints(double t, VectorIn x) {
  const Outcome outcome = differentiate(t, x, part::position_level | part::velocity_level);
  if (outcome != Outcome::ok) return outcome;
  const Layout& l = layout_;
  position_jacobian_.setZero(l.s.size + l.lambda.size + l.normalizations, l.p.size + l.s.size);
  const auto put = [&](Index row, const Matrix& rows) {
    position_jacobian_.block(row, 0, rows.rows(), l.p.size) = rows.middleCols(l.p.begin, l.p.size);
    position_jacobian_.block(row, l.p.size, rows.rows(), l.s.size) = rows.middleCols(l.s.begin, l.s.size);
  };
  put(0, derivatives_.c);
  put(l.s.size, derivatives_.g);
  put(l.s.size + l.lambda.size, derivatives_.n);
  velocity_jacobian_.resize(l.lambda.size + l.mu.size, l.v.size);
  velocity_jacobian(velocity_jacobian_);
  return Outcome::ok;
}

Outcome CoordinatePartitioning::coordinates_singular(double t, const Parametrization& which) {
  std::string names;
  const Layout& l = layout_;
  std::vector<std::string> rows;
  for (const Index row : which.rows()) {
    const Index g = &which == &positions_ ? row - l.s.size : row;
    if (g >= 0 && g < l.lambda.size) rows.push_back(motion_.names().g[at_index(g)]);
    if (rows.size() == 6) break;
  }
  return try_again(Reason::position_rank,
                   fmt::format("no choice of independent coordinates is good at t = {:.10g}: the constraints "
                               "({}{}) are singular there. The method 'psf/radau5' passes such positions.",
                               t, fmt::join(rows, ", "), rows.size() == 6 ? ", ..." : ""));
}

// How curved the constraints are in each coordinate shows in how gᴵ changes with it, at velocities of
// ordinary size whatever they are.
Outcome CoordinatePartitioning::prefer_linear(double t, VectorIn x) {
  const Layout& l = layout_;
  Vector moving = x;
  moving.segment(layout_.v.begin, layout_.v.size) = sample_velocities();
  const Outcome outcome = differentiate(t, moving, part::kinematics | part::g | part::gI);
  if (outcome != Outcome::ok) return outcome;
  const auto weights = [](const Matrix& slopes, const Matrix& curvature) {
    Vector result(slopes.cols());
    for (Index j = 0; j < slopes.cols(); ++j) {
      const double slope = slopes.col(j).norm(), curved = curvature.col(j).norm();
      result[j] = slope > 0 ? slope / (slope + 20 * std::min(curved, slope)) : 1;
    }
    return result;
  };
  const Matrix curvature = derivatives_.gI.middleCols(l.p.begin, l.p.size);
  position_preference_ = weights(derivatives_.g.middleCols(l.p.begin, l.p.size), curvature);
  velocity_preference_ = weights(derivatives_.gI.middleCols(l.v.begin, l.v.size),
                                 curvature * derivatives_.kinematics.middleCols(l.v.begin, l.v.size));
  return outcome;
}

// After differentiate_constraints().
Outcome CoordinatePartitioning::choose_coordinates(double t) {
  ++statistics().selectors;
  const auto choose = [&](Parametrization& which, const Matrix& jacobian, Index never_free,
                          const Vector& preference) {
    const Index least_rank = which.rank();
    Parametrization plain = which;
    which.choose(jacobian, options_.kind, never_free, preference, options_.rank_tolerance, least_rank);
    if (!which.is_partition()) return;
    // where preference leads to a poor choice, as near a dead point of what is preferred, it is given up
    plain.choose(jacobian, options_.kind, never_free, Vector::Ones(preference.size()),
                 options_.rank_tolerance, least_rank);
    if (!(which.condition() <= 4 * plain.condition())) which = plain;
  };
  choose(positions_, position_jacobian_, layout_.s.size, position_preference_);
  if (same(position_jacobian_, velocity_jacobian_))
    velocities_ = positions_;
  else
    choose(velocities_, velocity_jacobian_, 0, velocity_preference_);
  set_index();
  for (const Parametrization* which : {&positions_, &velocities_})
    if (!(which->condition() < 1e14)) return coordinates_singular(t, *which);
  return Outcome::ok;
}

// A basis moved into the kernel of now (kind nullspace).
void CoordinatePartitioning::carry_coordinates() {
  const bool joined = same(position_jacobian_, velocity_jacobian_);
  positions_.carry(position_jacobian_);
  if (joined)
    velocities_ = positions_;
  else
    velocities_.carry(velocity_jacobian_);
}

// The coordinates at hand at the last point of differentiation, or others where these have become poor.
Outcome CoordinatePartitioning::renew_coordinates(double t) {
  const bool carried = options_.kind == CoordinatePartitioningOptions::Kind::nullspace;
  const auto good = [&](Parametrization& which, const Matrix& jacobian) {
    return which.factor(jacobian) && !which.has_degraded(options_.growth);
  };
  if (!carried && good(positions_, position_jacobian_) && good(velocities_, velocity_jacobian_))
    return Outcome::ok;
  const Parametrization old_positions = positions_, old_velocities = velocities_;
  if (carried)
    carry_coordinates();
  else if (const Outcome outcome = choose_coordinates(t); outcome != Outcome::ok)
    return outcome;
  for (const Parametrization* which : {&positions_, &velocities_})
    if (!(which->condition() < 1e14)) return coordinates_singular(t, *which);
  if (old_positions.size() != positions_.size() || old_velocities.size() != velocities_.size())
    return give_up(
        Reason::rank_changed,
        fmt::format("the number of degrees of freedom changes from {} to {} at t = {:.10g}. The method "
                    "'psf/radau5' can go on.",
                    old_velocities.size(), velocities_.size(), t));
  change_coordinates(old_positions, old_velocities);
  return Outcome::ok;
}

// The matrices of the last linearisation stay of use: (y, w) of then by (y, w) of now.
void CoordinatePartitioning::change_coordinates(const Parametrization& old_positions,
                                                const Parametrization& old_velocities) {
  const Index y = positions_.size(), w = velocities_.size();
  Matrix T_position, T_velocity, turn, part;
  differentiate_velocities(T_position, T_velocity, turn);
  Matrix change = Matrix::Zero(y + w, y + w);
  old_positions.take_rows(T_position, part);
  change.topLeftCorner(y, y) = part;
  old_velocities.take_rows(turn, part);
  change.bottomLeftCorner(w, y) = part;
  old_velocities.take_rows(T_velocity, part);
  change.bottomRightCorner(w, w) = part;
  to_linearized_ = coordinates_changed_ ? Matrix(to_linearized_ * change) : change;
  coordinates_changed_ = true;
}

// Errors count for what is independent; coordinates in a plane have no components of their own, so there all
// positions and velocities count.
void CoordinatePartitioning::set_index() {
  const Layout& l = layout_;
  std::fill(index_.begin(), index_.end(), 0);
  if (options_.kind == CoordinatePartitioningOptions::Kind::partition) {
    for (const Index i : positions_.independent()) index_[at_index(l.p.begin + i)] = 1;
    for (const Index i : velocities_.independent()) index_[at_index(l.v.begin + i)] = 1;
  } else {
    std::fill_n(index_.begin() + l.p.begin, l.p.size, 1);
    std::fill_n(index_.begin() + l.v.begin, l.v.size, 1);
  }
  // what drivers move may depend on nothing but time
  if (driven_) std::fill_n(index_.begin() + l.p.begin, l.p.size, 1);
  std::fill_n(index_.begin() + l.r.begin, l.r.size, 1);
  counted_ = std::max<Index>(std::count(index_.begin(), index_.end(), 1), 1);
}

Outcome CoordinatePartitioning::start(double t, VectorIn x) {
  known_x_.resize(0);
  driven_ = constraints_depend_on_time(t, x);
  forecast_.forget();
  positions_ = velocities_ = Parametrization();
  Outcome outcome = DenseMotionProblem::start(t, x);
  if (outcome == Outcome::ok) outcome = prefer_linear(t, x);
  if (outcome == Outcome::ok) outcome = differentiate_constraints(t, x);
  if (outcome == Outcome::ok) outcome = choose_coordinates(t);
  if (outcome != Outcome::ok) return outcome;
  note_redundant(velocities_.counts());
  const Index multipliers = layout_.lambda.size + layout_.mu.size;
  found_ << x.segment(layout_.lambda.begin, multipliers), x.segment(layout_.w.begin, layout_.w.size);
  // how forces depend on multipliers, and w on everything
  outcome = differentiate(t, x, part::dynamics | part::d | part::b);
  if (outcome != Outcome::ok) return outcome;
  take_coupling();
  accelerations_factored_ = false;
  outcome = solve_accelerations(t, x);
  if (outcome == Outcome::ok && driven_)
    forecast_.remember(t, x.segment(layout_.p.begin, layout_.p.size), values_.kinematics);
  return outcome;
}

// --- what follows from the independent coordinates

Outcome CoordinatePartitioning::solve_positions(double t, Vector& x) {
  const Layout& l = layout_;
  if (positions_.rank() == 0) return Outcome::ok;
  double previous = std::numeric_limits<double>::infinity();
  int since_renewal = 0;
  for (int iteration = 0; iteration < 25; ++iteration) {
    if (const Outcome outcome = evaluate(t, x, part::position_level); outcome != Outcome::ok) return outcome;
    rows_.resize(position_jacobian_.rows(), 1);
    rows_ << values_.c, values_.g, values_.n;
    positions_.correction(rows_, change_);
    const double size = largest(change_) / (1 + largest(x.segment(l.p.begin, l.p.size)));
    if (!std::isfinite(size)) break;
    const bool shrinks = size < previous;
    if (size <= 1e-12 && !shrinks) return Outcome::ok;
    x.segment(l.p.begin, l.p.size) += change_.col(0).head(l.p.size);
    x.segment(l.s.begin, l.s.size) += change_.col(0).tail(l.s.size);
    if (size <= 2e-16) return Outcome::ok;
    if (since_renewal > 0 && size > 0.2 * previous && size > 1e-13) {
      if (const Outcome outcome = differentiate_constraints(t, x); outcome != Outcome::ok) return outcome;
      ++statistics().closing_jacobians;
      if (!positions_.factor(position_jacobian_)) return coordinates_singular(t, positions_);
      velocities_.factor(velocity_jacobian_);
      since_renewal = 0;
    } else {
      ++since_renewal;
    }
    previous = size;
  }
  return try_again(
      Reason::newton_failed,
      fmt::format("the dependent coordinates cannot be found from the independent ones at t = {}", t));
}

Outcome CoordinatePartitioning::solve_velocities(double t, Vector& x) {
  const Layout& l = layout_;
  if (velocities_.rank() == 0) return Outcome::ok;
  double previous = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 25; ++iteration) {
    if (const Outcome outcome = evaluate(t, x, part::velocity_level); outcome != Outcome::ok) return outcome;
    rows_.resize(velocity_jacobian_.rows(), 1);
    rows_ << values_.gI, values_.h;
    velocities_.correction(rows_, change_);
    const double size = largest(change_) / (1 + largest(x.segment(l.v.begin, l.v.size)));
    if (!std::isfinite(size)) break;
    if (size <= 1e-12 && !(size < previous)) return Outcome::ok;
    x.segment(l.v.begin, l.v.size) += change_.col(0);
    if (size <= 2e-16) return Outcome::ok;
    if (iteration > 0 && size > 0.2 * previous && size > 1e-13) {
      if (const Outcome outcome = differentiate_constraints(t, x); outcome != Outcome::ok) return outcome;
      ++statistics().closing_jacobians;
      if (!velocities_.factor(velocity_jacobian_)) return coordinates_singular(t, velocities_);
      positions_.factor(position_jacobian_);
      previous = std::numeric_limits<double>::infinity();
    } else {
      previous = size;
    }
  }
  return try_again(
      Reason::newton_failed,
      fmt::format("the dependent velocities cannot be found from the independent ones at t = {}", t));
}

Outcome CoordinatePartitioning::complete(double t, VectorOut x) {
  work_ = x;
  Outcome outcome = solve_positions(t, work_);
  if (outcome == Outcome::ok) outcome = solve_velocities(t, work_);
  if (outcome == Outcome::ok) x = work_;
  return outcome;
}

// [M  Dᵀ − f_λ  −f_w; D 0 0; 0 d_λ d_w] at the last point of differentiation, rows that are left out of D
// with a one in their place. Derivatives of f and d are those of the last linearisation.
Outcome CoordinatePartitioning::factor_accelerations(double t) {
  const Layout& l = layout_;
  const Index nv = l.v.size, m = l.lambda.size + l.mu.size, nw = l.w.size;
  const Matrix& D = velocity_jacobian_;
  Matrix K = Matrix::Zero(nv + m + nw, nv + m + nw);
  K.topLeftCorner(nv, nv) = values_.M;
  K.block(0, nv, nv, m) = D.transpose();
  K.block(nv, 0, m, nv) = D;
  if (coupled_) {
    K.block(0, nv, nv, m + nw) -= coupling_.topRows(nv);
    K.block(nv + m, nv, nw, m + nw) = coupling_.bottomRows(nw);
  }
  for (Index row = 0; row < m; ++row) {
    if (velocities_.counts()[at_index(row)]) continue;
    K.row(nv + row).setZero();
    K.col(nv + row).setZero();
    K(nv + row, nv + row) = 1;
  }
  accelerations_.compute(K);
  accelerations_factored_ = true;
  const auto pivots = accelerations_.matrixLU().diagonal().cwiseAbs();
  if (K.rows() == 0 || (K.allFinite() && pivots.minCoeff() > 1e-14 * pivots.maxCoeff() * 1e-6))
    return Outcome::ok;
  accelerations_factored_ = false;
  return try_again(Reason::mass_singular,
                   fmt::format("accelerations and reactions are not determined at t = {}: the mass matrix is "
                               "singular in a direction that the constraints leave free",
                               t));
}

// a_ and found_ by corrections; afterwards values_ has kinematics and b too.
Outcome CoordinatePartitioning::solve_accelerations(double t, const VectorIn& x) {
  const Layout& l = layout_;
  const Index nv = l.v.size, m = l.lambda.size + l.mu.size, nw = l.w.size,
              differential = nv + l.p.size + l.r.size;
  if (known_t_ == t && known_x_.size() == x.size() && known_x_.head(differential) == x.head(differential) &&
      known_x_.segment(l.s.begin, l.s.size) == x.segment(l.s.begin, l.s.size))
    return Outcome::ok;
  const bool constant = motion_.structure().constant_mass;
  const Parts wanted =
      part::dynamics | part::acceleration_level | part::d | (constant ? 0u : unsigned{part::mass});
  state_ = x;
  double previous = std::numeric_limits<double>::infinity();
  int since_renewal = 0;
  Vector rest(nv + m + nw);
  for (int iteration = 0;; ++iteration) {
    state_.segment(l.lambda.begin, m) = found_.head(m);
    state_.segment(l.w.begin, nw) = found_.tail(nw);
    if (const Outcome outcome = evaluate(t, state_, accelerations_factored_ ? wanted : wanted | part::mass);
        outcome != Outcome::ok)
      return outcome;
    if (!accelerations_factored_ || (since_renewal > 1 && previous > 1e-12)) {
      Outcome outcome = differentiate_constraints(t, state_);
      if (outcome == Outcome::ok && coupled_) {
        outcome = differentiate(t, state_, part::dynamics | part::d | part::b);
        if (outcome == Outcome::ok) take_coupling();
      }
      if (outcome == Outcome::ok) outcome = factor_accelerations(t);
      if (outcome != Outcome::ok) return outcome;
      since_renewal = 0;
    }
    rest << values_.dynamics, -values_.gII, -values_.hI, -values_.d;
    rest.head(nv).noalias() -= values_.M * a_;
    for (Index row = 0; row < m; ++row)
      if (!velocities_.counts()[at_index(row)]) rest[nv + row] = -found_[row];
    if (rest.size() > 0) rest = accelerations_.solve(rest);
    const double size = std::max(largest(rest.head(nv)) / (1 + largest(a_)),
                                 largest(rest.tail(m + nw)) / (1 + largest(found_)));
    if (!std::isfinite(size))
      return try_again(Reason::not_finite, fmt::format("the accelerations are not finite at t = {}", t));
    const bool shrinks = size < previous;
    if (!shrinks && size <= 1e-11) break;
    a_ += rest.head(nv);
    found_ += rest.tail(m + nw);
    if (size <= 1e-15) break;
    since_renewal = size > 0.3 * previous ? since_renewal + 2 : 1;
    previous = size;
    if (iteration > 30)
      return try_again(Reason::newton_failed, fmt::format("the accelerations cannot be found at t = {}", t));
  }
  if (coupled_) {
    state_.segment(l.lambda.begin, m) = found_.head(m);
    state_.segment(l.w.begin, nw) = found_.tail(nw);
  }
  if (const Outcome outcome = evaluate(t, state_, part::kinematics | part::b); outcome != Outcome::ok)
    return outcome;
  known_t_ = t;
  known_x_ = x;
  return Outcome::ok;
}

// --- the problem

Outcome CoordinatePartitioning::residual(double t, VectorIn x, VectorIn xdot, VectorOut out) {
  ++statistics().evaluations;
  if (const Outcome outcome = solve_accelerations(t, x); outcome != Outcome::ok) return outcome;
  const Layout& l = layout_;
  const Index y = positions_.size(), w = velocities_.size();
  work_.setZero(l.p.size + l.s.size);
  work_.head(l.p.size) = values_.kinematics - xdot.segment(l.p.begin, l.p.size);
  positions_.take(work_, out.head(y));
  work_ = a_ - xdot.segment(l.v.begin, l.v.size);
  velocities_.take(work_, out.segment(y, w));
  out.tail(l.r.size) = values_.b - xdot.segment(l.r.begin, l.r.size);
  return Outcome::ok;
}

Outcome CoordinatePartitioning::rates(double t, VectorIn x, VectorOut xdot) {
  ++statistics().evaluations;
  if (const Outcome outcome = solve_accelerations(t, x); outcome != Outcome::ok) return outcome;
  const Layout& l = layout_;
  xdot.setZero();
  xdot.segment(l.p.begin, l.p.size) = values_.kinematics;
  xdot.segment(l.v.begin, l.v.size) = a_;
  xdot.segment(l.r.begin, l.r.size) = values_.b;
  return Outcome::ok;
}

Outcome CoordinatePartitioning::multiply_mass(double /*t*/, VectorIn /*x*/, VectorIn vector, VectorOut out) {
  const Layout& l = layout_;
  const Index y = positions_.size(), w = velocities_.size();
  work_.setZero(l.p.size + l.s.size);
  work_.head(l.p.size) = vector.segment(l.p.begin, l.p.size);
  positions_.take(work_, out.head(y));
  work_ = vector.segment(l.v.begin, l.v.size);
  velocities_.take(work_, out.segment(y, w));
  out.tail(l.r.size) = vector.segment(l.r.begin, l.r.size);
  return Outcome::ok;
}

Outcome CoordinatePartitioning::factor(double shift) {
  ++statistics().decompositions;
  if (reduced_.factor(shift)) return Outcome::ok;
  return try_again(Reason::differential_singular, "the matrix of Newton's iteration is singular");
}

Outcome CoordinatePartitioning::factor(std::complex<double> shift) {
  if (reduced_.factor(shift)) return Outcome::ok;
  return try_again(Reason::differential_singular, "the matrix of Newton's iteration is singular");
}

// From (y, w, r) to all coordinates; what has no rate of its own is left as it is.
template <class Column>
void CoordinatePartitioning::expand(const Column& reduced, Eigen::Ref<Column> x) const {
  using Scalar = typename Column::Scalar;
  const Layout& l = layout_;
  const Index y = T_position_.cols(), w = T_velocity_.cols();
  x.setZero();
  const Column position = T_position_.cast<Scalar>() * reduced.head(y);
  x.segment(l.p.begin, l.p.size) = position.head(l.p.size);
  x.segment(l.s.begin, l.s.size) = position.tail(l.s.size);
  x.segment(l.v.begin, l.v.size).noalias() = T_velocity_.cast<Scalar>() * reduced.segment(y, w);
  x.segment(l.v.begin, l.v.size).noalias() += turn_.cast<Scalar>() * reduced.head(y);
  x.segment(l.r.begin, l.r.size) = reduced.tail(l.r.size);
}

void CoordinatePartitioning::solve(VectorIn residual, VectorOut x) {
  reduced_residual_ = residual;
  const Index moving = reduced_.positions() + reduced_.velocities();
  if (coordinates_changed_) reduced_residual_.head(moving) = to_linearized_ * residual.head(moving);
  reduced_.solve(reduced_residual_);
  expand<Vector>(reduced_residual_, x);
}

void CoordinatePartitioning::solve(const Eigen::Ref<const ComplexVector>& residual,
                                   Eigen::Ref<ComplexVector> x) {
  complex_residual_ = residual;
  const Index moving = reduced_.positions() + reduced_.velocities();
  if (coordinates_changed_) complex_residual_.head(moving) = to_linearized_ * residual.head(moving);
  reduced_.solve(complex_residual_);
  expand<ComplexVector>(complex_residual_, x);
}

// A hundredth of the surprise: the error of extrapolation is that much larger than that of a step.
void CoordinatePartitioning::amend_error(double t, VectorIn x, VectorIn /*residual*/, VectorOut error) {
  if (!driven_ || !forecast_.at(t, work_)) return;
  auto p = error.segment(layout_.p.begin, layout_.p.size);
  p += 0.01 * (x.segment(layout_.p.begin, layout_.p.size) - work_);
}

// Multipliers and auxiliary variables follow from the state: extrapolated from step to step without being
// corrected they would only grow.
void CoordinatePartitioning::tidy(VectorOut x) {
  const Layout& l = layout_;
  x.segment(l.lambda.begin, l.lambda.size + l.mu.size) = found_.head(l.lambda.size + l.mu.size);
  x.segment(l.w.begin, l.w.size) = found_.tail(l.w.size);
}

Outcome CoordinatePartitioning::accepted(double t, VectorOut x) {
  Outcome outcome = complete(t, x);
  if (outcome == Outcome::ok) outcome = differentiate_constraints(t, x);
  if (outcome == Outcome::ok) {
    ++statistics().closing_jacobians;
    outcome = renew_coordinates(t);
  }
  if (outcome == Outcome::ok) {
    accelerations_factored_ = false;
    outcome = solve_accelerations(t, x);
  }
  if (outcome != Outcome::ok) return outcome == Outcome::retry ? Outcome::fail : outcome;
  tidy(x);
  if (driven_) forecast_.remember(t, x.segment(layout_.p.begin, layout_.p.size), values_.kinematics);
  return Outcome::ok;
}

// What is put out must not disturb the steps: they go on from the accelerations of the last one.
Outcome CoordinatePartitioning::project(double t, VectorOut x) {
  const Vector a = a_, found = found_;
  Outcome outcome = complete(t, x);
  if (outcome == Outcome::ok) outcome = solve_accelerations(t, x);
  if (outcome == Outcome::ok) tidy(x);
  a_ = a;
  found_ = found;
  known_x_.resize(0);
  return outcome;
}

// Of all multipliers with the same effect Dᵀλ those of smallest norm.
void CoordinatePartitioning::present(VectorOut x) {
  if (!velocities_.redundant()) return;
  if (differentiate_constraints(known_t_, x) != Outcome::ok) return;
  auto multipliers = x.segment(layout_.lambda.begin, layout_.lambda.size + layout_.mu.size);
  const Vector force = velocity_jacobian_.transpose() * multipliers;
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
  decomposition.setThreshold(1e-10);
  decomposition.compute(velocity_jacobian_.transpose());
  multipliers = decomposition.solve(force);
}

}  // namespace trammel
