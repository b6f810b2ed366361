// The commented models that `trammel new` writes.
#pragma once

#include <string>
#include <vector>

namespace trammel {

struct StarterModel {
  std::string kind;  // "four-bar"
  std::string text;  // the file, with @TITLE@ for its title
};

const std::vector<StarterModel>& starter_models();

// The text of the file; the kind must be one of these.
std::string starter_text(const std::string& kind, const std::string& title);

}  // namespace trammel
