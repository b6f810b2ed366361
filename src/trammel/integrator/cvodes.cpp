#include "trammel/integrator/cvodes.h"

#include <cvodes/cvodes.h>
#include <cvodes/cvodes_ls.h>

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

// Failures in a row before a step is given up. Error tests take the step to order 1 after three; a
// discontinuity may need many more, each of which divides the step by 5 to 10.
constexpr int max_failures = 20;

bool is_adams(const CvodesOptions& options) { return options.family == CvodesOptions::Family::adams; }

int linear_system(sunrealtype t, N_Vector x, N_Vector, SUNMatrix, sunbooleantype keep,
                  sunbooleantype* renewed, sunrealtype gamma, void* functions, N_Vector, N_Vector, N_Vector) {
  bool is_new = false;
  const int flag = static_cast<SundialsFunctions*>(functions)->linearize(t, sundials::entries(x), gamma,
                                                                         keep != SUNFALSE, is_new);
  *renewed = is_new ? SUNTRUE : SUNFALSE;
  return flag;
}

}  // namespace

Failure CvodesOptions::check(Index n) const {
  if (Failure failure = tolerances.check(n)) return failure;
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  const bool adams = family == Family::adams;
  if (max_order < 0 || max_order > (adams ? 12 : 5))
    return bad(adams ? "max_order must be between 1 and 12 for adams, or 0 for 12"
                     : "max_order must be between 1 and 5 for bdf, or 0 for 5");
  if (max_newton_iterations < 1) return bad("max_newton_iterations must be at least 1");
  if (max_steps < 1) return bad("max_steps must be at least 1");
  if (!(max_step >= 0) || !std::isfinite(max_step)) return bad("max_step must not be negative");
  if (detect_stability_limit && adams) return bad("detect_stability_limit is for bdf");
  return {};
}

Cvodes::Cvodes(OdeProblem& problem, CvodesOptions options)
    : SundialsIntegrator(problem,
                         {"CVODES", is_adams(options) ? "the fixed-point iteration" : "Newton's iteration"},
                         options.tolerances, options.max_steps, options.max_step),
      options_(std::move(options)) {}

Cvodes::~Cvodes() = default;

void Cvodes::Free::operator()(void* memory) const noexcept { CVodeFree(&memory); }

bool Cvodes::begin(double h0) {
  using Iteration = sundials::NonlinearSolver::Iteration;
  const bool adams = is_adams(options_);
  SUNContext context = context_.get();
  completed_.setZero(x_.size());
  memory_.reset(CVodeCreate(adams ? CV_ADAMS : CV_BDF, context));
  void* memory = memory_.get();
  const auto complete_guess = [this](Eigen::Map<Vector> predicted, Eigen::Map<Vector> correction) {
    return complete(predicted, correction);
  };
  const bool begun = memory != nullptr &&
                     CVodeSetErrHandlerFn(memory, sundials::keep_message, &message_) == CV_SUCCESS &&
                     CVodeInit(memory, sundials::rates, t_, state_vector_.get()) == CV_SUCCESS &&
                     CVodeSetUserData(memory, &functions_) == CV_SUCCESS &&
                     CVodeWFtolerances(memory, sundials::weights) == CV_SUCCESS;
  if (!begun) return false;
  iteration_ =
      std::make_unique<sundials::NonlinearSolver>(adams ? Iteration::fixed_point : Iteration::newton,
                                                  functions_, complete_guess, state_vector_.get(), context);
  if (!adams) watch(*iteration_);
  bool set = CVodeSetNonlinearSolver(memory, iteration_->outer.get()) == CV_SUCCESS;
  if (set && !adams) {
    matrix_ = sundials::make_matrix(context);
    linear_solver_ = sundials::make_linear_solver(functions_, context);
    set = CVodeSetLinearSolver(memory, linear_solver_.get(), matrix_.get()) == CVLS_SUCCESS &&
          CVodeSetLinSysFn(memory, linear_system) == CVLS_SUCCESS &&
          CVodeSetStabLimDet(memory, options_.detect_stability_limit ? SUNTRUE : SUNFALSE) == CV_SUCCESS;
  }
  return set && (options_.max_order == 0 || CVodeSetMaxOrd(memory, options_.max_order) == CV_SUCCESS) &&
         CVodeSetMaxNonlinIters(memory, options_.max_newton_iterations) == CV_SUCCESS &&
         CVodeSetMaxConvFails(memory, max_failures) == CV_SUCCESS &&
         CVodeSetMaxErrTestFails(memory, max_failures) == CV_SUCCESS &&
         CVodeSetMaxStep(memory, options_.max_step) == CV_SUCCESS &&
         CVodeSetInitStep(memory, h0) == CV_SUCCESS;
}

