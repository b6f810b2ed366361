// The functions of expressions (expression.h): values, and derivatives chained to the number type, so that each formula
// stands here once. Where a derivative is infinite or undefined although the value is fine (sqrt at 0, abs at 0, atan2 at
// the origin), a finite one-sided derivative or zero is taken: one infinity would make a whole Jacobian useless.
#pragma once

#include "trammel/mechanism/expression.h"

namespace trammel {

// ∂ⁱ⁺ʲf / ∂aⁱ∂bʲ, for i + j ≤ 3
struct PartialDerivatives {
  double at[4][4] = {};
};

double one_operand_value(const Instruction& instruction, double x);
// With f, the value: f, f', f'', f'''; finite but for the value.
Derivatives one_operand_derivatives(const Instruction& instruction, double x, double f);
double two_operand_value(Operation operation, double a, double b);
PartialDerivatives two_operand_derivatives(Operation operation, double a, double b);

// Chained to the number type, starting from ∂ⁱ⁺ʲf / ∂aⁱ∂bʲ.
inline double chain_partial(double, double, const PartialDerivatives& f, int i, int j) { return f.at[i][j]; }
template <class T, int N>
Dual<T, N> chain_partial(const Dual<T, N>& a, const Dual<T, N>& b, const PartialDerivatives& f, int i,
                         int j) {
  const T by_a = chain_partial(a.value, b.value, f, i + 1, j);
  const T by_b = chain_partial(a.value, b.value, f, i, j + 1);
  return Dual<T, N>::build(chain_partial(a.value, b.value, f, i, j), [&](int direction) {
    return by_a * a.derivative[static_cast<std::size_t>(direction)] +
           by_b * b.derivative[static_cast<std::size_t>(direction)];
  });
}
template <class T>
Taylor<T> chain_partial(const Taylor<T>& a, const Taylor<T>& b, const PartialDerivatives& f, int i, int j) {
  const auto at = [&](int by_a, int by_b) { return chain_partial(a.value, b.value, f, i + by_a, j + by_b); };
  const T f_a = at(1, 0), f_b = at(0, 1);
  return {at(0, 0), f_a * a.first + f_b * b.first,
          f_a * a.second + f_b * b.second + at(2, 0) * (a.first * a.first) +
              2.0 * (at(1, 1) * (a.first * b.first)) + at(0, 2) * (b.first * b.first)};
}

template <class T>
T function_of_one(const Instruction& instruction, const T& x) {
  const double value = one_operand_value(instruction, plain(x));
  if constexpr (derivative_order<T> == 0)
    return value;
  else
    return chain_derivatives(x, one_operand_derivatives(instruction, plain(x), value));
}

template <class T>
T function_of_two(Operation operation, const T& a, const T& b) {
  if constexpr (derivative_order<T> == 0)
    return two_operand_value(operation, a, b);
  else
    return chain_partial(a, b, two_operand_derivatives(operation, plain(a), plain(b)), 0, 0);
}

}  // namespace trammel
