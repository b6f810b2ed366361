// Methods against each other: every method at every tolerance on the same system, what each run cost, how far
// it was from a reference, and which method is the fastest for an error.
//
//   const trammel::ProblemSubject subject(*trammel::find_problem("andrews"), {});
//   const trammel::Comparison comparison = trammel::compare(subject, {}, trammel::run_here(subject));
//   for (const auto& recommendation : comparison.recommendations) show(recommendation.sentence());
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "trammel/comparison/reference.h"
#include "trammel/comparison/work_precision.h"

namespace trammel {

struct ComparisonRequest {
  std::vector<ComparedMethod> methods = {};  // empty: the usual ones
  std::vector<double> rtols = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
  // Absent: published if there are published values at the end, otherwise trajectory.
  std::optional<ErrorMeasure> measure = {};
  int samples = 100;
  int repeat = 0;  // see Trial
  std::optional<ComparedMethod> reference_method = {};
  double reference_rtol = 1e-12;  // milder if that does not work
  std::vector<double> wanted_errors = {1e-3, 1e-6, 1e-9};

  // Throws std::invalid_argument for numbers that make no sense.
  void check() const;
};

struct ComparedPoint {
  Trial trial;
  Measurement measurement;  // without samples
  std::optional<double> error;
  std::optional<double> error_at_end;  // of positions
  bool near_reference = false;         // see Reference::is_near
};

struct Comparison {
  std::string name, title, source;
  double start = 0, end = 0;
  ErrorMeasure measure = ErrorMeasure::trajectory;
  int samples = 0;
  std::vector<std::string> methods;   // labels, in their order
  std::vector<ComparedPoint> points;  // by method, then from mild to tight
  Reference reference;
  std::vector<Recommendation> recommendations;
  std::vector<std::string> notes;

  // Those of a method that finished and have an error, from mild to tight.
  std::vector<const ComparedPoint*> curve(const std::string& method) const;
  // How errors were measured, in a sentence.
  std::string measure_sentence() const;
  // The points of a method, from mild to tight.
  std::vector<const ComparedPoint*> points_of(const std::string& method) const;
  // Whether none of them finished, all for the same reason.
  bool fails_alike(const std::string& method) const;
  // Whether any run finished.
  bool any_finished() const;
};

// Throws std::invalid_argument, and ModelError for what is wrong in a model. `so_far`, if any, is shown what
// there is before the first run and after every one but those for the reference, without recommendations.
Comparison compare(const Subject& subject, const ComparisonRequest& request, const TrialRunner& runner,
                   const std::function<void(const Comparison&)>& so_far = {});

// Runs the trials one after the other in this process.
TrialRunner run_here(const Subject& subject);

nlohmann::ordered_json to_json(const Comparison& comparison);
// For people: a table of the runs, and the recommendations.
std::string text_report(const Comparison& comparison);
// One line for each run.
std::string csv_table(const Comparison& comparison);

}  // namespace trammel
