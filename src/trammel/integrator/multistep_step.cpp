// One step of the multistep integrator: prediction, correction, projection, the choice of order and step size.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "trammel/integrator/multistep.h"

namespace trammel {

namespace {

// What may be left of the error of the corrector's iteration, relative to the tolerance.
constexpr double iteration_stop = 0.1;

// Errors of the orders k − 1, k and k + 1 are taken for so many times larger than estimated.
constexpr double bias_lower = 6, bias_same = 6, bias_higher = 10;
// A step size that would grow by less is kept.
constexpr double worth_growing = 1.1;
// What counts of the error of the step before: where few directions are left one may vanish in passing.
constexpr double remembered = 0.7;
constexpr double most_growth = 2, most_at_first = 1e4;

// Newton's matrix is factored anew where γ has changed by this part, and taken anew after so many steps. After 50, as CVODE has it, runs take
// 8 % more steps and evaluations in the geometric mean of 12 problems: iterations with an old matrix end farther from the solution.
constexpr double gamma_change = 0.3;
constexpr int matrix_age = 20;

constexpr double tolerances_allowed = StateProjection::tolerances_allowed;

// A projection is worth asking for again only where a function had no number: one that does not converge is a failure of the step, and
// counted.
template <class Ask, class Why>
auto unless_it_failed(const Ask& ask, const Why& why, bool& failed) {
  return [&] {
    const Outcome outcome = failed ? Outcome::retry : ask();
    failed = outcome == Outcome::retry && why().reason != Reason::not_finite;
    return outcome;
  };
}

}  // namespace

Outcome Multistep::prepare() {
  if (h_last_ > 0) h_ = std::min(h_, most_growth * h_last_ * (points_ <= 2 ? most_at_first : 1));
  if (failures_ == 0 && h_last_ > 0) drop_neighbour();
  // Points that lie far apart say nothing of what happens within a twentieth of their distance, nor would an estimate of the
  // error that is made of them: what is short begins anew, unless it is short because functions fail by chance.
  constexpr double far_apart = 20;
  if (points_ > 1 && failed_evaluations_ == 0 && history_[0].t - history_[1].t > far_apart * h_) {
    points_ = order_ = 1;
    wait_ = 2;
  }
  while (order_ > 1 && points_ < points_needed(options_.family, order_)) --order_;
  if (is_bdf() && points_ == 1) {
    // the first step: a point before the first one, where a straight line leads back to
    if (history_[0].t != rate_t_) {
      if (const Outcome outcome = rates(t_, x_, rate_); outcome != Outcome::ok) return outcome;
      rate_t_ = t_;
    }
    history_[1].t = t_ - h_;
    history_[1].value = x_;
    history_[1].value.head(n_) -= h_ * rate_.head(n_);
  }
  return Outcome::ok;
}

Outcome Multistep::attempt() {
  shrink_ = 0.25;
  set_scale(x_, scale_);
  predict();
  Outcome outcome = correct();
  if (outcome != Outcome::ok) return outcome;
  error_.head(n_) = formula_.error * (x_new_ - predicted_).head(n_);
  error_.tail(error_.size() - n_).setZero();
  problem_.amend_error(t_ + h_, x_new_, Vector(), error_);
  err_ = unprojected_error_ = size(error_);
  // no projection makes this good
  constexpr double hopeless = 1e4;
  if (!(err_ < hopeless)) {
    err_ = std::isfinite(err_) ? err_ : 10 * hopeless;
    return Outcome::ok;
  }
  outcome = project();
  if (outcome == Outcome::ok && err_ < 1) outcome = evaluate_end();
  return outcome;
}

void Multistep::predict() {
  formula_ = multistep_formula(options_.family, order_, times_ahead());
  const int past = points_needed(options_.family, order_);
  predicted_ = x_;
  known_ = x_;
  if (is_bdf()) {
    predicted_.head(n_).setZero();
    known_.head(n_).setZero();
  }
  add(formula_.predicted, 0, past, predicted_);
  add(formula_.known, 0, is_bdf() ? order_ : order_ - 1, known_);
  x_new_ = predicted_;
}

// --- the corrector: x = known + γ f(t, x)

Outcome Multistep::correct() { return is_bdf() ? correct_by_newton() : correct_by_fixed_point(); }

Multistep::Progress Multistep::judge(int iteration, double change) {
  if (iteration > 0) rate_of_convergence_ = std::max(0.3 * rate_of_convergence_, change / previous_change_);
  const bool worse = iteration > 0 && change > 2 * previous_change_;
  previous_change_ = change;
  if (!std::isfinite(change) || worse) return Progress::hopeless;
  if (change * std::min(1.0, rate_of_convergence_) * formula_.error <= iteration_stop) return Progress::done;
  return iteration + 1 < options_.max_iterations ? Progress::go_on : Progress::hopeless;
}

// At x_new_; where care is taken, at what it is on the invariants.
Outcome Multistep::rates_of_iterate() {
  if (careful_ == 0) return rates(t_ + h_, x_new_, rate_new_);
  on_invariants_ = x_new_;
  const Outcome outcome = put_back(on_invariants_);
  return outcome == Outcome::ok ? rates(t_ + h_, on_invariants_, rate_new_) : outcome;
}

// On the invariants, as exactly as can be.
Outcome Multistep::put_back(Vector& x) {
  const auto ask = [&] { return problem_.put_back(t_ + h_, x); };
  const auto why = [&]() -> const Failure& { return problem_.failure(); };
  bool failed = false;
  const Outcome outcome = insist(unless_it_failed(ask, why, failed));
  if (outcome == Outcome::ok) return outcome;
  obstacle_ = problem_.failure();
  cause_ = &Statistics::rejected_projection;
  evaluation_failed_ = obstacle_.reason == Reason::not_finite;
  return outcome;
}

// Whether the present step is to be tried again with iterates on the invariants.
bool Multistep::becomes_careful() {
  constexpr int steps_of_care = 6, steps_of_trust = 50;
  if (!projection_.is_due() || trusting_ > 0) return false;
  if (careful_ > 0) {  // it was no help
    careful_ = 0;
    trusting_ = steps_of_trust;
    return false;
  }
  careful_ = steps_of_care;
  return true;
}

Outcome Multistep::correct_by_fixed_point() {
  for (int iteration = 0;; ++iteration) {
    if (const Outcome outcome = rates_of_iterate(); outcome != Outcome::ok) return outcome;
    ++problem_.statistics().newton_iterations;
    change_.head(n_) = (known_ - x_new_).head(n_) + formula_.gamma * rate_new_.head(n_);
    x_new_.head(n_) += change_.head(n_);
    switch (judge(iteration, size(change_))) {
      case Progress::done:
        return Outcome::ok;
      case Progress::hopeless:
        rate_of_convergence_ = 1;
        if (becomes_careful()) shrink_ = 1;
        obstacle_ = {Reason::newton_failed, ""};
        return Outcome::retry;
      case Progress::go_on:
        break;
    }
  }
}

Outcome Multistep::prepare_matrix() {
  if (!linearized_ || steps_with_matrix_ >= matrix_age) {
    linearized_at_ = predicted_;
    if (careful_ > 0)
      if (const Outcome outcome = put_back(linearized_at_); outcome != Outcome::ok) return outcome;
    const Outcome outcome = implicit_->linearize(t_ + h_, linearized_at_);
    if (outcome != Outcome::ok) {
      obstacle_ = problem_.failure();
      return outcome;
    }
    linearized_ = fresh_ = true;
    factored_ = false;
    linearized_t_ = t_ + h_;
    steps_with_matrix_ = 0;
  }
  if (factored_ && std::abs(formula_.gamma / factored_gamma_ - 1) <= gamma_change) return Outcome::ok;
  const Outcome outcome = implicit_->factor(1 / formula_.gamma);
  factored_ = outcome == Outcome::ok;
  factored_gamma_ = formula_.gamma;
  rate_of_convergence_ = 1;
  if (!factored_) {
    linearized_ = false;
    obstacle_ = problem_.failure();
  }
  return outcome;
}

// (I − γ f_x) change = change, by the problem's (σE − J) x = σE change. A matrix of another γ is made good for on
// the average.
Outcome Multistep::solve(Vector& change) {
  rhs_.resize(implicit_->equations());
  const Outcome outcome = implicit_->multiply_mass(linearized_t_, linearized_at_, change, rhs_);
  if (outcome != Outcome::ok) {
    obstacle_ = problem_.failure();
    return outcome;
  }
  rhs_ /= factored_gamma_;
  implicit_->solve(rhs_, change);
  ++problem_.statistics().backsubstitutions;
  change.head(n_) *= 2 / (1 + formula_.gamma / factored_gamma_);
  change.tail(change.size() - n_).setZero();
  return Outcome::ok;
}

Outcome Multistep::correct_by_newton() {
  if (const Outcome outcome = prepare_matrix(); outcome != Outcome::ok) return outcome;
  newton_log_.begin(t_ + h_, h_);
  for (int iteration = 0;; ++iteration) {
    Outcome outcome = rates_of_iterate();
    Progress progress = Progress::hopeless;
    if (outcome == Outcome::ok) {
      ++problem_.statistics().newton_iterations;
      change_.head(n_) = (known_ - x_new_).head(n_) + formula_.gamma * rate_new_.head(n_);
      change_.tail(change_.size() - n_).setZero();
      outcome = solve(change_);
    }
    // an iterate that cannot be put on the invariants is a failure of the step: no matrix helps
    const bool is_projection = cause_ == &Statistics::rejected_projection;
    if (outcome == Outcome::fail || (outcome == Outcome::retry && is_projection)) return outcome;
    if (outcome == Outcome::ok) {
      x_new_.head(n_) += change_.head(n_);
      const double change = size(change_);
      newton_log_.change(iteration + 1, change);
      progress = judge(iteration, change);
      obstacle_ = {Reason::newton_failed, ""};
    }
    if (progress == Progress::go_on) continue;
    newton_log_.end(progress == Progress::done, *implicit_);
    if (progress == Progress::done) return Outcome::ok;

    implicit_->newton_failed();
    rate_of_convergence_ = 1;
    const bool was_fresh = std::exchange(fresh_, false);
    linearized_ = false;
    if (was_fresh) {
      if (becomes_careful()) shrink_ = 1;
      return Outcome::retry;
    }
    // the same step with a matrix of its own
    x_new_ = predicted_;
    if (outcome = prepare_matrix(); outcome != Outcome::ok) return outcome;
    newton_log_.begin(t_ + h_, h_);
    iteration = -1;
  }
}

// --- invariants

// What the projection keeps was made anew; so is Newton's matrix.
Outcome Multistep::unprojected(Outcome outcome) {
  if (outcome == Outcome::ok) return outcome;
  obstacle_ = projection_.failure();
  if (outcome == Outcome::fail) return outcome;
  cause_ = &Statistics::rejected_projection;
  evaluation_failed_ = obstacle_.reason == Reason::not_finite;
  linearized_ = false;
  if (becomes_careful()) {
    shrink_ = 1;
    return outcome;
  }
  if (++failures_ > 1 && order_ > 1) --order_;
  return outcome;
}

// Puts x_new_ on the invariants, and takes from its error what a projection takes from states. Constraints are met by the
// tolerances of the state that meets them, errors tested by those that the step began with.
Outcome Multistep::project() {
  if (!projection_.is_due()) return Outcome::ok;
  const double t = t_ + h_;
  set_scale(x_new_, end_scale_);
  const auto why = [&]() -> const Failure& { return projection_.failure(); };
  bool failed = false;
  const auto put_there = [&] { return projection_.project(t, end_scale_, n_, x_new_); };
  if (const Outcome outcome = insist(unless_it_failed(put_there, why, failed)); outcome != Outcome::ok)
    return unprojected(outcome);
  if (!projection_.projects_errors()) return Outcome::ok;
  other_error_ = error_;
  const auto project_error = [&] {
    error_ = other_error_;
    return projection_.project_error(t, x_new_, scale_, error_);
  };
  if (const Outcome outcome = insist(unless_it_failed(project_error, why, failed)); outcome != Outcome::ok)
    return unprojected(outcome);
  err_ = size(error_);
  if (err_ < 1) {
    problem_.statistics().error_before_projection += unprojected_error_;
    problem_.statistics().error_after_projection += err_;
  }
  return Outcome::ok;
}

// Rates that are kept belong to the end of the step, on the invariants. To evaluate them there costs as much as one
// iteration more, and pays: steps may be longer (PECE). bdf keeps no rates: what follows from the state is, but for an error, what
// follows from its last iterate, except near singular positions.
Outcome Multistep::evaluate_end() {
  if (careful_ > 0)
    if (const Outcome outcome = put_back(x_new_); outcome != Outcome::ok) return outcome;
  if (is_bdf()) {
    if (careful_ == 0) return Outcome::ok;
    const Outcome outcome = problem_.can_accept(t_ + h_, x_new_);
    if (outcome != Outcome::ok) obstacle_ = problem_.failure();
    evaluation_failed_ = outcome == Outcome::retry;
    return outcome;
  }
  change_ = rate_new_;
  const Outcome outcome = rates(t_ + h_, x_new_, rate_new_);
  if (outcome != Outcome::ok || previous_change_ == 0) return outcome;
  // how much of a change the next iteration would have brought
  change_.head(n_) = formula_.gamma * (rate_new_ - change_).head(n_);
  const double rate = size(change_) / previous_change_;
  if (std::isfinite(rate)) rate_of_convergence_ = std::clamp(rate, 0.3 * rate_of_convergence_, 1.0);
  return outcome;
}

// --- order and step size

double Multistep::growth(double error, int order, double bias) const {
  return 1 / (std::pow(bias * std::max(error, 1e-30), 1.0 / (order + 1)) + 1e-6);
}

// What is left of the errors of the steps before. Where the step had to be shorter though no error was too large, as after an evaluation
// that failed, they are taken for its size: or it would take a dozen steps to grow again.
double Multistep::remembered_error() const {
  const bool shortened = rejected_ && failures_ == 0 && h_last_ > 0;
  const double ratio = shortened ? std::min(1.0, h_ / h_last_) : 1.0;
  return remembered * last_error_ * std::pow(ratio, order_ + 1);
}

// What the error of a formula of this order would have been, projected as the other one is.
double Multistep::estimate_of(int order) {
  const PointWeights weights = error_weights(options_.family, order, times_ahead());
  other_error_.setZero();
  other_error_.head(n_) = weights[0] * (is_bdf() ? x_new_ : rate_new_).head(n_);
  add(weights, 1, is_bdf() ? order + 1 : order, other_error_);
  const ProjectionControl& control = options_.projection;
  const double whole = size(other_error_);
  if (!problem_.has_invariants() || !control.project_error || control.frequency != 1) return whole;
  if (problem_.project_error(t_ + h_, x_new_, scale_, other_error_) != Outcome::ok)
    return std::numeric_limits<double>::infinity();
  return std::max(size(other_error_), whole / tolerances_allowed);
}

void Multistep::propose() {
  if (err_ >= 1) return;
  next_order_ = order_;
  // where drivers determine the motion no error is left; but a projection must not move the state far
  const double same = std::max({err_, unprojected_error_ / tolerances_allowed, remembered_error()});
  double best = growth(same, order_, bias_same);
  bool noisy = false;
  if (--wait_ <= 0) {
    wait_ = 2;
    if (order_ > 1) {
      // two estimates rarely vanish at once
      double error = estimate_of(order_ - 1);
      if (order_ > 2) error = std::max(error, estimate_of(order_ - 2));
      const double lower = growth(error, order_ - 1, bias_lower);
      // Differences of a smooth solution get smaller with the order. Where they do not, the formula is at the end of its
      // stability, which is narrow at high orders of adams, and no step size gets better with it (L. F. Shampine, M. K.
      // Gordon, Computer Solution of Ordinary Differential Equations, 1975).
      noisy = !is_bdf() && error <= err_;
      if (lower > best || noisy) {
        best = lower;
        next_order_ = order_ - 1;
      }
    }
    // a point more for the formula, and one for its error
    if (!noisy && order_ < highest() && points_ >= points_needed(options_.family, order_ + 1))
      if (const double higher = growth(estimate_of(order_ + 1), order_ + 1, bias_higher); higher > best) {
        best = higher;
        next_order_ = order_ + 1;
      }
  }
  if (best < worth_growing) {
    if (!noisy) next_order_ = order_;
    best = 1;
  }
  if (next_order_ != order_) wait_ = next_order_ + 1;
  h_new_ = h_ * std::min(best, points_ <= 2 ? most_at_first : most_growth);
}

double Multistep::factor_after_error() {
  constexpr double surprise = 20;
  if (!is_bdf() && h_last_ > 0 && err_ > surprise && careful_ == 0 && becomes_careful()) return 1;
  ++failures_;
  wait_ = order_ + 1;
  const double factor = growth(err_, order_, bias_same);
  if (failures_ > 1) order_ = failures_ > 4 ? 1 : std::max(1, order_ - 1);
  return std::clamp(factor, 0.1, 0.9);
}

void Multistep::advance() {
  last_order_ = order_;
  if (careful_ > 0) --careful_;
  if (trusting_ > 0) --trusting_;
  last_error_ = std::max({err_, unprojected_error_ / tolerances_allowed, remembered_error()});
  order_ = next_order_;
  failures_ = 0;
  fresh_ = false;
  ++steps_with_matrix_;
  projection_.step_taken();
  x_.swap(x_new_);
  if (!is_bdf()) rate_.swap(rate_new_);
  push(t_ + h_, is_bdf() ? x_ : rate_);
  known_ = x_;
}

// What the problem has changed when it accepted the state changes the history too.
Outcome Multistep::settle() {
  if (x_.head(n_) == known_.head(n_)) return Outcome::ok;
  if (is_bdf()) {
    history_[0].value = x_;
    return Outcome::ok;
  }
  const Outcome outcome = rates(t_, x_, rate_);
  history_[0].value = rate_;
  return outcome;
}

// The polynomial of the last step. That of adams, which is one of rates, begins at y_(n−1) only to the tolerance: what
// it lacks there is added.
void Multistep::interpolate(double t, VectorOut x) const {
  const double h = t_ - t_old_;
  x = x_;
  if (h <= 0 || t >= t_) return;
  t = std::max(t, t_old_);
  std::array<double, std::tuple_size_v<PointWeights>> times{};
  for (int i = 0; i < std::min<int>(points_, static_cast<int>(times.size())); ++i)
    times[static_cast<std::size_t>(i)] = history_[static_cast<std::size_t>(i)].t;
  const int count = std::min(points_, is_bdf() ? last_order_ + 1 : last_order_);
  Vector sum = x_;
  const auto evaluate = [&](double at) {
    const int order = is_bdf() ? count - 1 : count;
    if (is_bdf())
      sum.head(n_).setZero();
    else
      sum = x_;
    add(interpolation_weights(options_.family, order, times, at), 0, count, sum);
  };
  evaluate(t);
  x.head(n_) = sum.head(n_);
  if (is_bdf()) return;
  evaluate(t_old_);
  const double s = (t - t_old_) / h;
  x.head(n_) += (1 - s) * (1 - s) * (1 + 2 * s) * (x_old_ - sum).head(n_);
}

}  // namespace trammel
