// Inputs of a model (states that stay as they are until somebody sets them) in a linearisation: columns of B and D, not
// states of A.
#pragma once

#include <string>
#include <vector>

#include "trammel/analysis/linearization.h"
#include "trammel/mechanism/elements.h"

namespace trammel {

// The names of the mechanism's inputs.
std::vector<std::string> input_names(const Elements& elements);

// Of the wanted names those of inputs; they are taken away from `wanted`. All inputs if nothing is wanted.
std::vector<std::string> take_inputs(const Elements& elements, std::vector<std::string>& wanted);

// Takes all inputs of the model from the states; those that are `chosen` become the first inputs of the linearisation.
void set_inputs_apart(const Elements& elements, const std::vector<std::string>& chosen,
                      Linearization& linearization);

}  // namespace trammel
