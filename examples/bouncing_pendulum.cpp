// Your own equations in C++: a pendulum that swings against a wall.
//
// A system is a struct with the functions it has, templated on the scalar; constraint Jacobians, hidden
// constraints and all derivatives follow exactly. An event finds the moment of impact, turns the velocity
// round with a loss, and the run goes on from a consistent state. What to see: the times of impact, and the
// length of the pendulum to the last digit.
#include <cmath>
#include <cstdio>

#include "trammel/motion/templated_equations.h"
#include "trammel/simulation/simulation.h"

struct Pendulum {
  double mass = 1, length = 1, gravity = 9.81;

  trammel::Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  trammel::Names names() const {
    trammel::Names names;
    names.p = {"x", "y"};
    names.g = {"length"};
    return names;
  }
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
  trammel::TemplatedEquations<Pendulum> equations{Pendulum{}};
  trammel::Options options;
  options.tolerances.relative = options.tolerances.absolute = 1e-8;
  trammel::Simulation simulation(equations, {"psf", "radau5"}, options);
  simulation.add_event(
      {.name = "wall",
       .function = [](const trammel::Point<double>& x) { return x.p[0] + 0.5; },
       .direction = trammel::Event::Direction::falling,
       .action = trammel::Event::Action::change,
       .change = [](double, const trammel::Layout& layout,
                    trammel::Vector& x) { x.segment(layout.v.begin, layout.v.size) *= -0.8; }});

  // let go horizontally; the multiplier is found by the assembly
  const trammel::Vector start = (trammel::Vector(5) << 1, 0, 0, 0, 0).finished();
  const trammel::Summary summary = simulation.run(start, 0, 3);

  std::puts(summary.full_report().c_str());
  for (const trammel::EventRecord& event : simulation.trajectory().events)
    std::printf("impact at t = %.9f\n", event.t);
  const bool good =
      summary.ok() && simulation.trajectory().events.size() >= 2 && summary.violation.position < 1e-12;
  return good ? 0 : 1;
}
