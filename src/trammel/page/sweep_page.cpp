#include "trammel/page/sweep_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "trammel/numerics/nearest_name.h"
#include "trammel/page/sweep_script.h"
#include "trammel/result/markup.h"

namespace trammel {

namespace {

using Json = nlohmann::ordered_json;

Json number_in_json(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json data_of(const SweepTable& table, const std::string& ranked, const std::vector<ShownRun>& worst) {
  const Sweep& sweep = table.sweep();
  Json parameters = Json::array(), columns = Json::array(), rows = Json::array(), failed = Json::array(),
       shown = Json::array();
  for (const Variation& variation : sweep.variations())
    parameters.push_back({{"name", variation.parameter}, {"log", variation.logarithmic}});
  for (const SweepColumn& column : sweep.columns())
    columns.push_back({{"name", column.name()}, {"unit", column.unit}});
  for (const auto& [run, row] : table.rows()) {
    Json values = Json::array();
    for (const double value : sweep.point(run)) values.push_back(number_in_json(value));
    if (!row.has_values()) {
      failed.push_back({{"run", run}, {"point", values}, {"status", row.status}, {"message", row.message}});
      continue;
    }
    for (const double value : row.values) values.push_back(number_in_json(value));
    rows.push_back({{"run", run}, {"values", values}});
  }
  for (const ShownRun& run : worst) shown.push_back({{"run", run.run}, {"page", run.page}});
  return {{"parameters", parameters}, {"columns", columns}, {"rows", rows},        {"failed", failed},
          {"ranked", ranked},         {"worst", shown},     {"runs", sweep.size()}};
}

// Nothing in it can end its element.
std::string in_script(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  for (const char c : text) safe += c == '<' ? "\\u003c" : std::string(1, c);
  return safe;
}

}  // namespace

std::string default_ranking(const Sweep& sweep) {
  for (const SweepColumn& column : sweep.columns())
    if (column.statistic == "max") return column.name();
  return sweep.columns().front().name();
}

std::vector<long> worst_runs(const SweepTable& table, const std::string& column, std::size_t count) {
  const std::vector<SweepColumn>& columns = table.sweep().columns();
  std::vector<std::string> names;
  for (const SweepColumn& known : columns) names.push_back(known.name());
  const auto found = std::find(names.begin(), names.end(), column);
  if (found == names.end()) {
    const std::string near = nearest_name(column, names);
    throw std::invalid_argument(fmt::format("there is no column '{}'{}", column,
                                            near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
  }
  const auto place = static_cast<std::size_t>(found - names.begin());
  std::vector<long> runs;
  for (const auto& [run, row] : table.rows())
    if (row.has_values() && std::isfinite(row.values[place])) runs.push_back(run);
  std::stable_sort(runs.begin(), runs.end(), [&](long a, long b) {
    return table.rows().at(a).values[place] > table.rows().at(b).values[place];
  });
  if (runs.size() > count) runs.resize(count);
  return runs;
}

std::string sweep_page(const SweepTable& table, const std::string& ranked,
                       const std::vector<ShownRun>& worst) {
  const std::string title = escape_markup(table.sweep().title());
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src "
      "'unsafe-inline'; frame-src 'self' file:\">\n"
      "<title>{0}: sweep</title>\n<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n<p "
      "id=\"subtitle\"></p>\n"
      "{2}</main>\n<script type=\"application/json\" "
      "id=\"data\">{3}</script>\n<script>{4}</script>\n</body>\n</html>\n",
      title, sweep_page_style, sweep_page_body, in_script(data_of(table, ranked, worst)), sweep_page_script);
}

}  // namespace trammel
