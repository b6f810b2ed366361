// Runs of a model, and how far two of them are apart.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trammel/model/model.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

struct ModelRunRequest {
  std::string method = "psf/radau5";  // or "psf/radau5 in joint": coordinates other than those of the model
  double rtol = 1e-6;
  double end = 1, output = 0.1;
  double time_limit = 10;  // s of processor time
};

// What a run said and recorded.
struct ModelRun {
  ModelRunRequest request;
  bool finished = false, out_of_time = false;
  std::string message;  // why it did not finish
  Violation violation;
  Index degrees_of_freedom = 0;
  std::vector<std::string> redundant;
  Vector start, final_state;  // assembled, and reached
  Recording recording;
};

// Throws ModelError as MechanismRun does.
ModelRun run_model(const Model& model, const ModelRunRequest& request);

// A value for each sample, all of one kind and unit: "velocities rad/s".
struct Series {
  std::string kind;
  std::vector<double> values;
};

// What a recording says, to be compared. Names of channels are the keys.
struct Samples {
  std::vector<double> times;
  std::map<std::string, Series> series;

  // The largest absolute value of each kind.
  std::map<std::string, double> sizes() const;
};

Samples samples_of(const Recording& recording);

// The samples that a moved_model should have, of those of the model: without what depends on the axes of the
// world in other ways.
Samples moved_samples(const Samples& samples, const Model& model, const Frame& by);
// Those of a heavier_model.
Samples heavier_samples(const Samples& samples, double factor);

// How far two motions are apart at each of the first one's times that the second has too: the largest
// difference in each kind. Series that only one has do not count.
struct Disagreement {
  std::vector<double> times;
  struct Apart {
    std::vector<double> values;
    std::vector<std::string> channels;  // the one that differs most
  };
  std::map<std::string, Apart> kinds;
};
Disagreement disagreement(const Samples& a, const Samples& b);

}  // namespace trammel
