// Ordinary differential equations with known answers, and a run over one, for the tests of integrators.
#pragma once

#include <cmath>

#include "trammel/formulation/classical/index_reduction.h"
#include "trammel/integrator/integrator.h"
#include "trammel/motion/templated_equations.h"

namespace trammel::test {

// y' = y cos t, z' = −2 t z² : y = exp(sin t), z = 1/(1 + t²) from y = z = 1.
struct KnownSolution {
  Sizes sizes() const { return {.force_states = 2}; }
  template <class T>
  void b(const Point<T>& x, std::span<T> b) const {
    using std::cos;
    b[0] = x.r[0] * cos(x.t);
    b[1] = -2.0 * x.t * x.r[1] * x.r[1];
  }
  static Vector initial() { return Vector::Ones(2); }
  static Vector solution(double t) {
    return (Vector(2) << std::exp(std::sin(t)), 1 / (1 + t * t)).finished();
  }
};

// Van der Pol's equation with μ = 1e6 (E. Hairer, G. Wanner), and its published solution at t = 2.
struct StiffVanDerPol {
  Sizes sizes() const { return {.force_states = 2}; }
  template <class T>
  void b(const Point<T>& x, std::span<T> b) const {
    b[0] = x.r[1];
    b[1] = ((1.0 - x.r[0] * x.r[0]) * x.r[1] - x.r[0]) / 1e-6;
  }
  static Vector initial() { return (Vector(2) << 2, 0).finished(); }
  static Vector solution_at_2() { return (Vector(2) << 1.706167732170483, -0.8928097010247975).finished(); }
};

// y' = −λ (y − cos t): stiff for an explicit method, y near cos t.
struct StiffLinear {
  static constexpr double lambda = 2000;
  Sizes sizes() const { return {.force_states = 1}; }
  template <class T>
  void b(const Point<T>& x, std::span<T> b) const {
    using std::cos;
    b[0] = -lambda * (x.r[0] - cos(x.t));
  }
  static Vector initial() { return Vector::Ones(1); }
  static double solution(double t) {  // after the transient
    return (lambda * lambda * std::cos(t) + lambda * std::sin(t)) / (1 + lambda * lambda);
  }
};

// A bead on the parabola y = p²/2 under gravity: mass 1 + p², which depends on the position. Its energy
// (1 + p²) v²/2 + g p²/2 is constant.
struct Bead {
  static constexpr double gravity = 9.81;
  Sizes sizes() const { return {.positions = 1}; }
  template <class T>
  void M(const Point<T>& x, MatrixView<T> M) const {
    M(0, 0) = 1.0 + x.p[0] * x.p[0];
  }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    f[0] = -x.p[0] * x.v[0] * x.v[0] - gravity * x.p[0];
  }
  static Vector initial() { return (Vector(2) << 1, 0.5).finished(); }
  static double energy(const Vector& x) {
    return 0.5 * (1 + x[0] * x[0]) * x[1] * x[1] + 0.5 * gravity * x[0] * x[0];
  }
};

inline Outcome run(Integrator& integrator, const Vector& x0, double t_end, double h0 = 0) {
  Outcome outcome = integrator.start(0, x0, t_end, h0);
  while (outcome == Outcome::ok && integrator.t() < t_end) outcome = integrator.step(t_end);
  return outcome;
}

template <class System>
struct OdeRun {
  TemplatedEquations<System> equations{System{}};
  IndexReduction problem{equations, {.form = IndexReductionOptions::Form::ode}};
};

}  // namespace trammel::test
