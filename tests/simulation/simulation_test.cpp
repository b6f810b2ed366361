// Events, output, callbacks, and every way in which a run may fail: the partial trajectory is kept and the
// message says what, when and where.
#include "trammel/simulation/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "trammel/motion/templated_equations.h"

namespace trammel {
namespace {

// A particle on a circle under gravity; hooks to misbehave after a time.
struct Particle {
  double bad_after = 1e300;
  enum class Fault { none, not_finite, throws, singular_mass } fault = Fault::none;

  Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  Names names() const {
    Names names;
    names.p = {"x", "y"};
    names.g = {"circle"};
    return names;
  }
  template <class T>
  void M(const Point<T>& at, MatrixView<T> M) const {
    const bool gone = fault == Fault::singular_mass && plain(at.t) > bad_after;
    M(0, 0) = M(1, 1) = gone ? 0.0 : 1.0;
  }
  template <class T>
  void f(const Point<T>& at, std::span<T> f) const {
    f[1] = T(-9.81);
    if (plain(at.t) <= bad_after) return;
    if (fault == Fault::not_finite) f[1] = T(std::numeric_limits<double>::quiet_NaN());
    if (fault == Fault::throws) throw std::runtime_error("sensor lost");
  }
  template <class T>
  void g(const Point<T>& at, std::span<T> g) const {
    g[0] = at.p[0] * at.p[0] + at.p[1] * at.p[1] - 1.0;
  }
};

// A ball above the floor: free fall, no constraint.
struct Ball {
  Sizes sizes() const { return {.positions = 1}; }
  Names names() const {
    Names names;
    names.p = {"height"};
    return names;
  }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    f[0] = T(-10.0);
  }
};

// A constraint that uses what it must not.
struct Wrong : Particle {
  template <class T>
  void g(const Point<T>& at, std::span<T> g) const {
    g[0] = at.p[0] + at.v[0];
  }
};

// r = 1/(1 − t)
struct Blowup {
  Sizes sizes() const { return {.force_states = 1}; }
  template <class T>
  void b(const Point<T>& x, std::span<T> b) const {
    b[0] = x.r[0] * x.r[0];
  }
};

Vector horizontal() { return (Vector(5) << 1, 0, 0, 0, 0).finished(); }

Options tight(double tolerance = 1e-8) {
  Options options;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  return options;
}

// The ball turns round at the floor and keeps half of its speed.
Event bounce() {
  return {.name = "bounce",
          .function = [](const Point<double>& x) { return x.p[0]; },
          .direction = Event::Direction::falling,
          .action = Event::Action::change,
          .change = [](double, const Layout&, Vector& x) { x[1] *= -0.5; }};
}

TEST(Events, BouncingBallHasItsExactTimes) {
  TemplatedEquations<Ball> equations{Ball{}};
  Simulation simulation(equations, {"psf", "radau5"}, tight());
  simulation.add_event(bounce());
  const Summary summary = simulation.run((Vector(2) << 5, 0).finished(), 0, 2.4);
  ASSERT_EQ(summary.status, Status::finished) << summary.message();
  // falls 1 s, then bounces last 2·v/g with v halved each time: 1 s, 0.5 s, ...
  const auto& events = simulation.trajectory().events;
  ASSERT_EQ(events.size(), 2u);
  EXPECT_NEAR(events[0].t, 1.0, 1e-9);
  EXPECT_NEAR(events[1].t, 2.0, 1e-9);
  EXPECT_EQ(summary.statistics.events, 2);
  // after the second bounce: v = 2.5, at t = 2.4: h = 2.5·0.4 − 5·0.16
  EXPECT_NEAR(summary.final_state[0], 1.0 - 0.8, 1e-8);
}

TEST(Events, BallThatComesToRestIsReportedNotHung) {
  TemplatedEquations<Ball> equations{Ball{}};
  Simulation simulation(equations, {"psf", "radau5"}, tight());
  simulation.add_event(bounce());
  const Summary summary = simulation.run((Vector(2) << 5, 0).finished(), 0, 10);
  EXPECT_EQ(summary.status, Status::failed);
  EXPECT_EQ(summary.failure.reason, Reason::event_repeats) << summary.message();
  EXPECT_NE(summary.message().find("bounce"), std::string::npos);
  EXPECT_NEAR(summary.t, 3.0, 1e-3);  // the bounces add up to 1 + 1 + 1/2 + ... = 3 s
}

// A ball whose energy is kept as an invariant: each bounce takes some, and the rest is kept from there on.
struct BallWithEnergy : Ball {
  Sizes sizes() const { return {.positions = 1, .invariants = 1}; }
  template <class T>
  void e(const Point<T>& x, std::span<T> e) const {
    e[0] = 0.5 * x.v[0] * x.v[0] + 10.0 * x.p[0] - 50.0;
  }
};

TEST(Events, InvariantsAreKeptFromTheirNewValueOn) {
  TemplatedEquations<BallWithEnergy> equations{BallWithEnergy{}};
  Simulation simulation(equations, {"psf", "radau5"}, tight());
  simulation.add_event(bounce());
  const Summary summary = simulation.run((Vector(2) << 5, 0).finished(), 0, 2.4);
  ASSERT_EQ(summary.status, Status::finished) << summary.message();
  EXPECT_NEAR(summary.final_state[0], 1.0 - 0.8, 1e-8);
  EXPECT_LT(summary.violation.invariant, 1e-10);
}

TEST(Events, StopAtTheLowestPointToRoundOffOfTheStep) {
  TemplatedEquations<Particle> equations{Particle{}};
  Simulation simulation(equations, {"psf", "radau5"}, tight(1e-10));
  simulation.add_event({.name = "lowest",
                        .function = [](const Point<double>& x) { return x.p[0]; },
                        .direction = Event::Direction::falling,
                        .action = Event::Action::stop,
                        .change = {}});
  const Summary summary = simulation.run(horizontal(), 0, 10);
  EXPECT_EQ(summary.status, Status::stopped);
  EXPECT_EQ(summary.failure.reason, Reason::stopped_by_event);
  EXPECT_NEAR(summary.final_state[0], 0, 1e-9);
  EXPECT_NEAR(summary.final_state[1], -1, 1e-12);
  EXPECT_NEAR(summary.final_state[2], -std::sqrt(2 * 9.81), 1e-8);
  // quarter period of a pendulum let go horizontally: K(1/√2)/√g = 1.8540746773013719/√9.81
  EXPECT_NEAR(summary.t, 1.8540746773013719 / std::sqrt(9.81), 1e-8);
}

TEST(Events, RecordedOnesDoNotDisturbTheRun) {
  const auto run = [](bool with_event, long& accepted) {
    TemplatedEquations<Particle> equations{Particle{}};
    Simulation simulation(equations, {"psf", "radau5"}, tight());
    if (with_event)
      simulation.add_event({.name = "down",
                            .function = [](const Point<double>& x) { return x.p[0]; },
                            .direction = Event::Direction::either,
                            .action = Event::Action::record,
                            .change = {}});
    const Summary summary = simulation.run(horizontal(), 0, 5);
    EXPECT_EQ(summary.status, Status::finished);
    accepted = summary.statistics.accepted;
    return std::pair(summary.final_state, simulation.trajectory().events);
  };
  long with = 0, without = 0;
  const auto [state, events] = run(true, with);
  const auto [plain_state, none] = run(false, without);
  EXPECT_EQ(state, plain_state);  // bit for bit
  EXPECT_EQ(with, without);
  const double half_period = 2 * 1.8540746773013719 / std::sqrt(9.81);
  ASSERT_EQ(events.size(), 4u);
  for (std::size_t i = 0; i < events.size(); ++i)
    EXPECT_NEAR(events[i].t, half_period * (0.5 + static_cast<double>(i)),
                1e-5);  // located on the interpolant
}

TEST(Events, TwoCrossingsInsideOneStepAreSeen) {
  // a dip of the event function that begins and ends between two steps
  TemplatedEquations<Ball> equations{Ball{}};
  Options options = tight(1e-4);
  Simulation simulation(equations, {"psf", "radau5"}, options);
  simulation.add_event({.name = "dip",
                        .function = [](const Point<double>& x) { return (x.t - 0.3) * (x.t - 0.7); },
                        .direction = Event::Direction::either,
                        .action = Event::Action::record,
                        .change = {}});
  const Summary summary = simulation.run((Vector(2) << 5, 0).finished(), 0, 1);
  ASSERT_EQ(summary.status, Status::finished) << summary.message();
  ASSERT_EQ(simulation.trajectory().events.size(), 2u);
  EXPECT_NEAR(simulation.trajectory().events[0].t, 0.3, 1e-9);
  EXPECT_NEAR(simulation.trajectory().events[1].t, 0.7, 1e-9);
}

TEST(Output, AtGivenTimesLiesOnTheConstraints) {
  TemplatedEquations<Particle> equations{Particle{}};
  Options options = tight(1e-6);
  options.output = Options::Output::at_times;
  for (int i = 0; i <= 100; ++i) options.output_times.push_back(0.02 * i);
  Simulation simulation(equations, {"psf", "radau5"}, options);
  const Summary summary = simulation.run(horizontal(), 0, 2);
  ASSERT_EQ(summary.status, Status::finished);
  const Trajectory& trajectory = simulation.trajectory();
  ASSERT_EQ(trajectory.samples(), 101);
  Simulation reference(equations, {"psf", "radau5"}, [&] {
    Options fine = options;
    fine.tolerances.relative = fine.tolerances.absolute = 1e-11;
    return fine;
  }());
  ASSERT_EQ(reference.run(horizontal(), 0, 2).status, Status::finished);
  for (Index i = 0; i < trajectory.samples(); ++i) {
    EXPECT_EQ(trajectory.time(i), options.output_times[static_cast<std::size_t>(i)]);
    const Vector x = trajectory.state(i);
    EXPECT_NEAR(x[0] * x[0] + x[1] * x[1], 1, 1e-11);
    EXPECT_NEAR(x[0] * x[2] + x[1] * x[3], 0, 1e-10);
    // the multiplier that belongs to the state: λ = (v² − g y)/2
    EXPECT_NEAR(x[4], 0.5 * (x[2] * x[2] + x[3] * x[3] - 9.81 * x[1]), 1e-8);
    EXPECT_LT((x - reference.trajectory().state(i)).head(2).norm(), 1e-4);
  }
}

TEST(Output, WithoutProjectionTheInterpolantIsLeftAlone) {
  TemplatedEquations<Particle> equations{Particle{}};
  Options options = tight(1e-4);
  options.output = Options::Output::at_times;
  options.project_output = false;
  for (int i = 0; i <= 100; ++i) options.output_times.push_back(0.02 * i);
  Simulation simulation(equations, {"psf", "radau5"}, options);
  ASSERT_EQ(simulation.run(horizontal(), 0, 2).status, Status::finished);
  double largest = 0;
  for (Index i = 0; i < simulation.trajectory().samples(); ++i) {
    const Vector x = simulation.trajectory().state(i);
    largest = std::max(largest, std::abs(x[0] * x[0] + x[1] * x[1] - 1));
  }
  EXPECT_GT(largest, 1e-9);
  EXPECT_LT(largest, 1e-2);
}

TEST(Callback, MayStopTheRun) {
  TemplatedEquations<Particle> equations{Particle{}};
  Simulation simulation(equations, {"psf", "radau5"}, tight());
  int calls = 0;
  simulation.on_step([&](const Point<double>& x, double) {
    ++calls;
    return x.t < 0.5;
  });
  const Summary summary = simulation.run(horizontal(), 0, 10);
  EXPECT_EQ(summary.status, Status::stopped);
  EXPECT_EQ(summary.failure.reason, Reason::stopped_by_callback);
  EXPECT_GE(summary.t, 0.5);
  EXPECT_LT(summary.t, 1.0);
  EXPECT_EQ(calls, simulation.trajectory().samples());
}

TEST(Callback, ThatThrowsEndsTheRunWithItsMessage) {
  TemplatedEquations<Particle> equations{Particle{}};
  Simulation simulation(equations, {"psf", "radau5"}, tight());
  simulation.on_step([](const Point<double>& x, double) {
    if (x.t > 0.3) throw std::runtime_error("disk full");
    return true;
  });
  const Summary summary = simulation.run(horizontal(), 0, 10);
  EXPECT_EQ(summary.failure.reason, Reason::user_function_failed);
  EXPECT_NE(summary.message().find("disk full"), std::string::npos);
  EXPECT_GT(simulation.trajectory().samples(), 2);
}

TEST(Interrupt, KeepsWhatWasComputed) {
  TemplatedEquations<Particle> equations{Particle{}};
  std::atomic<bool> interrupt{false};
  Options options = tight();
  options.interrupt = &interrupt;
  Simulation simulation(equations, {"psf", "radau5"}, options);
  simulation.on_step([&](const Point<double>& x, double) {
    if (x.t > 0.4) interrupt = true;
    return true;
  });
  const Summary summary = simulation.run(horizontal(), 0, 10);
  EXPECT_EQ(summary.status, Status::stopped);
  EXPECT_EQ(summary.failure.reason, Reason::interrupted);
  EXPECT_GT(simulation.trajectory().samples(), 2);
}

// --- failures
// ---------------------------------------------------------------------------------------------------------

Summary run_faulty(Particle::Fault fault, Trajectory& trajectory, const std::string& formulation = "psf") {
  TemplatedEquations<Particle> equations{Particle{.bad_after = 0.3, .fault = fault}};
  Simulation simulation(equations, {formulation, "radau5"}, tight());
  const Summary summary = simulation.run(horizontal(), 0, 10);
  trajectory = simulation.trajectory();
  return summary;
}

TEST(Failure, NonFiniteForceNamesTheVariableAndKeepsTheTrajectory) {
  for (const char* formulation : {"psf", "psf1", "ggl", "index1", "index3"}) {
    Trajectory trajectory;
    const Summary summary = run_faulty(Particle::Fault::not_finite, trajectory, formulation);
    EXPECT_EQ(summary.status, Status::failed) << formulation;
    EXPECT_EQ(summary.failure.reason, Reason::not_finite) << formulation << ": " << summary.message();
    EXPECT_NE(summary.message().find("v_y"), std::string::npos) << summary.message();
    EXPECT_NEAR(summary.t, 0.3, 1e-3) << formulation;
    EXPECT_GT(trajectory.samples(), 3);
  }
}

TEST(Failure, ThrowingForce) {
  Trajectory trajectory;
  const Summary summary = run_faulty(Particle::Fault::throws, trajectory);
  EXPECT_EQ(summary.failure.reason, Reason::user_function_failed);
  EXPECT_NE(summary.message().find("sensor lost"), std::string::npos) << summary.message();
  EXPECT_GT(trajectory.samples(), 3);
}

TEST(Failure, MassThatVanishes) {
  Trajectory trajectory;
  const Summary summary = run_faulty(Particle::Fault::singular_mass, trajectory);
  EXPECT_EQ(summary.failure.reason, Reason::mass_singular) << summary.message();
  EXPECT_GT(trajectory.samples(), 3);
}

TEST(Failure, ConstraintThatLooksAtVelocities) {
  TemplatedEquations<Wrong> equations{Wrong{}};
  Simulation simulation(equations, {"psf", "radau5"}, tight());
  const Summary summary = simulation.run(horizontal(), 0, 1);
  EXPECT_EQ(summary.failure.reason, Reason::not_finite);
  EXPECT_NE(summary.message().find("circle"), std::string::npos) << summary.message();
}

TEST(Failure, FiniteTimeSingularityIsAStepTooSmall) {
  TemplatedEquations<Blowup> equations{Blowup{}};
  Simulation simulation(equations, {"ode", "radau5"}, tight());
  const Summary summary = simulation.run(Vector::Ones(1), 0, 2);  // r = 1/(1−t)
  EXPECT_EQ(summary.status, Status::failed);
  EXPECT_TRUE(summary.failure.reason == Reason::step_too_small ||
              summary.failure.reason == Reason::newton_failed || summary.failure.reason == Reason::not_finite)
      << summary.message();
  EXPECT_NEAR(summary.t, 1, 1e-3);
  EXPECT_GT(simulation.trajectory().samples(), 10);
}

TEST(Failure, TooManySteps) {
  TemplatedEquations<Particle> equations{Particle{}};
  Options options = tight();
  options.radau.max_steps = 20;
  Simulation simulation(equations, {"psf", "radau5"}, options);
  const Summary summary = simulation.run(horizontal(), 0, 100);
  EXPECT_EQ(summary.failure.reason, Reason::too_many_steps);
  EXPECT_GT(simulation.trajectory().samples(), 5);
}

TEST(Failure, EndBeforeStart) {
  TemplatedEquations<Particle> equations{Particle{}};
  EXPECT_EQ(Simulation(equations, {"psf", "radau5"}).run(horizontal(), 1, 0).failure.reason,
            Reason::end_before_start);
}

TEST(Failure, EndAtStartOnlyAssembles) {
  TemplatedEquations<Particle> equations{Particle{}};
  Simulation simulation(equations, {"psf", "radau5"});
  const Summary summary = simulation.run((Vector(5) << 2, 0, 0, 3, 0).finished(), 1, 1);
  EXPECT_EQ(summary.status, Status::finished) << summary.message();
  EXPECT_NEAR(summary.final_state[0], 1, 1e-10);
  EXPECT_EQ(summary.statistics.accepted, 0);
}

TEST(Failure, InconsistentTolerancesOptionsAndSizes) {
  TemplatedEquations<Particle> equations{Particle{}};
  const auto reason = [&](auto change) {
    Options options;
    change(options);
    return Simulation(equations, {"psf", "radau5"}, options).run(horizontal(), 0, 1).failure.reason;
  };
  EXPECT_EQ(reason([](Options&) {}), Reason::none);
  EXPECT_EQ(reason([](Options& o) { o.tolerances.relative = -1e-3; }), Reason::invalid_options);
  EXPECT_EQ(reason([](Options& o) { o.tolerances.absolute = 0; }), Reason::invalid_options);
  EXPECT_EQ(reason([](Options& o) { o.tolerances.relative_each = Vector::Constant(5, 1e-6); }),
            Reason::invalid_options);
  EXPECT_EQ(reason([](Options& o) {
              o.tolerances.relative_each = Vector::Constant(7, 1e-6);
              o.tolerances.absolute_each = Vector::Constant(7, 1e-6);
            }),
            Reason::invalid_options);
  EXPECT_EQ(reason([](Options& o) { o.h0 = -1; }), Reason::invalid_options);
  EXPECT_EQ(reason([](Options& o) { o.h0 = std::numeric_limits<double>::quiet_NaN(); }),
            Reason::invalid_options);
  EXPECT_EQ(reason([](Options& o) { o.output_times = {1, 0.5}; }), Reason::invalid_options);
  EXPECT_EQ(Simulation(equations, {"psf", "euler"}).run(horizontal(), 0, 1).failure.reason,
            Reason::invalid_options);
  EXPECT_EQ(Simulation(equations, {"psf", "radau5"}).run(Vector::Ones(3), 0, 1).failure.reason,
            Reason::invalid_model);
  EXPECT_EQ(Simulation(equations, {"ode", "radau5"}).run(horizontal(), 0, 1).failure.reason,
            Reason::invalid_options);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Simulation(equations, {"psf", "radau5"})
                .run((Vector(5) << 1, nan, 0, 0, 0).finished(), 0, 1)
                .failure.reason,
            Reason::not_finite);
}

