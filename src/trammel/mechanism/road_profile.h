// The height of a road over its length, with its exact slope.
//
//   flat            0
//   half cylinder   √(R² − (x − centre)²), R the height. Its ends are vertical, which no wheel that follows
//                   a single point could take: from `length` before an end to `length` behind it the circle
//                   is replaced by a curve that joins with equal height, slope and curvature. `length` is
//                   R/10 unless given.
//   step            from 0 at the start to the height, over `length`, as smooth as the functions of
//                   smooth_onset.h
//   sine            height · sin(2π (x − start) / length), everywhere
//   table           of x − start
#pragma once

#include <array>
#include <optional>

#include "trammel/mechanism/mechanism.h"

namespace trammel {

class RoadProfile {
 public:
  RoadProfile() = default;  // flat
  // Throws ModelError if a number is missing or cannot be. `tables` are those of the mechanism.
  RoadProfile(const Road& road, const std::map<std::string, Table>& tables);

  template <class T>
  struct HeightAndSlope {
    T height, slope;
  };
  // With one switch: before an obstacle, its parts, behind it; or as the table has it.
  template <class T>
  HeightAndSlope<T> operator()(const T& x, int index, const Switches& switches) const {
    const Derivatives h = derivatives(plain(x), index, switches);
    return {chain_derivatives(x, h.data()), chain_derivatives(x, h.data() + 1)};
  }
  Derivatives derivatives(double x, int index = -1, const Switches& switches = {}) const;

 private:
  // The part of an obstacle that x is on, or is held on: of those between `ends`, or 0 before them.
  template <std::size_t N>
  static int part_of(const std::array<double, N>& ends, double x, int index, const Switches& switches);

  Road::Kind kind_ = Road::Kind::flat;
  double start_ = 0, height_ = 0, length_ = 0;
  std::optional<Table> table_;
};

}  // namespace trammel
