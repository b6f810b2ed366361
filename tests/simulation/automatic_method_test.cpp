// `method: auto` while a run goes on: models that are stiff, that are not, and that change their nature on the way.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/analysis/analysis_mechanisms.h"
#include "trammel/model/model.h"
#include "trammel/motion/templated_equations.h"
#include "trammel/simulation/fastest_rate.h"
#include "trammel/simulation/mechanism_run.h"
#include "trammel/simulation/method_watch.h"
#include "trammel/simulation/simulation.h"

namespace trammel {
namespace {

const std::string explicit_method = "projected/dop853", implicit_method = "psf/radau5";

// A pendulum whose hinge is held by a damper between t = 1 and t = 2.5: time constants of 1 s and of 0.1 ms.
const char* const braked_pendulum = R"yaml(
trammel: 1
gravity: [0, 0, -9.81]
bodies:
  rod: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 1 cm}}
joints:
  A: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}
forces:
  brake: {type: actuator, coordinate: A.angle, torque: "if(t > 1 and t < 2.5, -3000, -0.1)*A.angle_rate"}
simulation: {end: 4, output: 0.5, rtol: 1e-8}
)yaml";

// A car without wheels falls on a stiff floor that takes its energy, and rests there.
const char* const landing = R"yaml(
trammel: 1
gravity: [0, 0, -9.81]
bodies:
  guide: {at: [0, 0, 1], mass: 100, inertia: [10, 10, 10]}
joints:
  G: {type: prismatic, between: [ground, guide], at: [0, 0, 1], axis: [0, 0, 1]}
forces:
  floor: {type: contact, sphere: guide, at: [0, 0, 1], radius: 0.1, stiffness: 3e6, damping: 3e5}
simulation: {end: 3, output: 0.5, rtol: 1e-7}
)yaml";

// Two shafts; the friction of a clutch brings them to the same speed, from where on it holds them together.
const char* const clutch = R"yaml(
trammel: 1
bodies:
  driving: {at: [0, 0, 0], mass: 1, inertia: [1, 1, 0.5], angular_velocity: [0, 0, 20]}
  driven: {at: [0, 0, 1], mass: 1, inertia: [1, 1, 0.7]}
joints:
  A: {type: revolute, between: [ground, driving], at: [0, 0, 0], axis: [0, 0, 1]}
  B: {type: revolute, between: [ground, driven], at: [0, 0, 1], axis: [0, 0, 1]}
forces:
  on_driving: {type: actuator, coordinate: A.angle, torque: "-8*tanh((A.angle_rate - B.angle_rate)/0.01)"}
  on_driven: {type: actuator, coordinate: B.angle, torque: "8*tanh((A.angle_rate - B.angle_rate)/0.01)"}
  spring: {type: actuator, coordinate: B.angle, torque: "-2*B.angle"}
simulation: {end: 6, output: 0.5, rtol: 1e-7}
)yaml";

struct Ran {
  Summary summary;
  RunSettings settings;
};

Ran run(const char* text, const char* method, double rtol = 0) {
  const Model model = read_model_text(text, "test.yaml");
  RunRequest request;
  request.method = method;
  if (rtol > 0) request.rtol = rtol;
  MechanismRun run(model, request);
  run.run();
  EXPECT_EQ(run.summary().status, Status::finished) << run.summary().message();
  return {run.summary(), run.settings()};
}

double apart(const Summary& a, const Summary& b) {
  // multipliers of rods that are held are known as well as their accelerations only
  const Index n = std::min(a.final_state.size(), b.final_state.size());
  EXPECT_EQ(a.names, b.names);
  double most = 0;
  for (Index i = 0; i < n; ++i)
    if (!a.names[static_cast<std::size_t>(i)].starts_with("lambda"))
      most = std::max(most, std::abs(a.final_state[i] - b.final_state[i]) / (1 + std::abs(b.final_state[i])));
  return most;
}

TEST(AutomaticMethod, IsExplicitWhereNothingIsStiff) {
  const Model model = read_model(TRAMMEL_SOURCE_DIR "/examples/models/four-bar.yaml");
  MechanismRun chosen(model, {.end = 2.0, .method = "auto"}),
      fixed(model, {.end = 2.0, .method = explicit_method});
  chosen.run();
  fixed.run();
  EXPECT_TRUE(chosen.summary().method_changes.empty());
  EXPECT_EQ(chosen.summary().method, explicit_method);
  EXPECT_EQ(chosen.summary().final_state, fixed.summary().final_state);
  ASSERT_TRUE(chosen.settings().method_when_stiff);
  EXPECT_EQ(chosen.settings().method_when_stiff->name(), implicit_method);
}

