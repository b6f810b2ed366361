// Planar bushings whose stiffness is 1/ε while the body moves on a circle: where the force of the bushing is
// taken up by the constraint, Newton's iteration has a hard time, and the iterations CS and CM differ.
//
//   body (x, y, θ) of unit mass and inertia, gravity g along −y, constraints ½(x² + y² − l) = 0 and θ = 0;
//   the bushing acts between a point s of the body and a point s₀ of the other, in the axes A of the body:
//   d = r₀ + A₀ s₀ − r − A s,   force on the body A (K Aᵀ d + C Aᵀ d'), K = diag(kx, ky)/ε, C = diag(cx, cy).
//
// swing > 0 moves the point of the ground along the unit circle and back, by the angle swing · sin⁴(ωt/2): a
// smooth motion on which the force of the bushing stays of order 1 however small ε is.
//
// Three cases:
//   bodies = 1                 s = (−1/2, 0), s₀ = (1/2, 0) on the ground, l = 1 + ε²: the equilibrium
//                              (1, −ε, 0) of the bushing lies on the circle
//   bodies = 1, preloaded = 1  both points at the origins: a force of 1/ε across the circle; l = 1
//   bodies = 2                 the same between two bodies, the first of them held at the origin; only a
//                              bushing keeps the second from turning
//
// J. Yen, L. R. Petzold, On the numerical solution of constrained multibody dynamic systems, University of
// Minnesota preprint (1996), section 5, where one implicit Euler step is examined (tables 1 and 3), and 0.5 s
// of the second case with two bodies (table 4).
//
// What is printed for two bodies cannot all be meant: the position (0.9989, −0.001485) does not lie on the
// circle. The velocity (−0.675e-4, −0.45444e-2) is along the circle at y/x = −0.675/45.444, which is
// (0.99989, −0.01485): a digit is lost in both numbers. The last columns of table 4 are the position x and
// the velocity x', as the text says. And gravity is not 13.5 but the one with which a pendulum of unit
// length, let go from the horizontal, swings in 2 s. With this reading our end is (0.8527343, −0.6447489),
// the published one (0.8527342, −0.6447488).
#include <array>
#include <cmath>

#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

struct BushingData {
  bool held_body = false;  // two bodies
  double s = 0, s0 = 0;    // along the x axes
  double kx = 0, ky = 0, ktheta = 0, cx = 0, cy = 0, ctheta = 0;
  double gravity = 1, l = 1;
  double swing = 0, omega = 0;

  // Force and torques, on the body and on the other, from their coordinates and velocities (x, y, θ).
  template <class T>
  struct Action {
    T fx, fy, torque, other_torque;
  };
  template <class T>
  Action<T> act(const T* q, const T* v, const T* q0, const T* v0) const {
    using std::cos, std::sin;
    const T c = cos(q[2]), sn = sin(q[2]), c0 = cos(q0[2]), sn0 = sin(q0[2]);
    const T dx = q0[0] + s0 * c0 - q[0] - s * c, dy = q0[1] + s0 * sn0 - q[1] - s * sn;
    const T ex = v0[0] - s0 * sn0 * v0[2] - v[0] + s * sn * v[2];
    const T ey = v0[1] + s0 * c0 * v0[2] - v[1] - s * c * v[2];
    const T along = kx * (c * dx + sn * dy) + cx * (c * ex + sn * ey);
    const T across = ky * (c * dy - sn * dx) + cy * (c * ey - sn * ex);
    Action<T> a;
    a.fx = c * along - sn * across;
    a.fy = sn * along + c * across;
    const T twist = ktheta * (q0[2] - q[2]) + ctheta * (v0[2] - v[2]);
    a.torque = s * (c * a.fy - sn * a.fx) + twist;
    a.other_torque = -s0 * (c0 * a.fy - sn0 * a.fx) - twist;
    return a;
  }
};

// (x, y, θ) against the ground.
struct OneBody {
  BushingData data;

  Sizes sizes() const { return {.positions = 3, .holonomic = 2}; }
  Structure structure() const {
    return {.constant_mass = true, .diagonal_mass = true, .autonomous = data.swing == 0};
  }
  Names names() const {
    Names names;
    names.p = {"x", "y", "theta"};
    names.v = {"vx", "vy", "omega"};
    names.lambda = {"lambda_circle", "lambda_theta"};
    names.g = {"circle", "theta"};
    return names;
  }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    for (Index i = 0; i < 3; ++i) M(i, i) = 1;
  }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    using std::cos, std::sin;
    const T sine = sin(0.5 * data.omega * x.t), cube = sine * sine * sine;
    const T angle = data.swing * cube * sine;
    const T rate = 2.0 * data.swing * data.omega * cube * cos(0.5 * data.omega * x.t);
    const std::array<T, 3> ground{cos(angle) - 1.0, sin(angle), T(0)};
    const std::array<T, 3> ground_rate{-sin(angle) * rate, cos(angle) * rate, T(0)};
    const auto a = data.act(x.p.data(), x.v.data(), ground.data(), ground_rate.data());
    f[0] = a.fx;
    f[1] = a.fy - data.gravity;
    f[2] = a.torque;
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = 0.5 * (x.p[0] * x.p[0] + x.p[1] * x.p[1] - data.l);
    g[1] = x.p[2];
  }
};

// The held body first.
struct TwoBodies {
  BushingData data;

