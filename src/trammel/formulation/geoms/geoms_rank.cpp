// The complete form's view of rank: decompositions of the constraint Jacobians level by level, what to do
// when a rank is not what it was, and how to say so.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "trammel/formulation/geoms/geoms.h"

namespace trammel {

namespace {

// The acceleration level has the squares of the singular values of the velocity level.
double squared_tolerance(double rank_tolerance) { return std::max(rank_tolerance * rank_tolerance, 1e-14); }

}  // namespace

void Geoms::decompose_groups(TwoStageSolve& solver, Ranks& found) const {
  const double tolerance = options_.rank_tolerance;
  solver.decompose(position_group_, algebraic_, tolerance);
  found.position = solver.decomposition(position_group_).rank();
  found.velocity = found.position;
  if (velocity_group_ != position_group_) {
    solver.decompose(velocity_group_, algebraic_, tolerance);
    found.velocity = solver.decomposition(velocity_group_).rank();
  }
  solver.decompose(velocity_group_ + 1, algebraic_, tolerance);  // force states: free
  if (is_complete()) {
    // without auxiliary variables and invariants the rank is that of the velocity level
    const bool by_rank = algebraic_ == Decomposition::svd && !enforce_invariants() && layout_.w.size == 0;
    solver.decompose(acceleration_group_, algebraic_, squared_tolerance(tolerance),
                     by_rank ? found.velocity : -1);
  } else {
    solver.decompose(multiplier_group_, algebraic_, tolerance);
    solver.decompose(acceleration_group_, algebraic_, squared_tolerance(tolerance));
  }
  found.acceleration = solver.decomposition(acceleration_group_).rank();
}

// First stage: the constraint Jacobians, and what their ranks tell.
Outcome Geoms::decompose(double t) {
  const Layout& l = layout_;
  solver_.set_algebraic(J_a_);
  Ranks found;
  for (;;) {
    decompose_groups(solver_, found);
    const bool deficient = !solver_.decomposition(position_group_).full_row_rank() ||
                           !solver_.decomposition(velocity_group_).full_row_rank() ||
                           !solver_.decomposition(acceleration_group_).full_row_rank();
    if (!deficient || algebraic_ == Decomposition::svd) break;
    // a rank that drops on the way may be a singular position that is passed
    if (ranks_known_ && ++rank_deviations_ < options_.rank_patience) return singular_position(t, found);
    const Outcome regular = check_regular(t);
    if (regular != Outcome::ok) return regular;
    if (!options_.switch_to_svd) return explain_rank(t, found);
    algebraic_ = Decomposition::svd;
    note("the constraints are redundant: singular values are used, and multipliers of minimal norm");
  }
  const Outcome regular = algebraic_ == Decomposition::svd ? check_regular(t) : Outcome::ok;
  if (regular != Outcome::ok) return regular;

  // the rank may change for a moment (a singular position) or for good
  if (!ranks_known_) {
    ranks_ = found;
    ranks_known_ = true;
  } else if (!(found == ranks_)) {
    if (++rank_deviations_ < options_.rank_patience) return singular_position(t, found);
    note(fmt::format("the rank of the constraints changes from {} to {} near t = {:.6g}", ranks_.velocity,
                     found.velocity, t));
    ++statistics().rank_changes;
    ranks_ = found;
    selectors_wanted_ = true;
  } else if (rank_deviations_ > 0) {
    note(fmt::format("a singular position is passed near t = {:.6g}", t));
  }
  rank_deviations_ = 0;

  // multipliers in the span of the independent constraints only
  const Index multipliers = l.lambda.size + l.mu.size;
  multiplier_basis_.resize(multipliers, 0);
  if (multipliers > 0 && algebraic_ == Decomposition::svd) {
    multiplier_span(multiplier_basis_);
    if (multiplier_basis_.cols() == multipliers) multiplier_basis_.resize(multipliers, 0);
  }
  if (!is_complete()) {
    if (multiplier_basis_.size() > 0)
      free_multipliers_ = multiplier_basis_;
    else
      free_multipliers_.setIdentity(multipliers, multipliers);
    solver_.set_free_directions(multiplier_group_, free_multipliers_);
  }
  solver_.build_kernel();
  return Outcome::ok;
}

Outcome Geoms::singular_position(double t, const Ranks& found) {
  return try_again(
      Reason::rank_changed,
      fmt::format("the rank of the constraints changes from {} to {} near t = {}: the mechanism is in a "
                  "singular position there",
                  ranks_.velocity, found.velocity, t));
}

// d_w and c_s must be regular whatever the constraints are, and the levels of the constraints must have the
// same rank.
Outcome Geoms::check_regular(double t) {
  const Layout& l = layout_;
  const auto singular = [](const Matrix& A) {
    return A.size() > 0 && Eigen::FullPivLU<Matrix>(A).setThreshold(1e-12).rank() < A.rows();
  };
  if (const Outcome contacts = check_contacts(t); contacts != Outcome::ok) return contacts;
  if (singular(derivatives_.d.middleCols(l.w.begin, l.w.size)))
    return give_up(
        Reason::auxiliary_singular,
        fmt::format("the auxiliary equations ({}) do not determine the auxiliary variables ({}) at t = {}: "
                    "∂d/∂w is singular",
                    fmt::join(motion_.names().d, ", "), fmt::join(motion_.names().w, ", "), t));
  // positions and velocities: comparable where every holonomic constraint has both levels and nothing else is
  // there
  if (enforce_invariants() || l.mu.size > 0 || algebraic_ != Decomposition::svd) return Outcome::ok;
  const Index position_deficit =
      l.s.size + l.lambda.size + l.normalizations - solver_.decomposition(position_group_).rank();
  const Index velocity_deficit = l.lambda.size - solver_.decomposition(velocity_group_).rank();
  if (ranks_known_ || position_deficit == velocity_deficit) return Outcome::ok;
  return give_up(
      Reason::rank_not_uniform,
      fmt::format("{} of the constraints ({}) depend on the others at position level, but {} at velocity "
                  "level, at t = {}. A constraint whose time derivative vanishes identically is a "
                  "normalization: give it as n, not as g.",
                  position_deficit, fmt::join(motion_.names().g, ", "), velocity_deficit, t));
}

// A rank deficiency that the chosen decomposition cannot treat, level by level, in the user's names.
Outcome Geoms::explain_rank(double t, const Ranks& found) {
  const Layout& l = layout_;
  const std::string advice = "Use decomposition 'svd' (the default switches to it by itself).";
  const Index position_rows = l.s.size + l.lambda.size + l.normalizations;
  if (!enforce_invariants() && found.position < position_rows)
    return give_up(Reason::position_rank,
                   fmt::format("{} of the {} position constraints ({}) depend on the others at t = "
                               "{}. {}",
                               position_rows - found.position, position_rows,
                               fmt::join(motion_.names().g, ", "), t, advice));
  if (!solver_.decomposition(velocity_group_).full_row_rank())
    return give_up(
        Reason::velocity_rank,
        fmt::format("the velocity constraints{} ({}{}{}) depend on each other at t = {}. {}",
                    enforce_invariants() ? " and invariants" : "", fmt::join(motion_.names().g, ", "),
                    l.mu.size > 0 ? ", " : "", fmt::join(motion_.names().h, ", "), t, advice));
  return give_up(Reason::acceleration_rank,
                 fmt::format("the constraints ({}) do not determine their multipliers at t = {}. {}",
                             fmt::join(motion_.names().g, ", "), t, advice));
}

}  // namespace trammel
