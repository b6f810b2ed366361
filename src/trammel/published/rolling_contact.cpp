// A disk that rolls (or slides) over a wavy road: a system with a contact coordinate.
//
// The road is the curve (s, h(s)), h = −A cos(k s), with slope h' and W = √(1 + h'²), the disk has its centre
// at (x, y) above it. The coordinate s of the contact point is determined by p: the centre is on the normal
// of the road there,
//
//   0 = c = (x − s) + (y − h) h',
//
// and touching is then one holonomic constraint, with λ the force of the road on the disk along the normal
// (−h', 1)/W:
//
//   0 = g = radius − ((y − h) − (x − s) h')/W.
//
// Rolling is a nonholonomic constraint that depends on s too: no velocity in the contact point along the
// road,
//
//   0 = (x' + h' y')/W + radius omega,   mu the force that drags the disk back.
//
// Without it the disk slides free of friction. The contact is not let go where λ < 0; with the default values
// λ stays positive. c_s is regular as long as the road is less curved than the disk.
//
// There is no published solution. The reference is our own: the ordinary differential equation in s of a
// point on the curve of the centres, solved in quadruple precision (three grids agree in all digits).
#include <fmt/format.h>

#include <cmath>

#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

struct SlidingDisk {
  double mass, radius, gravity;
  double A, k;
  double energy;

  double inertia() const { return 0.5 * mass * radius * radius; }
  template <class T>
  T height(const T& s) const {
    using std::cos;
    return -A * cos(k * s);
  }
  template <class T>
  T slope(const T& s) const {
    using std::sin;
    return A * k * sin(k * s);
  }

  Sizes sizes() const { return {.positions = 3, .contacts = 1, .holonomic = 1, .invariants = 1}; }
  Structure structure() const { return {.constant_mass = true, .diagonal_mass = true, .autonomous = true}; }
  Names names() const {
    Names names;
    names.p = {"x", "y", "phi"};
    names.v = {"vx", "vy", "omega"};
    names.s = {"s"};
    names.lambda = {"lambda"};
    names.c = {"contact point"};
    names.g = {"contact"};
    names.e = {"energy"};
    return names;
  }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = mass;
    M(2, 2) = inertia();
  }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    f[1] = -mass * gravity;
  }
  template <class T>
  void c(const Point<T>& x, std::span<T> c) const {
    const T& s = x.s[0];
    c[0] = x.p[0] - s + (x.p[1] - height(s)) * slope(s);
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    using std::sqrt;
    const T& s = x.s[0];
    const T h1 = slope(s);
    g[0] = radius - (x.p[1] - height(s) - (x.p[0] - s) * h1) / sqrt(1.0 + h1 * h1);
  }
  template <class T>
  void e(const Point<T>& x, std::span<T> e) const {
    e[0] = 0.5 * (mass * (x.v[0] * x.v[0] + x.v[1] * x.v[1]) + inertia() * x.v[2] * x.v[2]) +
           mass * gravity * x.p[1] - energy;
  }
};

struct RollingDisk : SlidingDisk {
  Sizes sizes() const {
    Sizes sizes = SlidingDisk::sizes();
    sizes.nonholonomic = 1;
    return sizes;
  }
  Names names() const {
    Names names = SlidingDisk::names();
    names.mu = {"mu"};
    names.h = {"rolling"};
    return names;
  }
  template <class T>
  void H(const Point<T>& x, MatrixView<T> H) const {
    using std::sqrt;
    const T h1 = slope(x.s[0]);
    const T W = sqrt(1.0 + h1 * h1);
    H(0, 0) = 1.0 / W;
    H(0, 1) = h1 / W;
    H(0, 2) = radius;
  }
};

// x, y, phi, s at t = 5 for the default parameters, rolling and sliding.
constexpr double rolling_reference[4] = {1.1458817127419238997e+01, 6.4008916721069999670e-01,
                                         -2.3782645905207371176e+01, 1.1336573772753132724e+01};
