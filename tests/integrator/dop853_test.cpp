#include "trammel/integrator/dop853.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/integrator/sundials_checks.h"
#include "trammel/integrator/dop853_coefficients.h"

namespace trammel {
namespace {

using namespace test;

Dop853Options with(double tolerance) {
  Dop853Options options;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  return options;
}

std::unique_ptr<Integrator> make(OdeProblem& problem, double tolerance) {
  return std::make_unique<Dop853>(problem, with(tolerance));
}

TEST(Dop853, ErrorFollowsTheTolerance) { expect_errors_follow_tolerance(make, 100); }
TEST(Dop853, HeedsTheMassMatrix) { expect_mass_matrix_is_heeded(make); }
TEST(Dop853, EndsExactlyAtTheBound) { expect_bounds_are_hit(make); }
TEST(Dop853, RetreatRepeatsTheStep) { expect_retreat_repeats_the_step(make); }
TEST(Dop853, FailsInWordsAndInSilence) { expect_failures_in_words(make); }
TEST(Dop853, GoesOnFromAChangedState) { expect_changed_states_are_kept(make); }
TEST(Dop853, FollowsDrivenMotion) { expect_driven_motion_is_followed(make); }
TEST(Dop853, StateSpaceFormIsTheReducedEquation) { expect_same_as_reduced(make); }
TEST(Dop853, GoesOnFromCompletedGuesses) { expect_guesses_are_completed(make); }
TEST(Dop853, CountersAddUp) { expect_counters_add_up(make); }
TEST(Dop853, IntegratesStateSpaceForms) { expect_state_space_form_works(make); }

// The error of a run with so many equal steps, at the end and at its worst inside steps: of the continuous extension,
// and of what is put out.
struct FixedStepErrors {
  double end = 0, inside = 0, put_out = 0;
};
FixedStepErrors errors_of(int steps) {
  OdeRun<KnownSolution> ode;
  Dop853Options options = with(1e-6);
  options.fixed_step = true;
  Dop853 dop853(ode.problem, options);
  constexpr double end = 2;
  FixedStepErrors errors;
  EXPECT_EQ(dop853.start(0, KnownSolution::initial(), end, end / steps), Outcome::ok);
  Vector x(2);
  while (dop853.t() < end) {
    EXPECT_EQ(dop853.step(end), Outcome::ok);
    for (const double part : {0.2, 0.5, 0.7}) {
      const double t = dop853.previous_t() + part * dop853.last_step();
      const auto off = [&] { return (x - KnownSolution::solution(t)).lpNorm<Eigen::Infinity>(); };
      dop853.interpolate(t, x);
      errors.inside = std::max(errors.inside, off());
      dop853.sample(t, x);
      errors.put_out = std::max(errors.put_out, off());
    }
  }
  errors.end = (dop853.x() - KnownSolution::solution(end)).lpNorm<Eigen::Infinity>();
  return errors;
}

TEST(Dop853, HasOrderEightAndLessInsideSteps) {
  const FixedStepErrors coarse = errors_of(8), fine = errors_of(16);
  EXPECT_GT(std::log2(coarse.end / fine.end), 7.3);
  EXPECT_GT(std::log2(coarse.inside / fine.inside), 6.5);    // a step has the error h⁷ inside
  EXPECT_GT(std::log2(coarse.put_out / fine.put_out), 7.3);  // and h⁸ where it is put out
  EXPECT_LT(fine.inside, 1e-7);
  EXPECT_LT(fine.put_out, 0.3 * fine.inside);
}

// A rooted tree: the weights of its elementary differential in each stage, its order, and γ.
struct Tree {
  Vector phi;
  int order = 1;
  double gamma = 1;
};

// All trees up to an order. Each is made of ones before it, the last of which is added last: so none is made twice.
std::vector<Tree> trees_up_to(int order) {
  const auto n = static_cast<Index>(dop853::all_stages);
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      a(i, j) = dop853::a[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  std::vector<Tree> trees{{Vector::Ones(n), 1, 1}};
  struct Crown {
    Vector phi;
    int order;
    double gamma;
    std::size_t last;
  };
  std::vector<Crown> crowns{{Vector::Ones(n), 0, 1, 0}};
  for (int wanted = 2; wanted <= order; ++wanted) {
    // sets of trees with wanted − 1 vertices together
    for (std::size_t i = 0; i < crowns.size(); ++i)
      for (std::size_t j = crowns[i].last; j < trees.size(); ++j)
        if (crowns[i].order + trees[j].order == wanted - 1)
          crowns.push_back({crowns[i].phi.cwiseProduct(a * trees[j].phi), wanted - 1,
                            crowns[i].gamma * trees[j].gamma, j});
    for (const Crown& crown : crowns)
      if (crown.order == wanted - 1) trees.push_back({crown.phi, wanted, wanted * crown.gamma});
  }
  return trees;
}

// Σ b_i(s) φ_i = s^order / γ for all trees of up to six vertices, of which there are 37, and at every s.
TEST(Dop853, ExtensionMeetsAllConditionsOfOrderSix) {
  const std::vector<Tree> trees = trees_up_to(6);
  ASSERT_EQ(trees.size(), 37U);
  for (const double s : {0.1, 0.3, 0.5, 0.8, 1.0}) {
    Vector b = Vector::Zero(dop853::all_stages);
    for (Index i = 0; i < b.size(); ++i) {
      const auto stage = static_cast<std::size_t>(i);
      const double bubble = s * s * (1 - s) * (1 - s);
      b[i] = s * s * (3 - 2 * s) * dop853::a[dop853::stages][stage] +
             bubble * (dop853::extension[0][stage] +
                       s * (dop853::extension[1][stage] + (1 - s) * dop853::extension[2][stage]));
    }
    b[0] += s * (1 - s) * (1 - s);
    b[dop853::stages] += s * s * (s - 1);
    for (const Tree& tree : trees)
      EXPECT_NEAR(b.dot(tree.phi), std::pow(s, tree.order) / tree.gamma, 1e-12) << tree.order << ' ' << s;
  }
}

// A ball that falls on a wall without a corner, whose force decays by e every 6 mm: x' = v, v' = −g + a exp(−x/ε).
struct SoftWall {
  static constexpr double gravity = 9.81, push = 1e4, width = 0.006;
  Sizes sizes() const { return {.force_states = 2}; }
  template <class T>
  void b(const Point<T>& x, std::span<T> b) const {
    using std::exp;
    b[0] = x.r[1];
    b[1] = -gravity + push * exp(x.r[0] / -width);
  }
  static Vector initial() { return (Vector(2) << 0.5, 0).finished(); }
  static double energy(const Vector& x) {
    return 0.5 * x[1] * x[1] + gravity * x[0] + push * width * std::exp(x[0] / -width);
  }
};

// The first step into the wall is by far too long, and at some tolerances the estimate of order 5 is small there by chance.
TEST(Dop853, IsNotTakenInByAnEstimateThatIsSmallByChance) {
  const Vector x0 = SoftWall::initial();
  for (double tolerance = 1e-8; tolerance < 1e-5; tolerance *= 1.03) {
    OdeRun<SoftWall> ode;
    Dop853 dop853(ode.problem, with(tolerance));
    ASSERT_EQ(run(dop853, x0, 0.6), Outcome::ok);
    const double off = std::abs(SoftWall::energy(dop853.x()) - SoftWall::energy(x0));
    EXPECT_LT(off, 300 * tolerance * SoftWall::energy(x0)) << tolerance;
  }
}

TEST(Dop853, AStiffProblemNeedsManySteps) {
  OdeRun<StiffLinear> ode;
  Dop853Options options = with(1e-5);
  options.max_steps = 500;
  Dop853 dop853(ode.problem, options);
  EXPECT_EQ(run(dop853, StiffLinear::initial(), 10), Outcome::fail);
  EXPECT_EQ(dop853.failure().reason, Reason::too_many_steps);
}

TEST(Dop853, RefusesNonsense) {
  OdeRun<KnownSolution> ode;
  Dop853Options options = with(1e-6);
  options.max_step_factor = 0.5;
  Dop853 dop853(ode.problem, options);
  EXPECT_EQ(dop853.start(0, KnownSolution::initial(), 1, 0), Outcome::fail);
  EXPECT_NE(dop853.failure().message.find("max_step_factor"), std::string::npos);
}

}  // namespace
}  // namespace trammel
