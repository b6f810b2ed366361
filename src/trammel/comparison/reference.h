// What the errors of a comparison are measured against, and how far it can be trusted.
//
// Published values are used where there are any. Otherwise a run at a tight tolerance is the reference, whose
// steps end at the output times. In both cases runs by other methods at the same tolerance tell how accurate
// it is: different formulations have different errors and do not agree by accident, so the smallest
// difference is taken for the error of the reference.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trammel/comparison/position_error.h"
#include "trammel/comparison/subject.h"

namespace trammel {

// Runs trials, in any order or at the same time, and hands over each measurement as it comes.
using TrialDone = std::function<void(std::size_t trial, Measurement measurement)>;
using TrialRunner = std::function<void(const std::vector<Trial>& trials, const TrialDone& done)>;

// Which error of a run is shown.
enum class ErrorMeasure {
  published,   // against published values, by the criterion of their source
  trajectory,  // of positions, the largest over the output times
  end          // of positions, at the end
};
std::string_view name(ErrorMeasure measure);

struct ReferenceRun {
  Trial trial;
  Measurement::Outcome outcome = Measurement::Outcome::not_run;
  std::string message;
  double seconds = 0;
  // From the reference; nothing if the run failed.
  std::optional<double> difference;
};

struct Reference {
  bool published = false;
  std::optional<Trial> trial;  // what computed it, if it is not published
  std::optional<PositionError> positions;
  // All that were made to find or to check it; that of `trial` has no difference.
  std::vector<ReferenceRun> runs;
  std::optional<double> accuracy;  // unknown if no check succeeded
  std::string accuracy_from;       // the run that tells it

  bool usable() const { return published || positions.has_value(); }
  // An error this small may be as much the reference's as the run's.
  bool is_near(double error) const { return accuracy && error < margin * *accuracy; }
  static constexpr double margin = 5;

  // Where it comes from, and how accurate it is.
  std::string sentence() const;
};

// The error of a run by that measure, and if positions were kept the one at the end.
struct RunError {
  std::optional<double> error, at_end;
};
RunError error_of(const Measurement& measurement, const Reference& reference, ErrorMeasure measure);

struct ReferenceRequest {
  ErrorMeasure measure = ErrorMeasure::trajectory;
  std::optional<ComparedMethod> method;  // psf/radau5
  double rtol = 1e-12;
  int samples = 100;
};

// Makes the runs it needs; milder tolerances and other methods if the tight ones fail.
Reference find_reference(const SubjectFacts& facts, const ReferenceRequest& request,
                         const TrialRunner& runner);

}  // namespace trammel
