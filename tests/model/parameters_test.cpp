// Parameters, overrides, repeat blocks and included files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "trammel/model/model.h"

namespace trammel {
namespace {

const std::string body = "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n";

Model read(const std::string& text, const ModelOverrides& overrides = {}) {
  return read_model_text("trammel: 1\n" + text, "m.yaml", overrides);
}

std::string fault_of(const std::string& text, const ModelOverrides& overrides = {}) {
  try {
    read(text, overrides);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Parameters, MayDependOnEachOtherInAnyOrder) {
  const Model model = read("parameters: {a: 2*b + 1 cm, b: c^2, c: 3}\n" + body);
  EXPECT_DOUBLE_EQ(model.mechanism.parameters.at("a"), 18.01);
  EXPECT_DOUBLE_EQ(model.mechanism.parameters.at("b"), 9);
}

TEST(Parameters, CirclesAreNamed) {
  EXPECT_EQ(fault_of("parameters: {x: 1, a: 2*b, b: c + x, c: a}\n" + body),
            "m.yaml:2:23: parameters depend on each other in a circle: a → b → c → a");
  EXPECT_EQ(fault_of("parameters: {a: a + 1}\n" + body),
            "m.yaml:2:17: parameters depend on each other in a circle: a → a");
}

TEST(Parameters, LongChainsAreNoProblem) {
  std::string text = "parameters:\n";
  for (int i = 5000; i > 0; --i) text += "  p" + std::to_string(i) + ": p" + std::to_string(i - 1) + " + 1\n";
  EXPECT_EQ(read(text + "  p0: 0\n" + body).mechanism.parameters.at("p5000"), 5000);
}

TEST(Parameters, ErrorsPointIntoTheExpression) {
  EXPECT_EQ(fault_of("parameters:\n  length: 2\n  area: 3 * lenght^2\n" + body),
            "m.yaml:4:13: there is no 'lenght' (did you mean 'length'?)");
  EXPECT_EQ(fault_of("parameters:\n  a: \"1 +\"\n" + body), "m.yaml:3:10: the expression ends too early");
  EXPECT_EQ(fault_of("parameters: {t: 1}\n" + body),
            "m.yaml:2:14: a parameter cannot be called 't': that is the time");
  EXPECT_EQ(fault_of("parameters: {a-b: 1}\n" + body),
            "m.yaml:2:14: a parameter 'a-b' must be made of letters, digits and _");
  EXPECT_EQ(fault_of("parameters: {a: [1]}\n" + body), "m.yaml:2:17: 'a' is a number, not a list of 1");
  EXPECT_EQ(fault_of("parameters: {a: }\n" + body).substr(0, 12), "m.yaml:2:17:");
}

TEST(Parameters, CanBeOverridden) {
  const std::string text = "parameters: {a: 1, b: 2*a}\n" + body;
  const Model model = read(text, {{{"a", "5 mm"}}});
  EXPECT_DOUBLE_EQ(model.mechanism.parameters.at("b"), 0.01);
  EXPECT_DOUBLE_EQ(read(text, {{{"a", "5"}, {"a", "b/2"}, {"b", "8"}}}).mechanism.parameters.at("a"), 4);
  EXPECT_EQ(fault_of(text, {{{"aa", "1"}}}), "the model has no parameter 'aa' to set; did you mean 'a'?");
  EXPECT_EQ(fault_of(text, {{{"a", "1 +"}}}), "a=1 +: the expression ends too early");
}

TEST(Repeat, MakesCopiesWithAnIndex) {
  const Model model = read(
      "parameters: {n: 3}\n"
      "bodies: {link0: {mass: 1, inertia: [1, 1, 1]}}\n"
      "repeat:\n"
      "- count: n\n"
      "  index: k\n"
      "  bodies:\n"
      "    link{k+1}: {at: [k + 1, 0, 0], mass: 2*k + 1, inertia: [1, 1, 1]}\n"
      "  joints:\n"
      "    hinge{k}: {type: revolute, between: [\"link{k}\", \"link{k + 1}\"], at: [k + 0.5, 0, 0]}\n"
      "  forces:\n"
      "    f{k}: {type: torque, on: \"link{k}\", components: [0, 0, \"sin(k*t) + 'hinge{k}'.angle\"]}\n");
  const Mechanism& mechanism = model.mechanism;
  ASSERT_EQ(mechanism.bodies.size(), 5U);
  EXPECT_EQ(mechanism.bodies[4].name, "link3");
  EXPECT_EQ(mechanism.bodies[4].mass, 5);
  EXPECT_EQ(mechanism.bodies[4].reference.origin.x, 3);
  ASSERT_EQ(mechanism.joints.size(), 3U);
  EXPECT_EQ(mechanism.joints[2].body_a, 3);
  EXPECT_EQ(mechanism.joints[2].body_b, 4);
  EXPECT_EQ(mechanism.joints[2].frame_b.origin.x, -0.5);
  EXPECT_EQ(mechanism.forces[2].applied()->components[2].text, "sin(2*t) + 'hinge2'.angle");
}

TEST(Repeat, BlocksMayBeNested) {
  const Model model = read(
      "repeat:\n"
      "- count: 3\n"
      "  repeat:\n"
      "  - {count: i + 1, index: j, bodies: {\"b{i}_{j}\": {at: [i, j, 0], mass: 1, inertia: [1, 1, 1]}}}\n");
  ASSERT_EQ(model.mechanism.bodies.size(), 7U);
  EXPECT_EQ(model.mechanism.bodies[6].name, "b2_2");
  EXPECT_EQ(model.mechanism.bodies[6].reference.origin.y, 2);
}

TEST(Repeat, NamesWhatIsWrong) {
  const auto block = [](const std::string& keys) { return body + "repeat:\n- {" + keys + "}\n"; };
  EXPECT_EQ(fault_of(block("count: 2.5")), "m.yaml:4:11: 'count' is a whole number up to 100000, not 2.5");
  EXPECT_EQ(fault_of(block("count: 1e6")),
            "m.yaml:4:11: 'count' is a whole number up to 100000, not 1000000");
  EXPECT_EQ(fault_of(block("index: i")), "m.yaml:4:3: a repeat block needs 'count'");
  EXPECT_EQ(fault_of(block("count: 2, body: {}")),
            "m.yaml:4:14: a repeat block has no key 'body'; did you mean 'bodies'?");
  EXPECT_EQ(fault_of(block("count: 2, bodies: {\"c{i\": {mass: 1}}")), "m.yaml:4:25: this '{' is not closed");
  EXPECT_EQ(fault_of(block("count: 2, bodies: {\"c{i/2}\": {mass: 1}}")),
            "m.yaml:4:25: {i/2} is 0.5, not a whole number");
  EXPECT_EQ(fault_of(block("count: 2, bodies: {c: {mass: 1}}")),
            "m.yaml:4:23: there is a 'c' in 'bodies' already, at m.yaml:4:23");
  EXPECT_EQ(fault_of(block("count: 2, repeat: [{count: 1, index: i}]")),
            "m.yaml:4:34: the index 'i' is that of a block around this one");
  EXPECT_EQ(fault_of("parameters: {i: 1}\n" + block("count: 2")),
            "m.yaml:5:3: the index 'i' has the name of a parameter");
  EXPECT_EQ(fault_of(body + "repeat: 3\n"),
            "m.yaml:3:9: 'repeat' is a list of blocks ('- count: ...'), not '3'");
  EXPECT_NE(fault_of(block("count: 1e5, repeat: [{count: 1e5, index: j}]")).find("more than 1000000 copies"),
            std::string::npos);
}

class Include : public testing::Test {
 protected:
  Include()
      : folder(std::filesystem::path(testing::TempDir()) / ("trammel-include-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder / "parts");
  }
  ~Include() override { std::filesystem::remove_all(folder); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  static std::string fault_of_file(const std::string& path) {
    try {
      read_model(path);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path folder;
};

TEST_F(Include, AddsTheSectionsOfOtherFiles) {
  write("parts/parts.yaml", "parameters: {m: 2}\ngravity: [0, 0, -1]\ninclude: more.yaml\n");
  write("parts/more.yaml", "bodies: {first: {mass: m, inertia: [1, 1, 1]}}\n");
  const std::string path = write("main.yaml",
                                 "trammel: 1\ninclude: [parts/parts.yaml, parts/more.yaml]\n"
                                 "bodies: {second: {mass: 2*m, inertia: [1, 1, 1]}}\n");
  const Model model = read_model(path);
  ASSERT_EQ(model.mechanism.bodies.size(), 3U);
  EXPECT_EQ(model.mechanism.bodies[1].name, "first");
  EXPECT_EQ(model.mechanism.bodies[2].mass, 4);
  EXPECT_EQ(model.mechanism.gravity.z, -1);
  EXPECT_EQ(model.files.size(), 3U) << "a file that is included twice is read once";
  EXPECT_EQ(model.files.back(), path);
}

TEST_F(Include, DuplicateNamesAreToldWithBothPlaces) {
  const std::string part = write("part.yaml", "bodies:\n  b: {mass: 1}\n");
  const std::string path = write("main.yaml", "trammel: 1\ninclude: part.yaml\nbodies:\n  b: {mass: 1}\n");
  EXPECT_EQ(fault_of_file(path), path + ":4:3: there is a 'b' in 'bodies' already, at " + part + ":2:3");
}

TEST_F(Include, NamesWhatIsWrong) {
  const std::string missing = write("missing.yaml", "trammel: 1\ninclude: [nowhere.yaml]\n");
  EXPECT_EQ(fault_of_file(missing),
            missing + ":2:11: '" + (folder / "nowhere.yaml").string() + "' does not exist");
  const std::string a = write("a.yaml", "trammel: 1\ninclude: b.yaml\n"),
                    b = write("b.yaml", "include: a.yaml\n");
  EXPECT_EQ(fault_of_file(a), b + ":1:10: '" + a + "' includes itself, by way of 2 files");
  const std::string list = write("list.yaml", "trammel: 1\ninclude: {a: 1}\n");
  EXPECT_EQ(fault_of_file(list), list + ":2:10: 'include' is a word, not a map");
  for (int i = 0; i < 30; ++i)
    write("deep" + std::to_string(i) + ".yaml",
          "trammel: 1\ninclude: deep" + std::to_string(i + 1) + ".yaml\n");
  EXPECT_NE(fault_of_file((folder / "deep0.yaml").string()).find("more than 20 deep"), std::string::npos);
  EXPECT_EQ(fault_of_file(folder.string()), folder.string() + ": the file is a folder");
  EXPECT_EQ(fault_of_file((folder / "x.yaml").string()),
            (folder / "x.yaml").string() + ": the file does not exist");
}

TEST_F(Include, TablesFromFiles) {
  write("curve.csv", "# measured\ntime; force; other\n0; 1; 5\n1; 3; 6\n\n2; 2; 7\n");
  const std::string path =
      write("main.yaml", "trammel: 1\ntables: {c: {file: curve.csv, columns: [0, 2]}}\n" + body);
  EXPECT_DOUBLE_EQ(read_model(path).mechanism.tables.at("c")(0.5), 5.5);
  const std::string wide =
      write("wide.yaml", "trammel: 1\ntables: {c: {file: curve.csv, columns: [0, 3]}}\n" + body);
  EXPECT_EQ(fault_of_file(wide), (folder / "curve.csv").string() +
                                     ":3:1: this line has 3 columns; column 3 is wanted (the first is 0)");
  write("curve.csv", "0 1\n1 x\n");
  const std::string bad = write("bad.yaml", "trammel: 1\ntables: {c: {file: curve.csv}}\n" + body);
  EXPECT_EQ(fault_of_file(bad),
            (folder / "curve.csv").string() +
                ":2:3: 'x' is not a number; a heading is the first line, or begins with '#'");
}

TEST(Repeat, ParametersOfABlockAreNewInEveryTurn) {
  const Model model = read_model_text(R"(
trammel: 1
parameters: {l: 2}
repeat:
  - count: 3
    parameters: {x: -l*i, y: x + 0.5}
    bodies:
      "b{i}": {at: [x, y, 0], mass: 1, inertia: [1, 1, 1]}
    forces:
      "f{i}": {type: force, on: "b{i}", at: [x, y, 0], components: ["y*t", 0, 0]}
)",
                                      "m.yaml");
  EXPECT_DOUBLE_EQ(model.mechanism.bodies[3].reference.origin.x, -4);
  EXPECT_DOUBLE_EQ(model.mechanism.bodies[3].reference.origin.y, -3.5);
  EXPECT_EQ(model.mechanism.forces[2].applied()->components[0].text, "(-3.5)*t");
  try {
    read_model_text(
        "trammel: 1\nparameters: {l: 2}\nrepeat:\n  - count: 3\n    parameters: {l: 1}\n"
        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n",
        "m.yaml");
    FAIL() << "a second parameter l was accepted";
  } catch (const ModelError& error) {
    EXPECT_EQ(std::string(error.what()), "m.yaml:5:18: there is a parameter or index 'l' already");
  }
}

}  // namespace
}  // namespace trammel
