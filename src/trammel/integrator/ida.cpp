#include "trammel/integrator/ida.h"

#include <idas/idas.h>
#include <idas/idas_ls.h>

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

// Failures in a row before a step is given up; each divides the step by 4.
constexpr int max_failures = 20;

SundialsFunctions& functions_of(void* data) { return *static_cast<SundialsFunctions*>(data); }

int residual(sunrealtype t, N_Vector x, N_Vector xdot, N_Vector out, void* data) {
  using sundials::entries;
  return functions_of(data).residual(t, entries(x), entries(xdot), entries(out));
}

int jacobian(sunrealtype t, sunrealtype shift, N_Vector x, N_Vector, N_Vector, SUNMatrix, void* data,
             N_Vector, N_Vector, N_Vector) {
  return functions_of(data).linearize_implicit(t, sundials::entries(x), shift);
}

int weights(N_Vector x, N_Vector weights, void* data) {
  return functions_of(data).implicit_weights(sundials::entries(x), sundials::entries(weights));
}

}  // namespace

Failure IdaOptions::check(Index n) const {
  if (Failure failure = tolerances.check(n)) return failure;
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  if (max_order < 1 || max_order > 5) return bad("max_order must be between 1 and 5");
  if (max_newton_iterations < 1) return bad("max_newton_iterations must be at least 1");
  if (!(newton_stop >= 0) || !std::isfinite(newton_stop)) return bad("newton_stop must not be negative");
  if (max_steps < 1) return bad("max_steps must be at least 1");
  if (!(max_step >= 0) || !std::isfinite(max_step)) return bad("max_step must not be negative");
  return {};
}

Ida::Ida(ImplicitProblem& problem, IdaOptions options)
    : SundialsIntegrator(problem, {"IDAS", "Newton's iteration"}, options.tolerances, options.max_steps,
                         options.max_step),
      options_(std::move(options)) {}

Ida::~Ida() = default;

void Ida::Free::operator()(void* memory) const noexcept { IDAFree(&memory); }

Failure Ida::check() const {
  if (problem_.implicit()->equations() > problem_.unknowns())
    return {Reason::invalid_options,
            "IDAS takes no more equations than unknowns, and this formulation has more"};
  return options_.check(problem_.unknowns());
}

bool Ida::begin(double h0) {
  const Index n = x_.size();
  completed_.setZero(n);
  rates_.setZero(n);
  rates_vector_ = sundials::wrap(rates_, context_.get());
  if (functions_.initial_rates(t_, state_, span_, rates_) != 0) return false;
  memory_.reset(IDACreate(context_.get()));
  void* memory = memory_.get();
  return memory != nullptr && IDASetErrHandlerFn(memory, sundials::keep_message, &message_) == IDA_SUCCESS &&
         IDAInit(memory, residual, t_, state_vector_.get(), rates_vector_.get()) == IDA_SUCCESS &&
         IDASetUserData(memory, &functions_) == IDA_SUCCESS &&
         IDAWFtolerances(memory, weights) == IDA_SUCCESS && set_solvers() && set_error_test() &&
         IDASetSuppressAlg(memory, SUNTRUE) == IDA_SUCCESS &&
         IDASetMaxOrd(memory, options_.max_order) == IDA_SUCCESS &&
         IDASetMaxNonlinIters(memory, options_.max_newton_iterations) == IDA_SUCCESS &&
         IDASetNonlinConvCoef(memory, options_.newton_stop > 0 ? options_.newton_stop : 0.03) ==
             IDA_SUCCESS &&
         IDASetMaxConvFails(memory, max_failures) == IDA_SUCCESS &&
         IDASetMaxErrTestFails(memory, max_failures) == IDA_SUCCESS &&
         IDASetMaxStep(memory, options_.max_step) == IDA_SUCCESS && set_first_step(h0);
}

