#include "trammel/integrator/newton_convergence.h"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

constexpr double round_off = 1e-16;

// Above this it diverges.
constexpr double largest_rate = 0.99;

// The largest change, relative to the tolerance, that is trusted to be the last with a rate that was not seen
// twice.
constexpr double trusted_change = 1;

}  // namespace

void NewtonConvergence::begin(const Limits& limits) {
  limits_ = limits;
  share_left_ = has_converged_ ? std::pow(std::max(share_left_, round_off), 0.8) : 1;
  has_converged_ = false;
  rate_ = limits.unknown_rate;
  slow_factor_ = 0.5;
  iterations_ = 0;
  previous_ = previous_ratio_ = stagnated_at_ = 0;
}

NewtonConvergence::Verdict NewtonConvergence::judge(double size) {
  ++iterations_;
  if (!std::isfinite(size)) return Verdict::diverged;
  const bool last = iterations_ >= limits_.max_iterations;
  bool is_noise = iterations_ > 1 && size <= std::min(limits_.noise, most_noise);
  if (iterations_ > 1 && std::max(size, previous_) <= limits_.stagnation && size > 0.3 * previous_) {
    stagnated_at_ = size;
    is_noise = is_noise || std::max(size, previous_) <= most_stagnation;
  }
  if (iterations_ > 1 && !is_noise) {
    const double ratio = size / previous_;
    rate_ = iterations_ > 2 && limits_.mean_rate ? std::sqrt(ratio * previous_ratio_) : ratio;
    const double slowest =
        std::min(std::max(limits_.exact_matrix ? rate_ : previous_ratio_, ratio), largest_rate);
    previous_ratio_ = ratio;
    if (rate_ >= largest_rate) return Verdict::diverged;
    // at this rate, will it be in time?
    const int left = limits_.max_iterations - 1 - iterations_;
    const double forecast = rate_ / (1 - rate_) * size * std::pow(rate_, left) / limits_.stop;
    if (forecast >= 1 && !last) {
      slow_factor_ = 0.8 * std::pow(std::clamp(forecast, 1e-4, 20.0), -1.0 / (4.0 + left));
      return Verdict::slow;
    }
    share_left_ = slowest / (1 - slowest);
  }
  previous_ = std::max(size, round_off);
  bool is_small = share_left_ * size <= limits_.stop;
  if (iterations_ <= 2) is_small = is_small && size <= (limits_.exact_matrix ? trusted_change : limits_.stop);
  has_converged_ = is_noise || is_small;
  if (has_converged_) return Verdict::converged;
  return last ? Verdict::slow : Verdict::go_on;
}

}  // namespace trammel
