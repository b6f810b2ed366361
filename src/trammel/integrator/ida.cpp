#include "trammel/integrator/ida.h"

#include <idas/idas.h>
#include <idas/idas_ls.h>

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

const sundials::Code ida_code = {.name = "IDAS",
                                 .free = IDAFree,
                                 .set_messages = IDASetErrHandlerFn,
                                 .set_data = IDASetUserData,
                                 .set_weights = IDAWFtolerances,
                                 .set_iteration = IDASetNonlinearSolver,
                                 .set_linear_solver = IDASetLinearSolver,
                                 .set_max_iterations = IDASetMaxNonlinIters,
                                 .set_max_convergence_failures = IDASetMaxConvFails,
                                 .set_max_error_failures = IDASetMaxErrTestFails,
                                 .set_max_step = IDASetMaxStep,
                                 .set_min_step = IDASetMinStep,
                                 .set_first_step = IDASetInitStep,
                                 .set_stop_time = IDASetStopTime,
                                 .error_failures = IDAGetNumErrTestFails,
                                 .convergence_failures = IDAGetNumStepSolveFails,
                                 .iterations = IDAGetNumNonlinSolvIters,
                                 .last_step = IDAGetLastStep,
                                 .next_step = IDAGetCurrentStep,
                                 .present_t = IDAGetCurrentTime,
                                 .interpolate = IDAGetDky};

SundialsFunctions& functions_of(void* data) { return *static_cast<SundialsFunctions*>(data); }

int residual(sunrealtype t, N_Vector x, N_Vector xdot, N_Vector out, void* data) {
  using sundials::entries;
  return functions_of(data).residual(t, entries(x), entries(xdot), entries(out));
}

int jacobian(sunrealtype t, sunrealtype shift, N_Vector x, N_Vector, N_Vector, SUNMatrix, void* data,
             N_Vector, N_Vector, N_Vector) {
  return functions_of(data).linearize_implicit(t, sundials::entries(x), shift);
}

int implicit_weights(N_Vector x, N_Vector weights, void* data) {
  return functions_of(data).implicit_weights(sundials::entries(x), sundials::entries(weights));
}

}  // namespace

Failure IdaOptions::check(Index n) const {
  if (Failure failure = tolerances.check(n)) return failure;
  if (Failure failure = SundialsLimits{max_steps, max_step, max_newton_iterations}.check()) return failure;
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  if (max_order < 1 || max_order > 5) return bad("max_order must be between 1 and 5");
  if (!(newton_stop >= 0) || !std::isfinite(newton_stop)) return bad("newton_stop must not be negative");
  return {};
}

Ida::Ida(ImplicitProblem& problem, IdaOptions options)
    : SundialsIntegrator(problem, ida_code, Iteration::newton, options.tolerances,
                         {options.max_steps, options.max_step, options.max_newton_iterations}),
      options_(std::move(options)) {}

Failure Ida::check() const {
  if (problem_.implicit()->equations() > problem_.unknowns())
    return {Reason::invalid_options,
            "IDAS takes no more equations than unknowns, and this formulation has more"};
  return options_.check(problem_.unknowns());
}

void* Ida::create() {
  rates_.setZero(x_.size());
  rates_vector_ = sundials::wrap(rates_, context_.get());
  if (functions_.initial_rates(t_, state_, span_, rates_) != 0) return nullptr;
  return IDACreate(context_.get());
}

bool Ida::initialize() {
  return IDAInit(memory(), residual, t_, state_vector_.get(), rates_vector_.get()) == IDA_SUCCESS;
}

bool Ida::set_options() {
  return set_error_test() && IDASetSuppressAlg(memory(), SUNTRUE) == IDA_SUCCESS &&
         IDASetMaxOrd(memory(), options_.max_order) == IDA_SUCCESS &&
         IDASetNonlinConvCoef(memory(), options_.newton_stop > 0 ? options_.newton_stop : 0.03) ==
             IDA_SUCCESS;
}

sundials::WeightFunction Ida::weights() const { return implicit_weights; }