TEST(AutomaticMethod, IsTheDefault) {
  const Model model = read_model_text(braked_pendulum, "test.yaml");
  const MechanismRun run(model);
  EXPECT_EQ(run.settings().method.name(), explicit_method);
  EXPECT_EQ(run.settings().options_report(), "newton_matrix_at=2 (by auto)");
  EXPECT_EQ(run.settings().methods_report(), "projected/dop853 or psf/radau5");
}

TEST(AutomaticMethod, FollowsABrakeInBothDirections) {
  const Ran chosen = run(braked_pendulum, "auto");
  const std::vector<MethodChange>& changes = chosen.summary.method_changes;
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].from, explicit_method);
  EXPECT_EQ(changes[0].to, implicit_method);
  EXPECT_GT(changes[0].t, 1.0);
  EXPECT_LT(changes[0].t, 1.1);
  EXPECT_NE(changes[0].reason.find("bounded by the fastest rate, 9e+03 1/s"), std::string::npos)
      << changes[0].reason;
  EXPECT_EQ(changes[1].to, explicit_method);
  EXPECT_GT(changes[1].t, 2.5);
  EXPECT_LT(changes[1].t, 3.3);
  EXPECT_NE(changes[1].reason.find("no longer stiff"), std::string::npos) << changes[1].reason;

  const Ran exact = run(braked_pendulum, "psf/radau5", 1e-11);
  const double error = apart(chosen.summary, exact.summary);
  EXPECT_LT(error, 1e-6);
  // nothing is lost by the changes: as good as the implicit method all the way
  EXPECT_LT(error, 10 * apart(run(braked_pendulum, "psf/radau5").summary, exact.summary) + 1e-8);
  // and far from as many steps as the explicit one needs
  EXPECT_LT(8 * chosen.summary.statistics.steps,
            run(braked_pendulum, "projected/dop853").summary.statistics.steps);
}

TEST(AutomaticMethod, LandsOnAStiffFloor) {
  const Ran chosen = run(landing, "auto");
  ASSERT_FALSE(chosen.summary.method_changes.empty());
  EXPECT_GT(chosen.summary.method_changes.front().t, std::sqrt(2 * 0.9 / 9.81));
  EXPECT_EQ(chosen.summary.method_changes.back().to, implicit_method);
  EXPECT_LT(apart(chosen.summary, run(landing, "psf/radau5", 1e-10).summary), 1e-6);
}

TEST(AutomaticMethod, FollowsAClutchThatSticks) {
  const Ran chosen = run(clutch, "auto");
  ASSERT_FALSE(chosen.summary.method_changes.empty());
  EXPECT_EQ(chosen.summary.method_changes.front().to, implicit_method);
  EXPECT_LT(apart(chosen.summary, run(clutch, "partitioned/radau5", 1e-10).summary), 1e-5);
}

// Restored before, between and after the changes, and from one side to the other.
TEST(AutomaticMethod, GoesOnFromACopyToTheLastBit) {
  const Model model = read_model_text(braked_pendulum, "test.yaml");
  MechanismRun first(model, {.method = "auto"});
  ASSERT_TRUE(first.start());
  std::vector<RunCheckpoint> copies(3);
  const std::array<double, 3> times{0.6, 1.9, 3.6};
  std::vector<Vector> states;
  for (std::size_t i = 0; i < times.size(); ++i) {
    ASSERT_TRUE(first.advance(times[i]));
    ASSERT_TRUE(first.save(copies[i]));
    states.push_back(first.state());
  }
  first.advance(4);
  const Vector end = first.state();
  for (const std::size_t i : {1u, 2u, 0u, 1u}) {
    if (first.t() < times[i]) first.advance(4);
    ASSERT_TRUE(first.restore(copies[i]));
    EXPECT_EQ(first.state(), states[i]);
    // stopping and saving where the first one did
    for (std::size_t k = i + 1; k < times.size(); ++k) {
      RunCheckpoint again;
      first.advance(times[k]);
      EXPECT_TRUE(first.state() == states[k]) << "from " << times[i] << " to " << times[k];
      ASSERT_TRUE(first.save(again));
    }
    first.advance(4);
    EXPECT_TRUE(first.state() == end) << "from " << times[i];
  }
  EXPECT_EQ(first.finish().method_changes.size(), 2u);
}

