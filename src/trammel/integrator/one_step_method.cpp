#include "trammel/integrator/one_step_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace trammel {

Failure StepControl::check() const {
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  if (max_steps < 1) return bad("max_steps must be at least 1");
  if (!(max_step >= 0)) return bad("max_step must not be negative");
  if (!(safety > 0.001 && safety < 1)) return bad("safety must be between 0.001 and 1");
  if (!(min_step_factor > 0 && min_step_factor < 1)) return bad("min_step_factor must be between 0 and 1");
  if (!(max_step_factor > 1)) return bad("max_step_factor must be greater than 1");
  return {};
}

namespace {

// Where functions fail by chance, as those of other simulators do, a shorter step is as good as the same one, and quarters would
// add up to nothing. Where they fail for good a few attempts more do not matter.
double gentle_factor(int failures) { return failures < 3 ? 0.7 : failures < 6 ? 0.5 : 0; }

}  // namespace

OneStepMethod::OneStepMethod(Problem& problem, const StepControl& control, std::string iteration)
    : problem_(problem), control_(control), iteration_(std::move(iteration)) {}

Outcome OneStepMethod::start(double t, VectorIn x, double t_end, double h0) {
  if (Failure failure = check()) return give_up(failure);
  if (const Outcome outcome = check_start(t, t_end, h0); outcome != Outcome::ok) return outcome;
  t_ = t_old_ = t;
  t_end_ = t_end;
  x_ = x_old_ = x;
  const double span = t_end - t;
  h_ = std::min(h0 > 0 ? h0 : 1e-3 * std::max(span, 1e-6), control_.max_step > 0 ? control_.max_step : span);
  if (h0 > 0 && span > 0) h_ = std::min(h_, span);
  h_last_ = 0;
  first_ = true;
  goes_on_ = rejected_ = too_long_ = false;
  unprepared_ = failed_evaluations_ = 0;
  trouble_ = {};
  resize();
  if (problem_.start(t, x) != Outcome::ok) return give_up(problem_.failure());
  return begin(h0);
}

Outcome OneStepMethod::step(double bound) {
  if (h_ <= 0) h_ = h_last_ > 0 ? h_last_ : 1e-6 * std::max(bound - t_, 0.0);
  double h_wanted = h_;
  for (;;) {
    if (problem_.statistics().steps >= control_.max_steps) return too_many_steps(control_.max_steps, t_);
    // end exactly at the bound
    const bool clipped = t_ + 1.0001 * h_ >= bound;
    if (clipped) {
      h_wanted = std::max(h_wanted, h_);
      h_ = bound - t_;
    } else if (0.1 * h_ <= std::max(std::abs(t_), 1e-3 * (t_end_ - t_old_)) * round_off) {
      return step_underflow();
    }
    switch (try_step(bound)) {
      case Attempt::taken:
        return accept(bound, clipped, h_wanted);
      case Attempt::leapt:
        return Outcome::ok;
      case Attempt::again:
        break;
      case Attempt::smaller:
        h_wanted = h_;
        break;
      case Attempt::failed:
        return Outcome::fail;
    }
  }
}

OneStepMethod::Attempt OneStepMethod::try_step(double bound) {
  Outcome outcome = prepare();
  if (outcome == Outcome::fail) return fail(give_up(problem_.failure()));
  if (outcome == Outcome::retry) {
    constexpr int patience = 5;
    remember(problem_.failure());
    too_long_ = true;
    return ++unprepared_ >= patience ? fail(step_underflow()) : make_smaller(0.5);
  }

  ++problem_.statistics().steps;
  evaluation_failed_ = false;
  outcome = attempt();
  if (outcome == Outcome::fail) return fail(give_up(obstacle_));
  if (outcome == Outcome::retry) return give_way(bound);

  if (control_.fixed_step) {
    err_ = 1e-2;
    h_new_ = h_;
    return Attempt::taken;
  }
  outcome = estimate();
  if (outcome == Outcome::fail) return fail(give_up(problem_.failure()));
  if (outcome == Outcome::retry) err_ = 10;
  propose();
  if (err_ < 1) return Attempt::taken;
  ++problem_.statistics().rejected_error;
  trouble_ = {};
  too_long_ = true;
  return make_smaller(factor_after_error());
}

// The attempt could not be finished.
OneStepMethod::Attempt OneStepMethod::give_way(double bound) {
  ++(problem_.statistics().*std::exchange(cause_, &Statistics::rejected_convergence));
  remember(obstacle_);
  if (control_.fixed_step) return can_try_again() ? Attempt::again : fail(fixed_step_fails());
  double t = 0;
  if (leap(bound, t, x_old_)) {
    ++problem_.statistics().steps;
    ++problem_.statistics().accepted;
    x_.swap(x_old_);
    t_old_ = t_;
    t_ = t;
    h_last_ = t_ - t_old_;
    rejected_ = too_long_ = false;
    return Attempt::leapt;
  }
  if (evaluation_failed_) return make_smaller(std::max(shrink_, gentle_factor(failed_evaluations_++)));
  too_long_ = true;
  return make_smaller(shrink_);
}

