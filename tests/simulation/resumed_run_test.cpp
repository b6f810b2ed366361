// A run that goes on from where another one rested comes to the same end: to the last bit with integrators of
// ours, whatever happens on the way.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "trammel/model/model.h"
#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"
#include "trammel/result/recorded_rows.h"
#include "trammel/simulation/mechanism_run.h"
#include "trammel/simulation/simulation.h"
#include "trammel/simulation/summary_json.h"

namespace trammel {
namespace {

Method method_named(const std::string& name) {
  Method method;
  EXPECT_FALSE(parse_method(name, method));
  return method;
}

std::string without_slash(const testing::TestParamInfo<const char*>& test) {
  std::string name = test.param;
  for (char& letter : name)
    if (letter == '/' || letter == '-') letter = '_';
  return name;
}

// As it comes out of a file: numbers only.
RunSnapshot through_numbers(const RunSnapshot& snapshot) {
  return {Snapshot(snapshot.integrator.numbers()), Snapshot(snapshot.motion.numbers()),
          Snapshot(snapshot.progress.numbers())};
}

std::string text_of(Summary summary) {
  summary.wall_seconds = 0;
  return to_json(summary).dump();
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), 8 * a.size()) == 0);
}

// --- equations of a user's own, with events

// A ball that bounces, and keeps its energy between two bounces.
struct Ball {
  Sizes sizes() const { return {.positions = 1, .invariants = 1}; }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    f[0] = T(-10.0);
  }
  template <class T>
  void e(const Point<T>& x, std::span<T> e) const {
    e[0] = 0.5 * x.v[0] * x.v[0] + 10.0 * x.p[0] - 50.0;
  }
};

void add_events(Simulation& simulation) {
  simulation.add_event({.name = "bounce",
                        .function = [](const Point<double>& x) { return x.p[0]; },
                        .direction = Event::Direction::falling,
                        .action = Event::Action::change,
                        .change = [](double, const Layout&, Vector& x) { x[1] *= -0.9; }});
  simulation.add_event({.name = "top", .function = [](const Point<double>& x) { return x.v[0]; }});
}

class ResumedSimulation : public testing::TestWithParam<const char*> {};

