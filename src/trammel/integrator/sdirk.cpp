// SDIRK: options, the estimate of the error and the end of a step. Newton's iteration is in sdirk_newton.cpp.
#include "trammel/integrator/sdirk.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/integrator/sdirk_coefficients.h"

namespace trammel {

using sdirk::stages;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

Failure SdirkOptions::check(Index n) const {
  if (Failure failure = tolerances.check(n)) return failure;
  if (Failure failure = step_control().check()) return failure;
  if (Failure failure = newton_control().check()) return failure;
  if (Failure failure = projection.check()) return failure;
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
    : ImplicitOneStepMethod(problem, options.step_control(), options.newton_control(), options.projection),
      options_(std::move(options)),
      method_(options_.gamma == SdirkOptions::Gamma::one_quarter ? sdirk::one_quarter
                                                                 : sdirk::four_fifteenths) {}

void Sdirk::resize() {
  ImplicitOneStepMethod::resize();
  for (Vector* vector : {&extension_.x, &end_rate_, &scale_, &error_scale_, &stage_, &base_, &rate_, &delta_})
    vector->setZero(n_);
  for (Vector& z : z_) z.setZero(n_);
  for (Vector& u : u_) u.setZero(n_);
  for (Vector& coefficient : extension_.power) coefficient.setZero(n_);
  extension_.valid = false;
  middle_failures_ = 0;
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
Outcome Sdirk::find_error() {
  error_ = z_[stages - 1];
  for (int j = 0; j < stages - 1; ++j) error_ -= method_.predictor[stages - 1][j] * u_[j];
  error_ /= method_.gamma() * h_;
  const Outcome outcome = problem_.multiply_mass(t_, x_, error_, residual_);
  if (outcome != Outcome::ok) return outcome;
  problem_.solve(residual_, error_);
  stage_ = x_ + z_[stages - 1];
  problem_.amend_error(t_ + h_, stage_, residual_, error_);
  return outcome;
}

// Of order 4, or the embedded one of order 3.
Outcome Sdirk::find_end(Vector& end) {
  end = x_ + z_[stages - 1];
  if (options_.local_extrapolation) return Outcome::ok;
  const Outcome outcome = find_error();
  end -= error_;
  return outcome;
}

Outcome Sdirk::estimate() {
  set_scale(error_scale_, problem_.variable_index());
  if (options_.local_extrapolation)
    if (const Outcome outcome = find_error(); outcome != Outcome::ok) return outcome;
  const double unseen = unseen_at_begin();
  const Outcome outcome = measure_error(error_scale_);
  err_ = std::max(err_, unseen);
  return outcome;
}

// The first stage lies a quarter of a step behind its begin: all of them may lie behind a jump, and then agree with each
// other. The rate with which the last step has ended tells: that of the continuous extension is the same but for the error of
// the step, of whose order it is. A jump it is where that is much more than the rates differ by among the stages. Nothing in what the
// filter takes for stiff.
double Sdirk::unseen_at_begin() {
  constexpr double much = 10;
  if (!goes_on_ || !extends()) return 0;
  const double ratio = h_ / extension_.h;
  const auto& dense = problem_.ode() != nullptr ? method_.dense : method_.dense_dependent;
  delta_.setZero();
  stage_.setZero();  // how much rates differ
  for (Index l = 0; l < n_; ++l) {
    if (problem_.variable_index()[static_cast<std::size_t>(l)] != 1) continue;
    double begin = 0, least = infinity, most = -infinity;
    for (int i = 0; i < stages; ++i) {
      const double rate = rate_at(i, l);
      begin += dense[0][static_cast<std::size_t>(i)] * rate;
      least = std::min(least, rate);
      most = std::max(most, rate);
    }
    delta_[l] = method_.c[0] * (ratio * end_rate_[l] - begin);
    stage_[l] = method_.c[0] * (most - least);
  }
  const double limit =
      std::max({much, much * weighted_norm(error_, error_scale_), 3 * weighted_norm(stage_, error_scale_)});
  if (!(weighted_norm(delta_, error_scale_) > limit)) return 0;
  delta_ /= method_.gamma() * h_;
  if (problem_.multiply_mass(t_, x_, delta_, residual_) != Outcome::ok) return 0;
  problem_.solve(residual_, delta_);
  const double unseen = weighted_norm(delta_, error_scale_);
  return unseen > limit ? unseen / much : 0;
}

void Sdirk::carry(Carrier& carried) {
  ImplicitOneStepMethod::carry(carried);
  carried.expect(4);
  carried(extension_, end_rate_);
}

void Sdirk::advance() {
  if (has_invariants()) {
    if (options_.local_extrapolation) z_[stages - 1] = end_ - x_;
    for (Vector& z : z_) leave_what_follows(Vector::Zero(n_), z);
  }
  ImplicitOneStepMethod::advance();
  middle_failures_ = 0;
  build_polynomial();
  for (Index l = 0; l < n_; ++l) end_rate_[l] = rate_at(stages - 1, l);
  x_ = end_;
}

}  // namespace trammel
