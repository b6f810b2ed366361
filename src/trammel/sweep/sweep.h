// A sweep: a model, the points at which it is run, and what is kept of each run.
//
//   trammel::Sweep sweep({.model = "four-bar.yaml", .vary = {"length=1:2:20"}});
//   const trammel::SweepRow row = sweep.run(3);
#pragma once

#include <atomic>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trammel/mechanism/model.h"
#include "trammel/simulation/mechanism_run.h"
#include "trammel/sweep/sampling.h"

namespace trammel {

// What the user asks for; all of it is kept with the table.
struct SweepRequest {
  std::string model;                                     // a file, or
  std::string text;                                      // the text of one, which is then called `model`
  std::vector<std::pair<std::string, std::string>> set;  // parameters that are the same in all runs
  std::vector<std::string> vary;                         // as in sampling.h
  Sampling sampling;
  // Channels, "A.angle", with all of final, min, max and rms, or one of these: "A.angle:max". Nothing: the measures of
  // the model, or if it has none its joint coordinates.
  std::vector<std::string> measures;
  std::string coordinates;
  std::optional<double> end, output_interval, rtol, atol, h0;
  std::optional<int> samples;
  std::optional<std::string> method;
  std::vector<std::pair<std::string, std::string>> options;

  nlohmann::ordered_json to_json() const;
  static SweepRequest from_json(const nlohmann::ordered_json& json);
};

struct SweepColumn {
  std::string channel;
  std::string statistic;  // final, min, max, rms
  std::string unit = {};

  std::string name() const { return channel + "." + statistic; }
};

// What has come of one run.
struct SweepRow {
  long run = 0;                     // from 0
  std::string status;               // finished, stopped, failed; crashed, timed_out: its process
  std::string message = {};         // why, unless it is finished
  std::vector<double> values = {};  // one for each column; NaN unless it is finished or stopped

  bool has_values() const { return status == "finished" || status == "stopped"; }
  nlohmann::ordered_json to_json() const;
  static SweepRow from_json(const nlohmann::ordered_json& json, std::size_t columns);
};

class Sweep {
 public:
  // Reads the model and decides on the columns. Throws ModelError and std::invalid_argument.
  explicit Sweep(SweepRequest request);

  const SweepRequest& request() const { return request_; }
  const std::string& title() const { return title_; }
  const std::vector<Variation>& variations() const { return variations_; }
  const std::vector<SweepColumn>& columns() const { return columns_; }
  long size() const { return static_cast<long>(points_.size()); }
  const std::vector<double>& point(long run) const { return points_[static_cast<std::size_t>(run)]; }
  // As `trammel run --set` takes them.
  std::vector<std::pair<std::string, std::string>> parameters(long run) const;

  // What is wrong with the model or the run at this point is said in the row.
  SweepRow run(long run, const std::atomic<bool>* interrupt = nullptr) const;
  // The row of a run whose process did not answer.
  SweepRow lost(long run, const std::string& status, const std::string& message) const;

  // What the sweep was begun with: the request, the columns, the files of the model with their checksums, the version.
  nlohmann::ordered_json facts() const;
  // Throws std::invalid_argument that says what differs from these facts.
  void check_same(const nlohmann::ordered_json& facts) const;

 private:
  Model model(const std::vector<std::pair<std::string, std::string>>& parameters) const;
  RunRequest run_request() const;
  void choose_columns(const Recording& recording);
  SweepRow computed(long run, const MechanismRun& finished) const;

  SweepRequest request_;
  std::vector<Variation> variations_;
  std::vector<std::vector<double>> points_;
  std::vector<SweepColumn> columns_;
  std::string title_;
  std::vector<std::string> files_;
};

}  // namespace trammel
