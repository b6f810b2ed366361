#include "trammel/formulation/state_space/coordinate_partitioning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/numerics/norms.h"

namespace trammel {

CoordinatePartitioning::CoordinatePartitioning(EquationsOfMotion& motion,
                                               CoordinatePartitioningOptions options)
    : TangentProblem(motion),
      options_(options),
      holonomic_(layout_.lambda.size),
      constraints_(layout_.lambda.size + layout_.mu.size),
      index_(at_index(layout_.total), 0),
      multipliers_(Vector::Zero(constraints_)) {}

// --- choice of coordinates

Outcome CoordinatePartitioning::coordinates_singular(double t) {
  std::vector<std::string> names;
  for (const Index row : velocities_.rows())
    if (row < holonomic_ && names.size() < 6) names.push_back(motion_.names().g[at_index(row)]);
  return try_again(Reason::position_rank,
                   fmt::format("no choice of independent coordinates is good at t = {:.10g}: the constraints "
                               "({}{}) are singular there. The method 'psf/radau5' passes such positions.",
                               t, fmt::join(names, ", "), names.size() == 6 ? ", ..." : ""));
}

// How curved the constraints are in each coordinate shows in how gᴵ changes with it, at velocities of
// ordinary size whatever they are.
Outcome CoordinatePartitioning::prefer_linear(double t, const VectorIn& x) {
  Vector moving = x;
  moving.segment(layout_.v.begin, layout_.v.size) = sample_velocities();
  if (const Outcome outcome = differentiate(t, moving, TangentMotion::hidden); outcome != Outcome::ok)
    return outcome;
  const TangentSlopes slopes = tangent_->slopes();
  preference_.setOnes(layout_.v.size);
  if (slopes.jacobian.rows() == 0) return Outcome::ok;
  for (Index j = 0; j < layout_.v.size; ++j) {
    const double slope = slopes.jacobian.col(j).norm(), curved = slopes.rate_pose.col(j).norm();
    if (slope > 0) preference_[j] = slope / (slope + 20 * std::min(curved, slope));
  }
  return Outcome::ok;
}

// After differentiate().
Outcome CoordinatePartitioning::choose_coordinates(double t) {
  ++statistics().selectors;
  const SparseMatrix& D = tangent_->slopes().jacobian;
  const auto choice = [&](Index rows) {
    return IndependentCoordinates::Choice{options_.kind, rows, options_.rank_tolerance, preference_};
  };
  velocities_.choose(D, choice(constraints_));
  if (constraints_ > holonomic_) positions_.choose(D, choice(holonomic_));
  count_independent();
  return positions().regular() && velocities_.regular() ? Outcome::ok : coordinates_singular(t);
}

// Errors count for what is independent: some of the velocities, and the positions that their displacements
// move. Coordinates in a plane have no components of their own: there all count.
void CoordinatePartitioning::count_independent() {
  const Layout& l = layout_;
  std::fill(index_.begin(), index_.end(), 0);
  std::fill_n(index_.begin() + l.r.begin, l.r.size, 1);
  // what drivers move may depend on nothing but time
  const bool partition = options_.kind == CoordinatePartitioningOptions::Kind::partition;
  if (!partition) std::fill_n(index_.begin() + l.v.begin, l.v.size, 1);
  if (!partition || driven_) std::fill_n(index_.begin() + l.p.begin, l.p.size, 1);
  if (partition) {
    for (const Index i : velocities_.selection().independent) index_[at_index(l.v.begin + i)] = 1;
    // near by, where nothing is zero by chance
    const Vector sample = sample_velocities();
    Vector p = reference_;
    for (Index i = 0; i < p.size(); ++i) p[i] += 0.1 * sample[i % sample.size()];
    q_.setZero(l.v.size);
    for (const Index i : positions().selection().independent) q_[i] = sample[i];
    change_.resize(l.p.size);
    tangent_->displacement_to_positions(p, q_, Vector::Zero(l.normalizations), change_);
    for (Index i = 0; i < l.p.size; ++i)
      if (change_[i] != 0) index_[at_index(l.p.begin + i)] = 1;
  }
  counted_ = std::max<Index>(std::count(index_.begin(), index_.end(), 1), 1);
}

// Rows that follow from others do so up to round-off, unless the choice of rows has become poor.
bool CoordinatePartitioning::rows_left_out_hold(double t, const VectorIn& x) {
  if (!velocities_.redundant()) return true;
  if (evaluate(t, x, part::g | part::velocity_level) != Outcome::ok) return true;
  return largest(values_.g) <= 1e-12 && largest(values_.gI) <= 1e-11 && largest(values_.h) <= 1e-11;
}

// After take_jacobian() at the same point.
Outcome CoordinatePartitioning::renew_coordinates(double t, VectorOut x) {
  using Renewal = IndependentCoordinates::Renewal;
  const bool careful = !rows_left_out_hold(t, x);
  const SparseMatrix& D = tangent_->slopes().jacobian;
  const Index y = positions().size(), w = velocities_.size();
  Renewal renewal = velocities_.renew(D, options_.growth, careful);
  if (constraints_ > holonomic_) renewal = std::max(renewal, positions_.renew(D, options_.growth, careful));
  if (renewal == Renewal::none) return Outcome::ok;
  if (renewal == Renewal::chosen) ++statistics().selectors;
  if (!positions().regular() || !velocities_.regular()) return coordinates_singular(t);
  if (positions().size() != y || velocities_.size() != w)
    return give_up(
        Reason::rank_changed,
        fmt::format("the number of degrees of freedom changes from {} to {} at t = {:.10g}. The method "
                    "'psf/radau5' can go on.",
                    w, velocities_.size(), t));
  if (renewal == Renewal::chosen) count_independent();
  coordinates_changed_ = !(velocities_.selection() == linearized_velocities_) ||
                         !(positions().selection() == linearized_positions_);
  full_.forget_pattern();
  // other rows may hold better than those before
  return renewal == Renewal::chosen && velocities_.redundant() ? complete(t, x) : Outcome::ok;
}

void CoordinatePartitioning::patterns_grown() {
  const TangentSlopes slopes = tangent_->slopes();
  velocities_.renew_pattern(slopes.jacobian);
  if (constraints_ > holonomic_) positions_.renew_pattern(slopes.jacobian);
  coupled_ = slopes.force_multiplier.nonZeros() + slopes.state_multiplier.nonZeros() > 0;
  kkt_ = SparseKkt();
  recursion_.reset();
  full_.forget_pattern();
}

Outcome CoordinatePartitioning::start(double t, VectorIn x) {
  known_x_.resize(0);
  jacobian_p_.resize(0);
  a_.setZero();
  driven_ = constraints_are_driven(t, x);
  forecast_.forget();
  multipliers_ = x.segment(layout_.lambda.begin, constraints_);
  followers_ = x.segment(layout_.w.begin, layout_.w.size + layout_.s.size);
  reference_ = x.segment(layout_.p.begin, layout_.p.size);
  positions_ = {};
  velocities_ = {};
  Outcome outcome = prefer_linear(t, x);
  if (outcome == Outcome::ok) outcome = differentiate(t, x, TangentMotion::everything);
  if (outcome != Outcome::ok) return outcome;
  patterns_grown();
  outcome = choose_coordinates(t);
  if (outcome != Outcome::ok) return outcome;
  note_redundant(velocities_.counts());
  // mechanisms whose masses move with them are trees of joints
  recursion_.reset();
  if (motion_.of_mechanism() != nullptr && !tangent_->structure().constant_mass && !coupled_ &&
      !velocities_.redundant())
    recursion_ = tangent_->acceleration_system(options_.rank_tolerance);
  jacobian_p_.resize(0);
  outcome = solve_accelerations(t, x);
  if (outcome == Outcome::ok && driven_)
    forecast_.remember(t, x.segment(layout_.p.begin, layout_.p.size), values_.kinematics);
  return outcome;
}

// --- what follows from the independent coordinates

// D at (t, p), factored.
Outcome CoordinatePartitioning::take_jacobian(double t, const VectorIn& x) {
  const auto p = x.segment(layout_.p.begin, layout_.p.size);
  if (jacobian_t_ == t && jacobian_p_.size() == p.size() && jacobian_p_ == p) return Outcome::ok;
  jacobian_p_.resize(0);
  const Outcome outcome = recursion_ ? guarded(t,
                                               [&] {
                                                 recursion_->take({t, x.head(layout_.total), a_});
                                                 return std::string();
                                               })
                                     : differentiate(t, x, TangentMotion::jacobian);
  if (outcome != Outcome::ok) return outcome;
  const SparseMatrix& D = tangent_->slopes().jacobian;
  if (!velocities_.factor(D) || (constraints_ > holonomic_ && !positions_.factor(D)))
    return coordinates_singular(t);
  jacobian_t_ = t;
  jacobian_p_ = p;
  return Outcome::ok;
}

// The factors at hand are of a point near by; where they are not good enough they are renewed.
Outcome CoordinatePartitioning::solve_positions(double t, Vector& x) {
  double previous = std::numeric_limits<double>::infinity();
  change_.resize(layout_.p.size);
  q_.resize(layout_.v.size);
  for (int iteration = 0; iteration < 25; ++iteration) {
    if (const Outcome outcome = evaluate(t, x, part::g | part::n); outcome != Outcome::ok) return outcome;
    auto p = x.segment(layout_.p.begin, layout_.p.size);
    positions().correct(values_.g, q_);
    tangent_->displacement_to_positions(p, q_, values_.n, change_);
    const double size = largest(change_) / (1 + largest(p));
    if (!std::isfinite(size)) break;
    if (size <= 1e-12 && !(size < previous)) return Outcome::ok;
    p += change_;
    // with the same factors the next change is smaller at the same rate: below round-off it need not be seen
    const bool steady = std::isfinite(previous) && size <= 0.1 * previous;
    const double next = steady ? size * (size / previous) : size;
    if (next <= 2e-16) return Outcome::ok;
    const bool slow = size > 0.2 * previous && size > 1e-13;
    previous = size;
    if (!slow) continue;
    // near singular positions round-off in g is a displacement that no iteration makes smaller
    const bool met = largest(values_.g) <= 1e-14 * (1 + largest(p)) && largest(values_.n) <= 1e-14;
    if (met && size <= 1e-9) return Outcome::ok;
    if (const Outcome outcome = take_jacobian(t, x); outcome != Outcome::ok) return outcome;
    previous = std::numeric_limits<double>::infinity();
  }
  return try_again(
      Reason::newton_failed,
      fmt::format("the dependent coordinates cannot be found from the independent ones at t = {}", t));
}

// After take_jacobian() at these positions the second correction is round-off.
Outcome CoordinatePartitioning::solve_velocities(double t, Vector& x) {
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

Outcome CoordinatePartitioning::complete(double t, VectorOut x) {
  work_ = x;
  Outcome outcome = Outcome::ok;
  if (constraints_ + layout_.normalizations > 0) {
    outcome = solve_positions(t, work_);
    if (outcome == Outcome::ok) outcome = take_jacobian(t, work_);
    if (outcome == Outcome::ok) outcome = solve_velocities(t, work_);
  }
  if (outcome == Outcome::ok && layout_.s.size > 0) outcome = settle(t, work_);
  if (outcome == Outcome::ok) x = work_;
  return outcome;
}

// After take_jacobian(), and with the mass matrix of the point.
Outcome CoordinatePartitioning::factor_accelerations(double t) {
  const TangentSlopes slopes = tangent_->slopes();
  if (kkt_.factor(slopes.mass, slopes.jacobian, velocities_.counts(), 0,
                  coupled_ ? &slopes.force_multiplier : nullptr))
    return Outcome::ok;
  return mass_is_singular(t);
}

Outcome CoordinatePartitioning::mass_is_singular(double t) {
  const TangentSlopes slopes = tangent_->slopes();
  Index weakest = 0;
  Vector(slopes.mass.diagonal()).minCoeff(&weakest);
  return try_again(
      Reason::mass_singular,
      fmt::format("the mass matrix is singular in a direction that the constraints leave free at t = {}; "
                  "the smallest inertia is that of '{}'. Give it a mass, or constrain it.",
                  t, motion_.names().v[at_index(weakest)]));
}

// upper_ and lower_: what a_ and multipliers_ are to change by, from values_.
void CoordinatePartitioning::correct_accelerations() {
  const TangentSlopes slopes = tangent_->slopes();
  upper_ = values_.dynamics;
  upper_.noalias() -= slopes.mass * a_;
  lower_.resize(constraints_);
  lower_ << -values_.gII, -values_.hI;
  rest_upper_ = upper_;
  rest_lower_ = lower_;
  kkt_.solve(upper_, lower_);
  if (coupled_) return;
  // what round-off left
  rest_upper_.noalias() -= slopes.mass * upper_;
  rest_upper_.noalias() -= slopes.jacobian.transpose() * lower_;
  rest_lower_.noalias() -= slopes.jacobian * upper_;
  kkt_.solve(rest_upper_, rest_lower_);
  upper_ += rest_upper_;
  lower_ += rest_lower_;
}

// At state_, where take_jacobian() was called, with the way that the equations have of their own.
Outcome CoordinatePartitioning::solve_by_recursion(double t) {
  a_.setZero();
  multipliers_.setZero();
  state_.segment(layout_.lambda.begin, constraints_).setZero();
  if (const Outcome outcome =
          evaluate(t, state_, part::dynamics | part::acceleration_level | part::kinematics | part::b);
      outcome != Outcome::ok)
    return outcome;
  if (!recursion_->factor()) return mass_is_singular(t);
  a_ = values_.dynamics;
  multipliers_ << -values_.gII, -values_.hI;
  constexpr double exact = 1e-13;
  if (!std::isfinite(recursion_->solve(a_, multipliers_, exact)) || !a_.allFinite())
    return try_again(Reason::not_finite, fmt::format("the accelerations are not finite at t = {}", t));
  return Outcome::ok;
}

// a_ and multipliers_; afterwards values_ has b and Zv too.
Outcome CoordinatePartitioning::solve_accelerations(double t, const VectorIn& x) {
  const Layout& l = layout_;
  if (known_t_ == t && known_x_.size() == x.size() && known_x_.head(l.w.begin) == x.head(l.w.begin))
    return Outcome::ok;
  known_x_.resize(0);
  if (const Outcome outcome = take_jacobian(t, x); outcome != Outcome::ok) return outcome;
  for (Index row = 0; row < constraints_; ++row)
    if (!velocities_.counts()[at_index(row)]) multipliers_[row] = 0;
  state_ = x;
  if (recursion_) {
    const Outcome outcome = solve_by_recursion(t);
    if (outcome == Outcome::ok) {
      known_t_ = t;
      known_x_ = x;
    }
    return outcome;
  }
  double previous = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < (coupled_ ? 25 : 1); ++iteration) {
    state_.segment(l.lambda.begin, constraints_) = multipliers_;
    const bool first = iteration == 0, moving_mass = first && !tangent_->structure().constant_mass;
    Outcome outcome = evaluate(t, state_,
                               part::dynamics | part::acceleration_level | part::kinematics | part::b |
                                   (moving_mass ? unsigned{part::mass} : 0u));
    // how forces depend on reactions may have changed since it was last looked at
    const bool look = !first && iteration % 6 == 0;
    if (outcome == Outcome::ok && look) outcome = differentiate(t, state_, TangentMotion::everything);
    if (outcome == Outcome::ok && (first || look)) outcome = factor_accelerations(t);
    if (outcome != Outcome::ok) return outcome;
    correct_accelerations();
    const double size =
        std::max(largest(upper_) / (1 + largest(a_)), largest(lower_) / (1 + largest(multipliers_)));
    if (!std::isfinite(size))
      return try_again(Reason::not_finite, fmt::format("the accelerations are not finite at t = {}", t));
    if (!first && !(size < previous) && size <= 1e-8) break;
    a_ += upper_;
    multipliers_ += lower_;
    previous = size;
    if (size <= 4e-15) break;
  }
  if (coupled_ && !(previous <= 1e-8))
    return try_again(Reason::newton_failed, fmt::format("the accelerations cannot be found at t = {}", t));
  known_t_ = t;
  known_x_ = x;
  return Outcome::ok;
}

// --- the problem

// The independent part of rates, in the order of the equations.
void CoordinatePartitioning::take_independent(const VectorIn& position_rates, const VectorIn& accelerations,
                                              const VectorIn& state_rates, VectorOut out) {
  const Index y = positions().size(), w = velocities_.size();
  q_.resize(layout_.v.size);
  tangent_->rates_to_velocities(reference_, position_rates, q_);
  positions().selection().take(q_, out.head(y));
  velocities_.selection().take(accelerations, out.segment(y, w));
  out.tail(layout_.r.size) = state_rates;
}

Outcome CoordinatePartitioning::residual(double t, VectorIn x, VectorIn xdot, VectorOut out) {
  ++statistics().evaluations;
  if (const Outcome outcome = solve_accelerations(t, x); outcome != Outcome::ok) return outcome;
  const Layout& l = layout_;
  take_independent(values_.kinematics - xdot.segment(l.p.begin, l.p.size),
                   a_ - xdot.segment(l.v.begin, l.v.size), values_.b - xdot.segment(l.r.begin, l.r.size),
                   out);
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
  take_independent(vector.segment(l.p.begin, l.p.size), vector.segment(l.v.begin, l.v.size),
                   vector.segment(l.r.begin, l.r.size), out);
  return Outcome::ok;
}

void CoordinatePartitioning::amend_error(double t, VectorIn x, VectorIn /*residual*/, VectorOut error) {
  if (driven_)
    forecast_.add_surprise(t, x.segment(layout_.p.begin, layout_.p.size),
                           error.segment(layout_.p.begin, layout_.p.size));
}

// Multipliers and auxiliary variables follow from the state: extrapolated from step to step without being
// corrected they would only grow.
void CoordinatePartitioning::tidy(VectorOut x) {
  x.segment(layout_.lambda.begin, constraints_) = multipliers_;
  x.segment(layout_.w.begin, followers_.size()) = followers_;
}

Outcome CoordinatePartitioning::accepted(double t, VectorOut x) {
  Outcome outcome = complete(t, x);
  if (outcome == Outcome::ok) outcome = take_jacobian(t, x);
  if (outcome == Outcome::ok) {
    ++statistics().closing_jacobians;
    outcome = renew_coordinates(t, x);
  }
  if (outcome == Outcome::ok) outcome = solve_accelerations(t, x);
  if (outcome == Outcome::ok) outcome = show(t, x);
  if (outcome != Outcome::ok) return Outcome::fail;
  reference_ = x.segment(layout_.p.begin, layout_.p.size);
  followers_ = x.segment(layout_.w.begin, followers_.size());
  if (driven_) forecast_.remember(t, x.segment(layout_.p.begin, layout_.p.size), values_.kinematics);
  return Outcome::ok;
}

const Vector* CoordinatePartitioning::accelerations_at(double t, VectorIn x) {
  return known_t_ == t && known_x_.size() == x.size() &&
                 known_x_.head(layout_.w.begin) == x.head(layout_.w.begin)
             ? &a_
             : nullptr;
}

// After solve_accelerations(): what follows from positions and velocities, in x.
Outcome CoordinatePartitioning::show(double t, VectorOut x) {
  x.segment(layout_.lambda.begin, constraints_) = multipliers_;
  return followers_.size() > 0 ? settle(t, x) : Outcome::ok;
}

}  // namespace trammel
