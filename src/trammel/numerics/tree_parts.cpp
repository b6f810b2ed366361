#include "trammel/numerics/tree_parts.h"

#include <algorithm>

namespace trammel {

namespace {

// A sweep of fewer items does not pay for the threads; so many branches keep all of them at work, also where some are
// delayed. Neither may depend on how many threads there are.
constexpr int fewest_items = 250;
constexpr int most_branches = 16;

}  // namespace

TreeParts::TreeParts(const std::vector<int>& parents) : is_root_(parents.size(), 0) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const int count = static_cast<int>(parents.size());
  std::vector<int> sizes(parents.size(), 1);
  for (int i = count; i-- > 0;)
    if (parents[at(i)] >= 0) sizes[at(parents[at(i)])] += sizes[at(i)];

  // subtrees that are small enough, one after the other, until a branch is full
  const int full = std::max(count / most_branches, 1);
  std::vector<int> branch_of(parents.size(), -1);
  int room = 0;
  for (int i = 0; i < count; ++i) {
    const int parent = parents[at(i)];
    if (parent >= 0 && branch_of[at(parent)] >= 0) {
      branch_of[at(i)] = branch_of[at(parent)];
    } else if (count >= fewest_items && sizes[at(i)] <= full) {
      if (branches_.empty() || room < sizes[at(i)]) {
        branches_.emplace_back();
        room = full;
      }
      room -= sizes[at(i)];
      branch_of[at(i)] = static_cast<int>(branches_.size()) - 1;
      is_root_[at(i)] = 1;
      inner_.push_back(at(i));
    } else {
      trunk_.push_back(at(i));
      inner_.push_back(at(i));
      continue;
    }
    branches_[at(branch_of[at(i)])].push_back(at(i));
  }
}

}  // namespace trammel
