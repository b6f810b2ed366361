#include "trammel/formulation/psf/projected_strangeness_free.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace trammel {

ProjectedStrangenessFree::ProjectedStrangenessFree(EquationsOfMotion& motion,
                                                   ProjectedStrangenessFreeOptions options)
    : TangentProblem(motion),
      options_(options),
      positions_(layout_.p.size),
      velocities_(layout_.v.size),
      states_(layout_.r.size),
      holonomic_(layout_.lambda.size),
      constraints_(layout_.lambda.size + layout_.mu.size),
      normalizations_(layout_.normalizations),
      followers_(layout_.s.size + layout_.w.size),
      invariants_(options.enforce_invariants ? layout_.invariants : 0),
      constant_mass_(motion.structure().constant_mass),
      invariant_base_(Vector::Zero(layout_.invariants)) {
  // κ, η and ν are of index 2, for Newton's iteration. In the error of a step κ counts with h²: λ takes its
  // place at the end, so that it matters by the displacement that it makes within a step. Forces that change in the
  // midst of a step (stiff springs on their way to rest) show there first. η and ν vanish on the solution. In the
  // incomplete form κ is what is shown
  index_.assign(at_index(unknowns()), 1);
  std::fill_n(index_.begin() + layout_.w.begin, followers_, 0);  // w and s are neighbours
  newton_index_ = index_;
  std::fill(newton_index_.begin() + layout_.lambda.begin, newton_index_.end(), 2);
  std::fill(index_.begin() + layout_.lambda.begin, index_.end(), 0);
  std::fill_n(index_.begin() + layout_.lambda.begin, constraints_, is_complete() ? 3 : 2);
}

// --- choice of rows

// Rows of the constraints that determine the others, at the last point of differentiation.
void ProjectedStrangenessFree::choose_rows() {
  const SparseMatrix& D = tangent_->slopes().jacobian;
  rows_.active.assign(at_index(constraints_), 0);
  rank_.factor(D.topRows(holonomic_), options_.rank_tolerance);
  for (const Index row : rank_.independent_rows()) rows_.active[at_index(row)] = 1;
  Index rank = rank_.rank();
  if (constraints_ > holonomic_) {
    rank_.factor(D, options_.rank_tolerance);
    const bool all = rank_.rank() == rank + constraints_ - holonomic_;
    // nonholonomic rows one by one, those that add to the rank
    const Eigen::SparseMatrix<double, Eigen::RowMajor, int> by_rows = D;
    for (Index row = holonomic_; row < constraints_; ++row) {
      rows_.active[at_index(row)] = 1;
      if (!all) {
        std::vector<Eigen::Triplet<double, int>> entries;
        int count = 0;
        for (Index k = 0; k <= row; ++k) {
          if (!rows_[k]) continue;
          for (Eigen::SparseMatrix<double, Eigen::RowMajor, int>::InnerIterator entry(by_rows,
                                                                                      static_cast<int>(k));
               entry; ++entry)
            entries.emplace_back(count, entry.col(), entry.value());
          ++count;
        }
        SparseMatrix chosen(count, velocities_);
        chosen.setFromTriplets(entries.begin(), entries.end());
        rank_.factor(chosen, options_.rank_tolerance);
        if (rank_.rank() < count) rows_.active[at_index(row)] = 0;
      }
      rank += rows_[row] ? 1 : 0;
    }
  }
  rows_.redundant = rank < constraints_;
  rows_wanted_ = false;
}

// Selectors need an inverse mass matrix; what has no mass counts as one.
void ProjectedStrangenessFree::prepare_metric() {
  metric_ = tangent_->slopes().mass;
  const double largest = velocities_ > 0 ? Vector(metric_.diagonal()).maxCoeff() : 0.0;
  for (Index i = 0; i < velocities_; ++i)
    if (!(metric_.coeff(i, i) > 1e-12 * largest)) metric_.coeffRef(i, i) = 1;
  metric_.makeCompressed();
  metric_lu_.analyze(metric_);
  if (metric_lu_.factor(metric_) && metric_lu_.smallest_pivot_ratio() > 1e-12) return;
  // singular in a direction across the coordinates (rates of Euler parameters): a little of everything
  for (Index i = 0; i < velocities_; ++i) metric_.coeffRef(i, i) += 1e-2 * largest;
  metric_lu_.factor(metric_);
}