bool Ida::set_matrix() { return IDASetJacFn(memory(), jacobian) == IDALS_SUCCESS; }

// DASSL's rule takes the rate of an earlier step for the first change, and the mean of all ratios later.
void Ida::watch_iteration() {
  SundialsIntegrator::watch_iteration();
  convergence_.forget();
  iteration_->confirm = [this](int done, double change, double tolerance) {
    if (done == 0)
      convergence_.begin({.stop = tolerance,
                          .noise = 20 * round_off / options_.tolerances.relative_of(0),
                          .max_iterations = options_.max_newton_iterations,
                          .exact_matrix = problem_.implicit()->has_exact_matrix()});
    return convergence_.judge(change) == NewtonConvergence::Verdict::converged;
  };
}

bool Ida::set_error_test() {
  tested_index_ = problem_.variable_index();
  Vector counts(x_.size());
  for (Index i = 0; i < counts.size(); ++i)
    counts[i] = !options_.fixed_step && functions_.counts_in_error_test(i) ? 1 : 0;
  const sundials::VectorOwner vector = sundials::wrap(counts, context_.get());
  return IDASetId(memory(), vector.get()) == IDA_SUCCESS;  // it keeps a copy
}

// The step that IDAS would choose, a thousandth of the way or one that changes x by half the tolerance, if
// that is shorter. The weights need to know it beforehand.
bool Ida::set_first_step(double h0) {
  if (h0 <= 0) {
    Vector weights(x_.size());
    if (functions_.implicit_weights(state_, weights) != 0) return false;
    double sum = 0;
    for (Index i = 0; i < weights.size(); ++i)
      if (functions_.counts_in_error_test(i)) sum += std::pow(weights[i] * rates_[i], 2);
    const double change = std::sqrt(sum / static_cast<double>(weights.size()));
    h0 = 1e-3 * span_;
    if (change * h0 > 0.5) h0 = 0.5 / change;
    if (options_.max_step > 0) h0 = std::min(h0, options_.max_step);
  }
  first_step_ = h0;
  if (options_.fixed_step && IDASetMaxStep(memory(), h0) != IDA_SUCCESS) return false;
  return IDASetInitStep(memory(), h0) == IDA_SUCCESS;
}

double Ida::time_of_guess() const {
  sunrealtype t = 0, shift = 0;
  N_Vector x_predicted, rates_predicted, x, rates, residual;
  void* data = nullptr;
  IDAGetNonlinearSystemData(memory(), &t, &x_predicted, &rates_predicted, &x, &rates, &residual, &shift,
                            &data);
  return t;
}

// At order 1, where the step size that served a higher order says nothing.
bool Ida::begin_again(double /*h0*/) {
  state_ = x_;
  if (functions_.initial_rates(t_, state_, span_, rates_) != 0) return false;
  return IDAReInit(memory(), t_, state_vector_.get(), rates_vector_.get()) == IDA_SUCCESS &&
         set_first_step(0);
}

Ida::End Ida::advance(double bound, double& t) {
  if (problem_.variable_index() != tested_index_ && !set_error_test()) return End::other;
  if (!set_bounds(bound)) return End::other;
  functions_.expect_step(std::min(first_step_ > 0 ? first_step_ : proposed_step(), bound - t_));
  switch (IDASolve(memory(), bound, &t, state_vector_.get(), rates_vector_.get(), IDA_ONE_STEP)) {
    case IDA_SUCCESS:
    case IDA_TSTOP_RETURN:
      first_step_ = 0;
      return End::step;
    case IDA_ERR_FAIL:
      return End::error_test;
    case IDA_CONV_FAIL:
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
    case IDA_NLS_FAIL:
      return End::iteration;
    case IDA_RES_FAIL:
    case IDA_FIRST_RES_FAIL:
    case IDA_REP_RES_ERR:
      return End::rates;
    case IDA_TOO_MUCH_ACC:
      return End::accuracy;
    default:
      return End::other;
  }
}

int Ida::order() const {
  int order = 0;
  if (memory() != nullptr) IDAGetLastOrder(memory(), &order);
  return order;
}

}  // namespace trammel
