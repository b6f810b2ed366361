// What a contest came to: a table, JSON, Markdown and a work-precision plot.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "contest.h"
#include "trammel/comparison/work_precision.h"

namespace peers {

// A competitor at one tolerance: CPU time is the median of the repeats, all else that of any of them.
struct Row {
  double tolerance = 0;
  Run run;
  std::vector<double> seconds;
};

struct Outcome {
  std::string program, method;
  bool by_hand = false;
  std::vector<Row> rows;

  std::string name() const { return program + " " + method; }
  bool ours() const { return program == "Trammel"; }
  // Interpolated between the tolerances in logarithms; nothing if the ladder does not reach so far.
  std::optional<trammel::Cost> cost_of(double error) const;
  // Whether tighter tolerances led to the reference: the least error that was reached.
  double least_error() const;
};

struct Result {
  Contest contest;
  std::vector<Outcome> outcomes;
};

// The errors that times are given for.
inline const std::vector<double> wanted_errors = {1e-3, 1e-6, 1e-9};

std::string machine();  // the CPU's name
std::string table(const Result& result);
std::string markdown(const Result& result);
nlohmann::ordered_json json(const Result& result);
std::string figure(const Result& result);

}  // namespace peers
