// What a run leaves in its output folder: trajectory.csv, steps.csv, summary.json and index.html to look at.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "trammel/motion/equations.h"
#include "trammel/result/planar_drawing.h"
#include "trammel/result/trajectory.h"
#include "trammel/simulation/options.h"
#include "trammel/simulation/summary.h"

namespace trammel {

struct RunDescription {
  std::string title, subtitle;
  std::map<std::string, double> parameters;
  Options options;
  std::optional<double> digits;
};

// Writes the files and returns the path of the page. Throws std::runtime_error if the folder cannot be
// written.
std::string write_run_output(const std::string& folder, const EquationsOfMotion& equations,
                             const Trajectory& trajectory, const Summary& summary,
                             const RunDescription& description, const PlanarDrawing& drawing);

}  // namespace trammel