TEST_P(ResumedSimulation, WithEventsAndSamplesGoesOnToTheLastBit) {
  const Method method = method_named(GetParam());
  Options options;
  options.tolerances.relative = options.tolerances.absolute = 1e-9;
  options.dop853.max_step = options.radau.max_step = options.sdirk.max_step = 0.05;
  options.output = Options::Output::at_times;
  for (int i = 0; i <= 200; ++i) options.output_times.push_back(0.05 * i);
  options.rest_steps = 30;
  const Vector x0 = (Vector(2) << 5, 0).finished();

  TemplatedEquations<Ball> equations{Ball{}};
  Simulation whole(equations, method, options);
  add_events(whole);
  struct Rest {
    RunSnapshot snapshot;
    Trajectory trajectory;
  };
  std::vector<Rest> rests;
  whole.on_rest([&](const RunSnapshot& at) { rests.push_back({through_numbers(at), whole.trajectory()}); });
  const Summary end = whole.run(x0, 0, 10);
  ASSERT_EQ(end.status, Status::finished) << end.message();
  ASSERT_GE(rests.size(), 4u);
  ASSERT_GT(whole.trajectory().events.size(), 8u);
  EXPECT_LT(end.violation.invariant, 1e-6);

  for (const Rest& rest : rests) {
    TemplatedEquations<Ball> again{Ball{}};
    Simulation part(again, method, options);
    add_events(part);
    ASSERT_TRUE(part.start(x0, 0, 10));
    ASSERT_TRUE(part.resume(rest.snapshot, rest.trajectory));
    part.advance(10);
    EXPECT_EQ(text_of(part.finish()), text_of(end));
    EXPECT_EQ(part.finish().final_state, end.final_state);
    const Trajectory &a = part.trajectory(), &b = whole.trajectory();
    ASSERT_EQ(a.samples(), b.samples());
    for (Index i = 0; i < a.samples(); ++i) EXPECT_EQ(a.state(i), b.state(i)) << a.time(i);
    EXPECT_TRUE(same_bits(a.times(), b.times()));
    ASSERT_EQ(a.events.size(), b.events.size());
    for (std::size_t i = 0; i < a.events.size(); ++i) {
      EXPECT_EQ(a.events[i].t, b.events[i].t);
      EXPECT_EQ(a.events[i].name, b.events[i].name);
    }
    ASSERT_EQ(a.steps.size(), b.steps.size());
    EXPECT_EQ(a.steps.back().h, b.steps.back().h);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ResumedSimulation,
                         testing::Values("psf/radau5", "psf/sdirk4", "projected/dop853", "geoms/radau5"),
                         without_slash);

TEST(ResumedSimulation, RestsDoNotDependOnPieces) {
  const Method method = method_named("psf/radau5");
  const BuiltinProblem& problem = *find_problem("andrews");
  ProblemCase instance = problem.make_for("psf", problem.values({}));
  Options options;
  options.rest_steps = 10;
  std::vector<std::vector<double>> at_once, in_pieces;
  for (auto* list : {&at_once, &in_pieces}) {
    Simulation simulation(*instance.equations, method, options);
    simulation.on_rest([&](const RunSnapshot& at) { list->push_back(at.integrator.numbers()); });
    ASSERT_TRUE(simulation.start(instance.x0, 0, 0.02));
    // past the end is as good as the end
    simulation.advance(list == &at_once ? 0.02 : 1.0);
    EXPECT_EQ(simulation.finish().status, Status::finished);
  }
  EXPECT_GT(at_once.size(), 2u);
  EXPECT_EQ(at_once, in_pieces);
}

TEST(ResumedSimulation, OfOtherEquationsOrTimesIsRefused) {
  const Method method = method_named("psf/radau5");
  const BuiltinProblem& problem = *find_problem("pendulum");
  ProblemCase instance = problem.make_for("psf", problem.values({}));
  Options options;
  options.rest_steps = 5;
  RunSnapshot snapshot;
  Simulation first(*instance.equations, method, options);
  first.on_rest([&](const RunSnapshot& at) { snapshot = at; });
  ASSERT_EQ(first.run(instance.x0, 0, 2).status, Status::finished);
  ASSERT_FALSE(snapshot.progress.is_empty());

  Simulation other_end(*instance.equations, method, options);
  ASSERT_TRUE(other_end.start(instance.x0, 0, 3));
  EXPECT_FALSE(other_end.resume(snapshot, {}));
  Simulation other_method(*instance.equations, method_named("psf/sdirk4"), options);
  ASSERT_TRUE(other_method.start(instance.x0, 0, 2));
  EXPECT_FALSE(other_method.resume(snapshot, {}));
  Simulation not_started(*instance.equations, method, options);
  EXPECT_FALSE(not_started.resume(snapshot, {}));
}

// --- mechanisms

// A loop with redundant rows in a plane, a torque that jumps, a measure that is not finite for a while.
const char* const planar_model = R"yaml(
trammel: 1
gravity: [0, -9.81, 0]
bodies:
  crank: {rod: {from: [0, 0, 0], to: [0, 1, 0], mass: 1, radius: 1 cm}}
  coupler: {rod: {from: [0, 1, 0], to: [2, 2, 0], mass: 2, radius: 1 cm}}
  rocker: {rod: {from: [2.2, 0, 0], to: [2, 2, 0], mass: 2, radius: 1 cm}}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}
  B: {type: revolute, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}
  C: {type: revolute, between: [coupler, rocker], at: [2, 2, 0], axis: [0, 0, 1]}
  D: {type: revolute, between: [ground, rocker], at: [2.2, 0, 0], axis: [0, 0, 1]}
