// trammel plot: what it reads, what it finds there by name, and what it draws.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <optional>

#include "tests/cli/called_program.h"
#include "trammel/cli/plot_quantities.h"
#include "trammel/cli/plot_result.h"
#include "trammel/result/recording_csv.h"
#include "trammel/result/recording_hdf5.h"

namespace trammel {
namespace {

// A wheel that turns at a constant rate, as a recording of a run has it.
Recording turning_wheel(double rate) {
  Recording recording;
  recording.title = "Wheel <1>";
  recording.add_channel({"wheel.position.x", "positions", "m", "", {}});
  recording.add_channel({"wheel.position.y", "positions", "m", "", {}});
  recording.add_channel({"axle.angle", "joints", "rad", "turn of the wheel", {}});
  recording.add_step_channel({"h", "steps", "s", "", {}});
  recording.add_step_channel({"position_violation", "steps", "", "", {}});
  recording.add_step_channel({"velocity_violation", "steps", "", "", {}});
  for (int i = 0; i <= 100; ++i) {
    const double t = 0.1 * i, angle = rate * t;
    recording.append(t, std::vector{std::cos(angle), std::sin(angle), angle});
    if (i % 10 == 0) recording.append_step(t, std::vector{1.0, 1e-12, 1e-10});
  }
  return recording;
}

// As a folder of trammel run, in the scratch folder.
void write_run(const std::string& name, double rate, bool hdf5, bool csv) {
  const auto folder = scratch() / name;
  std::filesystem::create_directories(folder);
  const Recording recording = turning_wheel(rate);
  if (hdf5) {
    ASSERT_FALSE(write_hdf5(folder / "results.h5", recording));
  }
  if (csv) {
    ASSERT_FALSE(write_csv(folder / "results.csv", recording));
    ASSERT_FALSE(write_steps_csv(folder / "steps.csv", recording));
  }
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++found;
  return found;
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= 32 && c < 127); });
}

class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value, 1);
  }
  ~Environment() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(PlotQuantities, Patterns) {
  EXPECT_TRUE(fits_pattern("A.angle", "A.*"));
  EXPECT_TRUE(fits_pattern("A.angle", "*"));
  EXPECT_TRUE(fits_pattern("A.angle", "?.an*e"));
  EXPECT_TRUE(fits_pattern("aab", "*ab"));
  EXPECT_TRUE(fits_pattern("", "**"));
  EXPECT_FALSE(fits_pattern("A.angle", "a.*"));
  EXPECT_FALSE(fits_pattern("A.angle", "A.angl"));
  EXPECT_FALSE(fits_pattern("A", "A?"));
  EXPECT_FALSE(fits_pattern("A", ""));
}

TEST(PlotQuantities, ByNameGroupPatternAndOfTheSteps) {
  const Recording recording = turning_wheel(1);
  const auto names = [&](const std::vector<std::string>& wanted) {
    std::string text;
    for (const Quantity& quantity : choose_quantities(recording, wanted))
      text += quantity.channel->name + " ";
    return text;
  };
  EXPECT_EQ(names({"axle.angle"}), "axle.angle ");
  EXPECT_EQ(names({"positions", "wheel.position.x"}), "wheel.position.x wheel.position.y ");
  EXPECT_EQ(names({"*.x", "axle.*"}), "wheel.position.x axle.angle ");
  EXPECT_EQ(names({"h"}), "h ");
  EXPECT_EQ(names({"step size"}), "h ");
  EXPECT_EQ(names({"violations"}), "position_violation velocity_violation ");
  EXPECT_EQ(names({"steps"}), "h position_violation velocity_violation ");
  EXPECT_EQ(names({"steps.h"}), "h ");
  EXPECT_EQ(names({"*"}), "wheel.position.x wheel.position.y axle.angle ");
  EXPECT_THROW(names({""}), std::invalid_argument);
  EXPECT_THROW(names({"angle"}), std::invalid_argument);
}

TEST(PlotResult, OfEveryKind) {
  write_run("both", 1, true, true);
  write_run("csv", 1, false, true);
  const auto folder = scratch();
  for (const char* path : {"both", "both/", "both/results.h5", "csv", "csv/results.csv"}) {
    const PlotResult result = read_plot_result((folder / path).string());
    EXPECT_EQ(result.recording.times().size(), 101u) << path;
    EXPECT_EQ(result.recording.steps.samples(), 11) << path;
    EXPECT_EQ(result.label, std::string(path).substr(0, std::string(path).find('/')));
    EXPECT_EQ(result.has_units, result.label == "both");
  }
  EXPECT_EQ(read_plot_result((folder / "csv/steps.csv").string()).recording.steps.samples(), 11);
  // any name is good for a file
  std::filesystem::copy_file(folder / "both/results.h5", folder / "kept");
  EXPECT_EQ(read_plot_result((folder / "kept").string()).label, "kept");
  // what trammel problem leaves
  std::filesystem::create_directories(folder / "problem");
  write_file("problem/results.csv", "t,beta\n0,1\n1,2\n");
  write_file("problem/steps.csv", "t,h,invariant_error\n0,0,0\n");
  const PlotResult problem = read_plot_result((folder / "problem").string());
  EXPECT_NE(problem.recording.find("beta"), nullptr);
  EXPECT_NE(problem.recording.steps.find("invariant_error"), nullptr);
}

