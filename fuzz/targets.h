// What reads data from outside, each as a function of bytes: damaged data is read or refused with a message,
// and nothing else happens. What else happens ends the process: a fuzzer, a sanitizer or a test sees it.
//
// fuzz/entry.cpp makes a program for libFuzzer or AFL++ of each; tests/fuzz runs all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trammel {

void fuzz_model_file(const std::uint8_t* data, std::size_t size);    // YAML, with parameters and laws
void fuzz_expression(const std::uint8_t* data, std::size_t size);    // a law: its text, and values
void fuzz_urdf(const std::uint8_t* data, std::size_t size);          // a robot
void fuzz_table(const std::uint8_t* data, std::size_t size);         // a CSV file of a table
void fuzz_result_csv(const std::uint8_t* data, std::size_t size);    // results.csv and steps.csv
void fuzz_result_hdf5(const std::uint8_t* data, std::size_t size);   // results.h5
void fuzz_http_request(const std::uint8_t* data, std::size_t size);  // to the server of `trammel view`

struct FuzzTarget {
  std::string name;
  void (*run)(const std::uint8_t* data, std::size_t size);
};
const std::vector<FuzzTarget>& fuzz_targets();

}  // namespace trammel
