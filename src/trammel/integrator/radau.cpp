#include "trammel/integrator/radau.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/integrator/radau_coefficients.h"

namespace trammel {

using radau::method;

Failure RadauOptions::check(Index n) const {
  if (Failure failure = tolerances.check(n)) return failure;
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  if (max_newton_iterations < 1) return bad("max_newton_iterations must be at least 1");
  if (max_steps < 1) return bad("max_steps must be at least 1");
  if (newton_matrix_at < 0 || newton_matrix_at > 3) return bad("newton_matrix_at must be 0, 1, 2 or 3");
  if (newton_matrix_at != 0 && starting_values == StartingValues::zero)
    return bad("newton_matrix_at a stage needs extrapolated starting values");
  if (newton_matrix_updates < 0) return bad("newton_matrix_updates must not be negative");
  if (!(safety > 0.001 && safety < 1)) return bad("safety must be between 0.001 and 1");
  if (!(jacobian_reuse < 1)) return bad("jacobian_reuse must be less than 1");
  if (!(newton_stop >= 0) || newton_stop >= 1) return bad("newton_stop must be between 0 and 1");
  if (!(keep_step_above > 0 && keep_step_above <= 1)) return bad("keep_step_above must be in (0, 1]");
  if (!(keep_step_below >= 1)) return bad("keep_step_below must be at least 1");
  if (!(max_step >= 0)) return bad("max_step must not be negative");
  if (!(min_step_factor > 0 && min_step_factor < 1)) return bad("min_step_factor must be between 0 and 1");
  if (!(max_step_factor > 1)) return bad("max_step_factor must be greater than 1");
  return {};
}

Radau::Radau(ImplicitProblem& problem, RadauOptions options)
    : problem_(problem), options_(std::move(options)) {}

void Radau::resize() {
  n_ = problem_.unknowns();
  for (Vector* vector : {&x_, &x_old_, &poly_.x, &poly_before_.x, &scale_, &error_scale_, &stage_, &rate_,
                         &error_, &work_, &expected_, &delta_real_})
    vector->setZero(n_);
  for (int i = 0; i < 3; ++i) {
    Z_[i].setZero(n_);
    W_[i].setZero(n_);
    poly_.difference[i].setZero(n_);
    poly_before_.difference[i].setZero(n_);
  }
  delta_complex_.setZero(n_);
  m_ = -1;  // the number of equations is known after the first linearisation
}

double Radau::internal_rtol(Index i) const {
  const double rtol = options_.tolerances.relative_of(i);
  return options_.transform_tolerances ? 0.1 * std::pow(rtol, 2.0 / 3.0) : rtol;
}

// sc_i = atol' + rtol' · max(|x_k|, |other|), divided by h^(index−1)
void Radau::set_scale(VectorOut scale, VectorIn other, const std::vector<int>& index) {
  scale = absolute_ + relative_.cwiseProduct(x_.cwiseAbs().cwiseMax(other.cwiseAbs()));
  refine_scale(problem_, x_, h_, index, scale);
}

Outcome Radau::start(double t, VectorIn x, double t_end, double h0) {
  if (Failure failure = options_.check(problem_.unknowns())) return give_up(failure);
  if (const Outcome outcome = check_start(t, t_end, h0); outcome != Outcome::ok) return outcome;
  resize();
  t_ = t_old_ = t;
  t_end_ = t_end;
  x_ = x;
  x_old_ = x;
  const double span = t_end - t;
  h_ = std::min(h0 > 0 ? h0 : 1e-3 * std::max(span, 1e-6), options_.max_step > 0 ? options_.max_step : span);
  if (h0 > 0 && span > 0) h_ = std::min(h_, span);
  h_last_ = 0;
  h_accepted_ = 0;
  err_accepted_ = 0;
  convergence_.forget();
  stagnated_at_ = -1;
  first_ = true;
  rejected_ = false;
  poly_.valid = poly_before_.valid = false;
  need_jacobian_ = need_factor_ = true;
  jacobian_fresh_ = false;
  singular_ = 0;
  regularity_ = previous_regularity_ = 1;
  regularity_t_ = previous_regularity_t_ = t;
  extrapolate_ = true;
  last_trouble_ = {};

  relative_.resize(n_);
  absolute_.resize(n_);
  for (Index i = 0; i < n_; ++i) {
    relative_[i] = internal_rtol(i);
    absolute_[i] = relative_[i] * options_.tolerances.absolute_of(i) / options_.tolerances.relative_of(i);
  }
  newton_stop_ =
      options_.newton_stop > 0 ? options_.newton_stop : std::min(0.03, 0.25 * std::sqrt(internal_rtol(0)));
  // not below round-off
  newton_stop_ = std::max(newton_stop_, 10 * round_off / internal_rtol(0));

  const Outcome outcome = problem_.start(t, x);
  return outcome == Outcome::ok ? outcome : give_up(problem_.failure());
}

// The filter (γ/h E − J)⁻¹ takes from the estimate what is stiff. If J belongs to a stage inside a contact
// that was not there at x_k, it takes everything, and the estimate is blind. So where the step departs from
// what was expected, J is that of x_k: an estimate is never damped by what the step ran into.
Outcome Radau::estimate_error() {
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
  stage_ = x_ + Z_[2];
  // multipliers grow without bound of accuracy near a singular position and must not drive the step size
  // there
  const bool nearly_singular = regularity_ < 0.05;
  set_scale(error_scale_, stage_, nearly_singular ? problem_.newton_index() : problem_.variable_index());
  Outcome outcome = problem_.residual(t_, x_, rate_, residual_[0]);
  if (outcome != Outcome::ok) return outcome;
  problem_.solve(residual_[0], error_);
  work_ = x_ + Z_[2];
  problem_.amend_error(t_ + h_, work_, residual_[0], error_);
  err_ = std::max(weighted_norm(error_, error_scale_), 1e-10);
  if (err_ < 1 || !(first_ || rejected_)) return outcome;
  // once more, filtered, where the first estimate is known to be too large
  stage_ = x_ + error_;
  outcome = problem_.residual(t_, stage_, rate_, residual_[0]);
  if (outcome != Outcome::ok) return Outcome::ok;  // keep the first estimate
  problem_.solve(residual_[0], error_);
  work_ = x_ + Z_[2];
  problem_.amend_error(t_ + h_, work_, residual_[0], error_);
  err_ = std::max(weighted_norm(error_, error_scale_), 1e-10);
  return Outcome::ok;
}

void Radau::propose_step() {
  const double nit = options_.max_newton_iterations;
  const double safety = std::min(options_.safety, options_.safety * (1 + 2 * nit) / (iterations_ + 2 * nit));
  const double quotient =
      std::clamp(std::pow(err_, 0.25) / safety, 1 / options_.max_step_factor, 1 / options_.min_step_factor);
  h_new_ = h_ / quotient;
}

void Radau::accept() {
  Statistics& statistics = problem_.statistics();
  ++statistics.accepted;
  if (options_.controller == RadauOptions::Controller::predictive) {
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
  build_polynomial();
  extrapolate_ = true;
  x_old_ = x_;
  t_old_ = t_;
  x_ += Z_[2];
  t_ += h_;
  h_last_ = h_;
  if (options_.max_step > 0) h_new_ = std::min(h_new_, options_.max_step);
  if (rejected_) h_new_ = std::min(h_new_, h_);
  first_ = false;
  rejected_ = false;
  singular_ = 0;
  stagnated_at_ = -1;
}

// What stands in the way, for the message if no step size helps. A value that is not finite is the root of
// whatever follows it.
void Radau::remember(const Failure& trouble) {
  if (last_trouble_.reason != Reason::not_finite) last_trouble_ = trouble;
}

void Radau::reject_step(double factor) {
  h_ *= factor;
  rejected_ = true;
  need_factor_ = true;
  // a Jacobian from an earlier step or an extrapolated stage is the first suspect
  if (!jacobian_fresh_ || options_.newton_matrix_at != 0) need_jacobian_ = true;
}

Outcome Radau::step_underflow() {
  return no_step_helps(last_trouble_, fmt::format("at t = {:.10g}, with a step size of {:.3g}", t_, h_));
}

Outcome Radau::step(double bound) {
  Statistics& statistics = problem_.statistics();
  if (h_ <= 0) h_ = h_last_ > 0 ? h_last_ : 1e-6 * std::max(bound - t_, 0.0);
  double h_wanted = h_;
  for (;;) {
    if (statistics.steps >= options_.max_steps) return too_many_steps(options_.max_steps, t_);
    // end exactly at the bound
    bool clipped = false;
    if (t_ + 1.0001 * h_ >= bound) {
      h_wanted = std::max(h_wanted, h_);
      if (h_ != bound - t_) {
        h_ = bound - t_;
        need_factor_ = true;
      }
      clipped = true;
    }
    if (!clipped && 0.1 * h_ <= std::max(std::abs(t_), 1e-3 * (t_end_ - t_old_)) * round_off)
      return step_underflow();

    // Newton matrix
    if (need_jacobian_) {
      const Outcome outcome = linearize();
      if (outcome == Outcome::fail) return give_up(problem_.failure());
      if (outcome == Outcome::retry) {
        remember(problem_.failure());
        if (++singular_ >= 5) return step_underflow();
        reject_step(0.5);
        continue;
      }
      need_jacobian_ = false;
      jacobian_fresh_ = true;
      need_factor_ = true;
    }
    if (need_factor_ || h_factored_ != h_) {
      if (problem_.factor(method.gamma / h_) != Outcome::ok ||
          problem_.factor(method.alpha_beta / h_) != Outcome::ok) {
        remember(problem_.failure());
        if (++singular_ >= 5) return step_underflow();
        problem_.newton_failed();
        reject_step(0.5);
        continue;
      }
      h_factored_ = h_;
      need_factor_ = false;
    }

    // stages
    ++statistics.steps;
    set_scale(scale_, x_, problem_.newton_index());
    predict_stages();
    newton_log_.begin(t_ + h_, h_);
    Newton newton = iterate_with_updates();
    // the stages may lie on both sides of a singular position
    if ((newton == Newton::slow || newton == Newton::diverged) && iterate_stages())
      newton = Newton::converged;
    newton_log_.end(newton == Newton::converged, problem_);
    if (newton == Newton::fail) return give_up(problem_.failure());
    if (newton != Newton::converged) {
      ++statistics.rejected_convergence;
      problem_.newton_failed();
      if (newton == Newton::retry)
        remember(problem_.failure());
      else if (last_trouble_.reason != Reason::not_finite)
        last_trouble_ =
            did_not_converge(options_.tolerances.relative_of(0), options_.transform_tolerances ? 1.5 : 1);
      if (options_.fixed_step && !jacobian_fresh_) {
        need_jacobian_ = true;  // the old one is to blame
        continue;
      }
      if (options_.fixed_step)
        return give_up(
            Reason::newton_failed,
            fmt::format("Newton's iteration does not converge at t = {:.10g} with the fixed step {}", t_,
                        h_));
      if (leap(bound)) {
        return Outcome::ok;
      }
      reject_step(newton == Newton::slow ? slow_factor_ : 0.5);
      h_wanted = h_;
      continue;
    }

    // error
    if (options_.fixed_step) {
      err_ = 1e-2;
      h_new_ = h_;
    } else {
      const Outcome outcome = estimate_error();
      if (outcome == Outcome::fail) return give_up(problem_.failure());
      if (outcome == Outcome::retry) err_ = 10;
      propose_step();
      if (!(err_ < 1)) {
        ++statistics.rejected_error;
        last_trouble_ = {};
        reject_step(first_ ? 0.1 : h_new_ / h_);
        h_wanted = h_;
        continue;
      }
    }

    // accepted
    last_trouble_ = {};
    accept();
    const Outcome outcome = problem_.accepted(t_, x_);
    if (outcome == Outcome::fail) return give_up(problem_.failure());
    if (clipped && std::abs(t_ - bound) <= 4 * std::numeric_limits<double>::epsilon() * std::abs(bound))
      t_ = bound;
    jacobian_fresh_ = false;
    need_jacobian_ = theta_ > options_.jacobian_reuse;
    // keep the step size (and the factors) if little would be gained
    const double ratio = h_new_ / h_last_;
    if (options_.fixed_step)
      h_ = h_wanted;
    else if (clipped)
      h_ = std::max(h_new_, h_wanted);  // a step cut short says little about the next
    else if (!need_jacobian_ && ratio >= options_.keep_step_above && ratio <= options_.keep_step_below)
      h_ = h_last_;
    else
      h_ = h_new_;
    return Outcome::ok;
  }
}

void Radau::retreat() {
  t_ = t_old_;
  x_ = x_old_;
  h_ = h_last_;
  need_jacobian_ = true;
  jacobian_fresh_ = false;
}

}  // namespace trammel
