// A pendulum on a spring that hardly stretches, with its force w as an auxiliary unknown:
//
//   x'' = −x w,   y'' = −y w − 1,   0 = ε w − (r − 1)/r,   r² = x² + y².
//
// It vibrates along the spring with 1/√ε rad/s, and is the pendulum with a constraint as ε goes to zero.
// Problem stiffpendul of Test-Set-for-IVP-solvers (vick2075), which gives no end values; those below are our
// own, an ODE in quadruple precision.
#include <cmath>

#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

struct StiffSpringPendulum {
  double epsilon;

  Sizes sizes() const { return {.positions = 2, .auxiliaries = 1}; }
  Structure structure() const { return {.constant_mass = true, .diagonal_mass = true, .autonomous = true}; }
  Names names() const {
    Names names;
    names.p = {"x", "y"};
    names.v = {"vx", "vy"};
    names.w = {"w"};
    names.d = {"spring"};
    return names;
  }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1;
  }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    f[0] = -x.p[0] * x.w[0];
    f[1] = -x.p[1] * x.w[0] - 1;
  }
  template <class T>
  void d(const Point<T>& x, std::span<T> d) const {
    using std::sqrt;
    const T r = sqrt(x.p[0] * x.p[0] + x.p[1] * x.p[1]);
    d[0] = epsilon * x.w[0] - (r - 1) / r;
  }
};

constexpr double published_epsilon = 1e-6;

ProblemCase make_stiff_spring_pendulum(const std::map<std::string, double>& values) {
  const double epsilon = positive(values, "epsilon");
  ProblemCase result;
  result.equations = std::make_unique<TemplatedEquations<StiffSpringPendulum>>(StiffSpringPendulum{epsilon});
  result.x0 = Vector::Zero(5);
  result.x0[0] = 1;
  result.t_end = 10;
  result.drawing.points = {{"", "", 0, 0}, {"x", "y"}};
  result.drawing.lines = {{0, 1}};
  result.drawing.circles = {{1, 0.06}};
  if (epsilon == published_epsilon)
    result.digits = [](double t, const Vector& x) -> std::optional<double> {
      if (std::abs(t - 10) > 1e-12) return std::nullopt;
      const Eigen::Vector2d end(-8.1157637265109928976836072e-01, -5.8424934474571282257517149e-01);
      return digits_of((x.head<2>() - end).lpNorm<Eigen::Infinity>());
    };
  return result;
}

}  // namespace

BuiltinProblem stiff_spring_pendulum_problem() {
  return {"stiff-spring-pendulum",
          "pendulum on a spring that hardly stretches: no constraint, an auxiliary unknown, fast vibrations",
          "Test-Set-for-IVP-solvers (vick2075), stiffpendul; no end values there",
          "largest error of x and y at t = 10 for the default epsilon; own reference in quadruple precision",
          {{"epsilon", published_epsilon, "the inverse of the stiffness"}},
          make_stiff_spring_pendulum};
}

}  // namespace trammel
