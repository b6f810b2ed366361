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
    : problem_(problem), tolerances_(tolerances) {}

void SundialsFunctions::start() {
  const Index n = problem_.unknowns();
  for (Vector* vector : {&state_, &linearized_at_, &b_}) vector->setZero(n);
  linearized_ = false;
  trouble_ = {};
  hopeless_ = noticed_ = unfinished_ = is_complete_ = false;
}

// A value that is not finite is the root of whatever follows it.
void SundialsFunctions::remember(const Failure& trouble) {
  noticed_ = true;
  if (trouble_.reason != Reason::not_finite) trouble_ = trouble;
}

int SundialsFunctions::report(Outcome outcome) {
  if (outcome == Outcome::ok) return 0;
  if (outcome == Outcome::fail) {
    noticed_ = hopeless_ = true;
    trouble_ = problem_.failure();
    return never;
  }
  remember(problem_.failure());
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
    problem_.newton_failed();
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
    if (const int flag = report(problem_.rates(t, state_, xdot)); flag != 0) return flag;
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
      if (const int flag = report(problem_.linearize(t, linearized_at_)); flag != 0) return flag;
      linearized_ = renewed = true;
    }
    shift_ = 1 / gamma;
    return report(problem_.factor(shift_));
  });
}

int SundialsFunctions::solve(VectorIn b, VectorOut delta) {
  return guard([&] {
    const std::vector<int>& index = problem_.variable_index();
    for (Index i = 0; i < b_.size(); ++i) b_[i] = index[static_cast<std::size_t>(i)] != 0 ? b[i] : 0.0;
    rhs_.resize(problem_.equations());
    const int flag = report(problem_.multiply_mass(linearized_t_, linearized_at_, b_, rhs_));
    if (flag != 0) return flag;
    rhs_ *= shift_;
    problem_.solve(rhs_, delta);
    ++problem_.statistics().backsubstitutions;
    return delta.allFinite() ? 0 : later;
  });
}

int SundialsFunctions::complete(double t, VectorOut x) {
  return guard([&] { return problem_.completes() ? report(problem_.complete(t, x)) : 0; });
}

int SundialsFunctions::complete_step(double t, VectorOut x) {
  const int flag = complete(t, x);
  unfinished_ = flag > 0;
  return unfinished_ ? 0 : flag;
}

int SundialsFunctions::accepted(double t, VectorOut x) {
  return guard([&] { return report(problem_.accepted(t, x)); });
}

int SundialsFunctions::weights(VectorIn x, VectorOut weights) {
  return guard([&] {
    const std::vector<int>& index = problem_.variable_index();
    const double counted = static_cast<double>(std::max<Index>(problem_.counted(), 1));
    const double factor = std::sqrt(static_cast<double>(x.size()) / counted);
    for (Index i = 0; i < x.size(); ++i) {
      const double scale = tolerances_.relative_of(i) * std::abs(x[i]) + tolerances_.absolute_of(i);
      weights[i] = factor / scale;
      if (index[static_cast<std::size_t>(i)] == 0) weights[i] *= negligible;
    }
    return 0;
  });
}

}  // namespace trammel
