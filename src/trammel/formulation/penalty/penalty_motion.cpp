#include "trammel/formulation/penalty/penalty_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/numerics/norms.h"

namespace trammel {

namespace {

// w of forms with multipliers, relative to the mass that a constraint moves: as many digits as Newton's iteration gains at best.
// Where rows are nearly dependent it gains fewer of them.
constexpr double firm = 1e7;

// How long a nonholonomic constraint is taken to have been violated for, in s, at least. Half a step alone would make its force the
// weaker the shorter steps are: then slip grows, steps get shorter still, and smaller tolerances bring larger errors.
constexpr double least_slip_time = 1e-2;

}  // namespace

PenaltyMotion::PenaltyMotion(EquationsOfMotion& motion, PenaltyOptions options)
    : TangentProblem(motion),
      options_(options),
      state_(*tangent_, {.rank_tolerance = options.rank_tolerance}),
      constraints_(layout_.lambda.size + layout_.mu.size),
      forces_(Vector::Zero(layout_.v.size)),
      states_(Vector::Zero(layout_.r.size)),
      rows_(Vector::Zero(constraints_)),
      velocity_rows_(rows_),
      unknowns_(Vector::Zero(layout_.v.size + layout_.r.size)),
      moved_(rows_),
      change_(Vector::Zero(layout_.p.size)),
      none_(Vector::Zero(layout_.normalizations)),
      no_displacement_(Vector::Zero(layout_.v.size)),
      held_multipliers_(rows_),
      at_(Vector::Zero(layout_.total)) {
  index_.assign(at_index(layout_.total), 1);
  std::fill(index_.begin() + layout_.w.begin, index_.end(), 0);
  newton_index_ = index_;
  std::fill_n(newton_index_.begin() + layout_.v.begin, layout_.v.size, 2);
}

Outcome PenaltyMotion::start(double t, VectorIn x) {
  const Outcome outcome = begin(t, x);
  return outcome == Outcome::ok ? weigh_constraints(t, x) : outcome;
}

Outcome PenaltyMotion::begin(double t, const VectorIn& x) {
  matrix_.forget_patterns();
  forget_matrices();
  if (const Failure failure = state_.start(t, x)) return give_up(failure.reason, failure.message);
  if (state_.redundant()) note_redundant(state_.independent());
  if (const Failure failure = state_.accelerate(t, x)) return give_up(failure.reason, failure.message);
  a_ = state_.accelerations();
  held_multipliers_ = state_.multipliers();
  ended_t_ = t;
  ended_x_ = x;
  return Outcome::ok;
}

// Penalties are those of the start: forces must not change where a run rests.
Outcome PenaltyMotion::resume(double t, VectorIn x, Carrier& carried) {
  carried(masses_, held_multipliers_, a_);
  if (carried.is_copying()) return Outcome::ok;
  const Vector multipliers = held_multipliers_, a = a_;
  state_.forget();
  const Outcome outcome = begin(t, x);
  held_multipliers_ = multipliers;
  a_ = a;
  return outcome;
}

// 1/m_i = Σ_j D_ij² / M_jj: the mass that a constraint moves, as if velocities were not coupled by the masses.
Outcome PenaltyMotion::weigh_constraints(double t, const VectorIn& x) {
  masses_.setOnes(constraints_);
  if (constraints_ == 0) return Outcome::ok;
  Outcome outcome = differentiate(t, x, TangentMotion::jacobian);
  if (outcome == Outcome::ok) outcome = evaluate(t, x, part::mass);
  if (outcome != Outcome::ok) return outcome;
  const TangentSlopes slopes = tangent_->slopes();
  const Vector diagonal = slopes.mass.diagonal();
  const double least = AccelerationSystem::least_mass(diagonal);
  Vector inverse = Vector::Zero(constraints_);
  for_entries(slopes.jacobian, [&](Index row, int column, double value) {
    inverse[row] += value * value / std::max(diagonal[column], least);
  });
  // a row that nothing moves at the start, as of a coupler at its dead centre, is weighed like the others
  const double most = largest(inverse);
  for (Index i = 0; i < constraints_; ++i)
    if (most > 0) masses_[i] = 1 / std::max(inverse[i], 1e-6 * most);
  return Outcome::ok;
}

// --- displacements

void PenaltyMotion::displace(VectorIn from, VectorIn q, VectorOut x) {
  auto p = x.segment(layout_.p.begin, layout_.p.size);
  const auto start = from.segment(layout_.p.begin, layout_.p.size);
  tangent_->displacement_to_positions(start, q, none_, change_);
  p = start + change_;
  if (layout_.normalizations == 0) return;
  constexpr int enough = 6;
  for (int i = 0; i < enough; ++i) {
    if (evaluate(0, x, part::n) != Outcome::ok || largest(values_.n) < 1e-15) return;
    tangent_->displacement_to_positions(p, no_displacement_, values_.n, change_);
    p += change_;
  }
}

void PenaltyMotion::position_rates(double t, VectorIn x, VectorOut rates) {
  evaluate(t, x, part::kinematics);
  rates = values_.kinematics;
}

Outcome PenaltyMotion::accelerate(double t, VectorIn x, VectorOut a, VectorOut state_rates) {
  if (const Failure failure = state_.accelerate(t, x)) return try_again(failure.reason, failure.message);
  a = state_.accelerations();
  state_rates = state_.values().b;
  return Outcome::ok;
}

// --- Newton's iteration

// Sets rows_ to what the constraints are off by: as displacements, and where velocities are constrained divided by c.
Outcome PenaltyMotion::residual(double t, VectorOut x, VectorIn a, VectorIn state_rates) {
  ++statistics().evaluations;
  const Layout& l = layout_;
  const bool velocities_count = options_.form == Form::ggl || l.mu.size > 0;
  if (constraints_ > 0) {
    const Parts wanted = part::g | (velocities_count ? Parts{part::velocity_level} : 0u);
    if (const Outcome outcome = evaluate(t, x, wanted); outcome != Outcome::ok) return outcome;
    rows_ << values_.g, values_.h;
    if (velocities_count) velocity_rows_ << values_.gI, values_.h;
    violation_ = largest(rows_);
    if (!has_multipliers()) {
      // α g; velocities as if they had been off for half a step, or longer
      multipliers(x) = weights_.acceleration * penalties_.cwiseProduct(rows_);
      multipliers(x).tail(l.mu.size) /= weights_.velocity;
    }
  }
  const Outcome outcome = evaluate(t, x, part::dynamics | part::mass | (l.r.size > 0 ? Parts{part::b} : 0u));
  if (outcome != Outcome::ok) return outcome;
  forces_ = values_.dynamics;
  const double size = largest(forces_);
  forces_.noalias() -= tangent_->slopes().mass * a;
  const double inertial = largest(values_.dynamics - forces_);
  if (l.r.size > 0) states_ = values_.b - state_rates;
  relative_residual_ = largest(forces_) / std::max({size, inertial, 1e-300});
  return Outcome::ok;
}

// Where positions alone are constrained they decide accelerations across the constraints too: those of a step h have an error of
// ε/h² from the round-off of positions, of which a hundredth of the accelerations does no harm.
double PenaltyMotion::shortest_step(VectorIn x, VectorIn a) const {
  if (options_.form != Form::index3 || constraints_ == 0) return 0;
  const double positions = std::max(1.0, largest(x.segment(layout_.p.begin, layout_.p.size)));
  return std::sqrt(std::numeric_limits<double>::epsilon() * positions / (1e-2 * std::max(1.0, largest(a))));
}

void PenaltyMotion::set_weights(const SecondOrderWeights& weights) {
  weights_ = weights;
  if (has_multipliers())
    penalties_ = firm * masses_;
  else if (options_.scaled)
    penalties_ = options_.factor / weights.acceleration * masses_;
  else
    penalties_.setConstant(constraints_, options_.factor / weights.acceleration);
  if (!has_multipliers())
    penalties_.tail(layout_.mu.size) *= std::max(1.0, least_slip_time * weights.velocity);
}

Outcome PenaltyMotion::factor(double t, VectorIn x, VectorIn a) {
  const bool fresh = iterations_of_slopes_ < 0 || iterations_of_slopes_ >= options_.jacobian_iterations;
  Outcome outcome = Outcome::ok;
  if (fresh) {
    ++statistics().jacobians;
    iterations_of_slopes_ = 0;
    at_ = x;
    // in the middle of an iteration penalties are anything
    if (!has_multipliers()) at_.segment(layout_.lambda.begin, constraints_) = held_multipliers_;
    a_ = a;
    outcome = differentiate(t, at_, TangentMotion::jacobian | TangentMotion::forces);
  } else if (constraints_ > 0) {
    outcome = differentiate(t, x, TangentMotion::jacobian);
  }
  if (outcome != Outcome::ok) {
    forget_matrices();
    return outcome;
  }
  ++iterations_of_slopes_;
  ++statistics().decompositions;
  if (matrix_.factor(tangent_->slopes(), weights_, penalties_)) return Outcome::ok;
  forget_matrices();
  return try_again(Reason::differential_singular, "the matrix of Newton's iteration is singular");
}

void PenaltyMotion::subtract_forces(const Vector& rows, VectorOut forces) const {
  const TangentSlopes slopes = tangent_->slopes();
  forces.noalias() -= slopes.jacobian.transpose() * rows;
  if (slopes.force_multiplier.nonZeros() > 0) forces.noalias() += slopes.force_multiplier * rows;
}

// The displacement by forces of the constraints alone.
void PenaltyMotion::solve_rows(const Vector& rows) {
  ++statistics().backsubstitutions;
  unknowns_.setZero();
  subtract_forces(rows, unknowns_.head(layout_.v.size));
  matrix_.solve(unknowns_);
}

void PenaltyMotion::solve(VectorOut x, VectorOut q, VectorOut aside, VectorOut states) {
  ++statistics().backsubstitutions;
  const Layout& l = layout_;
  auto upper = unknowns_.head(l.v.size);
  upper = forces_ / weights_.acceleration;
  unknowns_.tail(l.r.size) = states_;
  aside.setZero();
  const bool corrects = has_multipliers() && constraints_ > 0;
  if (corrects) {
    // what has to be made up for by the displacement that velocities follow
    if (options_.form == Form::ggl) {
      velocity_rows_ /= weights_.velocity;
    } else {
      velocity_rows_ = rows_;
      velocity_rows_.tail(l.mu.size) /= weights_.velocity;
    }
    velocity_rows_.array() *= penalties_.array();
    subtract_forces(velocity_rows_, upper);
  }
  matrix_.solve(unknowns_);
  q = upper;
  states = unknowns_.tail(l.r.size);
  if (constraints_ == 0) return;
  moved_.noalias() = tangent_->slopes().jacobian * q;
  moved_.array() *= weights_.acceleration * penalties_.array();
  if (corrects) moved_ += weights_.acceleration * velocity_rows_;
  multipliers(x) += moved_;
  if (options_.form != Form::ggl) return;
  rows_.tail(l.mu.size).setZero();
  rows_.array() *= penalties_.array();
  solve_rows(rows_);
  aside = upper;
}

// --- the end of a step

// Once, or until they hold: velocities of x, or accelerations.
Outcome PenaltyMotion::constrain(double t, VectorOut x, VectorOut values, Level level) {
  constexpr int patience = 10;
  const bool once = options_.form == Form::penalty;
  double previous = std::numeric_limits<double>::infinity();
  for (int i = 0; i < patience; ++i) {
    if (level == Level::accelerations) a_ = values;
    const Outcome outcome =
        evaluate(t, x, level == Level::velocities ? part::velocity_level : part::acceleration_level);
    if (outcome != Outcome::ok) return outcome;
    if (level == Level::velocities)
      rows_ << values_.gI, values_.h;
    else
      rows_ << values_.gII, values_.hI;
    const double off = largest(rows_);
    if (!once && (off <= options_.level * std::max(1.0, largest(values)) || !(off < previous)))
      return outcome;
    previous = off;
    ++statistics().projection_iterations;
    rows_.array() *= penalties_.array();
    solve_rows(rows_);
    values += unknowns_.head(layout_.v.size);
    if (level == Level::accelerations) {
      // forces that make up for the change
      moved_.noalias() = tangent_->slopes().jacobian * unknowns_.head(layout_.v.size);
      rows_.array() += penalties_.array() * moved_.array();
      multipliers(x) += rows_;
    }
    if (once) return outcome;
  }
  return Outcome::ok;
}

Outcome PenaltyMotion::finish(double t, VectorOut x, VectorOut a) {
  Outcome outcome = Outcome::ok;
  if (projects()) {
    ++statistics().projections;
    outcome = constrain(t, x, x.segment(layout_.v.begin, layout_.v.size), Level::velocities);
    if (outcome == Outcome::ok) outcome = constrain(t, x, a, Level::accelerations);
  }
  a_ = a;
  return outcome;
}

// With multipliers, and without projection, accelerations oscillate across the constraints.
Outcome PenaltyMotion::smooth(double t, VectorIn x, VectorIn a, VectorOut smooth) {
  smooth = a;
  if (projects() || constraints_ == 0) return Outcome::ok;
  const Outcome outcome = evaluate(t, x, part::acceleration_level);
  if (outcome != Outcome::ok) return outcome;
  rows_ << values_.gII, values_.hI;
  rows_.array() *= penalties_.array();
  solve_rows(rows_);
  smooth += unknowns_.head(layout_.v.size);
  return outcome;
}

Outcome PenaltyMotion::accepted(double t, VectorOut x) {
  held_multipliers_ = x.segment(layout_.lambda.begin, constraints_);
  const Outcome outcome = settle(t, x);
  ended_t_ = t;
  ended_x_ = x;
  return outcome;
}

const Vector* PenaltyMotion::accelerations_at(double t, VectorIn x) {
  const bool here = ended_t_ == t && ended_x_.head(layout_.w.begin) == x.head(layout_.w.begin);
  return here ? &a_ : nullptr;
}

}  // namespace trammel
