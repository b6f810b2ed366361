// What is to be plotted, chosen by its name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trammel/result/recording.h"

namespace trammel {

// A channel and the table it stands in, of a recording that stays where it is.
struct Quantity {
  const Channel* channel = nullptr;
  const ChannelTable* table = nullptr;
};

// Of the samples first, then of the steps.
std::vector<Quantity> all_quantities(const Recording& recording);

// Each is a name, a group, a pattern with '*' and '?', or one of these of the steps: "h" or "step size",
// "violations", "steps" for all of them; with "steps." before it even if a channel of the samples has the
// name. Each quantity once, in the order in which it was asked for. Throws std::invalid_argument with the
// nearest name for what there is not.
std::vector<Quantity> choose_quantities(const Recording& recording, const std::vector<std::string>& wanted);

// '*' stands for any characters, '?' for one byte.
bool fits_pattern(std::string_view text, std::string_view pattern);

}  // namespace trammel
