// The arguments that `trammel problem` and `trammel run` share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trammel/simulation/mechanism_run.h"

// declared only: its header costs seconds in every source
namespace CLI {
class App;
}

namespace trammel {

struct RunArguments {
  std::vector<std::string> set, option, tolerance;
  std::string method;
  std::optional<double> rtol, atol, h0, until;
  std::optional<int> samples;
  std::string out;
  std::vector<std::string> channels;
  bool no_csv = false, no_hdf5 = false, no_page = false;
  bool no_checkpoint = false;
  std::string resume;  // the folder of a run that is to go on
  bool json = false, quiet = false;
};

// `atol_default`, `samples_default` and `out_default` say what happens if nothing is given.
void add_run_arguments(CLI::App& command, RunArguments& arguments, const std::string& atol_default,
                       const std::string& samples_default, const std::string& out_default);

// What is asked of a run, which ends when a signal interrupts it. Throws std::invalid_argument if one of the
// numbers is not finite.
RunRequest request_of(const RunArguments& arguments);

}  // namespace trammel
