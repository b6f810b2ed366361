#include "trammel/simulation/state_recorder.h"

#include <algorithm>

namespace trammel {

StateRecorder::StateRecorder(const EquationsOfMotion& equations, std::vector<ComputedColumn> columns,
                             Recording& recording)
    : unknowns_(equations.layout().total), columns_(std::move(columns)), recording_(recording) {
  Names names = equations.names();
  names.complete(equations.layout());
  const auto add = [&](const std::vector<std::string>& unknowns, const char* group, const char* description) {
    for (const std::string& name : unknowns)
      recording.add_channel({.name = name, .group = group, .description = description});
  };
  // in the order of x
  add(names.p, "positions", "position coordinate");
  add(names.v, "velocities", "velocity coordinate");
  add(names.r, "force states", "state of a force");
  add(names.w, "auxiliary variables", "auxiliary variable");
  add(names.s, "contact coordinates", "contact coordinate");
  add(names.lambda, "multipliers", "multiplier of a constraint on positions");
  add(names.mu, "nonholonomic multipliers", "multiplier of a constraint on velocities");
  for (const ComputedColumn& column : columns_)
    recording.add_channel({.name = column.name, .group = "points", .description = "computed, to be drawn"});
  row_.resize(recording.channels().size());
}

void StateRecorder::append(double t, const Vector& x) {
  std::copy_n(x.data(), unknowns_, row_.begin());
  for (std::size_t i = 0; i < columns_.size(); ++i)
    row_[static_cast<std::size_t>(unknowns_) + i] = columns_[i].value(x);
  recording_.append(t, row_);
}

}  // namespace trammel
