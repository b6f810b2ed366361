// One run of a comparison: a method at a tolerance, and what came of it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "trammel/comparison/compared_method.h"
#include "trammel/formulation/statistics.h"
#include "trammel/motion/consistent_state.h"

namespace trammel {

struct Trial {
  ComparedMethod method;
  double rtol = 1e-6;
  // Runs whose median time counts; 0: three if one takes less than a second, otherwise one.
  int repeat = 0;
  // Equidistant times at which positions are kept, besides the start; 0: none.
  int samples = 0;
  // End a step at each of them and begin anew there, so that they have the accuracy of steps and not that of
  // interpolation: for references.
  bool land_on_samples = false;

  // "psf/radau5 at rtol 1e-6"
  std::string label() const;
};

// The positions p at some times.
struct PositionSamples {
  std::vector<std::string> names;
  // Seven for each body, three lengths and four Euler parameters; otherwise of whatever kind they are.
  bool of_bodies = false;
  std::vector<double> times;
  std::vector<Vector> positions;  // one for each time
};

struct Measurement {
  enum class Outcome { finished, failed, crashed, timed_out, not_run };

  Outcome outcome = Outcome::not_run;
  std::string message;
  double t = 0;  // reached
  double atol = 0;
  double seconds = 0;  // CPU time, the median
  int repeats = 0;     // of that many runs
  Statistics statistics;
  Violation violation;  // the largest over all steps
  // Correct digits at the end, as the source of a published problem counts them.
  std::optional<double> digits;
  PositionSamples samples;

  bool finished() const { return outcome == Outcome::finished; }
};

std::string_view name(Measurement::Outcome outcome);

// For the way between processes. measurement_from_json throws std::invalid_argument if it is none.
nlohmann::ordered_json to_json(const Measurement& measurement);
Measurement measurement_from_json(const nlohmann::ordered_json& json);

}  // namespace trammel