OneStepMethod::Attempt OneStepMethod::make_smaller(double factor) {
  h_ *= factor;
  rejected_ = true;
  rejected();
  return Attempt::smaller;
}

Outcome OneStepMethod::accept(double bound, bool clipped, double h_wanted) {
  ++problem_.statistics().accepted;
  trouble_ = {};
  x_old_ = x_;
  advance();
  t_old_ = t_;
  t_ += h_;
  h_last_ = h_;
  if (clipped && std::abs(t_ - bound) <= 4 * std::numeric_limits<double>::epsilon() * std::abs(bound))
    t_ = bound;
  if (problem_.accepted(t_, x_) == Outcome::fail) return give_up(problem_.failure());
  if (settle() != Outcome::ok) return give_up(obstacle_);

  if (control_.max_step > 0) h_new_ = std::min(h_new_, control_.max_step);
  if (too_long_) h_new_ = std::min(h_new_, h_last_);
  first_ = rejected_ = too_long_ = false;
  goes_on_ = true;
  failed_evaluations_ = 0;
  unprepared_ = 0;
  if (control_.fixed_step)
    h_ = h_wanted;
  else if (clipped)
    h_ = std::max(h_new_, h_wanted);  // a step cut short says little about the next
  else if (!keeps_step(h_new_ / h_last_))
    h_ = h_new_;
  return Outcome::ok;
}

void OneStepMethod::retreat() {
  t_ = t_old_;
  x_ = x_old_;
  h_ = h_last_;
  goes_on_ = false;
  went_back();
}

void OneStepMethod::carry(Carrier& carried) {
  carried.expect(static_cast<double>(problem_.unknowns()));
  carried(t_, t_old_, t_end_, h_, h_last_, x_, x_old_, first_, rejected_, goes_on_);
}

Outcome OneStepMethod::save(Snapshot& snapshot) {
  Carrier carried = Carrier::saving(snapshot);
  carry(carried);
  return resume(problem_, t_, x_, carried);
}

Outcome OneStepMethod::copy(Snapshot& snapshot) {
  Carrier carried = Carrier::copying(snapshot);
  carry(carried);
  return resume(problem_, t_, x_, carried);
}

Outcome OneStepMethod::restore(const Snapshot& snapshot) {
  if (Failure failure = check()) return give_up(failure);
  resize();
  unprepared_ = 0;
  trouble_ = {};
  Carrier carried = Carrier::restoring(snapshot);
  carry(carried);
  return resume(problem_, t_, x_, carried);
}

// For the message if no step size helps. A value that is not finite is the root of whatever follows it.
void OneStepMethod::remember(const Failure& trouble) {
  if (trouble_.reason != Reason::not_finite) trouble_ = trouble;
}

Outcome OneStepMethod::step_underflow() {
  return no_step_helps(trouble_, fmt::format("at t = {:.10g}, with a step size of {:.3g}", t_, h_),
                       iteration_);
}

Outcome OneStepMethod::fixed_step_fails() {
  const std::string where = fmt::format("at t = {:.10g}", t_);
  if (trouble_.message.empty())
    return give_up(Reason::newton_failed,
                   fmt::format("{} does not converge {} with the fixed step {}", iteration_, where, h_));
  return give_up(trouble_.reason,
                 fmt::format("the fixed step {} cannot be taken {}: {}", h_, where, trouble_.message));
}

void OneStepMethod::refine_scale(double h, const std::vector<int>& index, VectorOut scale) const {
  // Round-off of the large unknowns of a kind (multipliers of 1e5) is in the small ones too (a multiplier
  // near zero): no tolerance can be met below it.
  const Index n = x_.size(), counted = problem_.counted();
  const std::vector<int>& newton_index = problem_.newton_index();
  double most[4] = {0, 0, 0, 0};
  for (Index i = 0; i < n; ++i) {
    double& group = most[newton_index[static_cast<std::size_t>(i)]];
    group = std::max(group, std::abs(x_[i]));
  }
  // the norms are means over all unknowns
  const double share = static_cast<double>(counted) / static_cast<double>(std::max<Index>(n, 1));
  const double mean = counted == n ? 1.0 : std::sqrt(share);
  for (Index i = 0; i < n; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    scale[i] = mean * std::max(scale[i], 20 * round_off * most[newton_index[k]]);
    if (index[k] > 1) scale[i] /= std::pow(h, index[k] - 1);
    if (index[k] == 0) scale[i] = std::numeric_limits<double>::infinity();
  }
}

}  // namespace trammel
