// What must hold of every mechanism, whatever it is: formulations agree, Newton's laws hold with the recorded
// forces, energy balances, and the same model in other words moves in the same way.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/random/model_run.h"

namespace trammel {

// Something that does not hold.
struct Finding {
  std::string kind;  // one word: "disagreement", "balance", ...
  std::string text;
};

struct PropertyOptions {
  double rtol = 1e-6;  // and a tenth of it
  // Disagreement beyond so many times the difference between a tolerance and a tenth of it.
  double factor = 100;
  double time_limit = 5;  // s, of one run
  std::vector<std::string> methods = {"psf/radau5", "partitioned/sdirk4", "projected/dop853"};
  // Methods whose recorded reactions and efforts are not compared, for a fault that is known.
  std::set<std::string> reactions_unknown;
  bool variants = true;    // the same model in other words
  std::uint64_t seed = 0;  // of how it is moved and reordered
};

// Kinds:
//   refused        the model is not accepted
//   failed         a run ends with a message
//   slow           a run does not end in time
//   not-finite     a sample is not a number
//   violation      constraints are not met though the run is finished
//   freedom        formulations differ in degrees of freedom
//   disagreement   formulations differ in a channel
//   inaccurate     a formulation is much less exact than the others at the same tolerance
//   reaction       recorded reactions do not fit the recorded motion
//   momentum       momentum does not change as the recorded forces say
//   energy         energy changes though nothing changes it
//   moved, heavier, reordered, shorter, finer    the same model in other words moves otherwise
std::vector<Finding> check_properties(const Model& model, const PropertyOptions& options);

}  // namespace trammel
