// The mathematical pendulum in Cartesian coordinates: m p'' = (0, −m g) − 2 p λ, 0 = x² + y² − L².
//
// A. Steinbrecher, GEOMS (WIAS preprint 1259, 2007), examples 2.8 and 4.1. With m = L = 1 and g
// = 13.7503716360407... a pendulum let go horizontally has the period 2 (SUNDIALS, cvsPendulum_dns), so that
// its state is known exactly after every period.
#include <cmath>
#include <numbers>

#include "trammel/motion/templated_equations.h"
#include "trammel/problems/builtin.h"
#include "trammel/problems/parameter_checks.h"

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

constexpr double unit_period_gravity = 13.750371636040745654980191559621;

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

  // horizontal at rest with the right gravity: the period is 2
  const bool known = m > 0 && L == 1 && v10 == 0 &&
                     std::abs(std::abs(angle) - std::numbers::pi / 2) < 1e-15 &&
                     std::abs(gravity - unit_period_gravity) < 1e-14;
  if (known) {
    const Vector start = result.x0;
    result.digits = [start](double t, const Vector& x) -> std::optional<double> {
      if (std::abs(std::remainder(t, 2.0)) > 1e-12 * (1 + t)) return std::nullopt;
      return digits_of((x - start).head(4).lpNorm<Eigen::Infinity>());
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

}  // namespace

BuiltinProblem pendulum_problem() {
  return {"pendulum", "mathematical pendulum in Cartesian coordinates (index 3)",
          "Steinbrecher, GEOMS, WIAS preprint 1259 (2007), example 4.1", pendulum_parameters(),
          make_pendulum};
}

BuiltinProblem pendulum_energy_problem() {
  return {"pendulum-energy", "the same pendulum with its energy kept as an invariant",
          "Steinbrecher, GEOMS, WIAS preprint 1259 (2007), example 4.1 (psfEoM+I)", pendulum_parameters(),
          [](const std::map<std::string, double>& values) {
            ProblemCase result = make_pendulum(values);
            result.enforce_invariants = true;
            return result;
          }};
}

}  // namespace trammel
