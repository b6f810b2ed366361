#include "trammel/formulation/projection/coordinate_projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

namespace {

double largest(const VectorIn& values) { return values.size() > 0 ? values.lpNorm<Eigen::Infinity>() : 0.0; }

constexpr double infinity = std::numeric_limits<double>::infinity();

// Corrections below these, relative to what they correct, are round-off.
constexpr double exact = 1e-13;
constexpr double round_off = 4e-16;

// Where an iteration does not converge, close to a singular position, residuals below this multiple of the
// tolerance will do.
constexpr double good_enough = 100;

// The size of the correction after one of this size. Factors of the first point make it smaller by as much as
// that one was; at first it is about its square, times how curved the constraints are.
double expected_after(double size, double previous) {
  constexpr double curvature = 100;
  return previous == infinity ? curvature * size * size : size * std::min(1.0, size / previous);
}

}  // namespace

CoordinateProjection::CoordinateProjection(EquationsOfMotion& motion, CoordinateProjectionOptions options)
    : TangentProblem(motion),
      options_(options),
      system_(make_sparse_acceleration_system(*tangent_, options.rank_tolerance)),
      constraints_(layout_.lambda.size + layout_.mu.size),
      multipliers_(Vector::Zero(constraints_)) {
  index_.assign(static_cast<std::size_t>(layout_.total), 1);
  std::fill(index_.begin() + layout_.w.begin, index_.end(), 0);
}

Outcome CoordinateProjection::take_matrices(double t, const VectorIn& x) {
  return guarded(t, [&] {
    system_->take({t, x, a_});
    return std::string();
  });
}

Outcome CoordinateProjection::factor_matrices(double t) {
  ++statistics().decompositions;
  if (system_->factor()) return Outcome::ok;
  return try_again(Reason::mass_singular,
                   fmt::format("the mass matrix is singular in a direction that the constraints leave free "
                               "at t = {:.10g}. Give every body a mass, or constrain it.",
                               t));
}

Outcome CoordinateProjection::start(double t, VectorIn x) {
  known_x_.resize(0);
  projected_p_.resize(0);
  a_.setZero();
  multipliers_ = x.segment(layout_.lambda.begin, constraints_);
  if (const Outcome outcome = evaluate(t, x, part::kinematics); outcome != Outcome::ok) return outcome;
  if (const Outcome outcome = take_matrices(t, x); outcome != Outcome::ok) return outcome;
  std::vector<char> independent;
  redundant_ = system_->find_redundant(independent);
  if (redundant_) note_redundant(independent);

  // whether forces depend on multipliers: look at what is left of the dynamics without −Dᵀλ, in motion,
  // because friction does nothing at rest
  state_ = x;
  state_.segment(layout_.v.begin, layout_.v.size) += sample_velocities();
  Vector difference = Vector::Zero(layout_.v.size);
  for (int side : {0, 1}) {
    for (Index i = 0; i < constraints_; ++i)
      state_[layout_.lambda.begin + i] = side == 0 ? 0.0 : 1 + 0.3 * static_cast<double>(i % 5);
    if (const Outcome outcome = evaluate(t, state_, part::dynamics); outcome != Outcome::ok) return outcome;
    difference = values_.dynamics - difference;
  }
  lower_.setZero(constraints_);
  system_->subtract_product(Vector::Zero(layout_.v.size), -state_.segment(layout_.lambda.begin, constraints_),
                            difference, lower_);
  coupled_ = largest(difference) > 1e-9;
  return solve_accelerations(t, x);
}

// a_ and multipliers_; afterwards values_ has b and Zv too.
Outcome CoordinateProjection::solve_accelerations(double t, const VectorIn& x) {
  const Layout& l = layout_;
  const auto dynamic = x.head(l.w.begin);
  if (known_t_ == t && known_x_.size() == dynamic.size() && known_x_ == dynamic) return Outcome::ok;
  known_x_.resize(0);
  state_ = x;
  a_.setZero();
  if (!coupled_) multipliers_.setZero();
  Outcome outcome = correct_accelerations(t);
  double previous = infinity;
  for (int iteration = 1; coupled_ && outcome == Outcome::ok; ++iteration) {
    const double size =
        std::max(largest(upper_) / (1 + largest(a_)), largest(lower_) / (1 + largest(multipliers_)));
    if (size <= exact || (size <= 1e-9 && !(size < previous))) break;
    if (iteration == 50)
      return try_again(Reason::newton_failed,
                       fmt::format("the accelerations cannot be found at t = {:.10g}: forces depend too "
                                   "strongly on reactions",
                                   t));
    previous = size;
    outcome = correct_accelerations(t);
  }
  if (outcome != Outcome::ok) return outcome;
  known_t_ = t;
  known_x_ = dynamic;
  return outcome;
}