TEST(PlotCommand, AsText) {
  write_run("run", 1, true, false);
  const Environment utf8("LC_ALL", "C.UTF-8"), columns("COLUMNS", "70");
  const Called called = call("plot run axle.angle");
  EXPECT_EQ(called.exit_code, 0) << called.err;
  EXPECT_TRUE(called.out.starts_with("Wheel <1>\nrad\n")) << called.out;
  EXPECT_NE(called.out.find("t in s"), std::string::npos);
  EXPECT_NE(called.out.find("⠤"), std::string::npos);
  EXPECT_EQ(called.out.find('\x1b'), std::string::npos) << "no colours in a file";
  // two units, two plots
  const Called two = call("plot run axle.angle positions --height 6 --title Both");
  EXPECT_TRUE(two.out.starts_with("Both\nrad\n"));
  EXPECT_NE(two.out.find("\n\nm\n"), std::string::npos) << two.out;

  EXPECT_TRUE(is_ascii(call("plot run axle.angle --ascii").out));
  const Environment plain("LC_ALL", "C");
  EXPECT_TRUE(is_ascii(call("plot run positions").out));
}

TEST(PlotCommand, AsSvg) {
  write_run("run", 1, true, false);
  const Called called = call("plot run axle.angle positions --out 'a \"b\" <c>.svg' --title '<&>'");
  EXPECT_EQ(called.exit_code, 0) << called.err;
  EXPECT_EQ(called.out, "written: a \"b\" <c>.svg\n");
  const std::string svg = read_file(scratch() / "a \"b\" <c>.svg");
  EXPECT_EQ(count(svg, "<svg"), 1u);
  EXPECT_EQ(count(svg, "class=\"plot-line"), 6u) << "three lines and their samples in the legend";
  EXPECT_NE(svg.find(">rad<"), std::string::npos);
  EXPECT_NE(svg.find(">&lt;&amp;&gt;<"), std::string::npos);
  EXPECT_EQ(call("plot run axle.angle --out again.svg --width 500 --height 300 --text --ascii").exit_code, 0);
  EXPECT_NE(read_file(scratch() / "again.svg").find("width=\"500\" height=\"318\""), std::string::npos);
}

TEST(PlotCommand, AsPng) {
  write_run("it's a \"run\"", 1, true, false);
  const std::string run = "'it'\\''s a \"run\"'";
  const Called called = call("plot " + run + " positions --out 'a '\\''b'\\''.png' --width 300 --height 200");
  EXPECT_EQ(called.exit_code, 0) << called.err;
  const std::string png = read_file(scratch() / "a 'b'.png");
  ASSERT_TRUE(png.starts_with("\x89PNG"));
  // its width, big-endian
  EXPECT_EQ(png.substr(16, 4), std::string("\0\0\x01\x2C", 4));
  EXPECT_EQ(call("plot " + run + " positions --out twice.png --width 300 --height 200 --scale 2").exit_code,
            0);
  EXPECT_EQ(read_file(scratch() / "twice.png").substr(16, 4), std::string("\0\0\x02\x58", 4));

  const Environment nothing("PATH", "/nowhere");
  const Called without = call("plot " + run + " positions --out none.png");
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_EQ(without.err,
            "error: PNG needs rsvg-convert (Debian: apt-get install librsvg2-bin), or write SVG\n");
  EXPECT_FALSE(std::filesystem::exists(scratch() / "none.png"));
}

TEST(PlotCommand, SeveralResultsSideBySide) {
  write_run("slow", 1, true, false);
  write_run("fast", 2, false, true);
  const nlohmann::json json = call_json("plot slow --with fast axle.angle positions --out both.svg");
  ASSERT_EQ(json["quantities"].size(), 6u);
  EXPECT_EQ(json["quantities"][0]["name"], "axle.angle");
  EXPECT_EQ(json["quantities"][0]["result"], "slow");
  EXPECT_NEAR(json["quantities"][0]["last"].get<double>(), 10, 1e-12);
  EXPECT_EQ(json["quantities"][1]["result"], "fast");
  EXPECT_NEAR(json["quantities"][1]["last"].get<double>(), 20, 1e-12);
  EXPECT_EQ(json["quantities"][1]["unit"], "rad") << "that of the other result";
  const std::string svg = read_file(scratch() / "both.svg");
  EXPECT_NE(svg.find(">axle.angle (slow)<"), std::string::npos);
  EXPECT_NE(svg.find(">axle.angle (fast)<"), std::string::npos);
  // folders of one name are told apart by their paths
  std::filesystem::create_directories(scratch() / "other");
  std::filesystem::rename(scratch() / "fast", scratch() / "other/slow");
  EXPECT_NE(call("plot slow --with other/slow axle.angle").out.find("axle.angle (other/slow)"),
            std::string::npos);
}

