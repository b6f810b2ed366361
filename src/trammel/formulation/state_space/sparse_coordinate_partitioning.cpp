#include "trammel/formulation/state_space/sparse_coordinate_partitioning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

namespace {

std::size_t at_index(Index i) { return static_cast<std::size_t>(i); }

double largest(const VectorIn& values) { return values.size() > 0 ? values.lpNorm<Eigen::Infinity>() : 0.0; }

}  // namespace

SparseCoordinatePartitioning::SparseCoordinatePartitioning(EquationsOfMotion& motion,
                                                           CoordinatePartitioningOptions options,
                                                           Index reduced_up_to)
    : SparseMotionProblem(motion),
      options_(options),
      reduced_up_to_(reduced_up_to),
      holonomic_(layout_.lambda.size),
      constraints_(layout_.lambda.size + layout_.mu.size),
      multipliers_(Vector::Zero(constraints_)) {
  index_.assign(at_index(layout_.total), 1);
  std::fill(index_.begin() + layout_.lambda.begin, index_.end(), 0);
}

// --- choice of coordinates

Outcome SparseCoordinatePartitioning::coordinates_singular(double t) {
  return try_again(
      Reason::position_rank,
      fmt::format("no choice of independent coordinates is good at t = {:.10g}: the constraints are "
                  "singular there. The method 'psf/radau5' passes such positions.",
                  t));
}

// Velocities whose displacements do not turn the constraints are to depend (coordinate_partitioning.h).
Outcome SparseCoordinatePartitioning::prefer_linear(double t, const VectorIn& x) {
  Vector moving = x;
  moving.segment(layout_.v.begin, layout_.v.size) = sample_velocities();
  if (const Outcome outcome = differentiate(t, moving, SparseMotion::hidden); outcome != Outcome::ok)
    return outcome;
  const SparseSlopes slopes = sparse_.slopes();
  preference_.setOnes(layout_.v.size);
  for (Index j = 0; j < layout_.v.size; ++j) {
    const double slope = slopes.jacobian.col(j).norm(), curved = slopes.rate_pose.col(j).norm();
    if (slope > 0) preference_[j] = slope / (slope + 20 * std::min(curved, slope));
  }
  return Outcome::ok;
}

// After differentiate().
Outcome SparseCoordinatePartitioning::choose_coordinates(double t, bool careful) {
  ++statistics().selectors;
  const SparseMatrix& D = sparse_.slopes().jacobian;
  velocities_.choose(D, constraints_, preference_, options_.rank_tolerance, careful);
  if (constraints_ > holonomic_)
    positions_.choose(D, holonomic_, preference_, options_.rank_tolerance, careful);
  if (std::isfinite(position_partition().least_condition()) && std::isfinite(velocities_.least_condition()))
    return Outcome::ok;
  return coordinates_singular(t);
}

// Rows that follow from others do so up to round-off, unless the choice of rows has become poor.
bool SparseCoordinatePartitioning::rows_left_out_hold(double t, const VectorIn& x) {
  if (!velocities_.redundant()) return true;
  if (evaluate(t, x, part::g | part::velocity_level) != Outcome::ok) return true;
  return largest(values_.g) <= 1e-12 && largest(values_.gI) <= 1e-11 && largest(values_.h) <= 1e-11;
}

Outcome SparseCoordinatePartitioning::renew_coordinates(double t, const VectorIn& x) {
  const bool careful = !rows_left_out_hold(t, x);
  const bool degraded = velocities_.has_degraded(options_.growth);
  if (!careful && !degraded && (constraints_ == holonomic_ || !positions_.has_degraded(options_.growth)))
    return Outcome::ok;
  const Index y = position_partition().size(), w = velocities_.size();
  if (const Outcome outcome = choose_coordinates(t, careful); outcome != Outcome::ok) return outcome;
  if (position_partition().size() != y || velocities_.size() != w)
    return give_up(
        Reason::rank_changed,
        fmt::format("the number of degrees of freedom changes from {} to {} at t = {:.10g}. The method "
                    "'psf/radau5' can go on.",
                    w, velocities_.size(), t));
  coordinates_changed_ = velocities_.independent() != linearized_velocities_ ||
                         position_partition().independent() != linearized_positions_;
  system_wanted_ = true;
  return Outcome::ok;
}

