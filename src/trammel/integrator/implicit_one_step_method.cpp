#include "trammel/integrator/implicit_one_step_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trammel {

Failure NewtonControl::check() const {
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  if (max_newton_iterations < 1) return bad("max_newton_iterations must be at least 1");
  if (!(jacobian_reuse < 1)) return bad("jacobian_reuse must be less than 1");
  if (!(newton_stop >= 0) || newton_stop >= 1) return bad("newton_stop must be between 0 and 1");
  if (!(keep_step_above > 0 && keep_step_above <= 1)) return bad("keep_step_above must be in (0, 1]");
  if (!(keep_step_below >= 1)) return bad("keep_step_below must be at least 1");
  return {};
}

ImplicitOneStepMethod::ImplicitOneStepMethod(ImplicitProblem& problem, const StepControl& control,
                                             const NewtonControl& newton, const ProjectionControl& projection)
    : OneStepMethod(problem, control, "Newton's iteration"),
      problem_(problem),
      projection_control_(projection),
      projection_(problem.ode(), projection_control_),
      control_(control),
      newton_(newton) {}

void ImplicitOneStepMethod::resize() {
  n_ = problem_.unknowns();
  m_ = -1;  // the number of equations is known after the first linearisation
  for (Vector* vector : {&error_, &end_, &end_scale_}) vector->setZero(n_);
  projection_.restart();
  convergence_.forget();
  stagnated_at_ = -1;
  need_jacobian_ = need_factor_ = true;
  jacobian_fresh_ = false;
  regularity_ = 1;
}

void ImplicitOneStepMethod::set_newton_stop(double stop, double rtol) {
  newton_stop_ = std::max(newton_.newton_stop > 0 ? newton_.newton_stop : stop, 10 * round_off / rtol);
}

Outcome ImplicitOneStepMethod::prepare() {
  if (need_jacobian_) {
    if (const Outcome outcome = patiently([&] { return linearize(); }); outcome != Outcome::ok)
      return outcome;
    need_jacobian_ = false;
    jacobian_fresh_ = true;
    need_factor_ = true;
  }
  if (need_factor_ || h_factored_ != h_) {
    if (factor() != Outcome::ok) {
      problem_.newton_failed();
      return Outcome::retry;
    }
    h_factored_ = h_;
    need_factor_ = false;
  }
  return Outcome::ok;
}

Outcome ImplicitOneStepMethod::attempt() {
  newton_log_.begin(t_ + h_, h_);
  const Newton newton = solve_stages();
  newton_log_.end(newton == Newton::converged, problem_);
  if (newton == Newton::converged) return finish();
  if (newton != Newton::fail) problem_.newton_failed();
  const bool says_why = newton == Newton::retry || newton == Newton::fail;
  obstacle_ = says_why ? problem_.failure() : did_not_converge();
  evaluation_failed_ = newton == Newton::retry && projects();
  shrink_ = newton == Newton::slow ? convergence_.slow_factor() : 0.5;
  return newton == Newton::fail ? Outcome::fail : Outcome::retry;
}

// Where functions have no number by chance, and that happened several times in this step.
template <class Ask>
Outcome ImplicitOneStepMethod::patiently(const Ask& ask) {
  bool failed = false;
  return insist([&] {
    const Outcome outcome = failed ? Outcome::retry : ask();
    failed = outcome == Outcome::retry && problem_.failure().reason != Reason::not_finite;
    return outcome;
  });
}

// The end of the step, on the invariants if there are any, where everything that follows from it can be had.
Outcome ImplicitOneStepMethod::finish() {
  Outcome outcome = find_end(end_);
  if (outcome != Outcome::ok) obstacle_ = problem_.failure();
  if (outcome != Outcome::ok || !has_invariants()) return outcome;
  leave_what_follows(x_, end_);
  if (projects()) {
    tolerances().fill(end_, end_scale_);
    refine_scale(1, problem_.variable_index(), end_scale_);
    outcome = patiently([&] { return projection_.project(t_ + h_, end_scale_, n_, end_); });
    if (outcome != Outcome::ok) return unprojected(outcome);
  }
  outcome = patiently([&] { return problem_.ode()->can_accept(t_ + h_, end_); });
  if (outcome != Outcome::ok) obstacle_ = problem_.failure();
  evaluation_failed_ = outcome == Outcome::retry;
  return outcome;
}

// Unknowns that follow from others and are computed anew at the end of a step: nothing is known of them in between.
void ImplicitOneStepMethod::leave_what_follows(const Vector& as, Vector& values) const {
  const std::vector<int>& index = problem_.variable_index();
  for (Index i = 0; i < n_; ++i)
    if (index[at_index(i)] == 0) values[i] = as[i];
}

Outcome ImplicitOneStepMethod::unprojected(Outcome outcome) {
  obstacle_ = projection_.failure();
  if (outcome == Outcome::fail) return outcome;
  cause_ = &Statistics::rejected_projection;
  evaluation_failed_ = obstacle_.reason == Reason::not_finite;
  shrink_ = 0.25;
  need_jacobian_ = !jacobian_fresh_;
  return outcome;
}

