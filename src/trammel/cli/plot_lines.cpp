#include "trammel/cli/plot_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "trammel/cli/plot_quantities.h"

namespace trammel {

namespace {

bool over_time(const PlotSelection& selection) {
  return selection.against.empty() || selection.against == "t";
}

// Names the result if there is a choice.
template <class Work>
auto of_result(const std::vector<PlotResult>& results, const PlotResult& result, const Work& work) {
  try {
    return work();
  } catch (const std::invalid_argument& error) {
    if (results.size() == 1) throw;
    throw std::invalid_argument(fmt::format("{}: {}", result.path, error.what()));
  }
}

Quantity abscissa(const PlotResult& result, const PlotSelection& selection) {
  const std::vector<Quantity> found = choose_quantities(result.recording, {selection.against});
  if (found.size() > 1)
    throw std::invalid_argument(fmt::format("--against '{}' is more than one quantity: {}, {}, ...",
                                            selection.against, found[0].channel->name,
                                            found[1].channel->name));
  return found[0];
}

// What lies within the time asked for.
Series series_of(const Quantity& quantity, const std::vector<double>& x, const PlotSelection& selection) {
  Series series;
  const std::vector<double>& times = quantity.table->times();
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (selection.from && !(times[i] >= *selection.from)) continue;
    if (selection.to && !(times[i] <= *selection.to)) continue;
    series.x.push_back(x[i]);
    series.y.push_back(quantity.channel->values[i]);
  }
  return series;
}

void add_lines(const PlotResult& result, const PlotSelection& selection, std::vector<PlotLine>& lines) {
  std::optional<Quantity> against;
  if (!over_time(selection)) against = abscissa(result, selection);
  for (const Quantity& quantity : choose_quantities(result.recording, selection.quantities)) {
    if (against && against->table != quantity.table)
      throw std::invalid_argument(
          fmt::format("'{}' and '{}' have no times in common: one is of the output, one of the steps",
                      quantity.channel->name, against->channel->name));
    const std::vector<double>& x = against ? against->channel->values : quantity.table->times();
    lines.push_back({.name = quantity.channel->name,
                     .unit = quantity.channel->unit,
                     .result = &result,
                     .series = series_of(quantity, x, selection)});
  }
}

void check_range(const PlotSelection& selection, const std::vector<PlotLine>& lines) {
  const auto broken = [](const std::optional<double>& t) { return t && !std::isfinite(*t); };
  if (broken(selection.from) || broken(selection.to))
    throw std::invalid_argument("--from and --to must be finite");
  if (selection.from && selection.to && *selection.from > *selection.to)
    throw std::invalid_argument(
        fmt::format("--from {} is later than --to {}", *selection.from, *selection.to));
  if (!selection.from && !selection.to) return;
  for (const PlotLine& line : lines)
    if (!line.series.x.empty()) return;
  throw std::invalid_argument("there are no values between --from and --to");
}

}  // namespace

std::vector<PlotLine> plot_lines(const std::vector<PlotResult>& results, const PlotSelection& selection) {
  std::vector<PlotLine> lines;
  for (const PlotResult& result : results)
    of_result(results, result, [&] { add_lines(result, selection, lines); });
  check_range(selection, lines);

  // where a name was first seen
  std::map<std::string, std::size_t> order;
  for (const PlotLine& line : lines) order.emplace(line.name, order.size());
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const PlotLine& a, const PlotLine& b) { return order.at(a.name) < order.at(b.name); });
  for (PlotLine& line : lines)
    line.series.label =
        results.size() > 1 ? fmt::format("{} ({})", line.name, line.result->label) : line.name;
  return lines;
}

std::vector<PlotPanel> plot_panels(const std::vector<PlotLine>& lines) {
  std::vector<PlotPanel> panels;
  for (const PlotLine& line : lines) {
    auto panel = std::find_if(panels.begin(), panels.end(),
                              [&](const PlotPanel& other) { return other.y_label == line.unit; });
    if (panel == panels.end()) panel = panels.insert(panels.end(), {line.unit, {}});
    panel->series.push_back(line.series);
  }
  return panels;
}

std::string x_label_of(const std::vector<PlotResult>& results, const PlotSelection& selection) {
  const auto in_unit = [](const std::string& name, const std::string& unit) {
    return unit.empty() ? name : fmt::format("{} in {}", name, unit);
  };
  const auto has_units = [](const PlotResult& result) { return result.has_units; };
  if (over_time(selection))
    return in_unit("t", std::any_of(results.begin(), results.end(), has_units) ? "s" : "");
  std::string name, unit;
  for (const PlotResult& result : results) {
    const Channel& channel = *abscissa(result, selection).channel;
    name = channel.name;
    if (unit.empty()) unit = channel.unit;
  }
  return in_unit(name, unit);
}

}  // namespace trammel
