// Where an option stands in Options: this is how a formulation or an integrator says that it has one.
//
//   option<&Options::radau, &RadauOptions::safety>("safety")
//
// Numbers, flags and choices are all handed over as numbers; what they are called is in options.cpp.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "trammel/simulation/options.h"

namespace trammel {

struct OptionMember {
  std::string key;
  double (*get)(const Options&);
  void (*set)(Options&, double);
};

template <auto... Path>
OptionMember option(std::string key) {
  return {std::move(key), [](const Options& options) { return static_cast<double>((options.*....*Path)); },
          [](Options& options, double value) {
            auto& member = (options.*....*Path);
            using Value = std::remove_reference_t<decltype(member)>;
            if constexpr (std::is_same_v<Value, int>)
              value =
                  std::clamp<double>(value, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
            member = static_cast<Value>(value);
          }};
}

// Those that every method has.
const std::vector<OptionMember>& general_options();

// A value as it is written: "0.9", "yes", "svd".
std::string option_text(const std::string& key, double value);

}  // namespace trammel
