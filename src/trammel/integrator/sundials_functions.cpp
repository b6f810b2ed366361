#include "trammel/integrator/sundials_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

namespace trammel {

namespace {

constexpr int later = 1, never = -1;

// Errors of unknowns that follow from the others are made too small to count, in any unit.
constexpr double negligible = 1e-30;

}  // namespace

SundialsFunctions::SundialsFunctions(Problem& problem, const Tolerances& tolerances)
    : problem_(problem), ode_(problem.ode()), implicit_(problem.implicit()), tolerances_(tolerances) {}

void SundialsFunctions::start() {
  const Index n = problem_.unknowns();
  for (Vector* vector : {&state_, &linearized_at_, &b_}) vector->setZero(n);
  linearized_ = solves_implicit_ = false;
  trouble_ = {};
  hopeless_ = noticed_ = unfinished_ = is_complete_ = false;
}

// A value that is not finite is the root of whatever follows it.
void SundialsFunctions::remember(const Failure& trouble) {
  noticed_ = true;
  if (trouble_.reason != Reason::not_finite) trouble_ = trouble;
}

int SundialsFunctions::report(Outcome outcome, const Failure& failure) {
  if (outcome == Outcome::ok) return 0;
  if (outcome == Outcome::fail) {
    noticed_ = hopeless_ = true;
    trouble_ = failure;
    return never;
  }
  remember(failure);
  return later;
}

template <class Function>
int SundialsFunctions::guard(Function&& function) {
  if (hopeless_) return never;
  std::string what = "something that is not an exception";
  try {
    return function();
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  hopeless_ = true;
  trouble_ = {Reason::user_function_failed, fmt::format("the equations threw: {}", what)};
  return never;
}

void SundialsFunctions::forget_trouble() {
  if (!hopeless_) trouble_ = {};
}

// Without a message: how an iteration is called is the integrator's business.
void SundialsFunctions::iteration_failed() {
  guard([&] {
    if (implicit_ != nullptr) implicit_->newton_failed();
    if (!noticed_) remember({Reason::newton_failed, ""});
    return 0;
  });
}

int SundialsFunctions::rates(double t, VectorIn x, VectorOut xdot) {
  const bool complete = std::exchange(is_complete_, false) || !problem_.completes();
  return guard([&] {
    if (!x.allFinite()) return later;  // an iteration that diverged: no fault of the equations
    state_ = x;
    if (!complete)
      if (const int flag = report(problem_.complete(t, state_)); flag != 0) return flag;
    if (const int flag = report(ode_->rates(t, state_, xdot)); flag != 0) return flag;
    if (xdot.allFinite()) return 0;
    remember({Reason::not_finite, fmt::format("the rates of change are not finite at t = {}", t)});
    return later;
  });
}

int SundialsFunctions::linearize(double t, VectorIn x, double gamma, bool keep, bool& renewed) {
  return guard([&] {
    renewed = false;
    if (!keep || !linearized_) {
      if (!x.allFinite()) return later;
      linearized_ = false;
      linearized_t_ = t;
      linearized_at_ = x;
      if (problem_.completes())
        if (const int flag = report(problem_.complete(t, linearized_at_)); flag != 0) return flag;
      if (const int flag = report(implicit_->linearize(t, linearized_at_)); flag != 0) return flag;
      linearized_ = renewed = true;
    }
    shift_ = 1 / gamma;
    solves_implicit_ = false;
    return report(implicit_->factor(shift_));
  });
}

int SundialsFunctions::solve(VectorIn b, VectorOut delta) {
  return guard([&] {
    if (solves_implicit_) {
      delta.setZero();
      implicit_->solve(b.head(implicit_->equations()), delta);
      ++problem_.statistics().backsubstitutions;
      return delta.allFinite() ? 0 : later;
    }
    const std::vector<int>& index = problem_.variable_index();
    for (Index i = 0; i < b_.size(); ++i) b_[i] = index[static_cast<std::size_t>(i)] != 0 ? b[i] : 0.0;
    rhs_.resize(implicit_->equations());
    const int flag = report(implicit_->multiply_mass(linearized_t_, linearized_at_, b_, rhs_));
    if (flag != 0) return flag;
    rhs_ *= shift_;
    implicit_->solve(rhs_, delta);
    ++problem_.statistics().backsubstitutions;
    return delta.allFinite() ? 0 : later;
  });
}

int SundialsFunctions::complete(double t, VectorOut x) {
  return guard([&] { return problem_.completes() ? report(problem_.complete(t, x)) : 0; });
}

int SundialsFunctions::finish(double t, VectorOut x) {
  return guard([&] { return report(problem_.completes() ? problem_.complete(t, x) : ode_->put_back(t, x)); });
}

int SundialsFunctions::complete_step(double t, VectorOut x) {
  const int flag = complete(t, x);
  unfinished_ = flag > 0;
  return unfinished_ ? 0 : flag;
}

int SundialsFunctions::accepted(double t, VectorOut x) {
  return guard([&] { return report(problem_.accepted(t, x)); });
}

int SundialsFunctions::project(StateProjection& projection, double t, const Vector& scale, Index n,
                               Vector& x) {
  return guard([&] { return report(projection.project(t, scale, n, x), projection.failure()); });
}

int SundialsFunctions::project_error(StateProjection& projection, double t, const Vector& x,
                                     const Vector& scale, Vector& error) {
  return guard([&] { return report(projection.project_error(t, x, scale, error), projection.failure()); });
}

void SundialsFunctions::set_weights(VectorIn x, VectorOut weights) const {
  const double counted = static_cast<double>(std::max<Index>(problem_.counted(), 1));
  const double factor = std::sqrt(static_cast<double>(x.size()) / counted);
  tolerances_.fill(x, weights);
  for (double& weight : weights) weight = factor / weight;
}

int SundialsFunctions::weights(VectorIn x, VectorOut weights) {
  return guard([&] {
    set_weights(x, weights);
    const std::vector<int>& index = problem_.variable_index();
    for (Index i = 0; i < x.size(); ++i)
      if (index[static_cast<std::size_t>(i)] == 0) weights[i] *= negligible;
    return 0;
  });
}

bool SundialsFunctions::counts_in_error_test(Index i) const {
  return problem_.variable_index()[static_cast<std::size_t>(i)] == 1;
}

int SundialsFunctions::implicit_weights(VectorIn x, VectorOut weights) {
  return guard([&] {
    set_weights(x, weights);
    for (Index i = 0; i < x.size(); ++i) {
      if (counts_in_error_test(i)) continue;
      const int index = problem_.newton_index()[static_cast<std::size_t>(i)];
      weights[i] *= index == 0 ? negligible : std::pow(std::min(h_, 1.0), index - 1);
    }
    return 0;
  });
}

int SundialsFunctions::residual(double t, VectorIn x, VectorIn xdot, VectorOut out) {
  is_complete_ = false;
  return guard([&] {
    if (!x.allFinite() || !xdot.allFinite()) return later;  // an iteration that diverged
    const Index m = implicit_->equations();
    if (const int flag = report(implicit_->residual(t, x, xdot, out.head(m))); flag != 0) return flag;
    out.head(m) *= -1;
    out.tail(out.size() - m).setZero();
    if (out.allFinite()) return 0;
    remember({Reason::not_finite, fmt::format("the residual is not finite at t = {}", t)});
    return later;
  });
}

int SundialsFunctions::linearize_implicit(double t, VectorIn x, double shift) {
  return guard([&] {
    if (!x.allFinite()) return later;
    linearized_ = false;
    if (const int flag = report(implicit_->linearize(t, x)); flag != 0) return flag;
    linearized_ = solves_implicit_ = true;
    return report(implicit_->factor(shift));
  });
}

// A short step of the implicit Euler method, linearised, over 1/σ. Equations without rates in them hold at x
// already, up to the accuracy of x, which σ would magnify: only their change in time counts.
int SundialsFunctions::rates_of_shift(double t, VectorIn x, double shift, Vector& xdot) {
  xdot.setZero(x.size());
  if (const int flag = report(implicit_->residual(t + 1 / shift, x, xdot, later_)); flag != 0) return flag;
  if (const int flag = report(implicit_->factor(shift)); flag != 0) return flag;
  for (Index k = 0; k < later_.size(); ++k)
    later_[k] = algebraic_[static_cast<std::size_t>(k)] ? later_[k] - now_[k] : now_[k];
  implicit_->solve(later_, xdot);
  ++problem_.statistics().backsubstitutions;
  xdot *= shift;
  return xdot.allFinite() ? 0 : later;
}

// Rates on which two shifts disagree are not there: those of multipliers of index 2 or more, which such a
// step determines anew. They are taken as zero, and so are all where the equations cannot be solved: a code
// then begins with shorter steps.
int SundialsFunctions::initial_rates(double t, VectorIn x, double span, VectorOut xdot) {
  if (ode_ != nullptr) return rates(t, x, xdot);
  return guard([&] {
    xdot.setZero();
    if (!(span > 0)) return 0;
    now_.resize(implicit_->equations());
    later_.resize(now_.size());
    if (const int flag = report(implicit_->residual(t, x, xdot, now_)); flag != 0) return flag;
    if (!now_.allFinite()) {
      remember({Reason::not_finite, fmt::format("the residual is not finite at t = {}", t)});
      return later;
    }
    // rows without rates in them do not change with any; these cancel in no row
    rough_.resize(x.size());
    for (Index i = 0; i < x.size(); ++i) rough_[i] = 1 + 0.5 * std::sin(static_cast<double>(i));
    if (const int flag = report(implicit_->residual(t, x, rough_, later_)); flag != 0) return flag;
    algebraic_.resize(static_cast<std::size_t>(now_.size()));
    for (std::size_t k = 0; k < algebraic_.size(); ++k)
      algebraic_[k] = now_[static_cast<Index>(k)] == later_[static_cast<Index>(k)];

    Vector fine;
    const double shift = 1e7 / span;
    int flag = report(implicit_->linearize(t, x));
    if (flag == 0) flag = rates_of_shift(t, x, shift, rough_);
    if (flag == 0) flag = rates_of_shift(t, x, 10 * shift, fine);
    if (flag != 0) return std::min(flag, 0);
    for (Index i = 0; i < x.size(); ++i) {
      const double size = std::max(std::abs(rough_[i]), std::abs(fine[i]));
      if (std::abs(rough_[i] - fine[i]) <= 0.1 * size) xdot[i] = fine[i];
    }
    return 0;
  });
}

}  // namespace trammel