TEST(PlotCommand, AgainstAnotherQuantityAndWithinATime) {
  write_run("run", std::numbers::pi, true, false);
  EXPECT_EQ(call("plot run wheel.position.y --against wheel.position.x --out circle.svg").exit_code, 0);
  EXPECT_NE(read_file(scratch() / "circle.svg").find(">wheel.position.x in m<"), std::string::npos);
  const nlohmann::json json = call_json("plot run axle.angle --from 1.95 --to 3.05");
  EXPECT_EQ(json["quantities"][0]["samples"], 11);
  EXPECT_NEAR(json["quantities"][0]["lowest"].get<double>(), 2 * std::numbers::pi, 1e-12);
  EXPECT_NEAR(json["quantities"][0]["highest"].get<double>(), 3 * std::numbers::pi, 1e-12);
  EXPECT_EQ(call("plot run position_violation --against h --log").exit_code, 0);
  for (const char* wrong : {"h --against axle.angle", "h --against steps", "axle.angle --from 3 --to 2",
                            "axle.angle --from 30", "axle.angle --to nan"})
    EXPECT_EQ(call(std::string("plot run ") + wrong).exit_code, 2) << wrong;
}

TEST(PlotCommand, ListsWhatThereIs) {
  write_run("run", 1, true, false);
  const std::string list = call("plot run --list").out;
  EXPECT_NE(list.find("joints\n  axle.angle          rad  turn of the wheel\n"), std::string::npos) << list;
  EXPECT_NE(list.find("steps\n  h                   s\n"), std::string::npos) << list;
  EXPECT_EQ(count(call("plot run 'axle*' --list").out, "\n"), 2u);
  const nlohmann::json json = call_json("plot run --list");
  ASSERT_EQ(json["quantities"].size(), 6u);
  EXPECT_EQ(json["quantities"][2]["group"], "joints");
  EXPECT_EQ(json["quantities"][2]["unit"], "rad");
  EXPECT_EQ(json["quantities"][3]["samples"], 11);
}

TEST(PlotCommand, SaysWhatIsWrong) {
  write_run("run", 1, true, false);
  std::filesystem::create_directories(scratch() / "empty");
  const Called misspelt = call("plot run axle.angel");
  EXPECT_EQ(misspelt.exit_code, 2);
  EXPECT_NE(misspelt.err.find("there is no quantity 'axle.angel' (did you mean 'axle.angle'?)"),
            std::string::npos)
      << misspelt.err;
  EXPECT_NE(call("plot run violatons").err.find("'violations'"), std::string::npos);
  EXPECT_NE(call("plot run").err.find("positions, joints"), std::string::npos);
  EXPECT_NE(call("plot nowhere h").err.find("'nowhere'"), std::string::npos);
  EXPECT_NE(call("plot empty h").err.find("no results in the folder 'empty'"), std::string::npos);
  EXPECT_EQ(call_json("plot run nothing_like_it", 2)["status"], "failed");
  write_file("broken.csv", "t,a\n0,1\n1,x\n");
  EXPECT_NE(call("plot broken.csv a").err.find("line 3"), std::string::npos);
  for (const char* wrong : {"run h --out picture.pdf", "run h --out empty", "run h --out nowhere/x.svg",
                            "run h --width 3", "run h --height 100000", "run h --scale 0", "", "/dev/null h"})
    EXPECT_EQ(call(std::string("plot ") + wrong).exit_code, 2) << wrong;
}

TEST(PlotCommand, ReadsWhatRunAndProblemLeave) {
  write_file("pendulum.yaml", pendulum_model);
  ASSERT_EQ(call("run pendulum.yaml --out run").exit_code, 0);
  EXPECT_EQ(call_json("plot run energies pivot.angle h")["quantities"].size(), 5u);
  ASSERT_EQ(call("problem pendulum --until 0.1 --out problem").exit_code, 0);
  EXPECT_FALSE(call_json("plot problem '*' --text")["text"].get<std::string>().empty());
  EXPECT_EQ(call("plot problem h violations --log").exit_code, 0);
}

}  // namespace
}  // namespace trammel