forces:
  motor: {type: actuator, coordinate: A.angle, force: "if(t > 1.3, 60, 30) - 3*A.angle_rate"}
measures:
  late: {value: "1/max(0, t - 1)"}
simulation: {end: 4, output: 0.013, rtol: 1e-7}
)yaml";

// In space: a wheel that is driven with a jump in its speed and makes many turns, a chain that hangs on it by a
// stiff spring, a ball on a floor.
const char* const spatial_model = R"yaml(
trammel: 1
bodies:
  wheel: {at: [0, 0, 0], mass: 1, inertia: [0.1, 0.2, 0.1]}
  rod: {rod: {from: [0.3, 0, 0], to: [1, 0.2, 0], mass: 1, radius: 1 cm}}
  load: {at: [1, 0.2, -0.5], mass: 2, inertia: [0.1, 0.1, 0.1]}
  ball: {at: [3, 0, 0.3], mass: 1, inertia: [0.01, 0.01, 0.01]}
joints:
  A: {type: revolute, between: [ground, wheel], at: [0, 0, 0], axis: [0, 1, 0.1]}
  B: {type: spherical, between: [wheel, rod], at: [0.3, 0, 0]}
  G: {type: prismatic, between: [ground, ball], at: [3, 0, 0], axis: [0, 0, 1]}
drivers:
  motor: {coordinate: A.angle, position: "3*t + 20*max(0, t - 0.7)"}
forces:
  link: {type: spring_damper, between: [rod, load], from: [1, 0.2, 0], to: [1, 0.2, -0.5], stiffness: 1e5, damping: 3}
  floor: {type: contact, sphere: ball, at: [0, 0, 0], radius: 0.1, stiffness: 1e4, smoothing: 1 mm}
simulation: {end: 1.2, output: 0.007, rtol: 1e-6}
)yaml";

// Stiff between t = 0.5 and t = 1: the method changes twice.
const char* const braked_model = R"yaml(
trammel: 1
gravity: [0, 0, -9.81]
bodies:
  upper: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 1 cm}}
  lower: {rod: {from: [1, 0, 0], to: [2, 0, 0], mass: 1, radius: 1 cm}}
joints:
  A: {type: revolute, between: [ground, upper], at: [0, 0, 0], axis: [0, 1, 0]}
  B: {type: revolute, between: [upper, lower], at: [1, 0, 0], axis: [0, 1, 0]}
forces:
  brake: {type: actuator, coordinate: B.angle, torque: "if(t > 0.5 and t < 1, -1000, -0.1)*B.angle_rate"}
simulation: {end: 4, output: 0.013, rtol: 1e-8}
)yaml";

// Drivers of velocities and accelerations, whose coordinates are integrals of time alone in joint coordinates.
const char* const driven_model = R"yaml(
trammel: 1
gravity: [0, 0, -9.81]
bodies:
  upper: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 1 cm}}
  middle: {rod: {from: [1, 0, 0], to: [2, 0, 0], mass: 1, radius: 1 cm}}
  lower: {rod: {from: [2, 0, 0], to: [3, 0, 0], mass: 1, radius: 1 cm}}
joints:
  A: {type: revolute, between: [ground, upper], at: [0, 0, 0], axis: [0, 1, 0]}
  B: {type: revolute, between: [upper, middle], at: [1, 0, 0], axis: [0, 1, 0]}
  C: {type: revolute, between: [middle, lower], at: [2, 0, 0], axis: [0, 1, 0]}
drivers:
  turn: {coordinate: A.angle, velocity: "3*exp(-t) + 2*max(0, t - 0.7)"}
  swing: {coordinate: C.angle, acceleration: "5*sin(7*t)"}
simulation: {end: 4, output: 0.013, rtol: 1e-11}
)yaml";

struct Stored {
  RunCheckpoint checkpoint;
  RecordedRows rows;
};

