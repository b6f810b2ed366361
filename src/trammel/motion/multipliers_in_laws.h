// Which multipliers of constraints laws of forces and states use: these have to be unknowns.
#pragma once

#include <algorithm>
#include <vector>

#include "trammel/mechanism/elements.h"
#include "trammel/numerics/linear_algebra.h"

namespace trammel {

class MultipliersInLaws {
 public:
  explicit MultipliersInLaws(const Elements& elements)
      : holonomic_(at_index(elements.holonomic.size()), 0),
        nonholonomic_(at_index(elements.nonholonomic.size()), 0) {
    const auto mark = [&](const std::vector<int>& inputs) {
      for (const int i : inputs) {
        const Input& input = elements.inputs[static_cast<std::size_t>(i)];
        if (input.kind == Input::Kind::multiplier) holonomic_[at_index(input.index)] = 1;
        if (input.kind == Input::Kind::nonholonomic_multiplier) nonholonomic_[at_index(input.index)] = 1;
      }
    };
    for (const std::unique_ptr<ForceBlock>& block : elements.forces)
      for (const ForceBlock::Element& element : block->elements()) mark(element.inputs);
    for (const StateEquation& state : elements.states) mark(state.inputs);
  }

  bool any() const {
    const auto used = [](char row) { return row != 0; };
    return std::any_of(holonomic_.begin(), holonomic_.end(), used) ||
           std::any_of(nonholonomic_.begin(), nonholonomic_.end(), used);
  }
  // Of rows of Elements.
  bool holonomic(Index row) const { return holonomic_[at_index(row)] != 0; }
  bool nonholonomic(Index row) const { return nonholonomic_[at_index(row)] != 0; }

 private:
  std::vector<char> holonomic_, nonholonomic_;
};

}  // namespace trammel
