#include "trammel/integrator/radau.h"

#include <algorithm>
#include <cmath>

#include "trammel/integrator/radau_coefficients.h"

namespace trammel {

using radau::method;

Failure RadauOptions::check(Index n) const {
  if (Failure failure = tolerances.check(n)) return failure;
  if (Failure failure = step_control().check()) return failure;
  if (Failure failure = newton_control().check()) return failure;
  if (Failure failure = projection.check()) return failure;
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  if (newton_matrix_at < 0 || newton_matrix_at > 3) return bad("newton_matrix_at must be 0, 1, 2 or 3");
  if (newton_matrix_at != 0 && starting_values == StartingValues::zero)
    return bad("newton_matrix_at a stage needs extrapolated starting values");
  if (newton_matrix_updates < 0) return bad("newton_matrix_updates must not be negative");
  return {};
}

StepControl RadauOptions::step_control() const {
  return {max_steps, max_step, safety, min_step_factor, max_step_factor, fixed_step};
}

NewtonControl RadauOptions::newton_control() const {
  return {max_newton_iterations, jacobian_reuse, newton_stop, keep_step_above, keep_step_below};
}

Radau::Radau(ImplicitProblem& problem, RadauOptions options)
    : ImplicitOneStepMethod(problem, options.step_control(), options.newton_control(), options.projection),
      options_(std::move(options)) {}

void Radau::resize() {
  ImplicitOneStepMethod::resize();
  for (Vector* vector :
       {&poly_.x, &poly_before_.x, &scale_, &error_scale_, &stage_, &rate_, &work_, &expected_, &delta_real_})
    vector->setZero(n_);
  for (int i = 0; i < 3; ++i) {
    Z_[i].setZero(n_);
    W_[i].setZero(n_);
    poly_.difference[i].setZero(n_);
    poly_before_.difference[i].setZero(n_);
  }
  delta_complex_.setZero(n_);
  h_accepted_ = err_accepted_ = 0;
  poly_.valid = poly_before_.valid = false;
  previous_regularity_ = 1;
  regularity_t_ = previous_regularity_t_ = t_;
  extrapolate_ = true;

  size_.setZero(n_);
  tightening_.setOnes(n_);
  inside_ = options_.tolerances;
  inside_.relative_each.resize(n_);
  inside_.absolute_each.resize(n_);
  const double general = options_.tolerances.relative_in_general();
  for (Index i = 0; i < n_; ++i) {
    const double given = options_.tolerances.relative_of(i), rtol = given > 0 ? given : general;
    tightening_[i] = internal(rtol) / rtol;
    inside_.relative_each[i] = given > 0 ? internal(rtol) : 0;
    inside_.absolute_each[i] = internal(rtol) * options_.tolerances.absolute_of(i) / rtol;
  }
  set_newton_stop(std::min(0.03, 0.25 * std::sqrt(internal(general))), internal(general));
}

double Radau::internal(double rtol) const {
  return options_.transform_tolerances ? 0.1 * std::pow(rtol, 2.0 / 3.0) : rtol;
}

// sc_i = atol' + rtol' · max(|x_k|, |other|), divided by h^(index−1)
void Radau::set_scale(VectorOut scale, VectorIn other, const std::vector<int>& index) {
  if (inside_.own_scales) {
    inside_.fill(x_, scale);
    inside_.fill(other, size_);
    scale = scale.cwiseMax(size_).cwiseProduct(tightening_);
  } else {
    size_ = x_.cwiseAbs().cwiseMax(other.cwiseAbs());
    inside_.fill(size_, scale);
  }
  refine_scale(h_, index, scale);
}

// The filter (γ/h E − J)⁻¹ takes from the estimate what is stiff. If J belongs to a stage inside a contact
// that was not there at x_k, it takes everything, and the estimate is blind. So where the step departs from
// what was expected, J is that of x_k: an estimate is never damped by what the step ran into.
Outcome Radau::estimate() {
  const Outcome outcome = estimate_with_matrix();
  if (outcome != Outcome::ok || !(err_ < 1) || matrix_at_ == 0 || !departs()) return outcome;
  const double with_other_matrix = err_;
  need_jacobian_ = need_factor_ = true;  // whatever comes of it
  if (problem_.linearize(t_, x_) == Outcome::ok && problem_.factor(method.gamma / h_) == Outcome::ok &&
      estimate_with_matrix() == Outcome::ok)
    err_ = std::max(err_, with_other_matrix);
  else
    err_ = with_other_matrix;
  return Outcome::ok;
}

// Whether the end of the step lies far from where the step before was leading, relative to the way.
bool Radau::departs() {
  if (!poly_.valid || !predicted_) return true;
  const double way = weighted_norm(Z_[2], error_scale_);
  work_ = Z_[2] - expected_;
  return weighted_norm(work_, error_scale_) > departure_limit * way;
}

// err = ‖(γ/h E − J)⁻¹ (φ(x_k) + E (e·Z)/h)‖, Hairer & Wanner IV.8.19
Outcome Radau::estimate_with_matrix() {
  rate_ = -(method.e1 * Z_[0] + method.e2 * Z_[1] + method.e3 * Z_[2]) / h_;
  work_ = end_;
  // multipliers grow without bound of accuracy near a singular position and must not drive the step size
  // there
  const bool nearly_singular = regularity_ < 0.05;
  set_scale(error_scale_, work_, nearly_singular ? problem_.newton_index() : problem_.variable_index());
  if (const Outcome outcome = solve_for_error(x_); outcome != Outcome::ok) return outcome;
  if (err_ < 1 || !(first_ || rejected_)) return Outcome::ok;
  // once more, filtered, where the first estimate is known to be too large; if that cannot be had, it stays
  stage_ = x_ + error_;
  solve_for_error(stage_);
  return Outcome::ok;
}

// The same at x, for a step whose end is in work_.
Outcome Radau::solve_for_error(VectorIn x) {
  if (const Outcome outcome = problem_.residual(t_, x, rate_, residual_[0]); outcome != Outcome::ok)
    return outcome;
  problem_.solve(residual_[0], error_);
  problem_.amend_error(t_ + h_, work_, residual_[0], error_);
  return measure_error(error_scale_);
}

// The predictive controller of K. Gustafsson (1994): how the error has changed from step to step counts too.
void Radau::predict_step() {
  if (options_.controller != RadauOptions::Controller::predictive) return;
  if (h_accepted_ > 0) {
    const double predicted =
        (h_accepted_ / h_) * std::pow(err_ * err_ / err_accepted_, 0.25) / options_.safety;
    const double quotient = std::max(
        h_ / h_new_, std::clamp(predicted, 1 / options_.max_step_factor, 1 / options_.min_step_factor));
    h_new_ = h_ / quotient;
  }
  h_accepted_ = h_;
  err_accepted_ = std::max(1e-2, err_);
}

void Radau::carry(Carrier& carried) {
  ImplicitOneStepMethod::carry(carried);
  carried.expect(5);
  carried(h_accepted_, err_accepted_, poly_, poly_before_, regularity_t_, previous_regularity_,
          previous_regularity_t_, extrapolate_);
}

void Radau::advance() {
  if (has_invariants()) {
    Z_[2] = end_ - x_;
    for (Vector& Z : Z_) leave_what_follows(Vector::Zero(n_), Z);
  }
  ImplicitOneStepMethod::advance();
  predict_step();
  build_polynomial();
  extrapolate_ = true;
  x_ = end_;
}

}  // namespace trammel
