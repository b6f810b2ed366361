#include "trammel_peer.h"

#include <optional>
#include <stdexcept>

#include "trammel/simulation/mechanism_run.h"
#include "trammel/simulation/simulation.h"

namespace peers {

namespace {

using namespace trammel;

Method method_of(const std::string& text) {
  Method method;
  if (const Failure failure = parse_method(text, method)) throw std::runtime_error(failure.message);
  return method;
}

double largest(const Vector& values) { return values.size() > 0 ? values.lpNorm<Eigen::Infinity>() : 0; }

// A timed run that keeps nothing, and its violations at the end.
Run timed_run(EquationsOfMotion& equations, const Method& method, Options options, const Vector& x0,
              double end, Vector& final_state, bool with_start = true) {
  options.record = false;
  options.watch_constraints = false;
  Simulation simulation(equations, method, std::move(options));
  std::optional<Stopwatch> watch;
  if (with_start) watch.emplace();
  simulation.start(x0, 0, end);
  if (!with_start) watch.emplace();
  simulation.advance(end);
  const Summary summary = simulation.finish();
  Run run;
  run.seconds = watch->seconds();
  if (summary.status != Status::finished) {
    run.failure = summary.failure.message;
    return run;
  }
  run.steps = static_cast<double>(summary.statistics.accepted);
  run.evaluations = static_cast<double>(summary.statistics.evaluations);
  final_state = summary.final_state.head(equations.layout().total);
  if (equations.layout().lambda.size > 0) {
    MotionValues values(equations.layout());
    const Vector a = Vector::Zero(equations.layout().v.size);
    equations.evaluate({end, final_state, a}, part::g | part::gI, values);
    run.position_violation = largest(values.g);
    run.velocity_violation = largest(values.gI);
  }
  return run;
}

}  // namespace

Run run_builtin(const std::string& name, const std::map<std::string, double>& parameters, double end,
                const std::string& method_name, double tolerance, const StateFunction& error,
                const StateFunction& energy) {
  const Method method = method_of(method_name);
  const BuiltinProblem& builtin = *find_problem(name);
  ProblemCase problem = builtin.make_for(method.formulation, builtin.values(parameters));
  Options options;
  for (const auto& [key, value] : problem.options) set_option(options, key, value);
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  options.assembly = problem.assembly;
  options.h0 = problem.h0;
  Vector x;
  Run run = timed_run(*problem.equations, method, options, problem.x0, end, x);
  if (!run.failure.empty()) return run;
  if (error)
    run.error = error(x);
  else if (problem.digits)
    run.error = std::pow(10.0, -problem.digits(end, x).value());
  if (energy) run.energy_drift = std::abs(energy(x) - energy(problem.x0));
  return run;
}

Run run_mechanism(const Mechanism& mechanism, const std::string& method_name, double end, double tolerance,
                  const std::function<double(const MechanismMotion& at_end)>& error) {
  const std::size_t comma = method_name.find(", "), more = method_name.find(", ", comma + 2);
  const Method method = method_of(method_name.substr(0, comma));
  const std::string coordinates =
      comma == std::string::npos ? "cartesian" : method_name.substr(comma + 2, more - comma - 2);
  const std::unique_ptr<MechanismEquations> made = make_equations(mechanism, coordinates);
  MechanismEquations& equations = *made;
  Options options;
  options.tolerances.relative = options.tolerances.absolute = tolerance;  // as SUNDIALS has it here
  options.assembly = assembly_options(equations);
  const Vector x0 = equations.initial_state();
  Vector x;
  const bool with_start = comma == std::string::npos || more == std::string::npos;
  Run run = timed_run(equations, method, options, x0, end, x, with_start);
  if (!run.failure.empty()) return run;
  const std::unique_ptr<MechanismMotion> motion = equations.mechanism_motion();
  const Vector a = Vector::Zero(equations.layout().v.size);
  const auto energy = [&](double t, const Vector& at) {
    motion->set_state(t, at, a);
    return motion->kinetic_energy() + motion->potential_energy();
  };
  const double start = energy(0, x0);
  run.energy_drift = std::abs(energy(end, x) - start);
  run.error = error(*motion);
  return run;
}

}  // namespace peers
