// The files of a checkpoint: what is written comes back, what is damaged is told.
#include "trammel/result/checkpoint_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <fstream>

#include "trammel/result/recorded_rows.h"

namespace trammel {
namespace {

class CheckpointFile : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ =
        std::filesystem::path(testing::TempDir()) / ("trammel-state-" + name + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    file_ = folder_ / "state";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string bytes() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& text) const { std::ofstream(file_, std::ios::binary) << text; }
  std::string read_message() const {
    CheckpointState state{"untouched", {}};
    const Failure failure = read_checkpoint_state(file_, state);
    EXPECT_TRUE(failure);
    EXPECT_EQ(state.facts, "untouched");
    EXPECT_NE(failure.message.find(file_.string()), std::string::npos) << failure.message;
    return failure.message;
  }

  const CheckpointState example_{"{\"a\": 1}\n", {{1, -0.0, 1e-310, 1 / 3.0}, {}, {INFINITY}}};
  std::filesystem::path folder_, file_;
};

TEST_F(CheckpointFile, ComesBackAsItWas) {
  ASSERT_FALSE(write_checkpoint_state(file_, example_));
  CheckpointState read;
  ASSERT_FALSE(read_checkpoint_state(file_, read));
  EXPECT_EQ(read.facts, example_.facts);
  ASSERT_EQ(read.numbers, example_.numbers);
  EXPECT_TRUE(std::signbit(read.numbers[0][1]));
  // replaced as a whole, and nothing else is left
  ASSERT_FALSE(write_checkpoint_state(file_, {"other", {}}));
  ASSERT_FALSE(read_checkpoint_state(file_, read));
  EXPECT_EQ(read.facts, "other");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(CheckpointFile, DamageIsTold) {
  EXPECT_NE(read_message().find("no such file"), std::string::npos);
  ASSERT_FALSE(write_checkpoint_state(file_, example_));
  const std::string whole = bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    put(whole.substr(0, length));
    EXPECT_NE(read_message().find("damaged"), std::string::npos) << length;
  }
  put(whole + "x");
  EXPECT_NE(read_message().find("damaged"), std::string::npos);
  // behind the line that says what it is
  for (std::size_t at = whole.find('\n') + 1; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    put(damaged);
    EXPECT_NE(read_message().find("damaged"), std::string::npos) << at;
  }
}

TEST_F(CheckpointFile, AnotherVersionIsTold) {
  ASSERT_FALSE(write_checkpoint_state(file_, example_));
  std::string other = bytes();
  other.replace(other.find('1'), 1, "2");
  put(other);
  EXPECT_NE(read_message().find("version 2"), std::string::npos);
}

ChannelTable table_of(int rows) {
  ChannelTable table;
  table.add_channel({.name = "a"});
  table.add_channel({.name = "b"});
  for (int i = 0; i < rows; ++i) table.append(0.1 * i, std::array{std::sin(i), i == 3 ? NAN : 2.0 * i});
  return table;
}

TEST_F(CheckpointFile, RowsAreThoseOfTheirCheckpoint) {
  const ChannelTable table = table_of(100'000);  // more than are written at once
  RowFile file(folder_ / "rows", table);
  ASSERT_FALSE(file.write_until(10));
  const RowsWritten early = file.written();
  ASSERT_FALSE(file.write_until(100'000));
  std::vector<double> rows;
  ASSERT_FALSE(read_rows(folder_ / "rows", early, rows));
  EXPECT_EQ(rows.size(), 30u);
  ASSERT_FALSE(read_rows(folder_ / "rows", file.written(), rows));
  EXPECT_EQ(rows.size(), 300'000u);
  EXPECT_EQ(rows[299'997], table.times().back());

  // goes on behind the early ones as if the others had never been
  RowFile again(folder_ / "rows", table);
  ASSERT_FALSE(again.go_on(early));
  EXPECT_EQ(std::filesystem::file_size(folder_ / "rows"), 240u);
  ASSERT_FALSE(again.write_until(100'000));
  EXPECT_EQ(again.written().checksum, file.written().checksum);
  ASSERT_FALSE(read_rows(folder_ / "rows", file.written(), rows));

  RowsWritten more = file.written();
  ++more.rows;
  EXPECT_TRUE(read_rows(folder_ / "rows", more, rows));
  std::fstream(folder_ / "rows", std::ios::binary | std::ios::in | std::ios::out).seekp(100).put('x');
  const Failure failure = read_rows(folder_ / "rows", file.written(), rows);
  EXPECT_NE(failure.message.find("damaged"), std::string::npos);
  EXPECT_TRUE(read_rows(folder_ / "nothing", early, rows));
}

TEST(RecordedRows, ArePutBack) {
  Recording recording, empty;
  recording.samples = table_of(5);
  recording.steps = table_of(2);
  empty.samples = table_of(0);
  empty.steps = table_of(0);
  RecordedRows rows;
  copy_rows(recording.samples, 0, 5, rows.samples);
  copy_rows(recording.steps, 0, 1, rows.steps);
  copy_rows(recording.steps, 1, 2, rows.steps);
  ASSERT_TRUE(put_rows(rows, empty));
  EXPECT_EQ(empty.times(), recording.times());
  EXPECT_EQ(empty.find("a")->values, recording.find("a")->values);
  EXPECT_EQ(empty.steps.find("b")->values, recording.steps.find("b")->values);
  EXPECT_FALSE(put_rows(rows, empty)) << "it has rows";
  Recording narrow;
  narrow.samples = table_of(0);
  EXPECT_FALSE(put_rows({{1, 2, 3, 4}, {}}, narrow));
  EXPECT_EQ(narrow.samples.samples(), 0);
}

}  // namespace
}  // namespace trammel
