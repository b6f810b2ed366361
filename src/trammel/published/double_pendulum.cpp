// A planar double pendulum made stiff by two rotational spring-dampers, the second of them with a dominant
// eigenvalue of −1e5:
//
//   link i: slender rod of mass m_i and half length L_i at the absolute angle θ_i, link 1 hinged to the
//   ground, link 2 to the far end of link 1,
//   torque on link 1  −k₁ (θ₁ − zero₁) − c₁ θ₁' + T₂,      on link 2  −T₂,
//   T₂ = k₂ (θ₂ − θ₁ − zero₂) + c₂ (θ₂' − θ₁').
//
// D. Negrut, E. J. Haug, H. C. German, An implicit Runge-Kutta method for integration of differential
// algebraic equations of multibody dynamics (2003), section 5.1. It has two forms: Cartesian coordinates with
// four constraints, and the ODE in the two angles, for integrators without a formulation.
#include <array>
#include <cmath>
#include <numbers>

#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

struct Links {
  std::array<double, 2> mass, half_length;
  std::array<double, 2> stiffness, damping,
      zero;  // of the spring-dampers: ground to link 1, link 1 to link 2
  double gravity;

  double inertia(std::size_t link) const {
    return mass[link] * half_length[link] * half_length[link] / 3;  // about its middle
  }

  template <class T>
  std::array<T, 2> torques(const std::array<T, 2>& theta, const std::array<T, 2>& omega) const {
    const T first = stiffness[0] * (theta[0] - zero[0]) + damping[0] * omega[0];
    const T second = stiffness[1] * (theta[1] - theta[0] - zero[1]) + damping[1] * (omega[1] - omega[0]);
    return {second - first, -second};
  }
};

// (x, y, θ) of the middle of each link.
struct CartesianDoublePendulum {
  Links links;

  Sizes sizes() const { return {.positions = 6, .holonomic = 4}; }
  Structure structure() const { return {.constant_mass = true, .diagonal_mass = true, .autonomous = true}; }
  Names names() const {
    Names names;
    names.p = {"x1", "y1", "theta1", "x2", "y2", "theta2"};
    names.v = {"vx1", "vy1", "omega1", "vx2", "vy2", "omega2"};
    names.lambda = {"lambda_Ox", "lambda_Oy", "lambda_Ax", "lambda_Ay"};
    names.g = {"hinge O x", "hinge O y", "hinge A x", "hinge A y"};
    return names;
  }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    for (std::size_t link = 0; link < 2; ++link) {
      const auto i = static_cast<Index>(3 * link);
      M(i, i) = M(i + 1, i + 1) = links.mass[link];
      M(i + 2, i + 2) = links.inertia(link);
    }
  }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    const std::array<T, 2> torques =
        links.torques(std::array<T, 2>{x.p[2], x.p[5]}, std::array<T, 2>{x.v[2], x.v[5]});
    for (std::size_t link = 0; link < 2; ++link) {
      f[3 * link + 1] = -links.mass[link] * links.gravity;
      f[3 * link + 2] = torques[link];
    }
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    using std::cos, std::sin;
    const auto [L1, L2] = links.half_length;
    g[0] = x.p[0] - L1 * cos(x.p[2]);
    g[1] = x.p[1] - L1 * sin(x.p[2]);
    g[2] = x.p[3] - L2 * cos(x.p[5]) - x.p[0] - L1 * cos(x.p[2]);
    g[3] = x.p[4] - L2 * sin(x.p[5]) - x.p[1] - L1 * sin(x.p[2]);
  }
};

// (θ₁, θ₂)
struct ReducedDoublePendulum {
  Links links;

  Sizes sizes() const { return {.positions = 2}; }
  Structure structure() const { return {.autonomous = true}; }
  Names names() const {
    Names names;
    names.p = {"theta1", "theta2"};
    names.v = {"omega1", "omega2"};
    return names;
  }
  // m₂ times the distance of the hinges times the half length of link 2
  double coupling() const { return 2 * links.mass[1] * links.half_length[0] * links.half_length[1]; }

  template <class T>
  void M(const Point<T>& x, MatrixView<T> M) const {
    using std::cos;
    const auto [L1, L2] = links.half_length;
    M(0, 0) = links.inertia(0) + (links.mass[0] + 4 * links.mass[1]) * L1 * L1;
    M(1, 1) = links.inertia(1) + links.mass[1] * L2 * L2;
    M(0, 1) = M(1, 0) = coupling() * cos(x.p[0] - x.p[1]);
  }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    using std::cos, std::sin;
    const auto [m1, m2] = links.mass;
    const auto [L1, L2] = links.half_length;
    const std::array<T, 2> torques =
        links.torques(std::array<T, 2>{x.p[0], x.p[1]}, std::array<T, 2>{x.v[0], x.v[1]});
    const T centrifugal = coupling() * sin(x.p[0] - x.p[1]);
    f[0] = torques[0] - (m1 + 2 * m2) * L1 * links.gravity * cos(x.p[0]) - centrifugal * x.v[1] * x.v[1];
    f[1] = torques[1] - m2 * L2 * links.gravity * cos(x.p[1]) + centrifugal * x.v[0] * x.v[0];
  }
};

Links links_of(const std::map<std::string, double>& values) {
  const auto not_negative = [&](const std::string& name) {
    const double value = values.at(name);
    if (!(value >= 0))
      throw std::invalid_argument(fmt::format("parameter '{}' = {} must not be negative", name, value));
    return value;
  };
  return {.mass = {positive(values, "m1"), positive(values, "m2")},
          .half_length = {positive(values, "L1"), positive(values, "L2")},
          .stiffness = {not_negative("k1"), not_negative("k2")},
          .damping = {not_negative("c1"), not_negative("c2")},
          .zero = {values.at("zero1"), values.at("zero2")},
          .gravity = values.at("g")};
}

