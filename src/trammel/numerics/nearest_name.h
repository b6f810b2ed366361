// The name a person probably meant.
#pragma once

#include <string>
#include <vector>

namespace trammel {

// The candidate nearest to a misspelt word (by edit distance), or an empty string if none is near.
std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates);

// For the end of a message: " (did you mean 'candidate'?)", or nothing.
std::string hint(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace trammel
