// Operations of a user's own simulator that fail at random, every twentieth call, whoever integrates: each failure is a reason to
// try again with a shorter step, is counted, and is forgotten afterwards.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>

#include "tests/integrator/own_pendulum.h"
#include "trammel/integrator/dop853.h"
#include "trammel/integrator/ida.h"
#include "trammel/integrator/multistep.h"
#include "trammel/integrator/radau.h"
#include "trammel/integrator/sdirk.h"

namespace trammel {
namespace {

using test::OwnPendulum;

struct Unreliable : OwnPendulum {
  std::mt19937 random;
  double probability = 0;
  long failed_derivatives = 0, failed_projections = 0;

  bool fails(long& count) {
    if (!(std::uniform_real_distribution<double>(0, 1)(random) < probability)) return false;
    ++count;
    return true;
  }
  Outcome derivative(double t, VectorIn y, VectorOut rates) override {
    return fails(failed_derivatives) ? Outcome::retry : OwnPendulum::derivative(t, y, rates);
  }
  Outcome project(double t, VectorIn scale, double tolerance, VectorOut y) override {
    return fails(failed_projections) ? Outcome::retry : OwnPendulum::project(t, scale, tolerance, y);
  }
};

constexpr double tolerance = 1e-7, swings = 10;

template <class Options>
Options tight() {
  Options options;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  return options;
}

struct Way {
  const char* name;
  std::function<std::unique_ptr<Integrator>(InvariantOdeProblem&)> make;
};

std::vector<Way> ways() {
  const auto multistep = [](MultistepFamily family) {
    return [family](InvariantOdeProblem& problem) -> std::unique_ptr<Integrator> {
      MultistepOptions options = tight<MultistepOptions>();
      options.family = family;
      return std::make_unique<Multistep>(problem, options);
    };
  };
  return {{"adams", multistep(MultistepFamily::adams)},
          {"bdf", multistep(MultistepFamily::bdf)},
          {"dop853",
           [](InvariantOdeProblem& problem) -> std::unique_ptr<Integrator> {
             return std::make_unique<Dop853>(problem, tight<Dop853Options>());
           }},
          {"radau5",
           [](InvariantOdeProblem& problem) -> std::unique_ptr<Integrator> {
             return std::make_unique<Radau>(problem, tight<RadauOptions>());
           }},
          {"sdirk4",
           [](InvariantOdeProblem& problem) -> std::unique_ptr<Integrator> {
             return std::make_unique<Sdirk>(problem, tight<SdirkOptions>());
           }},
          {"ida", [](InvariantOdeProblem& problem) -> std::unique_ptr<Integrator> {
             return std::make_unique<Ida>(problem, tight<IdaOptions>());
           }}};
}

struct Swing {
  Unreliable pendulum;
  InvariantOdeProblem problem{pendulum};
  double error = 1;
  std::string message;

  // The first evaluation has no other point to go to.
  Swing(const Way& way, double probability, unsigned seed) {
    pendulum.random.seed(seed);
    const std::unique_ptr<Integrator> steps = way.make(problem);
    Outcome outcome = steps->start(0, OwnPendulum::horizontal(), swings, 0);
    pendulum.probability = probability;
    while (outcome == Outcome::ok && steps->t() < swings) outcome = steps->step(swings);
    message = steps->failure().message;
    if (outcome == Outcome::ok) error = (steps->x() - OwnPendulum::horizontal()).norm();
  }
};

TEST(RandomFailures, EveryRunEndsRightAndIsCounted) {
  for (const Way& way : ways()) {
    const Swing smooth(way, 0, 1);
    ASSERT_LT(smooth.error, 1e-3) << way.name;
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const Swing run(way, 0.05, seed);
      const std::string what = std::string(way.name) + ", seed " + std::to_string(seed);
      // as good as without failures, up to the scatter of other steps
      EXPECT_LT(run.error, 10 * smooth.error) << what << ": " << run.message;
      const Statistics& statistics = run.problem.statistics();
      EXPECT_GT(run.pendulum.failed_derivatives, 5) << what;
      EXPECT_GT(run.pendulum.failed_projections, 0) << what;
      EXPECT_GE(statistics.rejected_projection, run.pendulum.failed_projections) << what;
      EXPECT_GT(statistics.rejected_convergence, 0) << what;
      EXPECT_EQ(statistics.steps, statistics.accepted + statistics.rejected()) << what;
      // the step size comes back; IDAS makes it a quarter, and twice as large at most now and then
      const long most = way.name == std::string("ida") ? 8 : 3;
      EXPECT_LT(statistics.accepted, most * smooth.problem.statistics().accepted) << what;
    }
  }
}

}  // namespace
}  // namespace trammel
