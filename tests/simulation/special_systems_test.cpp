// Systems that use the less common parts of the general equations of motion, each against its exact solution.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <string>

#include "trammel/motion/templated_equations.h"
#include "trammel/simulation/simulation.h"

namespace trammel {
namespace {

Options tight(double tolerance = 1e-9) {
  Options options;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  return options;
}

// A block on an incline: friction μ|λ| against the motion, so the force depends on the multiplier.
struct SlidingBlock {
  static constexpr double slope = 0.6, friction = 0.3, gravity = 9.81;
  Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    using std::abs;
    f[0] = gravity * std::sin(slope) - friction * abs(x.lambda[0]);
    f[1] = T(-gravity * std::cos(slope));
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[1];
  }
};

TEST(SpecialSystems, FrictionThatDependsOnTheMultiplier) {
  for (const char* formulation : {"psf", "psf1", "ggl", "index2", "index1"}) {
    TemplatedEquations<SlidingBlock> equations{SlidingBlock{}};
    const Summary summary =
        Simulation(equations, {formulation, "radau5"}, tight()).run(Vector::Zero(5), 0, 2);
    ASSERT_EQ(summary.status, Status::finished) << formulation << ": " << summary.message();
    const double a = 9.81 * (std::sin(0.6) - 0.3 * std::cos(0.6));
    EXPECT_NEAR(summary.final_state[0], 0.5 * a * 4, 1e-7) << formulation;
    EXPECT_NEAR(summary.final_state[4], -9.81 * std::cos(0.6), 1e-6) << formulation;
  }
}

// M = diag(1, 0): y has no inertia of its own but follows from y = x²/2. With a force −1 on y: λ = −1, x'' =
// −x.
struct MasslessFollower {
  Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    M(0, 0) = T(1.0);
  }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    f[1] = T(-1.0);
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[1] - 0.5 * x.p[0] * x.p[0];
  }
};

TEST(SpecialSystems, SingularMassMatrix) {
  for (const char* formulation : {"psf", "psf1", "ggl"}) {
    TemplatedEquations<MasslessFollower> equations{MasslessFollower{}};
    const Summary summary = Simulation(equations, {formulation, "radau5"}, tight())
                                .run((Vector(5) << 1, 0.5, 0, 0, 0).finished(), 0, 10);
    ASSERT_EQ(summary.status, Status::finished) << formulation << ": " << summary.message();
    EXPECT_NEAR(summary.final_state[0], std::cos(10), 1e-6) << formulation;
    EXPECT_NEAR(summary.final_state[4], -1, 1e-6) << formulation;
  }
}

// A driven slider: x = sin(2t) is prescribed, a second mass hangs on it by a spring. Constraint and force
// depend on t.
struct DrivenSlider {
  Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    f[0] = x.p[1] - x.p[0];
    f[1] = x.p[0] - x.p[1];
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    using std::sin;
    g[0] = x.p[0] - sin(2.0 * x.t);
  }
};

TEST(SpecialSystems, PrescribedMotion) {
  // y'' + y = sin 2t, y(0) = y'(0) = 0:  y = (2 sin t − sin 2t)/3
  for (const char* formulation : {"psf", "psf1", "ggl", "index3"}) {
    TemplatedEquations<DrivenSlider> equations{DrivenSlider{}};
    const Summary summary = Simulation(equations, {formulation, "radau5"}, tight())
                                .run((Vector(5) << 0, 0, 2, 0, 0).finished(), 0, 5);
    ASSERT_EQ(summary.status, Status::finished) << formulation << ": " << summary.message();
    EXPECT_NEAR(summary.final_state[0], std::sin(10), 1e-7) << formulation;
    EXPECT_NEAR(summary.final_state[1], (2 * std::sin(5) - std::sin(10)) / 3, 1e-6) << formulation;
  }
}

// A free rigid body in Euler parameters: p' = Zv with four parameters and three angular velocities, and eᵀe =
// 1 as a normalisation.
struct FreeBody {
  std::array<double, 3> J{1, 2, 3};
  Sizes sizes() const { return {.positions = 4, .velocities = 3, .normalizations = 1}; }
  Structure structure() const { return {.constant_mass = true, .diagonal_mass = true, .autonomous = true}; }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    for (Index i = 0; i < 3; ++i) M(i, i) = J[static_cast<std::size_t>(i)];
  }
  template <class T>
  void Z(const Point<T>& x, MatrixView<T> Z) const {
    const auto &e0 = x.p[0], &e1 = x.p[1], &e2 = x.p[2], &e3 = x.p[3];
    Z(0, 0) = -0.5 * e1, Z(0, 1) = -0.5 * e2, Z(0, 2) = -0.5 * e3;
    Z(1, 0) = 0.5 * e0, Z(1, 1) = -0.5 * e3, Z(1, 2) = 0.5 * e2;
    Z(2, 0) = 0.5 * e3, Z(2, 1) = 0.5 * e0, Z(2, 2) = -0.5 * e1;
    Z(3, 0) = -0.5 * e2, Z(3, 1) = 0.5 * e1, Z(3, 2) = 0.5 * e0;
  }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    f[0] = (J[1] - J[2]) * x.v[1] * x.v[2];
    f[1] = (J[2] - J[0]) * x.v[2] * x.v[0];
    f[2] = (J[0] - J[1]) * x.v[0] * x.v[1];
  }
  template <class T>
  void n(const Point<T>& x, std::span<T> n) const {
    n[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] + x.p[2] * x.p[2] + x.p[3] * x.p[3] - 1.0;
  }
};

// Angular momentum in the world frame.
Eigen::Vector3d momentum(const Vector& x) {
  const Eigen::Quaterniond q(x[0], x[1], x[2], x[3]);
  return q * Eigen::Vector3d(x[4], 2 * x[5], 3 * x[6]);
}

TEST(SpecialSystems, TorqueFreeBodyKeepsEnergyMomentumAndNormalisation) {
  // started near the unstable axis, so that it tumbles
  const Vector start = (Vector(7) << 1, 0, 0, 0, 0.05, 1, 0.05).finished();
  const double energy = 0.5 * (0.05 * 0.05 + 2 + 3 * 0.05 * 0.05);
  for (const char* formulation : {"psf", "psf1", "ggl"}) {
    TemplatedEquations<FreeBody> equations{FreeBody{}};
    const Summary summary = Simulation(equations, {formulation, "radau5"}, tight()).run(start, 0, 100);
    ASSERT_EQ(summary.status, Status::finished) << formulation << ": " << summary.message();
    const Vector& x = summary.final_state;
    EXPECT_NEAR(0.5 * (x[4] * x[4] + 2 * x[5] * x[5] + 3 * x[6] * x[6]), energy, 1e-6) << formulation;
    EXPECT_LT((momentum(x) - momentum(start)).norm(), 1e-5) << formulation;
    const bool closed = std::string(formulation) != "ggl";
    EXPECT_LT(summary.violation.position, closed ? 1e-14 : 1e-8) << formulation;
    EXPECT_EQ(summary.degrees_of_freedom, 3);
  }
}

}  // namespace
}  // namespace trammel
