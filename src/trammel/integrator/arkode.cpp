#include "trammel/integrator/arkode.h"

#include <arkode/arkode_arkstep.h>

#include <algorithm>

namespace trammel {

namespace {

const sundials::Code arkode_code = {.name = "ARKODE",
                                    .free = ARKStepFree,
                                    .set_messages = ARKStepSetErrHandlerFn,
                                    .set_data = ARKStepSetUserData,
                                    .set_weights = ARKStepWFtolerances,
                                    .set_iteration = ARKStepSetNonlinearSolver,
                                    .set_linear_solver = ARKStepSetLinearSolver,
                                    .set_max_iterations = ARKStepSetMaxNonlinIters,
                                    .set_max_convergence_failures = ARKStepSetMaxConvFails,
                                    .set_max_error_failures = ARKStepSetMaxErrTestFails,
                                    .set_max_step = ARKStepSetMaxStep,
                                    .set_min_step = ARKStepSetMinStep,
                                    .set_first_step = ARKStepSetInitStep,
                                    .set_stop_time = ARKStepSetStopTime,
                                    .error_failures = ARKStepGetNumErrTestFails,
                                    .convergence_failures = ARKStepGetNumStepSolveFails,
                                    .iterations = ARKStepGetNumNonlinSolvIters,
                                    .last_step = ARKStepGetLastStep,
                                    .next_step = ARKStepGetCurrentStep,
                                    .present_t = ARKStepGetCurrentTime,
                                    .interpolate = ARKStepGetDky,
                                    .local_errors = ARKStepGetEstLocalErrors};

int linear_system(sunrealtype t, N_Vector x, N_Vector, SUNMatrix, SUNMatrix, sunbooleantype keep,
                  sunbooleantype* renewed, sunrealtype gamma, void* functions, N_Vector, N_Vector, N_Vector) {
  return sundials::linear_system(t, x, keep, renewed, gamma, functions);
}

int complete_step(sunrealtype t, N_Vector x, void* functions) {
  return static_cast<SundialsFunctions*>(functions)->complete_step(t, sundials::entries(x));
}

}  // namespace

Failure ArkodeOptions::check(Index n) const {
  if (Failure failure = tolerances.check(n)) return failure;
  if (Failure failure = SundialsLimits{max_steps, max_step, max_newton_iterations}.check()) return failure;
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  if (family == Family::dirk && (order < 3 || order > 5)) return bad("order must be 3, 4 or 5 for dirk");
  if (family == Family::erk && (order < 2 || order > 8)) return bad("order must be between 2 and 8 for erk");
  return {};
}

Arkode::Arkode(OdeProblem& problem, ArkodeOptions options)
    : SundialsIntegrator(problem, arkode_code,
                         options.family == ArkodeOptions::Family::dirk ? Iteration::newton : Iteration::none,
                         options.tolerances,
                         {options.max_steps, options.max_step, options.max_newton_iterations}),
      options_(std::move(options)) {}

// For order 4 ARKODE has SDIRK4 of Hairer & Wanner, whose stages have order 1. Its unfiltered error estimate
// is far too large for stiff problems: van der Pol's equation with μ = 1e6 took 4700 steps at 1e-6. With
// stages of order 2 it takes 400 (C. A. Kennedy, M. H. Carpenter, Applied Numerical Mathematics 136, 2019).
bool Arkode::set_method() {
  if (is_implicit() && options_.order == 4)
    return ARKStepSetTableNum(memory(), ARKODE_ARK437L2SA_DIRK_7_3_4, ARKODE_ERK_NONE) == ARK_SUCCESS;
  return ARKStepSetOrder(memory(), options_.order) == ARK_SUCCESS;
}

void* Arkode::create() {
  before_ = {};
  const ARKRhsFn rates = sundials::rates;
  return ARKStepCreate(is_implicit() ? nullptr : rates, is_implicit() ? rates : nullptr, t_,
                       state_vector_.get(), context_.get());
}

bool Arkode::initialize() {
  for (Vector* vector : {&rate_old_, &rate_, &stage_rate_}) vector->setZero(x_.size());
  return !is_implicit() || functions_.rates(t_, x_, rate_) == 0;
}

bool Arkode::set_options() {
  return set_method() && ARKStepSetPostprocessStepFn(memory(), complete_step) == ARK_SUCCESS;
}

bool Arkode::set_matrix() {
  return ARKStepSetLinSysFn(memory(), linear_system) == ARK_SUCCESS &&
         ARKStepSetDeduceImplicitRhs(memory(), SUNTRUE) == ARK_SUCCESS;
}

// dirk: a guess of a stage. The last one, which is the end of the step, leaves its rates as its equation has
// them.
int Arkode::complete(Eigen::Map<Vector> predicted, Eigen::Map<Vector> correction) {
  sunrealtype t = 0, gamma = 0;
  N_Vector z_predicted, z, rates, known;
  void* data = nullptr;
  ARKStepGetNonlinearSystemData(memory(), &t, &z_predicted, &z, &rates, &gamma, &known, &data);
  if (problem_.completes()) {
    completed_ = predicted + correction;
    if (const int flag = functions_.complete(t, completed_); flag != 0) return flag;
    correction = completed_ - predicted;
  }
  stage_rate_ = (correction - sundials::entries(known)) / gamma;
  return 0;
}

bool Arkode::begin_again(double h0) {
  before_ = {};
  if (is_implicit() && functions_.rates(t_, x_, rate_) != 0) return false;
  return restart(h0);
}

bool Arkode::restart(double h0) {
  state_ = x_;
  const ARKRhsFn rates = sundials::rates;
  return ARKStepReInit(memory(), is_implicit() ? nullptr : rates, is_implicit() ? rates : nullptr, t_,
                       state_vector_.get()) == ARK_SUCCESS &&
         ARKStepSetInitStep(memory(), h0) == ARK_SUCCESS;
}

// ARKODE does not know how to go back from an explicit stage without rates, or from a step whose end cannot
// be completed: both are begun again here, with a quarter of the step.
int Arkode::evolve(double bound, double& t) {
  for (;;) {
    if (!set_bounds(bound)) return ARK_ILL_INPUT;
    const int flag = ARKStepEvolve(memory(), bound, state_vector_.get(), &t, ARK_ONE_STEP);
    const bool unfinished = flag >= 0 && functions_.unfinished();
    if (!unfinished && flag != ARK_UNREC_RHSFUNC_ERR) return flag;
    double h = proposed_step();
    if (unfinished)
      h = taken_step();
    else if (h <= 0)
      ARKStepGetActualInitStep(memory(), &h);
    h = 0.25 * std::min(h, bound - t_);
    before_ = counters();
    ++before_.rejected_convergence;
    if (!(h >= smallest_step())) return ARK_REPTD_RHSFUNC_ERR;
    if (!restart(h)) return ARK_ILL_INPUT;
  }
}

Arkode::End Arkode::advance(double bound, double& t) {
  switch (evolve(bound, t)) {
    case ARK_SUCCESS:
    case ARK_TSTOP_RETURN:
      return End::step;
    case ARK_ERR_FAILURE:
      return End::error_test;
    case ARK_CONV_FAILURE:
    case ARK_LSETUP_FAIL:
    case ARK_LSOLVE_FAIL:
    case ARK_POSTPROCESS_STEP_FAIL:
      return End::iteration;
    case ARK_RHSFUNC_FAIL:
    case ARK_FIRST_RHSFUNC_ERR:
    case ARK_REPTD_RHSFUNC_ERR:
    case ARK_UNREC_RHSFUNC_ERR:
      return End::rates;
    case ARK_TOO_MUCH_ACC:
      return End::accuracy;
    default:
      return End::other;
  }
}

Arkode::Counters Arkode::counters() const {
  Counters counters = SundialsIntegrator::counters();
  counters.rejected_error += before_.rejected_error;
  counters.rejected_convergence += before_.rejected_convergence;
  counters.iterations += before_.iterations;
  return counters;
}

// Rates at the end of the step. Those of its last stage, which is the end, are taken from the equation that
// was solved for it: evaluated, they would have its error times the largest eigenvalue. Unknowns that follow
// from others did not take part, and where a problem counts them too there is no telling which they are.
int Arkode::finish_step() {
  if (!is_implicit()) return 0;
  rate_old_.swap(rate_);
  rate_ = stage_rate_;
  if (!problem_.completes()) return 0;
  functions_.expect_complete();
  const int flag = functions_.rates(t_, x_, stage_rate_);
  const bool all = problem_.counted() > problem_.implicit()->equations();
  for (Index i = 0; i < rate_.size(); ++i)
    if (flag == 0 && (all || index_[static_cast<std::size_t>(i)] == 0)) rate_[i] = stage_rate_[i];
  return flag;
}

// dirk: the cubic through both ends with the rates there.
void Arkode::interpolate(double t, VectorOut x) const {
  const double h = t_ - t_old_;
  if (!is_implicit() || h <= 0) {
    SundialsIntegrator::interpolate(t, x);
    return;
  }
  const double s = std::clamp((t - t_old_) / h, 0.0, 1.0), r = 1 - s;
  x = r * r * (1 + 2 * s) * x_old_ + s * s * (3 - 2 * s) * x_ + (h * s * r) * (r * rate_old_ - s * rate_);
}

}  // namespace trammel
