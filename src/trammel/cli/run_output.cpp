#include "trammel/cli/run_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <stdexcept>
#include <system_error>

#include "trammel/cli/commands.h"
#include "trammel/cli/interruption.h"

namespace trammel {

std::filesystem::path make_output_folder(const std::string& folder) {
  const std::filesystem::path path(folder);
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error))
    error = std::make_error_code(std::errc::not_a_directory);
  if (error)
    throw std::invalid_argument(fmt::format("cannot create the folder '{}': {}", folder, error.message()));
  if (::access(path.c_str(), W_OK | X_OK) != 0)
    throw std::invalid_argument(fmt::format("the folder '{}' cannot be written into", folder));
  return path;
}

int exit_code_of(const Summary& summary) {
  if (summary.failure.reason == Reason::interrupted) return Interruption::exit_code();
  if (summary.ok()) return 0;
  const bool senseless =
      summary.failure.reason == Reason::invalid_options || summary.failure.reason == Reason::end_before_start;
  return senseless ? usage_error : run_failed;
}

}  // namespace trammel
