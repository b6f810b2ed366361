#include "trammel/formulation/projected_strangeness_free.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace trammel {

namespace {

// The acceleration level has the squares of the singular values of the velocity level.
double squared_tolerance(double rank_tolerance) { return std::max(rank_tolerance * rank_tolerance, 1e-14); }

}  // namespace

ProjectedStrangenessFree::ProjectedStrangenessFree(EquationsOfMotion& motion,
                                                   ProjectedStrangenessFreeOptions options)
    : MotionProblem(motion, options.enforce_invariants), options_(options), algebraic_(options.algebraic) {
  index_.assign(static_cast<std::size_t>(layout_.total), 1);
  newton_index_ = index_;
  for (const Block* block : {&layout_.w, &layout_.lambda, &layout_.mu}) {
    if (!complete()) std::fill_n(index_.begin() + block->begin, block->size, 2);
    if (!complete() || options_.close_constraints)
      std::fill_n(newton_index_.begin() + block->begin, block->size, 2);
  }
  arrange_groups();
}

// Lays out rows and columns: positions, velocities, force states, multipliers.
void ProjectedStrangenessFree::arrange_groups() {
  const Layout& l = layout_;
  const Index position_rows = l.s.size + l.lambda.size + l.normalizations;
  const Index velocity_rows = l.lambda.size + l.mu.size + (enforce_invariants() ? l.invariants : 0);
  std::vector<TwoStageSolve::Group> groups;
  const auto append = [this](const Block& block) {
    for (Index i = block.begin; i < block.end(); ++i) order_.push_back(i);
  };
  Index row = 0;
  const auto add_group = [&](std::initializer_list<const Block*> blocks,
                             Index rows) -> TwoStageSolve::Group& {
    const Index column = static_cast<Index>(order_.size());
    for (const Block* block : blocks) append(*block);
    groups.push_back({column, static_cast<Index>(order_.size()) - column, row, rows, false, false});
    row += rows;
    return groups.back();
  };
  if (enforce_invariants()) {
    add_group({&l.p, &l.s, &l.v}, position_rows + velocity_rows);
    position_group_ = velocity_group_ = 0;
  } else {
    add_group({&l.p, &l.s}, position_rows);
    add_group({&l.v}, velocity_rows);
    velocity_group_ = 1;
  }
  add_group({&l.r}, 0);
  if (complete()) {
    TwoStageSolve::Group& group = add_group({&l.w, &l.lambda, &l.mu}, l.w.size + l.lambda.size + l.mu.size);
    group.minimal_norm = true;
    group.scale_columns = true;
  } else {
    multiplier_group_ = groups.size();
    add_group({&l.lambda, &l.mu}, 0);
    add_group({&l.w}, l.w.size).scale_columns = true;
  }
  acceleration_group_ = groups.size() - 1;
  algebraic_rows_ = row;
  solver_.configure(l.total, algebraic_rows_, groups);
  closing_.configure(l.total, algebraic_rows_, std::move(groups));

  J_a_.setZero(algebraic_rows_, l.total);
  closing_J_a_ = J_a_;
  motion_J_.setZero(l.p.size + l.v.size, l.total);
  motion_residual_.setZero(l.p.size + l.v.size);
  C_.setZero(l.lambda.size + l.mu.size, l.v.size);
  internal_.setZero(l.total);
  algebraic_residual_.setZero(algebraic_rows_);
  complex_internal_.setZero(l.total);
}

Outcome ProjectedStrangenessFree::start(double t, VectorIn x) {
  ranks_known_ = false;
  rank_deviations_ = 0;
  selectors_wanted_ = true;
  const Outcome outcome = MotionProblem::start(t, x);
  if (outcome != Outcome::ok) return outcome;
  // the first linearisation finds rank and sizes; Radau asks again when it needs one, so this one is not
  // counted
  const Statistics before = statistics();
  const Outcome first = linearize(t, x);
  statistics() = before;
  if (first == Outcome::ok && options_.close_constraints) {
    // sizes the work space, which a step must not allocate
    Ranks found;
    closing_.set_algebraic(J_a_);
    decompose_groups(closing_, found);
    algebraic_residual_.setZero();
    closing_.solve_algebraic(algebraic_residual_, internal_);
  }
  linearized_ = false;
  selectors_wanted_ = true;
  return first;
}

