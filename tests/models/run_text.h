// A model given as text, run to its end, and what its channels say: for tests of whole simulations.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "trammel/model/model.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

// What the request leaves open is as the text says; what that leaves open too is 1 s, eleven samples and a
// tolerance of 1e-8. A run that does not finish is a failure of the test that asked for it.
inline MechanismRun run_text(const std::string& text, RunRequest request = {}) {
  const Model model = read_model_text(text, "test.yaml");
  if (!request.end && !model.simulation.end) request.end = 1.0;
  if (!request.rtol && !model.simulation.rtol) request.rtol = 1e-8;
  if (!request.output_interval && !request.samples && !model.simulation.output) request.samples = 10;
  MechanismRun run(model, std::move(request));
  run.run();
  EXPECT_EQ(run.summary().status, Status::finished) << run.summary().message();
  return run;
}

// All values of a channel; throws if there is none of that name.
inline const std::vector<double>& values(const MechanismRun& run, const std::string& channel) {
  const Channel* found = run.recording().find(channel);
  if (found == nullptr) throw std::invalid_argument("no channel \"" + channel + "\"");
  return found->values;
}

inline double first(const MechanismRun& run, const std::string& channel) {
  return values(run, channel).at(0);
}

inline double last(const MechanismRun& run, const std::string& channel) {
  return values(run, channel).at(values(run, channel).size() - 1);
}

// Checks that a channel follows a function of time at all samples.
template <class Function>
void expect_follows(const MechanismRun& run, const std::string& channel, double tolerance,
                    const Function& expected) {
  const std::vector<double>& times = run.recording().times();
  const std::vector<double>& found = values(run, channel);
  EXPECT_GT(times.size(), 1u);
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_NEAR(found[i], expected(times[i]), tolerance) << channel << " at t = " << times[i];
}

// Checks that a channel of one run is the same as one of another run with the same output times.
inline void expect_same(const MechanismRun& run, const std::string& channel, const MechanismRun& other,
                        const std::string& other_channel, double tolerance) {
  const std::vector<double>& found = values(run, channel);
  const std::vector<double>& expected = values(other, other_channel);
  ASSERT_EQ(run.recording().times(), other.recording().times());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], tolerance)
        << channel << " and " << other_channel << " at t = " << run.recording().times()[i];
}

}  // namespace trammel
