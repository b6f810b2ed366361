// The mathematical pendulum in Cartesian coordinates: m p'' = (0, −m g) − 2 p λ, 0 = x² + y² − L².
//
// A. Steinbrecher, GEOMS (WIAS preprint 1259, 2007), examples 2.8 and 4.1. Its motion is known exactly at any
// time. Of the same equations are the pendulum of SUNDIALS (cvsPendulum_dns), which has the period 2 from
// horizontal rest by its choice of g, that of Test-Set-for-IVP-solvers (vick2075; m = L = g = 1), and the
// simple pendulum A01 of the IFToMM library.
#include <cmath>
#include <numbers>

#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"
#include "trammel/published/exact_pendulum.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

struct Pendulum {
  double mass, length, gravity, energy;

  Sizes sizes() const { return {.positions = 2, .holonomic = 1, .invariants = 1}; }
  Structure structure() const { return {.constant_mass = true, .diagonal_mass = true, .autonomous = true}; }
  Names names() const {
    Names names;
    names.p = {"x", "y"};
    names.v = {"vx", "vy"};
    names.lambda = {"lambda"};
    names.g = {"length"};
    names.e = {"energy"};
    return names;
  }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = mass;
  }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    f[1] = -mass * gravity;
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - length * length;
  }
  template <class T>
  void e(const Point<T>& x, std::span<T> e) const {
    e[0] = 0.5 * mass * (x.v[0] * x.v[0] + x.v[1] * x.v[1]) + mass * gravity * x.p[1] - energy;
  }
};

ProblemCase make_pendulum(const std::map<std::string, double>& values) {
  const double m = positive(values, "m"), L = positive(values, "L"), gravity = values.at("g");
  const double angle = values.at("angle"), v10 = values.at("v10");
  ProblemCase result;
  result.x0 = Vector::Zero(5);
  result.x0 << L * std::sin(angle), -L * std::cos(angle), v10 * std::cos(angle), v10 * std::sin(angle), 0;
  const double energy = 0.5 * m * v10 * v10 - m * gravity * L * std::cos(angle);
  result.equations = std::make_unique<TemplatedEquations<Pendulum>>(Pendulum{m, L, gravity, energy});
  result.t_end = 5;
  result.rtol = result.atol = 1e-7;
  result.h0 = 0.01;
  result.drawing.points = {{"", "", 0, 0}, {"x", "y"}};
  result.drawing.lines = {{0, 1}};
  result.drawing.circles = {{1, 0.06 * L}};
  result.drawing.traces = {1};

  if (gravity > 0) {
    const ExactPendulum exact(std::sqrt(gravity / L), angle, v10 / L);
    result.digits = [exact, L](double t, const Vector& x) -> std::optional<double> {
      const auto motion = exact.at(t);
      if (!motion) return std::nullopt;
      const double speed = L * motion->speed;
      const Eigen::Vector4d state(L * motion->sine, -L * motion->cosine, speed * motion->cosine,
                                  speed * motion->sine);
      return digits_of((x.head<4>() - state).lpNorm<Eigen::Infinity>());
    };
  }
  return result;
}

std::vector<ProblemParameter> pendulum_parameters() {
  return {{"m", 1, "mass"},
          {"L", 1, "length"},
          {"g", 13.75, "gravity; 13.750371636040745655 gives the period 2 from horizontal rest"},
          {"angle", 0, "initial deviation from hanging down [rad]"},
          {"v10", 2.8, "initial speed along the circle"}};
}

constexpr const char* error_of_pendulum =
    "largest error of x, y and their rates against the exact solution at any t (g > 0)";

// From rest at (−1, 0); the energy is zero there.
ProblemCase make_simple_pendulum(const std::map<std::string, double>& values) {
  const double m = positive(values, "m"), L = positive(values, "L"), gravity = positive(values, "g");
  ProblemCase result =
      make_pendulum({{"m", m}, {"L", L}, {"g", gravity}, {"angle", -std::numbers::pi / 2}, {"v10", 0}});
  result.t_end = 10;
  result.rtol = result.atol = 1e-6;
  result.h0 = 0;
  result.energy = [m, gravity](double, const Vector& x) {
    return m * (0.5 * x.segment<2>(2).squaredNorm() + gravity * x[1]);
  };
  return result;
}

}  // namespace

BuiltinProblem pendulum_problem() {
  return {"pendulum",
          "mathematical pendulum in Cartesian coordinates (index 3)",
          "Steinbrecher, GEOMS, WIAS preprint 1259 (2007), example 4.1",
          error_of_pendulum,
          pendulum_parameters(),
          make_pendulum};
}

BuiltinProblem pendulum_energy_problem() {
  return {"pendulum-energy",
          "the same pendulum with its energy kept as an invariant",
          "Steinbrecher, GEOMS, WIAS preprint 1259 (2007), example 4.1 (psfEoM+I)",
          error_of_pendulum,
          pendulum_parameters(),
          [](const std::map<std::string, double>& values) {
            ProblemCase result = make_pendulum(values);
            result.enforce_invariants = true;
            return result;
          }};
}

BuiltinProblem simple_pendulum_problem() {
  return {"simple-pendulum",
          "point mass on a bar, let go from the horizontal, 10 s",
          "IFToMM library of multibody benchmarks, A01 (González and others)",
          "largest error of x, y and their rates against the exact solution at any t; the library counts the "
          "drift of "
          "the energy, which is given too",
          {{"m", 1, "mass"}, {"L", 1, "length"}, {"g", 9.81, "gravity"}},
          make_simple_pendulum};
}

}  // namespace trammel