Outcome ProjectedStrangenessFree::residual(double t, VectorIn x, VectorIn xdot, VectorOut out) {
  const Layout& l = layout_;
  Parts also = part::kinematics | part::b;
  if (!complete()) {
    also |= part::dynamics;
    if (!motion_.structure().constant_mass) {
      also |= part::mass;
      ++statistics().mass_evaluations;
    }
  }
  const Outcome outcome = evaluate_algebraic(t, x, also);
  if (outcome != Outcome::ok) return outcome;

  // differential rows
  motion_residual_.head(l.p.size) = values_.kinematics - xdot.segment(l.p.begin, l.p.size);
  motion_residual_.tail(l.v.size) = values_.dynamics;
  motion_residual_.tail(l.v.size).noalias() -= values_.M * xdot.segment(l.v.begin, l.v.size);
  out.head(S_.rows()).noalias() = S_ * motion_residual_;
  out.segment(S_.rows(), l.r.size) = values_.b - xdot.segment(l.r.begin, l.r.size);

  collect_algebraic(out.tail(algebraic_rows_));
  return Outcome::ok;
}

// The algebraic rows of values_, in the order of the groups.
void ProjectedStrangenessFree::collect_algebraic(VectorOut out) const {
  Index row = 0;
  const auto append = [&](const Vector& values) {
    out.segment(row, values.size()) = values;
    row += values.size();
  };
  append(values_.c);
  append(values_.g);
  append(values_.n);
  append(values_.gI);
  append(values_.h);
  if (enforce_invariants()) append(values_.e);
  append(values_.d);
  if (complete()) {
    append(values_.gII);
    append(values_.hI);
  }
}

Outcome ProjectedStrangenessFree::evaluate_algebraic(double t, VectorIn x, Parts also) {
  ++statistics().evaluations;
  Parts first = also | part::d | part::c | part::n;
  if (enforce_invariants()) first |= part::e;
  Parts second = part::g | part::velocity_level;
  Outcome outcome = Outcome::ok;
  if (complete()) {
    outcome = accelerate(t, x, first);
    second |= part::acceleration_level;
  } else {
    outcome = evaluate(t, x, first);
  }
  return outcome == Outcome::ok ? evaluate(t, x, second) : outcome;
}

void ProjectedStrangenessFree::assemble_algebraic(Matrix& J_a) const {
  const Layout& l = layout_;
  Index row = 0;
  const auto append = [&](const Matrix& rows) {
    for (Index j = 0; j < l.total; ++j)
      J_a.col(j).segment(row, rows.rows()) = rows.col(order_[static_cast<std::size_t>(j)]);
    row += rows.rows();
  };
  append(derivatives_.c);
  append(derivatives_.g);
  append(derivatives_.n);
  append(derivatives_.gI);
  append(derivatives_.h);
  if (enforce_invariants()) append(derivatives_.e);
  append(derivatives_.d);
  if (complete()) {
    append(gII_x_);
    append(hI_x_);
  }
}

void ProjectedStrangenessFree::assemble_jacobians() {
  const Layout& l = layout_;
  assemble_algebraic(J_a_);
  for (Index j = 0; j < l.total; ++j) {
    motion_J_.col(j).head(l.p.size) = derivatives_.kinematics.col(order_[static_cast<std::size_t>(j)]);
    motion_J_.col(j).tail(l.v.size) = derivatives_.dynamics.col(order_[static_cast<std::size_t>(j)]);
  }
  mass_ = values_.M;
}

Outcome ProjectedStrangenessFree::linearize(double t, VectorIn x) {
  Outcome outcome = accelerate(t, x, 0);
  if (outcome != Outcome::ok) return outcome;
  ++statistics().jacobians;
  outcome = differentiate(t, x, part::all & ~Parts{part::mass});
  if (outcome != Outcome::ok) return outcome;
  if (complete()) follow_accelerations();
  assemble_jacobians();

  ++statistics().predecompositions;
  outcome = decompose(t);
  if (outcome != Outcome::ok) return outcome;

  // are the selectors still good?
  const std::vector<Index>& position_pivots = solver_.decomposition(position_group_).dependent();
  const std::vector<Index>& velocity_pivots = solver_.decomposition(velocity_group_).dependent();
  const bool pivoting_changed =
      pivots_.size() != 2 || pivots_[0] != position_pivots || pivots_[1] != velocity_pivots;
  if (selectors_wanted_ || pivoting_changed || algebraic_ == Decomposition::svd ||
      options_.differential == DifferentialDecomposition::qr ||
      options_.selectors == ProjectedStrangenessFreeOptions::Selectors::every_step)
    compute_selectors();
  apply_selectors();
  linearized_ = true;
  return Outcome::ok;
}