  Sizes sizes() const { return {.positions = 6, .holonomic = 4}; }
  Structure structure() const { return {.constant_mass = true, .diagonal_mass = true, .autonomous = true}; }
  Names names() const {
    Names names;
    names.p = {"x1", "y1", "theta1", "x", "y", "theta"};
    names.v = {"vx1", "vy1", "omega1", "vx", "vy", "omega"};
    names.lambda = {"lambda_x1", "lambda_y1", "lambda_theta1", "lambda_circle"};
    names.g = {"held x", "held y", "held theta", "circle"};
    return names;
  }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    for (Index i = 0; i < 6; ++i) M(i, i) = 1;
  }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    const auto a = data.act(x.p.data() + 3, x.v.data() + 3, x.p.data(), x.v.data());
    f[0] = -a.fx;
    f[1] = -a.fy - data.gravity;
    f[2] = a.other_torque;
    f[3] = a.fx;
    f[4] = a.fy - data.gravity;
    f[5] = a.torque;
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    for (std::size_t i = 0; i < 3; ++i) g[i] = x.p[i];
    const T dx = x.p[3] - x.p[0], dy = x.p[4] - x.p[1];
    g[3] = 0.5 * (dx * dx + dy * dy - data.l);
  }
};

// Of a period of 2 s.
constexpr double two_seconds_gravity = 13.750371636040745655;
constexpr double initial_vx = -0.675e-4, initial_vy = -0.45444e-2;

// A parameter that has another value in each case is 0 in the list, which stands for that.
double or_else(double value, double standard) { return value != 0 ? value : standard; }

ProblemCase make_bushing(const std::map<std::string, double>& values) {
  const int bodies = whole_number(values, "bodies", 1, 2);
  const bool preloaded = whole_number(values, "preloaded", 0, 1) == 1 || bodies == 2;
  const double epsilon = positive(values, "epsilon");
  BushingData data;
  data.held_body = bodies == 2;
  data.s = preloaded ? 0 : -0.5;
  data.s0 = preloaded ? 0 : 0.5;
  data.kx = positive(values, "kx") / epsilon;
  data.ky = positive(values, "ky") / epsilon;
  data.ktheta = positive(values, "ktheta") / epsilon;
  data.cx = values.at("cx");
  data.cy = values.at("cy");
  data.ctheta = values.at("ctheta");
  data.gravity = or_else(values.at("g"), bodies == 2 ? two_seconds_gravity : 1);
  data.l = preloaded ? 1 : 1 + epsilon * epsilon;
  data.swing = values.at("swing");
  data.omega = values.at("omega");
  if (data.swing != 0 && preloaded)
    throw std::invalid_argument("parameter 'swing' is for one body whose bushing is not preloaded");

  const double x = or_else(values.at("x0"), bodies == 2 ? std::cos(std::atan(initial_vx / initial_vy))
                                            : preloaded || data.swing != 0 ? 1
                                                                           : 0.9);
  if (!(std::abs(x) <= std::sqrt(data.l)))
    throw std::invalid_argument(
        fmt::format("parameter 'x0' = {} is not on the circle of radius {}", x, std::sqrt(data.l)));
  const double y = -std::sqrt(std::max(data.l - x * x, 0.0));
  const double along = bodies == 2 ? initial_vy : preloaded || data.swing != 0 ? 0 : -1e-2;  // vy
  ProblemCase result;
  if (bodies == 2) {
    result.equations = std::make_unique<TemplatedEquations<TwoBodies>>(TwoBodies{data});
    result.x0 = Vector::Zero(16);
    result.x0.segment(3, 2) << x, y;
    result.x0.segment(9, 2) << -along * y / x, along;
  } else {
    result.equations = std::make_unique<TemplatedEquations<OneBody>>(OneBody{data});
    result.x0 = Vector::Zero(8);
    result.x0.head(2) << x, y;
    result.x0.segment(3, 2) << (x != 0 ? -along * y / x : 0), (x != 0 ? along : 0);
  }
  result.t_end = bodies == 2 ? 0.5 : data.swing != 0 ? 1 : 0.05;
  result.rtol = result.atol = 1e-6;
  result.method = "cm/ida";
  result.drawing.points = {{"", "", preloaded ? 0 : 0.5, 0}, {"x", "y"}, {"", "", 0, 0}};
  result.drawing.lines = {{0, 1}};
  result.drawing.circles = {{1, 0.05}, {2, std::sqrt(data.l), true}};
  return result;
}

}  // namespace

BuiltinProblem bushing_problem() {
  return {"bushing",
          "a body on a circle, held by a stiff bushing; one or two bodies, preloaded or not",
          "Yen, Petzold, numerical solution of constrained multibody dynamic systems (1996), section 5",
          "none: no reference solution is published in full",
          {{"bodies", 1, "1: against the ground, 2: against a body that is held"},
           {"preloaded", 0, "1: the bushing pulls across the circle with 1/epsilon (always with two bodies)"},
           {"epsilon", 1e-5, "the inverse of the stiffness"},
           {"kx", 1, "stiffness along x of the body, times epsilon"},
           {"ky", 1, "stiffness along y of the body, times epsilon"},
           {"ktheta", 1, "stiffness about z, times epsilon"},
           {"cx", 10, "damping along x of the body"},
           {"cy", 10, "damping along y of the body"},
           {"ctheta", 10, "damping about z"},
           {"g", 0, "gravity along -y; 0: 1, with two bodies 13.7504"},
           {"x0", 0, "initial x, with y below; 0: 0.9, preloaded or with swing 1, with two bodies 0.99989"},
           {"swing", 0, "angle by which the point of the ground moves along the circle and back [rad]"},
           {"omega", 6.283185307179586, "2 pi over the time that this takes [rad/s]"}},
          make_bushing};
}

}  // namespace trammel
