// trammel plot: quantities of results as a picture, or as text on the terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>

#include "trammel/cli/commands.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/plot_lines.h"
#include "trammel/cli/plot_png.h"
#include "trammel/cli/plot_quantities.h"
#include "trammel/cli/terminal.h"
#include "trammel/result/markup.h"
#include "trammel/result/output_file.h"
#include "trammel/result/terminal_text.h"
#include "trammel/result/text_plot.h"

namespace trammel {

namespace {

struct PlotArguments : PlotSelection {
  std::string result;
  std::vector<std::string> with;
  std::string out, title;
  std::optional<int> width, height;
  double scale = 1;
  bool log = false, text = false, ascii = false, list = false, json = false;
};

void check_size(const std::optional<int>& size, const char* name, int least, int most) {
  if (size && (*size < least || *size > most))
    throw std::invalid_argument(fmt::format("{} must lie between {} and {}", name, least, most));
}

bool ends_with(const std::string& name, std::string_view ending) {
  return name.size() > ending.size() && name.ends_with(ending);
}

void check_arguments(const PlotArguments& arguments) {
  const bool picture = !arguments.out.empty();
  if (picture && !ends_with(arguments.out, ".svg") && !ends_with(arguments.out, ".png"))
    throw std::invalid_argument(fmt::format("'{}' must end with .svg or .png", arguments.out));
  // in pixels, or in characters
  check_size(arguments.width, "--width", picture ? 160 : 30, picture ? 20000 : 1000);
  check_size(arguments.height, "--height", picture ? 140 : 4, picture ? 20000 : 500);
  if (!(arguments.scale >= 0.1 && arguments.scale <= 20))
    throw std::invalid_argument("--scale must lie between 0.1 and 20");
}

std::string title_of(const PlotArguments& arguments, const std::vector<PlotResult>& results) {
  if (!arguments.title.empty()) return arguments.title;
  if (results.size() == 1 && !results[0].recording.title.empty()) return results[0].recording.title;
  std::vector<std::string> labels;
  for (const PlotResult& result : results) labels.push_back(result.label);
  return fmt::format("{}", fmt::join(labels, ", "));
}

void write_picture(const PlotArguments& arguments, const std::vector<PlotPanel>& panels,
                   const std::vector<PlotResult>& results) {
  constexpr double single = 420, stacked = 210;
  PlotOptions options;
  options.title = title_of(arguments, results);
  options.x_label = x_label_of(results, arguments);
  options.log_y = arguments.log;
  options.width = arguments.width.value_or(800);
  options.height = panels.size() == 1 ? single : 40 + stacked * static_cast<double>(panels.size());
  if (arguments.height) options.height = *arguments.height;
  std::string picture = stacked_plot(panels, options);
  if (ends_with(arguments.out, ".png")) picture = png_of_svg(picture, arguments.scale);
  if (Failure failure = write_file(arguments.out, [&](std::ostream& out) { out << picture; }))
    throw std::runtime_error(failure.message);
}

std::string text_of(const PlotArguments& arguments, const std::vector<PlotPanel>& panels,
                    const std::vector<PlotResult>& results) {
  TextPlotOptions options;
  options.title = title_of(arguments, results);
  options.log_y = arguments.log;
  options.ascii = arguments.ascii || !terminal_has_unicode();
  options.colour = !arguments.json && terminal_has_colours();
  options.columns = terminal_columns();
  options.rows = panels.size() == 1 ? 16 : 10;
  // with a picture, these are its pixels
  if (arguments.out.empty()) {
    options.columns = arguments.width.value_or(options.columns);
    options.rows = arguments.height.value_or(options.rows);
  }
  options.x_label = x_label_of(results, arguments);
  std::string text;
  for (const PlotPanel& panel : panels) {
    if (!text.empty()) text += '\n';
    options.y_label = panel.y_label;
    text += text_plot(panel.series, options);
    options.title.clear();
  }
  return text;
}

nlohmann::ordered_json json_of(const PlotLine& line) {
  double low = INFINITY, high = -INFINITY, last = NAN;
  for (const double value : line.series.y) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
    last = value;
  }
  return {{"name", line.name},
          {"result", line.result->path},
          {"unit", line.unit},
          {"samples", line.series.y.size()},
          {"last", number_or_null(last)},
          {"lowest", number_or_null(low)},
          {"highest", number_or_null(high)}};
}

int plot(const PlotArguments& arguments, const std::vector<PlotResult>& results) {
  const std::vector<PlotLine> lines = plot_lines(results, arguments);
  const std::vector<PlotPanel> panels = plot_panels(lines);
  if (!arguments.out.empty()) write_picture(arguments, panels, results);

  const bool as_text = arguments.text || (arguments.out.empty() && !arguments.json);
  const std::string text = as_text ? text_of(arguments, panels, results) : "";
  if (!arguments.json) {
    fmt::print("{}", text);
    if (!arguments.out.empty()) fmt::print("written: {}\n", arguments.out);
    return 0;
  }
  nlohmann::ordered_json json{{"status", "plotted"}, {"title", title_of(arguments, results)}};
  json["against"] = arguments.against;
  json["quantities"] = nlohmann::ordered_json::array();
  for (const PlotLine& line : lines) json["quantities"].push_back(json_of(line));
  if (!arguments.out.empty()) json["file"] = arguments.out;
  if (as_text) json["text"] = text;
  print_json(json);
  return 0;
}

std::string group_of(const Quantity& quantity, const PlotResult& result) {
  return quantity.table == &result.recording.steps ? "steps" : quantity.channel->group;
}

// What there is in a result, or what was asked for of it; groups stay together.
std::vector<Quantity> listed(const PlotArguments& arguments, const PlotResult& result) {
  std::vector<Quantity> quantities = arguments.quantities.empty()
                                         ? all_quantities(result.recording)
                                         : choose_quantities(result.recording, arguments.quantities);
  std::map<std::string, std::size_t> order;
  for (const Quantity& quantity : quantities) order.emplace(group_of(quantity, result), order.size());
  const auto place = [&](const Quantity& quantity) { return order.at(group_of(quantity, result)); };
  std::stable_sort(quantities.begin(), quantities.end(),
                   [&](const Quantity& a, const Quantity& b) { return place(a) < place(b); });
  return quantities;
}

void print_list(const PlotArguments& arguments, const PlotResult& result) {
  const bool ascii = arguments.ascii || !terminal_has_unicode();
  const std::vector<Quantity> quantities = listed(arguments, result);
  std::size_t name_width = 0, unit_width = 0;
  for (const Quantity& quantity : quantities) {
    name_width = std::max(name_width, count_characters(printable(quantity.channel->name, ascii)));
    unit_width = std::max(unit_width, count_characters(printable(quantity.channel->unit, ascii)));
  }
  std::string group, text;
  for (const Quantity& quantity : quantities) {
    if (const std::string its = group_of(quantity, result); its != group) {
      group = its;
      text += printable(group, ascii) + "\n";
    }
    std::string line = "  ";
    const auto column = [&](const std::string& word, std::size_t width) {
      const std::string shown = printable(word, ascii);
      line += shown + std::string(width - count_characters(shown) + 2, ' ');
    };
    column(quantity.channel->name, name_width);
    column(quantity.channel->unit, unit_width);
    line += printable(quantity.channel->description, ascii);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  fmt::print("{}", text);
}

int list(const PlotArguments& arguments, const std::vector<PlotResult>& results) {
  nlohmann::ordered_json json{{"status", "listed"}, {"quantities", nlohmann::ordered_json::array()}};
  for (const PlotResult& result : results) {
    if (!arguments.json) {
      if (results.size() > 1) fmt::print("{}:\n", printable(result.path, false));
      print_list(arguments, result);
      continue;
    }
    for (const Quantity& quantity : listed(arguments, result))
      json["quantities"].push_back({{"name", quantity.channel->name},
                                    {"result", result.path},
                                    {"group", group_of(quantity, result)},
                                    {"unit", quantity.channel->unit},
                                    {"description", quantity.channel->description},
                                    {"samples", quantity.table->samples()}});
  }
  if (arguments.json) print_json(json);
  return 0;
}

// Nothing was asked for: says what could have been.
void check_quantities(const PlotArguments& arguments, const PlotResult& result) {
  if (!arguments.quantities.empty() || arguments.list) return;
  std::vector<std::string> groups = result.recording.groups();
  std::erase(groups, "");
  for (std::string& group : groups) group = printable(group, false);
  throw std::invalid_argument(
      fmt::format("which quantity is to be plotted?{} --list shows all",
                  groups.empty() ? "" : fmt::format(" Groups: {};", fmt::join(groups, ", "))));
}

int plot_or_list(const PlotArguments& arguments) {
  try {
    check_arguments(arguments);
    std::vector<std::string> paths{arguments.result};
    paths.insert(paths.end(), arguments.with.begin(), arguments.with.end());
    const std::vector<PlotResult> results = read_plot_results(paths);
    for (const PlotResult& result : results)
      if (result.unfinished)
        print_warning(fmt::format("{}: the run has not come to its end; there are results up to t = {:.6g}",
                                  result.path,
                                  result.recording.times().empty() ? 0 : result.recording.times().back()));
    check_quantities(arguments, results.front());
    return arguments.list ? list(arguments, results) : plot(arguments, results);
  } catch (const std::invalid_argument& error) {
    return refuse(arguments.json, error.what(), {{"result", arguments.result}});
  } catch (const std::runtime_error& error) {
    return refuse(arguments.json, error.what(), {{"result", arguments.result}});
  }
}

}  // namespace

void add_plot_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("plot", "Plot quantities of a result.");
  auto arguments = std::make_shared<PlotArguments>();
  command->add_option("result", arguments->result, "The folder of a run, or a results.h5 or results.csv.")
      ->required();
  command->add_option("quantity", arguments->quantities,
                      "Names, groups, or patterns with * and ?; of the steps: h, violations.");
  command->add_option("--with", arguments->with, "Another result, for the same quantities; may be repeated.")
      ->allow_extra_args(false);
  command->add_option("--out", arguments->out, "Write a picture: a name that ends with .svg or .png.");
  command->add_option("--against", arguments->against, "The quantity to the right (default: time).");
  command->add_flag("--log", arguments->log, "Logarithmic, upwards.");
  command->add_option("--from", arguments->from, "Only from this time on.");
  command->add_option("--to", arguments->to, "Only up to this time.");
  command->add_option("--width", arguments->width, "In pixels, or in characters as text.");
  command->add_option("--height", arguments->height, "Likewise; as text, of each plot.");
  command->add_option("--scale", arguments->scale, "Pixels of a PNG for each of --width (default: 1).");
  command->add_option("--title", arguments->title, "Instead of the result's.");
  command->add_flag("--text", arguments->text, "As text, also if there is --out or --json.");
  command->add_flag("--ascii", arguments->ascii, "Text without braille, in plain ASCII.");
  command->add_flag("--list", arguments->list, "Show which quantities there are.");
  command->add_flag("--json", arguments->json, "Exactly one JSON object on standard output.");
  command->callback([arguments, &exit_code] { exit_code = plot_or_list(*arguments); });
}

}  // namespace trammel
