#include "trammel/cli/run_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "trammel/cli/interruption.h"
#include "trammel/cli/settings.h"

namespace trammel {

void add_run_arguments(CLI::App& command, RunArguments& arguments, const std::string& atol_default,
                       const std::string& samples_default, const std::string& out_default) {
  command.add_option("--set", arguments.set, "Parameters with other values: name=value ...");
  command.add_option("--method", arguments.method, "formulation/integrator, or auto; see 'trammel methods'.");
  command.add_option("--rtol", arguments.rtol, "Relative tolerance.");
  command.add_option("--atol", arguments.atol, "Absolute tolerance (default: " + atol_default + ").");
  command.add_option("--tolerance", arguments.tolerance,
                     "Tolerances of single bodies, joints, states or unknowns: name=RTOL, name=RTOL:ATOL or "
                     "name=:ATOL; of constraints of joints: name=::CLOSURE ...");
  command.add_option("--h0", arguments.h0, "First step size.");
  command.add_option("--until,--end", arguments.until, "End time.");
  command.add_option("--option", arguments.option,
                     "Options of the method: key=value ...; see 'trammel options'.");
  command.add_option("--samples", arguments.samples,
                     "Equidistant output samples (default: " + samples_default + ").");
  command.add_option(
      "--out", arguments.out,
      "Write results (tables, JSON, a page to look at) into this folder (default: " + out_default + ").");
  command
      .add_option("--channels", arguments.channels,
                  "Channels, or groups of them, in results.csv, separated by commas (default: all).")
      ->allow_extra_args(false)
      ->delimiter(',');
  command.add_flag("--no-csv", arguments.no_csv, "No results.csv and steps.csv.");
  command.add_flag("--no-hdf5", arguments.no_hdf5, "No results.h5.");
  command.add_flag("--no-page", arguments.no_page, "No index.html.");
  command.add_flag("--no-checkpoint", arguments.no_checkpoint, "The run cannot be resumed if it is killed.");
  command.add_option("--resume", arguments.resume,
                     "Go on with the run whose results are in this folder, from its last checkpoint.");
  command.add_flag("--quiet", arguments.quiet, "No progress and no summary on the screen.");
  command.add_flag("--json", arguments.json, "Exactly one JSON object on standard output.");
}

namespace {

// "1e-4", "1e-4:1e-6", ":1e-6", "::1e-5".
SimulationSettings::NamedTolerance named_tolerance(const std::string& name, const std::string& text) {
  const auto number = [&](const std::string& part) -> std::optional<double> {
    if (part.empty()) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || !std::isfinite(value) || value < 0)
      throw std::invalid_argument(fmt::format(
          "--tolerance {}={}: '{}' is no tolerance; RTOL, RTOL:ATOL, :ATOL or ::CLOSURE is expected", name,
          text, part));
    return value;
  };
  const std::size_t colon = text.find(':');
  SimulationSettings::NamedTolerance tolerance{name, number(text.substr(0, colon)), {}, {}};
  const std::string behind = colon == std::string::npos ? "" : text.substr(colon + 1);
  const std::size_t second = behind.find(':');
  tolerance.atol = number(behind.substr(0, second));
  if (second != std::string::npos) tolerance.closure = number(behind.substr(second + 1));
  if (!tolerance.rtol && !tolerance.atol && !tolerance.closure)
    throw std::invalid_argument(fmt::format("--tolerance {}={} says nothing", name, text));
  return tolerance;
}

}  // namespace

RunRequest request_of(const RunArguments& arguments) {
  check_is_finite("--end", arguments.until);
  check_is_finite("--rtol", arguments.rtol);
  check_is_finite("--atol", arguments.atol);
  check_is_finite("--h0", arguments.h0);
  RunRequest request;
  request.end = arguments.until;
  request.samples = arguments.samples;
  if (!arguments.method.empty()) request.method = arguments.method;
  request.rtol = arguments.rtol;
  request.atol = arguments.atol;
  request.h0 = arguments.h0;
  for (const auto& [name, text] : split_settings(arguments.tolerance, "--tolerance"))
    request.tolerances.push_back(named_tolerance(name, text));
  request.options = split_settings(arguments.option, "--option");
  request.interrupt = Interruption::flag();
  return request;
}

}  // namespace trammel
