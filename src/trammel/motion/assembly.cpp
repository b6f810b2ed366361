#include "trammel/motion/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/motion/assembly_accelerations.h"
#include "trammel/motion/assembly_level.h"
#include "trammel/motion/closure.h"

namespace trammel {

double Condition::evaluate(const Layout& layout, double t, const VectorIn& x,
                           Eigen::Ref<Eigen::RowVectorXd> gradient) const {
  if (gradient_) {
    gradient.setZero();
    return gradient_(t, x, gradient);
  }
  std::vector<Number> values(x.data(), x.data() + x.size());
  const auto span = [&](const Block& block) {
    return std::span<const Number>(values.data() + block.begin, static_cast<std::size_t>(block.size));
  };
  double result = 0;
  for (Index begin = 0; begin < x.size(); begin += width) {
    const Index end = std::min<Index>(begin + width, x.size());
    for (Index i = begin; i < end; ++i)
      values[static_cast<std::size_t>(i)] = Number::variable(x[i], static_cast<int>(i - begin));
    const Number residual = function_({span(layout.p), span(layout.v), span(layout.r), span(layout.w),
                                       span(layout.s), span(layout.lambda), span(layout.mu), Number(t)});
    for (Index i = begin; i < end; ++i) {
      gradient[i] = residual.derivative[static_cast<std::size_t>(i - begin)];
      values[static_cast<std::size_t>(i)] = Number(x[i]);
    }
    result = residual.value;
  }
  return result;
}

// --- the parts of an assembly

struct Assembly::Work {
  Work(TangentMotion& motion, const AssemblyOptions& options, bool for_start)
      : positions(motion, options, Condition::Level::position, for_start),
        velocities(motion, options, Condition::Level::velocity, for_start),
        accelerations(motion, options) {}

  AssemblyLevel positions, velocities;
  AssemblyAccelerations accelerations;
};

Assembly::Assembly(std::unique_ptr<TangentMotion> own, TangentMotion* motion, AssemblyOptions options)
    : own_(std::move(own)), motion_(motion != nullptr ? *motion : *own_), options_(std::move(options)) {}

Assembly::Assembly(EquationsOfMotion& equations, AssemblyOptions options)
    : Assembly(equations.tangent(), nullptr, std::move(options)) {}

Assembly::Assembly(TangentMotion& motion, AssemblyOptions options)
    : Assembly(nullptr, &motion, std::move(options)) {}

Assembly::~Assembly() = default;

void Assembly::follow(double t, const VectorIn& x) { motion_.follow(t, x); }

// Whether a guess and the options fit the equations.
Failure Assembly::check(const Vector& x) const {
  const Layout& layout = motion_.layout();
  if (x.size() != layout.total)
    return {Reason::invalid_model,
            fmt::format("the initial state has {} entries, the equations have {} unknowns", x.size(),
                        layout.total)};
  const Vector& weights = options_.weights;
  if (weights.size() != 0 && weights.size() != layout.total)
    return {Reason::invalid_options,
            fmt::format("{} assembly weights are given for {} unknowns", weights.size(), layout.total)};
  if (weights.size() != 0 && !((weights.array() >= 0).all() && weights.allFinite()))
    return {Reason::invalid_options, "an assembly weight is negative or not finite"};
  for (Index i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i]))
      return {Reason::not_finite,
              fmt::format("the initial value of '{}' is not finite", motion_.names().variable(layout, i))};
  return {};
}

Failure Assembly::guarded(double t, const std::function<Failure()>& action) const {
  try {
    return action();
  } catch (const NotDetermined& what) {
    return {what.reason(), what.what()};
  } catch (const std::exception& error) {
    return {Reason::user_function_failed,
            fmt::format("a function of the equations failed at t = {}: {}", t, error.what())};
  }
}

// Contact coordinates and auxiliary unknowns as they follow from the rest, unless they do so already. Whether
// they have changed.
bool Assembly::settle(double t, Vector& x) const {
  const Layout& layout = motion_.layout();
  bool changed = false;
  Vector settled = x;
  motion_.settle(t, settled);
  for (const Block* block : {&layout.s, &layout.w}) {
    auto now = x.segment(block->begin, block->size);
    const auto then = settled.segment(block->begin, block->size);
    if (block->size == 0 ||
        (then - now).lpNorm<Eigen::Infinity>() <= options_.tolerance * (1 + then.lpNorm<Eigen::Infinity>()))
      continue;
    now = then;
    changed = true;
  }
  return changed;
}

// --- all levels

