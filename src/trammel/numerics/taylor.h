// A quantity along a motion: its value and its first and second time derivatives.
//
// Evaluating g(p, s, t) on Taylor numbers gives g, gᴵ = dg/dt and gᴵᴵ = d²g/dt² at once (spec: the hidden
// constraints), exactly. The coefficients are derivatives, not Taylor coefficients: x(t+τ) = x + x'τ +
// x''τ²/2.
#pragma once

#include <cmath>
#include <type_traits>

#include "trammel/numerics/dual.h"

namespace trammel {

template <class T>
struct Taylor {
  T value{};
  T first{};
  T second{};

  constexpr Taylor() = default;
  constexpr Taylor(double constant) : value(constant) {}  // NOLINT: constants mix freely
  template <class S>
  requires(std::is_same_v<S, T> && !std::is_same_v<S, double>) constexpr Taylor(const S& constant)
      : value(constant) {}
  constexpr Taylor(const T& x, const T& rate, const T& acceleration)
      : value(x), first(rate), second(acceleration) {}

  constexpr Taylor& operator+=(const Taylor& other) {
    value += other.value;
    first += other.first;
    second += other.second;
    return *this;
  }
  constexpr Taylor& operator-=(const Taylor& other) {
    value -= other.value;
    first -= other.first;
    second -= other.second;
    return *this;
  }
  constexpr Taylor& operator*=(const Taylor& other) { return *this = *this * other; }
  constexpr Taylor& operator/=(const Taylor& other) { return *this = *this / other; }

  friend constexpr Taylor operator+(Taylor a, const Taylor& b) { return a += b; }
  friend constexpr Taylor operator-(Taylor a, const Taylor& b) { return a -= b; }
  friend constexpr Taylor operator+(const Taylor& a) { return a; }
  friend constexpr Taylor operator-(const Taylor& a) { return {-a.value, -a.first, -a.second}; }
  friend constexpr Taylor operator*(const Taylor& a, const Taylor& b) {
    return {a.value * b.value, a.first * b.value + a.value * b.first,
            a.second * b.value + 2.0 * (a.first * b.first) + a.value * b.second};
  }
  friend constexpr Taylor operator/(const Taylor& a, const Taylor& b) {
    const T inverse = 1.0 / b.value;
    const T value = a.value * inverse;
    const T first = (a.first - value * b.first) * inverse;
    return {value, first, (a.second - 2.0 * (first * b.first) - value * b.second) * inverse};
  }
  friend constexpr Taylor operator*(const Taylor& a, double b) {
    return {a.value * b, a.first * b, a.second * b};
  }
  friend constexpr Taylor operator*(double a, const Taylor& b) { return b * a; }
  friend constexpr Taylor operator/(const Taylor& a, double b) { return a * (1.0 / b); }
  friend constexpr Taylor operator+(Taylor a, double b) {
    a.value += b;
    return a;
  }
  friend constexpr Taylor operator+(double a, const Taylor& b) { return b + a; }
  friend constexpr Taylor operator-(Taylor a, double b) {
    a.value -= b;
    return a;
  }
  friend constexpr Taylor operator-(double a, const Taylor& b) { return -b + a; }
  friend constexpr Taylor operator/(double a, const Taylor& b) { return Taylor(a) / b; }

  friend constexpr bool operator<(const Taylor& a, const Taylor& b) { return a.value < b.value; }
  friend constexpr bool operator>(const Taylor& a, const Taylor& b) { return a.value > b.value; }
  friend constexpr bool operator<=(const Taylor& a, const Taylor& b) { return a.value <= b.value; }
  friend constexpr bool operator>=(const Taylor& a, const Taylor& b) { return a.value >= b.value; }
  friend constexpr bool operator==(const Taylor& a, const Taylor& b) { return a.value == b.value; }
  friend constexpr bool operator!=(const Taylor& a, const Taylor& b) { return !(a.value == b.value); }

