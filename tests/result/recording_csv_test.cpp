// A recording comes back from comma separated values as it was, and a bad line is named.
#include "trammel/result/recording_csv.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <sstream>

namespace trammel {
namespace {

using Limits = std::numeric_limits<double>;

std::string csv(const Recording& recording, const std::vector<std::string>& selection = {}) {
  std::ostringstream out;
  EXPECT_EQ(write_csv(out, recording, selection).message, "");
  return out.str();
}

std::string steps_csv(const Recording& recording) {
  std::ostringstream out;
  EXPECT_EQ(write_steps_csv(out, recording).message, "");
  return out.str();
}

// What is wrong with a text, without the beginning that is always the same.
std::string problem(const std::string& text) {
  Recording recording;
  recording.title = "kept";
  recording.add_channel({.name = "kept"});
  std::istringstream in(text);
  const Failure failure = read_csv(in, recording);
  if (!failure) return "";
  EXPECT_EQ(failure.reason, Reason::invalid_options);
  EXPECT_NE(recording.find("kept"), nullptr) << "the recording must stay as it was";
  const std::string beginning = "cannot read comma separated values: ";
  EXPECT_TRUE(failure.message.starts_with(beginning)) << failure.message;
  return failure.message.substr(beginning.size());
}

Recording read(const std::string& text) {
  Recording recording;
  std::istringstream in(text);
  EXPECT_EQ(read_csv(in, recording).message, "");
  return recording;
}

void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << a[i] << ' ' << b[i];
}

TEST(RecordingCsv, NamesStandPlainInTheFirstLine) {
  Recording recording;
  recording.add_channel({.name = "crank.position.x", .group = "positions", .unit = "m"});
  recording.add_channel({.name = "energy.total", .group = "energies", .unit = "J"});
  recording.append(0, std::vector<double>{0.1, -1});
  recording.append(0.5, std::vector<double>{Limits::quiet_NaN(), -Limits::infinity()});
  EXPECT_EQ(csv(recording), "t,crank.position.x,energy.total\n0,0.1,-1\n0.5,nan,-inf\n");
  EXPECT_EQ(csv(recording, {"energies"}), "t,energy.total\n0,-1\n0.5,-inf\n");
  EXPECT_EQ(csv(recording), csv(recording));
}

TEST(RecordingCsv, AnUnknownSelectionWritesNothing) {
  Recording recording;
  recording.add_channel({.name = "energy.total", .group = "energies"});
  std::ostringstream out;
  EXPECT_EQ(write_csv(out, recording, {"energy.totl"}).message,
            "there is no channel or group 'energy.totl' (did you mean 'energy.total'?)");
  EXPECT_EQ(out.str(), "");
}

TEST(RecordingCsv, ComesBackBitByBit) {
  Recording recording;
  recording.add_channel({.name = "a"});
  recording.add_channel({.name = "b"});
  recording.add_step_channel({.name = "h"});
  recording.append(0, std::vector<double>{-0.0, Limits::denorm_min()});
  recording.append(1, std::vector<double>{Limits::max(), -Limits::min()});
  recording.append(2, std::vector<double>{Limits::infinity(), Limits::quiet_NaN()});
  std::mt19937_64 random(11);
  const auto finite = [&] {
    for (;;) {
      const double value = std::bit_cast<double>(random());
      if (std::isfinite(value)) return value;
    }
  };
  for (int i = 0; i < 2000; ++i) {
    recording.append(finite(), std::vector<double>{finite(), finite()});
    recording.append_step(finite(), std::vector<double>{finite()});
  }

  Recording again = read(csv(recording));
  std::istringstream steps(steps_csv(recording));
  EXPECT_EQ(read_steps_csv(steps, again).message, "");
  expect_same_bits(again.times(), recording.times());
  ASSERT_EQ(again.channels().size(), 2u);
  expect_same_bits(again.find("a")->values, recording.find("a")->values);
  expect_same_bits(again.find("b")->values, recording.find("b")->values);
  expect_same_bits(again.steps.times(), recording.steps.times());
  expect_same_bits(again.steps.find("h")->values, recording.steps.find("h")->values);
  EXPECT_EQ(csv(again), csv(recording));
}

TEST(RecordingCsv, AnyNameComesBack) {
  const std::vector<std::string> names = {"plain name",   "a,b",  "say \"x\"", "\"",     "two\nlines", "cr\r",
                                          "crlf\r\nname", "λ₁/λ", "'quoted'",  " blank", "trailing ",  ",",
                                          "\xff\xfe",     "T",    "1.5",       "nan",    "\n",         "#"};
  Recording recording;
  for (const std::string& name : names) recording.add_channel({.name = name});
  recording.append(1, std::vector<double>(names.size(), 2));
  const Recording again = read(csv(recording));
  ASSERT_EQ(again.channels().size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(again.channels()[i].name, names[i]);
  EXPECT_EQ(again.samples.samples(), 1);

  // the last name decides how the line ends
  for (const char* name : {"cr\r", "\"", "plain"}) {
    Recording one;
    one.add_channel({.name = name});
    EXPECT_EQ(read(csv(one)).channels().at(0).name, name);
  }
}

TEST(RecordingCsv, NoSamplesAndNoChannels) {
  EXPECT_EQ(csv(Recording()), "t\n");
  EXPECT_EQ(steps_csv(Recording()), "t\n");
  EXPECT_TRUE(read("t\n").channels().empty());
  EXPECT_EQ(read("t\n1\n2\n").times(), (std::vector<double>{1, 2}));
  const Recording recording = read("t,a\n");
  EXPECT_EQ(recording.channels().size(), 1u);
  EXPECT_EQ(recording.samples.samples(), 0);
}

TEST(RecordingCsv, ReadsWhatOtherProgramsMakeOfIt) {
  const Recording recording = read("\xEF\xBB\xBFt,\"a b\"\r\n 0 ,\t1e0\r\n\r\n0.5, NaN\r\n");
  EXPECT_EQ(recording.times(), (std::vector<double>{0, 0.5}));
  EXPECT_EQ(recording.find("a b")->values[0], 1);
  EXPECT_TRUE(std::isnan(recording.find("a b")->values[1]));
}

TEST(RecordingCsv, SaysInWhichLineSomethingIsWrong) {
  EXPECT_EQ(problem(""), "line 1: the text ends before the line of names does");
  EXPECT_EQ(problem("t,a"), "line 1: the text ends before the line of names does");
  EXPECT_EQ(problem("time,a\n"), "line 1: the first column is 'time' and not 't'");
  EXPECT_EQ(problem("\n"), "line 1: the first column is '' and not 't'");
  EXPECT_EQ(problem("t,a,\n"), "line 1: column 3: a channel has no name");
  EXPECT_EQ(problem("t,\"\",a\n"), "line 1: column 2: a channel has no name");
  EXPECT_EQ(problem("t,a,b,a\n"), "line 1: column 4: two channels are named 'a'");
  EXPECT_EQ(problem("t,\"a\n"), "line 2: a quoted name does not end");
  EXPECT_EQ(problem("t,\"a\"b\n"), "line 1: text follows the quoted name 'a'");
  EXPECT_EQ(problem("t,\"\"\"\"\"\n"), "line 2: a quoted name does not end");
  EXPECT_EQ(problem("t,\"\"b\n"), "line 1: text follows the quoted name ''");
  EXPECT_EQ(problem("t,a\n0,1\n1\n"), "line 3: 1 values for 2 columns");
  EXPECT_EQ(problem("t,a\n0,1,2\n"), "line 2: 3 values for 2 columns");
  EXPECT_EQ(problem("t,a\n0,\n"), "line 2: '' is not a number (column 'a')");
  EXPECT_EQ(problem("t,a\n0,1\n\n1,1.5x\n"), "line 4: '1.5x' is not a number (column 'a')");
  EXPECT_EQ(problem("t,a\n0,1 2\n"), "line 2: '1 2' is not a number (column 'a')");
  EXPECT_EQ(problem("t,\"two\nlines\"\n0,x\n"), "line 3: 'x' is not a number (column 'two\nlines')");
  EXPECT_EQ(problem("t,a\n0,1e999\n"), "line 2: '1e999' is out of the range of numbers (column 'a')");
  EXPECT_EQ(problem("t,a\n0,1\n1,1.25"), "line 3: the text ends before the line does");
}

TEST(RecordingCsv, WritesFiles) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("trammel-csv-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  Recording recording;
  recording.add_channel({.name = "a"});
  recording.append(1, std::vector<double>{2});
  EXPECT_EQ(write_csv(folder / "a.csv", recording).message, "");
  EXPECT_EQ(write_steps_csv(folder / "steps.csv", recording).message, "");
  std::ifstream in(folder / "a.csv", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "t,a\n1,2\n");

  const std::string path = (folder / "a.csv").string();
  EXPECT_EQ(write_csv(folder / "a.csv", recording, {"b"}).message,
            "cannot write '" + path + "': there is no channel or group 'b'");
  EXPECT_EQ(std::filesystem::file_size(folder / "a.csv"), 8u) << "the old file must stay";
  EXPECT_TRUE(write_csv(folder / "none" / "a.csv", recording));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2) << "nothing is left behind";
  std::filesystem::remove_all(folder);
}

TEST(RecordingCsv, AStreamThatFailsIsAFailure) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_TRUE(write_csv(out, Recording()));
}

}  // namespace
}  // namespace trammel
