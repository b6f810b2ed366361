// A recording keeps its channels in step with its times, and an old file until the new one is complete.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "trammel/result/output_file.h"
#include "trammel/result/recording.h"

namespace trammel {
namespace {

Recording slider_crank() {
  Recording recording;
  recording.add_channel({.name = "crank.position.x", .group = "positions", .unit = "m"});
  recording.add_channel({.name = "energy.total", .group = "energies", .unit = "J"});
  recording.add_channel({.name = "rod.position.x", .group = "positions", .unit = "m"});
  return recording;
}

std::vector<std::string> names_of(const std::vector<const Channel*>& channels) {
  std::vector<std::string> names;
  for (const Channel* channel : channels) names.push_back(channel->name);
  return names;
}

std::string what_is_thrown(const auto& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Recording, RowsBecomeColumns) {
  Recording recording = slider_crank();
  EXPECT_EQ(recording.add_channel({.name = "stroke"}), 3);
  recording.append(0, std::vector<double>{1, 2, 3, 4});
  recording.append(0.5, std::vector<double>{5, 6, 7, 8});
  EXPECT_EQ(recording.times(), (std::vector<double>{0, 0.5}));
  EXPECT_EQ(recording.find("energy.total")->values, (std::vector<double>{2, 6}));
  EXPECT_EQ(recording.find("energy.total")->unit, "J");
  EXPECT_EQ(recording.find("stroke")->values, (std::vector<double>{4, 8}));
  EXPECT_EQ(recording.find("energy"), nullptr);
}

TEST(Recording, StepsHaveTheirOwnTimes) {
  Recording recording = slider_crank();
  EXPECT_EQ(recording.add_step_channel({.name = "h", .unit = "s"}), 0);
  recording.append_step(0.25, std::vector<double>{0.25});
  EXPECT_TRUE(recording.times().empty());
  EXPECT_EQ(recording.steps.times(), std::vector<double>{0.25});
  EXPECT_EQ(recording.steps.find("h")->values, std::vector<double>{0.25});
  EXPECT_EQ(recording.find("h"), nullptr);
}

TEST(Recording, RefusesRowsOfTheWrongLengthAndStaysAsItWas) {
  Recording recording = slider_crank();
  EXPECT_THROW(recording.append(0, std::vector<double>{1, 2}), std::invalid_argument);
  EXPECT_THROW(recording.append(0, std::vector<double>{1, 2, 3, 4}), std::invalid_argument);
  EXPECT_THROW(recording.append_step(0, std::vector<double>{1}), std::invalid_argument);
  EXPECT_EQ(recording.samples.samples(), 0);
  EXPECT_TRUE(recording.channels()[0].values.empty());
  EXPECT_EQ(recording.steps.samples(), 0);
}

TEST(Recording, RefusesNamesThatAreEmptyTakenOrTime) {
  Recording recording = slider_crank();
  EXPECT_THROW(recording.add_channel({.name = ""}), std::invalid_argument);
  EXPECT_THROW(recording.add_channel({.name = "t"}), std::invalid_argument);
  EXPECT_EQ(what_is_thrown([&] { recording.add_channel({.name = "energy.total", .group = "measures"}); }),
            "two channels are named 'energy.total'");
  EXPECT_EQ(recording.channels().size(), 3u);
}

TEST(Recording, FindsEachOfManyChannelsAndNoOther) {
  ChannelTable table;
  constexpr int count = 5000;
  const auto name = [](int i) { return fmt::format("link{}.position.x", i); };
  for (int i = 0; i < count; ++i) EXPECT_EQ(table.add_channel({.name = name(i), .unit = "m"}), i);
  for (int i = 0; i < count; ++i) {
    ASSERT_NE(table.find(name(i)), nullptr);
    EXPECT_EQ(table.find(name(i))->name, name(i));
  }
  EXPECT_EQ(table.find(name(count)), nullptr);
  EXPECT_THROW(table.add_channel({.name = name(count / 2)}), std::invalid_argument);
  const ChannelTable copy = table;
  EXPECT_EQ(copy.find(name(7)), &copy.channels()[7]);
}

TEST(Recording, TextsOfChannelsAreThoseThatWereGiven) {
  const Channel one{.name = "a", .group = std::string("positions"), .unit = "m"};
  const Channel other{.name = "b", .group = "positions"};
  EXPECT_EQ(one.group, other.group);
  EXPECT_EQ(one.unit, "m");
  EXPECT_TRUE(other.unit.empty());
  EXPECT_FALSE(one.unit == other.unit);
  EXPECT_EQ(fmt::format("{}|{}", one.group, other.unit), "positions|");
}

TEST(Recording, AChannelMayBeAddedLaterIfItHasItsValues) {
  Recording recording = slider_crank();
  recording.append(0, std::vector<double>{1, 2, 3});
  EXPECT_EQ(what_is_thrown([&] { recording.add_channel({.name = "late"}); }),
            "channel 'late' has 0 values for 1 times");
  EXPECT_EQ(recording.find("late"), nullptr);
  recording.add_channel({.name = "late", .values = {9}});
  recording.append(1, std::vector<double>{1, 2, 3, 10});
  EXPECT_EQ(recording.find("late")->values, (std::vector<double>{9, 10}));
}

TEST(Recording, MetadataKeepTheirOrder) {
  Recording recording;
  recording.set_metadata("version", "0.1");
  recording.set_metadata("method", "psf");
  recording.set_metadata("version", "0.2");
  EXPECT_EQ(recording.metadata(), (Recording::Metadata{{"version", "0.2"}, {"method", "psf"}}));
  EXPECT_EQ(*recording.metadata("method"), "psf");
  EXPECT_EQ(recording.metadata("model"), nullptr);
  for (const char* key : {"", "title", "format_version"})
    EXPECT_THROW(recording.set_metadata(key, "x"), std::invalid_argument) << key;
}

TEST(Recording, SelectsByNameAndByGroup) {
  const Recording recording = slider_crank();
  std::vector<const Channel*> chosen;
  EXPECT_FALSE(recording.select({}, chosen));
  EXPECT_EQ(chosen.size(), 3u);
  EXPECT_FALSE(recording.select({"energies", "rod.position.x", "positions"}, chosen));
  EXPECT_EQ(names_of(chosen),
            (std::vector<std::string>{"energy.total", "rod.position.x", "crank.position.x"}));
  EXPECT_EQ(recording.groups(), (std::vector<std::string>{"positions", "energies"}));
}

TEST(Recording, NamesTheNearestOfWhatItDoesNotHave) {
  const Recording recording = slider_crank();
  std::vector<const Channel*> chosen;
  EXPECT_EQ(recording.select({"energies", "cranck.position.x"}, chosen).message,
            "there is no channel or group 'cranck.position.x' (did you mean 'crank.position.x'?)");
  EXPECT_TRUE(chosen.empty());
  EXPECT_EQ(recording.select({"position"}, chosen).message,
            "there is no channel or group 'position' (did you mean 'positions'?)");
}

class ReplaceFile : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ =
        std::filesystem::path(testing::TempDir()) / ("trammel-replace-" + name + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static Failure put(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path) << text;
    return {};
  }
  static std::string content(const std::filesystem::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator());
  }