// One correction of a_ and multipliers_ at state_; the only one, unless forces depend on multipliers.
Outcome CoordinateProjection::correct_accelerations(double t) {
  const Layout& l = layout_;
  state_.segment(l.lambda.begin, constraints_) = multipliers_;
  constexpr Parts wanted = part::dynamics | part::acceleration_level | part::kinematics | part::b;
  if (const Outcome outcome = evaluate(t, state_, wanted); outcome != Outcome::ok) return outcome;
  const auto p = state_.segment(l.p.begin, l.p.size);
  const bool near = projected_t_ == t && projected_p_.size() == p.size() && projected_p_ == p;
  if (const Outcome outcome = take_matrices(t, state_); outcome != Outcome::ok) return outcome;
  upper_ = values_.dynamics;
  if (largest(a_) > 0) {  // M a is what is there already
    lower_.setZero(constraints_);
    system_->subtract_product(a_, Vector::Zero(constraints_), upper_, lower_);
  }
  lower_.resize(constraints_);
  lower_ << -values_.gII, -values_.hI;
  for (const bool fresh : {!near, true}) {
    if (fresh)
      if (const Outcome outcome = factor_matrices(t); outcome != Outcome::ok) return outcome;
    Vector& x = work_;
    x = upper_;
    change_ = lower_;
    const double left = system_->solve(x, change_, exact);
    ++statistics().backsubstitutions;
    if (!std::isfinite(left))
      return try_again(Reason::not_finite, fmt::format("the accelerations are not finite at t = {:.10g}", t));
    if (!fresh && !(left <= 1e-11)) continue;  // factors of near by did not serve
    upper_ = x;
    lower_ = change_;
    break;
  }
  a_ += upper_;
  multipliers_ += lower_;
  return Outcome::ok;
}

Outcome CoordinateProjection::rates(double t, VectorIn x, VectorOut xdot) {
  ++statistics().evaluations;
  if (const Outcome outcome = solve_accelerations(t, x); outcome != Outcome::ok) return outcome;
  const Layout& l = layout_;
  xdot.tail(l.total - l.w.begin).setZero();
  xdot.segment(l.p.begin, l.p.size) = values_.kinematics;
  xdot.segment(l.v.begin, l.v.size) = a_;
  xdot.segment(l.r.begin, l.r.size) = values_.b;
  return Outcome::ok;
}

Outcome CoordinateProjection::residual(double t, VectorIn x, VectorIn xdot, VectorOut out) {
  const Outcome outcome = rates(t, x, out);
  if (outcome == Outcome::ok) out -= xdot;
  return outcome;
}

// --- projection

Outcome CoordinateProjection::cannot_project(double t, const Vector& residual,
                                             const std::vector<std::string>& names) {
  Index worst = 0;
  if (residual.size() > 0) residual.cwiseAbs().maxCoeff(&worst);
  return try_again(Reason::newton_failed,
                   fmt::format("the state cannot be put back on the constraints at t = {:.10g}; '{}' is "
                               "violated most, by {:.3g}",
                               t, names.empty() ? "" : names[static_cast<std::size_t>(worst)],
                               residual.size() > 0 ? std::abs(residual[worst]) : 0.0));
}

Outcome CoordinateProjection::project_positions(double t, Vector& x) {
  double previous = infinity;
  change_.resize(layout_.p.size);
  for (int iteration = 0; iteration < 12; ++iteration) {
    if (const Outcome outcome = evaluate(t, x, part::g | part::n); outcome != Outcome::ok) return outcome;
    auto p = x.segment(layout_.p.begin, layout_.p.size);
    upper_.setZero(layout_.v.size);
    lower_ = -values_.g;
    system_->solve_near(upper_, lower_, AccelerationSystem::Rows::holonomic);
    tangent_->displacement_to_positions(p, upper_, values_.n, change_);
    const double size = largest(change_) / (1 + largest(p));
    if (!std::isfinite(size) || (size > 0.5 * previous && size > 1e-11)) break;
    p += change_;
    if (expected_after(size, previous) <= round_off) return Outcome::ok;
    previous = size;
  }
  if (previous <= 1e-11 || largest(values_.g) <= good_enough * options_.tolerance) return Outcome::ok;
  return cannot_project(t, values_.g, motion_.names().g);
}

