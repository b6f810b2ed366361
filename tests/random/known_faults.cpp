#include "tests/random/known_faults.h"

namespace trammel {

const std::vector<KnownFault>& known_faults() {
  static const std::vector<KnownFault> faults = {
      {"singular positions: Newton's iteration does not get past, dop853 takes ever smaller steps",
       {23, 51, 56, 190, 215}},
      {"reactions of a sample close to a singular position: directions below a part of 1e-5 are left alone",
       {167}},
      {"partitioned/radau5 is off by some ten tolerances near t = 0.36, where steps are rejected", {261}},
      {"a peak of reactions is too narrow for the samples that the balance of momentum has", {54, 124}},
      {"initial velocities depend on the order of bodies", {216}},
      {"force states between steps are less exact than positions", {280}},
  };
  return faults;
}

const KnownFault* known_fault(std::uint64_t seed) {
  for (const KnownFault& fault : known_faults())
    if (fault.seeds.contains(seed)) return &fault;
  return nullptr;
}

}  // namespace trammel