RunCheckpoint through_numbers(const RunCheckpoint& checkpoint) {
  RunCheckpoint copy = checkpoint;
  copy.simulation = through_numbers(checkpoint.simulation);
  copy.records = Snapshot(checkpoint.records.numbers());
  return copy;
}

void expect_same(const ChannelTable& a, const ChannelTable& b) {
  EXPECT_TRUE(same_bits(a.times(), b.times()));
  ASSERT_EQ(a.channels().size(), b.channels().size());
  for (std::size_t i = 0; i < a.channels().size(); ++i)
    EXPECT_TRUE(same_bits(a.channels()[i].values, b.channels()[i].values)) << a.channels()[i].name;
}

struct MechanismCase {
  const char *name, *text, *method;
  bool exactly;
  const char* coordinates = "cartesian";
};
void PrintTo(const MechanismCase& of, std::ostream* out) { *out << of.name << ' ' << of.method; }

class ResumedMechanism : public testing::TestWithParam<MechanismCase> {
 protected:
  // The run itself, with its checkpoints, every `steps`.
  std::unique_ptr<MechanismRun> run(long steps, std::vector<Stored>& checkpoints) {
    Model model = read_model_text(GetParam().text, "test.yaml");
    model.simulation.coordinates = GetParam().coordinates;
    RunRequest request;
    request.method = GetParam().method;
    request.checkpoint_steps = steps;
    std::unique_ptr<MechanismRun> run;
    request.on_checkpoint = [&](const RunCheckpoint& checkpoint) {
      Stored stored{through_numbers(checkpoint), {}};
      copy_rows(run->recording().samples, 0, checkpoint.samples, stored.rows.samples);
      copy_rows(run->recording().steps, 0, checkpoint.steps, stored.rows.steps);
      checkpoints.push_back(std::move(stored));
    };
    run = std::make_unique<MechanismRun>(model, request);
    run->run();
    EXPECT_EQ(run->summary().status, Status::finished) << run->summary().message();
    return run;
  }

  void expect_same_end(const MechanismRun& whole, const Stored& stored, long steps) {
    Model model = read_model_text(GetParam().text, "test.yaml");
    model.simulation.coordinates = GetParam().coordinates;
    RunRequest request;
    request.method = GetParam().method;
    request.checkpoint_steps = steps;
    MechanismRun part(model, request);
    const Failure failure = part.resume(stored.checkpoint, stored.rows);
    ASSERT_FALSE(failure) << failure.message;
    EXPECT_EQ(part.recording().samples.samples(), stored.checkpoint.samples);
    MechanismRun moved = std::move(part);
    const Summary& summary = moved.run();
    ASSERT_EQ(summary.status, Status::finished) << summary.message();
    EXPECT_GE(summary.wall_seconds, stored.checkpoint.wall_seconds);
    if (!GetParam().exactly) {
      const Vector &a = summary.final_state, &b = whole.summary().final_state;
      // positions of the crank, after some turns at rtol 1e-7
      EXPECT_LT((a - b).head(7).lpNorm<Eigen::Infinity>(), 1e-4);
      EXPECT_TRUE(same_bits(moved.recording().times(), whole.recording().times()));
      return;
    }
    EXPECT_EQ(text_of(summary), text_of(whole.summary()));
    expect_same(moved.recording().samples, whole.recording().samples);
    expect_same(moved.recording().steps, whole.recording().steps);
    EXPECT_EQ(moved.recording().metadata(), whole.recording().metadata());
    EXPECT_EQ(moved.recorder().measures_not_finite(), whole.recorder().measures_not_finite());
    EXPECT_EQ(moved.steps().size(), whole.steps().size());
  }
};

