#include "trammel/cli/run_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "trammel/result/csv.h"

namespace trammel {

namespace {

std::ofstream open(const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(fmt::format("cannot write '{}'", path.string()));
  return file;
}

}  // namespace

std::string write_run_output(const std::string& folder, const EquationsOfMotion& /*equations*/,
                             const Trajectory& trajectory, const Summary& summary,
                             const RunDescription& /*description*/, const PlanarDrawing& /*drawing*/) {
  const std::filesystem::path path(folder);
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    throw std::runtime_error(fmt::format("cannot create the folder '{}': {}", folder, error.message()));
  std::ofstream csv = open(path / "trajectory.csv");
  write_csv(csv, trajectory);
  std::ofstream steps = open(path / "steps.csv");
  write_steps_csv(steps, trajectory);
  open(path / "summary.json") << summary.json().dump(2) << '\n';
  return (path / "trajectory.csv").string();
}

}  // namespace trammel