// M₀ M⁻¹ times the rows of dynamics, M₀ that of the linearisation: what a Newton's correction for accelerations makes of
// them is then M⁻¹ times them, whatever M is. Otherwise, where light bodies turn far within a step, it is wrong by h ω
// times the ratio of inertias and does not converge. With constraints multipliers would be coupled more strongly for it.
void ProjectedStrangenessFree::weigh(Eigen::Ref<Vector> dynamics) {
  const SparseMatrix &mass = tangent_->slopes().mass, &reference = selector_->mass;
  if (constant_mass_ || constraints_ > 0 || velocities_ == 0 || reference.rows() != velocities_) return;
  if (own_mass_entries_ != mass.nonZeros()) {
    own_mass_lu_.analyze(mass);
    own_mass_entries_ = mass.nonZeros();
  }
  if (!own_mass_lu_.factor(mass) || own_mass_lu_.smallest_pivot_ratio() < 1e-12) return;
  q_ = dynamics;
  own_mass_lu_.solve(q_);
  dynamics.noalias() = reference * q_;
}

// After differentiate(): a choice of rows that has become poor is made anew, if another one is much better.
void ProjectedStrangenessFree::improve_rows() {
  if (!rows_.redundant || regularity_ > 0.3) return;
  const TangentSlopes slopes = tangent_->slopes();
  const auto regular = [&] {
    return kkt_.factor(slopes.mass, slopes.jacobian, rows_.active) ? kkt_.smallest_singular_value() : 0.0;
  };
  const Rows before = rows_;
  const double old = regular();
  choose_rows();
  if (rows_.active == before.active) return;
  if (regular() > 2 * old) {
    ++statistics().selectors;
    rows_changed_ = true;
  } else {
    rows_ = before;
  }
}

// Matrices of the last linearisation serve on; those that are made anew begin with their patterns.
void ProjectedStrangenessFree::patterns_grown() {
  own_mass_entries_ = -1;
  kkt_ = SparseKkt();
  position_kkt_ = SparseKkt();
  patterns_are_old_ = true;
}

Outcome ProjectedStrangenessFree::rebase_invariants(double t, VectorIn x) {
  if (layout_.invariants == 0) return Outcome::ok;
  const Outcome outcome = evaluate(t, x, part::e);
  if (outcome == Outcome::ok) invariant_base_ = values_.e;
  return outcome;
}

// Pivots are kept from one factorisation to the next: they too are forgotten.
Outcome ProjectedStrangenessFree::resume(double t, VectorIn x, Carrier& carried) {
  carried(invariant_base_);
  if (carried.is_copying()) return Outcome::ok;
  patterns_grown();
  return start(t, x);
}

Outcome ProjectedStrangenessFree::start(double t, VectorIn x) {
  regularity_ = 1;
  regular_ = 0;
  known_x_.resize(0);
  held_ = x.segment(layout_.w.begin, followers_);
  a_.setZero();
  if (const Outcome outcome = differentiate(t, x, TangentMotion::everything); outcome != Outcome::ok)
    return outcome;
  choose_rows();
  prepare_metric();
  note_redundant(rows_.active);
  const TangentSlopes slopes = tangent_->slopes();
  if (kkt_.factor(slopes.mass, slopes.jacobian, rows_.active, 0, &slopes.force_multiplier)) {
    determined_ = std::count(rows_.active.begin(), rows_.active.end(), char{1}) == velocities_;
    forecast_.forget();
    remember_position(t, x);
    Vector closed = x;
    return close_accelerations(t, closed);
  }
  return mass_singular(t);
}

Outcome ProjectedStrangenessFree::mass_singular(double t) {
  Index weakest = 0;
  Vector(tangent_->slopes().mass.diagonal()).minCoeff(&weakest);
  return give_up(
      Reason::mass_singular,
      fmt::format("the mass matrix is singular in a direction that the constraints leave free at t = {}; "
                  "the smallest inertia is that of '{}'. Give it a mass, or constrain it.",
                  t, motion_.names().v[at_index(weakest)]));
}

