#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "trammel/comparison/number_text.h"
#include "trammel/result/svg_plot.h"

namespace peers {

namespace {

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.1e}", value) : "-"; }

// The least time of Trammel to an error; of its runs from a model only, if wanted.
std::optional<double> least_seconds(const Result& result, double error, bool from_model) {
  std::optional<double> least;
  for (const Outcome& outcome : result.outcomes) {
    if (!outcome.ours() || (from_model && outcome.by_hand)) continue;
    const auto cost = outcome.time_to(error);
    if (cost && (!least || cost->seconds < *least)) least = cost->seconds;
  }
  return least;
}

std::string time_text(const std::optional<TimeToError>& cost) {
  if (!cost) return "-";
  return (cost->at_most ? "≤ " : "") + trammel::seconds_text(cost->seconds);
}

std::string ratio_text(const Result& result, const Outcome& peer, double error) {
  const auto value = peer.ours() ? std::nullopt : ratio(result, peer, error);
  return value ? fmt::format("{:.2g}", *value) : peer.ours() ? "" : "-";
}

// What the programs reached. A method whose best error is far from the others' has not been shown to converge
// to the same motion.
std::string convergence_sentence(const Result& result) {
  std::string doubtful;
  for (const Outcome& outcome : result.outcomes)
    if (!(outcome.least_error() < 1e-4)) doubtful += (doubtful.empty() ? "" : "; ") + outcome.name();
  return doubtful.empty() ? "every method converges to the reference (least error below 1e-4)"
                          : "not shown to converge to the reference (least error above 1e-4): " + doubtful;
}

}  // namespace

std::optional<double> ratio(const Result& result, const Outcome& peer, double error) {
  const bool has_model = std::any_of(result.outcomes.begin(), result.outcomes.end(),
                                     [](const Outcome& one) { return one.ours() && !one.by_hand; });
  const auto least = least_seconds(result, error, !peer.by_hand && has_model);
  const auto cost = peer.time_to(error);
  if (!least || !cost) return std::nullopt;
  return *least / cost->seconds;
}

std::string machine() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

std::string table(const Result& result) {
  std::string text = fmt::format("\n{}\nerror: {}\n", result.contest.title, result.contest.error_is);
  for (const std::string& note : result.contest.notes) text += "  " + note + "\n";
  text += fmt::format("{:<30} {:>7} {:>9} {:>9} {:>11} {:>9} {:>8} {:>8} {:>8}\n", "method", "tol", "CPU ms",
                      "steps", "evaluations", "error", "|g|", "|Gv|", "energy");
  for (const Outcome& outcome : result.outcomes)
    for (const Row& row : outcome.rows) {
      text += fmt::format("{:<30} {:>7.0e} ", outcome.name(), row.tolerance);
      if (!row.run.failure.empty()) {
        text += "failed: " + row.run.failure.substr(0, 90) + "\n";
        continue;
      }
      const std::string evaluations =
          std::isfinite(row.run.evaluations) ? fmt::format("{:.0f}", row.run.evaluations) : "-";
      text +=
          fmt::format("{:>9.3f} {:>9.0f} {:>11} {:>9} {:>8} {:>8} {:>8}\n", 1e3 * row.run.seconds,
                      row.run.steps, evaluations, number(row.run.error), number(row.run.position_violation),
                      number(row.run.velocity_violation), number(row.run.energy_drift));
    }
  text += fmt::format("\n{:<30}", "CPU time to an error of");
  for (const double error : wanted_errors) text += fmt::format(" {:>12} {:>8}", number(error), "ratio");
  text += "\n";
  for (const Outcome& outcome : result.outcomes) {
    text += fmt::format("{:<30}", outcome.name());
    for (const double error : wanted_errors)
      text +=
          fmt::format(" {:>12} {:>8}", time_text(outcome.time_to(error)), ratio_text(result, outcome, error));
    text += "\n";
  }
  return text +
         "ratio: Trammel's fastest method (from a model, if this one is) over this one; below 1 Trammel is "
         "faster\n" +
         convergence_sentence(result) + "\n";
}

