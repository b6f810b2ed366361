// A skate on a tilted plane that turns at unit speed and moves along itself only (nonholonomic, with a
// constraint that depends on time and not on the position):
//
//   u₁'' = sin α + w sin t,   u₂'' = −w cos t,   0 = −u₁' sin t + u₂' cos t.
//
// Example tskate of DAEPAK (W. C. Rheinboldt). From rest at the origin
//
//   u₁ = ½ sin α sin² t,   u₂ = ½ sin α (t − ½ sin 2t),   w = −2 sin α sin t.
#include <cmath>

#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"

namespace trammel {

namespace {

struct Skate {
  double pull;

  Sizes sizes() const { return {.positions = 2, .nonholonomic = 1}; }
  Structure structure() const { return {.constant_mass = true, .diagonal_mass = true}; }
  Names names() const {
    Names names;
    names.p = {"u1", "u2"};
    names.v = {"v1", "v2"};
    names.mu = {"w"};
    names.h = {"edge"};
    return names;
  }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1;
  }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    f[0] = pull;
  }
  template <class T>
  void H(const Point<T>& x, MatrixView<T> H) const {
    using std::cos, std::sin;
    H(0, 0) = -sin(x.t);
    H(0, 1) = cos(x.t);
  }
};

ProblemCase make_skate(const std::map<std::string, double>& values) {
  const double pull = std::sin(values.at("alpha"));
  ProblemCase result;
  result.equations = std::make_unique<TemplatedEquations<Skate>>(Skate{pull});
  result.x0 = Vector::Zero(5);
  result.t_end = 10;
  result.drawing.points = {{"u1", "u2"}};
  result.drawing.circles = {{0, 0.02}};
  result.drawing.traces = {0};
  result.digits = [pull](double t, const Vector& x) -> std::optional<double> {
    const double sine = std::sin(t), cosine = std::cos(t);
    const Eigen::Vector4d exact(pull / 2 * sine * sine, pull / 2 * (t - sine * cosine), pull * sine * cosine,
                                pull * sine * sine);
    return digits_of((x.head<4>() - exact).lpNorm<Eigen::Infinity>());
  };
  return result;
}

}  // namespace

BuiltinProblem skate_problem() {
  return {"skate",
          "skate turning on a tilted plane: a nonholonomic constraint that depends on time, exact solution",
          "Rheinboldt, DAEPAK, example tskate",
          "largest error of u1, u2 and their rates against the exact solution at any t",
          {{"alpha", 0.8, "slope of the plane [rad]"}},
          make_skate};
}

}  // namespace trammel
