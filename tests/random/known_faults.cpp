#include "tests/random/known_faults.h"

namespace trammel {

const std::vector<KnownFault>& known_faults() {
  static const std::vector<KnownFault> faults = {
      {"forces that depend on reactions (friction by a coefficient): partitioned refuses them, projected "
       "takes "
       "reactions of an earlier evaluation",
       {6, 14, 23, 77, 78, 134, 158, 174, 241, 242, 243, 277, 289, 300}},
      {"corners and jumps in time or position are stepped over: results less exact than others, or dop853 "
       "stops",
       {52, 74, 84, 115, 123, 151, 162, 167, 171, 201, 256, 261}},
      {"samples between steps are less exact than the steps", {39, 93, 209, 280}},
      {"partitioned/radau5: reactions of the last sample", {33}},
      {"singular positions: partitioned/sdirk4 does not find the dependent coordinates, dop853 takes ever "
       "smaller "
       "steps",
       {51, 56, 215, 279}},
  };
  return faults;
}

const KnownFault* known_fault(std::uint64_t seed) {
  for (const KnownFault& fault : known_faults())
    if (fault.seeds.contains(seed)) return &fault;
  return nullptr;
}

}  // namespace trammel
