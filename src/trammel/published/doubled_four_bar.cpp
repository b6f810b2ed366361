// A planar four-bar linkage whose last constraint equation is given twice, as a test of redundant
// constraints: nine equations of rank eight on nine positions, one degree of freedom. Accelerations and
// motion are those of the linkage without the copy; the force of the doubled equation is shared by its two
// multipliers in halves (minimal norm).
//
// Crank A-B, coupler B-C and rocker D-C are uniform rods with the positions (x, y, phi) of their centres; A =
// (0, 0) and D = (ground, 0) are fixed, C is above the line B-D. By default the crank is the shortest rod and
// shortest + longest < the other two together (Grashof), so that it turns all the way round and no position
// is flat, hence none singular. The lengths are our own, there is no published solution.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

struct FourBar {
  double ground;
  std::array<double, 3> length;  // crank, coupler, rocker
  double density, gravity, energy;
  bool doubled;

  enum Rod { crank, coupler, rocker };

  double mass(std::size_t rod) const { return density * length[rod]; }
  double inertia(std::size_t rod) const { return mass(rod) * length[rod] * length[rod] / 12; }

  Sizes sizes() const { return {.positions = 9, .holonomic = doubled ? 9 : 8, .invariants = 1}; }
  Structure structure() const { return {.constant_mass = true, .diagonal_mass = true, .autonomous = true}; }
  Names names() const {
    Names names;
    for (const std::string rod : {"crank", "coupler", "rocker"}) {
      for (const char* coordinate : {"_x", "_y", "_phi"}) names.p.push_back(rod + coordinate);
      for (const char* coordinate : {"_vx", "_vy", "_omega"}) names.v.push_back(rod + coordinate);
    }
    for (const std::string pin : {"A", "B", "C", "D"})
      for (const std::string axis : {"x", "y"}) {
        names.g.push_back("pin " + pin + " " + axis);
        names.lambda.push_back("lambda_" + pin + axis);
      }
    if (doubled) {
      names.g.push_back("pin D y again");
      names.lambda.push_back("lambda_Dy_again");
    }
    names.e = {"energy"};
    return names;
  }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    for (std::size_t rod = 0; rod < 3; ++rod) {
      const Index i = 3 * static_cast<Index>(rod);
      M(i, i) = M(i + 1, i + 1) = mass(rod);
      M(i + 2, i + 2) = inertia(rod);
    }
  }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    for (std::size_t rod = 0; rod < 3; ++rod) f[3 * rod + 1] = -mass(rod) * gravity;
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    using std::cos, std::sin;
    // begin (side = −1) and end (+1) of a rod
    const auto end_x = [&](Rod rod, double side) {
      return x.p[3 * rod] + 0.5 * side * length[rod] * cos(x.p[3 * rod + 2]);
    };
    const auto end_y = [&](Rod rod, double side) {
      return x.p[3 * rod + 1] + 0.5 * side * length[rod] * sin(x.p[3 * rod + 2]);
    };
    g[0] = end_x(crank, -1);
    g[1] = end_y(crank, -1);
    g[2] = end_x(crank, 1) - end_x(coupler, -1);
    g[3] = end_y(crank, 1) - end_y(coupler, -1);
    g[4] = end_x(coupler, 1) - end_x(rocker, 1);
    g[5] = end_y(coupler, 1) - end_y(rocker, 1);
    g[6] = end_x(rocker, -1) - ground;
    g[7] = end_y(rocker, -1);
    if (doubled) g[8] = g[7];
  }
  template <class T>
  void e(const Point<T>& x, std::span<T> e) const {
    e[0] = T(-energy);
    for (std::size_t rod = 0; rod < 3; ++rod) {
      const T &vx = x.v[3 * rod], &vy = x.v[3 * rod + 1], &omega = x.v[3 * rod + 2];
      e[0] += 0.5 * mass(rod) * (vx * vx + vy * vy) + 0.5 * inertia(rod) * omega * omega +
              mass(rod) * gravity * x.p[3 * rod + 1];
    }
  }
};

