#include "trammel/comparison/trial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "trammel/comparison/subject.h"

namespace trammel {
namespace {

TEST(Measurement, ComesBackFromJsonToTheLastBit) {
  Measurement sent;
  sent.outcome = Measurement::Outcome::finished;
  sent.message = "reached \"t\" = 1";
  sent.seconds = 0.1 + 0.2;
  sent.repeats = 3;
  sent.atol = 1e-8;
  sent.statistics.accepted = 7;
  sent.statistics.rejected_convergence = 2;
  sent.violation.velocity = 3e-15;
  sent.digits = 5.4321;
  sent.samples = {{"x", "y"}, true, {0, 1.0 / 3}, {Vector::Random(2), Vector::Random(2)}};
  const auto text = to_json(sent).dump();
  const Measurement got = measurement_from_json(nlohmann::ordered_json::parse(text));
  EXPECT_EQ(got.outcome, sent.outcome);
  EXPECT_EQ(got.message, sent.message);
  EXPECT_EQ(got.seconds, sent.seconds);
  EXPECT_EQ(got.repeats, 3);
  EXPECT_EQ(got.statistics.accepted, 7);
  EXPECT_EQ(got.statistics.rejected_convergence, 2);
  EXPECT_EQ(got.violation.velocity, 3e-15);
  EXPECT_EQ(got.digits, sent.digits);
  EXPECT_TRUE(got.samples.of_bodies);
  EXPECT_EQ(got.samples.times, sent.samples.times);
  EXPECT_EQ(got.samples.positions, sent.samples.positions);
}

TEST(Measurement, NumbersThatJsonDoesNotHaveSurvive) {
  Measurement sent;
  sent.violation.acceleration = std::numeric_limits<double>::infinity();
  const Measurement got = measurement_from_json(nlohmann::ordered_json::parse(to_json(sent).dump()));
  EXPECT_FALSE(std::isfinite(got.violation.acceleration));
}

TEST(Measurement, NonsenseIsRefused) {
  const auto refused = [](const nlohmann::ordered_json& json) {
    EXPECT_THROW(measurement_from_json(json), std::invalid_argument) << json;
  };
  refused(nlohmann::ordered_json::object());
  refused("finished");
  nlohmann::ordered_json json = to_json(Measurement{});
  EXPECT_NO_THROW(measurement_from_json(json));
  json["outcome"] = "splendid";
  refused(json);
  json = to_json(Measurement{});
  json["samples"] = {{"names", {"x"}}, {"of_bodies", false}, {"times", {0.0}}, {"positions", {{1.0, 2.0}}}};
  refused(json);
}

TEST(RunTrial, KeepsPositionsAtTheTimesAskedFor) {
  const ProblemSubject subject(*find_problem("pendulum"), {}, {.end = 1.0});
  const Measurement run = run_trial(subject, {{"psf/radau5"}, 1e-6, 2, 4});
  ASSERT_TRUE(run.finished()) << run.message;
  EXPECT_EQ(run.samples.times, (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(run.samples.names, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(run.repeats, 2);
  EXPECT_GT(run.seconds, 0);
  EXPECT_GT(run.statistics.evaluations, 0);
  EXPECT_EQ(run.atol, 1e-6);
}

TEST(RunTrial, LandingOnSamplesHasNoInterpolationError) {
  const ProblemSubject subject(*find_problem("pendulum"), {}, {.end = 1.0});
  const Measurement exact = run_trial(subject, {{"geoms/radau5"}, 1e-12, 1, 7, true});
  const Measurement mild = run_trial(subject, {{"geoms/radau5"}, 1e-7, 1, 7, true});
  const Measurement interpolated = run_trial(subject, {{"geoms/radau5"}, 1e-7, 1, 7});
  ASSERT_TRUE(exact.finished()) << exact.message;
  ASSERT_EQ(exact.samples.times, interpolated.samples.times);
  const auto error = [&](const Measurement& run) {
    double largest = 0;
    for (std::size_t i = 0; i < exact.samples.times.size(); ++i)
      largest = std::max(largest, (run.samples.positions[i] - exact.samples.positions[i]).norm());
    return largest;
  };
  EXPECT_GT(error(mild), 0);
  EXPECT_LT(error(mild), error(interpolated));
  EXPECT_LT(error(interpolated), 1e-5);
}

TEST(RunTrial, WhatFailsSaysWhy) {
  const ProblemSubject four_bar(*find_problem("four-bar"), {}, {.end = 0.1});
  const Measurement redundant = run_trial(four_bar, {{"ggl/radau5"}, 1e-4});
  EXPECT_EQ(redundant.outcome, Measurement::Outcome::failed);
  EXPECT_NE(redundant.message.find("redundant"), std::string::npos);
  EXPECT_TRUE(redundant.samples.times.empty());
  EXPECT_NE(run_trial(four_bar, {{"no/method"}, 1e-4}).message, "");
}

TEST(ModelSubject, KeepsTheProportionOfTheTolerances) {
  const auto atol = [](const std::string& simulation, SubjectSettings settings = {}) {
    const Model model = read_model_text(
        "trammel: 1\nbodies:\n  rod: {rod: {from: [0, 0, 0], to: [0, 0, -1], mass: 2, radius: 1 cm}}\n"
        "joints:\n  pivot: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "simulation: " +
            simulation + "\n",
        "rod.yaml");
    return ModelSubject(model, std::move(settings))
        .prepare({{"psf/radau5"}, 1e-4})
        .options.tolerances.absolute;
  };
  EXPECT_DOUBLE_EQ(atol("{end: 1}"), 1e-6);
  EXPECT_DOUBLE_EQ(atol("{end: 1, rtol: 1e-8, atol: 1e-9}"), 1e-5);
  EXPECT_DOUBLE_EQ(atol("{end: 1, atol: 1e-5}"), 1e-3);
  EXPECT_DOUBLE_EQ(atol("{end: 1, rtol: 1e-8, atol: 1e-9}", {.atol = 1e-11}), 1e-11);
}

}  // namespace
}  // namespace trammel
