// Generated C code, compiled as a user would, against the library.
#include "trammel/derivatives/model_code.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "trammel/derivatives/mechanism_functions.h"
#include "trammel/derivatives/recorded_elements.h"
#include "trammel/model/model.h"

namespace trammel {
namespace {

class GeneratedCode : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) /
        ("trammel-generated-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
         "-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // What the program that comes with the code prints at a state.
  std::map<std::string, std::vector<double>> printed(MechanismEquations& equations, double t,
                                                     const Vector& x) {
    // at the start, so that the numbers have to come from standard input
    const GeneratedModel generated = generate_model(equations, "4 bars*/", 0.0, equations.initial_state());
    EXPECT_EQ(generated.prefix, "model_4_bars__");
    for (const GeneratedFile& file : generated.files) std::ofstream(folder_ / file.name) << file.text;
    std::ofstream numbers(folder_ / "numbers");
    numbers.precision(17);
    numbers << t << '\n';
    const Layout& l = equations.layout();
    for (const Block& block : {l.p, l.v, l.r})
      for (Index i = 0; i < block.size; ++i) numbers << x[block.begin + i] << '\n';
    for (const GivenMotion& motion : given_motions(equations.elements())) numbers << motion.at(t) << '\n';
    numbers.close();
    const std::string in_folder = "cd '" + folder_.string() + "' && ";
    const std::string name = generated.prefix;
    EXPECT_EQ(
        std::system((in_folder + "cc -std=c99 -pedantic -Wall -Wextra -Werror -O1 " + name + ".c " + name +
                     "_check.c -lm -o check && ./check x < numbers > printed && ./check > at_start")
                        .c_str()),
        0);
    std::map<std::string, std::vector<double>> values;
    std::ifstream file(folder_ / "printed");
    std::string function;
    std::size_t index = 0;
    for (double value = 0; file >> function >> index >> value;) {
      EXPECT_EQ(index, values[function].size());
      values[function].push_back(value);
    }
    return values;
  }

  void check(const Mechanism& mechanism, const std::string& coordinates) {
    const std::unique_ptr<MechanismEquations> equations = make_equations(mechanism, coordinates);
    const Layout& l = equations->layout();
    Vector x = equations->initial_state();
    for (Index i = 0; i < l.p.size; ++i) x[l.p.begin + i] += 0.03 * static_cast<double>(i % 3);
    for (Index i = 0; i < l.v.size; ++i) x[l.v.begin + i] += 0.2 + 0.1 * static_cast<double>(i % 4);
    x.segment(l.lambda.begin, l.lambda.size).setZero();
    const double t = 0.25;
    std::map<std::string, std::vector<double>> found = printed(*equations, t, x);

    const std::unique_ptr<MechanismMotion> motion = equations->mechanism_motion();
    MotionValues values(l, false);
    const Vector rest = Vector::Zero(l.v.size);
    motion->evaluate({t, x, rest}, part::all & ~Parts{part::c | part::d | part::e}, values);
    const auto close = [&](const std::string& name, const Vector& expected) {
      ASSERT_EQ(found[name].size(), at_index(expected.size())) << name;
      for (Index i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(found[name][at_index(i)], expected[i], 1e-11 * (1 + expected.cwiseAbs().maxCoeff()))
            << name << i;
    };
    close("forces", values.dynamics);
    Vector rows(values.g.size() + values.h.size());
    rows << values.g, values.h;
    close("constraints", rows);
    close("position_rates", values.kinematics);
    close("state_rates", values.b);
    const RecordedMechanism recorded = record_mechanism(*equations);
    const auto close_sparse = [&](const std::string& name, const JacobianPattern& pattern,
                                  const Matrix& expected) {
      ASSERT_EQ(found[name].size(), pattern.entries()) << name;
      Matrix J = Matrix::Zero(expected.rows(), expected.cols());
      for (int i = 0; i < pattern.rows; ++i)
        for (std::size_t k = 0; k < pattern.row(i).size(); ++k)
          J(i, pattern.row(i)[k]) =
              found[name][static_cast<std::size_t>(pattern.begin[static_cast<std::size_t>(i)]) + k];
      EXPECT_LT((J - expected).cwiseAbs().maxCoeff(), 1e-10 * (1 + expected.cwiseAbs().maxCoeff())) << name;
    };
    close_sparse("mass", recorded.mass_pattern, Matrix(motion->slopes().mass));
    for (const MechanismFunction which : {MechanismFunction::forces, MechanismFunction::constraints}) {
      FunctionOfMechanism function(*equations, which);
      function.compute_slopes(function.point(t, x));
      close_sparse(which == MechanismFunction::forces ? "force_jacobian" : "constraint_jacobian",
                   pattern_of(function.graph(), function.columns()), function.slopes());
    }
  }

  std::filesystem::path folder_;
};

// A loop, a ball, a table, branches, a state, a driver, time.
Model model_of_everything() {
  return read_model_text(R"yaml(
trammel: 1
gravity: [0, 0, -9.81]
tables:
  k: {x: [-1, 0, 0.5, 2], y: [-3, 0, 4, 5], interpolation: cubic}
bodies:
  crank: {rod: {from: [0, 0, 0], to: [1, 0, 0.5], mass: 2, radius: 50 mm}}
  coupler: {rod: {from: [1, 0, 0.5], to: [3, 0, 0.5], mass: 3, radius: 50 mm}}
  rocker: {rod: {from: [3, 0, 0.5], to: [3, 0, -1], mass: 1, radius: 50 mm}}
  bob: {rod: {from: [1, 0, 0.5], to: [1, 1, 0], mass: 1, radius: 50 mm}}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0]}
  B: {type: revolute, between: [crank, coupler], at: [1, 0, 0.5], axis: [0, 1, 0]}
  C: {type: revolute, between: [coupler, rocker], at: [3, 0, 0.5], axis: [0, 1, 0]}
  D: {type: revolute, between: [rocker, ground], at: [3, 0, -1], axis: [0, 1, 0]}
  S: {type: spherical, between: [crank, bob], at: [1, 0, 0.5]}
states:
  filtered: {rate: "3*(A.angle - filtered)", initial: 0.2}
drivers:
  turn: {coordinate: B.angle, position: "0.1*sin(2*t)"}
  push: {coordinate: D.angle, acceleration: "cos(t)"}
forces:
  motor: {type: actuator, joint: A, torque: "table(k, A.angle) - 2*sin(3*t)*filtered + if(A.angle_rate > 0.1, abs(A.angle), max(B.angle, 2))"}
  tie: {type: spring_damper, between: [ground, bob], from: [0, 0, 2], to: [1, 1, 0], stiffness: 40, damping: 2, force: "step(length, 1, 0, 3, 5)"}
)yaml",
                         "everything");
}

