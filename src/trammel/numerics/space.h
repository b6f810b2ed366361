// Vectors and rotations of three-dimensional space in any scalar: double, or a number that carries
// derivatives. Plain structs, so that elements stay small functions that a compiler sees through.
#pragma once

#include <array>
#include <cmath>

#include "trammel/numerics/dual.h"
#include "trammel/numerics/taylor.h"

namespace trammel {

template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  constexpr Vec3() = default;
  constexpr Vec3(const T& first, const T& second, const T& third) : x(first), y(second), z(third) {}
  // A plain vector stands wherever one with derivatives is wanted.
  template <class S>
  requires(std::is_same_v<S, double> && !std::is_same_v<T, double>) constexpr Vec3(const Vec3<S>& plain)
      : x(plain.x), y(plain.y), z(plain.z) {}

  constexpr T& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  constexpr const T& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }

  constexpr Vec3& operator+=(const Vec3& b) {
    x += b.x;
    y += b.y;
    z += b.z;
    return *this;
  }
  constexpr Vec3& operator-=(const Vec3& b) {
    x -= b.x;
    y -= b.y;
    z -= b.z;
    return *this;
  }
};

// The product of two numbers, one of which may be plain.
template <class A, class B>
using Product = std::conditional_t<std::is_same_v<A, double>, B, A>;

template <class A, class B>
constexpr Vec3<Product<A, B>> operator+(const Vec3<A>& a, const Vec3<B>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A, class B>
constexpr Vec3<Product<A, B>> operator-(const Vec3<A>& a, const Vec3<B>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
constexpr Vec3<T> operator-(const Vec3<T>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class A, class B>
constexpr Vec3<Product<A, B>> operator*(const Vec3<A>& a, const B& b) {
  return {a.x * b, a.y * b, a.z * b};
}
template <class A, class B>
constexpr Vec3<Product<A, B>> operator*(const A& a, const Vec3<B>& b) {
  return {a * b.x, a * b.y, a * b.z};
}
template <class A, class B>
constexpr Product<A, B> dot(const Vec3<A>& a, const Vec3<B>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class A, class B>
constexpr Vec3<Product<A, B>> cross(const Vec3<A>& a, const Vec3<B>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
T length(const Vec3<T>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

// A matrix by columns; as the rotation of a body, its columns are the body's axes in the world.
template <class T>
struct Mat3 {
  std::array<Vec3<T>, 3> column{};

  constexpr Mat3() = default;
  constexpr Mat3(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c) : column{a, b, c} {}
  template <class S>
  requires(std::is_same_v<S, double> && !std::is_same_v<T, double>) constexpr Mat3(const Mat3<S>& plain)
      : column{Vec3<T>(plain.column[0]), Vec3<T>(plain.column[1]), Vec3<T>(plain.column[2])} {}

  constexpr T& operator()(int row, int col) { return column[static_cast<std::size_t>(col)][row]; }
  constexpr const T& operator()(int row, int col) const { return column[static_cast<std::size_t>(col)][row]; }

  static constexpr Mat3 identity() {
    return {{T(1.0), T(0.0), T(0.0)}, {T(0.0), T(1.0), T(0.0)}, {T(0.0), T(0.0), T(1.0)}};
  }
};

template <class A, class B>
constexpr Vec3<Product<A, B>> operator*(const Mat3<A>& m, const Vec3<B>& a) {
  return m.column[0] * a.x + m.column[1] * a.y + m.column[2] * a.z;
}
// mᵀ a.
template <class A, class B>
constexpr Vec3<Product<A, B>> transposed_times(const Mat3<A>& m, const Vec3<B>& a) {
  return {dot(m.column[0], a), dot(m.column[1], a), dot(m.column[2], a)};
}
template <class A, class B>
constexpr Mat3<Product<A, B>> operator*(const Mat3<A>& m, const Mat3<B>& n) {
  return {m * n.column[0], m * n.column[1], m * n.column[2]};
}
template <class T>
constexpr Mat3<T> operator+(const Mat3<T>& m, const Mat3<T>& n) {
  return {m.column[0] + n.column[0], m.column[1] + n.column[1], m.column[2] + n.column[2]};
}
template <class T>
constexpr Mat3<T> operator-(const Mat3<T>& m, const Mat3<T>& n) {
  return {m.column[0] - n.column[0], m.column[1] - n.column[1], m.column[2] - n.column[2]};
}
template <class T>
constexpr Mat3<T> transposed(const Mat3<T>& m) {
  return {{m(0, 0), m(0, 1), m(0, 2)}, {m(1, 0), m(1, 1), m(1, 2)}, {m(2, 0), m(2, 1), m(2, 2)}};
}
// m [a]×, with [a]× b = a × b.
template <class A, class B>
constexpr Mat3<Product<A, B>> times_cross(const Mat3<A>& m, const Vec3<B>& a) {
  return {m.column[1] * a.z - m.column[2] * a.y, m.column[2] * a.x - m.column[0] * a.z,
          m.column[0] * a.y - m.column[1] * a.x};
}

// A unit quaternion (Euler parameters), w the scalar part; turns body axes into world axes.
template <class T>
struct Quaternion {
  T w = T(1.0), x{}, y{}, z{};
};

// The rotation of a quaternion of any length: what is not of length one is normalised, so that a rotation
// never stretches.
template <class T>
constexpr Mat3<T> rotation_matrix(const Quaternion<T>& e) {
  const T s = 2.0 / (e.w * e.w + e.x * e.x + e.y * e.y + e.z * e.z);
  const T xx = s * e.x * e.x, yy = s * e.y * e.y, zz = s * e.z * e.z;
  const T xy = s * e.x * e.y, xz = s * e.x * e.z, yz = s * e.y * e.z;
  const T wx = s * e.w * e.x, wy = s * e.w * e.y, wz = s * e.w * e.z;
  return {{1.0 - (yy + zz), xy + wz, xz - wy},
          {xy - wz, 1.0 - (xx + zz), yz + wx},
          {xz + wy, yz - wx, 1.0 - (xx + yy)}};
}

// The quaternion of a rotation matrix, scalar part not negative.
Quaternion<double> quaternion(const Mat3<double>& rotation);

// The rotation by an angle about an axis of any length but zero.
Mat3<double> rotation_about(const Vec3<double>& axis, double angle);

// Two unit vectors that make a right-handed triad (first, second, axis) with an axis of length one.
std::array<Vec3<double>, 2> perpendiculars(const Vec3<double>& axis);

bool is_finite(const Vec3<double>& a);

}  // namespace trammel
