// A recording comes back from an HDF5 file as it was; no file, however damaged, does more than fail.
#include "trammel/result/recording_hdf5.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

namespace trammel {
namespace {

using Limits = std::numeric_limits<double>;

class RecordingHdf5 : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::path(testing::TempDir()) / ("trammel-hdf5-" + name + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    file_ = folder_ / "result.h5";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string bytes() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void set_bytes(const std::string& text) const {
    std::ofstream out(file_, std::ios::binary);
    out << text;
  }
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator());
  }

  std::filesystem::path folder_, file_;
};

// Many samples are enough to be compressed.
Recording example(int samples = 3) {
  Recording recording;
  recording.title = "Slider crank – Schubkurbel";
  recording.set_metadata("version", "0.1.0");
  recording.set_metadata("method", "psf/radau5");
  recording.set_metadata("a key with / and \"", "");
  recording.set_metadata("model", "a text\nof two lines, ü");
  // more than an object header holds by itself
  for (int i = 9; i >= 0; --i) recording.set_metadata("parameter." + std::to_string(i), std::to_string(i));
  recording.add_channel({.name = "rod.position.x", .group = "positions", .unit = "m", .description = "x"});
  recording.add_channel({.name = "energy.total", .group = "energies", .unit = "J"});
  recording.add_channel({.name = "crank.position.x", .group = "positions", .unit = "m"});
  recording.add_step_channel({.name = "h", .group = "steps", .unit = "s", .description = "size"});
  recording.add_step_channel({.name = "a", .group = "steps"});
  std::mt19937_64 random(5);
  const auto any = [&] { return std::bit_cast<double>(random()); };
  for (int i = 0; i < samples; ++i) {
    recording.append(0.1 * i, std::vector<double>{any(), std::sin(0.1 * i), any()});
    recording.append_step(0.1 * i, std::vector<double>{any(), 1e-12});
    recording.append_step(0.1 * i + 0.05, std::vector<double>{-0.0, Limits::denorm_min()});
  }
  return recording;
}

void expect_same(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  if (a.empty()) return;
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0);
}

void expect_same(const ChannelTable& a, const ChannelTable& b) {
  expect_same(a.times(), b.times());
  ASSERT_EQ(a.channels().size(), b.channels().size());
  for (std::size_t i = 0; i < a.channels().size(); ++i) {
    const Channel &one = a.channels()[i], &other = b.channels()[i];
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.group, other.group);
    EXPECT_EQ(one.unit, other.unit);
    EXPECT_EQ(one.description, other.description);
    expect_same(one.values, other.values);
  }
}

void expect_same(const Recording& a, const Recording& b) {
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.metadata(), b.metadata());
  expect_same(a.samples, b.samples);
  expect_same(a.steps, b.steps);
}

// Writes and reads.
void expect_round_trip(const std::filesystem::path& file, const Recording& recording) {
  EXPECT_EQ(write_hdf5(file, recording).message, "");
  Recording again;
  again.title = "to be replaced";
  again.add_channel({.name = "to be replaced"});
  EXPECT_EQ(read_hdf5(file, again).message, "");
  expect_same(again, recording);
}

TEST_F(RecordingHdf5, ComesBackBitByBit) {
  // at, below and above the length from which on columns are compressed, in one chunk and in more
  for (const int samples : {0, 1, 3, 1000, 1001, 17000}) {
    SCOPED_TRACE(samples);
    expect_round_trip(file_, example(samples));
  }
  expect_round_trip(file_, Recording());
  EXPECT_EQ(files(), 1);
}

