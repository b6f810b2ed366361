#include "trammel/integrator/multistep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

Failure MultistepOptions::check(Index n) const {
  if (Failure failure = tolerances.check(n)) return failure;
  if (Failure failure = projection.check()) return failure;
  if (Failure failure = StepControl{max_steps, max_step}.check()) return failure;
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  if (max_iterations < 1) return bad("max_newton_iterations must be at least 1");
  if (max_order < 0 || max_order > highest_order(family))
    return bad(fmt::format("max_order must be between 1 and {0} for {1}, or 0 for {0}", highest_order(family),
                           family == MultistepFamily::bdf ? "bdf" : "adams"));
  return {};
}

Multistep::Multistep(OdeProblem& problem, MultistepOptions options)
    : OneStepMethod(
          problem, {options.max_steps, options.max_step},
          options.family == MultistepFamily::bdf ? "Newton's iteration" : "the fixed-point iteration"),
      problem_(problem),
      implicit_(problem.implicit()),
      options_(std::move(options)),
      projection_(&problem, options_.projection) {}

Failure Multistep::check() const {
  const auto bad = [](const char* message) { return Failure{Reason::invalid_options, message}; };
  if (problem_.completes())
    return bad(
        "a multistep method with projection integrates all unknowns, and here some follow from others");
  if (is_bdf() && implicit_ == nullptr)
    return bad("bdf needs a matrix for Newton's iteration, which this formulation does not have");
  return options_.check(problem_.unknowns());
}

int Multistep::highest() const {
  return options_.max_order > 0 ? options_.max_order : highest_order(options_.family);
}

void Multistep::resize() {
  const Index n = problem_.unknowns();
  for (Vector* vector : {&x_new_, &predicted_, &known_, &scale_, &end_scale_, &error_, &other_error_, &rate_,
                         &rate_new_, &change_, &linearized_at_, &on_invariants_})
    vector->setZero(n);
  // estimates of one order more look two points further back; one is for going back
  history_.assign(static_cast<std::size_t>(highest() + 3), {0, Vector::Zero(n)});
  points_ = 0;
  order_ = last_order_ = next_order_ = 1;
  wait_ = 2;
  failures_ = careful_ = trusting_ = 0;
  projection_.restart();
  rate_of_convergence_ = 1;
  last_error_ = 0;
  linearized_ = fresh_ = factored_ = false;
}

// --- the history

void Multistep::push(double t, const Vector& value) {
  std::rotate(history_.begin(), history_.end() - 1, history_.end());
  history_[0].t = t;
  history_[0].value = value;
  points_ = std::min(points_ + 1, static_cast<int>(history_.size()));
}

void Multistep::drop_newest() {
  std::rotate(history_.begin(), history_.begin() + 1, history_.end());
  points_ = std::max(points_ - 1, 1);
}

// Of two points that are next to each other the older one: their difference would be one of round-off. A step that
// was cut short makes them.
void Multistep::drop_neighbour() {
  if (points_ < 2 || history_[0].t - history_[1].t > 0.01 * h_) return;
  std::rotate(history_.begin() + 1, history_.begin() + 2, history_.end());
  --points_;
}

std::span<const double> Multistep::times_ahead() {
  times_.clear();
  times_.push_back(t_ + h_);
  const int used = std::max(points_, points_needed(options_.family, 1));
  for (int i = 0; i < used; ++i) times_.push_back(history_[static_cast<std::size_t>(i)].t);
  return times_;
}

void Multistep::add(const PointWeights& weights, std::size_t first, int count, Vector& out) const {
  for (int k = 0; k < count; ++k)
    out.head(n_) +=
        weights[first + static_cast<std::size_t>(k)] * history_[static_cast<std::size_t>(k)].value.head(n_);
}

void Multistep::went_back() {
  drop_newest();
  order_ = last_order_;
  if (!is_bdf()) rate_ = history_[0].value;
  if (points_ < points_needed(options_.family, order_)) order_ = 1;
  wait_ = order_ + 1;
}

void Multistep::carry(Carrier& carried) {
  OneStepMethod::carry(carried);
  carried.expect(is_bdf() ? 5 : 12);
  carried(n_, points_, order_, last_order_, next_order_, wait_, last_error_, rate_of_convergence_, rate_,
          rate_t_, careful_, trusting_);
  projection_.carry(carried);
  for (int i = 0; i < points_ && i < static_cast<int>(history_.size()); ++i)
    carried(history_[static_cast<std::size_t>(i)]);
  if (!carried.is_copying()) linearized_ = fresh_ = factored_ = false;
}

// --- the beginning

Outcome Multistep::rates(double t, const Vector& x, Vector& out) {
  return insist([&] { return try_rates(t, x, out); });
}

Outcome Multistep::try_rates(double t, const Vector& x, Vector& out) {
  std::string what = "something that is not an exception";
  evaluation_failed_ = false;
  try {
    if (!x.allFinite()) {  // an iteration that diverged: no fault of the equations
      obstacle_ = {Reason::newton_failed, ""};
      return Outcome::retry;
    }
    const Outcome outcome = problem_.rates(t, x, out);
    if (outcome != Outcome::ok) obstacle_ = problem_.failure();
    evaluation_failed_ = outcome == Outcome::retry;
    if (outcome != Outcome::ok || out.head(n_).allFinite()) return outcome;
    evaluation_failed_ = true;
    obstacle_ = {Reason::not_finite, fmt::format("the rates of change are not finite at t = {}", t)};
    return Outcome::retry;
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  obstacle_ = {Reason::user_function_failed, fmt::format("the equations threw: {}", what)};
  return Outcome::fail;
}

Outcome Multistep::begin(double h0) {
  // unknowns behind the last one that counts are left to the problem
  const std::vector<int>& index = problem_.variable_index();
  n_ = x_.size();
  while (n_ > 0 && index[at_index(n_ - 1)] == 0) --n_;
  if (rates(t_, x_, rate_) != Outcome::ok) return give_up(obstacle_);
  if (problem_.accepted(t_, x_) == Outcome::fail) return give_up(problem_.failure());
  rate_t_ = t_;
  push(t_, is_bdf() ? x_ : rate_);
  return h0 > 0 || t_end_ == t_ ? Outcome::ok : choose_first_step();
}

void Multistep::set_scale(const Vector& x, Vector& scale) const {
  options_.tolerances.fill(x, scale);
  refine_scale(1, problem_.variable_index(), scale);
}

// Such that the second derivative, which an explicit step of Euler shows, promises an error of a tenth of the tolerance.
Outcome Multistep::choose_first_step() {
  set_scale(x_, scale_);
  const double span = t_end_ - t_;
  change_ = x_;
  const double state = size(change_), slope = size(rate_);
  double h = std::min(state < 1e-5 || slope < 1e-5 ? 1e-6 : 0.01 * state / slope, span);
  x_new_ = x_;
  x_new_.head(n_) += h * rate_.head(n_);
  const Outcome outcome = rates(t_ + h, x_new_, rate_new_);
  if (outcome == Outcome::fail) return give_up(obstacle_);
  change_ = (rate_new_ - rate_) / h;
  const double curvature = outcome == Outcome::ok ? size(change_) : std::numeric_limits<double>::infinity();
  const double other = curvature > 0 ? std::sqrt(0.2 / curvature) : span;
  h_ = std::clamp(std::min(100 * h, other), 1e-12 * span, span);
  if (options_.max_step > 0) h_ = std::min(h_, options_.max_step);
  return Outcome::ok;
}

}  // namespace trammel
