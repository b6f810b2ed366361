// SDIRK: options, the estimate of the error and the end of a step. Newton's iteration is in sdirk_newton.cpp.
#include "trammel/integrator/sdirk.h"

#include <algorithm>
#include <cmath>

#include "trammel/integrator/sdirk_coefficients.h"

namespace trammel {

using sdirk::stages;

Failure SdirkOptions::check(Index n) const {
  if (Failure failure = tolerances.check(n)) return failure;
  if (Failure failure = step_control().check()) return failure;
  if (Failure failure = newton_control().check()) return failure;
  if (fixed_step && !local_extrapolation)
    return {Reason::invalid_options,
            "fixed_step goes with local_extrapolation: without it the error is part of the solution"};
  return {};
}

StepControl SdirkOptions::step_control() const {
  return {max_steps, max_step, safety, min_step_factor, max_step_factor, fixed_step};
}

NewtonControl SdirkOptions::newton_control() const {
  return {max_newton_iterations, jacobian_reuse, newton_stop, keep_step_above, keep_step_below};
}

Sdirk::Sdirk(ImplicitProblem& problem, SdirkOptions options)
    : ImplicitOneStepMethod(problem, options.step_control(), options.newton_control()),
      options_(std::move(options)),
      method_(options_.gamma == SdirkOptions::Gamma::one_quarter ? sdirk::one_quarter
                                                                 : sdirk::four_fifteenths) {}

void Sdirk::resize() {
  ImplicitOneStepMethod::resize();
  for (Vector* vector : {&extension_.x, &scale_, &error_scale_, &stage_, &base_, &rate_, &delta_})
    vector->setZero(n_);
  for (Vector& z : z_) z.setZero(n_);
  for (Vector& u : u_) u.setZero(n_);
  for (Vector& coefficient : extension_.power) coefficient.setZero(n_);
  extension_.valid = false;
  const double rtol = options_.tolerances.relative_in_general();
  set_newton_stop(std::min(0.03, std::sqrt(rtol)), rtol);
}

// sc_i = atol + rtol |x_k|, divided by h^(index−1)
void Sdirk::set_scale(VectorOut scale, const std::vector<int>& index) {
  options_.tolerances.fill(x_, scale);
  refine_scale(h_, index, scale);
}

// err = ‖(E/(γh) − J)⁻¹ E/(γh) (z_5 − ẑ)‖, ẑ the embedded solution: the filter takes out of the difference
// what stiff components make of it.
Outcome Sdirk::estimate() {
  set_scale(error_scale_, problem_.variable_index());
  error_ = z_[stages - 1];
  for (int j = 0; j < stages - 1; ++j) error_ -= method_.predictor[stages - 1][j] * u_[j];
  error_ /= method_.gamma() * h_;
  const Outcome outcome = problem_.multiply_mass(t_, x_, error_, residual_);
  if (outcome != Outcome::ok) return outcome;
  problem_.solve(residual_, error_);
  stage_ = x_ + z_[stages - 1];
  problem_.amend_error(t_ + h_, stage_, residual_, error_);
  err_ = std::max(weighted_norm(error_, error_scale_), 1e-10);
  return outcome;
}

void Sdirk::carry(Carrier& carried) {
  ImplicitOneStepMethod::carry(carried);
  carried.expect(4);
  carried(extension_);
}

void Sdirk::advance() {
  ImplicitOneStepMethod::advance();
  build_polynomial();
  x_ += z_[stages - 1];
  if (!options_.local_extrapolation) x_ -= error_;
}

}  // namespace trammel
