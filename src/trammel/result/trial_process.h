// A trial in a process of its own: whether something ends well that may crash, in a library that is not ours.
#pragma once

#include <functional>

namespace trammel {

// False if the trial crashes or takes more than `seconds` of processor time, or ten times that by the clock. What it throws, prints or changes in memory is
// lost with its process. True as well where no process can be made: then nothing is known.
bool ends_well_apart(const std::function<void()>& trial, unsigned seconds);

}  // namespace trammel
