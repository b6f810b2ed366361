#include "trammel/integrator/multistep_formula.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/integrator/own_pendulum.h"

namespace trammel {
namespace {

// Points as a run with changing steps leaves them: t_n, t_(n−1), …
std::vector<double> uneven_times(int count) {
  std::vector<double> times{2.0};
  for (int i = 0; i < count; ++i) times.push_back(times.back() - 0.1 * (1 + 0.5 * std::sin(3.0 * i)));
  return times;
}

constexpr std::array families{MultistepFamily::bdf, MultistepFamily::adams};

// y = (t − 1)^k: what a formula of order k must know.
class Power {
 public:
  explicit Power(int k) : k_(k) {}
  double value(double t) const { return std::pow(t - 1, k_); }
  double rate(double t) const { return k_ == 0 ? 0.0 : k_ * std::pow(t - 1, k_ - 1); }

 private:
  int k_;
};

// known + γ f and the prediction, from exact values of the past.
struct Ends {
  double corrected = 0, predicted = 0;
};
Ends ends(MultistepFamily family, int order, const std::vector<double>& times, const Power& y) {
  const MultistepFormula formula = multistep_formula(family, order, times);
  const bool bdf = family == MultistepFamily::bdf;
  Ends result;
  if (!bdf) result.corrected = result.predicted = y.value(times[1]);
  for (std::size_t k = 0; k + 1 < times.size() && k < formula.known.size(); ++k) {
    const double past = bdf ? y.value(times[k + 1]) : y.rate(times[k + 1]);
    result.corrected += formula.known[k] * past;
    result.predicted += formula.predicted[k] * past;
  }
  result.corrected += formula.gamma * y.rate(times[0]);
  return result;
}

TEST(MultistepFormula, IsExactForPolynomialsOfItsOrder) {
  for (const MultistepFamily family : families)
    for (int order = 1; order <= highest_order(family); ++order) {
      const std::vector<double> times = uneven_times(points_needed(family, order));
      for (int degree = 0; degree <= order; ++degree) {
        const Power y(degree);
        const Ends found = ends(family, order, times, y);
        EXPECT_NEAR(found.corrected, y.value(times[0]), 1e-9) << order << " " << degree;
        EXPECT_NEAR(found.predicted, y.value(times[0]), 1e-9) << order << " " << degree;
      }
    }
}

// One degree more: the difference from the prediction, times the factor of the formula, is the error that it makes;
// and so is the estimate from the points alone.
TEST(MultistepFormula, KnowsItsError) {
  for (const MultistepFamily family : families)
    for (int order = 1; order <= std::min(8, highest_order(family)); ++order) {
      const std::vector<double> times = uneven_times(points_needed(family, order));
      const Power y(order + 1);
      const Ends found = ends(family, order, times, y);
      const double error = std::abs(found.corrected - y.value(times[0]));
      const MultistepFormula formula = multistep_formula(family, order, times);
      const bool bdf = family == MultistepFamily::bdf;
      // bdf differentiates the polynomial through the solution, adams integrates one through its rates
      const double solution = bdf ? y.value(times[0]) : found.corrected;
      EXPECT_NEAR(formula.error * std::abs(solution - found.predicted), error, 1e-6 * error) << order;
      const PointWeights weights = error_weights(family, order, times);
      double estimate = 0;
      for (std::size_t k = 0; k < times.size(); ++k)
        estimate += weights[k] * (bdf ? y.value(times[k]) : y.rate(times[k]));
      EXPECT_NEAR(std::abs(estimate), error, 1e-6 * error) << order;
    }
}

TEST(MultistepFormula, InterpolatesPolynomialsOfItsOrder) {
  for (const MultistepFamily family : families)
    for (int order = 1; order <= highest_order(family); ++order) {
      const std::vector<double> times = uneven_times(points_needed(family, order));
      const Power y(order);
      const bool bdf = family == MultistepFamily::bdf;
      for (const double share : {0.0, 0.3, 0.8, 1.0}) {
        const double t = times[1] + share * (times[0] - times[1]);
        const PointWeights weights = interpolation_weights(family, order, times, t);
        double sum = bdf ? 0.0 : y.value(times[0]);
        for (int k = 0; k < (bdf ? order + 1 : order); ++k)
          sum += weights[at_index(k)] * (bdf ? y.value(times[at_index(k)]) : y.rate(times[at_index(k)]));
        EXPECT_NEAR(sum, y.value(t), 1e-9) << order;
      }
    }
}

// The projected formulas themselves: fixed steps, values of the past exact to begin with, every state projected. The
// order is that of the formula.
double error_of_projected(MultistepFamily family, int order, int steps) {
  test::OwnPendulum pendulum;
  const bool bdf = family == MultistepFamily::bdf;
  const double end = 1, h = end / steps;
  // the past, by many short steps of the classical method of order 4, projected
  const auto rates = [&](const Vector& y) {
    Vector out(4);
    pendulum.derivative(0, y, out);
    return out;
  };
  const auto exact = [&](double t) {
    Vector y = test::OwnPendulum::horizontal();
    const int count = 20000;
    const double k = t / count;
    for (int i = 0; i < count; ++i) {
      const Vector a = rates(y), b = rates(y + 0.5 * k * a), c = rates(y + 0.5 * k * b), d = rates(y + k * c);
      y += k / 6 * (a + 2 * b + 2 * c + d);
      pendulum.project(0, y, 0, y);
    }
    return y;
  };
  const int past = points_needed(family, order);
  std::vector<double> times;
  std::vector<Vector> states;  // newest first
  for (int i = past - 1; i >= 0; --i) {
    times.insert(times.begin(), i == past - 1 ? 0.0 : times.front() + h);
    states.insert(states.begin(), exact(times.front()));
  }
  while (times.front() < end - 0.5 * h) {
    std::vector<double> ahead{times.front() + h};
    ahead.insert(ahead.end(), times.begin(), times.end());
    const MultistepFormula formula = multistep_formula(family, order, ahead);
    Vector known = bdf ? Vector(Vector::Zero(4)) : states.front();
    for (int k = 0; k < past; ++k)
      known += formula.known[at_index(k)] * (bdf ? states[at_index(k)] : rates(states[at_index(k)]));
    Vector y = states.front();
    for (int iteration = 0; iteration < 200; ++iteration) y = known + formula.gamma * rates(y);
    pendulum.project(0, y, 0, y);
    times.insert(times.begin(), ahead.front());
    states.insert(states.begin(), y);
    times.pop_back();
    states.pop_back();
  }
  return (states.front() - exact(times.front())).norm();
}

TEST(MultistepFormula, ProjectedStepsHaveTheOrderOfTheFormula) {
  for (const MultistepFamily family : families)
    for (int order = 1; order <= std::min(8, highest_order(family)); ++order) {
      // errors between those where the order does not show yet and round-off
      const int steps = order < 3 ? 400 : order < 6 ? 120 : 60;
      const double coarse = error_of_projected(family, order, steps);
      const double fine = error_of_projected(family, order, 2 * steps);
      EXPECT_NEAR(std::log2(coarse / fine), order, 0.5)
          << (family == MultistepFamily::bdf ? "bdf" : "adams") << order << " " << coarse << " " << fine;
    }
}

}  // namespace
}  // namespace trammel
