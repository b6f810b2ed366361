#include "trammel/formulation/projection/weighted_projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/motion/acceleration_system.h"
#include "trammel/numerics/norms.h"

namespace trammel {

namespace {

constexpr int most_iterations = 6;
// An iteration that converges slower than this gets a new matrix, or is at its end; one that is slower than the second
// gets one the next time.
constexpr double too_slow = 0.5, getting_slow = 0.1;
// Where invariants are kept too, constraints are met so much better than they must be: closing them changes invariants.
constexpr double closer = 0.03;
// What is projected is met better than it must be: the tolerances of the unknowns move with them.
constexpr double safety = 0.9;
// No constraint tolerance asks for less than this, as far as invariants are concerned.
constexpr double least_tolerance = 1e-4;

}  // namespace

WeightedProjection::WeightedProjection(TangentMotion& motion, const CoordinateProjectionOptions& options)
    : motion_(motion),
      options_(options),
      layout_(motion.layout()),
      constraints_(layout_.lambda.size + layout_.mu.size),
      values_(layout_, false),
      rest_(Vector::Zero(layout_.v.size)) {
  const Names& names = motion.names();
  const auto row_name = [&](Index row) -> const std::string& {
    return row < layout_.lambda.size ? names.g[at_index(row)] : names.h[at_index(row - layout_.lambda.size)];
  };
  for (const auto& [name, size] : options_.closures)
    for (Index row = 0; row < constraints_; ++row)
      if (is_row_of(row_name(row), name)) closures_.emplace_back(row, size);
}

void WeightedProjection::forget() {
  known_ = false;
  rates_t_ = std::numeric_limits<double>::quiet_NaN();
  measured_ = false;
  lent_in_vain_ = false;
}

void WeightedProjection::borrow_again() {
  if (borrowed_ || lent_in_vain_) forget();
}

void WeightedProjection::forget_patterns() {
  known_ = false;
  measured_ = false;
  positions_.forget_patterns();
  velocities_.forget_patterns();
}

Failure WeightedProjection::evaluate(double t, const VectorIn& x, Parts wanted) {
  try {
    motion_.evaluate({t, x, rest_}, wanted, values_);
    const std::string trouble = describe_non_finite(motion_.names(), wanted, values_);
    if (trouble.empty()) return {};
    return {Reason::not_finite, fmt::format("{} is not finite at t = {}", trouble, t)};
  } catch (const NotDetermined& what) {
    return {what.reason(), what.what()};
  } catch (const std::exception& error) {
    return {Reason::user_function_failed,
            fmt::format("a function of the equations failed at t = {}: {}", t, error.what())};
  }
}

Failure WeightedProjection::measure(double t, const VectorIn& x, const VectorIn& scale) {
  if (measured_ && measured_t_ == t && measured_x_ == x && measured_scale_ == scale) return {};
  measured_ = false;
  try {
    const std::string trouble =
        motion_.differentiate({t, x, rest_}, TangentMotion::jacobian | TangentMotion::without_mass);
    if (!trouble.empty()) return {Reason::not_finite, fmt::format("{} is not finite at t = {}", trouble, t)};
    if (motion_.pattern() != pattern_) forget_patterns();
    pattern_ = motion_.pattern();
    // rows are measured in errors, whatever the norm of the projection is
    weights_ = scale.head(x.size()).cwiseInverse();
    weights_.segment(layout_.s.begin, layout_.s.size).setZero();
    motion_.displacement_metric(t, x, weights_, position_metric_);
    velocity_metric_ =
        SparseMatrix(weights_.segment(layout_.v.begin, layout_.v.size).cwiseAbs2().asDiagonal());
    position_rows_ = motion_.slopes().jacobian.topRows(layout_.lambda.size);
  } catch (const NotDetermined& what) {
    return {what.reason(), what.what()};
  } catch (const std::exception& error) {
    return {Reason::user_function_failed,
            fmt::format("a function of the equations failed at t = {}: {}", t, error.what())};
  }
  measure_rows();
  least_scale_ = layout_.p.size > 0 ? scale.segment(layout_.p.begin, layout_.p.size).minCoeff() : 1;
  measured_ = true;
  measured_t_ = t;
  measured_x_ = x;
  measured_scale_ = scale;
  return {};
}

Failure WeightedProjection::take_matrices(double t, const VectorIn& x, const VectorIn& scale) {
  if (known_ && contraction_ <= (borrowed_ || keeps_factors_ ? too_slow : getting_slow)) return {};
  if (Failure failure = measure(t, x, scale)) return failure;
  step_.setZero(layout_.v.size);
  rows_rest_.setZero(constraints_);
  borrowed_ = lender_ && !lent_in_vain_ && lender_(rows_rest_, step_);
  known_ = borrowed_;
  contraction_ = 0;
  if (borrowed_) return {};
  ++matrices;
  const bool by_masses = options_.norm == CoordinateProjectionOptions::Norm::mass;
  if (Failure failure = evaluate(t, x, part::g)) return failure;
  const double rank_tolerance = rank_tolerance_off(values_.g);
  try {
    if (by_masses) take_masses(t, x);
    known_ =
        positions_.factor(by_masses ? masses_ : position_metric_, position_rows_, rank_tolerance) &&
        velocities_.factor(by_masses ? masses_ : velocity_metric_, motion_.slopes().jacobian, rank_tolerance);
  } catch (const NotDetermined& what) {
    return {what.reason(), what.what()};
  } catch (const std::exception& error) {
    return {Reason::user_function_failed,
            fmt::format("a function of the equations failed at t = {}: {}", t, error.what())};
  }
  if (known_) return {};
  return {Reason::newton_failed, fmt::format("the norm of the projection is singular at t = {:.10g}", t)};
}

// Rows that depend on others only where the constraints are met (Bricard's linkage) seem independent beside it, by as much as
// the state is off. To meet such a row would move the state along its motion.
double WeightedProjection::rank_tolerance_off(const Vector& g) const {
  constexpr double per_displacement = 10;
  constexpr double most = 1e-2;
  Vector squares = Vector::Zero(g.size());
  for_entries(position_rows_, [&](Index i, Index, double value) { squares[i] += value * value; });
  double displacement = 0;
  for (Index i = 0; i < g.size(); ++i)
    if (squares[i] > 0) displacement = std::max(displacement, std::abs(g[i]) / std::sqrt(squares[i]));
  return std::max(options_.rank_tolerance, std::min(most, per_displacement * displacement));
}

// In directions without mass, a little of it.
void WeightedProjection::take_masses(double t, const VectorIn& x) {
  motion_.evaluate({t, x, rest_}, part::mass, values_);
  masses_ = motion_.slopes().mass;
  const double least = AccelerationSystem::least_mass(masses_.diagonal());
  for (Index i = 0; i < masses_.cols(); ++i)
    if (masses_.coeff(i, i) < least) masses_.coeffRef(i, i) = least;
}

void WeightedProjection::meet(Level level, Vector& q, const Vector& b) {
  const bool positions = level == Level::positions;
  if (!borrowed_) return positions ? positions_.solve(q, b) : velocities_.solve(q, b);
  const Index rows = positions ? layout_.lambda.size : constraints_;
  rows_rest_ = -(motion_.slopes().jacobian * q);
  rows_rest_.head(rows) += b.head(rows);
  // positions may move as velocities do not
  rows_rest_.tail(constraints_ - rows).setZero();
  lender_(rows_rest_, step_);
  q += step_;
}

void WeightedProjection::measure_rows() {
  const auto measure = [](const SparseMatrix& metric, const SparseMatrix& rows, Vector& lengths) {
    const Vector diagonal = metric.diagonal();
    lengths.setZero(rows.rows());
    for_entries(rows, [&](Index i, Index j, double value) { lengths[i] += value * value / diagonal[j]; });
    lengths = lengths.cwiseSqrt();
    const double least = 1e-12 * largest(lengths);
    for (double& length : lengths) length = length > least ? length : std::max(least, 1e-300);
  };
  measure(position_metric_, position_rows_, position_lengths_);
  measure(velocity_metric_, motion_.slopes().jacobian, velocity_lengths_);
  if (options_.scales == CoordinateProjectionOptions::Scales::as_written) measure_rows_as_written();
  for (const auto& [row, size] : closures_) {
    if (row < layout_.lambda.size) position_lengths_[row] = size;
    velocity_lengths_[row] = size;
  }
}

void WeightedProjection::measure_rows_as_written() {
  const auto least = [&](const Block& block) {
    return block.size > 0 ? 1 / weights_.segment(block.begin, block.size).maxCoeff() : 1.0;
  };
  position_lengths_.setConstant(least(layout_.p));
  velocity_lengths_.setConstant(least(layout_.v));
  if (options_.row_scales.size() != constraints_) return;
  position_lengths_.array() *= options_.row_scales.head(layout_.lambda.size).array();
  velocity_lengths_.array() *= options_.row_scales.array();
}

double WeightedProjection::position_violation() const {
  return std::max(largest(values_.g.cwiseQuotient(position_lengths_)),
                  largest(values_.n) / (2 * least_scale_));
}

double WeightedProjection::velocity_violation() const {
  return std::max(largest(values_.gI.cwiseQuotient(velocity_lengths_.head(layout_.lambda.size))),
                  largest(values_.h.cwiseQuotient(velocity_lengths_.tail(layout_.mu.size))));
}

Failure WeightedProjection::violation(double t, const VectorIn& x, const VectorIn& scale, double& size) {
  if (Failure failure = measure(t, x, scale)) return failure;
  if (Failure failure = evaluate(t, x, part::g | part::n | part::velocity_level)) return failure;
  size = std::max(position_violation(), velocity_violation());
  directions_known_ = false;
  if (invariants_ == nullptr) return {};
  double invariant = 0;
  if (Failure failure = measure_invariants(t, x, invariant)) return failure;
  size = std::max(size, invariant);
  return {};
}

Failure WeightedProjection::cannot_project(double t) const {
  Index worst = 0;
  const bool positions = position_violation() >= velocity_violation() && values_.g.size() > 0;
  const Vector size = positions
                          ? Vector(values_.g.cwiseQuotient(position_lengths_))
                          : Vector(values_.gI.cwiseQuotient(velocity_lengths_.head(layout_.lambda.size)));
  if (size.size() > 0) size.cwiseAbs().maxCoeff(&worst);
  const std::vector<std::string>& names = motion_.names().g;
  return {Reason::newton_failed,
          fmt::format("the state cannot be put on the constraints at t = {:.10g}{}", t,
                      size.size() > 0 ? fmt::format("; '{}' is violated most", names[at_index(worst)]) : "")};
}

Failure WeightedProjection::close(Level level, double t, double tolerance, Vector& x, Course& course) {
  const bool positions = level == Level::positions;
  double previous = 0;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    if (Failure failure = evaluate(t, x, positions ? part::g | part::n : part::velocity_level))
      return failure;
    const double size = positions ? position_violation() : velocity_violation();
    if (iteration > 0) contraction_ = std::max(contraction_, size / previous);
    course = size <= tolerance ? Course::done : Course::slow;
    if (course == Course::done || (iteration > 0 && !(size <= too_slow * previous))) return {};
    previous = size;
    ++iterations;
    q_.setZero(layout_.v.size);
    if (positions) {
      residual_ = -values_.g;
      meet(level, q_, residual_);
      auto p = x.segment(layout_.p.begin, layout_.p.size);
      change_.resize(layout_.p.size);
      motion_.displacement_to_positions(p, q_, values_.n, change_);
      p += change_;
    } else {
      residual_.resize(constraints_);
      residual_ << -values_.gI, -values_.h;
      meet(level, q_, residual_);
      x.segment(layout_.v.begin, layout_.v.size) += q_;
    }
  }
  course = Course::slow;
  return {};
}