std::string markdown(const Result& result) {
  std::string text =
      fmt::format("\n### {}\n\nError: {}.\n\n| method |", result.contest.title, result.contest.error_is);
  for (const double error : wanted_errors)
    text += fmt::format(" to {} | ratio |", trammel::scientific_text(error));
  text += " least error | energy drift there [J] | worst position violation |\n| --- |";
  for (std::size_t i = 0; i < wanted_errors.size(); ++i) text += " ---: | ---: |";
  text += " ---: | ---: | ---: |\n";
  for (const Outcome& outcome : result.outcomes) {
    text += "| " + outcome.name() + " |";
    double violation = 0, drift = std::nan("");
    for (const Row& row : outcome.rows) {
      if (!row.run.failure.empty()) continue;
      violation = std::max(violation, row.run.position_violation);
      if (row.run.error == outcome.least_error()) drift = row.run.energy_drift;
    }
    for (const double error : wanted_errors)
      text +=
          fmt::format(" {} | {} |", time_text(outcome.time_to(error)), ratio_text(result, outcome, error));
    text += fmt::format(" {} | {} | {} |\n", number(outcome.least_error()),
                        std::isfinite(drift) ? number(drift) : "-", violation > 0 ? number(violation) : "-");
  }
  text += "\n";
  for (const std::string& note : result.contest.notes) text += note + "\n";
  return text;
}

nlohmann::ordered_json json(const Result& result) {
  nlohmann::ordered_json outcomes = nlohmann::ordered_json::array();
  for (const Outcome& outcome : result.outcomes) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array(), times, ratios;
    for (const Row& row : outcome.rows)
      rows.push_back({{"tolerance", row.tolerance},
                      {"cpu_seconds", row.run.seconds},
                      {"cpu_seconds_of_repeats", row.seconds},
                      {"steps", row.run.steps},
                      {"evaluations", row.run.evaluations},
                      {"error", row.run.error},
                      {"position_violation", row.run.position_violation},
                      {"velocity_violation", row.run.velocity_violation},
                      {"energy_drift", row.run.energy_drift},
                      {"failure", row.run.failure}});
    for (const double error : wanted_errors) {
      const std::string key = trammel::scientific_text(error);
      if (const auto cost = outcome.time_to(error)) times[key] = cost->seconds;
      if (outcome.ours()) continue;
      if (const auto value = ratio(result, outcome, error)) ratios[key] = *value;
    }
    outcomes.push_back({{"program", outcome.program},
                        {"method", outcome.method},
                        {"equations_by_hand", outcome.by_hand},
                        {"runs", rows},
                        {"cpu_seconds_to_error", times},
                        {"trammel_over_this", ratios}});
  }
  return {{"problem", result.contest.name},
          {"title", result.contest.title},
          {"error", result.contest.error_is},
          {"notes", result.contest.notes},
          {"outcomes", outcomes}};
}

std::string figure(const Result& result) {
  std::vector<trammel::Series> lines;
  for (const Outcome& outcome : result.outcomes) {
    trammel::Series line{outcome.name(), {}, {}};
    for (const Row& row : outcome.rows) {
      // larger errors are those of another motion
      if (!row.run.failure.empty() || !(row.run.error < 0.3)) continue;
      line.x.push_back(std::max(row.run.error, 1e-16));
      line.y.push_back(row.run.seconds);
      line.point_labels.push_back(fmt::format("{:.0e}", row.tolerance));
    }
    if (!line.x.empty()) lines.push_back(line);
  }
  trammel::PlotOptions options;
  options.title = result.contest.title;
  options.x_label = result.contest.error_is;
  options.y_label = "CPU time [s]";
  options.log_x = options.log_y = options.descending_x = options.markers = true;
  options.width = 760;
  options.height = 420;
  return trammel::svg_plot(lines, options);
}

}  // namespace peers