// Positions and velocities of the closed linkage for a crank at this angle with this angular speed.
Vector closed_linkage(const FourBar& bars, double angle, double omega) {
  using Eigen::Vector2d;
  const auto turned = [](const Vector2d& r) { return Vector2d(-r.y(), r.x()); };
  const auto [a, b, c] = bars.length;
  const Vector2d A(0, 0), D(bars.ground, 0), B(a * std::cos(angle), a * std::sin(angle));
  // C is where the circles about B and D meet, on the left of B-D
  const double r = (D - B).norm();
  if (!(r < b + c && r > std::abs(b - c)))
    throw std::invalid_argument(
        fmt::format("the linkage does not close: pins B and D are {} apart, coupler and rocker have the "
                    "lengths {} and {}",
                    r, b, c));
  const double along = (r * r + b * b - c * c) / (2 * r);
  const Vector2d towards_D = (D - B) / r;
  const Vector2d C = B + along * towards_D + std::sqrt(b * b - along * along) * turned(towards_D);

  // v_B + omega_2 × BC = omega_3 × DC
  const Vector2d BC = C - B, DC = C - D, v_B = omega * turned(B);
  const double omega_2 = -v_B.dot(DC) / turned(BC).dot(DC), omega_3 = v_B.dot(BC) / turned(DC).dot(BC);
  const Vector2d v_C = omega_3 * turned(DC);

  Vector pv(18);
  pv << 0.5 * (A + B), angle, 0.5 * (B + C), std::atan2(BC.y(), BC.x()), 0.5 * (D + C),
      std::atan2(DC.y(), DC.x()), 0.5 * v_B, omega, 0.5 * (v_B + v_C), omega_2, 0.5 * v_C, omega_3;
  return pv;
}

ProblemCase make_four_bar(const std::map<std::string, double>& values) {
  FourBar bars{.ground = positive(values, "ground"),
               .length = {positive(values, "crank"), positive(values, "coupler"), positive(values, "rocker")},
               .density = positive(values, "density"),
               .gravity = values.at("g"),
               .energy = 0,
               .doubled = whole_number(values, "doubled", 0, 1) == 1};
  ProblemCase result;
  result.x0 = Vector::Zero(Layout(bars.sizes()).total);
  result.x0.head(18) = closed_linkage(bars, values.at("angle"), values.at("omega"));
  // the energy of this state
  const std::span<const double> p(result.x0.data(), 9), v(result.x0.data() + 9, 9);
  bars.e(Point<double>{.p = p, .v = v, .r = {}, .w = {}, .s = {}, .lambda = {}, .mu = {}, .t = 0},
         std::span<double>(&bars.energy, 1));
  result.equations = std::make_unique<TemplatedEquations<FourBar>>(bars);
  result.t_end = 5;

  // the moving pins: the far ends of crank and rocker
  const auto draw_pin = [&](const std::string& name, int rod) {
    const double half = 0.5 * bars.length[static_cast<std::size_t>(rod)];
    result.drawn_columns.push_back(
        {name + "x", [rod, half](const Vector& x) { return x[3 * rod] + half * std::cos(x[3 * rod + 2]); }});
    result.drawn_columns.push_back({name + "y", [rod, half](const Vector& x) {
                                      return x[3 * rod + 1] + half * std::sin(x[3 * rod + 2]);
                                    }});
  };
  draw_pin("B", 0);
  draw_pin("C", 2);
  result.drawing.points = {
      {"", "", 0, 0}, {"Bx", "By"}, {"Cx", "Cy"}, {"", "", bars.ground, 0}, {"coupler_x", "coupler_y"}};
  result.drawing.lines = {{0, 1}, {1, 2}, {2, 3}};
  result.drawing.circles = {{0, 0.05}, {1, 0.05}, {2, 0.05}, {3, 0.05}};
  result.drawing.traces = {2, 4};
  return result;
}

}  // namespace

BuiltinProblem doubled_four_bar_problem() {
  return {"four-bar",
          "four-bar linkage with one constraint given twice (redundant), crank turning under gravity",
          "own problem, to try redundant constraints; no reference solution",
          "none: no reference solution",
          {{"ground", 3, "distance of the fixed pins A and D"},
           {"crank", 1, "length of the crank A-B"},
           {"coupler", 2.5, "length of the coupler B-C"},
           {"rocker", 2.5, "length of the rocker D-C"},
           {"density", 1, "mass per length of the rods"},
           {"g", 9.81, "gravity"},
           {"angle", 1.5707963267948966, "initial angle of the crank from the line A-D [rad]"},
           {"omega", 2, "initial angular speed of the crank"},
           {"doubled", 1, "0: without the second copy of the last constraint"}},
          make_four_bar};
}

}  // namespace trammel