Failure WeightedProjection::project(double t, const VectorIn& scale, double tolerance, VectorOut x) {
  if (Failure failure = measure(t, x, scale)) return failure;
  tolerance *= safety;
  for (const bool anew : {false, true}) {
    if (anew) {
      known_ = false;
      lent_in_vain_ = borrowed_;
    }
    if (Failure failure = take_matrices(t, x, scale)) return failure;
    const bool fresh = contraction_ == 0;
    x_ = x;
    Course course = Course::slow;
    const double inner = invariants_ != nullptr ? closer * tolerance : tolerance;
    if (Failure failure = close(Level::positions, t, inner, x_, course)) return failure;
    if (course == Course::done)
      if (Failure failure = close(Level::velocities, t, inner, x_, course)) return failure;
    if (course == Course::done && invariants_ != nullptr)
      if (Failure failure = close_invariants(t, tolerance, x_, course)) return failure;
    if (course == Course::done) {
      x = x_;
      return {};
    }
    if (fresh && anew) break;
  }
  return cannot_project(t);
}

Failure WeightedProjection::project_error(double t, const VectorIn& x, const VectorIn& scale,
                                          VectorOut error) {
  if (Failure failure = take_matrices(t, x, scale)) return failure;
  if (Failure failure = make_tangent(t, x, error)) return failure;
  return invariants_ == nullptr ? Failure{} : project_error_of_invariants(t, x, error);
}

