#include "trammel/numerics/nearest_name.h"

#include <algorithm>

namespace trammel {

std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates) {
  // Levenshtein distance, one row at a time
  std::string best;
  std::size_t best_distance = word.size() / 2 + 2;
  for (const std::string& candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t above = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1)});
        diagonal = above;
      }
    }
    // at least one letter must be right
    if (row.back() < best_distance && row.back() < std::max(word.size(), candidate.size())) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

std::string hint(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(word, candidates);
  return nearest.empty() ? "" : " (did you mean '" + nearest + "'?)";
}

}  // namespace trammel