// Vehicles in space, a hundred thousand operations: code that is compiled against the recording carried out instruction by instruction.
TEST(GeneratedJacobian, OfVehiclesIsThatOfTheRecording) {
  for (const char* name : {"coach", "hmmwv"}) {
    const Model model = read_model(std::string(TRAMMEL_SOURCE_DIR "/examples/models/") + name + ".yaml");
    const std::unique_ptr<MechanismEquations> equations = make_equations(model.mechanism, "joint");
    const Layout& l = equations->layout();
    Vector x = equations->initial_state();
    for (Index i = 0; i < l.v.size; ++i) x[l.v.begin + i] += 0.1 * std::sin(1.0 + static_cast<double>(i));
    FunctionOfMechanism function(*equations, MechanismFunction::forces);
    const std::vector<double> point = function.point(0.3, x);
    const Matrix generated = make_jacobian("generated", function.by_recording())->dense(point),
                 interpreted = make_jacobian("sparse", function.by_recording())->dense(point);
    function.compute_slopes(point);
    const Matrix library = function.slopes();
    const double largest = interpreted.cwiseAbs().maxCoeff();
    EXPECT_GT(largest, 1e3) << name;
    EXPECT_LT((generated - interpreted).cwiseAbs().maxCoeff(), 1e-12 * largest) << name;
    // terms of up to 1e6 cancel in some rows
    EXPECT_LT((generated - library).cwiseAbs().maxCoeff(), 1e-12 * largest) << name;
  }
}

TEST_F(GeneratedCode, OfJointCoordinatesIsTheLibrarys) { check(model_of_everything().mechanism, "joint"); }
TEST_F(GeneratedCode, OfCartesianCoordinatesIsTheLibrarys) {
  check(model_of_everything().mechanism, "cartesian");
}

}  // namespace
}  // namespace trammel
