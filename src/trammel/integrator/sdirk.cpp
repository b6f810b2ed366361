// SDIRK: options, steps and their size. Newton's iteration is in sdirk_newton.cpp.
#include "trammel/integrator/sdirk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/integrator/sdirk_coefficients.h"

namespace trammel {

using sdirk::stages;

Failure SdirkOptions::check(Index n) const {
  if (Failure failure = tolerances.check(n)) return failure;
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  if (max_newton_iterations < 1) return bad("max_newton_iterations must be at least 1");
  if (max_steps < 1) return bad("max_steps must be at least 1");
  if (!(safety > 0.001 && safety < 1)) return bad("safety must be between 0.001 and 1");
  if (!(jacobian_reuse < 1)) return bad("jacobian_reuse must be less than 1");
  if (!(newton_stop >= 0) || newton_stop >= 1) return bad("newton_stop must be between 0 and 1");
  if (!(keep_step_above > 0 && keep_step_above <= 1)) return bad("keep_step_above must be in (0, 1]");
  if (!(keep_step_below >= 1)) return bad("keep_step_below must be at least 1");
  if (!(max_step >= 0)) return bad("max_step must not be negative");
  if (!(min_step_factor > 0 && min_step_factor < 1)) return bad("min_step_factor must be between 0 and 1");
  if (!(max_step_factor > 1)) return bad("max_step_factor must be greater than 1");
  if (fixed_step && !local_extrapolation)
    return bad("fixed_step goes with local_extrapolation: without it the error is part of the solution");
  return {};
}

Sdirk::Sdirk(ImplicitProblem& problem, SdirkOptions options)
    : problem_(problem),
      options_(std::move(options)),
      method_(options_.gamma == SdirkOptions::Gamma::one_quarter ? sdirk::one_quarter
                                                                 : sdirk::four_fifteenths) {}

void Sdirk::resize() {
  n_ = problem_.unknowns();
  for (Vector* vector :
       {&x_, &x_old_, &extension_.x, &scale_, &error_scale_, &stage_, &base_, &rate_, &delta_, &error_})
    vector->setZero(n_);
  for (Vector& z : z_) z.setZero(n_);
  for (Vector& coefficient : extension_.power) coefficient.setZero(n_);
  m_ = -1;  // the number of equations is known after the first linearisation
}

// sc_i = atol + rtol |x_k|, divided by h^(index−1)
void Sdirk::set_scale(VectorOut scale, const std::vector<int>& index) {
  for (Index i = 0; i < n_; ++i)
    scale[i] = options_.tolerances.absolute_of(i) + options_.tolerances.relative_of(i) * std::abs(x_[i]);
  refine_scale(problem_, x_, h_, index, scale);
}

Outcome Sdirk::start(double t, VectorIn x, double t_end, double h0) {
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
  convergence_.forget();
  stagnated_at_ = -1;
  first_ = true;
  rejected_ = false;
  extension_.valid = false;
  need_jacobian_ = need_factor_ = true;
  jacobian_fresh_ = false;
  singular_ = 0;
  regularity_ = 1;
  last_trouble_ = {};
  const double rtol = options_.tolerances.relative_of(0);
  newton_stop_ = options_.newton_stop > 0 ? options_.newton_stop : std::min(0.03, std::sqrt(rtol));
  newton_stop_ = std::max(newton_stop_, 10 * round_off / rtol);  // not below round-off

  const Outcome outcome = problem_.start(t, x);
  return outcome == Outcome::ok ? outcome : give_up(problem_.failure());
}

// err = ‖(E/(γh) − J)⁻¹ E/(γh) (z_5 − ẑ)‖, ẑ the embedded solution: the filter takes out of the difference
// what stiff components make of it.
Outcome Sdirk::estimate_error() {
  set_scale(error_scale_, problem_.variable_index());
  error_ = z_[stages - 1];
  for (int j = 0; j < stages - 1; ++j) error_ -= method_.predictor[stages - 1][j] * z_[j];
  error_ /= method_.gamma() * h_;
  const Outcome outcome = problem_.multiply_mass(t_, x_, error_, residual_);
  if (outcome != Outcome::ok) return outcome;
  problem_.solve(residual_, error_);
  stage_ = x_ + z_[stages - 1];
  problem_.amend_error(t_ + h_, stage_, residual_, error_);
  err_ = std::max(weighted_norm(error_, error_scale_), 1e-10);
  return outcome;
}

void Sdirk::propose_step() {
  const double nit = options_.max_newton_iterations;
  const double safety = std::min(options_.safety, options_.safety * (1 + 2 * nit) / (iterations_ + 2 * nit));
  const double quotient =
      std::clamp(std::pow(err_, 0.25) / safety, 1 / options_.max_step_factor, 1 / options_.min_step_factor);
  h_new_ = h_ / quotient;
}

void Sdirk::accept() {
  ++problem_.statistics().accepted;
  last_trouble_ = {};
  build_polynomial();
  x_old_ = x_;
  t_old_ = t_;
  x_ += z_[stages - 1];
  if (!options_.local_extrapolation) x_ -= error_;
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
void Sdirk::remember(const Failure& trouble) {
  if (last_trouble_.reason != Reason::not_finite) last_trouble_ = trouble;
}

void Sdirk::reject_step(double factor) {
  h_ *= factor;
  rejected_ = true;
  need_factor_ = true;
  if (!jacobian_fresh_) need_jacobian_ = true;  // the first suspect
}

Outcome Sdirk::step_underflow() {
  return no_step_helps(last_trouble_, fmt::format("at t = {:.10g}, with a step size of {:.3g}", t_, h_));
}

// A Newton matrix for the present step size. `retry`: the step size was made smaller instead.
Outcome Sdirk::prepare_matrix() {
  const auto make_smaller = [&] {
    remember(problem_.failure());
    if (++singular_ >= 5) return step_underflow();
    reject_step(0.5);
    return Outcome::retry;
  };
  if (need_jacobian_) {
    const Outcome outcome = linearize();
    if (outcome == Outcome::fail) return give_up(problem_.failure());
    if (outcome == Outcome::retry) return make_smaller();
    need_jacobian_ = false;
    jacobian_fresh_ = true;
    need_factor_ = true;
  }
  if (need_factor_ || h_factored_ != h_) {
    if (problem_.factor(1 / (method_.gamma() * h_)) != Outcome::ok) {
      problem_.newton_failed();
      return make_smaller();
    }
    h_factored_ = h_;
    need_factor_ = false;
  }
  return Outcome::ok;
}

// The stages have converged: whether they are accurate enough. `retry`: a smaller step is to be taken.
Outcome Sdirk::check_error() {
  if (options_.fixed_step) {
    h_new_ = h_;
    return Outcome::ok;
  }
  const Outcome outcome = estimate_error();
  if (outcome == Outcome::fail) return give_up(problem_.failure());
  if (outcome == Outcome::retry) err_ = 10;
  propose_step();
  if (err_ < 1) return Outcome::ok;
  ++problem_.statistics().rejected_error;
  last_trouble_ = {};
  reject_step(first_ ? 0.1 : h_new_ / h_);
  return Outcome::retry;
}

// Newton's iteration did not converge: a smaller step, if one may be taken.
Outcome Sdirk::give_way(Newton newton) {
  if (newton == Newton::fail) return give_up(problem_.failure());
  ++problem_.statistics().rejected_convergence;
  problem_.newton_failed();
  if (newton == Newton::retry)
    remember(problem_.failure());
  else if (last_trouble_.reason != Reason::not_finite)
    last_trouble_ = did_not_converge(options_.tolerances.relative_of(0), 1);
  if (options_.fixed_step && !jacobian_fresh_) {
    need_jacobian_ = true;  // the old one is to blame
    return Outcome::retry;
  }
  if (options_.fixed_step)
    return give_up(
        Reason::newton_failed,
        fmt::format("Newton's iteration does not converge at t = {:.10g} with the fixed step {}", t_, h_));
  reject_step(newton == Newton::slow ? slow_factor_ : 0.5);
  return Outcome::retry;
}

Outcome Sdirk::step(double bound) {
  Statistics& statistics = problem_.statistics();
  if (h_ <= 0) h_ = h_last_ > 0 ? h_last_ : 1e-6 * std::max(bound - t_, 0.0);
  double h_wanted = h_;
  bool clipped = false;
  for (;;) {
    if (statistics.steps >= options_.max_steps) return too_many_steps(options_.max_steps, t_);
    // end exactly at the bound
    clipped = t_ + 1.0001 * h_ >= bound;
    if (clipped) {
      h_wanted = std::max(h_wanted, h_);
      h_ = bound - t_;
    } else if (0.1 * h_ <= std::max(std::abs(t_), 1e-3 * (t_end_ - t_old_)) * round_off) {
      return step_underflow();
    }

    Outcome outcome = prepare_matrix();
    if (outcome == Outcome::ok) {
      ++statistics.steps;
      const Newton newton = solve_stages();
      outcome = newton == Newton::converged ? check_error() : give_way(newton);
    }
    if (outcome == Outcome::ok) break;
    if (outcome == Outcome::fail) return outcome;
    h_wanted = h_;
  }

  accept();
  if (problem_.accepted(t_, x_) == Outcome::fail) return give_up(problem_.failure());
  if (clipped && std::abs(t_ - bound) <= 4 * std::numeric_limits<double>::epsilon() * std::abs(bound))
    t_ = bound;
  jacobian_fresh_ = false;
  need_jacobian_ = worst_theta_ > options_.jacobian_reuse;
  // keep the step size (and the factors) if little would be gained
  const double ratio = h_new_ / h_last_;
  if (options_.fixed_step)
    h_ = h_wanted;
  else if (clipped)
    h_ = std::max(h_new_, h_wanted);  // a step cut short says little about the next
  else if (need_jacobian_ || ratio < options_.keep_step_above || ratio > options_.keep_step_below)
    h_ = h_new_;
  return Outcome::ok;
}

void Sdirk::retreat() {
  t_ = t_old_;
  x_ = x_old_;
  h_ = h_last_;
  need_jacobian_ = true;
  jacobian_fresh_ = false;
}

}  // namespace trammel
