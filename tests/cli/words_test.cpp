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

TEST(Words, ArgumentsThatCannotBe) {
  const auto first_line = [](const std::string& arguments) {
    const std::string text = refusal(arguments);
    EXPECT_NE(text.find("--help' says more\n"), std::string::npos) << text;
    return text.substr(0, text.find('\n'));
  };
  write_file("pendulum.yaml", pendulum_model);
  EXPECT_EQ(first_line("").find("error: a command is needed: run, view, plot, "), 0U);
  EXPECT_EQ(first_line("run"), "error: the model file is required");
  // by the name that was used, of those that it has
  EXPECT_EQ(first_line("run pendulum.yaml --end abc"), "error: --end cannot be 'abc': a number is expected");
  EXPECT_EQ(first_line("run pendulum.yaml --until=1s"),
            "error: --until cannot be '1s': a number is expected");
  EXPECT_EQ(first_line("run pendulum.yaml --samples 2.5"),
            "error: --samples cannot be '2.5': a whole number is expected");
  EXPECT_EQ(first_line("run pendulum.yaml --end"), "error: --end needs a value");
  EXPECT_EQ(first_line("check pendulum.yaml --jsn"),
            "error: 'trammel check' has no argument '--jsn' (did you mean '--json'?)");
  EXPECT_EQ(first_line("check pendulum.yaml other.yaml"),
            "error: 'other.yaml' is one word too many for 'trammel check'");
  EXPECT_EQ(first_line("run pendulum.yaml --threads 0"), "error: --threads: Value 0 not in range 1 to 256");
}

// By the name of the force, and not of the body that it acts on; also where it happens on the way.
TEST(Words, ForcesWithoutAValue) {
  const auto message = [](const std::string& force, const std::string& command) {
    write_file("push.yaml",
               "trammel: 1\ngravity: [0, 0, 0]\n"
               "bodies: {sled: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0]}}\n"
               "forces:\n  still: {type: force, on: sled, at: [0, 0, 0], components: [1, 0, 0]}\n"
               "  push: {type: force, on: sled, at: [0, 0, 0], components: [\"" +
                   force + "\", 0, 0]}\nsimulation: {end: 1}\n");
    return call_json(command, 1)["message"].get<std::string>();
  };
  const std::string question = "is there a division by zero, or a root or a logarithm of a negative number?";
  for (const char* command : {"check push.yaml", "run push.yaml", "run push.yaml --coordinates joint"})
    EXPECT_EQ(message("1/t", command), "force 'push' is not finite at t = 0: " + question) << command;
  for (const char* method : {"auto", "psf/radau5", "projected/bdf", "partitioned/sdirk4"})
    for (const char* force : {"sqrt(0.5 - t)", "sqrt(0.5 - sled.position.x)", "log(0.5 - t)"}) {
      const std::string text = message(force, std::string("run push.yaml --method ") + method);
      EXPECT_NE(text.find("It comes from force 'push': " + question), std::string::npos)
          << method << ", " << force << ": " << text;
    }
}

TEST(Words, SpringsWithoutADirection) {
  const auto notes = [](const std::string& keys) {
    write_file("spring.yaml",
               "trammel: 1\ngravity: [0, 0, 0]\nbodies: {ball: {mass: 1, inertia: [1, 1, 1]}}\n"
               "forces: {s: {type: spring_damper, between: [ground, ball], from: [0, 0, 0], to: [0, 0, 0], "
               "stiffness: 5" +
                   keys + "}}\nsimulation: {end: 0.1}\n");
    return call_json("run spring.yaml")["notes"].dump();
  };
  EXPECT_NE(notes(", free_length: 1")
                .find("the points of force 's' coincide at the start, so that its -5 N have no direction"),
            std::string::npos);
  EXPECT_EQ(notes("").find("no direction"), std::string::npos);
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
