// The HMMWV over a bump (examples/models/hmmwv.yaml, docs/hmmwv.md): published sizes and eigenvalue, static
// equilibrium at the start, the motion over the bump.
#include "trammel/published/hmmwv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/models/run_text.h"
#include "trammel/analysis/equilibrium.h"
#include "trammel/analysis/linearization.h"
#include "trammel/analysis/mobility.h"
#include "trammel/motion/cartesian_equations.h"
#include "trammel/simulation/simulation.h"

namespace trammel {
namespace {

const std::string file = std::string(TRAMMEL_SOURCE_DIR) + "/examples/models/hmmwv.yaml";

const Body& body(const Model& model, const std::string& name) {
  for (const Body& candidate : model.mechanism.bodies)
    if (candidate.name == name) return candidate;
  throw std::invalid_argument("no body \"" + name + "\"");
}

MechanismRun run_vehicle(double rtol, double end = 4) {
  RunRequest request;
  request.rtol = rtol;
  request.end = end;
  request.output_interval = 0.01;
  MechanismRun run(read_model(file), request);
  run.run();
  EXPECT_EQ(run.summary().status, Status::finished) << run.summary().message();
  return run;
}

// Largest absolute value.
double size_of(const std::vector<double>& values) {
  double size = 0;
  for (const double value : values) size = std::max(size, std::abs(value));
  return size;
}

class Vehicle : public testing::Test {
 protected:
  explicit Vehicle(const ModelOverrides& overrides = {})
      : model(read_model(file, overrides)), equations(model.mechanism), x(equations.initial_state()) {
    assembly = assemble_mechanism(equations, 0, x);
  }

