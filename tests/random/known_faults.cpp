#include "tests/random/known_faults.h"

namespace trammel {

const std::vector<KnownFault>& known_faults() {
  static const std::vector<KnownFault> faults = {
      {"a driver pulls a linkage beyond its reach: every method ends there, and says so", {23}},
      {"dop853 takes ever smaller steps through a singular position", {56}},
      {"reactions of a sample close to a singular position: directions below a part of 1e-5 are left alone",
       {167}},
      {"partitioned/sdirk4 takes ever smaller steps near a singular position, at one tolerance: with "
       "Newton's matrix of the middle of a step, not with that of its beginning",
       {215}},
  };
  return faults;
}

const KnownFault* known_fault(std::uint64_t seed) {
  for (const KnownFault& fault : known_faults())
    if (fault.seeds.contains(seed)) return &fault;
  return nullptr;
}

}  // namespace trammel
