// Which values parameters take in a sweep.
//
//   k=1e3:1e5:20        20 values from 1e3 to 1e5, equally spaced; 20log: in equal ratios
//   c=[1, 2, 5]         these
//   m=1:2               from 1 to 2, for Latin hypercubes and random points; 1:2:log in the logarithm
//   m=normal(1, 0.1)    with this mean and standard deviation, likewise
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trammel {

struct Variation {
  enum class Kind { values, range, normal };

  std::string parameter;
  Kind kind = Kind::values;
  std::vector<double> values;    // of Kind::values
  double first = 0, second = 0;  // the ends of a range, or mean and standard deviation
  bool logarithmic = false;

  // What belongs to a share of the probability, 0 < share < 1.
  double at(double share) const;
};

// Throws std::invalid_argument that says what is wrong with it.
Variation parse_variation(const std::string& text);

struct Sampling {
  enum class Kind {
    grid,    // every value with every other
    list,    // the first values together, then the second ones, ...
    latin,   // a Latin hypercube: each of as many equal shares of each parameter once
    random,  // independently
  };

  Kind kind = Kind::grid;
  long count = 0;          // of latin and random
  std::uint64_t seed = 1;  // likewise
};

// "grid", "list", "latin", "random".
const char* name(Sampling::Kind kind);
Sampling::Kind sampling_kind(const std::string& name);

// A value for each variation, in their order, of each run. The same on every machine. Throws std::invalid_argument if
// variations and sampling do not go together.
std::vector<std::vector<double>> sweep_points(const std::vector<Variation>& variations,
                                              const Sampling& sampling);

}  // namespace trammel