void ProjectedStrangenessFree::decompose_groups(TwoStageSolve& solver, Ranks& found) const {
  const double tolerance = options_.rank_tolerance;
  solver.decompose(position_group_, algebraic_, tolerance);
  found.position = solver.decomposition(position_group_).rank();
  found.velocity = found.position;
  if (velocity_group_ != position_group_) {
    solver.decompose(velocity_group_, algebraic_, tolerance);
    found.velocity = solver.decomposition(velocity_group_).rank();
  }
  solver.decompose(velocity_group_ + 1, algebraic_, tolerance);  // force states: free
  if (complete()) {
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
Outcome ProjectedStrangenessFree::decompose(double t) {
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
  if (!complete()) {
    if (multiplier_basis_.size() > 0)
      free_multipliers_ = multiplier_basis_;
    else
      free_multipliers_.setIdentity(multipliers, multipliers);
    solver_.set_free_directions(multiplier_group_, free_multipliers_);
  }
  solver_.build_kernel();
  return Outcome::ok;
}

Outcome ProjectedStrangenessFree::singular_position(double t, const Ranks& found) {
  return try_again(
      Reason::rank_changed,
      fmt::format("the rank of the constraints changes from {} to {} near t = {}: the mechanism is in a "
                  "singular position there",
                  ranks_.velocity, found.velocity, t));
}

// d_w and c_s must be regular whatever the constraints are, and the levels of the constraints must have the
// same rank.
Outcome ProjectedStrangenessFree::check_regular(double t) {
  const Layout& l = layout_;
  const auto singular = [](const Matrix& A) {
    return A.size() > 0 && Eigen::FullPivLU<Matrix>(A).setThreshold(1e-12).rank() < A.rows();
  };
  if (singular(derivatives_.c.middleCols(l.s.begin, l.s.size)))
    return give_up(
        Reason::contact_singular,
        fmt::format("the contact equations ({}) do not determine the contact coordinates ({}) at t = {}: "
                    "∂c/∂s is singular",
                    fmt::join(motion_.names().c, ", "), fmt::join(motion_.names().s, ", "), t));
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
Outcome ProjectedStrangenessFree::explain_rank(double t, const Ranks& found) {
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

// B: how (p', v') and, in the incomplete form, the multipliers times M⁻¹ move along the directions that the
// constraints leave free. Any S with S diag(I, M) B regular is a selector.
void ProjectedStrangenessFree::build_directions() {
  const Layout& l = layout_;
  const Matrix& position = solver_.own_kernel(position_group_);
  const Matrix& velocity = solver_.own_kernel(velocity_group_);
  const bool joint = position_group_ == velocity_group_;
  const Index k_p = position.cols(), k_v = joint ? 0 : velocity.cols();
  const Index k_m = complete() ? 0 : free_multipliers_.cols();
  B_.setZero(l.p.size + l.v.size, k_p + k_v + k_m);
  B_.topLeftCorner(l.p.size, k_p) = position.topRows(l.p.size);
  if (joint)
    B_.block(l.p.size, 0, l.v.size, k_p) = position.bottomRows(l.v.size);
  else
    B_.block(l.p.size, k_p, l.v.size, k_v) = velocity;
  if (k_m > 0) {
    velocity_jacobian(C_);
    force_directions_.noalias() = C_.transpose() * free_multipliers_;
    solve_mass(force_directions_);
    B_.bottomRightCorner(l.v.size, k_m) = force_directions_;
    for (Index j = k_p + k_v; j < B_.cols(); ++j) B_.col(j).normalize();
  }
}

// Which coordinates the selectors pick. The choice is kept until the pivoting changes.
void ProjectedStrangenessFree::compute_selectors() {
  const Layout& l = layout_;
  const std::vector<Index>& position_pivots = solver_.decomposition(position_group_).dependent();
  const std::vector<Index>& velocity_pivots = solver_.decomposition(velocity_group_).dependent();
  selected_.clear();
  if (algebraic_ != Decomposition::svd) {
    if (complete() && l.s.size == 0) {
      // the independent coordinates
      const auto independent = [&](const std::vector<Index>& dependent, Index first, Index count) {
        for (Index i = 0; i < count; ++i)
          if (!std::binary_search(dependent.begin(), dependent.end(), i)) selected_.push_back(first + i);
      };
      if (position_group_ == velocity_group_) {
        independent(position_pivots, 0, l.p.size + l.v.size);
      } else {
        independent(position_pivots, 0, l.p.size);
        independent(velocity_pivots, l.p.size, l.v.size);
      }
    } else {
      // contact coordinates have no differential equation, multipliers no coordinate: eliminate to see which
      // rows serve
      build_directions();
      B_transposed_ = B_.transpose();
      selection_.factor(B_transposed_, 0.0);
      for (Index k = 0; k < selection_.rank(); ++k) selected_.push_back(selection_.pivot_column(k));
      std::sort(selected_.begin(), selected_.end());
    }
  }
  pivots_.resize(2);
  pivots_[0] = position_pivots;
  pivots_[1] = velocity_pivots;
  selectors_wanted_ = false;
  ++statistics().selectors;
}

// S for the present mass matrix: p_i' = (Zv)_i for a selected position; for a selected velocity the row of
// M⁻¹ that gives v_i' = a_i. With singular values Bᵀ itself is taken, anew at every linearisation: then S
// diag(I, M) B is positive definite.
void ProjectedStrangenessFree::build_selectors() {
  const Layout& l = layout_;
  if (algebraic_ == Decomposition::svd) {
    build_directions();
    S_ = B_.transpose();
    return;
  }
  S_.setZero(static_cast<Index>(selected_.size()), l.p.size + l.v.size);
  for (std::size_t row = 0; row < selected_.size(); ++row) S_(static_cast<Index>(row), selected_[row]) = 1;
  S_v_transposed_ = S_.rightCols(l.v.size).transpose();
  solve_mass(S_v_transposed_);
  S_.rightCols(l.v.size) = S_v_transposed_.transpose();
}

void ProjectedStrangenessFree::apply_selectors() {
  const Layout& l = layout_;
  build_selectors();
  differential_rows_ = S_.rows() + l.r.size;
  E_d_.setZero(differential_rows_, l.total);
  J_d_.resize(differential_rows_, l.total);
  // internal columns of p and v
  const Index v_column = l.p.size + l.s.size;
  E_d_.topLeftCorner(S_.rows(), l.p.size) = S_.leftCols(l.p.size);
  E_d_.block(0, v_column, S_.rows(), l.v.size).noalias() = S_.rightCols(l.v.size) * mass_;
  E_d_.block(S_.rows(), v_column + l.v.size, l.r.size, l.r.size).setIdentity();
  J_d_.topRows(S_.rows()).noalias() = S_ * motion_J_;
  for (Index j = 0; j < l.total; ++j)
    J_d_.col(j).tail(l.r.size) = derivatives_.b.col(order_[static_cast<std::size_t>(j)]);
  solver_.set_differential(E_d_, J_d_);
}

Outcome ProjectedStrangenessFree::factor(double shift) {
  if (selectors_wanted_ && linearized_) {
    compute_selectors();
    apply_selectors();
  }
  ++statistics().decompositions;
  if (solver_.factor(shift, options_.differential)) return Outcome::ok;
  return try_again(
      Reason::differential_singular,
      "the differential part of the Newton matrix is singular: the step size or the selectors do not fit");
}

Outcome ProjectedStrangenessFree::factor(std::complex<double> shift) {
  if (solver_.factor(shift, options_.differential)) return Outcome::ok;
  return try_again(
      Reason::differential_singular,
      "the differential part of the Newton matrix is singular: the step size or the selectors do not fit");
}

void ProjectedStrangenessFree::solve(VectorIn residual, VectorOut x) {
  solver_.solve(residual, internal_);
  for (Index i = 0; i < layout_.total; ++i) x[order_[static_cast<std::size_t>(i)]] = internal_[i];
}

void ProjectedStrangenessFree::solve(const Eigen::Ref<const ComplexVector>& residual,
                                     Eigen::Ref<ComplexVector> x) {
  solver_.solve(residual, complex_internal_);
  for (Index i = 0; i < layout_.total; ++i) x[order_[static_cast<std::size_t>(i)]] = complex_internal_[i];
}

double ProjectedStrangenessFree::regularity() const {
  return std::min(solver_.decomposition(position_group_).regularity(),
                  solver_.decomposition(velocity_group_).regularity());
}

void ProjectedStrangenessFree::newton_failed() { selectors_wanted_ = true; }

// Newton on the algebraic equations with given decompositions; true if it reached round-off.
Outcome ProjectedStrangenessFree::close_with(TwoStageSolve& solver, int iterations, double t, VectorOut x,
                                             bool& closed) {
  double previous = std::numeric_limits<double>::infinity();
  closed = false;
  for (int iteration = 0; !closed; ++iteration) {
    if (iteration >= 2 && iteration >= iterations) break;
    const Outcome outcome = evaluate_algebraic(t, x, 0);
    if (outcome != Outcome::ok) return outcome;
    collect_algebraic(algebraic_residual_);
    solver.solve_algebraic(algebraic_residual_, internal_);
    double change = 0;
    for (Index i = 0; i < layout_.total; ++i) {
      const double size = 1 + std::abs(x[order_[static_cast<std::size_t>(i)]]);
      change = std::max(change, std::abs(internal_[i]) / size);
    }
    if (!(change < previous)) {
      closed = change < 1e-12;  // round-off, or no convergence
      break;
    }
    for (Index i = 0; i < layout_.total; ++i) x[order_[static_cast<std::size_t>(i)]] += internal_[i];
    closed = change <= 1e-14;
    // how many more at this rate? Stop early if new decompositions are cheaper
    const double rate = change / previous;
    if (!closed && rate > 0 && iteration + 1 + std::log(1e-14 / change) / std::log(rate) > iterations) break;
    previous = change;
  }
  return Outcome::ok;
}

// Closes the constraints to round-off at the end of a step, so that Newton's iteration on the stages may stop
// at what the error control needs. The decompositions at hand are from the beginning of the step: each
// correction with them gains a factor of the order of the step size. Where that is slow, new ones at the end
// are worth their cost.
Outcome ProjectedStrangenessFree::close_constraints(double t, VectorOut x) {
  bool closed = false;
  Outcome outcome = close_with(solver_, 8, t, x, closed);
  if (outcome != Outcome::ok || closed) return outcome;
  if (complete()) {
    outcome = accelerate(t, x, 0);
    if (outcome != Outcome::ok) return outcome;
  }
  ++statistics().closing_jacobians;
  outcome = differentiate(t, x, part::all & ~Parts{part::mass | part::kinematics | part::b});
  if (outcome != Outcome::ok) return outcome;
  if (complete()) follow_accelerations();
  assemble_algebraic(closing_J_a_);
  closing_.set_algebraic(closing_J_a_);
  Ranks found;
  decompose_groups(closing_, found);
  if (!(found == ranks_)) return Outcome::ok;  // a singular position: leave it to the step
  return close_with(closing_, 12, t, x, closed);
}

Outcome ProjectedStrangenessFree::accepted(double t, VectorOut x) {
  if (options_.close_constraints && algebraic_rows_ > 0) {
    const Outcome outcome = close_constraints(t, x);
    if (outcome != Outcome::ok) return outcome;
  }
  return algebraic_ == Decomposition::svd ? minimize_multipliers(t, x) : Outcome::ok;
}

void ProjectedStrangenessFree::keep_span(const Matrix& basis, VectorOut x) const {
  auto multipliers =
      x.segment(layout_.lambda.begin, layout_.lambda.size + layout_.mu.size);  // neighbours in x
  multipliers = basis * (basis.transpose() * multipliers).eval();
}

void ProjectedStrangenessFree::tidy(VectorOut x) {
  if (multiplier_basis_.size() > 0) keep_span(multiplier_basis_, x);
}

// Multipliers of redundant constraints: only their part in the span of the constraints acts on the motion.
Outcome ProjectedStrangenessFree::minimize_multipliers(double t, VectorOut x) {
  if (multiplier_basis_.size() == 0) return Outcome::ok;
  const Outcome outcome = differentiate(t, x, part::gI | part::h);
  if (outcome != Outcome::ok) return outcome;
  Matrix basis;
  multiplier_span(basis);
  keep_span(basis, x);
  return Outcome::ok;
}

// After differentiate(gI | h): an orthonormal basis of the range of [GZ; HZ].
void ProjectedStrangenessFree::multiplier_span(Matrix& basis) const {
  Matrix C(layout_.lambda.size + layout_.mu.size, layout_.v.size);
  velocity_jacobian(C);
  ConstraintDecomposition rows;
  rows.factor(C, algebraic_, options_.rank_tolerance);
  rows.row_basis(basis);
}

}  // namespace trammel
