// A knife edge on an inclined plane (nonholonomic): it moves along itself only, while it turns at constant
// speed.
//
//   m x'' = m g sin alpha + mu sin phi,   m y'' = −mu cos phi,   Theta phi'' = 0,
//   0 = −x' sin phi + y' cos phi,
//
// x down the slope. A. M. Bloch, Nonholonomic Mechanics and Control (2nd ed., 2015), section 1.6; values as
// in the example knife_edge of solve_dae. From rest at the origin, phi(0) = 0 and phi' = Omega, the motion is
// a cycloid,
//
//   x = A sin² Ωt,   y = A (Ωt − ½ sin 2Ωt),   A = g sin alpha/(2Ω²),   mu = −2 m g sin alpha sin Ωt:
//
// the edge does not slide down but drifts along the slope.
#include <cmath>
#include <numbers>

#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

struct KnifeEdge {
  double mass, inertia, pull;  // gravity along the slope

  Sizes sizes() const { return {.positions = 3, .nonholonomic = 1}; }
  Structure structure() const { return {.constant_mass = true, .diagonal_mass = true, .autonomous = true}; }
  Names names() const {
    Names names;
    names.p = {"x", "y", "phi"};
    names.v = {"vx", "vy", "omega"};
    names.mu = {"mu"};
    names.h = {"edge"};
    return names;
  }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = mass;
    M(2, 2) = inertia;
  }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    f[0] = mass * pull;
  }
  template <class T>
  void H(const Point<T>& x, MatrixView<T> H) const {
    using std::cos, std::sin;
    H(0, 0) = -sin(x.p[2]);
    H(0, 1) = cos(x.p[2]);
  }
};

ProblemCase make_knife_edge(const std::map<std::string, double>& values) {
  const double m = positive(values, "m"), Theta = positive(values, "Theta"),
               Omega = positive(values, "Omega");
  const double pull = values.at("g") * std::sin(values.at("alpha"));
  ProblemCase result;
  result.equations = std::make_unique<TemplatedEquations<KnifeEdge>>(KnifeEdge{m, Theta, pull});
  result.x0 = Vector::Zero(7);
  result.x0[5] = Omega;
  result.t_end = 2 * std::numbers::pi / Omega;
  result.drawn_columns = {{"tip_x", [](const Vector& x) { return x[0] + 0.2 * std::cos(x[2]); }},
                          {"tip_y", [](const Vector& x) { return x[1] + 0.2 * std::sin(x[2]); }}};
  result.drawing.points = {{"x", "y"}, {"tip_x", "tip_y"}};
  result.drawing.lines = {{0, 1}};
  result.drawing.traces = {0};

  // the largest error of positions and velocities, relative where they are larger than 1
  result.digits = [Omega, pull](double t, const Vector& x) -> std::optional<double> {
    const double A = pull / (2 * Omega * Omega), sine = std::sin(Omega * t), cosine = std::cos(Omega * t);
    Eigen::Vector<double, 6> exact;
    exact << A * sine * sine, A * (Omega * t - sine * cosine), Omega * t,  //
        2 * A * Omega * sine * cosine, 2 * A * Omega * sine * sine, Omega;
    return digits_of(((x.head(6) - exact).array() / exact.array().abs().max(1.0)).abs().maxCoeff());
  };
  return result;
}

}  // namespace

BuiltinProblem knife_edge_problem() {
  return {"knife-edge",
          "knife edge turning on an inclined plane, with exact solution (nonholonomic)",
          "Bloch, Nonholonomic Mechanics and Control (2015), section 1.6",
          "largest error of positions and velocities, relative where they exceed 1, against the exact "
          "solution at "
          "any t",
          {{"m", 1.25, "mass"},
           {"Theta", 0.13, "inertia"},
           {"g", 9.81, "gravity"},
           {"Omega", 0.3830389007577846, "angular speed"},
           {"alpha", 0.6221087710398319, "slope of the plane [rad]"}},
          make_knife_edge};
}

}  // namespace trammel
