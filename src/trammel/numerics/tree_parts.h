// Sweeps over a tree, from its root outward and from its leaves inward, by the threads of the process
// (thread_team.h): branches that nothing ties together are swept at the same time. What a sweep computes is the same
// to the last bit whatever the number of threads, and the same as item by item: each item sees what its parent
// left, and takes from its children in the same order.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "trammel/numerics/thread_team.h"

namespace trammel {

class TreeParts {
 public:
  using Items = std::vector<std::size_t>;

  // The parent of each item, −1: none; parents come before their children. Small trees stay in one piece.
  explicit TreeParts(const std::vector<int>& parents);

  // Calls visit(item) for all, parents before their children.
  template <class Visit>
  void outward(const Visit& visit) const {
    if (branches_.empty()) {
      for (std::size_t item = 0; item < is_root_.size(); ++item) visit(item);
      return;
    }
    for (const std::size_t item : trunk_) visit(item);
    in_branches([&](const Items& branch) {
      for (const std::size_t item : branch) visit(item);
    });
  }

  // For all items, children before their parents: visit(item), which may change what belongs to the item alone, and give(item), which
  // adds to its parent. False as soon as a visit says so.
  template <class Visit, class Give>
  bool inward(const Visit& visit, const Give& give) const {
    if (branches_.empty()) {
      for (std::size_t item = is_root_.size(); item-- > 0;) {
        if (!visit(item)) return false;
        give(item);
      }
      return true;
    }
    std::atomic<bool> well = true;
    in_branches([&](const Items& branch) {
      for (std::size_t i = branch.size(); i-- > 0;) {
        const std::size_t item = branch[i];
        if (!well.load(std::memory_order_relaxed)) return;
        if (!visit(item)) well.store(false, std::memory_order_relaxed);
        if (!is_root(item)) give(item);
      }
    });
    for (std::size_t i = inner_.size(); i-- > 0 && well;) {
      const std::size_t item = inner_[i];
      if (!is_root(item) && !visit(item)) return false;
      give(item);
    }
    return well;
  }

  // What can be swept at the same time.
  const std::vector<Items>& branches() const { return branches_; }

 private:
  bool is_root(std::size_t item) const { return is_root_[item] != 0; }
  template <class Sweep>
  void in_branches(const Sweep& sweep) const {
    if (branches_.empty()) return;
    ThreadTeam::of_process().run(static_cast<int>(branches_.size()),
                                 [&](int i) { sweep(branches_[static_cast<std::size_t>(i)]); });
  }

  Items trunk_;                  // items that are in no branch
  std::vector<Items> branches_;  // one or several subtrees each
  std::vector<char> is_root_;    // of such a subtree
  Items inner_;                  // the trunk and these roots
};

}  // namespace trammel
