// Numbers of a comparison as people write them.
#pragma once

#include <string>

namespace trammel {

// "3.2 ms"
std::string seconds_text(double seconds);

// "1e-6", "2.5e-4": so many digits at most.
std::string scientific_text(double value, int digits = 1);

}  // namespace trammel