  // f(a) with its first and second derivative in a.
  static constexpr Taylor chain(const Taylor& a, const T& f, const T& slope, const T& curvature) {
    return {f, slope * a.first, slope * a.second + curvature * (a.first * a.first)};
  }
};

template <class T>
constexpr auto plain(const Taylor<T>& value) {
  return plain(value.value);
}
template <class T>
constexpr bool is_constant(const Taylor<T>& a) {
  return plain(a.first) == 0.0 && plain(a.second) == 0.0 && is_constant(a.value) && is_constant(a.first) &&
         is_constant(a.second);
}

#define TRAMMEL_TAYLOR_FUNCTION(name, slope, curvature) \
  template <class T>                                    \
  constexpr Taylor<T> name(const Taylor<T>& a) {        \
    using std::atan, std::exp, std::log, std::sqrt;     \
    using std::sin, std::cos, std::tan;                 \
    using std::sinh, std::cosh, std::tanh;              \
    using std::asin, std::acos;                         \
    const T& x = a.value;                               \
    const T f = name(x);                                \
    const T d = slope;                                  \
    return Taylor<T>::chain(a, f, d, curvature);        \
  }
TRAMMEL_TAYLOR_FUNCTION(sin, cos(x), -f)
TRAMMEL_TAYLOR_FUNCTION(cos, -sin(x), -f)
TRAMMEL_TAYLOR_FUNCTION(tan, 1.0 + f * f, 2.0 * f * d)
TRAMMEL_TAYLOR_FUNCTION(exp, f, f)
TRAMMEL_TAYLOR_FUNCTION(log, 1.0 / x, -(d* d))
TRAMMEL_TAYLOR_FUNCTION(sqrt, 0.5 / f, -0.5 * d / x)
TRAMMEL_TAYLOR_FUNCTION(atan, 1.0 / (1.0 + x * x), -2.0 * x * d * d)
TRAMMEL_TAYLOR_FUNCTION(asin, 1.0 / sqrt(1.0 - x * x), x* d* d* d)
TRAMMEL_TAYLOR_FUNCTION(acos, -1.0 / sqrt(1.0 - x * x), x* d* d* d)
TRAMMEL_TAYLOR_FUNCTION(sinh, cosh(x), f)
TRAMMEL_TAYLOR_FUNCTION(cosh, sinh(x), f)
TRAMMEL_TAYLOR_FUNCTION(tanh, 1.0 - f * f, -2.0 * f * d)
#undef TRAMMEL_TAYLOR_FUNCTION

template <class T>
constexpr Taylor<T> abs(const Taylor<T>& a) {
  return plain(a) < 0.0 ? -a : a;
}
template <class T>
constexpr Taylor<T> hypot(const Taylor<T>& x, const Taylor<T>& y) {
  return sqrt(x * x + y * y);
}
template <class T>
constexpr Taylor<T> atan2(const Taylor<T>& y, const Taylor<T>& x) {
  using std::atan2;
  // θ' = (x y' − y x') / r²; one more derivative of the same quotient
  const T square = x.value * x.value + y.value * y.value;
  const T area = x.value * y.first - y.value * x.first;
  const T first = area / square;
  const T area_rate = x.value * y.second - y.value * x.second;
  const T square_rate = 2.0 * (x.value * x.first + y.value * y.first);
  return {atan2(y.value, x.value), first, (area_rate - first * square_rate) / square};
}
template <class T>
constexpr Taylor<T> atan2(const Taylor<T>& y, double x) {
  return atan2(y, Taylor<T>(x));
}
template <class T>
constexpr Taylor<T> atan2(double y, const Taylor<T>& x) {
  return atan2(Taylor<T>(y), x);
}
template <class T>
constexpr Taylor<T> hypot(const Taylor<T>& x, double y) {
  return hypot(x, Taylor<T>(y));
}
template <class T>
constexpr Taylor<T> hypot(double x, const Taylor<T>& y) {
  return hypot(Taylor<T>(x), y);
}
template <class T>
constexpr Taylor<T> pow(const Taylor<T>& a, double exponent) {
  using std::pow;
  if (exponent == 0.0) return Taylor<T>(1.0);
  const T slope = exponent * pow(a.value, exponent - 1.0);
  const T curvature =
      exponent == 1.0 ? T(0.0) : T(exponent * (exponent - 1.0) * pow(a.value, exponent - 2.0));
  return Taylor<T>::chain(a, pow(a.value, exponent), slope, curvature);
}
template <class T>
constexpr Taylor<T> pow(const Taylor<T>& a, const Taylor<T>& exponent) {
  if (is_constant(exponent)) return pow(a, plain(exponent));
  return exp(exponent * log(a));
}

template <class T>
constexpr Taylor<T> pow(double a, const Taylor<T>& exponent) {
  return exp(exponent * std::log(a));
}

}  // namespace trammel
