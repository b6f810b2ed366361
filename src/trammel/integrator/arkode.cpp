#include "trammel/integrator/arkode.h"

#include <arkode/arkode_arkstep.h>

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

// Failures in a row before a step is given up: a discontinuity may need many.
constexpr int max_failures = 20;

int linear_system(sunrealtype t, N_Vector x, N_Vector, SUNMatrix, SUNMatrix, sunbooleantype keep,
                  sunbooleantype* renewed, sunrealtype gamma, void* functions, N_Vector, N_Vector, N_Vector) {
  bool is_new = false;
  const int flag = static_cast<SundialsFunctions*>(functions)->linearize(t, sundials::entries(x), gamma,
                                                                         keep != SUNFALSE, is_new);
  *renewed = is_new ? SUNTRUE : SUNFALSE;
  return flag;
}

int complete_step(sunrealtype t, N_Vector x, void* functions) {
  return static_cast<SundialsFunctions*>(functions)->complete_step(t, sundials::entries(x));
}

}  // namespace

Failure ArkodeOptions::check(Index n) const {
  if (Failure failure = tolerances.check(n)) return failure;
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  if (family == Family::dirk && (order < 3 || order > 5)) return bad("order must be 3, 4 or 5 for dirk");
  if (family == Family::erk && (order < 2 || order > 8)) return bad("order must be between 2 and 8 for erk");
  if (max_newton_iterations < 1) return bad("max_newton_iterations must be at least 1");
  if (max_steps < 1) return bad("max_steps must be at least 1");
  if (!(max_step >= 0) || !std::isfinite(max_step)) return bad("max_step must not be negative");
  return {};
}

Arkode::Arkode(OdeProblem& problem, ArkodeOptions options)
    : SundialsIntegrator(problem, {"ARKODE", "Newton's iteration"}, options.tolerances, options.max_steps,
                         options.max_step),
      options_(std::move(options)) {}

Arkode::~Arkode() = default;

void Arkode::Free::operator()(void* memory) const noexcept { ARKStepFree(&memory); }

// For order 4 ARKODE has SDIRK4 of Hairer & Wanner, whose stages have order 1. Its unfiltered error estimate
// is far too large for stiff problems: van der Pol's equation with μ = 1e6 took 4700 steps at 1e-6. With
// stages of order 2 it takes 400 (C. A. Kennedy, M. H. Carpenter, Applied Numerical Mathematics 136, 2019).
bool Arkode::set_method() {
  if (is_implicit() && options_.order == 4)
    return ARKStepSetTableNum(memory_.get(), ARKODE_ARK437L2SA_DIRK_7_3_4, ARKODE_ERK_NONE) == ARK_SUCCESS;
  return ARKStepSetOrder(memory_.get(), options_.order) == ARK_SUCCESS;
}

bool Arkode::begin(double h0) {
  SUNContext context = context_.get();
  before_ = {};
  const ARKRhsFn rates = sundials::rates;
  memory_.reset(ARKStepCreate(is_implicit() ? nullptr : rates, is_implicit() ? rates : nullptr, t_,
                              state_vector_.get(), context));
  void* memory = memory_.get();
  bool set = memory != nullptr &&
             ARKStepSetErrHandlerFn(memory, sundials::keep_message, &message_) == ARK_SUCCESS &&
             ARKStepSetUserData(memory, &functions_) == ARK_SUCCESS &&
             ARKStepWFtolerances(memory, sundials::weights) == ARK_SUCCESS && set_method() &&
             ARKStepSetMaxErrTestFails(memory, max_failures) == ARK_SUCCESS &&
             ARKStepSetMaxConvFails(memory, max_failures) == ARK_SUCCESS &&
             ARKStepSetMaxStep(memory, options_.max_step) == ARK_SUCCESS &&
             ARKStepSetInitStep(memory, h0) == ARK_SUCCESS &&
             ARKStepSetPostprocessStepFn(memory, complete_step) == ARK_SUCCESS;
  if (!set || !is_implicit()) return set;

  for (Vector* vector : {&rate_old_, &rate_, &stage_rate_, &completed_}) vector->setZero(x_.size());
  if (functions_.rates(t_, x_, rate_) != 0) return false;
  const auto complete_guess = [this](Eigen::Map<Vector> predicted, Eigen::Map<Vector> correction) {
    return complete(predicted, correction);
  };
  iteration_ = std::make_unique<sundials::NonlinearSolver>(
      sundials::NonlinearSolver::Iteration::newton, functions_, complete_guess, state_vector_.get(), context);
  matrix_ = sundials::make_matrix(context);
  linear_solver_ = sundials::make_linear_solver(functions_, context);
  return ARKStepSetNonlinearSolver(memory, iteration_->outer.get()) == ARK_SUCCESS &&
         ARKStepSetLinearSolver(memory, linear_solver_.get(), matrix_.get()) == ARK_SUCCESS &&
         ARKStepSetLinSysFn(memory, linear_system) == ARK_SUCCESS &&
         ARKStepSetMaxNonlinIters(memory, options_.max_newton_iterations) == ARK_SUCCESS &&
         ARKStepSetDeduceImplicitRhs(memory, SUNTRUE) == ARK_SUCCESS;
}