  std::filesystem::path folder_;
};

TEST_F(ReplaceFile, TakesThePlaceWhenAllIsWritten) {
  put(folder_ / "a", "old");
  const Failure failure = replace_file(folder_ / "a", [&](const std::filesystem::path& path) {
    EXPECT_EQ(path.parent_path(), folder_);
    put(path, "new");
    EXPECT_EQ(content(folder_ / "a"), "old");
    return Failure{};
  });
  EXPECT_EQ(failure.message, "");
  EXPECT_EQ(content(folder_ / "a"), "new");
  EXPECT_EQ(files(), 1);
}

TEST_F(ReplaceFile, KeepsTheOldOneIfWritingFails) {
  put(folder_ / "a", "old");
  const Failure failure = replace_file(folder_ / "a", [&](const std::filesystem::path& path) {
    put(path, "half");
    return Failure{Reason::invalid_options, "no more ink"};
  });
  EXPECT_EQ(failure.message, "no more ink");
  EXPECT_THROW(static_cast<void>(replace_file(folder_ / "a",
                                              [&](const std::filesystem::path& path) -> Failure {
                                                put(path, "half");
                                                throw std::runtime_error("no ink at all");
                                              })),
               std::runtime_error);
  EXPECT_EQ(content(folder_ / "a"), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(ReplaceFile, FollowsALink) {
  std::filesystem::create_directory(folder_ / "elsewhere");
  put(folder_ / "elsewhere" / "a", "old");
  std::filesystem::create_symlink(folder_ / "elsewhere" / "a", folder_ / "link");
  EXPECT_FALSE(replace_file(folder_ / "link", [&](const auto& path) { return put(path, "new"); }));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_EQ(content(folder_ / "elsewhere" / "a"), "new");
}

TEST_F(ReplaceFile, NeverReplacesWhatIsNotAFile) {
  const auto never = [](const std::filesystem::path&) -> Failure {
    ADD_FAILURE() << "nothing should be written";
    return {};
  };
  const std::string folder = folder_.string();
  EXPECT_EQ(replace_file(folder_, never).message, "cannot write '" + folder + "': it is not a file");
  EXPECT_EQ(replace_file("/dev/null", never).message, "cannot write '/dev/null': it is not a file");
  EXPECT_EQ(replace_file(folder_ / "none" / "a", never).message,
            "cannot write '" + folder + "/none/a': there is no folder '" + folder + "/none'");
  EXPECT_TRUE(replace_file("", never));
}

}  // namespace
}  // namespace trammel
