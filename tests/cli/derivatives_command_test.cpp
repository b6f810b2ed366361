// trammel derivatives and trammel generate as a user calls them.
#include <gtest/gtest.h>

#include "tests/cli/called_program.h"

namespace trammel {
namespace {

const std::string two_rods = R"yaml(trammel: 1
bodies:
  upper: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 2, radius: 20 mm}}
  lower: {rod: {from: [1, 0, 0], to: [2, 0, 0], mass: 2, radius: 20 mm}}
joints:
  A: {type: revolute, between: [ground, upper], at: [0, 0, 0], axis: [0, -1, 0], initial: {angle: 0.3, angle_rate: 1}}
  B: {type: revolute, between: [upper, lower], at: [1, 0, 0], axis: [0, -1, 0], initial: {angle: 0.4}}
)yaml";

TEST(DerivativesCommand, HoldsAllWaysAgainstTheLibrary) {
  write_file("rods.yaml", two_rods);
  const nlohmann::json json = call_json("derivatives rods.yaml --of Q,M,Phi --seconds 0.001 --out pictures");
  EXPECT_EQ(json["status"], "compared");
  EXPECT_EQ(json["coordinates"], "joint");
  const nlohmann::json& Q = json["functions"][0];
  EXPECT_EQ(Q["rows"], 2);
  EXPECT_EQ(Q["columns"], 4);
  std::vector<std::string> seen;
  for (const nlohmann::json& way : Q["ways"]) {
    seen.push_back(way["way"]);
    EXPECT_LT(way["error"].get<double>(), seen.back().starts_with("central") ? 1e-7 : 1e-12) << seen.back();
    EXPECT_GT(way["seconds"].get<double>(), 0) << seen.back();
  }
  for (const char* expected :
       {"library", "central", "central-coloured", "complex", "forward", "sparse", "generated"})
    EXPECT_NE(std::find(seen.begin(), seen.end(), expected), seen.end()) << expected;
  EXPECT_EQ(json["functions"][2]["rows"], 0);  // an open chain has no constraints
  const std::string picture = read_file(scratch() / "pictures" / "Q.svg");
  EXPECT_EQ(picture.find("<svg"), 0u);
  EXPECT_FALSE(read_file(scratch() / "pictures" / "derivatives.json").empty());
  // the page has all of it: every way, and the pictures themselves
  const std::string page = read_file(scratch() / "pictures" / "index.html");
  for (const std::string& way : seen) EXPECT_NE(page.find(">" + way + "</th>"), std::string::npos) << way;
  EXPECT_NE(page.find(picture), std::string::npos);
  EXPECT_NE(page.find(read_file(scratch() / "pictures" / "M.svg")), std::string::npos);
  EXPECT_NE(page.find("There is nothing of it."), std::string::npos);

  const Called text =
      call("derivatives rods.yaml --ways sparse,library --seconds 0.001 --coordinates cartesian");
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("Q: 12 rows, 24 columns"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("generated, compiled"), std::string::npos) << text.out;
}

TEST(DerivativesCommand, SaysWhatIsWrong) {
  write_file("rods.yaml", two_rods);
  const auto refusal = [](const std::string& arguments) {
    const Called called = call(arguments);
    EXPECT_EQ(called.exit_code, 2) << arguments;
    return called.err;
  };
  EXPECT_EQ(refusal("derivatives rods.yaml --of R"),
            "error: there is no function 'R'; there are Q, M, Phi\n");
  EXPECT_NE(
      refusal("derivatives rods.yaml --ways spars").find("there is no way 'spars' (did you mean 'sparse'?)"),
      std::string::npos);
  EXPECT_EQ(refusal("derivatives rods.yaml --seconds 0"), "error: --seconds must be positive\n");
  EXPECT_EQ(refusal("derivatives rods.yaml --coordinates cartesian-parameters"),
            "error: a mechanism is recorded in the coordinates joint or cartesian\n");
  EXPECT_EQ(refusal("generate rods.yaml"), "error: --out DIR says where the code goes\n");
  EXPECT_EQ(refusal("generate rods.yaml --out code --name 2rods"),
            "error: --name '2rods' is no name in C; 'model_2rods' would be\n");
  write_file(
      "torn.yaml",
      two_rods +
          "  C: {type: distance, between: [ground, lower], from: [5, 0, 0], to: [2, 0, 0], length: 0.1}\n");
  const Called called = call("generate torn.yaml --out code");
  EXPECT_EQ(called.exit_code, 1);
  EXPECT_NE(called.err.find("error: "), std::string::npos) << called.err;
  EXPECT_FALSE(std::filesystem::exists(scratch() / "code"));
}

TEST(GenerateCommand, LeavesCodeThatCMakeBuilds) {
  write_file("two-rods.yaml", two_rods);
  const nlohmann::json json = call_json("generate two-rods.yaml --out code");
  EXPECT_EQ(json["status"], "generated");
  EXPECT_EQ(json["name"], "two_rods");
  EXPECT_EQ(json["velocities"], 2);
  const std::string folder = (scratch() / "code").string();
  EXPECT_EQ(std::system(("cd '" + folder +
                         "' && cmake -S . -B build >/dev/null && cmake --build build >/dev/null && "
                         "build/two_rods_check > printed")
                            .c_str()),
            0);
  // of a double pendulum: the hinge of the lower rod carries m l²/3 of it
  const std::string printed = read_file(scratch() / "code" / "printed");
  const std::size_t at = printed.find("mass 3 ");
  ASSERT_NE(at, std::string::npos) << printed;
  EXPECT_NEAR(std::stod(printed.substr(at + 7)), 2.0 / 3, 1e-3);
}

}  // namespace
}  // namespace trammel