Outcome SparseCoordinatePartitioning::start(double t, VectorIn x) {
  known_x_.resize(0);
  jacobian_p_.resize(0);
  disturbed_ = false;
  a_.setZero();
  driven_ = constraints_depend_on_time(t, x);
  forecast_.forget();
  multipliers_ = x.segment(layout_.lambda.begin, constraints_);
  reference_ = x.segment(layout_.p.begin, layout_.p.size);
  if (const Outcome outcome = prefer_linear(t, x); outcome != Outcome::ok) return outcome;
  if (const Outcome outcome = differentiate(t, x, SparseMotion::everything); outcome != Outcome::ok)
    return outcome;
  coupled_ = sparse_.slopes().force_multiplier.nonZeros() + sparse_.slopes().state_multiplier.nonZeros() > 0;
  system_wanted_ = true;
  if (const Outcome outcome = choose_coordinates(t, false); outcome != Outcome::ok) return outcome;
  note_redundant(velocities_.counts());
  const Outcome outcome = solve_accelerations(t, x);
  if (outcome == Outcome::ok && driven_)
    forecast_.remember(t, x.segment(layout_.p.begin, layout_.p.size), values_.kinematics);
  return outcome;
}

// --- what follows from the independent coordinates

// D at (t, p), factored.
Outcome SparseCoordinatePartitioning::take_jacobian(double t, const VectorIn& x) {
  const auto p = x.segment(layout_.p.begin, layout_.p.size);
  if (jacobian_t_ == t && jacobian_p_.size() == p.size() && jacobian_p_ == p) return Outcome::ok;
  jacobian_p_.resize(0);
  if (const Outcome outcome = differentiate(t, x, SparseMotion::jacobian); outcome != Outcome::ok)
    return outcome;
  const SparseMatrix& D = sparse_.slopes().jacobian;
  if (!velocities_.factor(D) || (constraints_ > holonomic_ && !positions_.factor(D)))
    return coordinates_singular(t);
  jacobian_t_ = t;
  jacobian_p_ = p;
  return Outcome::ok;
}

// The factors at hand are of a point near by; where they are not good enough they are renewed.
Outcome SparseCoordinatePartitioning::solve_positions(double t, Vector& x) {
  double previous = std::numeric_limits<double>::infinity();
  change_.resize(layout_.p.size);
  q_.resize(layout_.v.size);
  for (int iteration = 0; iteration < 25; ++iteration) {
    if (const Outcome outcome = evaluate(t, x, part::g | part::n); outcome != Outcome::ok) return outcome;
    auto p = x.segment(layout_.p.begin, layout_.p.size);
    position_partition().correct(values_.g, q_);
    sparse_.displacement_to_positions(p, q_, values_.n, change_);
    const double size = largest(change_) / (1 + largest(p));
    if (!std::isfinite(size)) break;
    if (size <= 1e-12 && !(size < previous)) return Outcome::ok;
    p += change_;
    if (size <= 2e-16) return Outcome::ok;
    const bool slow = size > 0.2 * previous && size > 1e-13;
    previous = size;
    if (!slow) continue;
    if (const Outcome outcome = take_jacobian(t, x); outcome != Outcome::ok) return outcome;
    previous = std::numeric_limits<double>::infinity();
  }
  return try_again(
      Reason::newton_failed,
      fmt::format("the dependent coordinates cannot be found from the independent ones at t = {}", t));
}

// After take_jacobian() at these positions the second correction is round-off.
Outcome SparseCoordinatePartitioning::solve_velocities(double t, Vector& x) {
  rows_.resize(constraints_);
  for (int iteration = 0; iteration < 2; ++iteration) {
    if (const Outcome outcome = evaluate(t, x, part::velocity_level); outcome != Outcome::ok) return outcome;
    rows_ << values_.gI, values_.h;
    velocities_.correct(rows_, q_);
    auto v = x.segment(layout_.v.begin, layout_.v.size);
    v += q_;
    if (largest(q_) < 1e-4 * (1 + largest(v))) break;
  }
  return q_.allFinite() ? Outcome::ok : try_again(Reason::not_finite, "the velocities are not finite");
}

Outcome SparseCoordinatePartitioning::complete(double t, VectorOut x) {
  const Outcome outcome = resume_step();
  return outcome == Outcome::ok ? complete_guess(t, x) : outcome;
}

Outcome SparseCoordinatePartitioning::complete_guess(double t, VectorOut x) {
  if (constraints_ + layout_.normalizations == 0) return Outcome::ok;
  work_ = x;
  Outcome outcome = solve_positions(t, work_);
  if (outcome == Outcome::ok) outcome = take_jacobian(t, work_);
  if (outcome == Outcome::ok) outcome = solve_velocities(t, work_);
  if (outcome == Outcome::ok) x = work_;
  return outcome;
}

