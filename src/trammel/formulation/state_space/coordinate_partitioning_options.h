// What can be chosen of the state-space form (coordinate_partitioning.h).
#pragma once

#include "trammel/numerics/linear_algebra.h"

namespace trammel {

struct CoordinatePartitioningOptions {
  enum class Kind { partition, tangent, nullspace };
  Kind kind = Kind::partition;
  // New coordinates are chosen when the condition of the old ones has grown by this part since their choice.
  double growth = 0.25;
  double rank_tolerance = 1e-9;
  // Degrees of freedom up to which the reduced system serves; beyond, that in all coordinates is faster
  // (chains of bodies). A state counts as half of one. Of a partition only.
  Index reduced_up_to = 30;
};

}  // namespace trammel