bool Ida::set_solvers() {
  using sundials::NonlinearSolver;
  SUNContext context = context_.get();
  const auto complete_guess = [this](Eigen::Map<Vector> predicted, Eigen::Map<Vector> correction) {
    return complete(predicted, correction);
  };
  iteration_ = std::make_unique<NonlinearSolver>(NonlinearSolver::Iteration::newton, functions_,
                                                 complete_guess, state_vector_.get(), context);
  watch(*iteration_);
  // DASSL's rule takes the rate of an earlier step for the first change, and the mean of all ratios later
  convergence_.forget();
  iteration_->confirm = [this](int done, double change, double tolerance) {
    if (done == 0)
      convergence_.begin({.stop = tolerance,
                          .noise = 20 * round_off / options_.tolerances.relative_of(0),
                          .max_iterations = options_.max_newton_iterations,
                          .exact_matrix = problem_.implicit()->has_exact_matrix()});
    return convergence_.judge(change) == NewtonConvergence::Verdict::converged;
  };
  matrix_ = sundials::make_matrix(context);
  linear_solver_ = sundials::make_linear_solver(functions_, context);
  void* memory = memory_.get();
  return IDASetNonlinearSolver(memory, iteration_->outer.get()) == IDA_SUCCESS &&
         IDASetLinearSolver(memory, linear_solver_.get(), matrix_.get()) == IDALS_SUCCESS &&
         IDASetJacFn(memory, jacobian) == IDALS_SUCCESS;
}

bool Ida::set_error_test() {
  tested_index_ = problem_.variable_index();
  Vector counts(x_.size());
  for (Index i = 0; i < counts.size(); ++i)
    counts[i] = !options_.fixed_step && functions_.counts_in_error_test(i) ? 1 : 0;
  const sundials::VectorOwner vector = sundials::wrap(counts, context_.get());
  return IDASetId(memory_.get(), vector.get()) == IDA_SUCCESS;  // it keeps a copy
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
  if (options_.fixed_step && IDASetMaxStep(memory_.get(), h0) != IDA_SUCCESS) return false;
  return IDASetInitStep(memory_.get(), h0) == IDA_SUCCESS;
}

// The history is a polynomial through values of the past, so that unknowns which follow from others have as
// good a history, and as good rates, as those that count.
int Ida::complete(Eigen::Map<Vector> predicted, Eigen::Map<Vector> correction) {
  if (!problem_.completes()) return 0;
  sunrealtype t = 0, shift = 0;
  N_Vector x_predicted, rates_predicted, x, rates, residual;
  void* data = nullptr;
  IDAGetNonlinearSystemData(memory_.get(), &t, &x_predicted, &rates_predicted, &x, &rates, &residual, &shift,
                            &data);
  completed_ = predicted + correction;
  const int flag = functions_.complete(t, completed_);
  if (flag == 0) correction = completed_ - predicted;
  return flag;
}

// At order 1, where the step size that served a higher order says nothing.
bool Ida::begin_again(double /*h0*/) {
  state_ = x_;
  if (functions_.initial_rates(t_, state_, span_, rates_) != 0) return false;
  return IDAReInit(memory_.get(), t_, state_vector_.get(), rates_vector_.get()) == IDA_SUCCESS &&
         set_first_step(0);
}

Ida::End Ida::advance(double bound, double& t) {
  void* memory = memory_.get();
  if (problem_.variable_index() != tested_index_ && !set_error_test()) return End::other;
  if (IDASetStopTime(memory, bound) != IDA_SUCCESS || IDASetMinStep(memory, smallest_step()) != IDA_SUCCESS)
    return End::other;
  functions_.expect_step(std::min(first_step_ > 0 ? first_step_ : proposed_step(), bound - t_));
  switch (IDASolve(memory, bound, &t, state_vector_.get(), rates_vector_.get(), IDA_ONE_STEP)) {
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

Ida::Counters Ida::counters() const {
  Counters counters;
  IDAGetNumErrTestFails(memory_.get(), &counters.rejected_error);
  IDAGetNumStepSolveFails(memory_.get(), &counters.rejected_convergence);
  IDAGetNumNonlinSolvIters(memory_.get(), &counters.iterations);
  return counters;
}

double Ida::attempted_t() const {
  double t = 0;
  IDAGetCurrentTime(memory_.get(), &t);
  return t;
}

double Ida::taken_step() const {
  double h = 0;
  IDAGetLastStep(memory_.get(), &h);
  return h;
}

double Ida::proposed_step() const {
  double h = 0;
  IDAGetCurrentStep(memory_.get(), &h);
  return h;
}

int Ida::order() const {
  int order = 0;
  if (memory_) IDAGetLastOrder(memory_.get(), &order);
  return order;
}

void Ida::evaluate(double t, Vector& x) const {
  double end = 0;
  IDAGetCurrentTime(memory_.get(), &end);
  x.resize(x_.size());
  const sundials::VectorOwner vector = sundials::wrap(x, context_.get());
  IDAGetDky(memory_.get(), std::clamp(t, end - taken_step(), end), 0, vector.get());
}

}  // namespace trammel
