// Runs a built-in problem as the command line would.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "trammel/published/builtin.h"
#include "trammel/simulation/simulation.h"

namespace trammel {

struct ProblemRun {
  Summary summary;
  Trajectory trajectory;
  std::optional<double> digits;
};

struct ProblemSettings {
  std::map<std::string, double> parameters;
  std::optional<double> until;
  std::optional<double> h0;
  std::map<std::string, std::string> options;
};

inline ProblemRun run_problem(const std::string& name, double tolerance,
                              const std::string& method = "psf/radau5",
                              const ProblemSettings& settings = {}) {
  const BuiltinProblem& builtin = *find_problem(name);
  ProblemCase instance = builtin.make(builtin.values(settings.parameters));
  Options options;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  options.h0 = settings.h0.value_or(instance.h0);
  options.assembly = instance.assembly;
  options.psf.enforce_invariants = instance.enforce_invariants;
  for (const auto& [key, value] : settings.options) EXPECT_FALSE(set_option(options, key, value)) << key;
  Method parsed;
  EXPECT_FALSE(parse_method(method, parsed));
  Simulation simulation(*instance.equations, parsed, options);
  ProblemRun result;
  result.summary = simulation.run(instance.x0, instance.t_start, settings.until.value_or(instance.t_end));
  result.trajectory = simulation.trajectory();
  if (instance.digits) result.digits = instance.digits(result.summary.t, result.summary.final_state);
  return result;
}

}  // namespace trammel