AssemblyReport Assembly::run(double t, Vector& x) {
  AssemblyReport report;
  if ((report.failure = check(x))) return report;
  Vector before = x;
  report.failure = guarded(t, [&] { return find(t, x, before, report); });
  if (!report.failure) report.largest_change = largest_change(before, x);
  return report;
}

Failure Assembly::find(double t, Vector& x, Vector& guess, AssemblyReport& report) {
  const Layout& layout = motion_.layout();
  if (!start_) start_ = std::make_unique<Work>(motion_, options_, true);
  AssemblyLevel &positions = start_->positions, &velocities = start_->velocities;
  Closure closure(motion_, options_.closure_tolerance);
  // what is not met may be met well enough
  const auto close = [&](AssemblyLevel& level, Closure::Level which) -> Failure {
    if (level.all_met()) return {};
    Failure failure = closure.check(which, t, x, report.accelerations);
    report.closed_within = std::max(report.closed_within, closure.worst());
    return failure.reason == Reason::constraints_violated ? level.not_converged() : failure;
  };

  if (Failure failure = positions.solve(t, x, report)) return failure;
  if (settle(t, x)) report.changed = true;
  std::vector<Index> dependent = positions.dependent_constraints();
  report.position_rank = layout.lambda.size - static_cast<Index>(dependent.size());
  name_dependent(dependent, report);
  report.redundant_conditions = positions.implied_conditions(static_cast<Index>(dependent.size()));
  if (Failure failure = close(positions, Closure::Level::position)) return failure;
  if (report.closed_within > 1e-10) positions.meet_independent(t, x);

  if (options_.guess_velocities) {
    report.note = options_.guess_velocities(t, x);
    guess.segment(layout.v.begin, layout.v.size) = x.segment(layout.v.begin, layout.v.size);
  }
  if (Failure failure = velocities.solve(t, x, report)) return failure;
  if (layout.mu.size > 0) dependent = velocities.dependent_constraints();
  report.velocity_rank = layout.lambda.size + layout.mu.size - static_cast<Index>(dependent.size());
  report.degrees_of_freedom = layout.v.size - report.velocity_rank;
  name_dependent(dependent, report);
  for (std::string& name : velocities.implied_conditions(static_cast<Index>(dependent.size())))
    report.redundant_conditions.push_back(std::move(name));
  if (Failure failure = close(velocities, Closure::Level::velocity)) return failure;

  if (Failure failure = start_->accelerations.solve(t, dependent, x, report)) return failure;
  if (settle(t, x)) report.changed = true;
  // those that depend on others were left out
  return dependent.empty() ? Failure{}
                           : closure.check(Closure::Level::acceleration, t, x, report.accelerations);
}

void Assembly::name_dependent(const std::vector<Index>& rows, AssemblyReport& report) const {
  const Names& names = motion_.names();
  report.redundant.clear();
  for (const Index row : rows) {
    const auto i = static_cast<std::size_t>(row);
    report.redundant.push_back(i < names.g.size() ? names.g[i] : names.h[i - names.g.size()]);
  }
}

// What counts as a change to the user: positions, velocities and contact coordinates.
std::string Assembly::largest_change(const Vector& from, const Vector& to) const {
  const Layout& layout = motion_.layout();
  Vector moved = to - from;
  for (const Block* computed : {&layout.w, &layout.lambda, &layout.mu})
    moved.segment(computed->begin, computed->size).setZero();
  constexpr double round_off = 1e-14;
  Index i = 0;
  if (moved.size() == 0 || !(moved.cwiseAbs().maxCoeff(&i) > round_off * to.cwiseAbs().maxCoeff())) return {};
  return fmt::format("'{}' by {:.3g}", motion_.names().variable(layout, i), moved[i]);
}

Failure Assembly::project(double t, VectorOut x) {
  Vector state = x;
  AssemblyReport report;
  const Failure failure = guarded(t, [&]() -> Failure {
    if (!projection_) projection_ = std::make_unique<Work>(motion_, options_, false);
    Closure closure(motion_, options_.closure_tolerance);
    for (AssemblyLevel* level : {&projection_->positions, &projection_->velocities}) {
      if (Failure found = level->solve(t, state, report)) return found;
      if (level->all_met()) continue;
      const bool is_position = level == &projection_->positions;
      if (Failure found = closure.check(is_position ? Closure::Level::position : Closure::Level::velocity, t,
                                        state, report.accelerations))
        return found;
    }
    settle(t, state);
    const std::vector<Index> dependent = projection_->velocities.dependent_constraints();
    if (Failure found = projection_->accelerations.solve(t, dependent, state, report)) return found;
    settle(t, state);
    return {};
  });
  if (!failure) x = state;
  return failure;
}

}  // namespace trammel
