// The bushing: six components, at any angle.
#include "tests/mechanism/force_check.h"
#include "trammel/mechanism/bushing_kernel.h"

namespace trammel::force_check {
namespace {

// Symmetric, and positive because the diagonal outweighs the rest.
std::array<Bushing::Six, 6> random_symmetric(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> number(-size, size);
  std::array<Bushing::Six, 6> matrix{};
  for (std::size_t i = 0; i < 6; ++i) {
    matrix[i][i] = 6 * size;
    for (std::size_t j = 0; j < i; ++j) matrix[i][j] = matrix[j][i] = number(random);
  }
  return matrix;
}

Bushing random_bushing(std::mt19937& random) {
  Bushing bushing;
  bushing.frame_a = {random_vector(random), random_rotation(random)};
  bushing.frame_b = {random_vector(random), random_rotation(random)};
  bushing.stiffness = random_symmetric(random, 10);
  bushing.preload = {1, -2, 3, 0.5, -0.6, 0.7};
  return bushing;
}

void add_laws(Bushing& bushing) {
  std::vector<int> inputs;
  bushing.has_law[1] = bushing.has_law[5] = true;
  bushing.laws[1] = LawFunction(compiled("4*x + 9*x^3 + 2*rate", {"x", "rate"}, 2), inputs);
  bushing.laws[5] = LawFunction(compiled("u1*sin(x) + u0*rate", {"x", "rate"}, 2), inputs);
}

TEST(Bushing, ActsEquallyOnBoth) {
  std::mt19937 random(1);
  for (int i = 0; i < 10; ++i) {
    Bushing bushing = random_bushing(random);
    bushing.damping = random_symmetric(random, 3);
    add_laws(bushing);
    const auto block = block_of(bushing, 2);
    const Situation at = random_situation(random, 2);
    expect_action_is_reaction(block, at);
    expect_frame_invariance(block, at, random);
  }
}

TEST(Bushing, HasExactDerivatives) {
  std::mt19937 random(2);
  for (int i = 0; i < 5; ++i) {
    Bushing bushing = random_bushing(random);
    bushing.damping = random_symmetric(random, 3);
    auto linear = block_of(bushing);
    expect_exact_derivatives(linear, random_situation(random));
    std::vector<int> none;
    bushing.has_law[2] = bushing.has_law[4] = true;
    bushing.laws[2] = LawFunction(compiled("4*x + 9*x^3 + 2*x*rate", {"x", "rate"}), none);
    bushing.laws[4] = LawFunction(compiled("sin(x) + rate^3", {"x", "rate"}), none);
    auto own_laws = block_of(bushing);
    expect_exact_derivatives(own_laws, random_situation(random));
    add_laws(bushing);
    auto block = block_of(bushing, 2);
    expect_exact_derivatives(block, random_situation(random, 2));
  }
}

TEST(Bushing, WorksByItsPotentialAtAnyAngle) {
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    const Bushing bushing = random_bushing(random);
    const auto block = block_of(bushing);
    const Situation at = random_situation(random);
    EXPECT_NEAR(power(block, at), -potential_rate(block, at), 1e-6);
  }
}

TEST(Bushing, LosesEnergyByDamping) {
  std::mt19937 random(4);
  for (int i = 0; i < 20; ++i) {
    Bushing bushing = random_bushing(random);
    const auto elastic = block_of(bushing);
    bushing.damping = random_symmetric(random, 3);
    const auto damped = block_of(bushing);
    const Situation at = random_situation(random);
    EXPECT_LT(power(damped, at), power(elastic, at));
  }
}

TEST(Bushing, HasAPotentialOnlyIfItCan) {
  std::mt19937 random(5);
  Bushing bushing = random_bushing(random);
  EXPECT_TRUE(bushing.has_potential());
  bushing.stiffness[0][4] += 1;
  EXPECT_FALSE(bushing.has_potential());
  // a law takes the place of its row only: the other rows still depend on its component
  Bushing with_law = random_bushing(random);
  with_law.has_law[2] = true;
  EXPECT_FALSE(with_law.has_potential());
  for (std::size_t i = 0; i < 6; ++i) with_law.stiffness[i][2] = 0;
  EXPECT_TRUE(with_law.has_potential());
}

// Two bodies with their frames at the centres of mass, the second moved and turned a little.
struct SmallDeflection {
  Bushing bushing;
  Situation at{std::vector<BodyState>(2), 0, {}};
  Vec3<double> moved{0.01, -0.02, 0.03}, turned{1e-4, 2e-4, -3e-4};

  explicit SmallDeflection(std::mt19937& random) {
    bushing.stiffness = random_symmetric(random, 10);
    at.bodies[1] = force_check::moved(at.bodies[1], moved, turned);
  }
};

TEST(Bushing, ResistsSmallDeflectionsByItsStiffness) {
  std::mt19937 random(6);
  const SmallDeflection small(random);
  const auto block = block_of(small.bushing);
  const std::vector<double> resistance = outputs(block, small.at);
  const Wrench<double> on_b = wrenches(block, small.at)[1];
  for (std::size_t i = 0; i < 6; ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      expected += small.bushing.stiffness[i][j] * small.moved[static_cast<int>(j)];
      expected += small.bushing.stiffness[i][3 + j] * small.turned[static_cast<int>(j)];
    }
    const int axis = static_cast<int>(i % 3);
    // torques in the axes of A and of B differ by the second order
    EXPECT_NEAR(resistance[i], expected, 1e-3);
    EXPECT_NEAR(i < 3 ? on_b.force[axis] : on_b.torque[axis], -expected, 1e-3);
  }
}

TEST(Bushing, TakesALawInsteadOfARow) {
  std::mt19937 random(7);
  SmallDeflection small(random);
  std::vector<int> inputs;
  small.bushing.has_law[2] = true;
  small.bushing.laws[2] = LawFunction(compiled("1000*x^2", {"x", "rate"}), inputs);
  small.bushing.preload[2] = 5;
  EXPECT_NEAR(outputs(block_of(small.bushing), small.at)[2], 1000 * 0.03 * 0.03 + 5, 1e-12);
}

}  // namespace
}  // namespace trammel::force_check