Outcome CoordinateProjection::project_velocities(double t, Vector& x) {
  double previous = infinity;
  for (int iteration = 0; iteration < 12; ++iteration) {
    if (const Outcome outcome = evaluate(t, x, part::velocity_level); outcome != Outcome::ok) return outcome;
    auto v = x.segment(layout_.v.begin, layout_.v.size);
    upper_.setZero(layout_.v.size);
    lower_.resize(constraints_);
    lower_ << -values_.gI, -values_.h;
    system_->solve_near(upper_, lower_, AccelerationSystem::Rows::all);
    const double size = largest(upper_) / (1 + largest(v));
    if (!std::isfinite(size) || (size > 0.5 * previous && size > 1e-11)) break;
    v += upper_;
    if (expected_after(size, previous) <= round_off) return Outcome::ok;
    previous = size;
  }
  if (previous <= 1e-11) return Outcome::ok;
  Vector residual(constraints_);
  residual << values_.gI, values_.h;
  const double speed = largest(x.segment(layout_.v.begin, layout_.v.size));
  if (largest(residual) <= good_enough * options_.tolerance * (1 + speed)) return Outcome::ok;
  std::vector<std::string> names = motion_.names().g;
  names.insert(names.end(), motion_.names().h.begin(), motion_.names().h.end());
  return cannot_project(t, residual, names);
}

// Where constraints are close to singular, at a distance δ, round-off of positions becomes a change of
// velocities 1/δ² times as large. So states that are as good as can be asked are left alone.
bool CoordinateProjection::is_met(const VectorIn& x) const {
  const double speed = largest(x.segment(layout_.v.begin, layout_.v.size));
  return std::max(largest(values_.g), largest(values_.n)) <= options_.tolerance &&
         std::max(largest(values_.gI), largest(values_.h)) <= options_.tolerance * (1 + speed);
}

// Positions and velocities on the constraints, multipliers that belong to them.
Outcome CoordinateProjection::project(double t, VectorOut x) {
  const Outcome outcome = put_back(t, x);
  return outcome == Outcome::ok ? accepted(t, x) : outcome;
}

Outcome CoordinateProjection::put_back(double t, VectorOut x) {
  if (constraints_ + layout_.normalizations == 0) return Outcome::ok;
  if (const Outcome outcome = evaluate(t, x, part::g | part::n | part::velocity_level);
      outcome != Outcome::ok)
    return outcome;
  known_x_.resize(0);
  if (is_met(x)) return Outcome::ok;
  projected_p_.resize(0);
  a_.setZero();
  if (const Outcome outcome = take_matrices(t, x); outcome != Outcome::ok) return outcome;
  if (const Outcome outcome = factor_matrices(t); outcome != Outcome::ok) return outcome;
  ++statistics().closing_jacobians;
  Vector moved = x;
  Outcome outcome = project_positions(t, moved);
  if (outcome == Outcome::ok) outcome = project_velocities(t, moved);
  if (outcome != Outcome::ok) return outcome;
  x = moved;
  projected_t_ = t;
  projected_p_ = moved.segment(layout_.p.begin, layout_.p.size);
  return outcome;
}

Outcome CoordinateProjection::accepted(double t, VectorOut x) {
  const Outcome outcome = solve_accelerations(t, x);
  if (outcome != Outcome::ok) return outcome;
  x.segment(layout_.lambda.begin, constraints_) = multipliers_;
  return settle(t, x);
}

bool CoordinateProjection::measure(double t, VectorIn x, Violation& violation) {
  if (solve_accelerations(t, x) != Outcome::ok) return false;
  if (evaluate(t, x, part::position_level | part::velocity_level | part::acceleration_level | part::e) !=
      Outcome::ok)
    return false;
  violation.position = std::max({largest(values_.c), largest(values_.g), largest(values_.n)});
  violation.velocity = std::max(largest(values_.gI), largest(values_.h));
  violation.acceleration = std::max(largest(values_.gII), largest(values_.hI));
  violation.invariant = largest(values_.e);
  // values_ no longer has what belongs to known_x_
  known_x_.resize(0);
  return true;
}

void CoordinateProjection::present(VectorOut x) {
  if (!redundant_) return;
  if (take_matrices(known_t_, x) == Outcome::ok)
    system_->minimize(x.segment(layout_.lambda.begin, constraints_));
}

// --- what implicit integrators would need

Outcome CoordinateProjection::linearize(double /*t*/, VectorIn /*x*/) {
  return give_up(Reason::invalid_options, "the formulation 'projected' is for explicit integrators");
}
Outcome CoordinateProjection::factor(double /*shift*/) { return Outcome::fail; }
Outcome CoordinateProjection::factor(std::complex<double> /*shift*/) { return Outcome::fail; }
void CoordinateProjection::solve(VectorIn /*residual*/, VectorOut /*x*/) {}
void CoordinateProjection::solve(const Eigen::Ref<const ComplexVector>& /*residual*/,
                                 Eigen::Ref<ComplexVector> /*x*/) {}

}  // namespace trammel
