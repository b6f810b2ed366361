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
                                             const NewtonControl& newton)
    : OneStepMethod(problem, control, "Newton's iteration"),
      problem_(problem),
      control_(control),
      newton_(newton) {}

void ImplicitOneStepMethod::resize() {
  n_ = problem_.unknowns();
  m_ = -1;  // the number of equations is known after the first linearisation
  error_.setZero(n_);
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
    if (const Outcome outcome = linearize(); outcome != Outcome::ok) return outcome;
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
  if (newton == Newton::converged) return Outcome::ok;
  if (newton != Newton::fail) problem_.newton_failed();
  const bool says_why = newton == Newton::retry || newton == Newton::fail;
  obstacle_ = says_why ? problem_.failure() : did_not_converge();
  shrink_ = newton == Newton::slow ? convergence_.slow_factor() : 0.5;
  return newton == Newton::fail ? Outcome::fail : Outcome::retry;
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
                      stagnated_at_, tolerance() * std::pow(excess, power_of_round_off()))};
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

void ImplicitOneStepMethod::advance() { stagnated_at_ = -1; }

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
