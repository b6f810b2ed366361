// One run of a comparison, in this process.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <stdexcept>

#include "trammel/comparison/subject.h"
#include "trammel/simulation/simulation.h"

namespace trammel {

namespace {

// Below this a run is repeated unless the user says otherwise.
constexpr double short_run_seconds = 1;
constexpr int repeats_of_short_runs = 3;

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<double> sample_times(const PreparedRun& run, int samples) {
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) times.push_back(run.start + (run.end - run.start) * i / samples);
  times.push_back(run.end);
  return times;
}

// Keeps the positions of states.
class PositionKeeper {
 public:
  PositionKeeper(const PreparedRun& run, PositionSamples& samples)
      : block_(run.equations->layout().p), samples_(samples) {
    const Layout& layout = run.equations->layout();
    samples_.of_bodies = run.of_bodies;
    for (Index i = block_.begin; i < block_.end(); ++i)
      samples_.names.push_back(run.equations->names().variable(layout, i));
  }
  void keep(double t, const Vector& x) {
    samples_.times.push_back(t);
    samples_.positions.emplace_back(x.segment(block_.begin, block_.size));
  }

 private:
  Block block_;
  PositionSamples& samples_;
};

void take_over(const Summary& summary, Measurement& result) {
  result.outcome =
      summary.status == Status::finished ? Measurement::Outcome::finished : Measurement::Outcome::failed;
  result.message = summary.message();
  result.t = summary.t;
  result.violation.include(summary.violation);
}

Summary whole_run(Simulation& simulation, const PreparedRun& run) {
  return run.assembly ? simulation.run(run.x0, run.start, run.end, *run.assembly)
                      : simulation.run(run.x0, run.start, run.end);
}

// The run that is looked at.
Measurement observe(const PreparedRun& run, const Trial& trial, Options options) {
  Measurement result;
  options.output = Options::Output::at_times;
  if (trial.samples > 0) options.output_times = sample_times(run, trial.samples);
  Simulation simulation(*run.equations, run.method, options);
  if (run.method_when_stiff) simulation.may_change_to(*run.method_when_stiff);
  PositionKeeper keeper(run, result.samples);
  simulation.on_output([&](double t, const Vector& x) { keeper.keep(t, x); });
  const double begin = cpu_seconds();
  const Summary summary = whole_run(simulation, run);
  result.seconds = cpu_seconds() - begin;
  take_over(summary, result);
  result.statistics = summary.statistics;
  if (result.finished() && run.digits) result.digits = run.digits(summary.t, summary.final_state);
  return result;
}

// From sample to sample, each time with a new start. Counters are not kept.
Measurement observe_piecewise(const PreparedRun& run, const Trial& trial, Options options) {
  Measurement result;
  options.output = Options::Output::at_times;
  PositionKeeper keeper(run, result.samples);
  const std::vector<double> times = sample_times(run, trial.samples);
  const double begin = cpu_seconds();
  Vector x = run.x0;
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    // the first output is the assembled start
    options.output_times = {times[i]};
    Simulation simulation(*run.equations, run.method, options);
    if (run.method_when_stiff) simulation.may_change_to(*run.method_when_stiff);
    simulation.on_output([&](double t, const Vector& state) { keeper.keep(t, state); });
    const Summary summary = simulation.run(x, times[i], times[i + 1]);
    take_over(summary, result);
    if (!result.finished()) return result;
    x = summary.final_state;
    // conditions are for the start, and what a step leaves is to be closed, not refused
    options.assembly.conditions.clear();
    options.initial_values = Options::InitialValues::correct;
    options.h0 = 0;
  }
  keeper.keep(run.end, x);
  result.seconds = cpu_seconds() - begin;
  if (run.digits) result.digits = run.digits(run.end, x);
  return result;
}

// Runs that are only timed.
void repeat(const PreparedRun& run, int times, Options options, Measurement& result) {
  options.output = Options::Output::at_times;
  options.record = false;
  options.watch_constraints = false;
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) {
    Simulation simulation(*run.equations, run.method, options);
    if (run.method_when_stiff) simulation.may_change_to(*run.method_when_stiff);
    const double begin = cpu_seconds();
    if (whole_run(simulation, run).status != Status::finished) return;
    seconds.push_back(cpu_seconds() - begin);
  }
  result.seconds = median(seconds);
  result.repeats = times;
}

}  // namespace

Measurement run_trial(const Subject& subject, const Trial& trial, const std::atomic<bool>* interrupt) try {
  PreparedRun run = subject.prepare(trial);
  Options options = run.options;
  options.interrupt = interrupt;
  const bool piecewise = trial.land_on_samples && trial.samples > 0;
  Measurement result = piecewise ? observe_piecewise(run, trial, options) : observe(run, trial, options);
  result.atol = options.tolerances.absolute;
  result.repeats = 1;
  if (!result.finished()) result.samples = {};
  if (piecewise) return result;
  const bool is_short = result.seconds < short_run_seconds;
  const int times = trial.repeat > 0 ? trial.repeat : is_short ? repeats_of_short_runs : 1;
  // a long run need not be made again to be timed once: what it kept is little against its steps
  if (result.finished() && (is_short || times > 1)) repeat(run, times, options, result);
  return result;
} catch (const std::exception& error) {
  Measurement result;
  result.outcome = Measurement::Outcome::failed;
  result.message = error.what();
  return result;
}

}  // namespace trammel
