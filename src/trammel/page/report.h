// A run as one HTML page that stands alone: nothing is loaded from elsewhere, and the same content gives the
// same bytes.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trammel/published/planar_drawing.h"
#include "trammel/result/trajectory.h"

namespace trammel {

// Columns that share a plot, by name. A name that the trajectory does not have is said so below the plot.
struct PlotGroup {
  std::string title;
  std::string y_label;
  std::vector<std::string> columns;
};

struct ReportContent {
  std::string title;
  std::string subtitle;
  // What a reader wants to know of the run: method, tolerances, counters.
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<std::string> notes;
  // Each is drawn over time; often one for positions, velocities and multipliers each.
  std::vector<PlotGroup> groups;
  std::string time_label = "time [s]";
  // An animation is part of the page if there is a drawing.
  std::optional<PlanarDrawing> drawing;
};

// Besides what the content asks for: events as vertical lines and as a list, and over time the size of the
// steps, the violation of the constraints at each level and, if there are any, the error of the invariants.
std::string report_page(const Trajectory& trajectory, const ReportContent& content);

}  // namespace trammel
