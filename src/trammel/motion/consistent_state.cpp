#include "trammel/motion/consistent_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/motion/sparse_accelerations.h"
#include "trammel/numerics/norms.h"
#include "trammel/numerics/sparse_rank.h"

namespace trammel {

namespace {

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

// What a function of the equations throws becomes a failure, and so does what it says is not finite.
template <class Function>
Failure guarded(double t, const Function& function) {
  std::string trouble;
  try {
    trouble = function();
  } catch (const NotDetermined& what) {
    return {what.reason(), what.what()};
  } catch (const std::exception& error) {
    return {Reason::user_function_failed,
            fmt::format("a function of the equations failed at t = {}: {}", t, error.what())};
  } catch (...) {
    return {Reason::user_function_failed,
            fmt::format("a function of the equations threw something that is not an exception at t = {}", t)};
  }
  if (trouble.empty()) return {};
  return {Reason::not_finite, fmt::format("{} is not finite at t = {}", trouble, t)};
}

}  // namespace

void Violation::include(const Violation& other) {
  position = std::max(position, other.position);
  velocity = std::max(velocity, other.velocity);
  acceleration = std::max(acceleration, other.acceleration);
  invariant = std::max(invariant, other.invariant);
}

ConsistentState::ConsistentState(TangentMotion& motion, ConsistentStateOptions options)
    : motion_(motion),
      options_(options),
      layout_(motion.layout()),
      system_(motion.acceleration_system(options.rank_tolerance)),
      constraints_(layout_.lambda.size + layout_.mu.size),
      values_(layout_, false),
      a_(Vector::Zero(layout_.v.size)),
      multipliers_(Vector::Zero(constraints_)),
      rest_(a_),
      invariant_base_(Vector::Zero(layout_.invariants)) {}

Failure ConsistentState::evaluate(double t, const VectorIn& x, const VectorIn& a, Parts wanted) {
  return guarded(t, [&] {
    motion_.evaluate({t, x, a}, wanted, values_);
    return describe_non_finite(motion_.names(), wanted & ~Parts{part::mass}, values_);
  });
}

Failure ConsistentState::take_matrices(double t, const VectorIn& x) {
  return guarded(t, [&] {
    system_->take({t, x, a_});
    return std::string();
  });
}

Failure ConsistentState::factor_matrices(double t) {
  ++counts.factorizations;
  if (system_->factor()) return {};
  return {Reason::mass_singular,
          fmt::format("the mass matrix is singular in a direction that the constraints leave free at t = "
                      "{:.10g}. Give every body a mass, or constrain it.",
                      t)};
}

void ConsistentState::forget() {
  system_ = motion_.acceleration_system(options_.rank_tolerance);
  known_x_.resize(0);
  projected_p_.resize(0);
}

Failure ConsistentState::start(double t, const VectorIn& x) {
  known_x_.resize(0);
  projected_p_.resize(0);
  a_.setZero();
  multipliers_ = x.segment(layout_.lambda.begin, constraints_);
  if (Failure failure = evaluate(t, x, a_, part::kinematics)) return failure;
  if (Failure failure = take_matrices(t, x)) return failure;
  redundant_ = system_->find_redundant(independent_);
  rank_ = std::count(independent_.begin(), independent_.end(), char{1});
  return look_for_coupling(t, x);
}

// Whether forces depend on multipliers: look at what is left of the dynamics without −Dᵀλ, in motion, because
// friction does nothing at rest.
Failure ConsistentState::look_for_coupling(double t, const VectorIn& x) {
  state_ = x;
  for (Index i = 0; i < layout_.v.size; ++i) {
    const double irrational = 0.6180339887498949 * static_cast<double>(i + 1);
    state_[layout_.v.begin + i] += 0.5 + irrational - std::floor(irrational);
  }
  Vector difference = Vector::Zero(layout_.v.size);
  for (int side : {0, 1}) {
    for (Index i = 0; i < constraints_; ++i)
      state_[layout_.lambda.begin + i] = side == 0 ? 0.0 : 1 + 0.3 * static_cast<double>(i % 5);
    if (Failure failure = evaluate(t, state_, a_, part::dynamics)) return failure;
    difference = values_.dynamics - difference;
  }
  lower_.setZero(constraints_);
  system_->subtract_product(rest_, -state_.segment(layout_.lambda.begin, constraints_), difference, lower_);
  coupled_ = largest(difference) > 1e-9;
  return {};
}

// --- accelerations

Failure ConsistentState::accelerate(double t, const VectorIn& x) {
  const auto dynamic = x.head(layout_.w.begin);
  if (known_t_ == t && known_x_.size() == dynamic.size() && known_x_ == dynamic) return {};
  known_x_.resize(0);
  state_ = x;
  a_.setZero();
  if (!coupled_) multipliers_.setZero();
  Failure failure = correct_accelerations(t);
  double previous = infinity;
  for (int iteration = 1; coupled_ && !failure; ++iteration) {
    const double size =
        std::max(largest(upper_) / (1 + largest(a_)), largest(lower_) / (1 + largest(multipliers_)));
    if (size <= exact || (size <= 1e-9 && !(size < previous))) break;
    if (iteration == 50 || (iteration > 3 && size > 0.5 * previous)) {
      failure = accelerate_coupled(t);
      break;
    }
    previous = size;
    failure = correct_accelerations(t);
  }
  if (failure) return failure;
  known_t_ = t;
  known_x_ = dynamic;
  return {};
}

// Newton's iteration with the derivatives of forces by multipliers, where corrections without them do not
// converge.
Failure ConsistentState::accelerate_coupled(double t) {
  const Failure none{Reason::newton_failed, fmt::format("the accelerations cannot be found at t = {:.10g}: "
                                                        "forces depend too strongly on reactions",
                                                        t)};
  for (int round = 0; round < 4; ++round) {
    state_.segment(layout_.lambda.begin, constraints_) = multipliers_;
    if (Failure failure = guarded(t, [&] {
          return motion_.differentiate({t, state_, a_}, TangentMotion::everything);
        }))
      return failure;
    const TangentSlopes slopes = motion_.slopes();
    SparseKkt kkt;
    if (!kkt.factor(slopes.mass, slopes.jacobian, independent_, 0, &slopes.force_multiplier)) return none;
    Failure failure;
    const bool found = solve_accelerations(
        layout_, slopes.mass, independent_, kkt, values_, state_, a_, upper_, lower_, [&](const Vector& at) {
          failure =
              evaluate(t, at, a_, part::dynamics | part::acceleration_level | part::kinematics | part::b);
          return !failure;
        });
    if (failure) return failure;
    multipliers_ = state_.segment(layout_.lambda.begin, constraints_);
    if (found) return {};
  }
  return none;
}

// One correction of a_ and multipliers_ at state_; the only one, unless forces depend on multipliers.
Failure ConsistentState::correct_accelerations(double t) {
  const Layout& l = layout_;
  state_.segment(l.lambda.begin, constraints_) = multipliers_;
  if (Failure failure =
          evaluate(t, state_, a_, part::dynamics | part::acceleration_level | part::kinematics | part::b))
    return failure;
  const auto p = state_.segment(l.p.begin, l.p.size);
  const bool near = projected_t_ == t && projected_p_.size() == p.size() && projected_p_ == p;
  if (Failure failure = take_matrices(t, state_)) return failure;
  upper_ = values_.dynamics;
  if (largest(a_) > 0) {  // M a is what is there already
    lower_.setZero(constraints_);
    system_->subtract_product(a_, Vector::Zero(constraints_), upper_, lower_);
  }
  lower_.resize(constraints_);
  lower_ << -values_.gII, -values_.hI;
  for (const bool fresh : {!near, true}) {
    if (fresh)
      if (Failure failure = factor_matrices(t)) return failure;
    work_ = upper_;
    change_ = lower_;
    const double left = system_->solve(work_, change_, exact);
    may_be_singular_ = system_->left_something();
    ++counts.solutions;
    if (!std::isfinite(left))
      return {Reason::not_finite, fmt::format("the accelerations are not finite at t = {:.10g}", t)};
    if (!fresh && !(left <= 1e-11)) continue;  // factors of near by did not serve
    upper_ = work_;
    lower_ = change_;
    break;
  }
  a_ += upper_;
  multipliers_ += lower_;
  return {};
}

// --- projection

Failure ConsistentState::cannot_project(double t, const Vector& residual,
                                        const std::vector<std::string>& names) const {
  Index worst = 0;
  if (residual.size() > 0) residual.cwiseAbs().maxCoeff(&worst);
  return {Reason::newton_failed,
          fmt::format("the state cannot be put back on the constraints at t = {:.10g}; '{}' is violated "
                      "most, by {:.3g}",
                      t, names.empty() ? "" : names[static_cast<std::size_t>(worst)],
                      residual.size() > 0 ? std::abs(residual[worst]) : 0.0)};
}

Failure ConsistentState::project_positions(double t, Vector& x) {
  double previous = infinity;
  change_.resize(layout_.p.size);
  for (int iteration = 0; iteration < 12; ++iteration) {
    if (Failure failure = evaluate(t, x, rest_, part::g | part::n)) return failure;
    auto p = x.segment(layout_.p.begin, layout_.p.size);
    upper_.setZero(layout_.v.size);
    lower_ = -values_.g;
    system_->solve_near(upper_, lower_, AccelerationSystem::Rows::holonomic);
    motion_.displacement_to_positions(p, upper_, values_.n, change_);
    const double size = largest(change_) / (1 + largest(p));
    if (!std::isfinite(size) || (size > 0.5 * previous && size > 1e-11)) break;
    p += change_;
    if (expected_after(size, previous) <= round_off) return {};
    previous = size;
  }
  if (previous <= 1e-11 || largest(values_.g) <= good_enough * options_.tolerance) return {};
  return cannot_project(t, values_.g, motion_.names().g);
}

Failure ConsistentState::project_velocities(double t, Vector& x) {
  double previous = infinity;
  for (int iteration = 0; iteration < 12; ++iteration) {
    if (Failure failure = evaluate(t, x, rest_, part::velocity_level)) return failure;
    auto v = x.segment(layout_.v.begin, layout_.v.size);
    upper_.setZero(layout_.v.size);
    lower_.resize(constraints_);
    lower_ << -values_.gI, -values_.h;
    system_->solve_near(upper_, lower_, AccelerationSystem::Rows::all);
    const double size = largest(upper_) / (1 + largest(v));
    if (!std::isfinite(size) || (size > 0.5 * previous && size > 1e-11)) break;
    v += upper_;
    if (expected_after(size, previous) <= round_off) return {};
    previous = size;
  }
  if (previous <= 1e-11) return {};
  Vector residual(constraints_);
  residual << values_.gI, values_.h;
  const double speed = largest(x.segment(layout_.v.begin, layout_.v.size));
  if (largest(residual) <= good_enough * options_.tolerance * (1 + speed)) return {};
  std::vector<std::string> names = motion_.names().g;
  names.insert(names.end(), motion_.names().h.begin(), motion_.names().h.end());
  return cannot_project(t, residual, names);
}

// Where constraints are close to singular, at a distance δ, round-off of positions becomes a change of
// velocities 1/δ² times as large. So states that are as good as can be asked are left alone.
bool ConsistentState::is_met(const VectorIn& x) const {
  const double speed = largest(x.segment(layout_.v.begin, layout_.v.size));
  return std::max(largest(values_.g), largest(values_.n)) <= options_.tolerance &&
         std::max(largest(values_.gI), largest(values_.h)) <= options_.tolerance * (1 + speed);
}

Failure ConsistentState::project(double t, VectorOut x) {
  if (constraints_ + layout_.normalizations == 0) return {};
  if (Failure failure = evaluate(t, x, rest_, part::g | part::n | part::velocity_level)) return failure;
  known_x_.resize(0);
  if (is_met(x)) return {};
  projected_p_.resize(0);
  a_.setZero();
  if (Failure failure = take_matrices(t, x)) return failure;
  if (Failure failure = factor_matrices(t)) return failure;
  ++counts.projections;
  Vector moved = x;
  if (Failure failure = project_positions(t, moved)) return failure;
  if (Failure failure = project_velocities(t, moved)) return failure;
  x = moved;
  projected_t_ = t;
  projected_p_ = moved.segment(layout_.p.begin, layout_.p.size);
  return {};
}

// --- what is shown

Failure ConsistentState::find_multipliers(double t, VectorOut x) {
  if (Failure failure = accelerate(t, x)) return failure;
  x.segment(layout_.lambda.begin, constraints_) = multipliers_;
  return guarded(t, [&] {
    motion_.settle(t, x);
    return std::string();
  });
}

Failure ConsistentState::complete(double t, VectorOut x) {
  if (Failure failure = project(t, x)) return failure;
  return find_multipliers(t, x);
}

void ConsistentState::present(double t, VectorOut x) {
  if (!redundant_) return;
  known_x_.resize(0);
  if (!take_matrices(t, x)) system_->minimize(x.segment(layout_.lambda.begin, constraints_));
}

bool ConsistentState::is_singular(double t, const VectorIn& x) {
  // closer than this, errors of a usual tolerance are larger in reactions than these
  constexpr double nearly = 1e-5;
  known_x_.resize(0);
  if (take_matrices(t, x)) return false;
  SparseRank rank;
  return rank.factor(motion_.slopes().jacobian, nearly) && rank.rank() < rank_;
}

Failure ConsistentState::rebase_invariants(double t, const VectorIn& x) {
  if (layout_.invariants == 0) return {};
  known_x_.resize(0);
  if (Failure failure = evaluate(t, x, rest_, part::e)) return failure;
  invariant_base_ = values_.e;
  return {};
}

Failure ConsistentState::measure(double t, const VectorIn& x, const VectorIn& a, Violation& violation) {
  known_x_.resize(0);  // values_ will no longer have what belongs to it
  if (Failure failure =
          evaluate(t, x, a, part::position_level | part::velocity_level | part::acceleration_level | part::e))
    return failure;
  violation.position = std::max({largest(values_.c), largest(values_.g), largest(values_.n)});
  violation.velocity = std::max(largest(values_.gI), largest(values_.h));
  violation.acceleration = std::max(largest(values_.gII), largest(values_.hI));
  violation.invariant = largest(values_.e - invariant_base_);
  return {};
}

}  // namespace trammel
