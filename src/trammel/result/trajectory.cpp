#include "trammel/result/trajectory.h"

#include <algorithm>

namespace trammel {

void Trajectory::append(double t, VectorIn x) {
  times_.push_back(t);
  values_.insert(values_.end(), x.data(), x.data() + columns());
}

Eigen::Map<const Vector> Trajectory::state(Index sample) const {
  return Eigen::Map<const Vector>(values_.data() + sample * columns(), columns());
}

double Trajectory::value(Index sample, Index column) const {
  return values_[static_cast<std::size_t>(sample * columns() + column)];
}

Index Trajectory::column(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? -1 : found - names_.begin();
}

void Trajectory::forget_after(double t) {
  const auto late = std::upper_bound(times_.begin(), times_.end(), t);
  times_.erase(late, times_.end());
  values_.resize(times_.size() * names_.size());
  std::erase_if(steps, [t](const StepRecord& step) { return step.t > t; });
  std::erase_if(events, [t](const EventRecord& event) { return event.t > t; });
}

}  // namespace trammel
