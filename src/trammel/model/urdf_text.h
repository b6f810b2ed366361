// The text of a URDF file: parsed, and searched for where things are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/mechanism/place.h"

namespace urdf {
class ModelInterface;
}

namespace trammel {

// Throws ModelError with what the parser has to say, which is not printed. What it complains about and leaves
// out is added to `complaints`.
std::shared_ptr<urdf::ModelInterface> parse_urdf(const std::string& text, const std::string& file,
                                                 std::vector<std::string>& complaints);

// Where <element ... name="name"> stands; the file alone if that is not found.
SourcePlace place_in_urdf(const std::string& text, const std::string& file, const std::string& element,
                          const std::string& name);

}  // namespace trammel