TEST(Tolerances, MayBeGivenForEveryUnknown) {
  TemplatedEquations<Particle> equations{Particle{}};
  Options options;
  options.tolerances.relative_each = Vector::Constant(5, 1e-8);
  options.tolerances.absolute_each = (Vector(5) << 1e-8, 1e-8, 1e-8, 1e-8, 1e-3).finished();
  for (const char* formulation : {"psf", "ggl"}) {  // ggl appends unknowns of its own
    const Summary summary = Simulation(equations, {formulation, "radau5"}, options).run(horizontal(), 0, 1);
    EXPECT_EQ(summary.status, Status::finished) << summary.message();
  }
}

TEST(InitialValues, CorrectCheckOrTrust) {
  TemplatedEquations<Particle> equations{Particle{}};
  const Vector off = (Vector(5) << 1.1, 0, 0, 0, 0).finished();
  Options options = tight();
  Summary summary = Simulation(equations, {"psf", "radau5"}, options).run(off, 0, 0.1);
  EXPECT_EQ(summary.status, Status::finished);
  ASSERT_FALSE(summary.notes.empty());
  EXPECT_NE(summary.notes[0].find("'x'"), std::string::npos) << summary.notes[0];

  options.initial_values = Options::InitialValues::check;
  summary = Simulation(equations, {"psf", "radau5"}, options).run(off, 0, 0.1);
  EXPECT_EQ(summary.failure.reason, Reason::inconsistent_initial_values) << summary.message();
  summary = Simulation(equations, {"psf", "radau5"}, options).run(horizontal(), 0, 0.1);
  EXPECT_EQ(summary.status, Status::finished) << summary.message();

  options.initial_values = Options::InitialValues::trust;
  summary = Simulation(equations, {"psf", "radau5"}, options).run(horizontal(), 0, 0.1);
  EXPECT_EQ(summary.status, Status::finished) << summary.message();
}

TEST(Simulation, TwoRunsGiveTheSameBits) {
  TemplatedEquations<Particle> equations{Particle{}};
  Simulation simulation(equations, {"psf", "radau5"}, tight());
  const Summary first = simulation.run(horizontal(), 0, 5);
  const Summary second = simulation.run(horizontal(), 0, 5);
  EXPECT_EQ(first.final_state, second.final_state);
  EXPECT_EQ(first.statistics.evaluations, second.statistics.evaluations);
}

}  // namespace
}  // namespace trammel
