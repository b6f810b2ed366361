// How far the positions of a run are from those of another that is taken as the reference.
//
// Each difference is divided by a scale, so that a micrometre of a watch is not taken for one of a crane:
//
//   positions of bodies:   lengths by the largest distance from the world's origin that any body has in the
//                          reference; Euler parameters, which are of size one, by one, and e as good as −e
//   any other positions:   each by its own largest size in the reference, but not by less than a hundredth of
//                          the largest of all, so that one that is zero but for round-off does not count
//
// The error at a time is the largest of all positions, that of a run the largest over the times.
#pragma once

#include <optional>
#include <string>

#include "trammel/comparison/trial.h"

namespace trammel {

class PositionError {
 public:
  explicit PositionError(PositionSamples reference);

  struct Value {
    double largest = 0;  // over all times
    double at_end = 0;
  };
  // Nothing if the positions or the times are others than those of the reference.
  std::optional<Value> of(const PositionSamples& samples) const;

  const PositionSamples& reference() const { return reference_; }

 private:
  double at(const Vector& p, const Vector& p_reference) const;

  PositionSamples reference_;
  Vector scale_;
};

}  // namespace trammel
