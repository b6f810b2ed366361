// The Newton iteration of Radau IIA: where its matrix is taken, and when it has converged.
#include <algorithm>
#include <cmath>

#include "trammel/formulation/stage_newton.h"
#include "trammel/integrator/radau.h"
#include "trammel/integrator/radau_coefficients.h"

namespace trammel {

using radau::method;

// The Newton matrix at x_k or at an extrapolated stage.
Outcome Radau::linearize_at(int stage) {
  if (stage == 0) return problem_.linearize(t_, x_);
  const double time = t_ + method.node(stage) * h_;
  interpolate(time, stage_);
  return problem_.linearize(time, stage_);
}

Outcome Radau::linearize() {
  const bool known_ahead = poly_.valid && extends();
  const int wanted = known_ahead ? options_.newton_matrix_at : 0;
  Outcome outcome = linearize_at(wanted);
  matrix_at_ = wanted;
  // in a singular position, look a little ahead or at the other end
  for (const int other : {2, 3, 1, 0}) {
    if (outcome != Outcome::retry || (!known_ahead && other != 0)) continue;
    if (other != wanted || !known_ahead) {
      outcome = linearize_at(other);
      matrix_at_ = other;
    }
  }
  if (outcome != Outcome::ok) return outcome;
  if (t_ > regularity_t_) {
    previous_regularity_ = regularity_;
    previous_regularity_t_ = regularity_t_;
  }
  regularity_ = problem_.regularity();
  regularity_t_ = t_;
  if (m_ != problem_.equations()) {
    m_ = problem_.equations();
    for (Vector& residual : residual_) residual.setZero(m_);
    rhs_real_.setZero(m_);
    rhs_complex_.setZero(m_);
  }
  return outcome;
}

Outcome Radau::factor() {
  const Outcome outcome = problem_.factor(method.gamma / h_);
  return outcome == Outcome::ok ? problem_.factor(method.alpha_beta / h_) : outcome;
}

Radau::Newton Radau::solve_stages() {
  set_scale(scale_, x_, problem_.newton_index());
  predict_stages();
  const Newton newton = iterate_with_updates();
  // the stages may lie on both sides of a singular position
  if ((newton == Newton::slow || newton == Newton::diverged) && iterate_stages()) return Newton::converged;
  return newton;
}

// Simplified Newton on the three stages, in the transformed variables W = T⁻¹ Z.
Radau::Newton Radau::iterate() {
  const auto& T = radau::RadauCoefficients::T;
  const auto& Tinv = radau::RadauCoefficients::Tinv;
  NewtonConvergence::Limits limits = newton_limits(scale_);
  limits.mean_rate = true;
  convergence_.begin(limits);
  for (int newton = 1;; ++newton) {
    iterations_ = newton;
    ++problem_.statistics().newton_iterations;
    if (problem_.completes()) {
      const Outcome outcome = complete_stages();
      if (outcome == Outcome::retry) return Newton::retry;
      if (outcome == Outcome::fail) return Newton::fail;
    }
    // residuals of the stages; h X' = A⁻¹ Z = T Λ W
    for (int i = 0; i < 3; ++i) {
      stage_ = x_ + Z_[i];
      const double g = method.gamma, a = method.alpha_beta.real(), b = method.alpha_beta.imag();
      rate_ = (T[i][0] * g / h_) * W_[0] + (T[i][1] * a / h_ + T[i][2] * b / h_) * W_[1] +
              (T[i][2] * a / h_ - T[i][1] * b / h_) * W_[2];
      const double time = t_ + method.node(i + 1) * h_;
      const Outcome outcome = insist([&] { return problem_.residual(time, stage_, rate_, residual_[i]); });
      if (outcome == Outcome::retry) return Newton::retry;
      if (outcome == Outcome::fail) return Newton::fail;
    }
    for (Index k = 0; k < m_; ++k) {
      const double r1 = residual_[0][k], r2 = residual_[1][k], r3 = residual_[2][k];
      rhs_real_[k] = Tinv[0][0] * r1 + Tinv[0][1] * r2 + Tinv[0][2] * r3;
      rhs_complex_[k] = {Tinv[1][0] * r1 + Tinv[1][1] * r2 + Tinv[1][2] * r3,
                         Tinv[2][0] * r1 + Tinv[2][1] * r2 + Tinv[2][2] * r3};
    }
    problem_.solve(rhs_real_, delta_real_);
    problem_.solve(rhs_complex_, delta_complex_);
    ++problem_.statistics().backsubstitutions;

    double sum = 0;
    for (Index k = 0; k < n_; ++k) {
      const double w1 = delta_real_[k] / scale_[k];
      const double w2 = delta_complex_[k].real() / scale_[k], w3 = delta_complex_[k].imag() / scale_[k];
      sum += w1 * w1 + w2 * w2 + w3 * w3;
    }
    const double size = std::sqrt(sum / static_cast<double>(3 * n_));
    const NewtonConvergence::Verdict verdict = convergence_.judge(size);
    if (std::isfinite(size)) newton_log_.change(newton, size);
    theta_ = convergence_.rate();
    if (verdict == NewtonConvergence::Verdict::slow) return Newton::slow;
    if (verdict == NewtonConvergence::Verdict::diverged) return Newton::diverged;

    W_[0] += delta_real_;
    W_[1] += delta_complex_.real();
    W_[2] += delta_complex_.imag();
    for (int i = 0; i < 3; ++i) Z_[i] = T[i][0] * W_[0] + T[i][1] * W_[1] + T[i][2] * W_[2];
    if (verdict == NewtonConvergence::Verdict::converged) return Newton::converged;
  }
}

// What follows from the others in a stage is the problem's to say.
Outcome Radau::complete_stages() {
  for (int i = 0; i < 3; ++i) {
    stage_ = x_ + Z_[i];
    const Outcome outcome = problem_.complete(t_ + method.node(i + 1) * h_, stage_);
    if (outcome != Outcome::ok) return outcome;
    Z_[i] = stage_ - x_;
  }
  transform_stages();
  return Outcome::ok;
}

// W = T⁻¹ Z
void Radau::transform_stages() {
  for (int i = 0; i < 3; ++i)
    W_[i] = radau::RadauCoefficients::Tinv[i][0] * Z_[0] + radau::RadauCoefficients::Tinv[i][1] * Z_[1] +
            radau::RadauCoefficients::Tinv[i][2] * Z_[2];
}

// Option: a Newton matrix at the present iterate instead of a rejected step.
Radau::Newton Radau::iterate_with_updates() {
  Newton result = iterate();
  for (int update = 0; update < options_.newton_matrix_updates; ++update) {
    if (result != Newton::slow && result != Newton::diverged) break;
    stage_ = x_ + Z_[1];
    if (!stage_.allFinite()) break;
    problem_.newton_failed();
    if (problem_.linearize(t_ + method.c2 * h_, stage_) != Outcome::ok || factor() != Outcome::ok) break;
    jacobian_fresh_ = false;
    result = iterate();
  }
  return result;
}

// Starting values of the stages.
void Radau::predict_stages() {
  predicted_ = poly_.valid && extrapolate_ && extends() &&
               options_.starting_values != RadauOptions::StartingValues::zero;
  if (!predicted_) {
    for (int i = 0; i < 3; ++i) {
      Z_[i].setZero();
      W_[i].setZero();
    }
    return;
  }
  for (int i = 0; i < 3; ++i) {
    interpolate(t_ + method.node(i + 1) * h_, Z_[i]);
    problem_.tidy(Z_[i]);
    Z_[i] -= x_;
  }
  expected_ = Z_[2];
  transform_stages();
}

// Full Newton with a matrix for each stage: crosses a position where the smallest singular value of the
// constraints goes through zero, as long as no stage lies just there. Multipliers jump there, from one
// infinity to the other, so theirs are not extrapolated. True if it converged.
bool Radau::iterate_stages() {
  StageNewton* const stages = problem_.stage_newton();
  if (stages == nullptr || !poly_.valid) return false;
  predict_stages();
  Eigen::Matrix3d weights = Eigen::Matrix3d::Zero();  // A⁻¹ / h = T Λ T⁻¹ / h
  {
    const double g = method.gamma, a = method.alpha_beta.real(), b = method.alpha_beta.imag();
    const double lambda[3][3] = {{g, 0, 0}, {0, a, -b}, {0, b, a}};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l)
            weights(i, j) +=
                radau::RadauCoefficients::T[i][k] * lambda[k][l] * radau::RadauCoefficients::Tinv[l][j] / h_;
  }
  const auto time = [&](int i) { return t_ + method.node(i + 1) * h_; };
  for (int i = 0; i < 3; ++i) {
    stage_ = x_ + Z_[i];
    if (!stage_.allFinite() || stages->guess_multipliers(time(i), stage_) != Outcome::ok) return false;
    Z_[i] = stage_ - x_;
    delta_[i].setZero(n_);
  }
  const NewtonConvergence::Limits limits = newton_limits(scale_);
  double previous = 0;
  for (iterations_ = 1; iterations_ <= options_.max_newton_iterations; ++iterations_) {
    ++problem_.statistics().newton_iterations;
    for (int i = 0; i < 3; ++i) {
      stage_ = x_ + Z_[i];
      rate_ = weights(i, 0) * Z_[0] + weights(i, 1) * Z_[1] + weights(i, 2) * Z_[2];
      if (stages->linearize_stage(i, time(i), stage_, rate_) != Outcome::ok ||
          problem_.residual(time(i), stage_, rate_, residual_[i]) != Outcome::ok)
        return false;
    }
    if (stages->factor_stages(weights) != Outcome::ok) return false;
    stages->solve_stages(residual_, delta_);
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
      if (!delta_[i].allFinite()) return false;
      // what is computed anew does not count
      for (Index k = 0; k < n_; ++k)
        if (problem_.variable_index()[static_cast<std::size_t>(k)] != 0)
          sum += (delta_[i][k] / scale_[k]) * (delta_[i][k] / scale_[k]);
      Z_[i] += delta_[i];
    }
    const double size = std::sqrt(sum / static_cast<double>(3 * n_));
    // nothing is known of the rate before the second change; near the solution it is quadratic
    const double rate = iterations_ > 1 ? size / std::max(previous, round_off) : 1;
    const bool is_noise =
        iterations_ > 1 &&
        (size <= std::min(limits.noise, NewtonConvergence::most_noise) ||
         std::max(size, previous) <= std::min(limits.stagnation, NewtonConvergence::most_stagnation));
    if (is_noise || (rate < 0.3 && rate * size <= newton_stop_)) {
      transform_stages();
      theta_ = 1;  // the matrix at hand is not worth keeping
      convergence_.forget();
      return true;
    }
    if (iterations_ > 2 && !(size < 2 * previous)) return false;
    previous = size;
  }
  return false;
}

}  // namespace trammel
