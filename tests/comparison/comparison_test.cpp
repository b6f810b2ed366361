#include "trammel/comparison/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace trammel {
namespace {

using Outcome = Measurement::Outcome;

const ComparedPoint& point_at(const Comparison& comparison, const std::string& method, double rtol) {
  for (const ComparedPoint* point : comparison.points_of(method))
    if (point->trial.rtol == rtol) return *point;
  throw std::out_of_range(method);
}

TEST(Comparison, OfAndrewsShowsTheKnownPicture) {
  const ProblemSubject andrews(*find_problem("andrews"), {});
  const Comparison comparison = compare(
      andrews,
      {.methods = parse_compared_methods({"psf/radau5", "ggl/radau5", "index1/radau5", "partitioned/radau5"}),
       .rtols = {1e-8, 1e-4, 1e-6},
       .repeat = 1},
      run_here(andrews));
  EXPECT_EQ(comparison.measure, ErrorMeasure::published);
  EXPECT_TRUE(comparison.reference.published);
  // the published values are confirmed by a formulation that has nothing to do with them
  ASSERT_TRUE(comparison.reference.accuracy);
  EXPECT_LT(*comparison.reference.accuracy, 1e-11);
  ASSERT_EQ(comparison.points.size(), 12u);
  for (const std::string& method : comparison.methods) {
    const auto curve = comparison.curve(method);
    ASSERT_EQ(curve.size(), 3u) << method;
    // from mild to tight: more work, less error
    EXPECT_GT(curve[0]->trial.rtol, curve[2]->trial.rtol);
    EXPECT_GT(*curve[0]->error, 10 * *curve[2]->error) << method;
    EXPECT_LT(curve[0]->measurement.statistics.evaluations, curve[2]->measurement.statistics.evaluations);
    EXPECT_FALSE(curve[2]->near_reference);
  }
  // index 1 drifts, GGL holds constraints to the tolerance, the others to round-off
  const auto violation = [&](const char* method) {
    return point_at(comparison, method, 1e-6).measurement.violation.position;
  };
  EXPECT_GT(violation("index1/radau5"), 10 * violation("ggl/radau5"));
  EXPECT_GT(violation("ggl/radau5"), 1e4 * violation("psf/radau5"));
  EXPECT_LT(violation("psf/radau5"), 1e-15);
  EXPECT_LT(violation("partitioned/radau5"), 1e-15);
  // recommendations are for errors that were reached
  ASSERT_EQ(comparison.recommendations.size(), 3u);
  EXPECT_FALSE(comparison.recommendations[1].ranking.empty());
}

TEST(Comparison, OfAModelHasAReferenceThatTwoMethodsAgreeOn) {
  const Model model = read_model_text(
      "trammel: 1\nbodies:\n  rod: {rod: {from: [0, 0, 0], to: [0, 0, -1], mass: 2, radius: 1 cm}}\n"
      "joints:\n  pivot: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0], "
      "initial: {angle: 30 deg}}\nsimulation: {end: 1}\n",
      "rod.yaml");
  const ModelSubject subject(model);
  const Comparison comparison =
      compare(subject,
              {.methods = parse_compared_methods({"psf/radau5", "partitioned/adams"}),
               .rtols = {1e-4, 1e-7},
               .samples = 10,
               .repeat = 1},
              run_here(subject));
  EXPECT_EQ(comparison.measure, ErrorMeasure::trajectory);
  ASSERT_TRUE(comparison.reference.trial);
  EXPECT_EQ(comparison.reference.trial->label(), "psf/radau5 at rtol 1e-12");
  ASSERT_TRUE(comparison.reference.accuracy);
  EXPECT_LT(*comparison.reference.accuracy, 1e-10);
  EXPECT_FALSE(comparison.reference.accuracy_from.starts_with("psf/"));
  for (const ComparedPoint& point : comparison.points) {
    ASSERT_TRUE(point.error) << point.trial.label() << ": " << point.measurement.message;
    EXPECT_LT(*point.error, 1000 * point.trial.rtol) << point.trial.label();
    EXPECT_LE(*point.error_at_end, *point.error);
  }
}

// Answers as the test wants them: x = 1 + error, whatever the subject.
struct Fake {
  double error = 0;
  Outcome outcome = Outcome::finished;
  std::string message = "";
};
TrialRunner fake_runner(std::function<Fake(const Trial&)> answer) {
  return [answer = std::move(answer)](const std::vector<Trial>& trials, const TrialDone& done) {
    // in another order than they were asked for
    for (std::size_t i = trials.size(); i-- > 0;) {
      const Fake fake = answer(trials[i]);
      Measurement measurement;
      measurement.outcome = fake.outcome;
      measurement.message = fake.message;
      measurement.seconds = 1e-3 / trials[i].rtol;
      if (measurement.finished())
        measurement.samples = {{"x"}, false, {1}, {Vector::Constant(1, 1 + fake.error)}};
      done(i, measurement);
    }
  };
}

Comparison compare_fakes(std::function<Fake(const Trial&)> answer, ComparisonRequest request = {}) {
  const ProblemSubject pendulum(*find_problem("pendulum"), {}, {.end = 1.0});
  request.methods = parse_compared_methods({"psf/radau5", "ggl/radau5"});
  request.measure = ErrorMeasure::end;
  return compare(pendulum, request, fake_runner(std::move(answer)));
}

TEST(Comparison, ErrorsNearTheReferenceAreMarked) {
  const Comparison comparison = compare_fakes([](const Trial& trial) {
    // at tight tolerances all others are 1e-9 apart from it
    return Fake{trial.rtol + (trial.method.name == "psf/radau5" ? 0 : 1e-9)};
  });
  ASSERT_TRUE(comparison.reference.accuracy);
  EXPECT_NEAR(*comparison.reference.accuracy, 1e-9, 1e-12);
  EXPECT_TRUE(point_at(comparison, "psf/radau5", 1e-9).near_reference);
  EXPECT_FALSE(point_at(comparison, "psf/radau5", 1e-8).near_reference);
  // and no method is recommended for what cannot be told
  EXPECT_TRUE(comparison.recommendations[2].ranking.empty());
  EXPECT_NE(comparison.recommendations[2].problem.find("cannot tell"), std::string::npos);
  EXPECT_EQ(comparison.recommendations[1].ranking.size(), 2u);
  EXPECT_NE(text_report(comparison).find("~ less than 5 times"), std::string::npos);
}

TEST(Comparison, AReferenceThatFailsIsMadeMilder) {
  const Comparison comparison = compare_fakes([](const Trial& trial) {
    return trial.rtol < 0.5e-10 ? Fake{0, Outcome::failed, "too tight"} : Fake{trial.rtol};
  });
  ASSERT_TRUE(comparison.reference.trial);
  EXPECT_EQ(comparison.reference.trial->rtol, 1e-10);
  EXPECT_EQ(comparison.reference.trial->method.name, "psf/radau5");
  // no other method got so far, so it is checked by its own tolerance
  EXPECT_EQ(comparison.reference.accuracy_from, "psf/radau5 at rtol 1e-9");
  EXPECT_NEAR(*comparison.reference.accuracy, 9e-10, 1e-13);
}

TEST(Comparison, AnotherMethodIsTheReferenceIfTheFirstCannot) {
  const Comparison comparison = compare_fakes([](const Trial& trial) {
    return trial.method.name == "psf/radau5" ? Fake{0, Outcome::crashed, "signal 11"} : Fake{trial.rtol};
  });
  ASSERT_TRUE(comparison.reference.trial);
  EXPECT_EQ(comparison.reference.trial->method.name, "ggl/radau5");
  EXPECT_TRUE(comparison.fails_alike("psf/radau5"));
  EXPECT_FALSE(comparison.fails_alike("ggl/radau5"));
  const std::string text = text_report(comparison);
  EXPECT_NE(text.find("all  crashed: signal 11"), std::string::npos) << text;
}

TEST(Comparison, WithoutAReferenceThereAreTimesButNoErrors) {
  const Comparison comparison = compare_fakes([](const Trial& trial) {
    return trial.land_on_samples ? Fake{0, Outcome::timed_out, "not finished"} : Fake{trial.rtol};
  });
  EXPECT_FALSE(comparison.reference.usable());
  EXPECT_TRUE(comparison.any_finished());
  EXPECT_NE(comparison.reference.sentence().find("there is no reference"), std::string::npos);
  for (const ComparedPoint& point : comparison.points) EXPECT_FALSE(point.error);
  EXPECT_TRUE(to_json(comparison)["points"][0]["error"].is_null());
  EXPECT_EQ(to_json(comparison)["reference"]["kind"], "none");
}

TEST(Comparison, FailuresAreInEveryTable) {
  const Comparison comparison = compare_fakes([](const Trial& trial) {
    return trial.method.name == "ggl/radau5" && trial.rtol == 1e-5
               ? Fake{0, Outcome::timed_out, "not \"finished\", after 3 s"}
               : Fake{trial.rtol};
  });
  const nlohmann::ordered_json json = to_json(comparison);
  ASSERT_EQ(json["points"].size(), 14u);
  EXPECT_EQ(json["points"][9]["status"], "timed out");
  EXPECT_EQ(json["points"][9]["rtol"], 1e-5);
  const std::string csv = csv_table(comparison);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 15);
  EXPECT_NE(csv.find("\"not \"\"finished\"\", after 3 s\""), std::string::npos);
  EXPECT_NE(text_report(comparison).find("timed out: not \"finished\""), std::string::npos);
}

TEST(Comparison, NonsenseIsRefused) {
  const ProblemSubject pendulum(*find_problem("pendulum"), {}, {.end = 1.0});
  const auto refused = [&](ComparisonRequest request) {
    EXPECT_THROW(compare(pendulum, request, run_here(pendulum)), std::invalid_argument);
  };
  refused({.rtols = {}});
  refused({.rtols = {0}});
  refused({.rtols = {1e-3, 2}});
  refused({.samples = 0});
  refused({.repeat = -1});
  refused({.wanted_errors = {std::nan("")}});
  const ProblemSubject four_bar(*find_problem("four-bar"), {}, {.end = 1.0});  // no reference
  EXPECT_THROW(compare(four_bar, {.measure = ErrorMeasure::published}, run_here(four_bar)),
               std::invalid_argument);
  const ProblemSubject backwards(*find_problem("pendulum"), {}, {.end = -1.0});
  EXPECT_THROW(compare(backwards, {}, run_here(backwards)), std::invalid_argument);
}

}  // namespace
}  // namespace trammel
