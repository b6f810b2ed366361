// Files that grow, files that find no room: whole lines, and the reason in the system's words.
#include "trammel/result/output_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "trammel/result/recording_csv.h"
#include "trammel/result/recording_hdf5.h"

namespace trammel {
namespace {

class OutputFile : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::path(testing::TempDir()) / ("trammel-file-" + name + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    file_ = folder_ / "a";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string text() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::filesystem::path folder_, file_;
};

// No file can become longer than so many bytes for as long as this lives.
class LongestFile {
 public:
  explicit LongestFile(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~LongestFile() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  LongestFile(const LongestFile&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

Recording example(int samples) {
  Recording recording;
  recording.add_channel({.name = "a", .group = "g"});
  recording.add_channel({.name = "b, quoted", .group = "g"});
  for (int i = 0; i < samples; ++i)
    recording.append(0.1 * i, std::vector<double>{1.0 / (i + 3), -1e-300 * i});
  return recording;
}

TEST_F(OutputFile, GrowsByWholePieces) {
  std::ofstream(file_) << "of an earlier run";
  {
    GrowingFile file(file_);
    EXPECT_FALSE(file.append("one\n"));
    EXPECT_EQ(text(), "one\n");
    EXPECT_FALSE(file.append("two\n"));
    EXPECT_EQ(text(), "one\ntwo\n");
  }
  EXPECT_EQ(text(), "one\ntwo\n");
  EXPECT_EQ(GrowingFile(folder_ / "none" / "a").append("x").message,
            "cannot write '" + (folder_ / "none" / "a").string() + "': there is no folder '" +
                (folder_ / "none").string() + "'");
}

TEST_F(OutputFile, APieceThatFindsNoRoomCanBeTriedAgain) {
  GrowingFile file(file_);
  ASSERT_FALSE(file.append("one\n"));
  {
    const LongestFile limit(10);
    EXPECT_EQ(file.append("two, and more of it\n").message,
              "cannot write '" + file_.string() + "': File too large");
    EXPECT_EQ(text(), "one\n");
  }
  EXPECT_FALSE(file.append("two\n"));
  EXPECT_EQ(text(), "one\ntwo\n");
}

TEST_F(OutputFile, WhatFindsNoRoomLeavesTheOldFile) {
  const std::string too_large = "cannot write '" + file_.string() + "': File too large";
  ASSERT_FALSE(write_file(file_, [](std::ostream& out) { out << "old"; }));
  const LongestFile limit(1000);
  const std::string much(100'000, 'x');
  EXPECT_EQ(write_file(file_, [&](std::ostream& out) { out << much; }).message, too_large);
  // in small pieces, through the buffer
  EXPECT_EQ(write_file(file_,
                       [&](std::ostream& out) {
                         for (int i = 0; i < 100'000; ++i) out << 'x';
                       })
                .message,
            too_large);
  EXPECT_EQ(write_csv(file_, example(1000)).message, too_large);
  EXPECT_EQ(write_hdf5(file_, example(1000)).message, too_large);
  EXPECT_EQ(text(), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1) << "half files stay behind";
}

TEST_F(OutputFile, AFolderThatIsNoPlaceSaysWhy) {
  EXPECT_NE(write_file("/proc/self/a", [](std::ostream&) {}).message.find("No such file or directory"),
            std::string::npos);
}

// However often it is brought up to date, the bytes are those of a table that is written at the end.
TEST_F(OutputFile, AGrowingTableIsTheSameAtTheEnd) {
  const Recording whole = example(20'000);
  Recording recording = example(0);
  GrowingCsv table(file_, recording.samples, {1, 0});
  ASSERT_FALSE(table.update());
  EXPECT_EQ(text(), "t,\"b, quoted\",a\n");
  std::ostringstream expected;
  ASSERT_FALSE(write_csv(expected, whole, {"b, quoted", "a"}));
  for (std::size_t i = 0; i < whole.times().size(); ++i) {
    recording.append(whole.times()[i],
                     std::vector<double>{whole.channels()[0].values[i], whole.channels()[1].values[i]});
    if (i % 4999 == 0) {
      ASSERT_FALSE(table.update());
      ASSERT_TRUE(expected.str().starts_with(text()));
    }
  }
  ASSERT_FALSE(table.update());
  ASSERT_FALSE(table.close());
  EXPECT_TRUE(text() == expected.str());
}

TEST_F(OutputFile, AGrowingTableGoesOnWhenThereIsRoomAgain) {
  const Recording whole = example(10'000);
  GrowingCsv table(file_, whole.samples, {0, 1});
  {
    const LongestFile limit(100'000);
    EXPECT_TRUE(table.update());
    EXPECT_TRUE(text().ends_with('\n'));
    EXPECT_GT(text().size(), 10'000U);
  }
  ASSERT_FALSE(table.update());
  std::ostringstream expected;
  ASSERT_FALSE(write_csv(expected, whole));
  EXPECT_TRUE(text() == expected.str());
}

TEST_F(OutputFile, HalfALineCountsForNothingIfTheWriterWasKilled) {
  const std::string lines = "t,a\n0,1\n0.1,2\n0.2,3.1";
  Recording recording;
  std::istringstream first(lines), second(lines);
  EXPECT_TRUE(read_csv(first, recording));
  ASSERT_FALSE(read_csv(second, recording, Writer::unfinished));
  EXPECT_EQ(recording.times(), (std::vector<double>{0, 0.1}));
}

}  // namespace
}  // namespace trammel
