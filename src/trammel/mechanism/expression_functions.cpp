#include "trammel/mechanism/expression_functions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <stdexcept>

namespace trammel {
namespace {

// x^exponent; the common powers as one would write them, so that x^2 is x * x to the last bit.
double power(double x, double exponent) {
  if (exponent == 0.0) return 1.0;
  if (exponent == 1.0) return x;
  if (exponent == 2.0) return x * x;
  if (exponent == 3.0) return x * x * x;
  return std::pow(x, exponent);
}

// The remainder with the sign of y: mod(-30, 360) = 330.
double modulo(double x, double y) {
  const double remainder = std::fmod(x, y);
  return remainder != 0.0 && (remainder < 0.0) != (y < 0.0) ? remainder + y : remainder;
}

// Takes zero for a derivative that is not finite.
void make_finite(double* first, double* last) {
  std::replace_if(
      first, last, [](double value) { return !std::isfinite(value); }, 0.0);
}

Derivatives derivatives_of_one(const Instruction& instruction, double x, double f) {
  const double c = instruction.number;
  switch (instruction.operation) {
    case Operation::divide_by_number:
      return {f, 1.0 / c, 0.0, 0.0};
    case Operation::number_divided:
      return {f, -f / x, 2.0 * f / x / x, -6.0 * f / x / x / x};
    case Operation::power_number: {
      Derivatives result{f};
      double factor = 1.0;
      for (int i = 1; i < 4; ++i) {
        factor *= c - (i - 1);
        // of x², the third derivative is 0, and not 0 · 0⁻¹
        if (factor != 0.0) result[static_cast<std::size_t>(i)] = factor * power(x, c - i);
      }
      return result;
    }
    case Operation::sine:
      return {f, std::cos(x), -f, -std::cos(x)};
    case Operation::cosine:
      return {f, -std::sin(x), -f, std::sin(x)};
    case Operation::tangent: {
      const double d = 1.0 + f * f;
      return {f, d, 2.0 * f * d, d * (2.0 + 6.0 * f * f)};
    }
    case Operation::arcsine:
    case Operation::arccosine: {
      const double square = (1.0 - x) * (1.0 + x);
      const double d = (instruction.operation == Operation::arcsine ? 1.0 : -1.0) / std::sqrt(square);
      return {f, d, x * d / square, (1.0 + 2.0 * x * x) * d / (square * square)};
    }
    case Operation::arctangent: {
      const double d = 1.0 / (1.0 + x * x);
      return {f, d, -2.0 * x * d * d, (6.0 * x * x - 2.0) * d * d * d};
    }
    case Operation::hyperbolic_sine:
      return {f, std::cosh(x), f, std::cosh(x)};
    case Operation::hyperbolic_cosine:
      return {f, std::sinh(x), f, std::sinh(x)};
    case Operation::hyperbolic_tangent: {
      const double d = 1.0 / std::cosh(x) / std::cosh(x);
      return {f, d, -2.0 * f * d, d * (6.0 * f * f - 2.0)};
    }
    case Operation::exponential:
      return {f, f, f, f};
    case Operation::logarithm:
      return {f, 1.0 / x, -1.0 / x / x, 2.0 / x / x / x};
    case Operation::logarithm10: {
      const double d = std::numbers::log10e / x;
      return {f, d, -d / x, 2.0 * d / x / x};
    }
    case Operation::square_root:
      return {f, 0.5 / f, -0.25 / f / x, 0.375 / f / x / x};
    case Operation::cube_root:
      return {f, f / x / 3.0, -2.0 / 9.0 * f / x / x, 10.0 / 27.0 * f / x / x / x};
    case Operation::absolute:
      return {f, x < 0.0 ? -1.0 : 1.0, 0.0, 0.0};
    default:
      return {f};  // those that are constant between jumps
  }
}

PartialDerivatives quotient_derivatives(double a, double b) {
  const double inverse = 1.0 / b, f = a / b;
  return {{{f, -f * inverse, 2.0 * f * inverse * inverse, -6.0 * f * inverse * inverse * inverse},
           {inverse, -inverse * inverse, 2.0 * inverse * inverse * inverse}}};
}

PartialDerivatives power_derivatives(double x, double y) {
  PartialDerivatives result;
  auto& f = result.at;
  const Derivatives by_x = derivatives_of_one({Operation::power_number, 0, y}, x, power(x, y));
  for (std::size_t i = 0; i < 4; ++i) f[i][0] = by_x[i];
  // an exponent that varies has a meaning for x > 0; at x = 0 the limit of its derivatives is 0
  if (!(x > 0.0)) return result;
  const double L = std::log(x), p = f[0][0];
  f[0][1] = p * L;
  f[0][2] = p * L * L;
  f[0][3] = p * L * L * L;
  f[1][1] = p / x * (1.0 + y * L);
  f[1][2] = p / x * L * (2.0 + y * L);
  f[2][1] = p / x / x * ((2.0 * y - 1.0) + y * (y - 1.0) * L);
  return result;
}

// of the angle, the imaginary part of log(x + iy), with the first operand y
PartialDerivatives arctangent2_derivatives(double y, double x) {
  const double r = std::hypot(x, y), c = x / r, s = y / r;
  const double second = 1.0 / r / r, third = 2.0 / r / r / r;
  const double sine3 = s * (3.0 - 4.0 * s * s), cosine3 = c * (4.0 * c * c - 3.0);
  return {{{std::atan2(y, x), -s / r, 2.0 * c * s * second, -sine3 * third},
           {c / r, (s * s - c * c) * second, cosine3 * third},
           {-2.0 * c * s * second, sine3 * third},
           {-cosine3 * third}}};
}

PartialDerivatives hypotenuse_derivatives(double x, double y) {
  const double r = std::hypot(x, y), c = x / r, s = y / r;
  return {{{r, s, c * c / r, -3.0 * s * c * c / r / r},
           {c, -c * s / r, c * (2.0 * s * s - c * c) / r / r},
           {s * s / r, s * (2.0 * c * c - s * s) / r / r},
           {-3.0 * c * s * s / r / r}}};
}

PartialDerivatives derivatives_of_two(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::divide:
      return quotient_derivatives(a, b);
    case Operation::power:
      return power_derivatives(a, b);
    case Operation::arctangent2:
      return arctangent2_derivatives(a, b);
    case Operation::hypotenuse:
      return hypotenuse_derivatives(a, b);
    default:
      // a − n b with a whole number n
      return {{{modulo(a, b), std::round((modulo(a, b) - a) / b)}, {1.0}}};
  }
}

}  // namespace

