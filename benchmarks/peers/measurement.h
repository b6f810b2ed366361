// How a contest is held: every method runs at each of its tolerances, in turns with the others, several
// times.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contest.h"

namespace peers {

// How much time is spent on measuring. A sample is one run, or as many as fill `shortest`. Samples of one run
// are spread over the whole contest, and the fastest counts: what else happens on the machine only adds to
// it, and two contests agree much better than by medians.
struct Effort {
  int repeats = 7;         // samples of a run
  double shortest = 0.02;  // s, of a sample
  double enough = 0.5;     // s: no more samples than this takes, but three, two of longer runs, and
  double longest = 10;     // s: one of runs a quarter as long; a method's ladder ends with a longer one
};

// A competitor at one tolerance: CPU time is the least of the samples, all else that of any of them.
struct Row {
  double tolerance = 0;
  Run run;
  std::vector<double> seconds;
};

// The time that an error costs.
struct TimeToError {
  double seconds = 0;
  // The cheapest run that was tried gives less error than wanted: it may cost less still.
  bool at_most = false;
};

struct Outcome {
  std::string program, method;
  bool by_hand = false;
  std::vector<Row> rows;

  std::string name() const { return program + " " + method; }
  bool ours() const { return program == "Trammel"; }
  // From the lower envelope of all runs: those that no other one beats in time and error both. The cheapest
  // run with at most this error, interpolated towards the next cheaper run of the envelope, in logarithms; a
  // run of another motion (an error above 0.3) is not interpolated with. Nothing if no run is so accurate. So
  // an error that is small by luck, or large by mischance, counts for every program alike, and an unreliable
  // method costs what its best run costs.
  std::optional<TimeToError> time_to(double error) const;
  // The cheapest run with at most this error and constraint violation.
  const Row* cheapest(double error, double violation) const;
  const Row* at(double tolerance) const;
  // Whether tighter tolerances led to the reference: the least error that was reached.
  double least_error() const;
};

struct Result {
  Contest contest;
  std::vector<Outcome> outcomes;
};

Result hold(Contest contest, const Effort& effort);

}  // namespace peers
