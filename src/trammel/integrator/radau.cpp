#include "trammel/integrator/radau.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

namespace {

constexpr double round_off = 1e-16;

// Constants of the method and of the transformation T that splits A⁻¹ into a real and a complex eigenvalue.
struct Coefficients {
  const double sq6 = std::sqrt(6.0);
  const double c1 = (4.0 - sq6) / 10.0, c2 = (4.0 + sq6) / 10.0;
  const double c1m1 = c1 - 1.0, c2m1 = c2 - 1.0, c1mc2 = c1 - c2;
  const double e1 = -(13.0 + 7.0 * sq6) / 3.0, e2 = (-13.0 + 7.0 * sq6) / 3.0, e3 = -1.0 / 3.0;
  double gamma;                     // real eigenvalue of A⁻¹
  std::complex<double> alpha_beta;  // complex eigenvalue of A⁻¹
  static constexpr double T[3][3] = {
      {9.1232394870892942792e-2, -0.14125529502095420843, -3.0029194105147424492e-2},
      {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
      {0.96604818261509293619, 1.0, 0.0}};
  static constexpr double Tinv[3][3] = {
      {4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
      {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
      {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};

  Coefficients() {
    const double cube9 = std::cbrt(9.0), cube81 = std::cbrt(81.0);
    gamma = 30.0 / (6.0 + cube81 - cube9);
    const double alpha = (12.0 - cube81 + cube9) / 60.0;
    const double beta = (cube81 + cube9) * std::sqrt(3.0) / 60.0;
    const double square = alpha * alpha + beta * beta;
    alpha_beta = {alpha / square, beta / square};
  }
  double node(int stage) const { return stage == 1 ? c1 : stage == 2 ? c2 : stage == 3 ? 1.0 : 0.0; }
};
const Coefficients method;

}  // namespace

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

Radau::Radau(Problem& problem, RadauOptions options) : problem_(problem), options_(std::move(options)) {}

void Radau::resize() {
  n_ = problem_.unknowns();
  for (Vector* vector : {&x_, &x_old_, &poly_.x, &poly_before_.x, &scale_, &error_scale_, &stage_, &rate_,
                         &error_, &work_, &delta_real_})
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
  // Round-off of the large unknowns of a kind (multipliers of 1e5) is in the small ones too (a multiplier
  // near zero): no tolerance can be met below it.
  double largest[4] = {0, 0, 0, 0};
  for (Index i = 0; i < n_; ++i) {
    double& group = largest[problem_.newton_index()[static_cast<std::size_t>(i)]];
    group = std::max(group, std::abs(x_[i]));
  }
  for (Index i = 0; i < n_; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    const double noise = 20 * round_off * largest[problem_.newton_index()[k]];
    scale[i] = std::max(absolute_[i] + relative_[i] * std::max(std::abs(x_[i]), std::abs(other[i])), noise);
    if (index[k] > 1) scale[i] /= std::pow(h_, index[k] - 1);
  }
}

Outcome Radau::start(double t, VectorIn x, double t_end, double h0) {
  if (Failure failure = options_.check(problem_.unknowns())) return give_up(failure);
  if (!std::isfinite(t) || !std::isfinite(t_end))
    return give_up(Reason::invalid_options, "the start or end time is not a finite number");
  if (t_end < t)
    return give_up(Reason::end_before_start,
                   fmt::format("the end time {} is before the start time {}", t_end, t));
  if (!std::isfinite(h0) || h0 < 0)
    return give_up(Reason::invalid_options, fmt::format("the initial step size {} must be positive", h0));
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
  faccon_ = 1;
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

// The Newton matrix at x_k or at an extrapolated stage.
Outcome Radau::linearize_at(int stage) {
  if (stage == 0) return problem_.linearize(t_, x_);
  const double time = t_ + method.node(stage) * h_;
  interpolate(time, stage_);
  return problem_.linearize(time, stage_);
}

Outcome Radau::linearize() {
  const int wanted = poly_.valid ? options_.newton_matrix_at : 0;
  Outcome outcome = linearize_at(wanted);
  // in a singular position, look a little ahead or at the other end
  for (const int other : {2, 3, 1, 0}) {
    if (outcome != Outcome::retry || (!poly_.valid && other != 0)) continue;
    if (other != wanted || !poly_.valid) outcome = linearize_at(other);
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

// Simplified Newton on the three stages, in the transformed variables W = T⁻¹ Z.
Radau::Newton Radau::iterate() {
  const auto& T = Coefficients::T;
  const auto& Tinv = Coefficients::Tinv;
  faccon_ = std::pow(std::max(faccon_, round_off), 0.8);
  theta_ = std::abs(options_.jacobian_reuse);
  double previous = 0, previous_ratio = 0;
  // round-off of the constraints, divided by their smallest pivot: increments below it are noise
  const double noise = 20 * round_off / (relative_[0] * std::max(regularity_, 1e-8));
  for (int newton = 1;; ++newton) {
    if (newton > options_.max_newton_iterations) {
      slow_factor_ = 0.5;
      return Newton::slow;
    }
    iterations_ = newton;
    ++problem_.statistics().newton_iterations;
    // residuals of the stages; h X' = A⁻¹ Z = T Λ W
    for (int i = 0; i < 3; ++i) {
      stage_ = x_ + Z_[i];
      const double g = method.gamma, a = method.alpha_beta.real(), b = method.alpha_beta.imag();
      rate_ = (T[i][0] * g / h_) * W_[0] + (T[i][1] * a / h_ + T[i][2] * b / h_) * W_[1] +
              (T[i][2] * a / h_ - T[i][1] * b / h_) * W_[2];
      const Outcome outcome = problem_.residual(t_ + method.node(i + 1) * h_, stage_, rate_, residual_[i]);
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
    if (!std::isfinite(size)) return Newton::diverged;

    if (newton > 1 && size > noise) {
      const double ratio = size / previous;
      theta_ = newton == 2 ? ratio : std::sqrt(ratio * previous_ratio);
      previous_ratio = ratio;
      if (theta_ >= 0.99) return Newton::diverged;
      faccon_ = theta_ / (1 - theta_);
      const int left = options_.max_newton_iterations - 1 - newton;
      const double forecast = faccon_ * size * std::pow(theta_, left) / newton_stop_;
      if (forecast >= 1 && newton < options_.max_newton_iterations) {
        const double q = std::clamp(forecast, 1e-4, 20.0);
        slow_factor_ = 0.8 * std::pow(q, -1.0 / (4.0 + left));
        return Newton::slow;
      }
    }
    previous = std::max(size, round_off);

    W_[0] += delta_real_;
    W_[1] += delta_complex_.real();
    W_[2] += delta_complex_.imag();
    for (int i = 0; i < 3; ++i) Z_[i] = T[i][0] * W_[0] + T[i][1] * W_[1] + T[i][2] * W_[2];
    if (faccon_ * size <= newton_stop_ || (newton > 1 && size <= noise)) return Newton::converged;
  }
}

// Option: a Newton matrix at the present iterate instead of a rejected step.
Radau::Newton Radau::iterate_with_updates() {
  Newton result = iterate();
  for (int update = 0; update < options_.newton_matrix_updates; ++update) {
    if (result != Newton::slow && result != Newton::diverged) break;
    stage_ = x_ + Z_[1];
    if (!stage_.allFinite()) break;
    problem_.newton_failed();
    if (problem_.linearize(t_ + method.c2 * h_, stage_) != Outcome::ok ||
        problem_.factor(method.gamma / h_) != Outcome::ok ||
        problem_.factor(method.alpha_beta / h_) != Outcome::ok)
      break;
    jacobian_fresh_ = false;
    result = iterate();
  }
  return result;
}

// err = ‖(γ/h E − J)⁻¹ (φ(x_k) + E (e·Z)/h)‖, Hairer & Wanner IV.8.19
Outcome Radau::estimate_error() {
  rate_ = -(method.e1 * Z_[0] + method.e2 * Z_[1] + method.e3 * Z_[2]) / h_;
  stage_ = x_ + Z_[2];
  // multipliers grow without bound of accuracy near a singular position and must not drive the step size
  // there
  const bool nearly_singular = regularity_ < 0.05;
  set_scale(error_scale_, stage_, nearly_singular ? problem_.newton_index() : problem_.variable_index());
  Outcome outcome = problem_.residual(t_, x_, rate_, residual_[0]);
  if (outcome != Outcome::ok) return outcome;
  problem_.solve(residual_[0], error_);
  err_ = std::max(weighted_norm(error_, error_scale_), 1e-10);
  if (err_ < 1 || !(first_ || rejected_)) return outcome;
  // once more, filtered, where the first estimate is known to be too large
  stage_ = x_ + error_;
  outcome = problem_.residual(t_, stage_, rate_, residual_[0]);
  if (outcome != Outcome::ok) return Outcome::ok;  // keep the first estimate
  problem_.solve(residual_[0], error_);
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

// Divided differences of the collocation polynomial through x_k and the stages.
void Radau::build_polynomial() {
  std::swap(poly_, poly_before_);
  poly_.t = t_ + h_;
  poly_.h = h_;
  poly_.x = x_ + Z_[2];
  for (Index i = 0; i < n_; ++i) {
    const double z1 = Z_[0][i], z2 = Z_[1][i], z3 = Z_[2][i];
    const double first = (z2 - z3) / method.c2m1;
    const double ak = (z1 - z2) / method.c1mc2;
    const double second = (ak - first) / method.c1m1;
    poly_.difference[0][i] = first;
    poly_.difference[1][i] = second;
    poly_.difference[2][i] = second - (ak - z1 / method.c1) / method.c2;
  }
  poly_.valid = true;
}

void Radau::Collocation::evaluate(double time, VectorOut out) const {
  const double s = (time - t) / h;
  out = x + s * (difference[0] + (s - method.c2m1) * (difference[1] + (s - method.c1m1) * difference[2]));
}

void Radau::interpolate(double t, VectorOut x) const {
  if (poly_.valid)
    poly_.evaluate(t, x);
  else
    x = x_;
}

// The steps shrink in front of a singular position: a pivot of the constraints goes to zero and changes its
// sign there, so that no Newton matrix serves both sides. The motion itself is smooth. It is extrapolated to
// as far behind the position as it is in front of it now and put back on the constraints there. Two things
// must be within the tolerance: the difference to the extrapolation from one step earlier, and the
// correction.
bool Radau::leap(double bound) {
  if (!options_.leap_over_singular || !poly_.valid || !poly_before_.valid || options_.fixed_step)
    return false;
  const double slope = (regularity_ - previous_regularity_) / (regularity_t_ - previous_regularity_t_);
  if (!(regularity_ < 0.3) || !(slope < 0)) return false;
  const double t_new = t_ + 2 * (regularity_t_ - regularity_ / slope - t_);
  if (!(t_new > t_) || t_new - t_ > 40 * poly_.h || t_new > bound) return false;

  set_scale(error_scale_, x_, problem_.newton_index());
  const auto size = [&](Vector& difference) {
    // what is computed anew (multipliers) does not count
    for (Index i = 0; i < n_; ++i)
      if (problem_.newton_index()[static_cast<std::size_t>(i)] > 1) difference[i] = 0;
    return weighted_norm(difference, error_scale_);
  };
  poly_.evaluate(t_new, stage_);
  poly_before_.evaluate(t_new, work_);
  error_ = work_ - stage_;
  if (!(size(error_) < 1)) return false;
  work_ = stage_;
  if (problem_.project(t_new, work_) != Outcome::ok) return false;
  error_ = work_ - stage_;
  if (!(size(error_) < 1)) return false;

  Statistics& statistics = problem_.statistics();
  ++statistics.steps;
  ++statistics.accepted;
  ++statistics.singular_positions;
  x_old_ = x_;
  t_old_ = t_;
  x_ = work_;
  t_ = t_new;
  h_last_ = t_new - t_old_;
  h_ = poly_.h;
  h_accepted_ = 0;
  rejected_ = false;
  need_jacobian_ = true;
  jacobian_fresh_ = false;
  extrapolate_ = false;  // the polynomial has served
  regularity_ = previous_regularity_ = 1;
  return true;
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
  const std::string where = fmt::format("at t = {:.10g}, with a step size of {:.3g}", t_, h_);
  if (last_trouble_.reason == Reason::newton_failed)
    return give_up(
        Reason::newton_failed,
        fmt::format(
            "Newton's iteration does not converge {}, and smaller steps did not help. Forces that jump, "
            "or derivatives that do not fit the functions, do this.",
            where));
  if (last_trouble_.reason == Reason::none)
    return give_up(
        Reason::step_too_small,
        fmt::format("the step size needed to meet the tolerance became too small {}. The solution may be "
                    "singular or discontinuous there; if not, loosen the tolerance.",
                    where));
  return give_up(last_trouble_.reason,
                 fmt::format("{} ({}; smaller steps did not help)", last_trouble_.message, where));
}

Outcome Radau::step(double bound) {
  Statistics& statistics = problem_.statistics();
  if (h_ <= 0) h_ = h_last_ > 0 ? h_last_ : 1e-6 * std::max(bound - t_, 0.0);
  double h_wanted = h_;
  for (;;) {
    if (statistics.steps >= options_.max_steps)
      return give_up(
          Reason::too_many_steps,
          fmt::format("more than {} steps are needed; reached t = {:.10g}. Raise max_steps, or loosen the "
                      "tolerance.",
                      options_.max_steps, t_));
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
    if (!poly_.valid || !extrapolate_ || options_.starting_values == RadauOptions::StartingValues::zero) {
      for (int i = 0; i < 3; ++i) {
        Z_[i].setZero();
        W_[i].setZero();
      }
    } else {
      for (int i = 0; i < 3; ++i) {
        interpolate(t_ + method.node(i + 1) * h_, Z_[i]);
        problem_.tidy(Z_[i]);
        Z_[i] -= x_;
      }
      for (int i = 0; i < 3; ++i)
        W_[i] = Coefficients::Tinv[i][0] * Z_[0] + Coefficients::Tinv[i][1] * Z_[1] +
                Coefficients::Tinv[i][2] * Z_[2];
    }
    const Newton newton = iterate_with_updates();
    if (newton == Newton::fail) return give_up(problem_.failure());
    if (newton != Newton::converged) {
      ++statistics.rejected_convergence;
      problem_.newton_failed();
      if (newton == Newton::retry)
        remember(problem_.failure());
      else if (last_trouble_.reason != Reason::not_finite)
        last_trouble_.reason = Reason::newton_failed;  // worded if it ends the run
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
        last_trouble_.reason = Reason::none;
        reject_step(first_ ? 0.1 : h_new_ / h_);
        h_wanted = h_;
        continue;
      }
    }

    // accepted
    last_trouble_.reason = Reason::none;
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