// dirk: a guess of a stage. The last one, which is the end of the step, leaves its rates as its equation has
// them.
int Arkode::complete(Eigen::Map<Vector> predicted, Eigen::Map<Vector> correction) {
  sunrealtype t = 0, gamma = 0;
  N_Vector z_predicted, z, rates, known;
  void* data = nullptr;
  ARKStepGetNonlinearSystemData(memory_.get(), &t, &z_predicted, &z, &rates, &gamma, &known, &data);
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
  return ARKStepReInit(memory_.get(), is_implicit() ? nullptr : rates, is_implicit() ? rates : nullptr, t_,
                       state_vector_.get()) == ARK_SUCCESS &&
         ARKStepSetInitStep(memory_.get(), h0) == ARK_SUCCESS;
}

// ARKODE does not know how to go back from an explicit stage without rates, or from a step whose end cannot
// be completed: both are begun again here, with a quarter of the step.
int Arkode::evolve(double bound, double& t) {
  for (;;) {
    if (ARKStepSetStopTime(memory_.get(), bound) != ARK_SUCCESS ||
        ARKStepSetMinStep(memory_.get(), smallest_step()) != ARK_SUCCESS)
      return ARK_ILL_INPUT;
    const int flag = ARKStepEvolve(memory_.get(), bound, state_vector_.get(), &t, ARK_ONE_STEP);
    const bool unfinished = flag >= 0 && functions_.unfinished();
    if (!unfinished && flag != ARK_UNREC_RHSFUNC_ERR) return flag;
    double h = proposed_step();
    if (unfinished)
      h = taken_step();
    else if (h <= 0)
      ARKStepGetActualInitStep(memory_.get(), &h);
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
  Counters counters;
  ARKStepGetNumErrTestFails(memory_.get(), &counters.rejected_error);
  ARKStepGetNumStepSolveFails(memory_.get(), &counters.rejected_convergence);
  ARKStepGetNumNonlinSolvIters(memory_.get(), &counters.iterations);
  counters.rejected_error += before_.rejected_error;
  counters.rejected_convergence += before_.rejected_convergence;
  counters.iterations += before_.iterations;
  return counters;
}

double Arkode::taken_step() const {
  double h = 0;
  ARKStepGetLastStep(memory_.get(), &h);
  return h;
}

double Arkode::proposed_step() const {
  double h = 0;
  ARKStepGetCurrentStep(memory_.get(), &h);
  return h;
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

void Arkode::evaluate(double t, Vector& x) const {
  double end = 0;
  ARKStepGetCurrentTime(memory_.get(), &end);
  x.resize(x_.size());
  const sundials::VectorOwner vector = sundials::wrap(x, context_.get());
  ARKStepGetDky(memory_.get(), std::clamp(t, end - taken_step(), end), 0, vector.get());
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
