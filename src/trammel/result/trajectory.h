// What a run leaves: states at the output times, and for every accepted step its size and how well the
// constraints hold.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "trammel/numerics/linear_algebra.h"
#include "trammel/numerics/snapshot.h"

namespace trammel {

// One accepted step.
struct StepRecord {
  double t = 0;  // its end
  double h = 0;
  double position_violation = 0;
  double velocity_violation = 0;
  double acceleration_violation = 0;
  double invariant_error = 0;
};

// An event that happened.
struct EventRecord {
  double t = 0;
  std::string name;

  void carry(Carrier& carried) { carried(t, name); }
};

class Trajectory {
 public:
  Trajectory() = default;
  explicit Trajectory(std::vector<std::string> names) : names_(std::move(names)) {}

  const std::vector<std::string>& names() const { return names_; }
  Index columns() const { return static_cast<Index>(names_.size()); }
  Index samples() const { return static_cast<Index>(times_.size()); }

  void append(double t, VectorIn x);
  // Samples, steps and events later than t.
  void forget_after(double t);
  double time(Index sample) const { return times_[static_cast<std::size_t>(sample)]; }
  const std::vector<double>& times() const { return times_; }
  Eigen::Map<const Vector> state(Index sample) const;
  double value(Index sample, Index column) const;
  // The column of that name, −1 if there is none.
  Index column(const std::string& name) const;

  std::vector<StepRecord> steps;
  std::vector<EventRecord> events;

 private:
  std::vector<std::string> names_;
  std::vector<double> times_, values_;
};

}  // namespace trammel
