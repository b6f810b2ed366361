// A seed, or a file, held against all properties.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/random/mechanism_properties.h"
#include "tests/random/random_mechanism.h"

namespace trammel {

// The model of a seed as a file would give it: written and read.
Model model_of_seed(std::uint64_t seed, const RandomFeatures& features = {});

// Three methods that suit most mechanisms; other ones where something is stiff, which explicit methods are
// not made for.
PropertyOptions options_of_seed(std::uint64_t seed, const Model& model);

// A model that cannot even be made is "refused".
std::vector<Finding> check_seed(std::uint64_t seed, const RandomFeatures& features = {});

// The smallest model that still has a finding of this kind.
Model shrunk_to_finding(const Model& model, const std::string& kind, const PropertyOptions& options);

}  // namespace trammel