// a_ and multipliers_; afterwards values_ has b and Zv too.
Outcome SparseCoordinatePartitioning::solve_accelerations(double t, const VectorIn& x) {
  const Layout& l = layout_;
  if (known_t_ == t && known_x_.size() == x.size() && known_x_.head(l.lambda.begin) == x.head(l.lambda.begin))
    return Outcome::ok;
  known_x_.resize(0);
  if (const Outcome outcome = take_jacobian(t, x); outcome != Outcome::ok) return outcome;
  const SparseSlopes slopes = sparse_.slopes();
  if (!kkt_.factor(slopes.mass, slopes.jacobian, velocities_.counts(), 0,
                   coupled_ ? &slopes.force_multiplier : nullptr)) {
    Index weakest = 0;
    Vector(slopes.mass.diagonal()).minCoeff(&weakest);
    return try_again(
        Reason::mass_singular,
        fmt::format("the mass matrix is singular in a direction that the constraints leave free at t = {}; "
                    "the smallest inertia is that of '{}'. Give it a mass, or constrain it.",
                    t, motion_.names().v[at_index(weakest)]));
  }
  state_ = x;
  Vector upper, lower(constraints_), more_upper, more_lower;
  double previous = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < (coupled_ ? 25 : 1); ++iteration) {
    state_.segment(l.lambda.begin, constraints_) = multipliers_;
    const Outcome outcome =
        evaluate(t, state_, part::dynamics | part::acceleration_level | part::kinematics | part::b);
    if (outcome != Outcome::ok) return outcome;
    upper = values_.dynamics - slopes.mass * a_;
    lower << -values_.gII, -values_.hI;
    more_upper = upper;
    more_lower = lower;
    kkt_.solve(upper, lower);
    if (!coupled_) {
      // what round-off left
      more_upper -= slopes.mass * upper + slopes.jacobian.transpose() * lower;
      more_lower -= slopes.jacobian * upper;
      kkt_.solve(more_upper, more_lower);
      upper += more_upper;
      lower += more_lower;
    }
    const double size =
        std::max(largest(upper) / (1 + largest(a_)), largest(lower) / (1 + largest(multipliers_)));
    if (!std::isfinite(size))
      return try_again(Reason::not_finite, fmt::format("the accelerations are not finite at t = {}", t));
    if (iteration > 0 && !(size < previous) && size <= 1e-8) break;
    a_ += upper;
    multipliers_ += lower;
    if (coupled_ && iteration % 6 == 5) {
      // how forces depend on reactions has changed since it was last looked at
      state_.segment(l.lambda.begin, constraints_) = multipliers_;
      const Outcome looked = differentiate(t, state_, SparseMotion::everything);
      if (looked != Outcome::ok) return looked;
      kkt_.factor(slopes.mass, slopes.jacobian, velocities_.counts(), 0, &slopes.force_multiplier);
    }
    previous = size;
    if (size <= 4e-15) break;
  }
  if (coupled_ && !(previous <= 1e-8))
    return try_again(Reason::newton_failed, fmt::format("the accelerations cannot be found at t = {}", t));
  for (Index row = 0; row < constraints_; ++row)
    if (!velocities_.counts()[at_index(row)]) multipliers_[row] = 0;
  known_t_ = t;
  known_x_ = x;
  return Outcome::ok;
}

// --- the problem

// The independent part of rates, in the order of the equations.
void SparseCoordinatePartitioning::take_independent(const VectorIn& position_rates,
                                                    const VectorIn& accelerations,
                                                    const VectorIn& state_rates, VectorOut out) {
  q_.resize(layout_.v.size);
  sparse_.rates_to_velocities(reference_, position_rates, q_);
  Index row = 0;
  for (const Index i : position_partition().independent()) out[row++] = q_[i];
  for (const Index i : velocities_.independent()) out[row++] = accelerations[i];
  out.tail(layout_.r.size) = state_rates;
}

Outcome SparseCoordinatePartitioning::residual(double t, VectorIn x, VectorIn xdot, VectorOut out) {
  ++statistics().evaluations;
  if (const Outcome outcome = resume_step(); outcome != Outcome::ok) return outcome;
  if (const Outcome outcome = solve_accelerations(t, x); outcome != Outcome::ok) return outcome;
  const Layout& l = layout_;
  take_independent(values_.kinematics - xdot.segment(l.p.begin, l.p.size),
                   a_ - xdot.segment(l.v.begin, l.v.size), values_.b - xdot.segment(l.r.begin, l.r.size),
                   out);
  return Outcome::ok;
}

