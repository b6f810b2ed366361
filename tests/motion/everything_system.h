// A system that has every function of the general equations of motion, with nothing zero and nothing
// symmetric, so that a forgotten term shows. It is not meant to move.
#pragma once

#include <cmath>

#include "trammel/motion/templated_equations.h"

namespace trammel {

struct EverythingSystem {
  Sizes sizes() const {
    return {.positions = 6,
            .velocities = 5,
            .force_states = 2,
            .auxiliaries = 1,
            .contacts = 2,
            .holonomic = 2,
            .nonholonomic = 1,
            .invariants = 1,
            .normalizations = 1};
  }
  template <class T>
  void M(const Point<T>& x, MatrixView<T> M) const {
    M(0, 0) = 3.0 + 0.3 * sin_(x.p[1]) + 0.1 * x.t;
    M(1, 1) = 2.0 + x.p[0] * x.p[0];
    M(2, 2) = 4.0;
    M(0, 1) = M(1, 0) = 0.2 * x.p[2];
    M(1, 2) = M(2, 1) = 0.1 * x.p[3];
    M(3, 3) = 1.5 + 0.1 * x.p[4];
    M(4, 4) = 2.5;
    M(2, 4) = M(4, 2) = 0.3 * x.p[5];
  }
  template <class T>
  void Z(const Point<T>& x, MatrixView<T> Z) const {
    Z(0, 0) = T(1.0);
    Z(1, 1) = cos_(x.p[0]);
    Z(1, 2) = x.p[3] * 0.4;
    Z(2, 0) = -x.p[3];
    Z(2, 2) = 1.0 + x.p[1] * x.p[2];
    Z(3, 1) = x.p[2];
    Z(4, 3) = 1.0 + 0.2 * x.p[5];
    Z(5, 4) = T(1.0);
    Z(5, 0) = 0.3 * x.p[4];
  }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    f[0] = -x.v[1] * x.v[1] + x.r[0] * x.p[1] + x.w[0] - 0.2 * x.lambda[1];
    f[1] = sin_(x.p[2]) * x.v[0] + x.r[1] * x.s[0] + 0.3 * x.mu[0] * x.v[2];
    f[2] = x.t * x.p[3] + x.w[0] * x.w[0] - x.v[2] + 0.1 * x.lambda[0] * x.s[1];
    f[3] = -x.p[4] * x.v[4];
    f[4] = x.v[3] * x.v[3] - x.r[0];
  }
  template <class T>
  void b(const Point<T>& x, std::span<T> b) const {
    b[0] = -x.r[0] + x.v[0] * x.p[1] + 0.1 * x.lambda[0];
    b[1] = x.s[1] * x.r[1] * x.w[0] - x.t * x.mu[0];
  }
  template <class T>
  void d(const Point<T>& x, std::span<T> d) const {
    d[0] = 2.0 * x.w[0] + x.w[0] * x.w[0] * x.w[0] - x.p[0] * x.v[1] + 0.1 * x.lambda[1] - x.r[0] - x.t;
  }
  template <class T>
  void c(const Point<T>& x, std::span<T> c) const {
    c[0] = 2.0 * x.s[0] + x.s[1] * x.s[1] - x.p[0] * x.p[1] - 0.2 * x.t;
    c[1] = x.s[1] * 3.0 + 0.5 * sin_(x.s[0] * x.p[2]) - x.p[3] + 0.3 * x.t * x.t;
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[0] * x.p[0] + x.p[1] * x.s[0] - cos_(x.p[2] + x.t) + x.s[1] + 0.3 * x.p[4] * x.p[5];
    g[1] = x.p[3] * x.p[1] + x.s[1] * x.s[0] * x.p[0] + x.t * x.p[2];
  }
  template <class T>
  void H(const Point<T>& x, MatrixView<T> H) const {
    H(0, 0) = sin_(x.p[2]) + x.s[0];
    H(0, 1) = -cos_(x.p[0]);
    H(0, 2) = x.t * 0.5;
    H(0, 3) = x.s[1] * x.p[1];
    H(0, 4) = 0.4 * x.p[5];
  }
  template <class T>
  void h(const Point<T>& x, std::span<T> h) const {
    h[0] = 0.2 * x.p[3] * x.t - x.s[1];
  }
  template <class T>
  void e(const Point<T>& x, std::span<T> e) const {
    e[0] = 0.5 * (x.v[0] * x.v[0] + x.v[1] * x.v[2]) + x.v[3] * x.v[4] + x.p[2] * x.s[0] * x.t - 0.1;
  }
  template <class T>
  void n(const Point<T>& x, std::span<T> n) const {
    n[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] + x.p[2] * x.p[2] * x.p[3] - 1.0;
  }

 private:
  template <class T>
  static T sin_(const T& x) {
    using std::sin;
    return sin(x);
  }
  template <class T>
  static T cos_(const T& x) {
    using std::cos;
    return cos(x);
  }
};

}  // namespace trammel
