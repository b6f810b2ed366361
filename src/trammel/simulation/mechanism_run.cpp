#include "trammel/simulation/mechanism_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include "trammel/motion/coordinate_choice.h"
#include "trammel/simulation/method_choice.h"
#include "trammel/simulation/named_tolerances.h"
#include "trammel/simulation/simulation.h"
#include "trammel/version.h"

namespace trammel {

namespace {

constexpr double default_rtol = 1e-6;
constexpr int default_samples = 1000;
// A mistyped interval should not fill the memory.
constexpr double most_samples = 1e7;

// A value of the request comes first, then one of the model.
template <class Value>
std::optional<Value> first_of(const std::optional<Value>& asked, const std::optional<Value>& of_model) {
  return asked ? asked : of_model;
}

void demand_positive(const std::optional<double>& value, const char* what) {
  if (value && !(*value > 0 && std::isfinite(*value)))
    throw std::invalid_argument(fmt::format("{} must be positive, not {}", what, *value));
}

// Samples at multiples of the interval, and at the end.
std::vector<double> output_times(double end, double interval) {
  const double count = std::floor(end / interval * (1 + 1e-12));
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(count) + 2);
  for (double i = 0; i <= count; ++i) times.push_back(i * interval);
  if (end - times.back() < 1e-9 * interval)
    times.back() = end;
  else
    times.push_back(end);
  return times;
}

double output_interval(const RunRequest& request, const SimulationSettings& model, double end) {
  if (request.samples && request.output_interval)
    throw std::invalid_argument("give the number of samples or the time between them, not both");
  demand_positive(request.output_interval, "the time between samples");
  if (request.samples && *request.samples <= 0)
    throw std::invalid_argument(
        fmt::format("the number of samples must be positive, not {}", *request.samples));
  const double interval =
      request.samples
          ? end / *request.samples
          : first_of(request.output_interval, model.output).value_or(end > 0 ? end / default_samples : 1.0);
  if (end / interval > most_samples)
    throw std::invalid_argument(fmt::format("{} s with a sample every {} s are more than {:.0e} samples", end,
                                            interval, most_samples));
  // an end of zero only assembles: one sample
  return interval > 0 ? interval : 1.0;
}

void set_options(const Model& model, const RunRequest& request, Options& options) {
  for (const SimulationSettings::Option& option : model.simulation.options)
    if (Failure failure = set_option(options, option.name, option.value))
      throw ModelError(option.place, failure.message);
  for (const auto& [key, value] : request.options)
    if (Failure failure = set_option(options, key, value)) throw std::invalid_argument(failure.message);
}

RunSettings settle(const Model& model, const RunRequest& request, MechanismEquations& equations) {
  const SimulationSettings& of_model = model.simulation;
  RunSettings settings;
  settings.end = first_of(request.end, of_model.end).value_or(default_end);
  if (!(settings.end >= 0 && std::isfinite(settings.end)))
    throw std::invalid_argument(fmt::format("the end time must not be negative, but is {}", settings.end));
  settings.output_interval = output_interval(request, of_model, settings.end);

  Options& options = settings.options;
  options.tolerances.relative = first_of(request.rtol, of_model.rtol).value_or(default_rtol);
  options.tolerances.absolute =
      first_of(request.atol, of_model.atol).value_or(0.01 * options.tolerances.relative);
  set_named_tolerances(equations, of_model.tolerances, options.tolerances);
  set_named_tolerances(equations, request.tolerances, options.tolerances);
  set_named_closures(equations, of_model.tolerances, options.projection);
  set_named_closures(equations, request.tolerances, options.projection);
  set_cyclic(equations, options.tolerances);
  options.h0 = first_of(request.h0, of_model.h0).value_or(0);
  if (!(options.h0 >= 0 && std::isfinite(options.h0)))
    throw std::invalid_argument(fmt::format("the first step must not be negative, but is {}", options.h0));
  set_options(model, request, options);

  const double closure_tolerance = options.assembly.closure_tolerance;
  options.assembly = assembly_options(equations);
  options.assembly.closure_tolerance = closure_tolerance;
  options.output = Options::Output::at_times;
  options.output_times = output_times(settings.end, settings.output_interval);
  options.interrupt = request.interrupt;
  options.rest_steps = request.checkpoint_steps;
  return settings;
}

}  // namespace