Outcome SparseCoordinatePartitioning::rates(double t, VectorIn x, VectorOut xdot) {
  ++statistics().evaluations;
  if (const Outcome outcome = resume_step(); outcome != Outcome::ok) return outcome;
  if (const Outcome outcome = solve_accelerations(t, x); outcome != Outcome::ok) return outcome;
  const Layout& l = layout_;
  xdot.setZero();
  xdot.segment(l.p.begin, l.p.size) = values_.kinematics;
  xdot.segment(l.v.begin, l.v.size) = a_;
  xdot.segment(l.r.begin, l.r.size) = values_.b;
  return Outcome::ok;
}

Outcome SparseCoordinatePartitioning::multiply_mass(double /*t*/, VectorIn /*x*/, VectorIn vector,
                                                    VectorOut out) {
  const Layout& l = layout_;
  take_independent(vector.segment(l.p.begin, l.p.size), vector.segment(l.v.begin, l.v.size),
                   vector.segment(l.r.begin, l.r.size), out);
  return Outcome::ok;
}

void SparseCoordinatePartitioning::to_state(VectorOut x) const {
  x.segment(layout_.lambda.begin, constraints_) = multipliers_;
}

// A hundredth of the surprise: the error of extrapolation is that much larger than that of a step.
void SparseCoordinatePartitioning::amend_error(double t, VectorIn x, VectorIn /*residual*/, VectorOut error) {
  if (!driven_ || !forecast_.at(t, work_)) return;
  auto p = error.segment(layout_.p.begin, layout_.p.size);
  p += 0.01 * (x.segment(layout_.p.begin, layout_.p.size) - work_);
}

Outcome SparseCoordinatePartitioning::accepted(double t, VectorOut x) {
  Outcome outcome = complete(t, x);
  if (outcome == Outcome::ok) outcome = take_jacobian(t, x);
  if (outcome == Outcome::ok) {
    ++statistics().closing_jacobians;
    const long choices = statistics().selectors;
    outcome = renew_coordinates(t, x);
    // other rows may hold better than those before
    if (outcome == Outcome::ok && statistics().selectors > choices && velocities_.redundant())
      outcome = complete_guess(t, x);
  }
  if (outcome == Outcome::ok) outcome = solve_accelerations(t, x);
  if (outcome != Outcome::ok) return Outcome::fail;
  reference_ = x.segment(layout_.p.begin, layout_.p.size);
  to_state(x);
  if (driven_) forecast_.remember(t, x.segment(layout_.p.begin, layout_.p.size), values_.kinematics);
  return Outcome::ok;
}

// What is put out must not disturb the steps: they go on from where the last one ended.
Outcome SparseCoordinatePartitioning::project(double t, VectorOut x) {
  if (!disturbed_ && known_x_.size() > 0) {
    disturbed_ = true;
    resume_t_ = known_t_;
    resume_x_ = known_x_;
    resume_a_ = a_;
    resume_multipliers_ = multipliers_;
  }
  Outcome outcome = complete_guess(t, x);
  if (outcome == Outcome::ok) outcome = solve_accelerations(t, x);
  if (outcome == Outcome::ok) to_state(x);
  return outcome;
}

Outcome SparseCoordinatePartitioning::resume_step() {
  if (!disturbed_) return Outcome::ok;
  disturbed_ = false;
  a_ = resume_a_;
  multipliers_ = resume_multipliers_;
  known_x_.resize(0);
  return take_jacobian(resume_t_, resume_x_);
}

bool SparseCoordinatePartitioning::measure(double t, VectorIn x, Violation& violation) {
  if (solve_accelerations(t, x) != Outcome::ok) return false;
  if (evaluate(t, x, part::position_level | part::velocity_level | part::acceleration_level) != Outcome::ok)
    return false;
  violation.position = std::max(largest(values_.g), largest(values_.n));
  violation.velocity = std::max(largest(values_.gI), largest(values_.h));
  violation.acceleration = std::max(largest(values_.gII), largest(values_.hI));
  violation.invariant = 0;
  return true;
}

void SparseCoordinatePartitioning::present(VectorOut x) {
  if (!velocities_.redundant()) return;
  jacobian_p_.resize(0);
  if (differentiate(known_t_, x, SparseMotion::jacobian) != Outcome::ok) return;
  minimal_.reduce(sparse_.slopes().jacobian, x.segment(layout_.lambda.begin, constraints_));
}

}  // namespace trammel
