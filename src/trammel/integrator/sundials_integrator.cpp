#include "trammel/integrator/sundials_integrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "trammel/formulation/ode_problem.h"

namespace trammel {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// A state that a problem changes by more than this, relative to the unknown or to the size where its absolute
// tolerance takes over, is another state.
constexpr double same_state = 1e-10;

// Failures in a row before a step is given up. Error tests of CVODES take the step to order 1 after three; a
// discontinuity may need many more, each of which divides the step by 4 to 10.
constexpr int max_failures = 20;

}  // namespace

Failure SundialsLimits::check() const {
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  if (max_newton_iterations < 1) return bad("max_newton_iterations must be at least 1");
  if (max_steps < 1) return bad("max_steps must be at least 1");
  if (!(max_step >= 0) || !std::isfinite(max_step)) return bad("max_step must not be negative");
  return {};
}

SundialsIntegrator::SundialsIntegrator(Problem& problem, const sundials::Code& code, Iteration iteration,
                                       const Tolerances& tolerances, const SundialsLimits& limits)
    : problem_(problem),
      functions_(problem, tolerances_),
      context_(sundials::make_context()),
      code_(code),
      iterates_(iteration),
      tolerances_(tolerances),
      limits_(limits),
      memory_(nullptr, Free{code.free}) {}

Failure SundialsIntegrator::check_kind() const {
  if (Failure failure = check()) return failure;
  if (takes_only_ode() && problem_.ode() == nullptr)
    return {Reason::invalid_options,
            fmt::format("{} integrates ordinary differential equations, and this formulation is not one",
                        code_.name)};
  if (iterates_ == Iteration::newton && problem_.implicit() == nullptr)
    return {Reason::invalid_options,
            fmt::format("{} needs a matrix for Newton's iteration, which this formulation does not have",
                        code_.name)};
  return {};
}

Outcome SundialsIntegrator::start(double t, VectorIn x, double t_end, double h0) {
  if (Failure failure = check_kind()) return give_up(failure);
  if (const Outcome outcome = check_start(t, t_end, h0); outcome != Outcome::ok) return outcome;
  t_ = t;
  x_ = x;
  span_ = t_end - t;
  if (problem_.start(t, x) != Outcome::ok) return give_up(problem_.failure());
  const double longest = limits_.max_step > 0 ? std::min(span_, limits_.max_step) : span_;
  if (h0 > 0 && longest > 0) h0 = std::min(h0, longest);
  h_last_ = 0;
  h_next_ = h0;
  return begin_at_state(h0);
}

// The problem is at (t_, x_) already.
Outcome SundialsIntegrator::begin_at_state(double h0) {
  functions_.start();
  if (functions_.complete(t_, x_) != 0) return give_up(functions_.trouble());
  t_old_ = t_;
  x_old_ = x_;
  state_ = x_;
  state_vector_ = sundials::wrap(state_, context_.get());
  index_ = problem_.variable_index();
  counted_ = {};
  restart_ = repeat_ = false;
  message_.clear();
  return begin(h0) ? Outcome::ok : explain(End::other);
}

void SundialsIntegrator::carry(Carrier& carried) {
  carried.expect(static_cast<double>(problem_.unknowns()));
  carried(t_, x_, h_last_, h_next_, span_);
}

Outcome SundialsIntegrator::save(Snapshot& snapshot) {
  Carrier carried = Carrier::saving(snapshot);
  carry(carried);
  const Outcome outcome = resume(problem_, t_, x_, carried);
  functions_.forget_jacobian();
  return outcome;
}

Outcome SundialsIntegrator::copy(Snapshot& snapshot) {
  Carrier carried = Carrier::copying(snapshot);
  carry(carried);
  return resume(problem_, t_, x_, carried);
}

// At order 1 the step size of a higher order says nothing.
Outcome SundialsIntegrator::restore(const Snapshot& snapshot) {
  if (Failure failure = check_kind()) return give_up(failure);
  Carrier carried = Carrier::restoring(snapshot);
  carry(carried);
  if (const Outcome outcome = resume(problem_, t_, x_, carried); outcome != Outcome::ok) return outcome;
  return begin_at_state(is_multistep() ? 0 : h_next_);
}

bool SundialsIntegrator::begin(double h0) {
  completed_.setZero(x_.size());
  memory_.reset(create());
  return memory_ && code_.set_messages(memory(), sundials::keep_message, &message_) == 0 && initialize() &&
         code_.set_data(memory(), &functions_) == 0 && code_.set_weights(memory(), weights()) == 0 &&
         set_iteration() && code_.set_max_error_failures(memory(), max_failures) == 0 &&
         code_.set_max_convergence_failures(memory(), max_failures) == 0 &&
         code_.set_max_step(memory(), limits_.max_step) == 0 && set_options() && set_first_step(h0);
}