TEST(AutomaticMethod, OptionsOfOneMethodDecideForIt) {
  const Model model = read_model_text(braked_pendulum, "test.yaml");
  const MechanismRun newton(model, {.options = {{"jacobian_reuse", "0.1"}}});
  EXPECT_EQ(newton.settings().methods_report(), implicit_method);
  EXPECT_NE(newton.settings().why_method.find("'jacobian_reuse' is an option"), std::string::npos);
  const MechanismRun projecting(model, {.options = {{"projection_tolerance", "1e-10"}}});
  EXPECT_EQ(projecting.settings().methods_report(), explicit_method);
  const MechanismRun both(model, {.options = {{"max_step", "0.1"}}});
  EXPECT_TRUE(both.settings().method_when_stiff);
  EXPECT_THROW(MechanismRun(model, {.options = {{"baumgarte_alpha", "1"}}}), std::invalid_argument);
}

// --- the rate that decides

double rate_of(EquationsOfMotion& equations, const Vector& x) {
  const std::unique_ptr<TangentMotion> motion = equations.tangent();
  ConsistentState state(*motion);
  EXPECT_FALSE(state.start(0, x));
  const std::optional<double> rate = fastest_rate(state, *motion, 0, x);
  EXPECT_TRUE(rate);
  return rate.value_or(-1);
}

struct Oscillator {
  double stiffness = 4e6, damping = 0;
  Sizes sizes() const { return {.positions = 2, .force_states = 1}; }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    f[0] = -stiffness * x.p[0] - damping * x.v[0];
    f[1] = -x.p[1];
  }
  template <class T>
  void b(const Point<T>& x, std::span<T> b) const {
    b[0] = -3.0 * x.r[0];
  }
};

TEST(FastestRate, OfAVibrationAndOfADecay) {
  const Vector x = (Vector(5) << 0.1, 0.2, 0, 0, 1).finished();
  TemplatedEquations<Oscillator> vibrates{Oscillator{}};
  EXPECT_NEAR(rate_of(vibrates, x), 2000, 100);
  TemplatedEquations<Oscillator> decays{Oscillator{1.0, 5e4}};
  EXPECT_NEAR(rate_of(decays, x), 5e4, 2e3);
  TemplatedEquations<Oscillator> by_state{Oscillator{1.0, 0.1}};
  EXPECT_NEAR(rate_of(by_state, x), 3, 0.2);
}

TEST(FastestRate, OfAHangingRod) {
  CartesianEquations equations(rod_pendulum(0));
  EXPECT_NEAR(rate_of(equations, assembled(equations)), std::sqrt(1.5 * 9.81), 0.3);
}

// --- the watch

TEST(MethodWatch, AsksForTheRateOnlyWhereStepsSeemBounded) {
  MethodWatch watch;
  watch.begin(false, 0, 0);
  for (long i = 1; i <= 100; ++i) EXPECT_FALSE(watch.step(0.1 * static_cast<double>(i), i, 0.1));
  long asked = 0;
  for (long i = 101; i <= 200; ++i)
    if (watch.step(0.1 * static_cast<double>(i), i, 0.9)) {
      ++asked;
      EXPECT_FALSE(watch.judge(1.0));  // it does not bound steps of 0.1
    }
  EXPECT_GT(asked, 0);
  EXPECT_LT(asked, 6);
  EXPECT_FALSE(watch.judge(std::nullopt));
}

TEST(MethodWatch, ChangesAndComesBack) {
  MethodWatch watch;
  watch.begin(false, 0, 0);
  const double bounded = 5.0 / 1e4;  // by a rate of 1e4 1/s
  double t = 0;
  long i = 0;
  while (!watch.step(t += bounded, ++i, 0.8)) ASSERT_LT(i, 100);
  EXPECT_TRUE(watch.judge(1e4));
  EXPECT_NEAR(watch.stable_step(), 6.1e-4, 1e-12);
  EXPECT_NEAR(watch.mean_step(), bounded, 1e-12);
  watch.begin(true, t, i);
  while (!watch.step(t += 100 * bounded, ++i, 0)) ASSERT_LT(i, 200);
  EXPECT_FALSE(watch.judge(1e4));
  while (!watch.step(t += 100 * bounded, ++i, 0)) ASSERT_LT(i, 400);
  EXPECT_TRUE(watch.judge(1.0));
}

// What did no better is tried again, later and later.
TEST(MethodWatch, TrialsInVainBecomeRare) {
  MethodWatch watch;
  const double h = 4.5e-4;
  double t = 0;
  long i = 0, changes = 0;
  watch.begin(false, t, i);
  while (i < 3000) {
    while (!watch.step(t += h, ++i, 0.8)) continue;
    if (!watch.judge(1e4)) continue;
    ++changes;
    watch.begin(true, t, i);
    while (!watch.step(t += 0.7 * h, ++i, 0)) continue;
    ASSERT_TRUE(watch.judge(1e4));  // shorter steps than before: back
    watch.begin(false, t, i);
  }
  EXPECT_GE(changes, 2);
  EXPECT_LE(changes, 25);
}

}  // namespace
}  // namespace trammel
