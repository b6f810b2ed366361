// A sweep as a page: parallel coordinates, a scatter, a heat map, the table, and the worst runs with their animations.
#pragma once

#include <string>
#include <vector>

#include "trammel/sweep/sweep_table.h"

namespace trammel {

// A run that is shown by a page of its own, relative to this one.
struct ShownRun {
  long run = 0;
  std::string page;
};

// It stands alone, but for the pages of the runs. `ranked`: the column that decides which runs are the worst.
std::string sweep_page(const SweepTable& table, const std::string& ranked,
                       const std::vector<ShownRun>& worst);

// The runs with the largest values in a column, the largest first. Throws std::invalid_argument if there is no such
// column.
std::vector<long> worst_runs(const SweepTable& table, const std::string& column, std::size_t count);
// The first maximum, or else the first column.
std::string default_ranking(const Sweep& sweep);

}  // namespace trammel
