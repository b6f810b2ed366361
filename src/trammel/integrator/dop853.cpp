#include "trammel/integrator/dop853.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/integrator/dop853_coefficients.h"

namespace trammel {

using dop853::stages;

Failure Dop853Options::check(Index n) const {
  if (Failure failure = tolerances.check(n)) return failure;
  return step_control().check();
}

StepControl Dop853Options::step_control() const {
  return {max_steps, max_step, safety, min_step_factor, max_step_factor, fixed_step};
}

Dop853::Dop853(OdeProblem& problem, Dop853Options options)
    : OneStepMethod(problem, options.step_control(), "the evaluation of the equations"),
      problem_(problem),
      options_(std::move(options)) {}

Failure Dop853::check() const {
  if (problem_.ode() == nullptr)
    return {Reason::invalid_options, "dop853 needs an ordinary differential equation"};
  return options_.check(problem_.unknowns());
}

// The rates at a guess, which is completed first where the problem asks for it, and put on the constraints
// where stages off them are suspected. What goes wrong is in rate_failure_.
Outcome Dop853::try_rates(double t, Vector& x, Vector& out) const {
  std::string what = "something that is not an exception";
  try {
    Outcome outcome = Outcome::ok;
    if (problem_.completes())
      outcome = problem_.complete(t, x);
    else if (careful_ > 0)
      outcome = problem_.put_back(t, x);
    if (outcome == Outcome::ok) outcome = problem_.rates(t, x, out);
    if (outcome != Outcome::ok) rate_failure_ = problem_.failure();
    if (outcome != Outcome::ok || out.head(n_).allFinite()) return outcome;
    rate_failure_ = {Reason::not_finite, fmt::format("the rates of change are not finite at t = {}", t)};
    return Outcome::retry;
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  rate_failure_ = {Reason::user_function_failed, fmt::format("the equations threw: {}", what)};
  return Outcome::fail;
}

Outcome Dop853::rates(double t, Vector& x, Vector& out) const {
  return insist([&] { return try_rates(t, x, out); });
}

void Dop853::set_scale(const Vector& x) {
  options_.tolerances.fill(x_, scale_);
  options_.tolerances.fill(x, other_scale_);
  scale_ = scale_.cwiseMax(other_scale_);
  refine_scale(1, problem_.variable_index(), scale_);
}

double Dop853::size(const VectorIn& values) const { return weighted_norm(values, scale_); }

void Dop853::resize() {
  for (Vector* vector : {&x_new_, &scale_, &other_scale_, &error_, &error_3_, &local_error_, &rate_, &stage_})
    vector->setZero(problem_.unknowns());
  for (Vector& k : k_) k.setZero(problem_.unknowns());
  extended_ = false;
  careful_ = 0;
  stability_used_ = 0;
}

Outcome Dop853::begin(double h0) {
  // unknowns behind the last one that counts are left to the problem
  const std::vector<int>& index = problem_.variable_index();
  n_ = x_.size();
  while (n_ > 0 && !problem_.completes() && index[static_cast<std::size_t>(n_ - 1)] == 0) --n_;

  if (rates(t_, x_, rate_) != Outcome::ok) return give_up(rate_failure_);
  if (problem_.accepted(t_, x_) == Outcome::fail) return give_up(problem_.failure());
  return h0 > 0 || t_end_ == t_ ? Outcome::ok : choose_first_step();
}

// Such that an explicit step of Euler, and the second derivative that it shows, promise a small error.
Outcome Dop853::choose_first_step() {
  set_scale(x_);
  const double span = t_end_ - t_;
  const double state = size(x_), slope = size(rate_);
  double h = state < 1e-5 || slope < 1e-5 ? 1e-6 : 0.01 * state / slope;
  h = std::min(h, span);
  stage_ = x_;
  stage_.head(n_) += h * rate_.head(n_);
  const Outcome outcome = rates(t_ + h, stage_, k_[1]);
  if (outcome == Outcome::fail) return give_up(rate_failure_);
  error_ = k_[1] - rate_;
  const double curvature =
      outcome == Outcome::ok ? size(error_) / h : std::numeric_limits<double>::infinity();
  const double most = std::max(slope, curvature);
  const double other = most <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / most, 1.0 / 8);
  h_ = std::min({100 * h, std::max(other, 1e-10 * span), span});
  if (options_.max_step > 0) h_ = std::min(h_, options_.max_step);
  return Outcome::ok;
}

// out = x + h Σ a_row,j k_j
void Dop853::add_stages(const Stages& k, int row, double h, const Vector& x, Vector& out) const {
  const auto& weights = dop853::a[static_cast<std::size_t>(row)];
  double* to = out.data();
  const double* from = x.data();
  std::copy(from, from + n_, to);
  for (int j = 0; j < row; ++j) {
    const double weight = h * weights[static_cast<std::size_t>(j)];
    if (weight == 0) continue;
    const double* rate = k[static_cast<std::size_t>(j)].data();
    for (Index i = 0; i < n_; ++i) to[i] += weight * rate[i];
  }
}

Outcome Dop853::take_stages() {
  k_[0] = rate_;
  stage_.tail(stage_.size() - n_) = x_.tail(stage_.size() - n_);
  for (int stage = 1; stage < stages; ++stage) {
    add_stages(k_, stage, h_, x_, stage_);
    const auto s = static_cast<std::size_t>(stage);
    if (const Outcome outcome = rates(t_ + dop853::c[s] * h_, stage_, k_[s]); outcome != Outcome::ok)
      return outcome;
  }
  x_new_.tail(stage_.size() - n_) = x_.tail(stage_.size() - n_);
  add_stages(k_, stages, h_, x_, x_new_);
  return Outcome::ok;
}

double Dop853::error_of_stages() {
  set_scale(x_new_);
  error_.setZero();
  error_3_.setZero();
  for (std::size_t j = 0; j < stages; ++j) {
    if (dop853::error_5[j] != 0) error_ += dop853::error_5[j] * k_[j];
    if (dop853::error_3[j] != 0) error_3_ += dop853::error_3[j] * k_[j];
  }
  problem_.amend_error(t_ + h_, x_new_, Vector(), error_);
  return combine_errors();
}

double Dop853::combine_errors() {
  const double five = size(error_), three = size(error_3_);
  const double both = std::sqrt(five * five + 0.01 * three * three);
  local_error_ = both > 0 ? (h_ * five / both) * error_ : error_;
  if (!(both > 0)) return 0;
  // Where a step is so long that the estimate of order 3 is far above what belongs to this tolerance, the one of order 5 may be small
  // by chance, where it changes its sign. At tolerance τ the former is about five times √τ of the state.
  constexpr double far_above = 30;
  const double doubt = h_ * three * std::sqrt(options_.tolerances.relative_in_general()) / far_above;
  return std::max(h_ * five * five / both, doubt > 1 ? doubt * doubt : 0.0);
}

// Close to a singular position stages have rates of any size across the constraints. What they make of the end of the step is taken
// back when that is put on the constraints, where it is determined again: the error is what is left. Elsewhere an error across the
// constraints comes with one along them, of which its estimate tells less: it counts as a whole. So it does where it is so large that
// its square, by which constraints bend, is not small against the tolerance.
Outcome Dop853::find_error_along_constraints() {
  constexpr double nearly_all = 100, square_allowed = 0.01;
  const double change =
      (local_error_.head(n_).array().abs() / (1 + x_new_.head(n_).array().abs())).maxCoeff();
  if (!(err_ * change < square_allowed)) return Outcome::ok;
  other_scale_ = x_new_;
  const double t = t_ + h_;
  Outcome outcome = problem_.put_back(t, other_scale_);
  for (Vector* error : {&error_, &error_3_})
    if (outcome == Outcome::ok) outcome = problem_.project_error(t, other_scale_, scale_, *error);
  if (outcome == Outcome::ok)
    if (const double along = combine_errors(); nearly_all * along < err_) err_ = along;
  if (outcome == Outcome::fail) rate_failure_ = problem_.failure();
  // where it cannot be had the error is what it seems to be
  return outcome == Outcome::fail ? outcome : Outcome::ok;
}

// The new state on the constraints, with its rates. It must not be moved far: then it may have been put on
// another branch. Near a singular position round-off alone moves it by more than a tight tolerance.
Outcome Dop853::finish_stages() {
  error_ = x_new_;
  const double t = t_ + h_;
  if (!problem_.completes())
    if (const Outcome outcome = insist([&] { return problem_.put_back(t, x_new_); });
        outcome != Outcome::ok) {
      rate_failure_ = problem_.failure();
      cause_ = &Statistics::rejected_projection;
      return outcome;
    }
  if (const Outcome outcome = rates(t, x_new_, k_[stages]); outcome != Outcome::ok) return outcome;
  if (problem_.completes()) return Outcome::ok;  // what follows from the others was not integrated
  constexpr double tolerances_allowed = 100, change_allowed = 1e-6;
  error_ -= x_new_;
  const double moved = size(error_);
  moved_far_ = moved > tolerances_allowed &&
               (error_.head(n_).array().abs() > change_allowed * (1 + x_new_.head(n_).array().abs())).any();
  if (moved_far_)
    err_ = moved;
  else
    problem_.statistics().largest_projection = std::max(problem_.statistics().largest_projection, moved);
  return Outcome::ok;
}

// Near a singular position a small violation at a stage makes accelerations of any size. A step whose error
// is far from what the step before it promised is tried again with stages on the constraints; and so are the
// next ones.
bool Dop853::suspects_stages() {
  constexpr double surprise = 20;
  constexpr int steps_of_care = 6;
  if (problem_.completes() || careful_ > 0 || h_last_ == 0 || err_ < surprise) return false;
  careful_ = steps_of_care;
  return true;
}

Outcome Dop853::attempt() {
  shrink_ = 0.25;
  moved_far_ = false;
  Outcome outcome = take_stages();
  if (outcome == Outcome::ok) {
    err_ = options_.fixed_step ? 0 : error_of_stages();
    if (err_ >= 1 && careful_ > 0 && std::isfinite(err_) && problem_.has_invariants())
      outcome = find_error_along_constraints();
    if (outcome == Outcome::ok && err_ < 1) outcome = finish_stages();
  }
  if (outcome != Outcome::ok) obstacle_ = rate_failure_;
  evaluation_failed_ = outcome == Outcome::retry;
  return outcome;
}

void Dop853::propose() {
  const double factor = options_.safety * std::pow(std::max(err_, 1e-10), -1.0 / 8);
  h_new_ = h_ * std::clamp(factor, options_.min_step_factor, options_.max_step_factor);
}

double Dop853::factor_after_error() {
  if (suspects_stages()) return 1;
  // Where stages are close to a singular position by chance: other ones will do, of a step that is not so short that it ends there.
  constexpr double other_stages = 0.7;
  if (moved_far_ && careful_ > 0) return other_stages;
  const double factor = options_.safety * std::pow(err_, -1.0 / 8);
  return std::isfinite(err_) ? std::max(options_.min_step_factor, factor) : 0.1;
}

void Dop853::carry(Carrier& carried) {
  OneStepMethod::carry(carried);
  carried.expect(853);
  carried(n_, careful_, rate_, k_, stability_used_);
  if (!carried.is_copying()) extended_ = false;
}

// How fast the rates change between the last stage and the end of the step, both of which are at t + h: the test
// for stiffness of DOP853.
double Dop853::used_stability() {
  constexpr double stable_up_to = 6.1;
  if (options_.fixed_step) return 0;
  error_3_.head(n_) = k_[stages].head(n_) - k_[stages - 1].head(n_);
  error_.head(n_) = x_new_.head(n_) - stage_.head(n_);
  const double apart = size(error_);
  return apart > 0 ? h_ * size(error_3_) / (apart * stable_up_to) : 0;
}

void Dop853::advance() {
  stability_used_ = used_stability();
  x_.swap(x_new_);
  rate_ = k_[stages];
  if (careful_ > 0) --careful_;
  extended_ = false;
  error_ = x_;
}

Outcome Dop853::settle() {
  if (x_.head(n_) == error_.head(n_)) return Outcome::ok;
  const Outcome outcome = rates(t_, x_, rate_);  // the problem has changed the state
  if (outcome != Outcome::ok) obstacle_ = rate_failure_;
  return outcome;
}

}  // namespace trammel
