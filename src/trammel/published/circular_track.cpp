// A particle on a circular track, faster and faster:
//
//   x'' = 2y − λx,   y'' = −2x − λy,   0 = ½(x² + y² − 1),   1 ≤ t ≤ 5,
//
// C. Arévalo (1995), as in the example arevalo of solve_dae, whose λ has the other sign. Exact:
//
//   x = sin t²,   y = cos t²,   λ = 4t².
#include <cmath>

#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"

namespace trammel {

namespace {

struct CircularTrack {
  Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  Structure structure() const { return {.constant_mass = true, .diagonal_mass = true, .autonomous = true}; }
  Names names() const {
    Names names;
    names.p = {"x", "y"};
    names.v = {"vx", "vy"};
    names.lambda = {"lambda"};
    names.g = {"track"};
    return names;
  }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1;
  }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    f[0] = 2 * x.p[1];
    f[1] = -2 * x.p[0];
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = 0.5 * (x.p[0] * x.p[0] + x.p[1] * x.p[1] - 1);
  }
};

Eigen::Vector4d exact_motion(double t) {
  const double sine = std::sin(t * t), cosine = std::cos(t * t);
  return {sine, cosine, 2 * t * cosine, -2 * t * sine};
}

ProblemCase make_circular_track(const std::map<std::string, double>&) {
  ProblemCase result;
  result.equations = std::make_unique<TemplatedEquations<CircularTrack>>(CircularTrack{});
  result.t_start = 1;
  result.t_end = 5;
  result.x0 = Vector::Zero(5);
  result.x0.head<4>() = exact_motion(1);
  result.x0[4] = 4;
  result.drawing.points = {{"", "", 0, 0}, {"x", "y"}};
  result.drawing.circles = {{0, 1, true}, {1, 0.05}};
  result.digits = [](double t, const Vector& x) -> std::optional<double> {
    return digits_of((x.head<4>() - exact_motion(t)).lpNorm<Eigen::Infinity>());
  };
  return result;
}

}  // namespace

BuiltinProblem circular_track_problem() {
  return {"circular-track",
          "particle on a circular track, faster and faster, with exact solution",
          "Arévalo (1995); example arevalo of solve_dae",
          "largest error of x, y and their rates against the exact solution at any t",
          {},
          make_circular_track};
}

}  // namespace trammel
