// trammel dynamics and trammel inverse as a user calls them.
#include <cmath>

#include "tests/cli/called_program.h"

namespace trammel {
namespace {

// A rod on a hinge: m = 2 kg, the centre of mass 0.5 m from it, J = 0.1 kg m².
const std::string rod = R"yaml(trammel: 1
parameters: {tilt: 0.25}
bodies:
  rod: {at: [0, 0, 0], com: [0.5, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1]}
joints:
  A: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, -1, 0]}
markers:
  tip: {body: rod, at: [1, 0, 0]}
forces:
  motor: {type: actuator, joint: A, torque: "12 * sin(3 * t)"}
simulation: {end: 1, output: 0.01, rtol: 1e-10}
)yaml";

TEST(DynamicsCommand, ARodOnAHinge) {
  write_file("rod.yaml", rod);
  const nlohmann::json json = call_json(
      "dynamics rod.yaml --at 'A.angle=60 deg,A.angle_rate=2' --accelerations A.angle=3 --forces A.angle=5 "
      "--point tip --out terms.h5");
  EXPECT_EQ(json["status"], "computed");
  const double J = 0.6, weight = 2 * 9.81 * 0.5 * std::cos(std::acos(-1.0) / 3);
  EXPECT_NEAR(json["mass"]["values"][0][0].get<double>(), J, 1e-12);
  EXPECT_EQ(json["mass"]["rows"][0], "A.angle_rate");
  EXPECT_NEAR(json["gravity"]["values"][0].get<double>(), weight, 1e-12);
  EXPECT_NEAR(json["bias"]["values"][0].get<double>(), weight, 1e-12);
  EXPECT_NEAR(json["required_forces"]["values"][0].get<double>(), 3 * J + weight, 1e-12);
  EXPECT_NEAR(json["accelerations"]["values"][0].get<double>(), (5 - weight) / J, 1e-11);
  EXPECT_NEAR(json["tip.jacobian"]["values"][2][0].get<double>(), 0.5, 1e-12);
  EXPECT_NEAR(json["tip.jacobian_drift"]["values"][0].get<double>(), -4 * 0.5, 1e-12);
  // along its arc the tip has the inertia J / 1 m², across it cannot be moved
  const auto& inertia = json["tip.operational_inertia"]["values"];
  EXPECT_NEAR(inertia[0][0].get<double>() + inertia[2][2].get<double>(), J, 1e-10);
  EXPECT_TRUE(std::filesystem::file_size(scratch() / "terms.h5") > 1000);

  const Called text = call("dynamics rod.yaml --at A.angle=tilt");
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("mass: M, mass matrix"), std::string::npos) << text.out;
}

TEST(DynamicsCommand, AStateOfAResult) {
  write_file("rod.yaml", rod);
  ASSERT_EQ(call("run rod.yaml --out run").exit_code, 0);
  const nlohmann::json json = call_json("dynamics rod.yaml --of run --time 0.5");
  EXPECT_NEAR(json["t"].get<double>(), 0.5, 1e-12);
  // what the motor did there is what the motion needs: J a = 12 sin(3 t) − weight
  const double angle = json["positions"]["values"][0].get<double>();
  const double weight = 2 * 9.81 * 0.5 * std::cos(angle);
  EXPECT_NEAR(json["gravity"]["values"][0].get<double>(), weight, 1e-12);
  EXPECT_GT(std::abs(json["velocities"]["values"][0].get<double>()), 0.1);
}

TEST(DynamicsCommand, SaysWhatIsWrong) {
  write_file("rod.yaml", rod);
  for (const char* arguments : {"--at B.angle=1", "--at A.angle", "--at A.angle=blue", "--point nose",
                                "--forces B.angle=1", "--accelerations tip.position.x=1", "--of nowhere",
                                "--coordinates cartesian", "--time 3", "--at A.angle=1 --of run"}) {
    const Called called = call(std::string("dynamics rod.yaml ") + arguments);
    EXPECT_EQ(called.exit_code, 2) << arguments;
    EXPECT_TRUE(called.err.starts_with("error: ")) << called.err;
  }
  EXPECT_NE(call("dynamics rod.yaml --at B.angle=1").err.find("there are A.angle, A.angle_rate"),
            std::string::npos);
  EXPECT_NE(call("dynamics rod.yaml --point nose").err.find("markers: tip; bodies: rod"), std::string::npos);
}

TEST(InverseCommand, GivesTheMotorBackAndAModelThatMovesLikeIt) {
  write_file("rod.yaml", rod);
  ASSERT_EQ(call("run rod.yaml --out run").exit_code, 0);
  const nlohmann::json json = call_json("inverse rod.yaml --along run --out inverse --model-out again.yaml");
  EXPECT_EQ(json["status"], "finished");
  EXPECT_EQ(json["notes"].size(), 0u);
  EXPECT_NEAR(json["forces"]["motor.torque"]["last"].get<double>(), 12 * std::sin(3.0), 1e-5);
  const nlohmann::json before = call_json("run rod.yaml"), again = call_json("run again.yaml");
  EXPECT_NEAR(before["final"]["A.angle"].get<double>(), again["final"]["A.angle"].get<double>(), 1e-5);
  EXPECT_EQ(call("plot inverse motor.torque").exit_code, 0);
}

TEST(InverseCommand, AlongATable) {
  write_file("rod.yaml", rod);
  std::string table = "t,A.angle";
  for (int i = 0; i <= 100; ++i) {
    const double t = 0.01 * i;
    table += "\n" + std::to_string(t) + "," + std::to_string(0.5 * t * t);  // the last line has no end
  }
  write_file("motion.csv", table);
  const nlohmann::json json = call_json("inverse rod.yaml --along motion.csv");
  // J · 1 rad/s² and the weight at 0.5 rad; the table has six digits, which a spline differentiates twice
  EXPECT_NEAR(json["forces"]["motor.torque"]["last"].get<double>(), 0.6 + 9.81 * std::cos(0.5), 0.3);
  EXPECT_NE(json["motion"].get<std::string>().find("splines of degree 5"), std::string::npos)
      << json["motion"];
  EXPECT_EQ(call("inverse rod.yaml --along nowhere.csv").exit_code, 2);
  EXPECT_EQ(call("inverse rod.yaml").exit_code, 2);
  write_file("wrong.csv", "t,B.angle\n0,1\n1,2\n");
  const Called wrong = call("inverse rod.yaml --along wrong.csv");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("there are A.angle"), std::string::npos) << wrong.err;
}

}  // namespace
}  // namespace trammel
