#include "trammel/motion/mass_schur_complement.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trammel {
namespace {

double number(int i) { return std::sin(1.7 * i + 0.3 * i * i); }

// Bodies with a mass and an inertia of three axes each, as many blocks of three as of one; each row depends on two bodies.
struct System {
  static constexpr int bodies = 8, velocities = 6 * bodies, rows = 15;
  SparseMatrix M{velocities, velocities}, D{rows, velocities};
  std::vector<char> used;
  Vector epsilon = Vector::Constant(rows, 1e-10);

  explicit System(int seed) {
    for (int b = 0; b < bodies; ++b) {
      for (int i = 0; i < 3; ++i) M.insert(6 * b + i, 6 * b + i) = 1 + 0.1 * b;
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) M.insert(6 * b + 3 + i, 6 * b + 3 + k) = i == k ? 2 + 0.2 * i : 0.3;
    }
    for (int row = 0; row < rows; ++row)
      for (int k = 0; k < 6; ++k) {
        const int one = row % bodies, other = (row + 1 + row / bodies) % bodies;
        D.insert(row, 6 * one + k) = number(seed + 31 * row + k);
        D.insert(row, 6 * other + k) = number(seed + 31 * row + k + 7);
      }
    M.makeCompressed();
    D.makeCompressed();
    used.assign(static_cast<std::size_t>(D.nonZeros()), 1);
  }

  // What is left of the right-hand side.
  double residual(const Vector& x, const Vector& y, const Vector& upper, const Vector& lower) const {
    const Vector above = M * x + D.transpose() * y - upper;
    const Vector below = D * x - epsilon.cwiseProduct(y) - lower;
    return std::max(above.lpNorm<Eigen::Infinity>(), below.lpNorm<Eigen::Infinity>());
  }
};

TEST(MassSchurComplement, SolvesTheWholeSystem) {
  const System first(1), second(100);
  MassSchurComplement complement;
  ASSERT_TRUE(complement.prepare(first.M, first.D, first.used, first.epsilon));
  EXPECT_GE(complement.fill(), System::rows);
  for (const System* system : {&first, &second}) {
    ASSERT_TRUE(complement.factor(system->D));
    Vector upper(System::velocities), lower(System::rows);
    for (Index i = 0; i < upper.size(); ++i) upper[i] = number(static_cast<int>(i));
    for (Index i = 0; i < lower.size(); ++i) lower[i] = number(static_cast<int>(i) + 50);
    Vector x = upper, y = lower;
    complement.solve(x, y);
    EXPECT_LT(system->residual(x, y, upper, lower), 1e-11);
  }
}

TEST(MassSchurComplement, TakesOtherMasses) {
  System system(3);
  MassSchurComplement complement;
  ASSERT_TRUE(complement.prepare(system.M, system.D, system.used, system.epsilon));
  system.M *= 3;
  ASSERT_TRUE(complement.set_mass(system.M));
  ASSERT_TRUE(complement.factor(system.D));
  const Vector upper = Vector::Ones(System::velocities), lower = Vector::Ones(System::rows);
  Vector x = upper, y = lower;
  complement.solve(x, y);
  EXPECT_LT(system.residual(x, y, upper, lower), 1e-11);
}

TEST(MassSchurComplement, DoesNotServeWithoutMassesOfBodies) {
  System system(5);
  MassSchurComplement complement;
  SparseMatrix massless = system.M;
  massless.coeffRef(0, 0) = 0;
  EXPECT_FALSE(complement.prepare(massless, system.D, system.used, system.epsilon));
  SparseMatrix coupled = system.M;
  coupled.coeffRef(0, System::velocities - 1) = coupled.coeffRef(System::velocities - 1, 0) = 0.1;
  coupled.makeCompressed();
  EXPECT_FALSE(complement.prepare(coupled, system.D, system.used, system.epsilon));
}

}  // namespace
}  // namespace trammel
