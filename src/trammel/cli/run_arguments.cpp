#include "trammel/cli/run_arguments.h"

#include "trammel/cli/settings.h"

namespace trammel {

void add_run_arguments(CLI::App& command, RunArguments& arguments, const std::string& atol_default,
                       const std::string& samples_default, const std::string& out_default) {
  command.add_option("--set", arguments.set, "Parameters with other values: name=value ...");
  command.add_option("--method", arguments.method, "formulation/integrator; see 'trammel methods'.");
  command.add_option("--rtol", arguments.rtol, "Relative tolerance.");
  command.add_option("--atol", arguments.atol, "Absolute tolerance (default: " + atol_default + ").");
  command.add_option("--h0", arguments.h0, "First step size.");
  command.add_option("--until,--end", arguments.until, "End time.");
  command.add_option("--option", arguments.option,
                     "Options of the method: key=value ...; see 'trammel options'.");
  command.add_option("--samples", arguments.samples,
                     "Equidistant output samples (default: " + samples_default + ").");
  command.add_option(
      "--out", arguments.out,
      "Write results (tables, JSON, a page to look at) into this folder (default: " + out_default + ").");
  command.add_flag("--json", arguments.json, "Exactly one JSON object on standard output.");
}

void check_run_arguments(const RunArguments& arguments) {
  check_is_finite("--end", arguments.until);
  check_is_finite("--rtol", arguments.rtol);
  check_is_finite("--atol", arguments.atol);
  check_is_finite("--h0", arguments.h0);
}

}  // namespace trammel
