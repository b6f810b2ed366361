// A run that is driven from outside: advanced in pieces, read and set in between, saved and restored.
#include <gtest/gtest.h>

#include "trammel/published/builtin.h"
#include "trammel/simulation/simulation.h"

namespace trammel {
namespace {

Method method_named(const std::string& name) {
  Method method;
  EXPECT_FALSE(parse_method(name, method));
  return method;
}

Options options_at(double tolerance) {
  Options options;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  return options;
}

ProblemCase case_for(const std::string& problem, const Method& method) {
  const BuiltinProblem* found = find_problem(problem);
  EXPECT_NE(found, nullptr);
  return found->make_for(method.formulation, found->values({}));
}

class SteppedRun : public testing::TestWithParam<std::string> {};

// run() is start(), advance() and finish().
TEST_P(SteppedRun, InOnePieceIsARun) {
  const Method method = method_named(GetParam());
  ProblemCase instance = case_for("n-four-bar", method);
  Simulation at_once(*instance.equations, method, options_at(1e-7));
  Simulation stepped(*instance.equations, method, options_at(1e-7));
  const Summary summary = at_once.run(instance.x0, 0, 0.6);
  ASSERT_TRUE(stepped.start(instance.x0, 0, 0.6));
  EXPECT_FALSE(stepped.advance(5));  // there is no more than the end
  EXPECT_EQ(stepped.t(), 0.6);
  EXPECT_EQ(stepped.finish().final_state, summary.final_state);
  EXPECT_EQ(stepped.trajectory().steps.size(), at_once.trajectory().steps.size());
}

TEST_P(SteppedRun, InManyPiecesGoesTheSameWay) {
  const Method method = method_named(GetParam());
  ProblemCase instance = case_for("n-four-bar", method);
  Simulation at_once(*instance.equations, method, options_at(1e-9));
  Simulation stepped(*instance.equations, method, options_at(1e-9));
  const Summary summary = at_once.run(instance.x0, 0, 0.6);
  int pieces = 0;
  for (bool on = stepped.start(instance.x0, 0, 0.6); on; on = stepped.advance(0.03 * ++pieces))
    EXPECT_NEAR(stepped.t(), 0.03 * pieces, 1e-12);
  EXPECT_EQ(pieces, 20);
  const Index positions = instance.equations->layout().p.size;
  EXPECT_LT((stepped.state() - summary.final_state).head(positions).lpNorm<Eigen::Infinity>(), 1e-6);
}

// Going on after save(), going back to it, and going on elsewhere are the same to the last bit.
TEST_P(SteppedRun, GoesOnFromACopyToTheLastBit) {
  const Method method = method_named(GetParam());
  ProblemCase instance = case_for("n-four-bar", method), other = case_for("n-four-bar", method);
  Simulation first(*instance.equations, method, options_at(1e-7));
  Simulation second(*other.equations, method, options_at(1e-7));
  RunSnapshot snapshot;
  ASSERT_TRUE(first.start(instance.x0, 0, 0.6));
  ASSERT_TRUE(first.advance(0.2));
  ASSERT_TRUE(first.save(snapshot));
  const Vector middle = first.state();
  first.advance(0.6);
  const Summary end = first.finish();
  ASSERT_EQ(end.status, Status::finished) << end.message();
  const std::size_t steps = first.trajectory().steps.size();

  ASSERT_TRUE(first.restore(snapshot));
  EXPECT_EQ(first.t(), 0.2);
  EXPECT_EQ(first.state(), middle);
  first.advance(0.6);
  EXPECT_EQ(first.finish().final_state, end.final_state);
  EXPECT_EQ(first.trajectory().steps.size(), steps);

  ASSERT_TRUE(second.start(other.x0, 0, 0.6));
  ASSERT_TRUE(second.restore(snapshot));
  second.advance(0.6);
  EXPECT_EQ(second.finish().final_state, end.final_state);
  EXPECT_EQ(second.finish().statistics.accepted, end.statistics.accepted);
}

INSTANTIATE_TEST_SUITE_P(Methods, SteppedRun,
                         testing::Values("psf/radau5", "psf/sdirk4", "partitioned/sdirk4",
                                         "partitioned/radau5", "projected/dop853", "geoms/radau5"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& letter : name)
                             if (letter == '/') letter = '_';
                           return name;
                         });

TEST(SteppedRun, StatesCanBeSet) {
  const Method method = method_named("psf/radau5");
  ProblemCase instance = case_for("pendulum", method);
  Simulation simulation(*instance.equations, method, options_at(1e-8));
  ASSERT_TRUE(simulation.start(instance.x0, 0, 5));
  ASSERT_TRUE(simulation.advance(1));
  // lifted to the side at rest, and not quite on the circle
  Vector x = simulation.state();
  x.setZero();
  x[0] = 1.01;
  ASSERT_TRUE(simulation.set_state(x));
  EXPECT_EQ(simulation.t(), 1);
  EXPECT_NEAR(simulation.state().head(2).norm(), 1, 1e-12);
  EXPECT_NEAR(simulation.state().segment(2, 2).norm(), 0, 1e-12);
  EXPECT_FALSE(simulation.advance(5));
  EXPECT_EQ(simulation.finish().status, Status::finished);
  EXPECT_FALSE(simulation.set_state(Vector::Zero(2)));  // of another size
}

TEST(SteppedRun, ASnapshotOfOtherEquationsIsRefused) {
  const Method method = method_named("psf/radau5");
  ProblemCase pendulum = case_for("pendulum", method), andrews = case_for("andrews", method);
  Simulation first(*pendulum.equations, method, options_at(1e-6)), second(*andrews.equations, method, {});
  RunSnapshot snapshot;
  ASSERT_TRUE(first.start(pendulum.x0, 0, 5));
  ASSERT_TRUE(first.save(snapshot));
  ASSERT_TRUE(second.start(andrews.x0, 0, 0.01));
  EXPECT_FALSE(second.restore(snapshot));
}

}  // namespace
}  // namespace trammel
