// Forward-mode differentiation with a fixed number of directions.
//
// Dual<T, N> is a value with its N directional derivatives. It nests: Dual<Dual<double, 8>, 4> carries second
// derivatives. No heap, no tape; docs/derivatives.md says why it is a type of our own.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

namespace trammel {

template <class T, int N>
struct Dual {
  using Value = T;
  static constexpr int directions = N;

  T value{};
  std::array<T, N> derivative{};

  constexpr Dual() = default;
  constexpr Dual(double constant) : value(constant) {}  // NOLINT: constants mix freely with duals
  template <class S>
  requires(std::is_same_v<S, T> && !std::is_same_v<S, double>) constexpr Dual(const S& constant)
      : value(constant) {}

  // The variable itself: derivative one in direction `direction`.
  static constexpr Dual variable(const T& value, int direction) {
    Dual result;
    result.value = value;
    result.derivative[static_cast<std::size_t>(direction)] = T(1.0);
    return result;
  }

  constexpr Dual& operator+=(const Dual& other) {
    value += other.value;
    for (int i = 0; i < N; ++i) derivative[i] += other.derivative[i];
    return *this;
  }
  constexpr Dual& operator-=(const Dual& other) {
    value -= other.value;
    for (int i = 0; i < N; ++i) derivative[i] -= other.derivative[i];
    return *this;
  }
  constexpr Dual& operator*=(const Dual& other) { return *this = *this * other; }
  constexpr Dual& operator/=(const Dual& other) { return *this = *this / other; }

  friend constexpr Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend constexpr Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend constexpr Dual operator+(const Dual& a) { return a; }
  friend constexpr Dual operator-(const Dual& a) { return chain(a, -a.value, T(-1.0)); }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    Dual result;
    result.value = a.value * b.value;
    for (int i = 0; i < N; ++i) result.derivative[i] = a.derivative[i] * b.value + a.value * b.derivative[i];
    return result;
  }
  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    Dual result;
    const T inverse = T(1.0) / b.value;
    result.value = a.value * inverse;
    for (int i = 0; i < N; ++i)
      result.derivative[i] = (a.derivative[i] - result.value * b.derivative[i]) * inverse;
    return result;
  }
  // Products with plain numbers are common enough to be spared the derivative of the constant.
  friend constexpr Dual operator*(const Dual& a, double b) { return chain(a, a.value * b, T(b)); }
  friend constexpr Dual operator*(double a, const Dual& b) { return b * a; }
  friend constexpr Dual operator/(const Dual& a, double b) { return a * (1.0 / b); }
  friend constexpr Dual operator+(Dual a, double b) {
    a.value += b;
    return a;
  }
  friend constexpr Dual operator+(double a, const Dual& b) { return b + a; }
  friend constexpr Dual operator-(Dual a, double b) {
    a.value -= b;
    return a;
  }
  friend constexpr Dual operator-(double a, const Dual& b) { return -b + a; }
  friend constexpr Dual operator/(double a, const Dual& b) { return Dual(a) / b; }

  friend constexpr bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend constexpr bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend constexpr bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend constexpr bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend constexpr bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend constexpr bool operator!=(const Dual& a, const Dual& b) { return !(a.value == b.value); }

  // f(a) with f' = slope.
  static constexpr Dual chain(const Dual& a, const T& f, const T& slope) {
    Dual result;
    result.value = f;
    for (int i = 0; i < N; ++i) result.derivative[i] = slope * a.derivative[i];
    return result;
  }
};

// The innermost number of a plain or differentiated scalar.
constexpr double plain(double value) { return value; }
template <class T, int N>
constexpr double plain(const Dual<T, N>& value) {
  return plain(value.value);
}

// Whether all derivatives are zero.
constexpr bool is_constant(double) { return true; }
template <class T, int N>
constexpr bool is_constant(const Dual<T, N>& a) {
  for (const T& derivative : a.derivative)
    if (plain(derivative) != 0.0 || !is_constant(derivative)) return false;
  return is_constant(a.value);
}

// The elementary functions. `using std::sin;` inside lets the recursion end at double.
#define TRAMMEL_DUAL_FUNCTION(name, slope)          \
  template <class T, int N>                         \
  constexpr Dual<T, N> name(const Dual<T, N>& a) {  \
    using std::atan, std::exp, std::log, std::sqrt; \
    using std::sin, std::cos, std::tan;             \
    using std::sinh, std::cosh, std::tanh;          \
    using std::asin, std::acos;                     \
    const T& x = a.value;                           \
    const T f = name(x);                            \
    return Dual<T, N>::chain(a, f, slope);          \
  }
TRAMMEL_DUAL_FUNCTION(sin, cos(x))
TRAMMEL_DUAL_FUNCTION(cos, -sin(x))
TRAMMEL_DUAL_FUNCTION(tan, 1.0 + f * f)
TRAMMEL_DUAL_FUNCTION(exp, f)
TRAMMEL_DUAL_FUNCTION(log, 1.0 / x)
TRAMMEL_DUAL_FUNCTION(sqrt, 0.5 / f)
TRAMMEL_DUAL_FUNCTION(atan, 1.0 / (1.0 + x * x))
TRAMMEL_DUAL_FUNCTION(asin, 1.0 / sqrt(1.0 - x * x))
TRAMMEL_DUAL_FUNCTION(acos, -1.0 / sqrt(1.0 - x * x))
TRAMMEL_DUAL_FUNCTION(sinh, cosh(x))
TRAMMEL_DUAL_FUNCTION(cosh, sinh(x))
TRAMMEL_DUAL_FUNCTION(tanh, 1.0 - f * f)
#undef TRAMMEL_DUAL_FUNCTION

template <class T, int N>
constexpr Dual<T, N> abs(const Dual<T, N>& a) {
  return plain(a) < 0.0 ? -a : a;
}
template <class T, int N>
constexpr Dual<T, N> atan2(const Dual<T, N>& y, const Dual<T, N>& x) {
  using std::atan2;
  Dual<T, N> result;
  result.value = atan2(y.value, x.value);
  const T inverse = 1.0 / (x.value * x.value + y.value * y.value);
  for (int i = 0; i < N; ++i)
    result.derivative[i] = (x.value * y.derivative[i] - y.value * x.derivative[i]) * inverse;
  return result;
}
template <class T, int N>
constexpr Dual<T, N> hypot(const Dual<T, N>& x, const Dual<T, N>& y) {
  return sqrt(x * x + y * y);
}
template <class T, int N>
constexpr Dual<T, N> pow(const Dual<T, N>& a, double exponent) {
  using std::pow;
  if (exponent == 0.0) return Dual<T, N>(1.0);
  return Dual<T, N>::chain(a, pow(a.value, exponent), exponent * pow(a.value, exponent - 1.0));
}
template <class T, int N>
constexpr Dual<T, N> pow(const Dual<T, N>& a, const Dual<T, N>& exponent) {
  // pow(x, T(2.0)) in generic code is a polynomial, also where x is negative
  if (is_constant(exponent)) return pow(a, plain(exponent));
  return exp(exponent * log(a));
}
template <class T, int N>
bool isfinite(const Dual<T, N>& a) {
  using std::isfinite;
  for (int i = 0; i < N; ++i)
    if (!isfinite(a.derivative[i])) return false;
  return isfinite(a.value);
}

}  // namespace trammel
