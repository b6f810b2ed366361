#include "trammel/published/case_run.h"

#include <fmt/format.h>

#include <stdexcept>

#include "trammel/simulation/named_tolerances.h"
#include "trammel/version.h"

namespace trammel {

Options options_of_case(const ProblemCase& instance, const Method& method, const RunRequest& request) {
  Options options;
  options.tolerances.relative = request.rtol.value_or(instance.rtol);
  options.tolerances.absolute = request.atol.value_or(request.rtol ? *request.rtol : instance.atol);
  set_named_tolerances(*instance.equations, request.tolerances, options.tolerances);
  set_named_closures(*instance.equations, request.tolerances, options.projection);
  options.h0 = request.h0.value_or(instance.h0);
  options.assembly = instance.assembly;
  options.psf.enforce_invariants = instance.enforce_invariants;
  const auto set = [&](const std::string& key, const std::string& value) {
    if (Failure failure = set_option(options, key, value)) throw std::invalid_argument(failure.message);
  };
  for (const auto& [key, value] : instance.options)  // of the case: for the methods that have them
    if (!check_option(method, key)) set(key, value);
  for (const auto& [key, value] : request.options) {
    set(key, value);
    if (Failure failure = check_option(method, key)) throw std::invalid_argument(failure.message);
  }
  return options;
}

MethodChoice automatic_choice(const ProblemCase& instance, const RunRequest& request) {
  Options asked;
  for (const auto& [key, value] : request.options)
    if (Failure failure = set_option(asked, key, value)) throw std::invalid_argument(failure.message);
  asked.psf.enforce_invariants = instance.enforce_invariants;
  const Method method = choose_method(*instance.equations, std::move(asked)).method;
  return choose_method(*instance.equations, options_of_case(instance, method, request));
}

CaseRun::CaseRun(const BuiltinProblem& problem, const std::map<std::string, double>& parameters,
                 RunRequest request)
    : problem_(problem), parameters_(problem.values(parameters)), request_(std::move(request)) {
  settle_method();
  settings_.end = request_.end.value_or(instance_.t_end);
  const int samples = request_.samples.value_or(0);
  if (samples < 0) throw std::invalid_argument("--samples must not be negative");
  if (samples > 0) {
    settings_.output_interval = (settings_.end - instance_.t_start) / samples;
    settings_.options.output = Options::Output::at_times;
    for (int i = 0; i <= samples; ++i)
      settings_.options.output_times.push_back(instance_.t_start +
                                               (settings_.end - instance_.t_start) * i / samples);
  }
  settings_.options.interrupt = request_.interrupt;
  settings_.options.rest_steps = request_.checkpoint_steps;
  simulation_ = std::make_unique<Simulation>(*instance_.equations, settings_.method, settings_.options);
  if (settings_.method_when_stiff) simulation_->may_change_to(*settings_.method_when_stiff);
}

// The method that is asked for, or that of the source; `auto` is chosen by the equations.
void CaseRun::settle_method() {
  instance_ = problem_.make(parameters_);
  const std::string name = request_.method.value_or(instance_.method);
  if (name == automatic_method) {
    MethodChoice choice = automatic_choice(instance_, request_);
    settings_.method = choice.method;
    settings_.method_when_stiff = choice.when_stiff;
    settings_.options = std::move(choice.options);
    settings_.options_of_choice = std::move(choice.options_set);
    settings_.why_method = std::move(choice.reason);
    return;
  }
  if (Failure failure = parse_method(name, settings_.method)) throw std::invalid_argument(failure.message);
  instance_ = problem_.make_for(settings_.method.formulation, parameters_);
  settings_.options = options_of_case(instance_, settings_.method, request_);
}

CaseRun::~CaseRun() = default;

const Recording& CaseRun::record() {
  if (instance_.mechanism != nullptr)
    bodies_ = std::make_unique<MechanismRecorder>(*instance_.mechanism, recording_);
  else
    unknowns_ = std::make_unique<StateRecorder>(*instance_.equations, instance_.drawn_columns, recording_);
  add_steps({}, recording_, has_invariants());
  describe();
  return recording_;
}

// What the files of results say about where they come from.
void CaseRun::describe() {
  const auto number = [](double value) { return fmt::format("{}", value); };
  recording_.title = problem_.name;
  recording_.set_metadata("version", std::string(version));
  recording_.set_metadata("problem", problem_.name);
  recording_.set_metadata("method", settings_.method.name());
  if (settings_.method_when_stiff)
    recording_.set_metadata("method_when_stiff", settings_.method_when_stiff->name());
  recording_.set_metadata("rtol", number(settings_.options.tolerances.relative));
  recording_.set_metadata("atol", number(settings_.options.tolerances.absolute));
  recording_.set_metadata("h0", number(settings_.options.h0));
  recording_.set_metadata("end", number(settings_.end));
  for (const auto& [key, value] : settings_.options.named) recording_.set_metadata("option." + key, value);
  for (const auto& [key, value] : parameters_) recording_.set_metadata("parameter." + key, number(value));
  recording_.set_metadata("status", unfinished_status);  // until it has an end
}

void CaseRun::append(double t, const Vector& x) {
  if (bodies_)
    bodies_->append(t, x);
  else
    unknowns_->append(t, x);
}

void CaseRun::connect() {
  if (is_recorded())
    simulation_->on_output([this](double t, const Vector& x) {
      if (records_) append(t, x);
    });
  if (bodies_) simulation_->on_follow([this](double t, const Vector& x) { bodies_->follow(t, x); });
  if (is_recorded() || request_.on_step)
    simulation_->on_step([this](const Point<double>& x, double h) {
      if (!records_) return true;
      if (is_recorded()) add_steps(simulation_->trajectory().steps, recording_, has_invariants());
      return !request_.on_step || request_.on_step(x.t, h);
    });
  if (request_.on_checkpoint)
    simulation_->on_rest([this](const RunSnapshot& snapshot) { tell_checkpoint(snapshot); });
}

bool CaseRun::start() {
  began_ = std::chrono::steady_clock::now();
  started_ = true;
  connect();
  return simulation_->start(instance_.x0, instance_.t_start, settings_.end);
}

// Those of the samples that there are by now.
void CaseRun::take_energies() {
  const Trajectory& trajectory = simulation_->trajectory();
  for (; instance_.energy && energies_taken_ < trajectory.samples(); ++energies_taken_)
    drift_.include(instance_.energy(trajectory.time(energies_taken_), trajectory.state(energies_taken_)));
}

void CaseRun::carry_records(Carrier& carried, std::vector<EventRecord>& events) {
  carried.expect(static_cast<double>(recording_.channels().size()));
  if (bodies_) bodies_->carry(carried);
  carried(drift_, events);
}

void CaseRun::tell_checkpoint(const RunSnapshot& snapshot) {
  take_energies();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
  RunCheckpoint checkpoint{.simulation = snapshot,
                           .records = {},
                           .t = simulation_->t(),
                           .wall_seconds = wall_seconds_before_ + passed.count(),
                           .samples = recording_.samples.samples(),
                           .steps = recording_.steps.samples()};
  std::vector<EventRecord> events = simulation_->trajectory().events;
  Carrier carried = Carrier::saving(checkpoint.records);
  carry_records(carried, events);
  request_.on_checkpoint(std::move(checkpoint));
}

Failure CaseRun::resume(const RunCheckpoint& checkpoint, const RecordedRows& rows) {
  const Failure does_not_fit{Reason::invalid_options, "the checkpoint is not one of this run"};
  // as the first one was started; what that recorded is known
  records_ = false;
  const bool on = start();
  records_ = true;
  if (!on) return simulation_->finish().failure ? simulation_->finish().failure : does_not_fit;

  if (!put_rows(rows, recording_) || recording_.samples.samples() != checkpoint.samples ||
      recording_.steps.samples() != checkpoint.steps)
    return does_not_fit;
  Trajectory so_far(simulation_->trajectory().names());
  so_far.steps = steps_of(recording_);
  Carrier carried = Carrier::restoring(checkpoint.records);
  carry_records(carried, so_far.events);
  if (!carried.fits() || !carried.is_at_end() ||
      !simulation_->resume(checkpoint.simulation, std::move(so_far)))
    return does_not_fit;
  wall_seconds_before_ = checkpoint.wall_seconds;
  return {};
}

const Summary& CaseRun::run() {
  if (started_ || start()) simulation_->advance(settings_.end);
  summary_ = simulation_->finish();
  summary_.wall_seconds += wall_seconds_before_;
  take_energies();
  if (!is_recorded()) return summary_;

  // where it stopped, if that is between two samples
  const std::vector<double>& times = recording_.times();
  if (!times.empty() && summary_.t > times.back()) append(summary_.t, summary_.final_state);
  add_steps(simulation_->trajectory().steps, recording_, has_invariants());
  if (bodies_) bodies_->judge(summary_);
  recording_.set_metadata("status", std::string(name(summary_.status)));
  recording_.set_metadata("message", summary_.message());
  return summary_;
}

std::optional<double> CaseRun::energy_drift() const {
  return instance_.energy ? drift_.largest() : std::nullopt;
}

std::optional<double> CaseRun::digits() const {
  if (!instance_.digits || summary_.status != Status::finished) return std::nullopt;
  return instance_.digits(summary_.t, summary_.final_state);
}

std::optional<double> CaseRun::error() const {
  if (!digits()) return std::nullopt;
  return instance_.error(summary_.t, summary_.final_state);
}

}  // namespace trammel
