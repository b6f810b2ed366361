// Damaged data of every kind that comes from outside, a fixed number of each: it is read or refused. What is
// under test when the process ends stands in last-<target>.bin, in the folder of the build.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fuzz/mutations.h"
#include "fuzz/sample_recording.h"
#include "fuzz/scratch_file.h"
#include "fuzz/targets.h"
#include "trammel/result/recording_hdf5.h"

namespace trammel {
namespace {

const std::string fuzz_folder = TRAMMEL_SOURCE_DIR "/fuzz";

std::vector<std::string> samples_of_target(const std::string& target) {
  std::vector<std::string> samples = read_samples(fuzz_folder + "/corpus/" + target);
  if (target == "result_hdf5") {
    const ScratchFile file("sample.h5", nullptr, 0);
    EXPECT_FALSE(write_hdf5(file.path(), sample_recording()));
    samples = read_samples(file.path().parent_path().string());
  }
  return samples;
}

class DamagedData : public testing::TestWithParam<FuzzTarget> {};

TEST_P(DamagedData, IsReadOrRefused) {
  const FuzzTarget& target = GetParam();
  const std::vector<std::string> samples = samples_of_target(target.name);
  ASSERT_FALSE(samples.empty());
  const std::vector<std::string> dictionary =
      read_dictionary(fuzz_folder + "/dictionaries/" + target.name + ".dict");
  for (const std::string& sample : samples)
    target.run(reinterpret_cast<const std::uint8_t*>(sample.data()), sample.size());

  const std::string last = "last-" + target.name + ".bin";
  constexpr std::uint64_t count = 1000;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    RandomNumbers random(seed, target.name);
    const std::string text = mutated(samples, dictionary, random);
    std::ofstream(last, std::ios::binary) << text;
    target.run(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
  std::filesystem::remove(last);
}

INSTANTIATE_TEST_SUITE_P(Fuzz, DamagedData, testing::ValuesIn(fuzz_targets()),
                         [](const auto& target) { return target.param.name; });

}  // namespace
}  // namespace trammel
