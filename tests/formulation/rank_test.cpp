// What the complete form says of constraints whose rank is not what it must be.
#include <gtest/gtest.h>

#include "trammel/formulation/geoms/geoms.h"
#include "trammel/motion/templated_equations.h"

namespace trammel {
namespace {

// A point on a circle.
struct PointMass {
  Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    f[1] = T(-1.0);
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - 1.0;
  }
};

// Euler-parameter-like redundancy given the wrong way: the derivative of g vanishes along every motion, p' =
// Zv.
struct NormalizationAsConstraint {
  Sizes sizes() const { return {.positions = 2, .velocities = 1, .holonomic = 1}; }
  template <class T>
  void Z(const Point<T>& x, MatrixView<T> Z) const {
    Z(0, 0) = -x.p[1];
    Z(1, 0) = x.p[0];
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - 1.0;
  }
};

struct SingularContact : PointMass {
  Sizes sizes() const { return {.positions = 2, .contacts = 1, .holonomic = 1}; }
  template <class T>
  void c(const Point<T>& x, std::span<T> c) const {
    c[0] = (x.s[0] - x.p[0]) * (x.s[0] - x.p[0]);  // c_s = 0 at the solution
  }
};

struct SingularAuxiliary : PointMass {
  Sizes sizes() const { return {.positions = 2, .auxiliaries = 1, .holonomic = 1}; }
  template <class T>
  void d(const Point<T>& x, std::span<T> d) const {
    d[0] = x.w[0] * x.w[0];
  }
};

template <class System>
Failure start(const Vector& x) {
  TemplatedEquations<System> equations{System{}};
  Geoms problem(equations);
  return problem.start(0, x) == Outcome::ok ? Failure{} : problem.failure();
}

TEST(Rank, NormalizationGivenAsConstraintIsExplained) {
  const Failure failure = start<NormalizationAsConstraint>((Vector(4) << 1, 0, 2, 0).finished());
  EXPECT_EQ(failure.reason, Reason::rank_not_uniform) << failure.message;
  EXPECT_NE(failure.message.find("normalization"), std::string::npos);
}

TEST(Rank, SingularContactIsNamed) {
  const Failure failure = start<SingularContact>((Vector(6) << 1, 0, 0, 0, 1, 0).finished());
  EXPECT_EQ(failure.reason, Reason::contact_singular) << failure.message;
  EXPECT_NE(failure.message.find("s1"), std::string::npos) << failure.message;
}

TEST(Rank, SingularAuxiliaryIsNamed) {
  const Failure failure = start<SingularAuxiliary>((Vector(6) << 1, 0, 0, 0, 0, 0).finished());
  EXPECT_EQ(failure.reason, Reason::auxiliary_singular) << failure.message;
  EXPECT_NE(failure.message.find("w1"), std::string::npos) << failure.message;
}

}  // namespace
}  // namespace trammel