double one_operand_value(const Instruction& instruction, double x) {
  switch (instruction.operation) {
    case Operation::divide_by_number:
      return x / instruction.number;
    case Operation::number_divided:
      return instruction.number / x;
    case Operation::power_number:
      return power(x, instruction.number);
    case Operation::sine:
      return std::sin(x);
    case Operation::cosine:
      return std::cos(x);
    case Operation::tangent:
      return std::tan(x);
    case Operation::arcsine:
      return std::asin(x);
    case Operation::arccosine:
      return std::acos(x);
    case Operation::arctangent:
      return std::atan(x);
    case Operation::hyperbolic_sine:
      return std::sinh(x);
    case Operation::hyperbolic_cosine:
      return std::cosh(x);
    case Operation::hyperbolic_tangent:
      return std::tanh(x);
    case Operation::exponential:
      return std::exp(x);
    case Operation::logarithm:
      return std::log(x);
    case Operation::logarithm10:
      return std::log10(x);
    case Operation::square_root:
      return std::sqrt(x);
    case Operation::cube_root:
      return std::cbrt(x);
    case Operation::absolute:
      return std::abs(x);
    case Operation::sign:
      return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
    case Operation::floor:
      return std::floor(x);
    case Operation::ceiling:
      return std::ceil(x);
    case Operation::round:
      return std::round(x);
    default:
      throw std::logic_error("not a function of one operand");
  }
}

Derivatives one_operand_derivatives(const Instruction& instruction, double x, double f) {
  Derivatives result = derivatives_of_one(instruction, x, f);
  make_finite(result.data() + 1, result.data() + result.size());
  return result;
}

double two_operand_value(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::divide:
      return a / b;
    case Operation::power:
      return power(a, b);
    case Operation::arctangent2:
      return std::atan2(a, b);
    case Operation::hypotenuse:
      return std::hypot(a, b);
    case Operation::modulo:
      return modulo(a, b);
    default:
      throw std::logic_error("not a function of two operands");
  }
}

PartialDerivatives two_operand_derivatives(Operation operation, double a, double b) {
  PartialDerivatives result = derivatives_of_two(operation, a, b);
  make_finite(&result.at[0][0], &result.at[0][0] + 16);
  result.at[0][0] = two_operand_value(operation, a, b);
  return result;
}

}  // namespace trammel
