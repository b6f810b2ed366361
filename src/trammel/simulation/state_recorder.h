// From the states of a user's own equations to the channels of a recording: the unknowns by their names, and
// what can be computed from them.
//
//   Recording recording;
//   StateRecorder recorder(equations, {}, recording);
//   simulation.on_output([&](double t, const Vector& x) { recorder.append(t, x); });
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trammel/motion/equations.h"
#include "trammel/result/recording.h"

namespace trammel {

// Something that is not an unknown, from x = (p, v, r, w, s, λ, μ).
struct ComputedColumn {
  std::string name;
  std::function<double(const Vector& x)> value;
};

class StateRecorder {
 public:
  // Adds the channels. The recording must outlive this.
  StateRecorder(const EquationsOfMotion& equations, std::vector<ComputedColumn> columns,
                Recording& recording);

  // One more sample.
  void append(double t, const Vector& x);

 private:
  Index unknowns_;
  std::vector<ComputedColumn> columns_;
  Recording& recording_;
  std::vector<double> row_;
};

}  // namespace trammel