// A group of so many channels that it is one table, beside groups that are not.
Recording with_many_channels(int samples) {
  Recording recording = example(0);
  for (int i = 0; i < 2500; ++i)
    recording.add_channel({.name = "body" + std::to_string(i) + (i % 7 == 0 ? "/λ" : ".x"),
                           .group = i % 2 == 0 ? "positions" : "measures",
                           .unit = i % 3 == 0 ? "" : "m",
                           .description = std::string(static_cast<std::size_t>(i % 90), 'd')});
  for (int i = 0; i < 2500; ++i)
    recording.add_channel({.name = "more" + std::to_string(i), .group = "positions"});
  std::vector<double> row(recording.channels().size());
  std::mt19937_64 random(6);
  for (int i = 0; i < samples; ++i) {
    for (double& value : row) value = std::bit_cast<double>(random());
    recording.append(i, row);
  }
  return recording;
}

TEST_F(RecordingHdf5, ManyChannelsComeBackFromOneTable) {
  // none, one block of rows, several of them with a rest, enough to be compressed
  for (const int samples : {0, 5, 64, 150, 300}) {
    SCOPED_TRACE(samples);
    const Recording recording = with_many_channels(samples);
    expect_round_trip(file_, recording);
    const std::string first = bytes();
    ASSERT_FALSE(write_hdf5(file_, recording));
    EXPECT_TRUE(bytes() == first);
  }
  // 3752 datasets would take more than a kilobyte each
  ASSERT_FALSE(write_hdf5(file_, with_many_channels(0)));
  EXPECT_LT(std::filesystem::file_size(file_), 2'000'000u);
}

// Channels may have the names that the parts of a table have.
TEST_F(RecordingHdf5, AGroupIsATableOnlyIfItSaysSo) {
  Recording recording;
  for (const char* name : {"values", "names", "units", "descriptions", "columns", "table"})
    recording.add_channel({.name = name, .group = "measures"});
  recording.append(0, std::vector<double>{1, 2, 3, 4, 5, 6});
  expect_round_trip(file_, recording);
}

TEST_F(RecordingHdf5, NanAndInfinityComeBack) {
  Recording recording;
  recording.add_channel({.name = "a", .group = "g"});
  for (const double value : {Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::infinity(), -0.0})
    recording.append(value, std::vector<double>{value});
  expect_round_trip(file_, recording);
}

TEST_F(RecordingHdf5, AnyNameComesBack) {
  const std::vector<std::string> names = {
      "a/b",        "a_b",     "a_b_2", "/",  "_",      ".",   "..",       "./a",   "//",
      "plain name", " ",       "\"",    "'",  "two\nl", "λ₁",  "質量",     "\xff",  "time",
      "steps",      "name",    "t/t",   "\t", "%s%n",   "[0]", "a\\b",     "$HOME", "energy.",
      ".x",         "a.b.c.d", "🙂",  "T",  "0",      "-1",  "nan, inf", "title", "column",
      "unit",       "h",       "_2",    "_3", "a,b;c"};
  Recording recording;
  for (std::size_t i = 0; i < names.size(); ++i) {
    // once among many in a group, once as the only one of a group
    recording.add_channel({.name = names[i], .group = "all", .unit = names[i], .description = names[i]});
    recording.add_channel({.name = names[i] + "!", .group = names[i]});
    recording.add_step_channel({.name = names[i], .group = "steps"});
    recording.set_metadata(names[i] + "!", names[i]);
  }
  recording.add_channel({.name = "without a group", .group = ""});
  recording.add_channel({.name = "a group named as time", .group = "t"});
  recording.add_channel({.name = std::string(5000, 'x'), .group = std::string(5000, 'y')});
  recording.append(1, std::vector<double>(recording.channels().size(), 2));
  recording.append_step(1, std::vector<double>(names.size(), 3));
  expect_round_trip(file_, recording);
}

TEST_F(RecordingHdf5, LongTextsComeBack) {
  Recording recording;
  recording.title = std::string(200000, 't');
  recording.set_metadata("model", std::string(3000000, 'm'));
  expect_round_trip(file_, recording);
}

