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

// How the loops are written decides the speed, see benchmarks/derivatives: the derivatives come before the
// value, so that copies and vector instructions cut the memory at the same places; results are built in place
// and not zeroed first; and loops are unrolled by 7: at width 8, GCC vectorises a loop of eight and then
// unrolls the four steps left, while 8 would have it unroll first and vectorise only a part.
template <class T, int N>
struct Dual {
  using Value = T;
  static constexpr int directions = N;

  std::array<T, N> derivative;
  T value;

  constexpr Dual() : derivative{}, value{} {}
  constexpr Dual(double constant)
      : derivative{}, value(constant) {}  // NOLINT: constants mix freely with duals
  template <class S>
  requires(std::is_same_v<S, T> && !std::is_same_v<S, double>) constexpr Dual(const S& constant)
      : derivative{}, value(constant) {}

  // The variable itself: derivative one in direction `direction`.
  static constexpr Dual variable(const T& value, int direction) {
    Dual result;
    result.value = value;
    result.derivative[static_cast<std::size_t>(direction)] = T(1.0);
    return result;
  }
  // From a value and a function that gives the derivative in direction i.
  template <class Function>
  static constexpr Dual build(const T& value, const Function& derivative) {
    Dual result{Uninitialised()};
    result.value = value;
#pragma GCC unroll 7
    for (int i = 0; i < N; ++i) result.derivative[i] = derivative(i);
    return result;
  }
  // f(a) with f' = slope.
  static constexpr Dual chain(const Dual& a, const T& f, const T& slope) {
    return build(f, [&](int i) { return slope * a.derivative[i]; });
  }

  constexpr Dual& operator+=(const Dual& other) {
    value += other.value;
#pragma GCC unroll 7
    for (int i = 0; i < N; ++i) derivative[i] += other.derivative[i];
    return *this;
  }
  constexpr Dual& operator-=(const Dual& other) {
    value -= other.value;
#pragma GCC unroll 7
    for (int i = 0; i < N; ++i) derivative[i] -= other.derivative[i];
    return *this;
  }
  constexpr Dual& operator*=(const Dual& other) { return *this = *this * other; }
  constexpr Dual& operator/=(const Dual& other) { return *this = *this / other; }

  friend constexpr Dual operator+(const Dual& a, const Dual& b) {
    return build(a.value + b.value, [&](int i) { return a.derivative[i] + b.derivative[i]; });
  }
  friend constexpr Dual operator-(const Dual& a, const Dual& b) {
    return build(a.value - b.value, [&](int i) { return a.derivative[i] - b.derivative[i]; });
  }
  friend constexpr Dual operator+(const Dual& a) { return a; }
  friend constexpr Dual operator-(const Dual& a) {
    return build(-a.value, [&](int i) { return -a.derivative[i]; });
  }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    return build(a.value * b.value,
                 [&](int i) { return a.derivative[i] * b.value + a.value * b.derivative[i]; });
  }
  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    const T inverse = 1.0 / b.value, ratio = a.value * inverse;
    return build(ratio, [&](int i) { return (a.derivative[i] - ratio * b.derivative[i]) * inverse; });
  }
  // Plain numbers are common enough to be spared the derivative of a constant.
  friend constexpr Dual operator*(const Dual& a, double b) {
    return build(a.value * b, [&](int i) { return a.derivative[i] * b; });
  }
  friend constexpr Dual operator*(double a, const Dual& b) { return b * a; }
  friend constexpr Dual operator/(const Dual& a, double b) { return a * (1.0 / b); }
  friend constexpr Dual operator/(double a, const Dual& b) {
    const T inverse = 1.0 / b.value, ratio = a * inverse;
    return chain(b, ratio, -ratio * inverse);
  }
  friend constexpr Dual operator+(const Dual& a, double b) {
    return build(a.value + b, [&](int i) { return a.derivative[i]; });
  }
  friend constexpr Dual operator+(double a, const Dual& b) { return b + a; }
  friend constexpr Dual operator-(const Dual& a, double b) { return a + -b; }
  friend constexpr Dual operator-(double a, const Dual& b) {
    return build(a - b.value, [&](int i) { return -b.derivative[i]; });
  }

  friend constexpr bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend constexpr bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend constexpr bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend constexpr bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend constexpr bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend constexpr bool operator!=(const Dual& a, const Dual& b) { return !(a.value == b.value); }

 private:
  struct Uninitialised {};
  constexpr explicit Dual(Uninitialised) {}
};

// The innermost number of a plain or differentiated scalar: a double, unless that is recorded (differentiation/traced.h).
constexpr double plain(double value) { return value; }
template <class T, int N>
constexpr auto plain(const Dual<T, N>& value) {
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
  const T inverse = 1.0 / (x.value * x.value + y.value * y.value);
  return Dual<T, N>::build(atan2(y.value, x.value), [&](int i) {
    return (x.value * y.derivative[i] - y.value * x.derivative[i]) * inverse;
  });
}
template <class T, int N>
constexpr Dual<T, N> hypot(const Dual<T, N>& x, const Dual<T, N>& y) {
  return sqrt(x * x + y * y);
}
template <class T, int N>
constexpr Dual<T, N> atan2(const Dual<T, N>& y, double x) {
  return atan2(y, Dual<T, N>(x));
}
template <class T, int N>
constexpr Dual<T, N> atan2(double y, const Dual<T, N>& x) {
  return atan2(Dual<T, N>(y), x);
}
template <class T, int N>
constexpr Dual<T, N> hypot(const Dual<T, N>& x, double y) {
  return hypot(x, Dual<T, N>(y));
}
template <class T, int N>
constexpr Dual<T, N> hypot(double x, const Dual<T, N>& y) {
  return hypot(Dual<T, N>(x), y);
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
constexpr Dual<T, N> pow(double a, const Dual<T, N>& exponent) {
  return exp(exponent * std::log(a));
}
template <class T, int N>
bool isfinite(const Dual<T, N>& a) {
  using std::isfinite;
  for (int i = 0; i < N; ++i)
    if (!isfinite(a.derivative[i])) return false;
  return isfinite(a.value);
}

}  // namespace trammel