// --- the problem: rows (kinematics, n, g, dynamics, velocity constraints, b, e)

Outcome ProjectedStrangenessFree::residual(double t, VectorIn x, VectorIn xdot, VectorOut out) {
  ++statistics().evaluations;
  Parts wanted = part::dynamics | part::b | part::g | part::velocity_level | part::n;
  if (!constant_mass_) wanted |= part::mass;
  if (invariants_ > 0) wanted |= part::e;
  const Outcome outcome = evaluate(t, x, wanted);
  if (outcome != Outcome::ok) return outcome;
  const auto eta = x.segment(layout_.total, holonomic_);
  const auto nu = x.tail(invariants_);
  Index row = 0;

  q_.resize(velocities_);
  tangent_->rates_to_velocities(x.segment(layout_.p.begin, positions_),
                                xdot.segment(layout_.p.begin, positions_), q_);
  out.segment(row, velocities_) = x.segment(layout_.v.begin, velocities_) - q_;
  if (!eta.isZero(0)) {
    q_.noalias() = selector_->jacobian.topRows(holonomic_).transpose() * eta;
    metric_lu_.solve(q_);
    out.segment(row, velocities_) -= q_;
  }
  if (!nu.isZero(0)) {
    q_.noalias() = selector_->invariant_pose.transpose() * nu;
    metric_lu_.solve(q_);
    out.segment(row, velocities_) -= q_;
  }
  row += velocities_;

  out.segment(row, normalizations_) = values_.n;
  row += normalizations_;

  for (Index i = 0; i < holonomic_; ++i) out[row + i] = rows_[i] ? values_.g[i] : -eta[i];
  row += holonomic_;

  out.segment(row, velocities_) = values_.dynamics;
  out.segment(row, velocities_).noalias() -=
      tangent_->slopes().mass * xdot.segment(layout_.v.begin, velocities_);
  if (!nu.isZero(0)) out.segment(row, velocities_).noalias() -= selector_->invariant_twist.transpose() * nu;
  weigh(out.segment(row, velocities_));
  row += velocities_;

  for (Index i = 0; i < constraints_; ++i) {
    if (!rows_[i])
      out[row + i] = -x[layout_.lambda.begin + i];  // λ and μ are neighbours
    else
      out[row + i] = i < holonomic_ ? values_.gI[i] : values_.h[i - holonomic_];
  }
  row += constraints_;

  out.segment(row, states_) = values_.b - xdot.segment(layout_.r.begin, states_);
  row += states_;
  if (invariants_ > 0) out.segment(row, invariants_) = values_.e - invariant_base_;
  return Outcome::ok;
}

Outcome ProjectedStrangenessFree::linearize(double t, VectorIn x) {
  ++statistics().jacobians;
  const Outcome outcome = differentiate(t, x, TangentMotion::everything);
  if (outcome != Outcome::ok) return outcome;
  linearized_t_ = t;
  if (patterns_are_old_) {
    here_ = Linearization();
    stages_ = {};
    system_ = ShiftedMatrix();
    stage_system_ = AssembledMatrix();
    stage_analyzed_ = false;
    patterns_are_old_ = false;
  }
  if (!constant_mass_) prepare_metric();
  if (!constant_mass_ && !kkt_.factor(tangent_->slopes().mass, tangent_->slopes().jacobian, rows_.active, 0,
                                      &tangent_->slopes().force_multiplier))
    return mass_singular(t);
  if (rows_wanted_) {
    ++statistics().selectors;
    choose_rows();
    rows_changed_ = true;
  }
  selector_ = &here_;
  ++statistics().predecompositions;
  if (!take(x, here_)) {
    rows_wanted_ = rows_.redundant;
    return try_again(Reason::position_rank, fmt::format("the constraints are singular at t = {}", t));
  }
  const double weakest = here_.selector.smallest_singular_value();
  regular_ = std::max(regular_, weakest);
  regularity_ = regular_ > 0 ? weakest / regular_ : 1;

  assemble_system();
  return Outcome::ok;
}

}  // namespace trammel
