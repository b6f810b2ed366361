#include "trammel/integrator/multistep_formula.h"

#include <cmath>

namespace trammel {

namespace {

using Times = std::span<const double>;

// The k-th of the polynomials that are one at one of the nodes and zero at the others.
double basis(Times nodes, std::size_t k, double t) {
  double product = 1;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (i != k) product *= (t - nodes[i]) / (nodes[k] - nodes[i]);
  return product;
}

double node_product(Times nodes, double t) {
  double product = 1;
  for (const double node : nodes) product *= t - node;
  return product;
}

double inverse_distances(Times nodes, double t) {
  double sum = 0;
  for (const double node : nodes) sum += 1 / (t - node);
  return sum;
}

// By the rule of Gauss with eight points: exact for polynomials up to degree 15.
template <class Function>
double integral(double from, double to, const Function& function) {
  constexpr std::array<double, 4> abscissas{0.18343464249564980, 0.52553240991632899, 0.79666647741362674,
                                            0.96028985649753623};
  constexpr std::array<double, 4> weights{0.36268378337836198, 0.31370664587788729, 0.22238103445337447,
                                          0.10122853629037626};
  const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
  double sum = 0;
  for (std::size_t i = 0; i < abscissas.size(); ++i)
    sum += weights[i] * (function(middle - half * abscissas[i]) + function(middle + half * abscissas[i]));
  return half * sum;
}

Times first(Times times, int count) { return times.first(static_cast<std::size_t>(count)); }
Times past(Times times, int count) { return times.subspan(1, static_cast<std::size_t>(count)); }

// Weights of the divided difference over all nodes.
void divided_difference(Times nodes, double factor, PointWeights& weights) {
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    double product = factor;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (i != k) product /= nodes[k] - nodes[i];
    weights[k] = product;
  }
}

// ∫ (t − t_n) (t − t_(n−1)) … (t − t_(n−order+1)) over the step.
double adams_error(Times times, int order) {
  return integral(times[1], times[0], [&](double t) { return node_product(first(times, order), t); });
}

MultistepFormula bdf(int order, Times times) {
  const double t = times[0];
  const Times nodes = past(times, order), more = past(times, order + 1);
  MultistepFormula formula;
  formula.gamma = 1 / inverse_distances(nodes, t);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const double slope = inverse_distances(nodes, t) - 1 / (t - nodes[k]);
    formula.known[k] = basis(nodes, k, t) * (1 - formula.gamma * slope);
  }
  for (std::size_t k = 0; k < more.size(); ++k) formula.predicted[k] = basis(more, k, t);
  formula.error = formula.gamma / (t - more.back());
  return formula;
}

MultistepFormula adams(int order, Times times) {
  const double from = times[1], to = times[0];
  const Times nodes = first(times, order), before = past(times, order);
  const auto integral_of_basis = [&](Times of, std::size_t k) {
    return integral(from, to, [&](double t) { return basis(of, k, t); });
  };
  MultistepFormula formula;
  formula.gamma = integral_of_basis(nodes, 0);
  for (std::size_t k = 1; k < nodes.size(); ++k) formula.known[k - 1] = integral_of_basis(nodes, k);
  for (std::size_t k = 0; k < before.size(); ++k) formula.predicted[k] = integral_of_basis(before, k);
  // solution − prediction = f[t_n … t_(n−k)] (t_n − t_(n−k)) ∫ (t − t_(n−1)) … (t − t_(n−k+1))
  const double steps = integral(from, to, [&](double t) { return node_product(past(times, order - 1), t); });
  formula.error = std::abs(adams_error(times, order) / ((to - before.back()) * steps));
  return formula;
}

}  // namespace

MultistepFormula multistep_formula(MultistepFamily family, int order, Times times) {
  return family == MultistepFamily::bdf ? bdf(order, times) : adams(order, times);
}

// bdf: the slope at t_n of the polynomial through y_n … y_(n−k) is off by y[t_n … t_(n−k−1)] ∏ (t_n − t_(n−i)).
PointWeights error_weights(MultistepFamily family, int order, Times times) {
  PointWeights weights{};
  if (family == MultistepFamily::bdf) {
    const Times nodes = past(times, order);
    divided_difference(first(times, order + 2),
                       node_product(nodes, times[0]) / inverse_distances(nodes, times[0]), weights);
  } else {
    divided_difference(first(times, order + 1), adams_error(times, order), weights);
  }
  return weights;
}

PointWeights interpolation_weights(MultistepFamily family, int order, Times times, double t) {
  PointWeights weights{};
  const bool bdf = family == MultistepFamily::bdf;
  const Times nodes = first(times, bdf ? order + 1 : order);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    weights[k] =
        bdf ? basis(nodes, k, t) : integral(times[0], t, [&](double s) { return basis(nodes, k, s); });
  return weights;
}

}  // namespace trammel
