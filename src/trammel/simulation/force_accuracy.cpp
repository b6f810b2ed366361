#include "trammel/simulation/force_accuracy.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trammel {

namespace {

bool is_force(const std::string& name) {
  return name.find("force") != std::string::npos || name.find("torque") != std::string::npos;
}

}  // namespace

ForceAccuracy::ForceAccuracy(MechanismEquations& equations) {
  for (const std::unique_ptr<ForceBlock>& block : equations.elements().forces)
    for (std::size_t i = 0; i < block->elements().size(); ++i) {
      const std::vector<std::string> names = block->output_names(static_cast<Index>(i));
      if (names == std::vector<std::string>{"force", "length", "rate"})
        lines_.push_back(
            {.block = block.get(), .element = static_cast<Index>(i), .name = block->elements()[i].name});
      Element element{block.get(), static_cast<Index>(i), names.size(), {}};
      for (std::size_t k = 0; k < names.size(); ++k) {
        if (!is_force(names[k])) continue;
        entries_.push_back({block->elements()[i].name + "." + names[k], 0, 0});
        element.forces.push_back(k);
      }
      if (!element.forces.empty()) elements_.push_back(std::move(element));
    }
  if (!entries_.empty() || !lines_.empty()) motion_ = equations.mechanism_motion();
}

void ForceAccuracy::follow(double t, const Vector& x) {
  if (!motion_) return;
  motion_->follow(t, x);
  if (!lines_.empty()) look_at_lines(t, x);
}

// Two points that go through each other come together as fast as they part, and were no farther apart than they went in
// the step. The force that acts along the line between them turns round, unless it vanishes there or turns round itself, as that
// of a damper does.
void ForceAccuracy::look_at_lines(double t, const Vector& x) {
  motion_->set_state(t, x, Vector());
  const double h = t - lines_t_;
  for (Line& line : lines_) {
    std::array<double, 3> now{};
    line.block->outputs(motion_->bodies(), t, motion_->input_values(), line.element, now);
    const auto [tension, length, rate] = now;
    line.longest = std::max(line.longest, length);
    line.largest = std::max(line.largest, std::abs(tension));
    const double apart = length + line.length, jump = std::abs(tension + line.tension);
    const bool goes_through = knows_lines_ && h > 0 && line.rate < 0 && rate > 0 &&
                              apart < 1.2 * h * std::max(rate, -line.rate) && apart < 0.1 * line.longest;
    if (goes_through && line.jump == 0 && jump > 1e-3 * line.largest &&
        jump * line.longest > 3 * apart * line.largest) {
      line.passed_at = t;
      line.jump = jump;
    }
    line.length = length;
    line.rate = rate;
    line.tension = tension;
  }
  lines_t_ = t;
  knows_lines_ = true;
}

std::vector<ForceAccuracy::Passage> ForceAccuracy::passages() const {
  std::vector<Passage> passages;
  for (const Line& line : lines_)
    if (line.jump > 0) passages.push_back({line.name, line.passed_at, line.jump});
  return passages;
}

void ForceAccuracy::forces_at(double t, const Vector& x, std::vector<double>& out) {
  out.clear();
  motion_->set_state(t, x, Vector());
  for (const Element& element : elements_) {
    outputs_.resize(element.outputs);
    element.block->outputs(motion_->bodies(), t, motion_->input_values(), element.index, outputs_);
    for (const std::size_t k : element.forces) out.push_back(outputs_[k]);
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
  if (!motion_) return;
  motion_->carry(carried);
  for (Entry& entry : entries_) carried(entry);
  for (Line& line : lines_) carried(line);
  carried(lines_t_, knows_lines_);
}

std::vector<ForceAccuracy::Entry> ForceAccuracy::worse_than(double part) const {
  std::vector<Entry> worse;
  for (Entry entry : entries_) {
    // not every step is looked at, and between steps errors are larger
    constexpr double unseen = 5;
    entry.error *= unseen;
    if (entry.error > part * entry.largest && entry.largest > 0) worse.push_back(std::move(entry));
  }
  return worse;
}

}  // namespace trammel