bool SundialsIntegrator::set_iteration() {
  using sundials::NonlinearSolver;
  if (iterates_ == Iteration::none) return true;
  const bool newton = iterates_ == Iteration::newton;
  iteration_ = std::make_unique<NonlinearSolver>(
      newton ? NonlinearSolver::Iteration::newton : NonlinearSolver::Iteration::fixed_point, functions_,
      [this](Eigen::Map<Vector> predicted, Eigen::Map<Vector> correction) {
        return complete(predicted, correction);
      },
      state_vector_.get(), context_.get());
  if (code_.set_iteration(memory(), iteration_->outer.get()) != 0 ||
      code_.set_max_iterations(memory(), limits_.max_newton_iterations) != 0)
    return false;
  if (!newton) return true;
  watch_iteration();
  matrix_ = sundials::make_matrix(context_.get());
  linear_solver_ = sundials::make_linear_solver(functions_, context_.get());
  return code_.set_linear_solver(memory(), linear_solver_.get(), matrix_.get()) == 0 && set_matrix();
}

int SundialsIntegrator::complete(Eigen::Map<Vector> predicted, Eigen::Map<Vector> correction) {
  if (!problem_.completes()) return 0;
  completed_ = predicted + correction;
  const int flag = functions_.complete(time_of_guess(), completed_);
  if (flag == 0) correction = completed_ - predicted;
  return flag;
}

bool SundialsIntegrator::set_bounds(double bound) {
  return code_.set_stop_time(memory(), bound) == 0 && code_.set_min_step(memory(), smallest_step()) == 0;
}

SundialsIntegrator::Counters SundialsIntegrator::counters() const {
  Counters counters;
  code_.error_failures(memory(), &counters.rejected_error);
  code_.convergence_failures(memory(), &counters.rejected_convergence);
  code_.iterations(memory(), &counters.iterations);
  return counters;
}

double SundialsIntegrator::taken_step() const {
  double h = 0;
  code_.last_step(memory(), &h);
  return h;
}

double SundialsIntegrator::proposed_step() const {
  double h = 0;
  code_.next_step(memory(), &h);
  return h;
}

double SundialsIntegrator::present_t() const {
  double t = 0;
  code_.present_t(memory(), &t);
  return t;
}

void SundialsIntegrator::evaluate(double t, Vector& x) const {
  const double end = present_t();
  x.resize(x_.size());
  const sundials::VectorOwner vector = sundials::wrap(x, context_.get());
  code_.interpolate(memory(), std::clamp(t, end - taken_step(), end), 0, vector.get());
}

void SundialsIntegrator::watch(sundials::NonlinearSolver& iteration) {
  iteration.observe = [this](int done, double change) {
    const double t = present_t();
    if (done == 0) newton_log_.begin(t, t - t_);
    newton_log_.change(done + 1, change);
  };
  iteration.ended = [this](bool converged) {
    try {
      newton_log_.end(converged, *problem_.implicit());
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
    const double rtol = std::max(tolerances_.relative_of(i), tolerances_.relative_in_general());
    const double size = std::abs(x_[i]) + tolerances_.absolute_of(i) / rtol;
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
      return give_up(Reason::invalid_options, fmt::format("{} stopped {}: {}", code_.name, where, message_));
    case End::iteration:
    case End::rates:
      if (trouble.message.empty())
        return no_step_helps(
            {Reason::newton_failed, ""}, where,
            iterates_ == Iteration::fixed_point ? "the fixed-point iteration" : "Newton's iteration");
      break;
    case End::step:
    case End::error_test:
      return no_step_helps({}, where);
  }
  return no_step_helps(trouble, where);
}

Outcome SundialsIntegrator::step(double bound) {
  Statistics& statistics = problem_.statistics();
  if (statistics.steps >= limits_.max_steps) return too_many_steps(limits_.max_steps, t_);
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

// What is interpolated is on the constraints only nearly.
int SundialsIntegrator::finish_inside(double t) {
  const bool projects = problem_.ode() != nullptr && problem_.ode()->has_invariants();
  return projects ? functions_.finish(t, state_) : functions_.complete(t, state_);
}

// A step inside the one that the code has taken.
Outcome SundialsIntegrator::repeat(double bound) {
  repeat_ = bound < t_code_;
  if (repeat_) {
    evaluate(bound, state_);
    if (finish_inside(bound) != 0) return give_up(functions_.trouble());
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

const Vector* SundialsIntegrator::local_error() const {
  if (memory() == nullptr || !(t_ > t_old_)) return nullptr;
  local_error_.resize(x_.size());
  const sundials::VectorOwner vector = sundials::wrap(local_error_, context_.get());
  return code_.local_errors(memory(), vector.get()) == 0 ? &local_error_ : nullptr;
}

}  // namespace trammel
