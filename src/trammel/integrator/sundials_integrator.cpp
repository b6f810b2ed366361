#include "trammel/integrator/sundials_integrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

namespace trammel {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// A state that a problem changes by more than this, relative to the unknown or to the size where its absolute
// tolerance takes over, is another state.
constexpr double same_state = 1e-10;

}  // namespace

SundialsIntegrator::SundialsIntegrator(Problem& problem, Names names, const Tolerances& tolerances,
                                       long max_steps, double max_step)
    : problem_(problem),
      functions_(problem, tolerances_),
      context_(sundials::make_context()),
      names_(std::move(names)),
      tolerances_(tolerances),
      max_steps_(max_steps),
      max_step_(max_step) {}

Outcome SundialsIntegrator::start(double t, VectorIn x, double t_end, double h0) {
  if (Failure failure = check()) return give_up(failure);
  if (takes_only_ode() && !problem_.is_ode())
    return give_up(
        Reason::invalid_options,
        fmt::format("{} integrates ordinary differential equations, and this formulation is not one",
                    names_.code));
  if (const Outcome outcome = check_start(t, t_end, h0); outcome != Outcome::ok) return outcome;
  t_ = t_old_ = t;
  x_ = x;
  if (const Outcome outcome = problem_.start(t, x); outcome != Outcome::ok)
    return give_up(problem_.failure());
  functions_.start();
  if (functions_.complete(t, x_) != 0) return give_up(functions_.trouble());
  x_old_ = x_;
  state_ = x_;
  state_vector_ = sundials::wrap(state_, context_.get());
  index_ = problem_.variable_index();

  span_ = t_end - t;
  const double longest = max_step_ > 0 ? std::min(span_, max_step_) : span_;
  if (h0 > 0 && longest > 0) h0 = std::min(h0, longest);
  h_last_ = 0;
  h_next_ = h0;
  counted_ = {};
  restart_ = repeat_ = false;
  message_.clear();
  return begin(h0) ? Outcome::ok : explain(End::other);
}

void SundialsIntegrator::watch(sundials::NonlinearSolver& iteration) {
  iteration.observe = [this](int done, double change) {
    const double t = attempted_t();
    if (done == 0) newton_log_.begin(t, t - t_);
    newton_log_.change(done + 1, change);
  };
  iteration.ended = [this](bool converged) {
    try {
      newton_log_.end(converged, problem_);
    } catch (const std::bad_alloc&) {  // no memory for a record: it is lost
    }
  };
}

double SundialsIntegrator::smallest_step() const {
  return 10 * epsilon * std::max(std::abs(t_), 1e-3 * span_);
}

void SundialsIntegrator::count() {
  const Counters now = counters();
  Statistics& statistics = problem_.statistics();
  const long error = now.rejected_error - counted_.rejected_error;
  const long convergence = now.rejected_convergence - counted_.rejected_convergence;
  statistics.rejected_error += error;
  statistics.rejected_convergence += convergence;
  statistics.steps += error + convergence;
  statistics.newton_iterations += now.iterations - counted_.iterations;
  counted_ = now;
}

// Whether an unknown that counted in the last step differs from x_.
bool SundialsIntegrator::changed(VectorIn before) const {
  for (Index i = 0; i < x_.size(); ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    const double size = std::abs(x_[i]) + tolerances_.absolute_of(i) / tolerances_.relative_of(i);
    if (index_[k] != 0 && std::abs(x_[i] - before[i]) > same_state * size) return true;
  }
  return false;
}

Outcome SundialsIntegrator::explain(End end) {
  const Failure& trouble = functions_.trouble();
  if (functions_.hopeless()) return give_up(trouble);
  const std::string where = fmt::format("at t = {:.10g}", t_);
  switch (end) {
    case End::accuracy:
      return give_up(
          Reason::invalid_options,
          fmt::format("the tolerance asks for more digits than numbers have {}: loosen it", where));
    case End::other:
      if (!trouble.message.empty()) break;
      return give_up(Reason::invalid_options, fmt::format("{} stopped {}: {}", names_.code, where, message_));
    case End::iteration:
    case End::rates:
      if (trouble.message.empty()) return no_step_helps({Reason::newton_failed, ""}, where, names_.iteration);
      break;
    case End::step:
    case End::error_test:
      return no_step_helps({}, where);
  }
  return no_step_helps(trouble, where);
}

Outcome SundialsIntegrator::step(double bound) {
  Statistics& statistics = problem_.statistics();
  if (statistics.steps >= max_steps_) return too_many_steps(max_steps_, t_);
  if (repeat_) return repeat(bound);
  // no code steps over a distance that is round-off; the state is the same there
  if (bound - t_ <= 200 * epsilon * (std::abs(t_) + std::abs(bound))) {
    t_old_ = t_;
    x_old_ = x_;
    t_ = std::max(t_, bound);
    h_last_ = t_ - t_old_;
    return Outcome::ok;
  }
  if (restart_) {
    restart_ = false;
    counted_ = {};
    functions_.forget_jacobian();
    if (!begin_again(std::min(h_next_, bound - t_))) return explain(End::other);
  }
  functions_.forget_trouble();
  double t = t_;
  const End end = advance(bound, t);
  count();
  if (end != End::step || !(t > t_)) return explain(end);

  ++statistics.steps;
  ++statistics.accepted;
  if (accept(t) != Outcome::ok) return Outcome::fail;
  restart_ = !problem_.only_closes() && changed(state_);
  if (finish_step() < 0) return give_up(functions_.trouble());
  h_last_ = taken_step();
  // a step cut short says little about the next
  h_next_ = t_ >= bound ? std::max(proposed_step(), h_next_) : proposed_step();
  return Outcome::ok;
}

// The step to state_ at t is done.
Outcome SundialsIntegrator::accept(double t) {
  t_old_ = t_;
  x_old_.swap(x_);
  t_ = t;
  x_ = state_;
  index_ = problem_.variable_index();
  if (functions_.accepted(t_, x_) < 0) return give_up(functions_.trouble());
  if (problem_.variable_index() != index_) functions_.forget_jacobian();
  return Outcome::ok;
}

// A step inside the one that the code has taken.
Outcome SundialsIntegrator::repeat(double bound) {
  repeat_ = bound < t_code_;
  if (repeat_) {
    evaluate(bound, state_);
    if (functions_.complete(bound, state_) < 0) return give_up(functions_.trouble());
  } else {
    state_ = x_code_;
  }
  if (accept(std::min(bound, t_code_)) != Outcome::ok) return Outcome::fail;
  h_last_ = t_ - t_old_;
  return Outcome::ok;
}

void SundialsIntegrator::retreat() {
  if (!is_multistep()) {
    restart_ = true;
    h_next_ = h_last_;
  } else if (!repeat_ && t_ > t_old_) {
    repeat_ = true;
    t_code_ = t_;
    x_code_ = x_;
  }
  t_ = t_old_;
  x_ = x_old_;
}

// The code does not know what Problem::accepted() gave to unknowns that follow from others, such as
// multipliers: they are joined to it at both ends.
void SundialsIntegrator::interpolate(double t, VectorOut x) const {
  const double h = t_ - t_old_;
  if (h <= 0 || t >= t_) {
    x = x_;
    return;
  }
  evaluate(t, inside_);
  x = inside_;
  if (!problem_.completes()) return;
  evaluate(t_old_, begin_);
  evaluate(t_, end_);
  const double s = std::clamp((t - t_old_) / h, 0.0, 1.0);
  x += (1 - s) * (x_old_ - begin_) + s * (x_ - end_);
}

}  // namespace trammel
