// The Chaplygin sleigh: a body on a horizontal plane that a blade lets move along itself only (nonholonomic),
// with its centre of mass at the distance a ahead of the blade. No force acts.
//
// A. M. Bloch, Nonholonomic Mechanics and Control (2nd ed., 2015), section 1.7; values of m, Theta, a as in
// the example chaplygin_sleigh of solve_dae. Coordinates are the contact point (x, y) of the blade and the
// heading phi, so that
//
//       ( m             0            −m a sin phi )        ( m a omega² cos phi )
//   M = ( 0             m             m a cos phi ),   f = ( m a omega² sin phi ),
//       ( −m a sin phi  m a cos phi   Theta + m a²)        (          0         )
//
//   H = (−sin phi, cos phi, 0).
//
// With u the speed of the contact point along the blade and K² = Theta/m + a² this leaves
//
//   u' = a omega²,   omega' = −(a/K²) u omega,   u² + K² omega² = c² constant,
//
// hence u' = (a/K²)(c² − u²) and, with tau = (a c/K²) t + tau_0, sinh tau_0 = u_0/(K |omega_0|),
//
//   u = c tanh tau,   omega = ±(c/K)/cosh tau,
//   phi = phi_0 ± (K/a) (gd tau − gd tau_0),   gd tau = 2 atan tanh(tau/2),
//
// and the sideways force on the blade −mu = (Theta/K²) u omega: a sleigh that moves backwards turns round and
// ends up moving straight ahead.
#include <cmath>

#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

struct ChaplyginSleigh {
  double mass, inertia, a, energy;

  Sizes sizes() const { return {.positions = 3, .nonholonomic = 1, .invariants = 1}; }
  Structure structure() const { return {.autonomous = true}; }
  Names names() const {
    Names names;
    names.p = {"x", "y", "phi"};
    names.v = {"vx", "vy", "omega"};
    names.mu = {"mu"};
    names.h = {"blade"};
    names.e = {"energy"};
    return names;
  }
  template <class T>
  void M(const Point<T>& x, MatrixView<T> M) const {
    using std::cos, std::sin;
    M(0, 0) = M(1, 1) = mass;
    M(0, 2) = M(2, 0) = -mass * a * sin(x.p[2]);
    M(1, 2) = M(2, 1) = mass * a * cos(x.p[2]);
    M(2, 2) = inertia + mass * a * a;
  }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    using std::cos, std::sin;
    const T centrifugal = mass * a * x.v[2] * x.v[2];
    f[0] = centrifugal * cos(x.p[2]);
    f[1] = centrifugal * sin(x.p[2]);
  }
  template <class T>
  void H(const Point<T>& x, MatrixView<T> H) const {
    using std::cos, std::sin;
    H(0, 0) = -sin(x.p[2]);
    H(0, 1) = cos(x.p[2]);
  }
  template <class T>
  void e(const Point<T>& x, std::span<T> e) const {
    using std::cos, std::sin;
    // velocity of the centre of mass
    const T& omega = x.v[2];
    const T vx = x.v[0] - a * omega * sin(x.p[2]), vy = x.v[1] + a * omega * cos(x.p[2]);
    e[0] = 0.5 * (mass * (vx * vx + vy * vy) + inertia * omega * omega) - energy;
  }
};

// Speed along the blade, angular speed and heading as functions of time.
struct ReducedMotion {
  double a, K, u0, omega0, phi0;

  Eigen::Vector3d operator()(double t) const {
    if (omega0 == 0) return {u0, 0, phi0};
    const double c = std::hypot(u0, K * omega0), sign = std::copysign(1.0, omega0);
    const double tau0 = std::asinh(u0 / (K * std::abs(omega0))), tau = a * c / (K * K) * t + tau0;
    const auto gudermann = [](double x) { return 2 * std::atan(std::tanh(x / 2)); };
    return {c * std::tanh(tau), sign * c / K / std::cosh(tau),
            phi0 + sign * K / a * (gudermann(tau) - gudermann(tau0))};
  }
};

ProblemCase make_sleigh(const std::map<std::string, double>& values) {
  const double m = positive(values, "m"), Theta = positive(values, "Theta"), a = positive(values, "a");
  const double u0 = values.at("u0"), omega0 = values.at("omega0");
  const double K = std::sqrt(Theta / m + a * a);
  ProblemCase result;
  const double energy = 0.5 * m * (u0 * u0 + K * K * omega0 * omega0);
  result.equations =
      std::make_unique<TemplatedEquations<ChaplyginSleigh>>(ChaplyginSleigh{m, Theta, a, energy});
  result.x0 = Vector::Zero(7);
  result.x0[3] = u0;
  result.x0[5] = omega0;
  result.x0[6] = -Theta / (K * K) * u0 * omega0;
  result.t_end = 10;
  result.drawn_columns = {{"tip_x", [](const Vector& x) { return x[0] + 0.2 * std::cos(x[2]); }},
                          {"tip_y", [](const Vector& x) { return x[1] + 0.2 * std::sin(x[2]); }}};
  result.drawing.points = {{"x", "y"}, {"tip_x", "tip_y"}};
  result.drawing.lines = {{0, 1}};
  result.drawing.traces = {0};
  result.rtol = result.atol = 1e-8;

  // the largest error of u, omega and phi; x and y have no closed form
  const ReducedMotion exact{a, K, u0, omega0, 0};
  result.digits = [exact](double t, const Vector& x) -> std::optional<double> {
    const double u = x[3] * std::cos(x[2]) + x[4] * std::sin(x[2]);
    return digits_of((Eigen::Vector3d(u, x[5], x[2]) - exact(t)).lpNorm<Eigen::Infinity>());
  };
  return result;
}

}  // namespace

BuiltinProblem chaplygin_sleigh_problem() {
  return {"chaplygin-sleigh",
          "Chaplygin sleigh: a body on a blade that cannot slip sideways (nonholonomic)",
          "Bloch, Nonholonomic Mechanics and Control (2015), section 1.7",
          "largest error of speed along the blade, angular speed and heading, against the exact solution at "
          "any t",
          {{"m", 1, "mass"},
           {"Theta", 0.1, "inertia about the centre of mass"},
           {"a", 0.1, "distance of the centre of mass ahead of the blade"},
           {"u0", -1, "initial speed along the blade; negative: backwards, so that the sleigh turns round"},
           {"omega0", 1, "initial angular speed"}},
          make_sleigh};
}

}  // namespace trammel