  Model model;
  CartesianEquations equations;
  Vector x;
  AssemblyReport assembly;
};

TEST_F(Vehicle, HasThePublishedSizes) {
  ASSERT_FALSE(assembly.failure) << assembly.failure.message;
  EXPECT_EQ(equations.layout().p.size, 98);
  EXPECT_EQ(equations.layout().lambda.size, 66);
  EXPECT_EQ(equations.layout().normalizations, 14);
  EXPECT_EQ(equations.layout().mu.size, 0);

  const Mobility mobility = find_mobility(equations, 0, x);
  ASSERT_FALSE(mobility.failure) << mobility.failure.message;
  EXPECT_EQ(mobility.bodies, 14);
  EXPECT_EQ(mobility.equations, 66);
  EXPECT_EQ(mobility.grubler, 18);
  EXPECT_EQ(mobility.degrees_of_freedom, 18);
  EXPECT_TRUE(mobility.redundant.empty());

  // as the paper counts: normalisations among the constraints
  const CartesianEquations published(model.mechanism, CartesianEquations::Velocities::parameter_rates);
  EXPECT_EQ(published.layout().p.size, 98);
  EXPECT_EQ(published.layout().v.size, 98);
  EXPECT_EQ(published.layout().lambda.size, 80);

  std::map<JointType, int> count;
  for (const Joint& joint : model.mechanism.joints) ++count[joint.type];
  EXPECT_EQ(count, (std::map<JointType, int>{{JointType::revolute, 4},
                                             {JointType::spherical, 12},
                                             {JointType::distance, 4},
                                             {JointType::prismatic, 1}}));
}

// Upright, spindle, rim and tyre: (mass, offset from the wheel's centre along y, principal moments).
TEST_F(Vehicle, WheelsAreTheSumOfTheirParts) {
  struct Part {
    double mass, y;
    std::array<double, 3> moments;
  };
  const std::array<Part, 4> parts{{{19.450, -0.159, {0.1656, 0.1934, 0.04367}},
                                   {14.705, 0, {0.04117, 0.07352, 0.04117}},
                                   {18.8, 0, {0.4634, 0.6243, 0.4634}},
                                   {37.6, 0, {3.84, 6.69, 3.84}}}};
  double mass = 0, moment = 0;
  for (const Part& part : parts) {
    mass += part.mass;
    moment += part.mass * part.y;
  }
  std::array<double, 3> inertia{};
  for (const Part& part : parts) {
    const double d = part.y - moment / mass;
    for (const std::size_t i : {0u, 1u, 2u}) inertia[i] += part.moments[i] + (i == 1 ? 0 : part.mass * d * d);
  }
  for (const auto& [name, side] : {std::pair{"wheel0", 1.0}, {"wheel3", -1.0}}) {
    const Body& wheel = body(model, name);
    EXPECT_NEAR(wheel.mass, mass, 1e-12);
    EXPECT_NEAR(wheel.com.y, side * moment / mass, 1e-12);
    EXPECT_NEAR(wheel.inertia(0, 0), inertia[0], 1e-12);
    EXPECT_NEAR(wheel.inertia(1, 1), inertia[1], 1e-12);
    EXPECT_NEAR(wheel.inertia(2, 2), inertia[2], 1e-12);
  }
}

TEST_F(Vehicle, StartsInStaticEquilibrium) {
  const EquilibriumResult rest = find_equilibrium(equations, 0, x);
  ASSERT_FALSE(rest.failure) << rest.failure.message;
  // the four numbers of the model are rounded, and it does not give the deflections of bushings and rubber: a
  // third of a millimetre. Along the road it rolls freely, and round-off decides on another.
  EXPECT_LT(rest.largest_displacement, 1e-3) << rest.largest_displacement_of;
  EXPECT_NEAR(rest.x[2], x[2], 1e-5);
  EXPECT_EQ(rest.stability, Stability::neutral);
  EXPECT_EQ(rest.free_to_move, std::vector<std::string>{"chassis"});
}

TEST_F(Vehicle, HasThePublishedDominantEigenvalueAndNoLooseParts) {
  const EquilibriumResult rest = find_equilibrium(equations, 0, x);
  ASSERT_FALSE(rest.failure) << rest.failure.message;
  equations.follow(0, rest.x);
  const std::vector<Mode> found = modes(linearize(equations, 0, rest.x));
  ASSERT_FALSE(found.empty());

  // "a real component of approximately −2.6e5, and a small imaginary part"
  const std::complex<double> dominant = found.back().eigenvalue;
  EXPECT_NEAR(dominant.real(), -2.6e5, 0.1e5);
  EXPECT_EQ(dominant.imag(), 0);

  // nothing but the vehicle as a whole is free: along x, along y and about z, each with s = 0 twice
  int free = 0;
  for (const Mode& mode : found) {
    if (mode.eigenvalue == 0.0) {
      ++free;
      continue;
    }
    EXPECT_LT(mode.eigenvalue.real(), -1) << mode.description;
    EXPECT_GT(mode.damping_ratio, 0.2) << mode.description;
  }
  EXPECT_EQ(free, 6);
}

class VehicleWithoutRubber : public Vehicle {
 protected:
  VehicleWithoutRubber() : Vehicle({{{"rubber_stiffness", "0"}, {"rubber_damping", "0"}}}) {}
};

// The four bushings alone, one direction for each arm, leave one motion of each arm to chance: why the rubber
// is there.
TEST_F(VehicleWithoutRubber, SwaysOnItsBushings) {
  const EquilibriumResult rest = find_equilibrium(equations, 0, x);
  ASSERT_FALSE(rest.failure) << rest.failure.message;
  equations.follow(0, rest.x);
  int undamped = 0;
  for (const Mode& mode : modes(linearize(equations, 0, rest.x)))
    if (mode.oscillates() && mode.damping_ratio < 0.01) ++undamped;
  EXPECT_EQ(undamped, 4);
}

// ---- over the bump

const std::vector<double>& heights(const MechanismRun& run) { return values(run, "chassis_height"); }

void expect_rest_before_and_after(const MechanismRun& run) {
  const std::vector<double>& times = run.recording().times();
  const double start = heights(run).front();
  for (std::size_t i = 0; times[i] < 0.49; ++i) EXPECT_NEAR(heights(run)[i], start, 2e-6) << times[i];
  // two and a half seconds after the rear wheels: the bounce decays with 3 1/s
  EXPECT_NEAR(heights(run).back(), start, 2e-5);
  EXPECT_NEAR(last(run, "energy.total"), first(run, "energy.total"), 1);
}

// An axle is lifted by 5 cm for a tenth of a second: the chassis rises by some centimetres, twice.
struct Rises {
  std::array<double, 2> rise{}, when{};
};

Rises rises_of(const MechanismRun& run) {
  const std::vector<double>& times = run.recording().times();
  Rises found;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::size_t axle = times[i] < 1.1 ? 0 : 1;
    const double height = heights(run)[i] - heights(run).front();
    if (height <= found.rise[axle]) continue;
    found.rise[axle] = height;
    found.when[axle] = times[i];
  }
  return found;
}

void expect_two_rises(const MechanismRun& run) {
  const Rises found = rises_of(run);
  for (const double rise : found.rise) {
    EXPECT_GT(rise, 0.005);
    // the middle of a vehicle with one axle lifted by 5 cm for good; behind a push that short it does not overshoot that
    EXPECT_LT(rise, 0.025);
  }
  // wheelbase of 3.302 m at 16 km/h
  EXPECT_NEAR(found.when[1] - found.when[0], 3.302 / (16 / 3.6), 0.03);
}

// The same as with another method and a small tolerance.
void expect_the_rises_of(const MechanismRun& reference, const MechanismRun& run) {
  expect_two_rises(run);
  const Rises expected = rises_of(reference), found = rises_of(run);
  for (const std::size_t axle : {0u, 1u}) EXPECT_NEAR(found.rise[axle], expected.rise[axle], 0.001);
}

void expect_straight_and_level(const MechanismRun& run) {
  EXPECT_LT(size_of(values(run, "chassis.position.y")), 1e-10);
  EXPECT_LT(size_of(values(run, "chassis.angular_velocity.x")), 1e-10);
  EXPECT_LT(size_of(values(run, "chassis.angular_velocity.z")), 1e-10);
  expect_same(run, "tyre0.force", run, "tyre1.force", 1e-5);
  expect_same(run, "tyre2.force", run, "tyre3.force", 1e-5);
  // tyres push upwards only: nothing changes the speed of the whole
  const double distance = last(run, "chassis.position.x") - first(run, "chassis.position.x");
  EXPECT_NEAR(distance, 4 * 16 / 3.6, 1e-3);
}

void expect_tyres_to_carry_and_leave_the_road(const MechanismRun& run) {
  double weight = 0;
  for (const char* tyre : {"tyre0.force", "tyre1.force", "tyre2.force", "tyre3.force"}) {
    weight += first(run, tyre);
    EXPECT_EQ(std::ranges::min(values(run, tyre)), 0) << tyre;
    EXPECT_NEAR(last(run, tyre), first(run, tyre), 10) << tyre;
  }
  EXPECT_NEAR(weight, 9.81 * (2086.52 + 9.072 + 4 * (5.813 + 23.965 + 90.555)), 5);
}

// The law of the model against the points of its source, force over deformation in steps of 2 cm.
void expect_tabulated_force(const MechanismRun& run, const std::string& spring, double free_length,
                            const std::array<double, 11>& points) {
  std::array<double, 11> deformation{};
  for (std::size_t i = 0; i < deformation.size(); ++i) deformation[i] = 0.02 * static_cast<double>(i);
  const Table table(deformation, points, Table::Interpolation::cubic);
  const std::vector<double>&length = values(run, spring + ".length"), &force = values(run, spring + ".force");
  // between its points a spline of the table is off by some newtons
  for (std::size_t i = 0; i < length.size(); ++i)
    EXPECT_NEAR(force[i], -table(free_length - length[i]), 2e-3 * points[3])
        << spring << " of length " << length[i];
}

// Also with a tolerance a hundred times larger, to that tolerance, which is half a percent of the rise.
TEST(OverTheBump, BouncesAndComesToRest) {
  const MechanismRun run = run_vehicle(1e-6);
  expect_rest_before_and_after(run);
  expect_two_rises(run);
  expect_straight_and_level(run);
  expect_tyres_to_carry_and_leave_the_road(run);
  expect_tabulated_force(run, "spring0", 0.339,
                         {0, 3629.923, 8991.945, 17818.165, 31840.681, 52791.592, 82402.997, 122406.996,
                          174535.686, 240521.166, 322095.536});
  expect_tabulated_force(run, "spring3", 0.382,
                         {0, 8020.869, 19869.076, 39371.956, 70356.846, 116651.084, 182082.006, 270476.949,
                          385663.250, 531468.245, 711719.272});

  const MechanismRun coarse = run_vehicle(1e-4);
  expect_same(coarse, "chassis_height", run, "chassis_height", 1e-4);
}

// A bump that lasts a tenth of a second must not fall between two steps of a run that asks for little.
TEST(OverTheBump, IsNotMissedByACoarseRun) { expect_the_rises_of(run_vehicle(1e-6), run_vehicle(1e-2)); }

// Wherever a step comes to its end before the edge of the bump, by round-off or not.
TEST(OverTheBump, IsNotMissedByTheMethodOfThePaper) {
  const MechanismRun reference = run_vehicle(1e-6);
  for (const char* coordinates : {"joint", "cartesian"})
    for (const double tolerance : {1e-2, 3e-3, 1e-3, 3e-4, 1e-4}) {
      SCOPED_TRACE(std::string(coordinates) + " " + std::to_string(tolerance));
      RunRequest request;
      request.method = "partitioned/sdirk4";
      request.rtol = request.atol = tolerance;
      request.output_interval = 0.01;
      Model model = read_model(file);
      model.simulation.coordinates = coordinates;
      MechanismRun run(model, request);
      EXPECT_EQ(run.run().status, Status::finished) << run.summary().message();
      expect_the_rises_of(reference, run);
    }
}

TEST(OverTheBump, IsTheBuiltInProblem) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_EQ(hmmwv_model_text(), text.str());

  const BuiltinProblem problem = hmmwv_problem();
  const ProblemCase instance = problem.make(problem.values({}));
  EXPECT_EQ(instance.t_end, 4);
  Options options;
  options.tolerances.relative = options.tolerances.absolute = 1e-6;
  options.assembly = instance.assembly;
  ASSERT_FALSE(set_option(options, "max_step", "0.1"));
  Simulation simulation(*instance.equations, {"psf", "radau5"}, options);
  const Summary summary = simulation.run(instance.x0, 0, 0.65);
  ASSERT_EQ(summary.status, Status::finished) << summary.failure.message;
  EXPECT_EQ(summary.degrees_of_freedom, 18);
  // the chassis is the first body, and its position that of its centre of mass
  const double risen = heights(run_vehicle(1e-6, 0.65)).back();
  EXPECT_GT(risen, 0.805);
  EXPECT_NEAR(summary.final_state[2], risen, 5e-6);  // each has an error of a few tolerances after the bump

  EXPECT_THROW(problem.make(problem.values({{"speed", -1}})), std::invalid_argument);
  EXPECT_EQ(problem.make(problem.values({{"parameter_rates", 1}})).equations->layout().lambda.size, 80);
}

}  // namespace
}  // namespace trammel