// Of the rows at x, where several errors may be projected.
Failure WeightedProjection::take_rates(double t, const VectorIn& x) {
  const Index n = layout_.w.begin;
  if (rates_t_ == t && rates_x_ == x.head(n)) return {};
  if (Failure failure = evaluate(t, x, part::velocity_level)) return failure;
  rates_.resize(constraints_);
  rates_ << values_.gI, values_.h;
  rates_t_ = t;
  rates_x_ = x.head(n);
  return {};
}

// The coupling is found by a difference: the rows at positions that are off by the error, made of a size that
// differences are good for.
Failure WeightedProjection::make_tangent(double t, const VectorIn& x, VectorOut error) {
  const auto p = x.segment(layout_.p.begin, layout_.p.size);
  auto error_p = error.segment(layout_.p.begin, layout_.p.size);
  auto error_v = error.segment(layout_.v.begin, layout_.v.size);
  q_.resize(layout_.v.size);
  motion_.rates_to_velocities(p, error_p, q_);
  residual_.setZero(layout_.lambda.size);
  meet(Level::positions, q_, residual_);
  change_.resize(layout_.p.size);
  other_.setZero(layout_.normalizations);
  motion_.displacement_to_positions(p, q_, other_, change_);
  error_p = change_;

  residual_.setZero(constraints_);
  const double size = largest(change_);
  if (size > 0) {
    const double factor = 1e-6 * (1 + largest(p)) / size;
    if (Failure failure = take_rates(t, x)) return failure;
    residual_ = rates_;
    beside_ = x;
    beside_.segment(layout_.p.begin, layout_.p.size) += factor * change_;
    if (Failure failure = evaluate(t, beside_, part::velocity_level)) return failure;
    residual_.head(layout_.lambda.size) -= values_.gI;
    residual_.tail(layout_.mu.size) -= values_.h;
    residual_ /= factor;
  }
  q_ = error_v;
  meet(Level::velocities, q_, residual_);
  error_v = q_;
  return {};
}

