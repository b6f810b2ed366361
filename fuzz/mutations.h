// Damaged data by seed, without a fuzzer: the same everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/random/random_numbers.h"

namespace trammel {

// One of the samples with a few things changed: bytes, words of the dictionary, lines, numbers, pieces of
// another sample.
std::string mutated(const std::vector<std::string>& samples, const std::vector<std::string>& dictionary,
                    RandomNumbers& random);

// Of a file with one "word" a line, as libFuzzer reads it, too.
std::vector<std::string> read_dictionary(const std::string& path);

// All files of a folder, by name.
std::vector<std::string> read_samples(const std::string& folder);

}  // namespace trammel
