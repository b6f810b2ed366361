// A program for one target, which the build names: TRAMMEL_FUZZ_TARGET is the name of its function.
#include "fuzz/targets.h"

// libFuzzer and AFL++ both look for a function of this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  trammel::TRAMMEL_FUZZ_TARGET(data, size);
  return 0;
}