// --- invariants

// Against what a state changes them by if every unknown is off by its tolerance.
Failure WeightedProjection::measure_invariants(double t, const VectorIn& x, double& size) {
  if (Failure failure = invariants_->values(t, x, changes_)) return failure;
  if (Failure failure = invariants_->gradients(t, x, by_pose_, by_twist_)) return failure;
  const Vector q = position_metric_.diagonal().cwiseInverse();
  const Vector v = velocity_metric_.diagonal().cwiseInverse();
  invariant_lengths_ = (by_pose_.cwiseAbs2() * q + by_twist_.cwiseAbs2() * v).cwiseSqrt();
  // round-off is no violation
  const double noise = invariants_->round_off() / least_tolerance;
  for (double& length : invariant_lengths_) length = std::max(length, noise);
  size = largest(changes_.cwiseQuotient(invariant_lengths_));
  return {};
}

// After measure_invariants() near x: along each direction the invariants are measured once.
Failure WeightedProjection::find_directions(double t, const VectorIn& x) {
  const Index k = invariants_->size();
  const Vector q = position_metric_.diagonal().cwiseInverse();
  const Vector v = velocity_metric_.diagonal().cwiseInverse();
  directions_.setZero(x.size(), k);
  along_.resize(k, k);
  if (Failure failure = invariants_->values(t, x, changes_)) return failure;
  for (Index i = 0; i < k; ++i) {
    auto direction = directions_.col(i);
    q_ = q.cwiseProduct(by_pose_.row(i).transpose()) / invariant_lengths_[i];
    change_.resize(layout_.p.size);
    other_.setZero(layout_.normalizations);
    motion_.displacement_to_positions(x.segment(layout_.p.begin, layout_.p.size), q_, other_, change_);
    direction.segment(layout_.p.begin, layout_.p.size) = change_;
    direction.segment(layout_.v.begin, layout_.v.size) =
        v.cwiseProduct(by_twist_.row(i).transpose()) / invariant_lengths_[i];
    if (Failure failure = make_tangent(t, x, direction)) return failure;
    const double size = largest(direction);
    const double factor = size > 0 ? 1e-6 * (1 + largest(x.head(layout_.w.begin))) / size : 1;
    shifted_ = x + factor * direction;
    if (Failure failure = invariants_->values(t, shifted_, other_changes_)) return failure;
    along_.col(i) = (other_changes_ - changes_).cwiseQuotient(invariant_lengths_) / factor;
  }
  directions_known_ = true;
  return {};
}

