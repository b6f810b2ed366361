// The methods of a comparison: as a user writes them, and those that are taken if he does not.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trammel/motion/equations.h"
#include "trammel/simulation/equation_traits.h"

namespace trammel {

// A method with options of its own: "cm/ida:max_order=1:safety=0.8".
struct ComparedMethod {
  std::string name;  // "cm/ida"
  std::vector<std::pair<std::string, std::string>> options = {};

  // As it is written.
  std::string label() const;
};

// Throws std::invalid_argument, with the nearest valid method or option, for what there is not, and for
// options that the method does not have.
ComparedMethod parse_compared_method(const std::string& text);
// Each once, in the order in which they are first named.
std::vector<ComparedMethod> parse_compared_methods(const std::vector<std::string>& texts);

struct MethodSelection {
  std::vector<ComparedMethod> methods;
  std::vector<std::string> left_out;  // sentences: which were not taken, and why
};

// A selection with something of each kind that can treat equations with these traits. `large`: without
// methods whose matrices are dense.
MethodSelection usual_methods(const Traits& traits, bool large);
// The methods that tell how accurate a reference is, by name.
std::vector<std::string> checking_methods(const Traits& traits, bool large);

// Where dense matrices begin to cost more than they tell.
bool is_large(const EquationsOfMotion& equations);

}  // namespace trammel
