// What a sample is made of that lies in a position where reactions are not determined: states near by, as they are
// shown, and the weights with which they give the limit.
#pragma once

#include <array>
#include <cstddef>

#include "trammel/numerics/linear_algebra.h"

namespace trammel {

struct SampleLimit {
  static constexpr std::size_t count = 4;
  std::array<double, count> t{}, weights{};
  std::array<Vector, count> states;
};

}  // namespace trammel
