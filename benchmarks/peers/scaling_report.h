// How time and memory grew: a table, Markdown, JSON and plots.
#pragma once

#include <algorithm>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "child_process.h"

namespace peers {

struct Point {  // one size
  int bodies = 0;
  ScalingMeasurement measured;

  double per_step() const { return measured.run.seconds / measured.run.steps; }
  double per_evaluation() const { return measured.run.seconds / std::max(measured.run.evaluations, 1.0); }
  double added_megabytes() const { return measured.peak_megabytes - measured.base_megabytes; }
};

struct Curve {
  std::string name;
  std::vector<Point> points;
  std::string end;  // why there are no more

  // Exponents of power laws from 100 bodies on, below which what does not grow dominates; not a number for
  // fewer than two sizes. What the smallest mechanism needs too is subtracted from memory before.
  double exponent_of_step() const;
  double exponent_of_memory() const;
};

struct Growth {
  std::string name, title;
  Growing growing;
  std::vector<Curve> curves;
};

std::string table(const Growth& growth);
std::string markdown(const Growth& growth);
nlohmann::ordered_json json(const Growth& growth);
std::string time_figure(const Growth& growth);
std::string memory_figure(const Growth& growth);

}  // namespace peers
