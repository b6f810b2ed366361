#include "trammel/integrator/cvodes.h"

#include <cvodes/cvodes.h>
#include <cvodes/cvodes_ls.h>

namespace trammel {

namespace {

const sundials::Code cvodes_code = {.name = "CVODES",
                                    .free = CVodeFree,
                                    .set_messages = CVodeSetErrHandlerFn,
                                    .set_data = CVodeSetUserData,
                                    .set_weights = CVodeWFtolerances,
                                    .set_iteration = CVodeSetNonlinearSolver,
                                    .set_linear_solver = CVodeSetLinearSolver,
                                    .set_max_iterations = CVodeSetMaxNonlinIters,
                                    .set_max_convergence_failures = CVodeSetMaxConvFails,
                                    .set_max_error_failures = CVodeSetMaxErrTestFails,
                                    .set_max_step = CVodeSetMaxStep,
                                    .set_min_step = CVodeSetMinStep,
                                    .set_first_step = CVodeSetInitStep,
                                    .set_stop_time = CVodeSetStopTime,
                                    .error_failures = CVodeGetNumErrTestFails,
                                    .convergence_failures = CVodeGetNumStepSolveFails,
                                    .iterations = CVodeGetNumNonlinSolvIters,
                                    .last_step = CVodeGetLastStep,
                                    .next_step = CVodeGetCurrentStep,
                                    .present_t = CVodeGetCurrentTime,
                                    .interpolate = CVodeGetDky,
                                    .local_errors = CVodeGetEstLocalErrors};

bool is_adams(const CvodesOptions& options) { return options.family == CvodesOptions::Family::adams; }

int linear_system(sunrealtype t, N_Vector x, N_Vector, SUNMatrix, sunbooleantype keep,
                  sunbooleantype* renewed, sunrealtype gamma, void* functions, N_Vector, N_Vector, N_Vector) {
  return sundials::linear_system(t, x, keep, renewed, gamma, functions);
}

}  // namespace

Failure CvodesOptions::check(Index n) const {
  if (Failure failure = tolerances.check(n)) return failure;
  if (Failure failure = SundialsLimits{max_steps, max_step, max_newton_iterations}.check()) return failure;
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  const bool adams = family == Family::adams;
  if (max_order < 0 || max_order > (adams ? 12 : 5))
    return bad(adams ? "max_order must be between 1 and 12 for adams, or 0 for 12"
                     : "max_order must be between 1 and 5 for bdf, or 0 for 5");
  if (detect_stability_limit && adams) return bad("detect_stability_limit is for bdf");
  return {};
}

Cvodes::Cvodes(OdeProblem& problem, CvodesOptions options)
    : SundialsIntegrator(problem, cvodes_code, is_adams(options) ? Iteration::fixed_point : Iteration::newton,
                         options.tolerances,
                         {options.max_steps, options.max_step, options.max_newton_iterations}),
      options_(std::move(options)) {}

void* Cvodes::create() { return CVodeCreate(is_adams(options_) ? CV_ADAMS : CV_BDF, context_.get()); }

bool Cvodes::initialize() {
  return CVodeInit(memory(), sundials::rates, t_, state_vector_.get()) == CV_SUCCESS;
}

bool Cvodes::set_matrix() {
  return CVodeSetLinSysFn(memory(), linear_system) == CVLS_SUCCESS &&
         CVodeSetStabLimDet(memory(), options_.detect_stability_limit ? SUNTRUE : SUNFALSE) == CV_SUCCESS;
}

bool Cvodes::set_options() {
  return options_.max_order == 0 || CVodeSetMaxOrd(memory(), options_.max_order) == CV_SUCCESS;
}

Cvodes::System Cvodes::system() const {
  System system;
  sunrealtype gamma = 0, l1 = 0;
  N_Vector x, rates, scaled_rates;
  void* data = nullptr;
  CVodeGetNonlinearSystemData(memory(), &system.t, &system.predicted, &x, &rates, &gamma, &l1, &scaled_rates,
                              &data);
  return system;
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

// Nor has the history what Problem::accepted() computed anew, such as multipliers.
int Cvodes::finish_step() {
  if (!is_adams(options_) || problem_.completes()) return 0;
  Eigen::Map<Vector> values = sundials::entries(system().predicted);
  for (Index i = 0; i < values.size(); ++i)
    if (index_[static_cast<std::size_t>(i)] == 0) values[i] = x_[i];
  return 0;
}

// At order 1, where the step size that served a higher order says nothing.
bool Cvodes::begin_again(double /*h0*/) {
  state_ = x_;
  return CVodeReInit(memory(), t_, state_vector_.get()) == CV_SUCCESS &&
         CVodeSetInitStep(memory(), 0) == CV_SUCCESS;
}

Cvodes::End Cvodes::advance(double bound, double& t) {
  if (!set_bounds(bound)) return End::other;
  switch (CVode(memory(), bound, state_vector_.get(), &t, CV_ONE_STEP)) {
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

int Cvodes::order() const {
  int order = 0;
  if (memory() != nullptr) CVodeGetLastOrder(memory(), &order);
  return order;
}

}  // namespace trammel
