#include "trammel/integrator/second_order_method.h"

#include <algorithm>
#include <cmath>

namespace trammel {

Failure SecondOrderOptions::check(Index n) const {
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  if (Failure failure = tolerances.check(n)) return failure;
  if (Failure failure = step_control().check()) return failure;
  if (!(step >= 0) || !std::isfinite(step)) return bad("step must not be negative");
  if (kind == Kind::hht && !(rho >= 0.5 && rho <= 1)) return bad("rho of hht must be between 0.5 and 1");
  if (!(rho >= 0 && rho <= 1)) return bad("rho must be between 0 and 1");
  if (max_newton_iterations < 1) return bad("max_newton_iterations must be at least 1");
  if (!(newton_stop > 0 && newton_stop <= 1)) return bad("newton_stop must be between 0 and 1");
  if (keep_unconverged && !(step > 0))
    return bad("keep_unconverged goes with a fixed step: give one by 'step'");
  return {};
}

StepControl SecondOrderOptions::step_control() const {
  return {max_steps, max_step, safety, min_step_factor, max_step_factor, step > 0};
}

SecondOrderMethod::Coefficients SecondOrderMethod::Coefficients::of(SecondOrderOptions::Kind kind,
                                                                    double rho) {
  Coefficients of;
  switch (kind) {
    case SecondOrderOptions::Kind::trapezoidal:
      return of;
    case SecondOrderOptions::Kind::hht:
      of.alpha_f = (1 - rho) / (1 + rho);
      break;
    case SecondOrderOptions::Kind::alpha:
      of.alpha_m = (2 * rho - 1) / (rho + 1);
      of.alpha_f = rho / (rho + 1);
      break;
  }
  of.gamma = 0.5 - of.shift();
  of.beta = 0.25 * (1 - of.shift()) * (1 - of.shift());
  return of;
}

SecondOrderMethod::SecondOrderMethod(SecondOrderProblem& problem, SecondOrderOptions options)
    : OneStepMethod(problem, options.step_control(), "Newton's iteration"),
      problem_(problem),
      options_(std::move(options)),
      method_(Coefficients::of(options_.kind, options_.rho)),
      layout_(problem.second_order_layout()) {}

void SecondOrderMethod::Rates::resize(Index n) {
  for (Vector* vector : {&now, &before, &next, &drift, &slope, &average, &next_average, &smooth_now,
                         &smooth_before, &smooth_next})
    vector->setZero(n);
}

void SecondOrderMethod::resize() {
  for (Vector* vector : {&x_new_, &x_guess_, &scale_, &error_, &work_}) vector->setZero(problem_.unknowns());
  for (Vector* vector : {&q_, &aside_, &change_q_, &change_aside_}) vector->setZero(layout_.velocities.size);
  change_states_.setZero(layout_.states.size);
  for (Rates* rates : {&accelerations_, &before_.accelerations}) rates->resize(layout_.velocities.size);
  for (Rates* rates : {&states_, &before_.states}) rates->resize(layout_.states.size);
  rate_0_.setZero(layout_.positions.size);
  rate_1_ = rate_0_;
  has_history_ = has_slope_ = false;
  eta_ = eta_of_old_ = 1;
  unconverged_ = false;
}

Outcome SecondOrderMethod::begin(double /*h0*/) {
  if (options_.step > 0) h_ = options_.step;
  if (problem_.accelerate(t_, x_, accelerations_.now, states_.now) != Outcome::ok)
    return give_up(problem_.failure());
  for (Rates* rates : {&accelerations_, &states_}) rates->smooth_now = rates->now;
  return Outcome::ok;
}

// The rate of a, which shows a little later: inside the step that is tried, for behind it other laws may be in force. ã − a is
// (α_m − α_f) h times that, and the error of the first step is what a leaves of it.
void SecondOrderMethod::find_slope(double h) {
  accelerations_.drift.setZero();
  states_.drift.setZero();
  has_slope_ = false;
  if ((method_.shift() == 0 && options_.step > 0) || !(h > 0)) return;
  const double s = 0.01 * h;
  const auto v = x_.segment(layout_.velocities.begin, layout_.velocities.size);
  x_guess_ = x_;
  q_ = s * v + 0.5 * s * s * accelerations_.now;
  problem_.displace(x_, q_, x_guess_);
  x_guess_.segment(layout_.velocities.begin, layout_.velocities.size) += s * accelerations_.now;
  x_guess_.segment(layout_.states.begin, layout_.states.size) += s * states_.now;
  if (problem_.accelerate(t_ + s, x_guess_, accelerations_.next, states_.next) != Outcome::ok) return;
  has_slope_ = problem_.steps_as_accelerated();
  for (Rates* rates : {&accelerations_, &states_}) {
    rates->slope = (rates->next - rates->now) / s;
    rates->drift = method_.shift() * rates->slope;
  }
}

// --- a step

void SecondOrderMethod::predict() {
  const double h = h_, ratio = has_history_ ? h / h_past_ : 0;
  for (Rates* rates : {&accelerations_, &states_}) {
    rates->average = rates->now + h * rates->drift;
    if (has_history_)
      rates->next = rates->now + ratio * (rates->now - rates->before);
    else
      rates->next = rates->now;
    rates->next_average = ((1 - method_.alpha_f) * rates->next + method_.alpha_f * rates->now -
                           method_.alpha_m * rates->average) /
                          (1 - method_.alpha_m);
  }
  q_ = h * x_.segment(layout_.velocities.begin, layout_.velocities.size) +
       h * h * ((0.5 - method_.beta) * accelerations_.average + method_.beta * accelerations_.next_average);
  aside_.setZero();
  x_new_ = x_;
  x_new_.segment(layout_.states.begin, layout_.states.size) +=
      h * ((1 - method_.gamma) * states_.average + method_.gamma * states_.next_average);
  set_guess();
}

// Everything that follows from the displacement and from the states of x_new_.
void SecondOrderMethod::set_guess() {
  const double h = h_, beta = method_.beta, gamma = method_.gamma;
  const auto follow = [&](Rates& rates) {
    rates.next = ((1 - method_.alpha_m) * rates.next_average + method_.alpha_m * rates.average -
                  method_.alpha_f * rates.now) /
                 (1 - method_.alpha_f);
  };
  const auto v = x_.segment(layout_.velocities.begin, layout_.velocities.size);
  accelerations_.next_average = (q_ - h * v - h * h * (0.5 - beta) * accelerations_.average) / (beta * h * h);
  follow(accelerations_);
  x_new_.segment(layout_.velocities.begin, layout_.velocities.size) =
      v + h * ((1 - gamma) * accelerations_.average + gamma * accelerations_.next_average);
  states_.next_average =
      (x_new_.segment(layout_.states.begin, layout_.states.size) -
       x_.segment(layout_.states.begin, layout_.states.size) - h * (1 - gamma) * states_.average) /
      (gamma * h);
  follow(states_);
  change_q_ = q_ + aside_;
  problem_.displace(x_, change_q_, x_new_);
}

void SecondOrderMethod::set_scale(const std::vector<int>& index) {
  for (Index i = 0; i < x_.size(); ++i)
    scale_[i] = options_.tolerances.absolute_of(i) + options_.tolerances.relative_of(i) * std::abs(x_[i]);
  refine_scale(h_, index, scale_);
}

SecondOrderMethod::Newton SecondOrderMethod::iterate() {
  const auto how = [](Outcome outcome) { return outcome == Outcome::fail ? Newton::fail : Newton::retry; };
  const double t = t_ + h_;
  double previous = 0;
  bool small = false, was_fresh = false;
  for (iterations_ = 0;; ++iterations_) {
    if (const Outcome outcome = problem_.residual(t, x_new_, accelerations_.next, states_.next);
        outcome != Outcome::ok)
      return how(outcome);
    if (small && problem_.constraints_are_met()) return Newton::converged;
    if (iterations_ == options_.max_newton_iterations) return Newton::slow;
    if (const Outcome outcome = problem_.factor(t, x_new_, accelerations_.next); outcome != Outcome::ok)
      return how(outcome);
    ++problem_.statistics().newton_iterations;
    x_guess_ = x_new_;
    problem_.solve(x_new_, change_q_, change_aside_, change_states_);
    q_ += change_q_;
    aside_ += change_aside_;
    x_new_.segment(layout_.states.begin, layout_.states.size) += change_states_;
    set_guess();
    x_guess_ -= x_new_;
    const double size = weighted_norm(x_guess_, scale_);
    if (!std::isfinite(size)) return Newton::diverged;
    const bool is_fresh = problem_.matrices_are_fresh();
    // of the matrix of this iteration; what the one before has left tells of its own
    double eta = std::pow(std::max(is_fresh ? eta_ : eta_of_old_, 1e-16), 0.8);
    if (iterations_ > 0 && previous > 0) {
      const double theta = size / previous;
      if (theta >= 2 && size > 1 && was_fresh) return Newton::diverged;
      if (theta < 1) (was_fresh ? eta_ : eta_of_old_) = theta / (1 - theta);
      // old derivatives are of little use here
      if (theta >= 0.5 && !was_fresh) problem_.forget_matrices();
      if (is_fresh == was_fresh) eta = theta < 1 ? theta / (1 - theta) : 1;
    }
    previous = size;
    was_fresh = is_fresh;
    small = eta * size <= options_.newton_stop || size <= 1e-3 * options_.newton_stop;
    if (!small) continue;
    (is_fresh ? eta_ : eta_of_old_) = eta;
    if (!problem_.watches_constraints()) {
      ++iterations_;
      return Newton::converged;
    }
  }
}

// Too short for an iteration: as far as derivatives at both ends go.
Outcome SecondOrderMethod::hop() {
  const double h = h_;
  const auto old_v = x_.segment(layout_.velocities.begin, layout_.velocities.size);
  const auto old_r = x_.segment(layout_.states.begin, layout_.states.size);
  auto v = x_new_.segment(layout_.velocities.begin, layout_.velocities.size);
  auto r = x_new_.segment(layout_.states.begin, layout_.states.size);
  q_ = h * old_v + 0.5 * h * h * accelerations_.now;
  x_new_ = x_;
  problem_.displace(x_, q_, x_new_);
  v += h * accelerations_.now;
  r += h * states_.now;
  Outcome outcome = problem_.accelerate(t_ + h, x_new_, accelerations_.next, states_.next);
  v = old_v + 0.5 * h * (accelerations_.now + accelerations_.next);
  r = old_r + 0.5 * h * (states_.now + states_.next);
  if (outcome == Outcome::ok) outcome = problem_.finish(t_ + h, x_new_, accelerations_.next);
  if (outcome != Outcome::ok) obstacle_ = problem_.failure();
  for (Rates* rates : {&accelerations_, &states_}) rates->next_average = rates->next + h * rates->drift;
  return outcome;
}

Outcome SecondOrderMethod::attempt() {
  const double h = h_, m = (1 - method_.alpha_m) / (1 - method_.alpha_f);
  problem_.set_weights(
      {method_.gamma / (method_.beta * h), m / (method_.beta * h * h), m / (method_.gamma * h)});
  set_scale(problem_.newton_index());
  if (!has_history_) find_slope(h);
  unconverged_ = false;
  hopped_ = h != options_.step && h < problem_.shortest_step(x_, accelerations_.now);
  if (hopped_) return hop();
  predict();
  const Newton how = iterate();
  if (how != Newton::converged) {
    problem_.forget_matrices();
    if (!(how == Newton::slow && options_.keep_unconverged)) return obstructed(how);
    unconverged_ = true;
  }
  if (const Outcome outcome = problem_.finish(t_ + h_, x_new_, accelerations_.next); outcome != Outcome::ok) {
    obstacle_ = problem_.failure();
    return outcome;
  }
  // averages of what the problem has made of the accelerations
  accelerations_.next_average =
      ((1 - method_.alpha_f) * accelerations_.next + method_.alpha_f * accelerations_.now -
       method_.alpha_m * accelerations_.average) /
      (1 - method_.alpha_m);
  return Outcome::ok;
}

Outcome SecondOrderMethod::obstructed(Newton how) {
  shrink_ = how == Newton::slow ? 0.5 : 0.25;
  eta_ = eta_of_old_ = 1;
  if (how == Newton::retry || how == Newton::fail) {
    obstacle_ = problem_.failure();
    return how == Newton::fail ? Outcome::fail : Outcome::retry;
  }
  obstacle_ = {Reason::newton_failed, {}};
  return Outcome::retry;
}

// --- its error

// By how the accelerations have changed: h³ times the third derivative of the positions, and that of the velocities, times what
// the method leaves of it. Behind a step that was much longer, what has begun since counts for this step alone: over both its
// change would be taken for a slow one.
Outcome SecondOrderMethod::estimate() {
  const double h = h_;
  set_scale(problem_.variable_index());
  error_.setZero();
  if (hopped_) {
    for (Rates* rates : {&accelerations_, &states_}) rates->smooth_next = rates->next;
    err_ = 1e-10;
    return Outcome::ok;
  }
  const auto of_rates = [&](const Rates& rates, const Block& block) {
    auto error = error_.segment(block.begin, block.size);
    const double factor = method_.velocity_error() * h;
    if (!has_history_) {
      if (has_slope_) error = 2 * factor * (rates.smooth_next - rates.smooth_now - h * rates.slope);
      return;
    }
    // what springs in the place of constraints do from one short step to the next is no change
    const double h_old = h_past_, between = 0.5 * (h + h_old);
    const double over = problem_.steps_as_accelerated() ? std::min(h, between) : between;
    error = (factor * h / over) *
            ((rates.smooth_next - rates.smooth_now) - (h / h_old) * (rates.smooth_now - rates.smooth_before));
  };
  const Outcome outcome = problem_.smooth(t_ + h, x_new_, accelerations_.next, accelerations_.smooth_next);
  if (outcome != Outcome::ok) return outcome;
  states_.smooth_next = states_.next;
  of_rates(accelerations_, layout_.velocities);
  of_rates(states_, layout_.states);
  change_q_ =
      (method_.displacement_error() * h * h) * (accelerations_.smooth_next - accelerations_.smooth_now);
  work_ = x_new_;
  problem_.displace(x_new_, change_q_, work_);
  const Block& p = layout_.positions;
  error_.segment(p.begin, p.size) = work_.segment(p.begin, p.size) - x_new_.segment(p.begin, p.size);
  if (p.size != layout_.velocities.size) add_turning();
  problem_.amend_error(t_ + h, x_new_, Vector(), error_);
  err_ = std::max(weighted_norm(error_, scale_), 1e-10);
  return Outcome::ok;
}

// A displacement is added at once. Where positions turn while it goes on, as quaternions do, in two parts they come to another
// place: three quarters of what the whole is off by, which no acceleration shows where a body turns steadily.
void SecondOrderMethod::add_turning() {
  const Block& p = layout_.positions;
  change_q_ = 0.5 * h_ * x_.segment(layout_.velocities.begin, layout_.velocities.size) +
              0.125 * h_ * h_ * accelerations_.now;
  work_ = x_guess_ = x_;
  problem_.displace(x_, change_q_, x_guess_);
  change_q_ = q_ - change_q_;
  problem_.displace(x_guess_, change_q_, work_);
  problem_.displace(x_, q_, x_guess_);
  error_.segment(p.begin, p.size) +=
      4.0 / 3 * (work_.segment(p.begin, p.size) - x_guess_.segment(p.begin, p.size));
}

void SecondOrderMethod::propose() {
  const double factor = options_.safety * std::pow(std::max(err_, 1e-10), -1.0 / 3);
  h_new_ = h_ * std::clamp(factor, options_.min_step_factor, options_.max_step_factor);
}

double SecondOrderMethod::factor_after_error() {
  return std::isfinite(err_) ? std::max(options_.min_step_factor, options_.safety * std::pow(err_, -1.0 / 3))
                             : 0.1;
}

// --- its end

void SecondOrderMethod::go_on(Rates& rates, Rates& old, double h) {
  old.now = rates.now;
  old.before = rates.before;
  old.drift = rates.drift;
  old.smooth_now = rates.smooth_now;
  old.smooth_before = rates.smooth_before;
  rates.before = rates.now;
  rates.now = rates.next;
  rates.drift = (rates.next_average - rates.next) / h;
  rates.smooth_before = rates.smooth_now;
  rates.smooth_now = rates.smooth_next;
}

void SecondOrderMethod::go_back(Rates& rates, const Rates& old) {
  rates.now = old.now;
  rates.before = old.before;
  rates.drift = old.drift;
  rates.smooth_now = old.smooth_now;
  rates.smooth_before = old.smooth_before;
}

void SecondOrderMethod::advance() {
  before_.has_history = has_history_;
  before_.h_past = h_past_;
  h_past_ = h_;
  go_on(accelerations_, before_.accelerations, h_);
  go_on(states_, before_.states, h_);
  has_history_ = true;
  x_.swap(x_new_);
}

void SecondOrderMethod::went_back() {
  has_history_ = before_.has_history;
  h_past_ = before_.h_past;
  go_back(accelerations_, before_.accelerations);
  go_back(states_, before_.states);
  problem_.forget_matrices();
}

void SecondOrderMethod::carry(Carrier& carried) {
  OneStepMethod::carry(carried);
  carried.expect(2);
  carried(accelerations_, states_, has_history_, h_past_, eta_, eta_of_old_, unconverged_, before_);
}

// Cubics through both ends with their derivatives.
void SecondOrderMethod::interpolate(double t, VectorOut x) const {
  const double h = t_ - t_old_;
  x = x_;
  if (h <= 0) return;
  const double u = std::clamp((t - t_old_) / h, 0.0, 1.0);
  const double f1 = u * u * (3 - 2 * u), d0 = u * (1 - u) * (1 - u) * h, d1 = u * u * (u - 1) * h;
  const auto cubic = [&](const Block& block, const Vector& rate_0, const Vector& rate_1) {
    x.segment(block.begin, block.size) = (1 - f1) * x_old_.segment(block.begin, block.size) +
                                         f1 * x_.segment(block.begin, block.size) + d0 * rate_0 + d1 * rate_1;
  };
  const Index rest = layout_.states.begin + layout_.states.size;
  x.tail(x.size() - rest) = (1 - u) * x_old_.tail(x.size() - rest) + u * x_.tail(x.size() - rest);
  problem_.position_rates(t_old_, x_old_, rate_0_);
  problem_.position_rates(t_, x_, rate_1_);
  cubic(layout_.positions, rate_0_, rate_1_);
  cubic(layout_.velocities, before_.accelerations.now, accelerations_.now);
  cubic(layout_.states, before_.states.now, states_.now);
}

}  // namespace trammel
