#include "trammel/simulation/method_watch.h"

#include <algorithm>
#include <limits>

namespace trammel {

namespace {

constexpr long shortest_window = 10, longest_window = 80;
constexpr long warm_up = 4;
// h |λ| for which DOP853 is stable; and of a mean step that is bounded by that: some are rejected, others shorter.
constexpr double stable_up_to = 6.1, bounded_above = 3.5;
// What steps at the bound of stability gain, in parts of it.
constexpr double gain_at_bound = 0.7;
// Where nothing bounds it, the method of order 8 takes longer steps than that of order 5.
constexpr double longer_steps = 2;
// A change must promise so much more.
constexpr double worthwhile = 1.25;

}  // namespace

void MethodWatch::begin(bool is_implicit, double t, long attempts) {
  is_implicit_ = warming_up_ = is_implicit;
  proven_ = false;
  window_ = shortest_window;
  begin_window(t, attempts);
}

void MethodWatch::begin_window(double t, long attempts) {
  from_t_ = t;
  from_attempts_ = attempts;
  steps_ = stiff_steps_ = 0;
}

bool MethodWatch::step(double t, long attempts, double stability_used) {
  constexpr double seems_bounded = 0.5;
  ++steps_;
  if (stability_used > seems_bounded) ++stiff_steps_;
  if (warming_up_ && steps_ >= warm_up) {
    warming_up_ = false;
    begin_window(t, attempts);
  }
  if (steps_ < window_) return false;
  const double time = t - from_t_;
  gain_ = time / static_cast<double>(std::max<long>(attempts - from_attempts_, 1));
  mean_step_ = time / static_cast<double>(steps_);
  const bool wanted = is_implicit_ || 2 * stiff_steps_ > steps_;
  if (!wanted) window_ = shortest_window;
  begin_window(t, attempts);
  return wanted;
}

bool MethodWatch::judge(std::optional<double> rate) {
  if (!rate) return false;
  stable_step_ = *rate > 0 ? stable_up_to / *rate : std::numeric_limits<double>::infinity();
  return is_implicit_ ? judge_implicit() : judge_explicit(*rate);
}

bool MethodWatch::judge_explicit(double rate) {
  if (mean_step_ * rate < bounded_above) {
    window_ = std::min(2 * window_, longest_window);
    return false;
  }
  if (implicit_gain_ == 0 || implicit_gain_ > worthwhile * gain_) return true;
  // it did not do better when it was tried, but things change: later and later it is tried again
  implicit_gain_ *= 1 + 0.3 / static_cast<double>(1 + trials_in_vain_);
  return false;
}

bool MethodWatch::judge_implicit() {
  implicit_gain_ = gain_;
  const double explicit_gain = std::min(gain_at_bound * stable_step_, longer_steps * mean_step_);
  const bool does_better = explicit_gain > worthwhile * gain_;
  trials_in_vain_ = does_better && !proven_ ? trials_in_vain_ + 1 : 0;
  proven_ = true;
  // the farther from it, the longer until it is asked again
  if (explicit_gain < 0.1 * gain_) window_ = std::min(2 * window_, longest_window);
  return does_better;
}

}  // namespace trammel
