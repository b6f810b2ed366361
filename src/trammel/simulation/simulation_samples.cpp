// What a run puts out: its samples, which lie inside steps and are made consistent, and its steps.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "trammel/numerics/norms.h"
#include "trammel/simulation/simulation.h"

namespace trammel {

void Simulation::record_step(double t, double h) {
  if (options_.record && options_.watch_constraints)
    trajectory_.steps.push_back(
        {t, h, violation_.position, violation_.velocity, violation_.acceleration, violation_.invariant});
}

Vector Simulation::shown(double t, const Vector& x) {
  if (!problem_) return x;
  Vector result = reduced(x);
  if (shown_) shown_->present(t, result);
  if (!reduction_) return result;
  result = completed(t, result);
  reduction_->present(t, result, *watched_);
  return result;
}

void Simulation::put_out(double t, const Vector& x) {
  const Vector state = shown(t, x);
  if (options_.record_states) trajectory_.append(t, state);
  if (output_) output_(t, state);
}

// False if what came of it lies so far from the interpolant that it cannot be right: in a singular position
// velocities and multipliers are not determined, and a projection gives anything.
bool Simulation::interpolate_near(double t, Vector& full) {
  full.resize(problem_->unknowns());
  integrator_->sample(t, full);
  if (between_steps_ && accelerations_serve_) step_.evaluate(*between_, *integrator_, t, full);
  const Layout& l = solved().layout();
  if (!options_.project_output) {
    if (!problem_->interpolates_multipliers()) shown_->find_multipliers(t, full.head(l.total));
    return true;
  }
  const Vector v = full.segment(l.v.begin, l.v.size);
  const bool projected = !shown_->complete(t, full.head(l.total));
  if (!full.allFinite()) return false;
  const auto multipliers = [&](const VectorIn& x) {
    return std::max(largest(x.segment(l.lambda.begin, l.lambda.size)),
                    largest(x.segment(l.mu.begin, l.mu.size)));
  };
  constexpr double no_force = 1e-13;  // where nothing is held, round-off grows by any factor
  const double moved = largest(full.segment(l.v.begin, l.v.size) - v);
  const double around =
      std::max(multipliers(reduced(state_)), multipliers(before_.size() > 0 ? before_ : reduced(state_)));
  if (!projected || moved > 0.01 * (largest(v) + 1e-3) ||
      (multipliers(full) > 100 * std::max(around, no_force) && around > 0))
    return false;
  // far from what the ends of the step have: perhaps not determined at all
  const Vector end = reduced(state_), &beginning = before_.size() > 0 ? before_ : end;
  const double u = (t - integrator_->previous_t()) / (integrator_->t() - integrator_->previous_t());
  const Index m = l.lambda.size + l.mu.size;
  const Vector between = (1 - u) * beginning.segment(l.lambda.begin, m) + u * end.segment(l.lambda.begin, m);
  const bool far = largest(full.segment(l.lambda.begin, m) - between) > 0.3 * around;
  // the multipliers of drivers that are no equations are not among these: what they are far from is not seen
  const bool unseen = m > 0 && reduction_ && !reduction_->eliminated_drivers().empty();
  return !(shown_->may_be_singular() || far || unseen) || !shown_->is_singular(t, full.head(l.total));
}

// A state inside the last step, on the constraints.
Vector Simulation::sample(double t) {
  Vector full;
  return interpolate_near(t, full) ? shown(t, restored(t, full)) : sample_beside(t);
}

// Where a state is not determined, its limit from both sides, or from the one that is in the step: the cubic
// through four points near by. They are as they are shown, because which of all multipliers with the same effect are
// the smallest is not the same question in a singular position.
Vector Simulation::sample_beside(double t) {
  const double from = integrator_->previous_t(), to = integrator_->t();
  const Layout& l = equations_.layout();
  const Index m = l.lambda.size + l.mu.size;
  for (const double part : {0.01, 0.03, 0.1}) {
    const double aside = part * (to - from);
    const bool left = t - 2 * aside >= from, right = t + 2 * aside <= to;
    const std::array<double, SampleLimit::count> both{-2, -1, 1, 2}, one_side{4, 3, 2, 1};
    const std::array<double, 4> both_weights{-1.0 / 6, 4.0 / 6, 4.0 / 6, -1.0 / 6}, one_weights{-1, 4, -6, 4};
    const auto& places = left && right ? both : one_side;
    const auto& weights = left && right ? both_weights : one_weights;
    const double direction = left && !right ? -aside : aside;
    SampleLimit limit{.t = {}, .weights = weights, .states = {}};
    std::array<Vector, SampleLimit::count>& near = limit.states;
    Vector full;
    bool determined = true;
    for (std::size_t i = 0; i < places.size() && determined; ++i) {
      const double at = limit.t[i] = t + places[i] * direction;
      determined = interpolate_near(at, full);
      if (determined) near[i] = shown(at, restored(at, full));
    }
    if (!determined) continue;
    Vector sum = Vector::Zero(l.total);
    for (std::size_t i = 0; i < places.size(); ++i) sum += weights[i] * near[i];
    // the limits of both sides, or those of two and of three points, differ if reactions grow without bound
    const auto reactions = [&](std::size_t point) { return near[point].segment(l.lambda.begin, m); };
    const double further = left && right ? 1 : 3;
    const Vector first = (further + 1) * reactions(1) - further * reactions(0);
    const std::size_t nearest = left && right ? 2 : 3, next = left && right ? 3 : 2;
    const Vector second = 2 * reactions(nearest) - reactions(next);
    const double size = std::max(largest(reactions(1)), largest(reactions(2)));
    note_singular_sample(t, largest(first - second) <= 0.1 * size);
    limit_ = std::move(limit);
    return sum;
  }
  Vector full(problem_->unknowns());
  if (!interpolate_near(t, full) && !full.allFinite()) integrator_->sample(t, full);
  note_singular_sample(t, false);
  return shown(t, restored(t, full));
}

// Whether what belongs to the end of the last step is not determined there.
bool Simulation::ends_in_singular_position() {
  if (!options_.project_output) return false;
  const Vector state = reduced(state_);
  return solved().layout().lambda.size + solved().layout().mu.size > 0 && shown_->is_singular(t_, state);
}

void Simulation::begin_step() {
  step_.clear();
  accelerations_serve_ = false;
  next_judgement_ = steps_since_start_ = 0;
  // without an estimate of the error nobody could judge them
  const Vector state = reduced(state_);
  const Vector* a = integrator_->error_estimate() != nullptr && options_.watch_constraints &&
                            solved().layout().w.size == 0 && solved().layout().s.size == 0
                        ? accelerations(t_, state)
                        : nullptr;
  between_steps_ = a != nullptr;
  if (between_steps_) step_.begin(t_, state, *a);
}

// In stiff directions accelerations are inexact by the stiffness times the error of a step: an interpolation
// that uses them is no better than that. Looked at less and less often, whether there are samples or not: how
// much the estimated error changes them. Where drivers determine the motion there is no such error, and what is far below the
// tolerance is good enough.
void Simulation::judge_accelerations() {
  if (steps_since_start_++ < next_judgement_ || (next_judgement_ > 1 && !accelerations_serve_)) return;
  next_judgement_ = 2 * std::max<long>(steps_since_start_, 1);
  accelerations_serve_ = false;
  const Vector* error = integrator_->error_estimate();
  if (error == nullptr || error->size() != integrator_->x().size()) return;
  const Layout& l = solved().layout();
  const Vector disturbed = integrator_->x().head(l.total) + error->head(l.total);
  if (accelerations_.size() == 0 || shown_->accelerate(t_, disturbed)) return;
  const double h = integrator_->last_step();
  const double inexact = h * h * (shown_->accelerations() - accelerations_).lpNorm<Eigen::Infinity>() / 64;
  const double estimated = error->segment(l.p.begin, l.p.size).lpNorm<Eigen::Infinity>();
  accelerations_serve_ = inexact <= 0.03 * std::max(estimated, options_.tolerances.absolute_of(l.p.begin));
}

void Simulation::note_singular_sample(double t, bool has_limit) {
  if (singular_samples_.empty()) {
    sample_.resize(problem_->unknowns());
    integrator_->interpolate(t, sample_);
    singular_rows_ = dependent_rows(t, restored(t, sample_));
  }
  no_limits_ = no_limits_ || !has_limit;
  if (singular_samples_.empty() || singular_samples_.back() != t) singular_samples_.push_back(t);
}

std::string Simulation::singular_note() const {
  const std::size_t named = std::min<std::size_t>(singular_rows_.size(), 6),
                    more = singular_samples_.size() - 1;
  const std::vector<std::string> rows(singular_rows_.begin(),
                                      singular_rows_.begin() + static_cast<std::ptrdiff_t>(named));
  return fmt::format(
      "the position at t = {:.10g}{} is singular{}: velocities and reactions are not determined there. "
      "Shown are their limits{}",
      singular_samples_.front(),
      more == 0 ? std::string() : fmt::format(" (and at {} more sample{})", more, more == 1 ? "" : "s"),
      rows.empty()
          ? std::string()
          : fmt::format(" ({}{})", fmt::join(rows, ", "), named < singular_rows_.size() ? ", ..." : ""),
      no_limits_ ? "; reactions have none at some of these samples, where they grow without bound: take "
                   "those of samples "
                   "beside them"
                 : "");
}

// Output times in (t_old, t].
void Simulation::record_output(double t_old, double t) {
  if (options_.output != Options::Output::at_times) return;
  const auto show = [&](double wanted, const Vector& shown_state) {
    if (options_.record_states) trajectory_.append(wanted, shown_state);
    if (output_) output_(wanted, shown_state);
    limit_.reset();
  };
  limit_.reset();
  while (next_output_ < options_.output_times.size() && options_.output_times[next_output_] <= t) {
    const double wanted = options_.output_times[next_output_++];
    if (wanted <= t_old) continue;
    const bool inside = integrator_->last_step() > 0 && t > t_old && std::isfinite(t_old);
    if (wanted < t ? inside : inside && ends_in_singular_position())
      show(wanted, wanted < t ? sample(wanted) : sample_beside(wanted));
    else if (wanted == t)
      put_out(t, state_);
  }
}

}  // namespace trammel
