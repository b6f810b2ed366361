#include "trammel/simulation/named_tolerances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trammel/model/model.h"
#include "trammel/simulation/mechanism_run.h"
#include "trammel/simulation/simulation.h"

namespace trammel {
namespace {

const std::string two_rods = R"(
trammel: 1
bodies:
  upper: {rod: {from: [0,0,0], to: [1,0,0], mass: 1, radius: 1 cm}}
  lower: {rod: {from: [1,0,0], to: [2,0,0], mass: 1, radius: 1 cm}}
joints:
  A: {type: revolute, between: [ground, upper], at: [0,0,0], axis: [0,1,0]}
  B: {type: revolute, between: [upper, lower], at: [1,0,0], axis: [0,1,0]}
states:
  s: {initial: 1, rate: -s}
)";

Model model(const std::string& settings) {
  return read_model_text(two_rods + "simulation: {end: 1, " + settings + "}\n", "rods");
}

std::string error_of(const Model& of, const RunRequest& request = {}) {
  try {
    MechanismRun run(of, request);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

TEST(NamedTolerances, AreThoseOfAllUnknownsOfABody) {
  const Model of =
      model("rtol: 1e-5, atol: 1e-7, tolerances: {upper: {rtol: 1e-3}, s: {rtol: 0, atol: 1e-9}}");
  MechanismRun run(of);
  const Tolerances& tolerances = run.settings().options.tolerances;
  const EquationsOfMotion& equations = run.equations();
  const Layout& l = equations.layout();
  int of_upper = 0, of_s = 0;
  for (Index i = 0; i < l.r.end(); ++i) {
    const std::string name = equations.names().variable(l, i);
    const bool upper = name.starts_with("upper."), state = name == "s";
    of_upper += upper ? 1 : 0;
    of_s += state ? 1 : 0;
    EXPECT_EQ(tolerances.relative_of(i), upper ? 1e-3 : state ? 0 : 1e-5) << name;
    EXPECT_EQ(tolerances.absolute_of(i), state ? 1e-9 : 1e-7) << name;
  }
  EXPECT_EQ(of_upper, 13);  // seven positions, six velocities
  EXPECT_EQ(of_s, 1);
  EXPECT_EQ(run.run().status, Status::finished);
}

// The request has the last word; a tighter tolerance costs steps.
TEST(NamedTolerances, OfARequestCountAndMatter) {
  const Model of = model("rtol: 1e-3, method: projected/adams, tolerances: {s: {rtol: 1e-3}}");
  MechanismRun loose(of);
  RunRequest request;
  request.tolerances = {{"s", 1e-10, 1e-12, {}}};
  MechanismRun tight(of, request);
  const long few = loose.run().statistics.accepted;
  const Summary& summary = tight.run();
  EXPECT_GT(summary.statistics.accepted, few);
  const Layout& l = tight.equations().layout();
  EXPECT_NEAR(summary.final_state[l.r.begin], std::exp(-1.0), 1e-8);
}

TEST(NamedTolerances, GoByJointsInJointCoordinates) {
  EXPECT_EQ(error_of(model("coordinates: joint, tolerances: {A: {rtol: 1e-3}}")), "");
  const std::string wrong = error_of(model("coordinates: cartesian, tolerances: {A: {rtol: 1e-3}}"));
  EXPECT_NE(wrong.find("'A' has no unknown in these coordinates"), std::string::npos) << wrong;
}

// --- closures

// The largest residual of A's rows at position level after any step.
double worst_closure(const std::string& settings, const RunRequest& request = {}) {
  const std::string all =
      "coordinates: cartesian, method: projected/adams, rtol: 1e-4, atol: 1e-4, " + settings;
  MechanismRun run(model(all), request);
  MechanismEquations& equations = run.equations();
  const auto beside = equations.tangent();
  const Layout& l = equations.layout();
  MotionValues values(l, false);
  const Vector rest = Vector::Zero(l.v.size);
  Vector x = equations.initial_state();
  double worst = 0;
  Simulation simulation(equations, run.settings().method, run.settings().options);
  simulation.on_step([&](const Point<double>& at, double) {
    x.segment(l.p.begin, l.p.size) = Eigen::Map<const Vector>(at.p.data(), l.p.size);
    beside->evaluate({at.t, x, rest}, part::g, values);
    for (Index i = 0; i < l.lambda.size; ++i)
      if (equations.names().g[at_index(i)].starts_with("A.")) worst = std::max(worst, std::abs(values.g[i]));
    return true;
  });
  const Vector start = equations.initial_state();
  EXPECT_EQ(simulation.run(start, 0, 1).status, Status::finished);
  return worst;
}

// Constraints of a joint are met within constraint_tolerance (here a tenth) of what is given for it, planar as the mechanism is.
TEST(NamedTolerances, ClosuresSayWhatTheConstraintsOfAJointMayBeOffBy) {
  const std::string options = "options: {constraint_tolerance: 0.1}";
  const double automatic = worst_closure(options);
  EXPECT_GT(automatic, 1e-6);
  EXPECT_LT(worst_closure("tolerances: {A: {closure: 1e-6}}, " + options), 1e-7);
  RunRequest request;
  request.tolerances = {{"A", {}, {}, {}, 1e-8}};
  EXPECT_LT(worst_closure("tolerances: {A: {closure: 1e-6}}, " + options, request), 1e-9);
}

TEST(NamedTolerances, ClosuresThatCouldHaveNoEffectAreRefused) {
  EXPECT_NE(error_of(model("coordinates: cartesian, method: projected/adams, tolerances: {AA: {closure: 1}}"))
                .find("did you mean 'A'"),
            std::string::npos);
  EXPECT_NE(error_of(model("coordinates: joint, method: projected/adams, tolerances: {A: {closure: 1}}"))
                .find("'A' has no constraint in these coordinates"),
            std::string::npos);
  EXPECT_NE(error_of(model("coordinates: cartesian, method: psf/radau5, tolerances: {A: {closure: 1}}"))
                .find("it does not project inside a step"),
            std::string::npos);
  EXPECT_EQ(error_of(model("method: projected/bdf, coordinates: cartesian, tolerances: {A.x: {closure: 1}}")),
            "");
}

// As an option that only one of two methods has does for that one.
TEST(NamedTolerances, DecideOnTheCoordinates) {
  const auto chosen = [](const std::string& settings) {
    const MechanismRun run(model(settings));
    return run.settings().coordinates + " " + run.settings().why_coordinates;
  };
  EXPECT_EQ(chosen("tolerances: {upper: {rtol: 1e-3}}"), "cartesian auto: a tolerance is given for 'upper'");
  EXPECT_EQ(chosen("method: geoms/radau5, tolerances: {A: {rtol: 1e-3}}"),
            "joint auto: a tolerance is given for 'A'");
  RunRequest request;
  request.tolerances = {{"lower", 1e-3, {}, {}}};
  EXPECT_EQ(MechanismRun(model("rtol: 1e-4"), request).settings().coordinates, "cartesian");
}

TEST(NamedTolerances, SayWhatIsWrongAndWhere) {
  const auto broken = [](const std::string& settings) -> std::string {
    try {
      return error_of(model(settings));
    } catch (const std::exception& error) {
      return error.what();
    }
  };
  EXPECT_NE(broken("tolerances: {uper: {rtol: 1e-3}}").find("did you mean 'upper'"), std::string::npos);
  EXPECT_NE(broken("tolerances: {uper: {rtol: 1e-3}}").find(":11:"), std::string::npos);
  EXPECT_NE(broken("tolerances: {upper: {}}").find("says nothing"), std::string::npos);
  EXPECT_NE(broken("tolerances: {upper: {atol: 0}}").find("larger than zero"), std::string::npos);
  EXPECT_NE(broken("tolerances: {upper: {rtool: 1}}").find("rtool"), std::string::npos);
  EXPECT_NE(broken("tolerances: 3").find("is a map"), std::string::npos);
}

// After many turns an angle is as large as before.
TEST(NamedTolerances, AnglesCountForHalfATurn) {
  MechanismRun run(model("coordinates: joint, rtol: 1e-4, atol: 1e-6"));
  const Tolerances& tolerances = run.settings().options.tolerances;
  Vector x = Vector::Constant(run.equations().layout().total, 1000), scale(x.size());
  tolerances.fill(x, scale);
  EXPECT_NEAR(scale[0], 1e-6 + 1e-4 * std::numbers::pi, 1e-12);
  const Layout& l = run.equations().layout();
  EXPECT_NEAR(scale[l.v.begin], 1e-6 + 0.1, 1e-12);  // a velocity is as large as it is
}

// State-dependent scales of one's own.
TEST(NamedTolerances, OwnScalesTakeTheirPlace) {
  Tolerances tolerances;
  tolerances.own_scales = [](VectorIn x, VectorOut scale) {
    scale = 1e-3 * (1 + x.array().square()).matrix();
  };
  Vector scale(2);
  tolerances.fill((Vector(2) << 0, 3).finished(), scale);
  EXPECT_DOUBLE_EQ(scale[0], 1e-3);
  EXPECT_DOUBLE_EQ(scale[1], 1e-2);
  EXPECT_FALSE(tolerances.is_one_for_all());
}

}  // namespace
}  // namespace trammel
