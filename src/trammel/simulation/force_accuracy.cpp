#include "trammel/simulation/force_accuracy.h"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

bool is_force(const std::string& name) {
  return name.find("force") != std::string::npos || name.find("torque") != std::string::npos;
}

}  // namespace

ForceAccuracy::ForceAccuracy(MechanismEquations& equations)
    : equations_(equations), motion_(equations.mechanism_motion()) {
  for (const std::unique_ptr<ForceBlock>& block : equations.elements().forces)
    for (std::size_t i = 0; i < block->elements().size(); ++i)
      for (const std::string& name : block->output_names(static_cast<Index>(i)))
        if (is_force(name)) entries_.push_back({block->elements()[i].name + "." + name, 0, 0});
}

void ForceAccuracy::forces_at(double t, const Vector& x, std::vector<double>& out) {
  out.clear();
  motion_->set_state(t, x, Vector());
  std::vector<double> values;
  for (const std::unique_ptr<ForceBlock>& block : equations_.elements().forces)
    for (std::size_t i = 0; i < block->elements().size(); ++i) {
      const std::vector<std::string> names = block->output_names(static_cast<Index>(i));
      values.resize(names.size());
      block->outputs(motion_->bodies(), t, motion_->input_values(), static_cast<Index>(i), values);
      for (std::size_t k = 0; k < names.size(); ++k)
        if (is_force(names[k])) out.push_back(values[k]);
    }
}

void ForceAccuracy::compare(double t, const Vector& x, const Vector& disturbed) {
  if (entries_.empty()) return;
  forces_at(t, disturbed, inexact_);
  forces_at(t, x, exact_);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    entries_[i].error = std::max(entries_[i].error, std::abs(inexact_[i] - exact_[i]));
    entries_[i].largest = std::max(entries_[i].largest, std::abs(exact_[i]));
  }
}

void ForceAccuracy::carry(Carrier& carried) {
  motion_->carry(carried);
  for (Entry& entry : entries_) carried(entry);
}

std::vector<ForceAccuracy::Entry> ForceAccuracy::worse_than(double part) const {
  std::vector<Entry> worse;
  for (Entry entry : entries_) {
    // not every step is looked at, and between steps errors are larger
    constexpr double unseen = 3;
    entry.error *= unseen;
    if (entry.error > part * entry.largest && entry.largest > 0) worse.push_back(std::move(entry));
  }
  return worse;
}

}  // namespace trammel
