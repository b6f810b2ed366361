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

// Shows the first line in which they differ.
inline void fuzz_expect_same(const std::string& first, const std::string& second, const std::string& what) {
  if (first == second) return;
  std::size_t at = 0;
  while (at < first.size() && at < second.size() && first[at] == second[at]) ++at;
  const auto line = [at](const std::string& text) {
    const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  fuzz_expect(false, what + "\n  " + line(first) + "\n  " + line(second));
}

}  // namespace trammel
