#include "trammel/comparison/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "trammel/simulation/method_choice.h"

namespace trammel {

namespace {

std::vector<WorkPoint> work_points(const Comparison& comparison, const std::string& method) {
  std::vector<WorkPoint> points;
  for (const ComparedPoint* point : comparison.curve(method))
    points.push_back({point->trial.rtol, *point->error, point->measurement.seconds,
                      static_cast<double>(point->measurement.statistics.evaluations),
                      point->measurement.violation.position});
  return points;
}

Recommendation recommend(const Comparison& comparison, double wanted) {
  Recommendation result{wanted, {}, {}};
  if (comparison.reference.is_near(wanted)) {
    result.problem = fmt::format("the reference, accurate to {:.1e}, cannot tell",
                                 comparison.reference.accuracy.value_or(0));
    return result;
  }
  for (const std::string& method : comparison.methods)
    if (const auto cost = cost_of_error(work_points(comparison, method), wanted))
      result.ranking.push_back({method, *cost});
  std::stable_sort(result.ranking.begin(), result.ranking.end(),
                   [](const auto& a, const auto& b) { return a.cost.seconds < b.cost.seconds; });
  if (result.ranking.empty()) result.problem = "no method came so far";
  return result;
}

std::vector<Trial> trials_of(const ComparisonRequest& request, const std::vector<ComparedMethod>& methods,
                             ErrorMeasure measure) {
  std::vector<double> rtols = request.rtols;
  std::sort(rtols.begin(), rtols.end(), std::greater<>());
  rtols.erase(std::unique(rtols.begin(), rtols.end()), rtols.end());
  std::vector<Trial> trials;
  for (const ComparedMethod& method : methods)
    for (const double rtol : rtols)
      trials.push_back(
          {method, rtol, request.repeat, measure == ErrorMeasure::published ? 0 : request.samples});
  return trials;
}

// Options for all methods are for those that have them; for one of them at least.
void check_options(const Subject& subject, const std::vector<ComparedMethod>& methods,
                   std::vector<std::string>& notes) {
  for (const SharedOption& option : subject.options()) {
    std::vector<std::string> without;
    Failure failure;
    for (const ComparedMethod& compared : methods) {
      Method method;
      const bool is_automatic = parse_method(compared.name, method) && compared.name == automatic_method;
      if (is_automatic && automatic_methods_have(option.key)) continue;
      if (Failure no_option = check_option(method, option.key); no_option || is_automatic) {
        failure = no_option;
        without.push_back(compared.label());
      }
    }
    if (without.empty()) continue;
    if (without.size() == methods.size() && option.from.empty())
      throw std::invalid_argument(
          methods.size() == 1
              ? failure.message
              : fmt::format("none of these methods has the option '{}': {}", option.key, failure.message));
    notes.push_back(fmt::format("the option {}={}{} is not one of {}", option.key, option.value,
                                option.from.empty() ? "" : " of " + option.from, fmt::join(without, ", ")));
  }
}

}  // namespace

void ComparisonRequest::check() const {
  const auto demand = [](bool sound, const std::string& message) {
    if (!sound) throw std::invalid_argument(message);
  };
  const auto demand_tolerance = [&](double value, const char* what) {
    demand(value > 0 && value < 1, fmt::format("{} must be between 0 and 1, not {}", what, value));
  };
  demand(!rtols.empty(), "there is no tolerance to compare at");
  for (const double rtol : rtols) demand_tolerance(rtol, "a relative tolerance");
  for (const double wanted : wanted_errors) demand_tolerance(wanted, "a wanted error");
  demand_tolerance(reference_rtol, "the tolerance of the reference");
  demand(samples >= 1, fmt::format("the number of samples must be positive, not {}", samples));
  demand(repeat >= 0, fmt::format("the number of repetitions must not be negative, but is {}", repeat));
}

std::vector<const ComparedPoint*> Comparison::points_of(const std::string& method) const {
  std::vector<const ComparedPoint*> result;
  for (const ComparedPoint& point : points)
    if (point.trial.method.label() == method) result.push_back(&point);
  return result;
}

std::vector<const ComparedPoint*> Comparison::curve(const std::string& method) const {
  std::vector<const ComparedPoint*> result = points_of(method);
  std::erase_if(result, [](const ComparedPoint* point) { return !point->error; });
  return result;
}

bool Comparison::fails_alike(const std::string& method) const {
  const std::vector<const ComparedPoint*> all = points_of(method);
  return all.size() > 1 && std::all_of(all.begin(), all.end(), [&](const ComparedPoint* point) {
           const Measurement &one = point->measurement, &first = all.front()->measurement;
           return !one.finished() && one.outcome == first.outcome && one.message == first.message;
         });
}

std::string Comparison::measure_sentence() const {
  switch (measure) {
    case ErrorMeasure::published:
      return fmt::format(
          "against published values at t = {:g}, by the criterion of its source (10 to the power "
          "of minus the number of correct digits)",
          end);
    case ErrorMeasure::trajectory:
      return fmt::format(
          "largest scaled difference of positions from the reference over {} output times up to t = {:g}",
          samples, end);
    case ErrorMeasure::end:
      return fmt::format("largest scaled difference of positions from the reference at t = {:g}", end);
  }
  return "";
}

bool Comparison::any_finished() const {
  return std::any_of(points.begin(), points.end(),
                     [](const ComparedPoint& point) { return point.measurement.finished(); });
}

Comparison compare(const Subject& subject, const ComparisonRequest& request, const TrialRunner& runner,
                   const std::function<void(const Comparison&)>& so_far) {
  request.check();
  const SubjectFacts facts = facts_of(subject);
  Comparison comparison{.name = subject.name(), .title = subject.title(), .source = subject.source()};
  comparison.start = facts.start;
  comparison.end = facts.end;
  comparison.samples = request.samples;
  if (request.measure == ErrorMeasure::published && !facts.has_published_reference)
    throw std::invalid_argument(
        fmt::format("there are no published values of '{}' at t = {:g} with these parameters", subject.name(),
                    facts.end));
  if (facts.end <= facts.start)
    throw std::invalid_argument(
        fmt::format("the end time {} is not after the start time {}", facts.end, facts.start));
  comparison.measure = request.measure.value_or(facts.has_published_reference ? ErrorMeasure::published
                                                                              : ErrorMeasure::trajectory);

  std::vector<ComparedMethod> methods = request.methods;
  if (methods.empty()) {
    methods = facts.usual.methods;
    comparison.notes = facts.usual.left_out;
  }
  check_options(subject, methods, comparison.notes);
  for (const ComparedMethod& method : methods) comparison.methods.push_back(method.label());

  if (so_far) so_far(comparison);
  comparison.reference = find_reference(
      facts, {comparison.measure, request.reference_method, request.reference_rtol, request.samples}, runner);

  const std::vector<Trial> trials = trials_of(request, methods, comparison.measure);
  for (const Trial& trial : trials) comparison.points.push_back({.trial = trial});
  runner(trials, [&](std::size_t i, Measurement measurement) {
    ComparedPoint& point = comparison.points[i];
    const RunError error = error_of(measurement, comparison.reference, comparison.measure);
    point.error = error.error;
    point.error_at_end = error.at_end;
    point.near_reference = point.error && comparison.reference.is_near(*point.error);
    if (measurement.finished() && comparison.reference.usable() && !point.error)
      measurement.message = "its positions are others than those of the reference: no error";
    measurement.samples = {};
    point.measurement = std::move(measurement);
    if (so_far) so_far(comparison);
  });
  for (const double wanted : request.wanted_errors)
    comparison.recommendations.push_back(recommend(comparison, wanted));
  return comparison;
}

TrialRunner run_here(const Subject& subject) {
  return [&subject](const std::vector<Trial>& trials, const TrialDone& done) {
    for (std::size_t i = 0; i < trials.size(); ++i) done(i, run_trial(subject, trials[i]));
  };
}

}  // namespace trammel