// A small change along the directions, and back on the constraints.
Failure WeightedProjection::close_invariants(double t, double tolerance, Vector& x, Course& course) {
  double previous = 0;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    double size = 0;
    if (Failure failure = measure_invariants(t, x, size)) return failure;
    course = size <= tolerance ? Course::done : Course::slow;
    if (course == Course::done || (iteration > 0 && !(size <= too_slow * previous))) return {};
    previous = size;
    if (Failure failure = find_directions(t, x)) return failure;
    amounts_ = along_.fullPivLu().solve(-changes_.cwiseQuotient(invariant_lengths_));
    if (!amounts_.allFinite()) break;
    ++iterations;
    x += directions_ * amounts_;
    if (Failure failure = close(Level::positions, t, closer * tolerance, x, course)) return failure;
    if (course == Course::done)
      if (Failure failure = close(Level::velocities, t, closer * tolerance, x, course)) return failure;
    if (course != Course::done) return {};
  }
  course = Course::slow;
  return {};
}

Failure WeightedProjection::project_error_of_invariants(double t, const VectorIn& x, VectorOut error) {
  double size = 0;
  if (!directions_known_) {
    if (Failure failure = measure_invariants(t, x, size)) return failure;
    if (Failure failure = find_directions(t, x)) return failure;
  }
  size = largest(error.head(layout_.w.begin));
  if (!(size > 0)) return {};
  const double factor = 1e-6 * (1 + largest(x.head(layout_.w.begin))) / size;
  if (Failure failure = invariants_->values(t, x, changes_)) return failure;
  shifted_ = x + factor * error;
  if (Failure failure = invariants_->values(t, shifted_, other_changes_)) return failure;
  amounts_ = along_.fullPivLu().solve((changes_ - other_changes_).cwiseQuotient(invariant_lengths_) / factor);
  if (amounts_.allFinite()) error += directions_ * amounts_;
  return {};
}

}  // namespace trammel
