#include "trammel/comparison/subject.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "trammel/motion/assembly.h"
#include "trammel/published/case_run.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

namespace {

// `trammel run` without a tolerance takes this one.
constexpr double rtol_of_models = 1e-6, atol_by_rtol = 0.01;

using Settings = std::vector<std::pair<std::string, std::string>>;

void set_options(Options& options, const Settings& settings) {
  for (const auto& [key, value] : settings)
    if (Failure failure = set_option(options, key, value)) throw std::invalid_argument(failure.message);
}

Method method_of(const Trial& trial) {
  Method method;
  if (Failure failure = parse_method(trial.method.name, method)) throw std::invalid_argument(failure.message);
  return method;
}

bool is_automatic(const Trial& trial) { return trial.method.name == automatic_method; }

// Those that the method has, and those of the trial. Throws if a key or a value is wrong, whoever has it.
Settings options_for(const Trial& trial, const Settings& settings) {
  Options unused;
  set_options(unused, settings);
  Settings result;
  for (const auto& setting : settings)
    if (is_automatic(trial) ? automatic_methods_have(setting.first)
                            : !check_option(method_of(trial), setting.first))
      result.push_back(setting);
  result.insert(result.end(), trial.method.options.begin(), trial.method.options.end());
  return result;
}

}  // namespace

ProblemSubject::ProblemSubject(const BuiltinProblem& problem, const std::map<std::string, double>& parameters,
                               SubjectSettings settings)
    : problem_(problem), values_(problem.values(parameters)), settings_(std::move(settings)) {
  name_ = problem.name;
  title_ = problem.summary;
  source_ = problem.source;
}

std::vector<SharedOption> ProblemSubject::options() const {
  std::vector<SharedOption> result;
  for (const auto& [key, value] : settings_.options) result.push_back({key, value, {}});
  return result;
}

PreparedRun ProblemSubject::prepare(const Trial& trial) const {
  PreparedRun run;
  if (!is_automatic(trial)) run.method = method_of(trial);
  auto instance = std::make_shared<ProblemCase>(
      is_automatic(trial) ? problem_.make(values_) : problem_.make_for(run.method.formulation, values_));
  run.equations = instance->equations.get();
  run.x0 = instance->x0;
  run.start = instance->t_start;
  run.end = settings_.end.value_or(instance->t_end);
  run.of_bodies = instance->mechanism != nullptr;
  run.digits = instance->digits;

  RunRequest request{.rtol = trial.rtol, .atol = settings_.atol, .h0 = settings_.h0};
  request.options = options_for(trial, settings_.options);
  if (is_automatic(trial)) {
    MethodChoice choice = automatic_choice(*instance, request);
    run.method = choice.method;
    run.method_when_stiff = choice.when_stiff;
    run.options = std::move(choice.options);
  } else {
    run.options = options_of_case(*instance, run.method, request);
  }
  run.owner = std::move(instance);
  return run;
}

ModelSubject::ModelSubject(const Model& model, SubjectSettings settings)
    : model_(model), settings_(std::move(settings)) {
  name_ = std::filesystem::path(model.file).filename().string();
  title_ = model.mechanism.title;
}

std::vector<SharedOption> ModelSubject::options() const {
  std::vector<SharedOption> result;
  for (const auto& [key, value] : settings_.options) result.push_back({key, value, {}});
  for (const SimulationSettings::Option& option : model_.simulation.options)
    result.push_back({option.name, option.value, model_.file});
  return result;
}

PreparedRun ModelSubject::prepare(const Trial& trial) const {
  const SimulationSettings& of_model = model_.simulation;
  RunRequest request;
  request.end = settings_.end;
  request.samples = 1;
  request.method = trial.method.name;
  request.rtol = trial.rtol;
  // a fixed atol would be all that is seen of the tight tolerances, and spoil the mild ones
  const double proportion =
      of_model.atol ? *of_model.atol / of_model.rtol.value_or(rtol_of_models) : atol_by_rtol;
  request.atol = settings_.atol.value_or(proportion * trial.rtol);
  request.h0 = settings_.h0;
  request.options = options_for(trial, settings_.options);
  auto mechanism_run = std::make_shared<MechanismRun>(model_, request);

  PreparedRun run;
  MechanismEquations& equations = mechanism_run->equations();
  run.equations = &equations;
  run.method = mechanism_run->settings().method;
  run.method_when_stiff = mechanism_run->settings().method_when_stiff;
  run.options = mechanism_run->settings().options;
  run.end = mechanism_run->settings().end;
  run.of_bodies = true;
  run.x0 = mechanism_run->start_state();
  run.assembly = mechanism_run->assembly();
  run.owner = std::move(mechanism_run);
  return run;
}

SubjectFacts facts_of(const Subject& subject) {
  PreparedRun run = subject.prepare({.method = {Method{}.name()}});
  EquationsOfMotion& equations = *run.equations;
  if (!run.assembly) {
    Vector x = run.x0;
    AssemblyOptions assembly = run.options.assembly;
    assembly.meet_invariants = false;
    run.assembly = Assembly(equations, assembly).run(run.start, x);
  }
  SubjectFacts facts;
  facts.start = run.start;
  facts.end = run.end;
  facts.traits = traits_of(equations);
  const Layout& layout = equations.layout();
  if (run.assembly->velocity_rank < layout.lambda.size + layout.mu.size)
    facts.traits.insert(Trait::redundant_constraints);
  facts.large = is_large(equations);
  facts.has_published_reference = run.digits && run.digits(run.end, run.x0).has_value();
  facts.usual = usual_methods(facts.traits, facts.large);
  return facts;
}

}  // namespace trammel
