#include "trammel/formulation/splitting/coordinate_splitting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/numerics/norms.h"

namespace trammel {

namespace {

double largest_entry(const SparseMatrix& matrix) {
  return largest(Eigen::Map<const Vector>(matrix.valuePtr(), matrix.nonZeros()));
}

}  // namespace

CoordinateSplitting::CoordinateSplitting(EquationsOfMotion& motion, CoordinateSplittingOptions options)
    : TangentProblem(motion),
      options_(options),
      holonomic_(layout_.lambda.size),
      constraints_(layout_.lambda.size + layout_.mu.size),
      system_(layout_),
      reactions_(*tangent_, {.rank_tolerance = options.rank_tolerance}) {
  index_.assign(at_index(layout_.total), 0);
  newton_index_ = index_;
  std::fill_n(newton_index_.begin() + layout_.p.begin, layout_.p.size, 1);
  std::fill_n(newton_index_.begin() + layout_.v.begin, layout_.v.size, options_.velocity_index);
  std::fill_n(newton_index_.begin() + layout_.r.begin, layout_.r.size, 1);
}

void CoordinateSplitting::patterns_grown() {
  const SparseMatrix& D = tangent_->slopes().jacobian;
  velocities_.renew_pattern(D);
  if (constraints_ > holonomic_) positions_.renew_pattern(D);
  system_.forget_patterns();
}

// --- coordinates

Outcome CoordinateSplitting::coordinates_singular(double t) {
  return try_again(Reason::position_rank,
                   fmt::format("no splitting of the coordinates is good at t = {:.10g}: the constraints are "
                               "singular there. The method 'psf/radau5' passes such positions.",
                               t));
}

// D at (t, x), factored for the coordinates at hand.
Outcome CoordinateSplitting::take_jacobian(double t, const VectorIn& x) {
  if (const Outcome outcome = differentiate(t, x, TangentMotion::jacobian); outcome != Outcome::ok)
    return outcome;
  const SparseMatrix& D = tangent_->slopes().jacobian;
  const bool good = velocities_.factor(D) && (constraints_ == holonomic_ || positions_.factor(D));
  return good ? Outcome::ok : coordinates_singular(t);
}

// After differentiate().
Outcome CoordinateSplitting::choose_coordinates(double t, bool careful) {
  ++statistics().selectors;
  const SparseMatrix& D = tangent_->slopes().jacobian;
  const Vector alike = Vector::Ones(layout_.v.size);
  velocities_.choose(D, constraints_, alike, options_.rank_tolerance, careful);
  if (constraints_ > holonomic_) positions_.choose(D, holonomic_, alike, options_.rank_tolerance, careful);
  constexpr double hopeless = 1e14;
  if (!(position_partition().least_condition() < hopeless) || !(velocities_.least_condition() < hopeless))
    return coordinates_singular(t);
  set_index();
  return Outcome::ok;
}

// Rows that follow from others do so up to round-off, unless the choice of rows has become poor.
bool CoordinateSplitting::rows_left_out_hold(double t, const VectorIn& x) {
  if (!velocities_.redundant() && !position_partition().redundant()) return true;
  if (evaluate(t, x, part::g | part::velocity_level) != Outcome::ok) return true;
  return largest(values_.g) <= 1e-12 && largest(values_.gI) <= 1e-11 && largest(values_.h) <= 1e-11;
}

// After take_jacobian() at a state that is closed: redundant rows depend on the others only there.
Outcome CoordinateSplitting::renew_coordinates(double t, const VectorIn& x) {
  const bool careful = !rows_left_out_hold(t, x);
  const bool degraded = velocities_.has_degraded(options_.growth);
  if (!careful && !degraded && (constraints_ == holonomic_ || !positions_.has_degraded(options_.growth)))
    return Outcome::ok;
  const Index y = position_partition().size(), w = velocities_.size();
  if (const Outcome outcome = choose_coordinates(t, careful); outcome != Outcome::ok) return outcome;
  if (position_partition().size() == y && velocities_.size() == w) return Outcome::ok;
  return give_up(
      Reason::rank_changed,
      fmt::format("the number of degrees of freedom changes from {} to {} at t = {:.10g}. The method "
                  "'psf/radau5' can go on.",
                  w, velocities_.size(), t));
}

// Dependent coordinates are geometry. Positions that are not displacements themselves, such as Euler
// parameters, count if an independent displacement moves them: seen at a position where none of them is zero.
void CoordinateSplitting::set_index() {
  const Layout& l = layout_;
  std::fill(index_.begin(), index_.end(), 0);
  const Vector all = sample_velocities(), none = Vector::Zero(l.normalizations);
  Vector independent = Vector::Zero(l.v.size), elsewhere = held_.segment(l.p.begin, l.p.size);
  for (const Index i : position_partition().independent()) independent[i] = all[i];
  change_.resize(l.p.size);
  tangent_->displacement_to_positions(elsewhere, all, none, change_);
  elsewhere += change_;
  tangent_->displacement_to_positions(elsewhere, independent, none, change_);
  for (Index i = 0; i < l.p.size; ++i)
    if (change_[i] != 0) index_[at_index(l.p.begin + i)] = 1;
  for (const Index i : velocities_.independent()) index_[at_index(l.v.begin + i)] = options_.velocity_index;
  std::fill_n(index_.begin() + l.r.begin, l.r.size, 1);
  counted_ =
      std::max<Index>(static_cast<Index>(index_.size()) - std::count(index_.begin(), index_.end(), 0), 1);
  // what drivers move may depend on nothing but time; it must not dilute the errors of the rest
  if (driven_) std::fill_n(index_.begin() + l.p.begin, l.p.size, 1);
}

// --- start

Outcome CoordinateSplitting::start(double t, VectorIn x) {
  exact_ = options_.iteration == CoordinateSplittingOptions::Iteration::cs;
  rate_[0] = rate_[1] = 0;
  known_ = false;
  held_t_ = t;
  held_ = x;
  driven_ = constraints_are_driven(t, x);
  forecast_.forget();
  if (const Outcome outcome = refuse_reactions_in_forces(t, x); outcome != Outcome::ok) return outcome;
  a_.setZero();
  Outcome outcome = differentiate(t, x, TangentMotion::jacobian | TangentMotion::forces);
  if (outcome == Outcome::ok) outcome = choose_coordinates(t, false);
  if (outcome != Outcome::ok) return outcome;
  note_redundant(velocities_.counts());
  if (const Failure failure = reactions_.start(t, x)) return give_up(failure.reason, failure.message);
  outcome = find_rates(t, x);
  if (outcome == Outcome::ok) remember_position(t, x);
  return outcome;
}

// In motion and under load: friction does nothing at rest.
Outcome CoordinateSplitting::refuse_reactions_in_forces(double t, VectorIn x) {
  Vector moving = x;
  moving.segment(layout_.v.begin, layout_.v.size) += sample_velocities();
  moving.segment(layout_.lambda.begin, constraints_).array() += 1;
  const Outcome outcome = differentiate(t, moving, TangentMotion::jacobian | TangentMotion::forces);
  if (outcome != Outcome::ok) return outcome;
  const TangentSlopes slopes = tangent_->slopes();
  if (largest_entry(slopes.force_multiplier) <= 1e-9 * (1 + largest_entry(slopes.jacobian)) &&
      largest_entry(slopes.state_multiplier) == 0)
    return Outcome::ok;
  return give_up(
      Reason::invalid_options,
      "coordinate splitting has no multipliers, so forces must not depend on reactions (friction); use "
      "'psf' or 'partitioned'");
}

// x' that belongs to a consistent state.
Outcome CoordinateSplitting::find_rates(double t, const VectorIn& x) {
  if (const Failure failure = reactions_.accelerate(t, x)) return give_up(failure.reason, failure.message);
  xdot_.setZero(layout_.total);
  xdot_.segment(layout_.p.begin, layout_.p.size) = reactions_.values().kinematics;
  xdot_.segment(layout_.v.begin, layout_.v.size) = reactions_.accelerations();
  xdot_.segment(layout_.r.begin, layout_.r.size) = reactions_.values().b;
  return Outcome::ok;
}

// --- the problem

// x without multipliers, and with what follows from the others as it was at the last step's end.
void CoordinateSplitting::set_state(const VectorIn& x) {
  state_ = x;
  state_.segment(layout_.lambda.begin, constraints_).setZero();
  state_.segment(layout_.s.begin, layout_.s.size) = held_.segment(layout_.s.begin, layout_.s.size);
  state_.segment(layout_.w.begin, layout_.w.size) = held_.segment(layout_.w.begin, layout_.w.size);
}

// r₁ and r₂ with their multipliers, and the other rows in values_.
Outcome CoordinateSplitting::evaluate_rows(double t, const VectorIn& x, const VectorIn& xdot) {
  const Layout& l = layout_;
  if (known_ && known_t_ == t && known_x_ == x && xdot_ == xdot) return Outcome::ok;
  known_ = false;
  set_state(x);
  if (const Outcome outcome = take_jacobian(t, state_); outcome != Outcome::ok) return outcome;
  const Outcome outcome =
      evaluate(t, state_, part::dynamics | part::mass | part::b | part::g | part::n | part::velocity_level);
  if (outcome != Outcome::ok) return outcome;
  const TangentSlopes slopes = tangent_->slopes();

  kinematic_.resize(l.v.size);
  tangent_->rates_to_velocities(x.segment(l.p.begin, l.p.size), xdot.segment(l.p.begin, l.p.size),
                                kinematic_);
  kinematic_ = x.segment(l.v.begin, l.v.size) - kinematic_;
  position_partition().multipliers(kinematic_, s_kinematic_);
  kinematic_.noalias() -= slopes.jacobian.transpose() * s_kinematic_;

  dynamic_ = values_.dynamics;
  dynamic_.noalias() -= slopes.mass * xdot.segment(l.v.begin, l.v.size);
  velocities_.multipliers(dynamic_, s_dynamic_);
  dynamic_.noalias() -= slopes.jacobian.transpose() * s_dynamic_;

  known_ = true;
  known_t_ = t;
  known_x_ = x;
  xdot_ = xdot;
  return Outcome::ok;
}

Outcome CoordinateSplitting::residual(double t, VectorIn x, VectorIn xdot, VectorOut out) {
  ++statistics().evaluations;
  if (const Outcome outcome = evaluate_rows(t, x, xdot); outcome != Outcome::ok) return outcome;
  const Layout& l = layout_;
  const auto put = [](const SparsePartition& partition, const Vector& projected, const Vector& g,
                      const Vector& h, VectorOut to) {
    for (const Index i : partition.independent()) to[i] = projected[i];
    for (std::size_t k = 0; k < partition.dependent().size(); ++k) {
      const Index row = partition.rows()[k];
      to[partition.dependent()[k]] = row < g.size() ? g[row] : h[row - g.size()];
    }
  };
  put(position_partition(), kinematic_, values_.g, {}, out.head(l.v.size));
  out.segment(l.v.size, l.normalizations) = values_.n;
  put(velocities_, dynamic_, values_.gI, values_.h, out.segment(l.v.size + l.normalizations, l.v.size));
  out.tail(l.r.size) = values_.b - xdot.segment(l.r.begin, l.r.size);
  return Outcome::ok;
}

// --- the choice between the two iterations

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

}  // namespace trammel
