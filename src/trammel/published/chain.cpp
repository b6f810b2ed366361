// A planar chain of N point masses on massless rods, let go from the horizontal:
//
//   m r_i'' = (0, −m g) − λ_i d_i + λ_{i+1} d_{i+1},
//   0 = (d_i·d_i − l²)/2,   d_i = r_i − r_{i−1},   r_0 = 0,
//
// so that λ_i l is the tension of rod i. A classical way to make an index 3 system as large as one likes. The
// reference solution is that of the same chain in angles, in quadruple precision (two grids agree in all
// digits).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

struct Chain {
  std::size_t masses;
  double mass, length, gravity;

  Sizes sizes() const {
    const auto n = static_cast<Index>(masses);
    return {.positions = 2 * n, .holonomic = n, .invariants = 1};
  }
  Structure structure() const { return {.constant_mass = true, .diagonal_mass = true, .autonomous = true}; }
  Names names() const {
    Names names;
    for (std::size_t i = 1; i <= masses; ++i) {
      for (const char* axis : {"x", "y"}) {
        names.p.push_back(fmt::format("{}{}", axis, i));
        names.v.push_back(fmt::format("v{}{}", axis, i));
      }
      names.lambda.push_back(fmt::format("lambda{}", i));
      names.g.push_back(fmt::format("rod {}", i));
    }
    names.e = {"energy"};
    return names;
  }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    for (Index i = 0; i < M.rows(); ++i) M(i, i) = mass;
  }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    for (std::size_t i = 0; i < masses; ++i) f[2 * i + 1] = -mass * gravity;
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    // a rod knows nothing but its own two ends
    g[0] = 0.5 * (x.p[0] * x.p[0] + x.p[1] * x.p[1] - length * length);
    for (std::size_t i = 1; i < masses; ++i) {
      const T dx = x.p[2 * i] - x.p[2 * i - 2], dy = x.p[2 * i + 1] - x.p[2 * i - 1];
      g[i] = 0.5 * (dx * dx + dy * dy - length * length);
    }
  }
  // Zero at the start: at rest at the height of the support.
  template <class T>
  void e(const Point<T>& x, std::span<T> e) const {
    for (std::size_t i = 0; i < masses; ++i) {
      const T &vx = x.v[2 * i], &vy = x.v[2 * i + 1];
      e[0] += mass * (0.5 * (vx * vx + vy * vy) + gravity * x.p[2 * i + 1]);
    }
  }
};

// Positions of the last masses at t = 1, for l = 1 and g = 9.81.
struct Reference {
  std::size_t masses;
  std::vector<double> p;
};

const std::vector<Reference>& references() {
  static const std::vector<Reference> list = {
      {2,
       {-5.851683919988750689e-01, -8.109118034690646209e-01, -1.444818849943475797e+00,
        -1.321794461381464556e+00}},
      {3,
       {-1.416154336027964143e-01, -9.899217489102317729e-01, -3.048640294245757551e-01,
        -1.976506715328338779e+00, -1.062832140526391119e+00, -2.628798323853809602e+00}},
      {5,
       {2.216131190788675133e-01, -9.751346704184687575e-01, 4.346448133712370103e-01,
        -1.952179959658902292e+00, 7.112900366439526923e-01, -2.913152082272450999e+00,
        8.537442029204657523e-01, -3.902953481801903861e+00, 1.444697024099680476e+00,
        -4.709659601240901960e+00}},
      {10, {7.631034524506942786e+00, -4.904996545094760873e+00}}};
  return list;
}

ProblemCase make_chain(const std::map<std::string, double>& values) {
  const int N = whole_number(values, "N", 1, 500);
  const double m = positive(values, "m"), l = positive(values, "l"), gravity = values.at("g");
  const auto masses = static_cast<std::size_t>(N);
  ProblemCase result;
  result.equations = std::make_unique<TemplatedEquations<Chain>>(Chain{masses, m, l, gravity});
  result.x0 = Vector::Zero(5 * N);
  for (int i = 0; i < N; ++i) result.x0[2 * i] = l * (i + 1);
  result.t_end = 1;
  result.drawing.points = {{"", "", 0, 0}};
  for (std::size_t i = 0; i < masses; ++i) {
    const Names& names = result.equations->names();
    result.drawing.points.push_back({names.p[2 * i], names.p[2 * i + 1]});
    result.drawing.lines.push_back({i, i + 1});
    result.drawing.circles.push_back({i + 1, 0.06 * l});
  }
  result.drawing.traces = {masses};

  // the largest error of the positions that are known; the mass does not matter to them
  if (l == 1 && gravity == 9.81)
    for (const Reference& reference : references())
      if (reference.masses == masses)
        result.digits = [&reference, N](double t, const Vector& x) -> std::optional<double> {
          if (std::abs(t - 1) > 1e-12) return std::nullopt;
          const auto known = static_cast<Index>(reference.p.size());
          const Eigen::Map<const Vector> p(reference.p.data(), known);
          return digits_of((x.segment(2 * N - known, known) - p).lpNorm<Eigen::Infinity>());
        };
  return result;
}

}  // namespace

BuiltinProblem chain_problem() {
  return {"chain",
          "planar chain of N point masses on massless rods, let go from the horizontal",
          "classical; own reference solution, N = 2, 3, 5, 10 at t = 1",
          "largest error of the known positions at t = 1; for N = 10 those of the last mass",
          {{"N", 5, "number of masses, 1 to 500"},
           {"m", 1, "each mass"},
           {"l", 1, "length of each rod"},
           {"g", 9.81, "gravity"}},
          make_chain};
}

}  // namespace trammel
