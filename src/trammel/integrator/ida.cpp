#include "trammel/integrator/ida.h"

#include <idas/idas.h>
#include <idas/idas_ls.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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
                                 .interpolate = IDAGetDky,
                                 .local_errors = IDAGetEstLocalErrors};

SundialsFunctions& functions_of(void* data) { return *static_cast<SundialsFunctions*>(data); }

int residual(sunrealtype t, N_Vector x, N_Vector xdot, N_Vector out, void* data) {
  using sundials::entries;
  return functions_of(data).residual(t, entries(x), entries(xdot), entries(out));
}

int jacobian(sunrealtype t, sunrealtype shift, N_Vector x, N_Vector, N_Vector, SUNMatrix, void* data,
             N_Vector, N_Vector, N_Vector) {
  return functions_of(data).linearize_implicit(t, sundials::entries(x), shift);
}

// The integrator that takes a step in this thread: the norm of a vector knows of nothing else.
thread_local Ida* stepping = nullptr;

int implicit_weights(N_Vector x, N_Vector weights, void* data) {
  return functions_of(data).implicit_weights(sundials::entries(x), sundials::entries(weights));
}

}  // namespace

Failure IdaOptions::check(Index n) const {
  if (Failure failure = tolerances.check(n)) return failure;
  if (Failure failure = projection.check()) return failure;
  if (Failure failure = SundialsLimits{max_steps, max_step, max_newton_iterations}.check()) return failure;
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  if (max_order < 1 || max_order > 5) return bad("max_order must be between 1 and 5");
  if (!(newton_stop >= 0) || !std::isfinite(newton_stop)) return bad("newton_stop must not be negative");
  return {};
}

Ida::Ida(ImplicitProblem& problem, IdaOptions options)
    : SundialsIntegrator(problem, ida_code, Iteration::newton, options.tolerances,
                         {options.max_steps, options.max_step, options.max_newton_iterations}),
      options_(std::move(options)),
      projection_(problem.ode(), options_.projection) {}

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
  failed_projections_ = 0;
  projects_errors_ = false;
  projection_.restart();
  error_.setZero(x_.size());
  error_vector_ = sundials::wrap(error_, context_.get());
  if (problem_.ode() != nullptr && problem_.ode()->has_invariants())
    sundials::set_error_norm(state_vector_.get(), error_norm);
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
  iteration_->finish = [this](Eigen::Map<Vector> predicted, Eigen::Map<Vector> correction) {
    return project(predicted, correction);
  };
  iteration_->confirm = [this](int done, double change, double tolerance) {
    if (done == 0)
      convergence_.begin({.stop = tolerance,
                          .noise = 20 * round_off / options_.tolerances.relative_in_general(),
                          .max_iterations = options_.max_newton_iterations,
                          .exact_matrix = problem_.implicit()->has_exact_matrix()});
    return convergence_.judge(change) == NewtonConvergence::Verdict::converged;
  };
}

// What counts as one error at x, and behind which unknown none counts: those are not touched.
int Ida::set_scale(const Vector& x, Index& counted) {
  counted = 0;
  scale_.resize(x.size());
  if (functions_.weights(x, scale_) != 0) return -1;
  for (Index i = 0; i < scale_.size(); ++i) {
    const bool counts = functions_.counts_in_error_test(i);
    scale_[i] = counts ? 1 / scale_[i] : std::numeric_limits<double>::infinity();
    if (counts) counted = i + 1;
  }
  return 0;
}

// Part of the iteration's result: the state that IDAS goes on with is the projected one.
int Ida::project(Eigen::Map<Vector> predicted, Eigen::Map<Vector> correction) {
  projects_errors_ = false;
  if (!projection_.is_due()) return 0;
  projected_t_ = time_of_guess();
  projected_ = predicted + correction;
  Index n = 0;
  if (set_scale(projected_, n) != 0) return -1;
  const int flag = functions_.project(projection_, projected_t_, scale_, n, projected_);
  if (flag > 0) {
    ++failed_projections_;
    ++problem_.statistics().steps;
    ++problem_.statistics().rejected_projection;
  }
  if (flag != 0) return flag;
  correction = projected_ - predicted;
  projects_errors_ = projection_.projects_errors();
  error_before_ = error_after_ = -1;
  return 0;
}

// By the rule of all other steps: what others put back by is less than tight tolerances ask for.
int Ida::finish_inside(double t) {
  Index n = 0;
  if (problem_.completes() || !projection_.is_due()) return SundialsIntegrator::finish_inside(t);
  if (set_scale(state_, n) != 0) return -1;
  const int flag = functions_.project(projection_, t, scale_, n, state_);
  return flag > 0 ? SundialsIntegrator::finish_inside(t) : flag;
}

double Ida::error_norm(N_Vector error, N_Vector weights, N_Vector counted) {
  if (stepping == nullptr) return sundials::usual_error_norm(error, weights, counted);
  return stepping->norm_of_error(error, weights, counted);
}

// The first is the error of the step itself, others are those of other orders.
double Ida::norm_of_error(N_Vector error, N_Vector weights, N_Vector counted) {
  const double whole = sundials::usual_error_norm(error, weights, counted);
  if (!projects_errors_) return whole;
  error_ = sundials::entries(error);
  if (functions_.project_error(projection_, projected_t_, projected_, scale_, error_) != 0) return whole;
  // what is gone must not let a step grow beyond what a projection may move
  const double left = std::max(sundials::usual_error_norm(error_vector_.get(), weights, counted),
                               whole / StateProjection::tolerances_allowed);
  if (error_before_ < 0) {
    error_before_ = whole;
    error_after_ = left;
  }
  return left;
}

Ida::Counters Ida::counters() const {
  Counters counters = SundialsIntegrator::counters();
  counters.rejected_convergence -= failed_projections_;
  return counters;
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
  Ida* const before = std::exchange(stepping, this);
  const int flag = IDASolve(memory(), bound, &t, state_vector_.get(), rates_vector_.get(), IDA_ONE_STEP);
  stepping = before;
  switch (flag) {
    case IDA_SUCCESS:
    case IDA_TSTOP_RETURN:
      first_step_ = 0;
      projection_.step_taken();
      if (projects_errors_) {
        problem_.statistics().error_before_projection += error_before_;
        problem_.statistics().error_after_projection += error_after_;
      }
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

// IDAS gives the correction, of which the error is a part that gets smaller with the order.
const Vector* Ida::local_error() const {
  if (options_.fixed_step || SundialsIntegrator::local_error() == nullptr) return nullptr;
  own_error_ = *SundialsIntegrator::local_error() / (order() + 1);
  return &own_error_;
}

int Ida::order() const {
  int order = 0;
  if (memory() != nullptr) IDAGetLastOrder(memory(), &order);
  return order;
}

}  // namespace trammel
