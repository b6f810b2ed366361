#include "tests/random/known_faults.h"

namespace trammel {

const std::vector<KnownFault>& known_faults() {
  static const std::vector<KnownFault> faults = {};
  return faults;
}

const KnownFault* known_fault(std::uint64_t seed) {
  for (const KnownFault& fault : known_faults())
    if (fault.seeds.contains(seed)) return &fault;
  return nullptr;
}

}  // namespace trammel