TEST_F(RecordingHdf5, WhatTheFormatCannotHoldIsAFailureAndKeepsTheOldFile) {
  ASSERT_FALSE(write_hdf5(file_, example()));
  const std::string before = bytes();
  const std::string zero = std::string("a\0b", 3);
  std::vector<Recording> recordings(6);
  recordings[0].title = zero;
  recordings[1].set_metadata(zero, "x");
  recordings[2].set_metadata("x", zero);
  recordings[3].add_channel({.name = zero, .group = "g"});
  recordings[4].add_channel({.name = "x", .group = zero});
  recordings[5].add_channel({.name = "x", .group = "g", .unit = zero});
  for (const Recording& recording : recordings) {
    const Failure failure = write_hdf5(file_, recording);
    EXPECT_EQ(failure.message,
              "cannot write '" + file_.string() + "': the text 'a' has a zero character in it");
  }

  // longer than a name may be in a file
  Recording endless;
  endless.set_metadata(std::string(70000, 'k'), "x");
  EXPECT_TRUE(write_hdf5(file_, endless));

  EXPECT_EQ(bytes(), before);
  EXPECT_EQ(files(), 1);
}

TEST_F(RecordingHdf5, TheSameRecordingGivesTheSameBytes) {
  for (const int samples : {3, 17000}) {
    ASSERT_FALSE(write_hdf5(file_, example(samples)));
    const std::string first = bytes();
    ASSERT_FALSE(write_hdf5(file_, example(samples)));
    EXPECT_TRUE(bytes() == first) << samples;

    // what was read gives them, too
    Recording again;
    ASSERT_FALSE(read_hdf5(file_, again));
    ASSERT_FALSE(write_hdf5(file_, again));
    EXPECT_TRUE(bytes() == first) << samples;
  }
}

TEST_F(RecordingHdf5, TheFileDoesNotKnowWhenItWasWritten) {
  ASSERT_FALSE(write_hdf5(file_, example()));
  const std::string text = bytes();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto seconds =
      static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
  for (std::size_t at = 0; at + sizeof seconds <= text.size(); ++at) {
    std::uint32_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    EXPECT_FALSE(word <= seconds && seconds - word < 60) << "the present time at byte " << at;
  }
}

TEST_F(RecordingHdf5, LongColumnsAreCompressed) {
  Recording recording;
  recording.add_channel({.name = "a", .group = "g"});
  for (int i = 0; i < 17000; ++i) recording.append(i, std::vector<double>{1});
  ASSERT_FALSE(write_hdf5(file_, recording));
  EXPECT_LT(std::filesystem::file_size(file_), 100000u);
}

TEST_F(RecordingHdf5, NamesTheFileItCannotReadOrWrite) {
  Recording recording = example();
  const std::string folder = folder_.string();
  EXPECT_EQ(read_hdf5(folder_ / "none.h5", recording).message,
            "cannot read '" + folder + "/none.h5': there is no such file");
  EXPECT_EQ(read_hdf5(folder_, recording).message, "cannot read '" + folder + "': it is not a file");
  EXPECT_EQ(write_hdf5(folder_ / "none" / "a.h5", recording).message,
            "cannot write '" + folder + "/none/a.h5': there is no folder '" + folder + "/none'");
  EXPECT_EQ(write_hdf5(folder_, recording).message, "cannot write '" + folder + "': it is not a file");
  expect_same(recording, example());
}