constexpr double sliding_reference[4] = {8.6228442745540587625e+00, 5.4313024840090340778e-01, 0,
                                         8.4488059007499269588e+00};

ProblemCase make_rolling_contact(const std::map<std::string, double>& values) {
  SlidingDisk disk{.mass = positive(values, "m"),
                   .radius = positive(values, "radius"),
                   .gravity = values.at("g"),
                   .A = values.at("A"),
                   .k = values.at("k"),
                   .energy = 0};
  const bool rolling = whole_number(values, "rolling", 0, 1) == 1;
  const double s0 = values.at("s0"), v0 = values.at("v0");
  const double curvature = std::abs(disk.A) * disk.k * disk.k;
  if (!(curvature * disk.radius < 1))
    throw std::invalid_argument(fmt::format(
        "the disk does not fit into the valleys of the road: radius = {}, radius of curvature 1/(A k²) = {}",
        disk.radius, 1 / curvature));

  // on the normal of the road at s0, moving along it
  const double h1 = disk.slope(s0), W = std::sqrt(1 + h1 * h1);
  ProblemCase result;
  result.x0 = Vector::Zero(rolling ? 9 : 8);
  result.x0.head(7) << s0 - disk.radius * h1 / W, disk.height(s0) + disk.radius / W, 0, v0 / W, v0 * h1 / W,
      rolling ? -v0 / disk.radius : 0.0, s0;
  const double omega = result.x0[5];
  disk.energy =
      0.5 * (disk.mass * v0 * v0 + disk.inertia() * omega * omega) + disk.mass * disk.gravity * result.x0[1];
  if (rolling)
    result.equations = std::make_unique<TemplatedEquations<RollingDisk>>(RollingDisk{disk});
  else
    result.equations = std::make_unique<TemplatedEquations<SlidingDisk>>(disk);
  result.t_end = 5;

  // the disk with a spoke, on the stretch of road it starts from
  const double radius = disk.radius;
  result.drawn_columns = {{"rim_x", [radius](const Vector& x) { return x[0] + radius * std::cos(x[2]); }},
                          {"rim_y", [radius](const Vector& x) { return x[1] + radius * std::sin(x[2]); }}};
  result.drawing.points = {{"x", "y"}, {"rim_x", "rim_y"}};
  result.drawing.circles = {{0, radius, true}};
  result.drawing.lines = {{0, 1}};
  for (int i = -40; i <= 120; ++i) {
    const double x = s0 + 0.1 * i;
    result.drawing.points.push_back({"", "", x, disk.height(x)});
    const std::size_t last = result.drawing.points.size() - 1;
    if (i > -40) result.drawing.lines.push_back({last - 1, last});
  }

  // the largest error of the positions and the contact coordinate
  if (values == rolling_contact_problem().values({{"rolling", rolling ? 1.0 : 0.0}})) {
    const Eigen::Map<const Eigen::Vector4d> reference(rolling ? rolling_reference : sliding_reference);
    result.digits = [reference](double t, const Vector& x) -> std::optional<double> {
      if (std::abs(t - 5) > 1e-12) return std::nullopt;
      return digits_of((Eigen::Vector4d(x[0], x[1], x[2], x[6]) - reference).lpNorm<Eigen::Infinity>());
    };
  }
  return result;
}

}  // namespace

BuiltinProblem rolling_contact_problem() {
  return {"rolling-contact",
          "disk rolling or sliding on a wavy road (contact coordinate, nonholonomic rolling)",
          "own problem and reference solution, to try contact coordinates",
          "largest error of x, y, phi and s at t = 5; own reference in quadruple precision",
          {{"m", 1, "mass of the disk"},
           {"radius", 0.5, "radius of the disk"},
           {"g", 9.81, "gravity"},
           {"A", 0.2, "the road is y = −A cos(k x)"},
           {"k", 2, "wave number of the road"},
           {"s0", 0, "initial contact coordinate"},
           {"v0", 3, "initial speed of the centre"},
           {"rolling", 1, "0: sliding without friction"}},
          make_rolling_contact};
}

}  // namespace trammel
