// Files of results, as `plot` and `view` read them.
#include <sstream>

#include "fuzz/expectation.h"
#include "fuzz/scratch_file.h"
#include "fuzz/targets.h"
#include "trammel/result/recording_csv.h"
#include "trammel/result/recording_hdf5.h"

namespace trammel {
namespace {

// What was read can be written and reads as the same.
void check_recording(const Recording& recording) {
  std::ostringstream first, second;
  fuzz_expect(!write_csv(first, recording), "what was read can be written");
  Recording again;
  std::istringstream in(first.str());
  if (recording.channels().empty()) return;
  fuzz_expect(!read_csv(in, again), "what was written can be read");
  fuzz_expect(!write_csv(second, again) && first.str() == second.str(),
              "what is written and read is written in the same way");
}

}  // namespace

void fuzz_result_csv(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Recording recording, steps;
  std::istringstream in(text), steps_in(text);
  if (const Failure failure = read_csv(in, recording))
    fuzz_expect(!failure.message.empty(), "a message is not empty");
  else
    check_recording(recording);
  if (const Failure failure = read_steps_csv(steps_in, steps))
    fuzz_expect(!failure.message.empty(), "a message is not empty");
}

void fuzz_result_hdf5(const std::uint8_t* data, std::size_t size) {
  const ScratchFile file("results.h5", data, size);
  Recording recording;
  if (const Failure failure = read_hdf5(file.path(), recording))
    fuzz_expect(!failure.message.empty(), "a message is not empty");
  else
    check_recording(recording);
}

}  // namespace trammel
