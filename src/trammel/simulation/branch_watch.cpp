#include "trammel/simulation/branch_watch.h"

#include <algorithm>

namespace trammel {

BranchWatch::BranchWatch(EquationsOfMotion& equations) : motion_(equations.tangent()) {
  const std::size_t count = at_index(motion_->switch_count());
  branches_.resize(count);
  readings_.resize(count);
  changed_.resize(count);
}

void BranchWatch::start(double t, const Vector& x) {
  steps_ = 0;
  std::fill(changed_.begin(), changed_.end(), 0);
  if (readings_.empty()) return;
  // as the states themselves have it
  motion_->hold_switches(std::vector<HeldBranch>(readings_.size()), 0);
  read(t, x);
  for (std::size_t i = 0; i < readings_.size(); ++i) branches_[i] = readings_[i].natural;
}

void BranchWatch::step(double t, const Vector& x) {
  if (readings_.empty()) return;
  read(t, x);
  bool any = false;
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    const HeldBranch& natural = readings_[i].natural;
    // one that was not passed stands behind another, which tells
    if (natural.is_free()) continue;
    if (!branches_[i].is_free() && !(natural == branches_[i])) {
      changed_[i] = 1;
      any = true;
    }
    branches_[i] = natural;
  }
  if (any) ++steps_;
}

std::vector<std::string> BranchWatch::names() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    if (changed_[i] == 0) continue;
    std::string name = motion_->switch_name(static_cast<Index>(i));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

void BranchWatch::read(double t, const Vector& x) {
  motion_->follow(t, x);
  motion_->read_switches(t, x, readings_);
}

}  // namespace trammel
