// Newton's laws and the balance of energy, in recordings.
#pragma once

#include <vector>

#include "tests/random/mechanism_properties.h"

namespace trammel {

// At every sample: the recorded forces give accelerations that the constraints allow. Between the samples:
// the energy of what nothing but drivers and potentials moves.
std::vector<Finding> balance_findings(const Model& model, const ModelRun& run);

// Every body's momentum and angular momentum change by the integrals of the recorded forces: for finely
// sampled runs.
std::vector<Finding> momentum_findings(const Model& model, const ModelRun& run);

}  // namespace trammel
