// Results to be plotted, of whatever kind: what `trammel run` or `trammel problem` leaves in a folder, or one
// of its files.
#pragma once

#include <string>
#include <vector>

#include "trammel/result/recording.h"

namespace trammel {

struct PlotResult {
  std::string path;   // as it was given
  std::string label;  // short: the name of the folder
  Recording recording;
  bool has_units = false;  // CSV has none
  // The run has not come to its end: it is still going on, or was killed.
  bool unfinished = false;
};

// A folder's results.h5, or else its results.csv and steps.csv; or a file of any of these kinds. Throws
// std::invalid_argument if there is none or it cannot be read.
PlotResult read_plot_result(const std::string& path);

// Likewise, with labels that differ. Channels that have no groups and units take those of the first result
// that has.
std::vector<PlotResult> read_plot_results(const std::vector<std::string>& paths);

}  // namespace trammel