// An error across the invariants is gone after the projection, but that must not move the state far.
Outcome ImplicitOneStepMethod::measure_error(const Vector& scale) {
  whole_error_ = weighted_norm(error_, scale);
  err_ = std::max(whole_error_, 1e-10);
  if (!projection_.projects_errors() || !std::isfinite(whole_error_)) return Outcome::ok;
  const Vector whole = error_;
  const Outcome outcome = patiently([&] {
    error_ = whole;
    return projection_.project_error(t_ + h_, end_, scale, error_);
  });
  if (outcome != Outcome::ok) return outcome;
  err_ = std::max({weighted_norm(error_, scale), whole_error_ / StateProjection::tolerances_allowed, 1e-10});
  return outcome;
}

// What is to be said if no other attempt converges. If round-off is to blame, a tolerance that can be met.
// The first attempt at a step tells: in shorter ones round-off counts more.
Failure ImplicitOneStepMethod::did_not_converge() {
  if (stagnated_at_ < 0) stagnated_at_ = convergence_.stagnated_at();
  if (stagnated_at_ == 0) return {Reason::newton_failed, ""};  // worded if it ends the run
  const double excess = std::max(stagnated_at_ / NewtonConvergence::most_stagnation, 2.0);
  return {Reason::newton_failed,
          fmt::format("the tolerance is tighter than round-off allows: Newton's iteration comes to a stop at "
                      "{:.1g} of it. Take a relative tolerance of {:.0e} or more",
                      stagnated_at_,
                      tolerances().relative_in_general() * std::pow(excess, power_of_round_off()))};
}

// With a safety that is larger where the iteration took long.
void ImplicitOneStepMethod::propose() {
  const double nit = newton_.max_newton_iterations;
  const double safety = std::min(control_.safety, control_.safety * (1 + 2 * nit) / (iterations_ + 2 * nit));
  const double quotient =
      std::clamp(std::pow(err_, 0.25) / safety, 1 / control_.max_step_factor, 1 / control_.min_step_factor);
  h_new_ = h_ / quotient;
}

// A Jacobian from an earlier step is the first suspect.
void ImplicitOneStepMethod::rejected() {
  need_factor_ = true;
  if (!jacobian_fresh_ || !keeps_fresh_jacobian()) need_jacobian_ = true;
}

bool ImplicitOneStepMethod::can_try_again() {
  if (jacobian_fresh_) return false;
  need_jacobian_ = true;
  return true;
}

void ImplicitOneStepMethod::advance() {
  stagnated_at_ = -1;
  if (projection_.projects_errors() && !control_.fixed_step) {
    problem_.statistics().error_before_projection += whole_error_;
    problem_.statistics().error_after_projection += err_;
  }
  projection_.step_taken();
}

Outcome ImplicitOneStepMethod::settle() {
  jacobian_fresh_ = false;
  need_jacobian_ = theta_ > newton_.jacobian_reuse;
  return Outcome::ok;
}

// And the factors with it, if little would be gained.
bool ImplicitOneStepMethod::keeps_step(double ratio) const {
  return !need_jacobian_ && ratio >= newton_.keep_step_above && ratio <= newton_.keep_step_below;
}

void ImplicitOneStepMethod::went_back() {
  need_jacobian_ = true;
  jacobian_fresh_ = false;
}

void ImplicitOneStepMethod::carry(Carrier& carried) {
  OneStepMethod::carry(carried);
  carried(convergence_, regularity_, error_);
  projection_.carry(carried);
  if (carried.is_copying()) return;
  need_jacobian_ = need_factor_ = true;
  jacobian_fresh_ = false;
}

NewtonConvergence::Limits ImplicitOneStepMethod::newton_limits(const VectorIn& scale) const {
  // multipliers are left out: what is wrong with them shows in the velocities
  double most = 0, own = 0, all = 0;
  for (Index i = 0; i < n_; ++i) {
    if (problem_.newton_index()[static_cast<std::size_t>(i)] != 1) continue;
    most = std::max(most, std::abs(x_[i]));
    own = std::max(own, std::abs(x_[i]) / scale[i]);
    all += 1 / (scale[i] * scale[i]);
  }
  all = std::sqrt(all / static_cast<double>(std::max<Index>(n_, 1)));
  NewtonConvergence::Limits limits;
  limits.stop = newton_stop_;
  limits.max_iterations = newton_.max_newton_iterations;
  limits.unknown_rate = std::abs(newton_.jacobian_reuse);
  // round-off of the constraints, divided by their smallest pivot
  limits.noise = 20 * round_off * own / std::max(regularity_, 1e-8);
  // round-off of positions is one of velocities, 1/h times as large
  limits.stagnation = round_off * std::max(20.0, 1 / h_) * most * all;
  limits.exact_matrix = problem_.has_exact_matrix();
  return limits;
}

}  // namespace trammel
