// The stages of SDIRK: starting values, Newton's iteration, and the continuous extension that they define.
#include <algorithm>
#include <cmath>

#include "trammel/integrator/sdirk.h"
#include "trammel/integrator/sdirk_coefficients.h"

namespace trammel {

using sdirk::stages;

// In the middle of the step, where the last one leads: stiff directions that turn on the way are half as far off in the
// stages as those of the beginning.
Outcome Sdirk::linearize() {
  const auto ahead = [&](double part) {
    const double time = t_ + part * h_;
    interpolate(time, stage_);
    const Outcome outcome = problem_.completes() ? problem_.complete(time, stage_) : Outcome::ok;
    return outcome == Outcome::ok ? problem_.linearize(time, stage_) : outcome;
  };
  matrix_is_ahead_ = wants_matrix_ahead() && extension_.valid && extends();
  Outcome outcome = matrix_is_ahead_ ? ahead(0.5) : Outcome::retry;
  if (outcome == Outcome::retry) {
    matrix_is_ahead_ = false;
    outcome = problem_.linearize(t_, x_);
  }
  // in a singular position, look a little ahead
  for (const double part : {0.5, 1.0})
    if (outcome == Outcome::retry && extension_.valid) outcome = ahead(part);
  if (outcome != Outcome::ok) return outcome;
  regularity_ = problem_.regularity();
  if (m_ != problem_.equations()) {
    m_ = problem_.equations();
    residual_.setZero(m_);
  }
  return outcome;
}

// Where the middle does not help, however short the step, its beginning is tried.
bool Sdirk::wants_matrix_ahead() const {
  using Place = SdirkOptions::MatrixPlace;
  if (options_.matrix_place != Place::automatic) return options_.matrix_place == Place::midway;
  return problem_.completes() && middle_failures_ < 3;
}

Outcome Sdirk::factor() { return problem_.factor(1 / (method_.gamma() * h_)); }

Sdirk::Newton Sdirk::solve_stages() {
  set_scale(scale_, problem_.newton_index());
  theta_ = 0;
  Newton newton = Newton::converged;
  for (int stage = 0; stage < stages && newton == Newton::converged; ++stage) {
    predict(stage);
    newton = iterate(stage);
    theta_ = std::max(theta_, convergence_.rate());
    if (newton == Newton::converged && stage + 1 < stages) keep_increment(stage);
  }
  // the middle of a shorter step is elsewhere
  if (newton != Newton::converged && matrix_is_ahead_) {
    need_jacobian_ = true;
    ++middle_failures_;
  }
  return newton;
}

// u_i = base + γ h x'_i, where the problem knows x'_i; z_i otherwise.
void Sdirk::keep_increment(int stage) {
  const std::size_t i = static_cast<std::size_t>(stage);
  const double gamma_h = method_.gamma() * h_;
  stage_ = x_ + z_[i];
  rate_ = (z_[i] - base_) / gamma_h;
  problem_.improve_rates(t_ + method_.c[i] * h_, stage_, rate_);
  u_[i] = base_ + gamma_h * rate_;
}

// The starting value of a stage, and base = Σ_{j<i} α_ij u_j.
void Sdirk::predict(int stage) {
  const std::size_t i = static_cast<std::size_t>(stage);
  Vector& z = z_[i];
  z.setZero();
  base_.setZero();
  if (stage > 0) {
    for (std::size_t j = 0; j < i; ++j) {
      z += method_.predictor[i][j] * z_[j];
      base_ += method_.alpha[i][j] * u_[j];
    }
  } else if (extension_.valid && extends() &&
             options_.starting_values == SdirkOptions::StartingValues::extrapolated) {
    interpolate(t_ + method_.c[i] * h_, z);
    problem_.tidy(z);
    z -= x_;
  }
}

// One correction of a stage; its size is in size_.
Sdirk::Newton Sdirk::correct(int stage) {
  const std::size_t i = static_cast<std::size_t>(stage);
  Vector& z = z_[i];
  const double time = t_ + method_.c[i] * h_;
  stage_ = x_ + z;
  Outcome outcome = Outcome::ok;
  if (problem_.completes()) {
    outcome = problem_.complete(time, stage_);
    z = stage_ - x_;
  }
  rate_ = (z - base_) / (method_.gamma() * h_);
  if (outcome == Outcome::ok)
    outcome = insist([&] { return problem_.residual(time, stage_, rate_, residual_); });
  if (outcome == Outcome::retry) return Newton::retry;
  if (outcome == Outcome::fail) return Newton::fail;
  problem_.solve(residual_, delta_);
  ++problem_.statistics().newton_iterations;
  ++problem_.statistics().backsubstitutions;
  size_ = weighted_norm(delta_, scale_);
  return std::isfinite(size_) ? Newton::converged : Newton::diverged;
}

// Simplified Newton on one stage.
Sdirk::Newton Sdirk::iterate(int stage) {
  using Verdict = NewtonConvergence::Verdict;
  convergence_.begin(newton_limits(scale_));
  for (int newton = 1;; ++newton) {
    iterations_ = newton;
    if (const Newton result = correct(stage); result != Newton::converged) return result;
    newton_log_.change(newton, size_);
    const Verdict verdict = convergence_.judge(size_);
    if (verdict == Verdict::slow) return Newton::slow;
    if (verdict == Verdict::diverged) return Newton::diverged;
    z_[static_cast<std::size_t>(stage)] += delta_;
    if (verdict == Verdict::converged) return Newton::converged;
  }
}

// h x'_i = (A⁻¹ z)_i
double Sdirk::rate_at(int stage, Index l) const {
  double rate = 0;
  for (int j = 0; j <= stage; ++j)
    rate += method_.A_inverse[static_cast<std::size_t>(stage)][static_cast<std::size_t>(j)] *
            z_[static_cast<std::size_t>(j)][l];
  return rate;
}

// x + Σ_i b_i(s) h x'_i with h x'_i = (A⁻¹ z)_i, in powers of s.
void Sdirk::build_polynomial() {
  extension_.t = t_;
  extension_.h = h_;
  extension_.x = x_;
  extension_.valid = true;
  const bool is_ode = problem_.ode() != nullptr;
  const std::vector<int>& index = problem_.variable_index();
  for (Index l = 0; l < n_; ++l) {
    // which unknowns a DAE integrates is its own business
    const bool integrated = is_ode && index[static_cast<std::size_t>(l)] != 0;
    const auto& dense = integrated ? method_.dense : method_.dense_dependent;
    std::array<double, 4> power{};
    for (std::size_t i = 0; i < stages; ++i) {
      const double rate = rate_at(static_cast<int>(i), l);
      for (std::size_t k = 0; k < 4; ++k) power[k] += dense[k][i] * rate;
    }
    for (std::size_t k = 0; k < 4; ++k) extension_.power[k][l] = power[k];
  }
}

void Sdirk::interpolate(double t, VectorOut x) const {
  if (!extension_.valid) {
    x = x_;
    return;
  }
  const double s = (t - extension_.t) / extension_.h;
  const auto& power = extension_.power;
  x = extension_.x + s * (power[0] + s * (power[1] + s * (power[2] + s * power[3])));
}

}  // namespace trammel
