// A user's program against the installed package: its version, then a pendulum written in a few lines.
#include <cmath>
#include <cstdio>
#include <iostream>

#include "trammel/motion/templated_equations.h"
#include "trammel/simulation/simulation.h"
#include "trammel/version.h"

struct Pendulum {
  double mass = 1, length = 1, gravity = 9.81;
  trammel::Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  template <class T>
  void M(const trammel::Point<T>&, trammel::MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = mass;
  }
  template <class T>
  void f(const trammel::Point<T>&, std::span<T> f) const {
    f[1] = -mass * gravity;
  }
  template <class T>
  void g(const trammel::Point<T>& x, std::span<T> g) const {
    g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - length * length;
  }
};

int main() {
  std::cout << trammel::version << "\n";
  trammel::TemplatedEquations<Pendulum> equations{Pendulum{}};
  trammel::Options options;
  options.tolerances.relative = options.tolerances.absolute = 1e-9;
  trammel::Simulation simulation(equations, {"psf", "radau5"}, options);
  const trammel::Summary summary = simulation.run((trammel::Vector(5) << 1, 0, 0, 0, 0).finished(), 0, 1);
  std::cout << summary.brief_report() << "\n";
  // let go horizontally: x at t = 1 from an independent computation in quadruple precision
  return summary.ok() && std::abs(summary.final_state[0] + 9.862917511318753e-01) < 1e-7 ? 0 : 1;
}