void check_simulation_options(const SimulationSettings& settings, const Method& method) {
  for (const SimulationSettings::Option& option : settings.options)
    if (Failure failure = check_option(method, option.name)) throw ModelError(option.place, failure.message);
}

std::string RunSettings::options_report() const {
  std::vector<std::string> words;
  for (const auto& option : options.named) {
    const bool chosen =
        std::find(options_of_choice.begin(), options_of_choice.end(), option) != options_of_choice.end();
    words.push_back(fmt::format("{}={}{}", option.first, option.second, chosen ? " (by auto)" : ""));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<Method> RunSettings::methods() const {
  return method_when_stiff ? std::vector{method, *method_when_stiff} : std::vector{method};
}

std::string RunSettings::methods_report() const {
  return method_when_stiff ? fmt::format("{} or {}", method.name(), method_when_stiff->name())
                           : method.name();
}

MechanismRun::MechanismRun(MechanismRun&& other) noexcept = default;
MechanismRun::~MechanismRun() = default;

namespace {

std::unique_ptr<MechanismEquations> equations_of(const Model& model, const CoordinateChoice& choice) {
  try {
    return make_equations(model.mechanism, choice.coordinates);
  } catch (const std::invalid_argument& error) {
    throw ModelError(model.simulation.place, error.what());
  }
}

// A spring that would pull or push although it has no length: along which line is not determined.
void note_springs_without_direction(MechanismEquations& equations, const Vector& start,
                                    std::vector<std::string>& notes) {
  std::map<std::string, double> tensions;  // without a length, of springs that have one then
  for (const Force& force : equations.mechanism().forces)
    if (const auto* spring = force.as<Force::SpringDamper>()) {
      const double tension = spring->preload - spring->stiffness * spring->free_length.value_or(0);
      if (tension != 0) tensions[force.ends().name] = tension;
    }
  if (tensions.empty()) return;
  const std::unique_ptr<MechanismMotion> motion = equations.mechanism_motion();
  motion->set_state(0.0, start, Vector());
  for (const std::unique_ptr<ForceBlock>& block : equations.elements().forces)
    for (std::size_t i = 0; i < block->elements().size(); ++i) {
      const auto tension = tensions.find(block->elements()[i].name);
      if (tension == tensions.end()) continue;
      std::array<double, 3> force_length_rate{};
      block->outputs(motion->bodies(), 0.0, motion->input_values(), static_cast<Index>(i), force_length_rate);
      if (force_length_rate[1] == 0)
        notes.push_back(fmt::format(
            "the points of force '{}' coincide at the start, so that its {:.4g} N have no direction: nothing "
            "acts until they part",
            tension->first, tension->second));
    }
}

}  // namespace

std::unique_ptr<MechanismEquations> make_equations(const Model& model) {
  return equations_of(model, coordinates_of(model));
}

MechanismRun::MechanismRun(const Model& model, RunRequest request) : request_(std::move(request)) {
  CoordinateChoice coordinates = coordinates_of(model, request_.method, request_.tolerances);
  equations_ = equations_of(model, coordinates);
  settings_ = settle(model, request_, *equations_);
  settings_.coordinates = std::move(coordinates.coordinates);
  settings_.why_coordinates = std::move(coordinates.reason);
  settings_.notes.insert(settings_.notes.end(), model.notes.begin(), model.notes.end());
  assemble();
  settle_method(model);
  check_options(model);
  recording_ = std::make_unique<Recording>();
  recorder_ = std::make_unique<MechanismRecorder>(*equations_, *recording_);
  add_steps({}, *recording_);
  describe(model);
}

// Here, and not in the simulation, so that all methods start from the same state, and `auto` can look at it.
// If the initial values are only to be looked at, the simulation does that.
void MechanismRun::assemble() {
  start_ = equations_->initial_state();
  if (settings_.options.initial_values != Options::InitialValues::correct) return;
  Vector x = start_;
  assembly_ = assemble_mechanism(*equations_, 0.0, x, settings_.options.assembly);
  if (assembly_->failure) return;
  start_ = x;
  note_springs_without_direction(*equations_, start_, settings_.notes);
}

// The method that is asked for; `auto` is decided at the initial state.
void MechanismRun::settle_method(const Model& model) {
  const std::string name = first_of(request_.method, model.simulation.method).value_or(automatic_method);
  if (name != automatic_method) {
    const Failure failure = parse_method(name, settings_.method);
    if (failure && request_.method) throw std::invalid_argument(failure.message);
    if (failure) throw ModelError(model.simulation.place, failure.message);
    return;
  }
  MethodChoice choice = choose_method(*equations_, settings_.options);
  settings_.method = choice.method;
  settings_.method_when_stiff = choice.when_stiff;
  settings_.options = std::move(choice.options);
  settings_.options_of_choice = std::move(choice.options_set);
  settings_.why_method = std::move(choice.reason);
}

// The options of a file are for the method of the file. If the request names another one, those that it does
// not have are left out.
void MechanismRun::check_options(const Model& model) {
  Options& options = settings_.options;
  // of two methods that a run changes between both have all that the user has set
  for (const auto& [key, value] : request_.options)
    if (Failure failure = check_option(settings_.method, key)) throw std::invalid_argument(failure.message);
  const bool another =
      request_.method && *request_.method != model.simulation.method.value_or(automatic_method);
  if (!another) check_simulation_options(model.simulation, settings_.method);
  for (const SimulationSettings::Option& option : model.simulation.options) {
    if (!check_option(settings_.method, option.name)) continue;
    options.forget(option.name);
    settings_.notes.push_back(fmt::format("option '{}' of {} is left out: method '{}' does not have it",
                                          option.name, model.file, settings_.method.name()));
  }
  if (Failure failure = check_methods(settings_.methods(), options, *equations_))
    throw std::invalid_argument(failure.message);
}

// What the files of results say about where they come from.
void MechanismRun::describe(const Model& model) {
  Recording& recording = *recording_;
  const auto number = [](double value) { return fmt::format("{}", value); };
  recording.title = model.mechanism.title.empty() ? model.file : model.mechanism.title;
  recording.set_metadata("version", std::string(version));
  recording.set_metadata("model", model.file);
  recording.set_metadata("method", settings_.method.name());
  if (settings_.method_when_stiff)
    recording.set_metadata("method_when_stiff", settings_.method_when_stiff->name());
  if (!settings_.why_method.empty()) recording.set_metadata("why_method", settings_.why_method);
  recording.set_metadata("coordinates", settings_.coordinates);
  if (!settings_.why_coordinates.empty())
    recording.set_metadata("why_coordinates", settings_.why_coordinates);
  recording.set_metadata("rtol", number(settings_.options.tolerances.relative));
  recording.set_metadata("atol", number(settings_.options.tolerances.absolute));
  recording.set_metadata("h0", number(settings_.options.h0));
  recording.set_metadata("end", number(settings_.end));
  recording.set_metadata("output_interval", number(settings_.output_interval));
  for (const auto& [key, value] : settings_.options.named) recording.set_metadata("option." + key, value);
  for (const auto& [key, value] : model.mechanism.parameters)
    recording.set_metadata("parameter." + key, number(value));
  recording.set_metadata("status", unfinished_status);  // until it has an end
}

// Beside forces that are known only roughly, how roughly.
void MechanismRun::state_accuracy() {
  constexpr double worth_mentioning = 0.01;  // of the largest force
  for (const ForceAccuracy::Entry& force : accuracy_->worse_than(worth_mentioning)) {
    summary_.force_accuracy.push_back({force.channel, force.error, force.largest});
    recording_->set_metadata("accuracy." + force.channel, fmt::format("{:.2g}", force.error));
  }
  for (const ForceAccuracy::Passage& passage : accuracy_->passages())
    summary_.notes.push_back(fmt::format(
        "'{}' passes through zero length at t = {:.6g}: the direction of its force turns round there, a jump "
        "of {:.3g} N that "
        "the motion is sensitive to. Let the ends keep apart, or give it free_length 0 and no preload.",
        passage.force, passage.t, passage.jump));
}

bool MechanismRun::begin() {
  began_ = std::chrono::steady_clock::now();
  Options options = settings_.options;
  options.record_states = false;  // the recording has what is wanted of them
  simulation_ = std::make_unique<Simulation>(*equations_, settings_.method, std::move(options));
  if (settings_.method_when_stiff) simulation_->may_change_to(*settings_.method_when_stiff);
  accuracy_ = std::make_unique<ForceAccuracy>(*equations_);
  connect();
  add_events();
  return assembly_ ? simulation_->start(start_, start_time_, settings_.end, *assembly_)
                   : simulation_->start(start_, start_time_, settings_.end);
}

void MechanismRun::connect() {
  simulation_->on_output([this](double t, const Vector& x) {
    if (!records_) return;
    if (const SampleLimit* limit = simulation_->limit())
      recorder_->append(t, x, *limit);
    else
      recorder_->append(t, x);
  });
  simulation_->on_estimate(
      [this](double t, const Vector& x, const Vector& disturbed) { accuracy_->compare(t, x, disturbed); });
  simulation_->on_follow([this](double t, const Vector& x) {
    recorder_->follow(t, x);
    accuracy_->follow(t, x);
    if (looker_) looker_->follow(t, x);
  });
  simulation_->on_step([this](const Point<double>& x, double h) {
    if (!records_) return true;
    add_steps(simulation_->trajectory().steps, *recording_);
    return !request_.on_step || request_.on_step(x.t, h);
  });
  if (request_.on_checkpoint)
    simulation_->on_rest([this](const RunSnapshot& snapshot) { tell_checkpoint(snapshot); });
}

void MechanismRun::carry_records(Carrier& carried, std::vector<EventRecord>& events) {
  carried.expect(static_cast<double>(recording_->channels().size()));
  recorder_->carry(carried);
  accuracy_->carry(carried);
  carried(events);
}

RunCheckpoint MechanismRun::checkpoint_of(const RunSnapshot& snapshot) {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
  RunCheckpoint checkpoint{.simulation = snapshot,
                           .records = {},
                           .t = simulation_->t(),
                           .wall_seconds = wall_seconds_before_ + passed.count(),
                           .samples = recording_->samples.samples(),
                           .steps = recording_->steps.samples()};
  std::vector<EventRecord> events = simulation_->trajectory().events;
  Carrier carried = Carrier::saving(checkpoint.records);
  carry_records(carried, events);
  return checkpoint;
}

void MechanismRun::tell_checkpoint(const RunSnapshot& snapshot) {
  request_.on_checkpoint(checkpoint_of(snapshot));
}

Failure MechanismRun::resume(const RunCheckpoint& checkpoint, const RecordedRows& rows) {
  const Failure does_not_fit{Reason::invalid_options, "the checkpoint is not one of this run"};
  // as the first one was started; what that recorded is known
  records_ = false;
  const bool on = begin();
  records_ = true;
  if (!on) return simulation_->finish().failure ? simulation_->finish().failure : does_not_fit;

  if (!put_rows(rows, *recording_) || recording_->samples.samples() != checkpoint.samples ||
      recording_->steps.samples() != checkpoint.steps)
    return does_not_fit;
  Trajectory so_far(simulation_->trajectory().names());
  so_far.steps = steps_of(*recording_);
  Carrier carried = Carrier::restoring(checkpoint.records);
  carry_records(carried, so_far.events);
  if (!carried.fits() || !carried.is_at_end() ||
      !simulation_->resume(checkpoint.simulation, std::move(so_far)))
    return does_not_fit;
  wall_seconds_before_ = checkpoint.wall_seconds;
  return {};
}

const Summary& MechanismRun::run() {
  const bool resumed = simulation_ != nullptr;
  if (resumed) connect();  // it may have been moved since
  if (resumed || begin()) simulation_->advance(settings_.end);
  return finish();
}

const Summary& MechanismRun::finish() {
  if (!simulation_) return summary_;
  summary_ = simulation_->finish();
  summary_.wall_seconds += wall_seconds_before_;
  summary_.notes.insert(summary_.notes.begin(), settings_.notes.begin(), settings_.notes.end());

  // where it stopped, if that is between two samples
  const std::vector<double>& times = recording_->times();
  if (!times.empty() && summary_.t > times.back()) recorder_->append(summary_.t, summary_.final_state);
  state_accuracy();
  steps_ = simulation_->trajectory().steps;
  events_ = simulation_->trajectory().events;
  add_steps(steps_, *recording_);
  recorder_->judge(summary_);
  recording_->set_metadata("status", std::string(name(summary_.status)));
  recording_->set_metadata("message", summary_.message());
  for (std::size_t i = 0; i < summary_.method_changes.size(); ++i)
    recording_->set_metadata(fmt::format("method_change.{}", i + 1), summary_.method_changes[i].report());
  simulation_.reset();
  return summary_;
}

}  // namespace trammel