TEST_F(RecordingHdf5, WhatIsNoRecordingIsAFailureWithoutOutput) {
  testing::internal::CaptureStderr();
  Recording recording = example();
  for (const std::string& text : {std::string(), std::string("t,a\n1,2\n"), std::string("\x89HDF\r\n\x1a\n"),
                                  std::string(5000, '\0')}) {
    set_bytes(text);
    const Failure failure = read_hdf5(file_, recording);
    EXPECT_EQ(failure.reason, Reason::invalid_options);
    EXPECT_TRUE(failure.message.starts_with("cannot read '" + file_.string() +
                                            "': it is not an HDF5 file, or damaged"))
        << failure.message;
  }
  expect_same(recording, example());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(RecordingHdf5, ATruncatedFileIsAFailure) {
  const std::size_t checksum = 24;
  for (const int samples : {3, 1500}) {
    ASSERT_FALSE(write_hdf5(file_, example(samples)));
    const std::string whole = bytes();
    for (std::size_t size = 0; size < whole.size() - checksum; size += 1 + whole.size() / 20) {
      set_bytes(whole.substr(0, size));
      Recording recording;
      EXPECT_TRUE(read_hdf5(file_, recording)) << size << " of " << whole.size() << " bytes";
    }
    set_bytes(whole.substr(0, whole.size() - checksum - 1));
    Recording recording;
    EXPECT_TRUE(read_hdf5(file_, recording));

    // a program that changes the file takes the checksum away
    set_bytes(whole.substr(0, whole.size() - checksum));
    EXPECT_EQ(read_hdf5(file_, recording).message, "");
    expect_same(recording, example(samples));
  }
}

TEST_F(RecordingHdf5, ADamagedFileIsAFailure) {
  std::mt19937 random(3);
  for (const int samples : {3, 1500}) {
    ASSERT_FALSE(write_hdf5(file_, example(samples)));
    const std::string whole = bytes();
    for (std::size_t i = 0; i < 30; ++i) {
      std::string damaged = whole;
      // some bits of one byte, or a longer piece; never in the mark of the checksum, which says that there is
      // one
      const std::size_t at = random() % (whole.size() - 100);
      damaged[at] = static_cast<char>(damaged[at] ^ (1 + random() % 255));
      for (std::size_t k = 1; i % 2 == 1 && k < 70; ++k) damaged[at + k] = static_cast<char>(random());
      set_bytes(damaged);
      Recording recording;
      recording.title = "kept";
      EXPECT_EQ(read_hdf5(file_, recording).message,
                "cannot read '" + file_.string() + "': it is damaged: its checksum does not fit")
          << "byte " << at;
      EXPECT_EQ(recording.title, "kept");
    }
  }
}

// Without the checksum nobody knows that a file is damaged; HDF5's own library has been seen to crash on such
// files. It does so in a process of its own.
TEST_F(RecordingHdf5, ADamagedFileWithoutItsChecksumDoesNotEndTheProgram) {
  const std::size_t checksum = 24;
  std::mt19937 random(5);
  ASSERT_FALSE(write_hdf5(file_, example(3)));
  const std::string whole = bytes().substr(0, bytes().size() - checksum);
  int refused = 0;
  for (int i = 0; i < 100; ++i) {
    std::string damaged = whole;
    const std::size_t at = random() % (whole.size() - 70);
    for (std::size_t k = 0; k < (i % 2 == 1 ? 70u : 1u); ++k) damaged[at + k] = static_cast<char>(random());
    set_bytes(damaged);
    Recording recording;
    const Failure failure = read_hdf5(file_, recording);
    if (failure) ++refused;
    EXPECT_TRUE(!failure || failure.message.starts_with("cannot read")) << failure.message;
  }
  EXPECT_GT(refused, 50);
}

// A disk that is full, or nearly so.
TEST_F(RecordingHdf5, AnIncompleteFileDoesNotReplaceTheOldOne) {
  ASSERT_FALSE(write_hdf5(file_, example()));
  const std::string before = bytes();

  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t size : {0, 3000, 200000}) {
    rlimit small = limit;
    small.rlim_cur = size;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const Failure failure = write_hdf5(file_, example(17000));
    setrlimit(RLIMIT_FSIZE, &limit);
    EXPECT_TRUE(failure) << size;
    EXPECT_TRUE(failure.message.starts_with("cannot write '" + file_.string())) << failure.message;
    EXPECT_TRUE(bytes() == before) << size;
    EXPECT_EQ(files(), 1) << size;
  }
  std::signal(SIGXFSZ, old_handler);

  expect_round_trip(file_, example(17000));
}

}  // namespace
}  // namespace trammel
