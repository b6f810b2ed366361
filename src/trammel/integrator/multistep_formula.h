// Formulas of backward differentiation and of Adams on points in time that lie as they please:
//
//   y_n = known + γ f(t_n, y_n)
//
//   bdf    the polynomial through y_n … y_(n−k) has the slope f(t_n, y_n) at t_n
//   adams  y_n − y_(n−1) is the integral of the polynomial through f_n … f_(n−k+1)
//
// All is said by weights of values and rates of the past, so that another order, or a step of another size, needs
// no conversion of a history: it is nothing but the points themselves. With them it belongs to states as they were
// accepted, on their constraints if there are any.
//
// E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I (1993), sections III.1 and III.5.
#pragma once

#include <array>
#include <span>

namespace trammel {

enum class MultistepFamily { bdf, adams };

constexpr int highest_order(MultistepFamily family) { return family == MultistepFamily::bdf ? 5 : 12; }

// One number for each point; no formula or estimate has more.
using PointWeights = std::array<double, 16>;

struct MultistepFormula {
  double gamma = 0;
  // Of the points t_(n−1), t_(n−2), … : values for bdf; rates for adams, where y_(n−1) comes on top.
  PointWeights known{};
  // The same for what y_n is predicted to be, and for bdf γ f there.
  PointWeights predicted{};
  // The local error is this multiple of what the solution differs from the prediction.
  double error = 0;
};

// How many points of the past a formula of this order needs, its prediction included.
constexpr int points_needed(MultistepFamily family, int order) {
  return family == MultistepFamily::bdf ? order + 1 : order;
}

// `times`: t_n, t_(n−1), t_(n−2), …
MultistepFormula multistep_formula(MultistepFamily family, int order, std::span<const double> times);

// The local error that a formula of this order has, or would have had, in the step to t_n: weights of values (bdf)
// or rates (adams) at t_n, t_(n−1), … ; order + 2 or order + 1 of them.
PointWeights error_weights(MultistepFamily family, int order, std::span<const double> times);

// The solution at t between t_(n−1) and t_n. bdf: weights of the values at t_n, t_(n−1), …, order + 1 of them; adams:
// of the rates, `order` of them, for what is to be added to y_n.
PointWeights interpolation_weights(MultistepFamily family, int order, std::span<const double> times,
                                   double t);

}  // namespace trammel