Cvodes::System Cvodes::system() const {
  System system;
  sunrealtype gamma = 0, l1 = 0;
  N_Vector x, rates, scaled_rates;
  void* data = nullptr;
  CVodeGetNonlinearSystemData(memory_.get(), &system.t, &system.predicted, &x, &rates, &gamma, &l1,
                              &scaled_rates, &data);
  return system;
}

// bdf: the iteration goes through completed states and ends in one. The history is a polynomial through
// values of the past, so that unknowns which follow from others have as good a history as those that count.
int Cvodes::complete(Eigen::Map<Vector> predicted, Eigen::Map<Vector> correction) {
  if (!problem_.completes()) return 0;
  completed_ = predicted + correction;
  const int flag = functions_.complete(system().t, completed_);
  if (flag == 0) correction = completed_ - predicted;
  return flag;
}

// adams: the history is one of rates, and has those of all unknowns from the iteration. (Rates that fit given
// values would grow without bound: the formula is stable in one direction only.) What is left is the value
// itself.
Cvodes::End Cvodes::complete_step(double t) {
  if (!is_adams(options_)) return End::step;
  if (functions_.finish(t, state_) != 0) return End::iteration;
  sundials::entries(system().predicted) = state_;
  return End::step;
}

// At order 1, where the step size that served a higher order says nothing.
bool Cvodes::begin_again(double /*h0*/) {
  state_ = x_;
  return CVodeReInit(memory_.get(), t_, state_vector_.get()) == CV_SUCCESS &&
         CVodeSetInitStep(memory_.get(), 0) == CV_SUCCESS;
}

Cvodes::End Cvodes::advance(double bound, double& t) {
  if (CVodeSetStopTime(memory_.get(), bound) != CV_SUCCESS ||
      CVodeSetMinStep(memory_.get(), smallest_step()) != CV_SUCCESS)
    return End::other;
  switch (CVode(memory_.get(), bound, state_vector_.get(), &t, CV_ONE_STEP)) {
    case CV_SUCCESS:
    case CV_TSTOP_RETURN:
      return complete_step(t);
    case CV_ERR_FAILURE:
      return End::error_test;
    case CV_CONV_FAILURE:
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
    case CV_NLS_FAIL:
      return End::iteration;
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
      return End::rates;
    case CV_TOO_MUCH_ACC:
      return End::accuracy;
    default:
      return End::other;
  }
}

Cvodes::Counters Cvodes::counters() const {
  Counters counters;
  CVodeGetNumErrTestFails(memory_.get(), &counters.rejected_error);
  CVodeGetNumStepSolveFails(memory_.get(), &counters.rejected_convergence);
  CVodeGetNumNonlinSolvIters(memory_.get(), &counters.iterations);
  return counters;
}

double Cvodes::attempted_t() const {
  double t = 0;
  CVodeGetCurrentTime(memory_.get(), &t);
  return t;
}

double Cvodes::taken_step() const {
  double h = 0;
  CVodeGetLastStep(memory_.get(), &h);
  return h;
}

double Cvodes::proposed_step() const {
  double h = 0;
  CVodeGetCurrentStep(memory_.get(), &h);
  return h;
}

int Cvodes::order() const {
  int order = 0;
  if (memory_) CVodeGetLastOrder(memory_.get(), &order);
  return order;
}

void Cvodes::evaluate(double t, Vector& x) const {
  double end = 0;
  CVodeGetCurrentTime(memory_.get(), &end);
  x.resize(x_.size());
  const sundials::VectorOwner vector = sundials::wrap(x, context_.get());
  CVodeGetDky(memory_.get(), std::clamp(t, end - taken_step(), end), 0, vector.get());
}

}  // namespace trammel