TEST_P(ResumedMechanism, ComesToTheSameEnd) {
  constexpr long steps = 40;
  std::vector<Stored> checkpoints;
  const auto whole = run(steps, checkpoints);
  ASSERT_GE(checkpoints.size(), 2u);
  for (const std::size_t i : {std::size_t{0}, checkpoints.size() / 2, checkpoints.size() - 1})
    expect_same_end(*whole, checkpoints[i], steps);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, ResumedMechanism,
    testing::Values(MechanismCase{"planar", planar_model, "auto", true},
                    MechanismCase{"braked", braked_model, "auto", true},
                    MechanismCase{"planar", planar_model, "psf/radau5", true},
                    MechanismCase{"planar", planar_model, "partitioned/sdirk4", true},
                    MechanismCase{"planar", planar_model, "partitioned/radau5", true},
                    MechanismCase{"planar", planar_model, "projected/dop853", true},
                    MechanismCase{"planar", planar_model, "csm/radau5", true},
                    MechanismCase{"planar", planar_model, "partitioned/bdf", false},
                    MechanismCase{"planar", planar_model, "partitioned/adams", false},
                    MechanismCase{"planar", planar_model, "csm/ida", false},
                    MechanismCase{"spatial", spatial_model, "auto", true},
                    MechanismCase{"spatial", spatial_model, "partitioned/sdirk4", true},
                    MechanismCase{"spatial", spatial_model, "projected/dop853", true},
                    MechanismCase{"planar", planar_model, "psf/radau5", true, "joint"},
                    MechanismCase{"driven", driven_model, "projected/dop853", true, "joint"},
                    MechanismCase{"driven", driven_model, "partitioned/sdirk4", true, "joint"},
                    MechanismCase{"spatial", spatial_model, "partitioned/sdirk4", true, "joint"},
                    MechanismCase{"spatial", spatial_model, "projected/dop853", true, "joint"}),
    [](const testing::TestParamInfo<MechanismCase>& test) {
      std::string name = std::string(test.param.name) + "_" + test.param.method;
      if (std::string(test.param.coordinates) == "joint") name += "_joint";
      for (char& letter : name)
        if (letter == '/') letter = '_';
      return name;
    });

// Codes of SUNDIALS do not notice their checkpoints; our own begin anew there, and are as right.
TEST(ResumedMechanism, CheckpointsDoNotChangeTheMotion) {
  for (const char* method : {"psf/radau5", "partitioned/bdf"}) {
    SCOPED_TRACE(method);
    std::vector<Vector> ends;
    Index positions = 0;
    for (const long steps : {0, 25}) {
      RunRequest request;
      request.method = method;
      request.checkpoint_steps = steps;
      MechanismRun run(read_model_text(planar_model, "test.yaml"), request);
      ASSERT_EQ(run.run().status, Status::finished);
      ends.push_back(run.summary().final_state);
      positions = run.equations().layout().p.size;
    }
    if (std::string(method) == "partitioned/bdf") {
      EXPECT_EQ(ends[0], ends[1]);
    }
    EXPECT_LT((ends[0] - ends[1]).head(positions).lpNorm<Eigen::Infinity>(), 1e-4);
  }
}

TEST(ResumedMechanism, TheCheckpointOfAnotherModelIsRefused) {
  RunRequest request;
  request.checkpoint_steps = 20;
  Stored stored;
  std::unique_ptr<MechanismRun> run;
  request.on_checkpoint = [&](const RunCheckpoint& checkpoint) {
    stored = {checkpoint, {}};
    copy_rows(run->recording().samples, 0, checkpoint.samples, stored.rows.samples);
    copy_rows(run->recording().steps, 0, checkpoint.steps, stored.rows.steps);
  };
  run = std::make_unique<MechanismRun>(read_model_text(planar_model, "test.yaml"), request);
  run->run();
  ASSERT_GT(stored.checkpoint.steps, 0);
  MechanismRun other(read_model_text(spatial_model, "test.yaml"), {});
  EXPECT_TRUE(other.resume(stored.checkpoint, stored.rows));
  stored.rows.samples.pop_back();
  MechanismRun same(read_model_text(planar_model, "test.yaml"), {});
  EXPECT_TRUE(same.resume(stored.checkpoint, stored.rows));
}

}  // namespace
}  // namespace trammel
