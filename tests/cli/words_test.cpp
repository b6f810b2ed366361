// What the program says to those who mistype, and to those who have nothing but a robot.
#include "tests/cli/called_program.h"

namespace trammel {
namespace {

std::string refusal(const std::string& arguments) {
  const Called called = call(arguments);
  EXPECT_EQ(called.exit_code, 2) << arguments;
  EXPECT_EQ(called.out, "") << arguments;
  return called.err;
}

TEST(Words, UnknownCommands) {
  EXPECT_EQ(refusal("rn pendulum.yaml"), "error: there is no command 'rn'; did you mean 'run'?\n");
  EXPECT_EQ(refusal("chekc"), "error: there is no command 'chekc'; did you mean 'check'?\n");
  write_file("pendulum.yaml", pendulum_model);
  EXPECT_EQ(
      refusal("pendulum.yaml"),
      "error: there is no command 'pendulum.yaml'; a model is simulated by 'trammel run pendulum.yaml'\n");
  EXPECT_EQ(refusal("xyzzy").find("error: there is no command 'xyzzy'; there are run, view, "), 0U);
  EXPECT_EQ(call("--version").exit_code, 0);
}

TEST(Words, NumbersThatAreNotFinite) {
  write_file("pendulum.yaml", pendulum_model);
  EXPECT_EQ(refusal("run pendulum.yaml --end nan"), "error: --end is nan, which is not a finite number\n");
  EXPECT_EQ(refusal("run pendulum.yaml --end=-inf"), "error: --end is -inf, which is not a finite number\n");
  EXPECT_EQ(refusal("run pendulum.yaml --rtol nan"), "error: --rtol is nan, which is not a finite number\n");
  EXPECT_EQ(refusal("run pendulum.yaml --output-interval nan"),
            "error: --output-interval is nan, which is not a finite number\n");
  EXPECT_EQ(call_json("run pendulum.yaml --end nan", 2)["message"],
            "--end is nan, which is not a finite number");
}

// An arm whose inertia no body can have but determines the motion, a hand without mass, and a visual without
// size.
const std::string arm = R"(<robot name="arm">
  <link name="base"/>
  <link name="upper"><visual><geometry><box size="0 0 0"/></geometry></visual>
    <inertial><origin xyz="1 0 0"/><mass value="1"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="hand"/>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
  <joint name="wrist" type="continuous"><parent link="upper"/><child link="hand"/><axis xyz="0 1 0"/></joint>
</robot>
)";

TEST(Words, ARobotRunsAndSaysWhatIsOdd) {
  write_file("arm.urdf", arm);
  const Called called = call("run arm.urdf --end 0.1 --samples 2");
  EXPECT_EQ(called.exit_code, 0) << called.err;
  EXPECT_NE(
      called.err.find("warning: arm.urdf:3:3: link 'upper': no real body can have its moments of inertia"),
      std::string::npos)
      << called.err;
  EXPECT_NE(called.err.find("; the visual of line 3 is left out: it has no size\n"), std::string::npos);
  EXPECT_NE(called.err.find("they are held where they are: wrist;"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(scratch() / "arm-results" / "results.csv"));
  const nlohmann::json json = call_json("run arm.urdf --end 0.1 --samples 2 --rtol 1e-9");
  EXPECT_EQ(json["warnings"].size(), 2U);
  // falls from the horizontal with m g l / (J + m l²)
  EXPECT_NEAR(json["final"]["shoulder.angle"].get<double>(), 0.5 * 9.81 / 1.1 * 0.01, 1e-5);
  EXPECT_EQ(json["final"]["wrist.angle"], 0.0);
  const Called checked = call("check arm.urdf");
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_NE(checked.out.find("degrees of freedom: 1"), std::string::npos) << checked.out;
}

TEST(Words, ARobotWithoutAnyMassCanBeDriven) {
  std::string drawing = arm;
  const std::size_t from = drawing.find("<inertial>"), to = drawing.find("</inertial>") + 11;
  drawing.erase(from, to - from);
  write_file("arm.urdf", drawing);
  EXPECT_EQ(call("run arm.urdf --end 0.1 --samples 2").exit_code, 0);
  write_file("driven.yaml",
             "trammel: 1\nurdf: {file: arm.urdf}\n"
             "drivers: {m: {coordinate: shoulder.angle, position: 2*t}}\n"
             "measures: {x: hand.position.x}\n");
  const nlohmann::json json = call_json("run driven.yaml --end 0.5 --samples 2");
  EXPECT_NEAR(json["final"]["shoulder.angle"].get<double>(), 1, 1e-9);
}

TEST(Words, ChainsOfMeasures) {
  write_file("chain.yaml",
             "trammel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nmeasures: {m0: t}\n"
             "repeat:\n- count: 2000\n  measures: {\"m{i+1}\": \"m{i} + 1\"}\n");
  const nlohmann::json json = call_json("run chain.yaml --end 0.5 --samples 2 --no-page");
  EXPECT_NEAR(json["final"]["m2000"].get<double>(), 2000.5, 1e-9);
}

}  // namespace
}  // namespace trammel
