#include "trammel/comparison/compared_method.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "trammel/comparison/subject.h"

namespace trammel {
namespace {

TEST(ComparedMethod, HasOptionsOfItsOwn) {
  const ComparedMethod method = parse_compared_method("cm/ida:max_order=1:newton_stop=0.3");
  EXPECT_EQ(method.name, "cm/ida");
  ASSERT_EQ(method.options.size(), 2u);
  EXPECT_EQ(method.options[0], (std::pair<std::string, std::string>("max_order", "1")));
  EXPECT_EQ(method.options[1].second, "0.3");
  EXPECT_EQ(method.label(), "cm/ida:max_order=1:newton_stop=0.3");
  EXPECT_EQ(parse_compared_method("psf/radau5").label(), "psf/radau5");
}

TEST(ComparedMethod, WhatThereIsNotIsRefusedWithTheNearestName) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parse_compared_method(text);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("psf/radua5").find("'psf/radau5'"), std::string::npos);
  EXPECT_NE(message("cm/ida:max_ordr=1").find("'max_order'"), std::string::npos);
  EXPECT_NE(message("cm/ida:max_order").find("key=value"), std::string::npos);
  EXPECT_NE(message("cm/ida:safety=0.8").find("*/radau5"), std::string::npos);
  EXPECT_NE(message("cm/ida:max_order=many"), "");
  EXPECT_NE(message(""), "");
}

TEST(ComparedMethod, IsTakenOnce) {
  const auto methods = parse_compared_methods({"psf/radau5", "cm/ida", "psf/radau5", "cm/ida:max_order=1"});
  ASSERT_EQ(methods.size(), 3u);
  EXPECT_EQ(methods[2].label(), "cm/ida:max_order=1");
}

bool holds(const MethodSelection& selection, const std::string& name) {
  return std::any_of(selection.methods.begin(), selection.methods.end(),
                     [&](const ComparedMethod& method) { return method.name == name; });
}

TEST(UsualMethods, AreThoseThatFit) {
  const auto facts = [](const char* problem) { return facts_of(ProblemSubject(*find_problem(problem), {})); };
  const SubjectFacts andrews = facts("andrews");
  EXPECT_FALSE(andrews.traits.contains(Trait::redundant_constraints));
  EXPECT_TRUE(andrews.has_published_reference);
  for (const char* name : {"psf/radau5", "ggl/radau5", "index1/radau5", "partitioned/bdf", "csm/ida"})
    EXPECT_TRUE(holds(andrews.usual, name)) << name;
  EXPECT_TRUE(andrews.usual.left_out.empty());

  // every bar twice
  const SubjectFacts four_bar = facts("four-bar");
  EXPECT_TRUE(four_bar.traits.contains(Trait::redundant_constraints));
  EXPECT_TRUE(holds(four_bar.usual, "psf/radau5"));
  EXPECT_FALSE(holds(four_bar.usual, "ggl/radau5"));
  EXPECT_EQ(four_bar.usual.left_out.size(), 1u);

  // a contact coordinate
  const SubjectFacts disk = facts("rolling-contact");
  EXPECT_TRUE(holds(disk.usual, "ggl/radau5"));
  EXPECT_TRUE(holds(disk.usual, "csm/ida"));
}

TEST(UsualMethods, OfAFreeBodyCanAllTreatIt) {
  const Model model = read_model_text(
      "trammel: 1\nbodies:\n  stone: {mass: 1, inertia: [1, 2, 3]}\nsimulation: {end: 1}\n", "stone.yaml");
  const SubjectFacts facts = facts_of(ModelSubject(model));
  EXPECT_FALSE(facts.traits.contains(Trait::constraints));
  EXPECT_TRUE(holds(facts.usual, "ode/radau5"));
  EXPECT_FALSE(holds(facts.usual, "ggl/radau5"));
  for (const ComparedMethod& method : facts.usual.methods)
    EXPECT_TRUE(run_trial(ModelSubject(model), {.method = method, .rtol = 1e-4, .repeat = 1}).finished())
        << method.name;
}

}  // namespace
}  // namespace trammel
