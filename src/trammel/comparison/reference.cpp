#include "trammel/comparison/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

// How often a tolerance that is too tight for a method is made milder: ten times, a thousand times if it
// took too long.
constexpr int milder_tolerances = 3;
constexpr double after_failure = 10, after_timeout = 1000;
constexpr double mildest_reference = 1e-6;

std::vector<ComparedMethod> check_methods(const SubjectFacts& facts, const std::string& reference) {
  std::vector<ComparedMethod> methods;
  for (const std::string& method : checking_methods(facts.traits, facts.large))
    if (method != reference) methods.push_back({method});
  return methods;
}

// A run whose time does not count.
Trial tight_trial(const ComparedMethod& method, double rtol, int samples) {
  return {.method = method, .rtol = rtol, .repeat = 1, .samples = samples, .land_on_samples = true};
}

ReferenceRun run_of(const Trial& trial, const Measurement& measurement) {
  return {trial, measurement.outcome, measurement.message, measurement.seconds, std::nullopt};
}

// Looks for the reference among runs that are made one after the other, the checks along with the first.
class Search {
 public:
  Search(const SubjectFacts& facts, const ReferenceRequest& request, const TrialRunner& runner)
      : request_(request), runner_(runner) {
    reference_.published = request.measure == ErrorMeasure::published;
    first_ = request.method.value_or(ComparedMethod{Method{}.name()});
    checks_ = check_methods(facts, first_.name);
  }

  Reference found() {
    run_first();
    if (!reference_.published && !reference_.positions) try_milder(first_);
    for (const ComparedMethod& method : checks_)
      if (!reference_.published && !reference_.positions) adopt_check(method);
    compare_runs();
    if (!reference_.accuracy && !reference_.published && reference_.positions) check_by_tolerance();
    return std::move(reference_);
  }

 private:
  void run_first() {
    std::vector<Trial> trials{tight_trial(first_, request_.rtol, samples())};
    for (const ComparedMethod& method : checks_)
      trials.push_back(tight_trial(method, request_.rtol, samples()));
    make(trials);
    // the first is the reference if it can be; it need not be the first that came in
    if (reference_.published) return;
    for (std::size_t i = 0; i < reference_.runs.size(); ++i)
      if (reference_.runs[i].trial.method.label() == first_.label()) adopt(i);
  }

  void try_milder(const ComparedMethod& method) {
    double rtol = request_.rtol;
    for (int i = 0; i < milder_tolerances && !reference_.positions && !interrupted(); ++i) {
      const ReferenceRun& last = i == 0 ? reference_.runs.front() : reference_.runs.back();
      rtol *= last.outcome == Measurement::Outcome::timed_out ? after_timeout : after_failure;
      // a decade, and not its neighbour
      rtol = std::stod(fmt::format("{:.9g}", rtol));
      if (rtol > mildest_reference) return;
      make({tight_trial(method, rtol, samples())});
      adopt(reference_.runs.size() - 1);
    }
  }

  void adopt_check(const ComparedMethod& method) {
    for (std::size_t i = 0; i < reference_.runs.size() && !reference_.positions; ++i)
      if (reference_.runs[i].trial.method.label() == method.label()) adopt(i);
  }

  void make(const std::vector<Trial>& trials) {
    std::vector<Measurement> made(trials.size());
    runner_(trials, [&](std::size_t i, Measurement measurement) { made[i] = std::move(measurement); });
    for (std::size_t i = 0; i < trials.size(); ++i) {
      reference_.runs.push_back(run_of(trials[i], made[i]));
      measurements_.push_back(std::move(made[i]));
    }
  }

  void adopt(std::size_t run) {
    Measurement& measurement = measurements_[run];
    if (!measurement.finished() || measurement.samples.times.empty()) return;
    reference_.trial = reference_.runs[run].trial;
    reference_.positions.emplace(std::move(measurement.samples));
    adopted_ = run;
  }

  void compare_runs() {
    for (std::size_t i = 0; i < measurements_.size(); ++i) {
      if (!measurements_[i].finished() || (!reference_.published && i == adopted_)) continue;
      const std::optional<double> difference = error_of(measurements_[i], reference_, request_.measure).error;
      reference_.runs[i].difference = difference;
      const bool other = reference_.published || (reference_.trial && reference_.runs[i].trial.method.name !=
                                                                          reference_.trial->method.name);
      if (!difference || !other || (reference_.accuracy && *reference_.accuracy <= *difference)) continue;
      reference_.accuracy = *difference;
      reference_.accuracy_from = reference_.runs[i].trial.label();
    }
  }

  // Better than nothing: the same method again, ten times milder.
  void check_by_tolerance() {
    const Trial& trial = *reference_.trial;
    make({tight_trial(trial.method, 10 * trial.rtol, samples())});
    ReferenceRun& run = reference_.runs.back();
    if (!measurements_.back().finished()) return;
    run.difference = error_of(measurements_.back(), reference_, request_.measure).error;
    reference_.accuracy = run.difference;
    reference_.accuracy_from = run.trial.label();
  }

  bool interrupted() const { return reference_.runs.back().outcome == Measurement::Outcome::not_run; }
  int samples() const { return request_.measure == ErrorMeasure::published ? 0 : request_.samples; }

  const ReferenceRequest& request_;
  const TrialRunner& runner_;
  ComparedMethod first_;
  std::vector<ComparedMethod> checks_;
  Reference reference_;
  std::vector<Measurement> measurements_;  // one for each of reference_.runs
  std::size_t adopted_ = 0;
};

}  // namespace

std::string_view name(ErrorMeasure measure) {
  switch (measure) {
    case ErrorMeasure::published:
      return "published";
    case ErrorMeasure::trajectory:
      return "trajectory";
    case ErrorMeasure::end:
      return "end";
  }
  return "unknown";
}

std::string Reference::sentence() const {
  if (!usable()) {
    std::string text = "there is no reference: no run at a tight tolerance succeeded";
    if (!runs.empty()) text += fmt::format(" ({}: {})", runs.front().trial.label(), runs.front().message);
    return text;
  }
  const std::string origin = published ? "published values" : trial->label();
  if (!accuracy) return origin + "; no other run confirmed it, its accuracy is not known";
  return fmt::format("{}; {} differs from it by {:.1e}", origin, accuracy_from, *accuracy);
}

RunError error_of(const Measurement& measurement, const Reference& reference, ErrorMeasure measure) {
  RunError result;
  if (!measurement.finished()) return result;
  if (reference.positions) {
    if (const auto value = reference.positions->of(measurement.samples)) {
      result.at_end = value->at_end;
      result.error = measure == ErrorMeasure::end ? value->at_end : value->largest;
    }
  }
  if (measure == ErrorMeasure::published) {
    result.error.reset();
    if (measurement.digits) result.error = std::pow(10.0, -*measurement.digits);
  }
  return result;
}

Reference find_reference(const SubjectFacts& facts, const ReferenceRequest& request,
                         const TrialRunner& runner) {
  return Search(facts, request, runner).found();
}

}  // namespace trammel
