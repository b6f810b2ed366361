// Where runs and comparisons leave their files, and what the program says to its caller at the end of a run.
#pragma once

#include <filesystem>
#include <string>

#include "trammel/simulation/summary.h"

namespace trammel {

// The folder, made if it does not exist. Throws std::invalid_argument if it cannot be written into: better
// refused than noticed after an hour of computing.
std::filesystem::path make_output_folder(const std::string& folder);

// 0, run_failed, usage_error if the run did not even begin because of what was asked for, or 128 and the
// number of the signal that interrupted it.
int exit_code_of(const Summary& summary);

}  // namespace trammel
