// How to look at a mechanism.
#pragma once

#include <string>
#include <vector>

namespace trammel {

struct ViewSettings {
  std::string up;                   // x, y or z; empty: opposite to gravity
  bool planar = false;              // drawn flat, across z
  std::vector<std::string> traces;  // markers and bodies whose paths are drawn
};

}  // namespace trammel
