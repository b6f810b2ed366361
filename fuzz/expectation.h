// What must hold in a fuzz target: otherwise the process ends, and the fuzzer keeps the data.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace trammel {

inline void fuzz_expect(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "this does not hold: %s\n", what.c_str());
  std::abort();
}

}  // namespace trammel
