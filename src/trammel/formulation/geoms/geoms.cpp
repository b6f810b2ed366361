#include "trammel/formulation/geoms/geoms.h"

#include <algorithm>

namespace trammel {

Geoms::Geoms(EquationsOfMotion& motion, GeomsOptions options)
    : DenseMotionProblem(motion, options.enforce_invariants),
      options_(options),
      algebraic_(options.algebraic) {
  index_.assign(static_cast<std::size_t>(layout_.total), 1);
  newton_index_ = index_;
  for (const Block* block : {&layout_.w, &layout_.lambda, &layout_.mu}) {
    if (!is_complete()) std::fill_n(index_.begin() + block->begin, block->size, 2);
    if (!is_complete() || options_.close_constraints)
      std::fill_n(newton_index_.begin() + block->begin, block->size, 2);
  }
  arrange_groups();
}

// Lays out rows and columns: positions, velocities, force states, multipliers.
void Geoms::arrange_groups() {
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
  if (is_complete()) {
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

Outcome Geoms::start(double t, VectorIn x) {
  ranks_known_ = false;
  rank_deviations_ = 0;
  selectors_wanted_ = true;
  const Outcome outcome = DenseMotionProblem::start(t, x);
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

Outcome Geoms::residual(double t, VectorIn x, VectorIn xdot, VectorOut out) {
  const Layout& l = layout_;
  Parts also = part::kinematics | part::b;
  if (!is_complete()) {
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
void Geoms::collect_algebraic(VectorOut out) const {
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
  if (is_complete()) {
    append(values_.gII);
    append(values_.hI);
  }
}

Outcome Geoms::evaluate_algebraic(double t, VectorIn x, Parts also) {
  ++statistics().evaluations;
  Parts first = also | part::d | part::c | part::n;
  if (enforce_invariants()) first |= part::e;
  Parts second = part::g | part::velocity_level;
  Outcome outcome = Outcome::ok;
  if (is_complete()) {
    outcome = accelerate(t, x, first);
    second |= part::acceleration_level;
  } else {
    outcome = evaluate(t, x, first);
  }
  return outcome == Outcome::ok ? evaluate(t, x, second) : outcome;
}

void Geoms::assemble_algebraic(Matrix& J_a) const {
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
  if (is_complete()) {
    append(gII_x_);
    append(hI_x_);
  }
}

void Geoms::assemble_jacobians() {
  const Layout& l = layout_;
  assemble_algebraic(J_a_);
  for (Index j = 0; j < l.total; ++j) {
    motion_J_.col(j).head(l.p.size) = derivatives_.kinematics.col(order_[static_cast<std::size_t>(j)]);
    motion_J_.col(j).tail(l.v.size) = derivatives_.dynamics.col(order_[static_cast<std::size_t>(j)]);
  }
  mass_ = values_.M;
}

Outcome Geoms::linearize(double t, VectorIn x) {
  Outcome outcome = accelerate(t, x, 0);
  if (outcome != Outcome::ok) return outcome;
  ++statistics().jacobians;
  outcome = differentiate(t, x, part::all & ~Parts{part::mass});
  if (outcome != Outcome::ok) return outcome;
  if (is_complete()) follow_accelerations();
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
      options_.selectors == GeomsOptions::Selectors::every_step)
    compute_selectors();
  apply_selectors();
  linearized_ = true;
  return Outcome::ok;
}

Outcome Geoms::factor(double shift) {
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

Outcome Geoms::factor(std::complex<double> shift) {
  if (solver_.factor(shift, options_.differential)) return Outcome::ok;
  return try_again(
      Reason::differential_singular,
      "the differential part of the Newton matrix is singular: the step size or the selectors do not fit");
}

void Geoms::solve(VectorIn residual, VectorOut x) {
  solver_.solve(residual, internal_);
  for (Index i = 0; i < layout_.total; ++i) x[order_[static_cast<std::size_t>(i)]] = internal_[i];
}

void Geoms::solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) {
  solver_.solve(residual, complex_internal_);
  for (Index i = 0; i < layout_.total; ++i) x[order_[static_cast<std::size_t>(i)]] = complex_internal_[i];
}

double Geoms::regularity() const {
  return std::min(solver_.decomposition(position_group_).regularity(),
                  solver_.decomposition(velocity_group_).regularity());
}

void Geoms::newton_failed() { selectors_wanted_ = true; }

}  // namespace trammel
