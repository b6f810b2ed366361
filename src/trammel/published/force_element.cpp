// A pendulum held by a creeping strut: a system with a dynamic force element (r) and an auxiliary variable
// (w).
//
// From the fixed point A = (xa, ya) to the bob runs a spring in series with a dashpot (a Maxwell element).
// With l the distance of the bob from A, l0 that at the start, r the elongation of the dashpot and w the
// force in both,
//
//   m p'' = (0, −m g) − w (p − A)/l − 2 p λ,   0 = x² + y² − L²,
//   r' = w/c,                                  the dashpot
//   0 = w/k + beta (w/k)³ − (l − l0 − r),      the spring, which softens (Ramberg and Osgood): w is not
//                                              given explicitly.
//
// The energy of bob and spring, w²/(2k) + ¾ beta w⁴/k³ for the latter, falls at the rate w²/c. There is no
// published solution. The reference is our own: an ordinary differential equation in the angle of the
// pendulum and r, solved in quadruple precision (three grids agree in all digits).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

struct StrutPendulum {
  double mass, length, gravity;
  double xa, ya, l0;
  double k, beta, c;

  Sizes sizes() const { return {.positions = 2, .force_states = 1, .auxiliaries = 1, .holonomic = 1}; }
  Structure structure() const { return {.constant_mass = true, .diagonal_mass = true, .autonomous = true}; }
  Names names() const {
    Names names;
    names.p = {"x", "y"};
    names.v = {"vx", "vy"};
    names.r = {"dashpot"};
    names.w = {"strut_force"};
    names.lambda = {"lambda"};
    names.g = {"length"};
    names.d = {"spring"};
    return names;
  }
  template <class T>
  T distance(const Point<T>& x) const {
    using std::sqrt;
    const T dx = x.p[0] - xa, dy = x.p[1] - ya;
    return sqrt(dx * dx + dy * dy);
  }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = mass;
  }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    const T pull = x.w[0] / distance(x);
    f[0] = -pull * (x.p[0] - xa);
    f[1] = -pull * (x.p[1] - ya) - mass * gravity;
  }
  template <class T>
  void b(const Point<T>& x, std::span<T> b) const {
    b[0] = x.w[0] / c;
  }
  template <class T>
  void d(const Point<T>& x, std::span<T> d) const {
    const T linear = x.w[0] / k;
    d[0] = linear + beta * linear * linear * linear - (distance(x) - l0 - x.r[0]);
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - length * length;
  }
};

// x, y, r, w at t = 5 for the default parameters.
constexpr double force_element_reference[4] = {1.6045373662899490453e-01, -9.8704336196632878166e-01,
                                               1.2146816728123678242e+00, 7.8819312851228746216e-01};

std::optional<double> force_element_digits(double t, const Vector& x) {
  if (std::abs(t - 5) > 1e-12) return std::nullopt;
  double error = 0;
  for (Index i = 0; i < 2; ++i)
    error = std::max({error, std::abs(x[i] - force_element_reference[i]),
                      std::abs(x[4 + i] - force_element_reference[2 + i])});
  return digits_of(error);
}

ProblemCase make_force_element(const std::map<std::string, double>& values) {
  const double L = positive(values, "L"), angle = values.at("angle");
  const double x = L * std::sin(angle), y = -L * std::cos(angle), xa = values.at("xa"), ya = values.at("ya");
  // a strut that can shrink to nothing has no direction there
  if (!(std::abs(std::hypot(xa, ya) - L) > 1e-3 * L))
    throw std::invalid_argument(
        fmt::format("the strut must not end on the circle of the bob: xa = {}, ya = {}, L = {}", xa, ya, L));
  if (!(values.at("beta") >= 0))
    throw std::invalid_argument(fmt::format("parameter 'beta' = {} must not be negative", values.at("beta")));
  ProblemCase result;
  result.equations =
      std::make_unique<TemplatedEquations<StrutPendulum>>(StrutPendulum{.mass = positive(values, "m"),
                                                                        .length = L,
                                                                        .gravity = values.at("g"),
                                                                        .xa = xa,
                                                                        .ya = ya,
                                                                        .l0 = std::hypot(x - xa, y - ya),
                                                                        .k = positive(values, "k"),
                                                                        .beta = values.at("beta"),
                                                                        .c = positive(values, "c")});
  result.x0 = Vector::Zero(7);
  result.x0.head(2) << x, y;
  result.t_end = 5;
  result.drawing.points = {{"", "", 0, 0}, {"x", "y"}, {"", "", xa, ya}};
  result.drawing.lines = {{0, 1}, {1, 2}};
  result.drawing.circles = {{1, 0.06 * L}};
  result.drawing.traces = {1};
  if (values == force_element_problem().values({})) result.digits = force_element_digits;
  return result;
}

}  // namespace

BuiltinProblem force_element_problem() {
  return {"force-element",
          "pendulum held by a softening spring and a dashpot in series (dynamic force element, auxiliary "
          "variable)",
          "own problem and reference solution, to try dynamic force elements and auxiliary variables",
          "largest error of x, y, r and w at t = 5; own reference in quadruple precision",
          {{"m", 1, "mass"},
           {"L", 1, "length"},
           {"g", 9.81, "gravity"},
           {"angle", 1.5, "initial deviation from hanging down [rad]"},
           {"xa", 1.5, "fixed end of the strut, x"},
           {"ya", 0.5, "fixed end of the strut, y"},
           {"k", 30, "stiffness of the spring at first"},
           {"beta", 2, "softening of the spring; 0: linear"},
           {"c", 20, "damping of the dashpot"}},
          make_force_element};
}

}  // namespace trammel