std::vector<ProblemParameter> double_pendulum_parameters() {
  const double pi = std::numbers::pi;
  return {{"m1", 3, "mass of link 1"},
          {"m2", 0.3, "mass of link 2"},
          {"L1", 1, "half the length of link 1"},
          {"L2", 1.5, "half the length of link 2"},
          {"k1", 400, "stiffness between ground and link 1"},
          {"k2", 3e5, "stiffness between the links"},
          {"c1", 15, "damping between ground and link 1"},
          {"c2", 5e4, "damping between the links"},
          {"zero1", 1.5 * pi, "angle of link 1 where its spring is free [rad]"},
          {"zero2", 0, "angle of link 2 against link 1 where its spring is free [rad]"},
          {"g", 9.81, "gravity, along -y"},
          {"theta1", 2 * pi, "initial angle of link 1 [rad]"},
          {"theta2", 23 * pi / 12, "initial angle of link 2, not relative [rad]"},
          {"omega1", 0, "initial angular speed of link 1"},
          {"omega2", 10, "initial angular speed of link 2"}};
}

// (θ₁, θ₂, θ₁', θ₂') at t = 2: classical Runge-Kutta in quadruple precision with 5e5 steps in the first half
// millisecond, where the fast mode dies out, and 3e5 after it. Half as many steps change the 16th digit.
constexpr std::array<double, 4> double_pendulum_reference = {4.6404781832213311268, 4.6404967016885316723,
                                                             -1.629892454083766430, -1.630252715380255568};

// What both forms share; `places` are those of θ₁, θ₂, θ₁', θ₂' among the unknowns.
void describe(const std::map<std::string, double>& values, const std::array<Index, 4>& places,
              ProblemCase& result) {
  result.t_end = 2;
  result.rtol = result.atol = 1e-4;
  const double first = 2 * values.at("L1"), second = 2 * values.at("L2");
  const Index theta1 = places[0], theta2 = places[1];
  result.drawn_columns = {
      {"Ax", [=](const Vector& x) { return first * std::cos(x[theta1]); }},
      {"Ay", [=](const Vector& x) { return first * std::sin(x[theta1]); }},
      {"Bx", [=](const Vector& x) { return first * std::cos(x[theta1]) + second * std::cos(x[theta2]); }},
      {"By", [=](const Vector& x) { return first * std::sin(x[theta1]) + second * std::sin(x[theta2]); }}};
  result.drawing.points = {{"", "", 0, 0}, {"Ax", "Ay"}, {"Bx", "By"}};
  result.drawing.lines = {{0, 1}, {1, 2}};
  result.drawing.circles = {{0, 0.05}, {1, 0.05}};
  result.drawing.traces = {2};

  for (const ProblemParameter& parameter : double_pendulum_parameters())
    if (values.at(parameter.name) != parameter.value) return;
  result.digits = [places](double t, const Vector& x) -> std::optional<double> {
    if (std::abs(t - 2) > 1e-12) return std::nullopt;
    double error = 0;
    for (std::size_t i = 0; i < 4; ++i)
      error = std::max(error, std::abs(x[places[i]] - double_pendulum_reference[i]));
    return digits_of(error);
  };
}

ProblemCase make_cartesian(const std::map<std::string, double>& values) {
  const Links links = links_of(values);
  const auto [L1, L2] = links.half_length;
  const double theta1 = values.at("theta1"), theta2 = values.at("theta2");
  const double omega1 = values.at("omega1"), omega2 = values.at("omega2");
  const double x1 = L1 * std::cos(theta1), y1 = L1 * std::sin(theta1);
  const double dx2 = L2 * std::cos(theta2), dy2 = L2 * std::sin(theta2);
  ProblemCase result;
  result.equations =
      std::make_unique<TemplatedEquations<CartesianDoublePendulum>>(CartesianDoublePendulum{links});
  result.x0 = Vector::Zero(16);
  result.x0.head(12) << x1, y1, theta1, 2 * x1 + dx2, 2 * y1 + dy2, theta2, -y1 * omega1, x1 * omega1, omega1,
      -2 * y1 * omega1 - dy2 * omega2, 2 * x1 * omega1 + dx2 * omega2, omega2;
  result.method = "partitioned/sdirk4";
  describe(values, {2, 5, 8, 11}, result);
  return result;
}

ProblemCase make_reduced(const std::map<std::string, double>& values) {
  ProblemCase result;
  result.equations =
      std::make_unique<TemplatedEquations<ReducedDoublePendulum>>(ReducedDoublePendulum{links_of(values)});
  result.x0 = Vector::Zero(4);
  result.x0 << values.at("theta1"), values.at("theta2"), values.at("omega1"), values.at("omega2");
  result.method = "ode/sdirk4";
  result.h0 = 1e-6;  // the fast mode dies out within 1e-4 s
  describe(values, {0, 1, 2, 3}, result);
  return result;
}

}  // namespace

BuiltinProblem double_pendulum_problem() {
  return {"double-pendulum",
          "double pendulum with stiff spring-dampers, in Cartesian coordinates; 'ode': in its two angles",
          "Negrut, Haug, German, implicit Runge-Kutta integration of multibody DAEs (2003), section 5.1",
          "largest error of both angles and angular speeds at t = 2; own reference in quadruple precision",
          double_pendulum_parameters(),
          make_cartesian,
          make_reduced};
}

}  // namespace trammel
