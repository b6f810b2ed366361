// Tables: functions given by points, in the file or in a CSV file beside it.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "trammel/model/model_builder.h"
#include "trammel/model/text_file.h"

namespace trammel {
namespace {

// The numbers of a line, separated by commas, semicolons or white space; nothing if one of its words is none.
std::optional<std::vector<double>> numbers_of_line(std::string_view line) {
  std::vector<double> numbers;
  const std::string_view separators = ",; \t\r";
  for (std::size_t i = line.find_first_not_of(separators); i != std::string_view::npos;
       i = line.find_first_not_of(separators, i)) {
    const std::size_t end = std::min(line.find_first_of(separators, i), line.size());
    const char* first = line.data() + i + (line[i] == '+' ? 1 : 0);
    double value = 0;
    const auto [stop, error] = std::from_chars(first, line.data() + end, value);
    if (error != std::errc() || stop != line.data() + end || !std::isfinite(value)) return std::nullopt;
    numbers.push_back(value);
    i = end;
  }
  return numbers;
}

// Two columns of a text of numbers. The first line may be a heading; lines that begin with # are comments.
void read_columns(const std::string& text, const std::string& file, std::size_t x_column,
                  std::size_t y_column, TablePoints& points) {
  int line_number = 0;
  bool may_be_heading = true;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = std::string_view(text).substr(start, end - start);
    start = end + 1;
    ++line_number;
    if (line.starts_with('#') || line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto numbers = numbers_of_line(line);
    const bool heading = may_be_heading && !numbers;
    may_be_heading = false;
    if (heading) continue;
    const SourcePlace place{file, line_number, 1};
    if (!numbers) throw ModelError(place, "this line holds something else than numbers");
    if (numbers->size() <= std::max(x_column, y_column))
      throw ModelError(place, fmt::format("this line has {} columns; column {} is wanted (the first is 0)",
                                          numbers->size(), std::max(x_column, y_column)));
    points.x.push_back((*numbers)[x_column]);
    points.y.push_back((*numbers)[y_column]);
  }
}

std::size_t read_column(const ModelNode& node, const NumberScope& scope) {
  const double value = scope.number(node, "columns");
  if (!(value >= 0 && value < 10000) || value != std::round(value))
    throw ModelError(node.place(), fmt::format("a column is a whole number, counted from 0, not {}", value));
  return static_cast<std::size_t>(value);
}

TablePoints read_points(const MapReader& map) {
  TablePoints points;
  map.refuse_together("file", "x");
  map.refuse_together("file", "y");
  if (!map.has("file")) {
    map.refuse_together("x", "columns");
    points.x = read_numbers(map.at("x"), map.scope(), "x");
    points.y = read_numbers(map.at("y"), map.scope(), "y");
    return points;
  }
  std::size_t columns[2] = {0, 1};
  if (const ModelNode* node = map.find("columns")) {
    if (node->kind != ModelNode::Kind::list || node->items.size() != 2)
      throw ModelError(node->place(),
                       fmt::format("'columns' is a list of 2 numbers, not {}", node->in_words()));
    for (std::size_t i = 0; i < 2; ++i) columns[i] = read_column(node->items[i], map.scope());
  }
  const std::string file = path_beside(*map.at("file").file, map.text("file"));
  const std::string text = read_text_file(file, largest_model_file, map.at("file").place());
  check_is_text(text, file);
  read_columns(text, file, columns[0], columns[1], points);
  return points;
}

}  // namespace

void read_tables(ModelBuilder& builder) {
  for_each_entry(builder, "tables", [&](const NamedEntry& entry) {
    const MapReader map(entry.node, key_set("table"), fmt::format("table '{}'", entry.name), entry.place,
                        builder.scope);
    TablePoints points = read_points(map);
    const std::string interpolation = map.choice("interpolation", {"linear", "cubic", "monotone"}, "linear");
    points.interpolation = interpolation == "linear"  ? Table::Interpolation::linear
                           : interpolation == "cubic" ? Table::Interpolation::cubic
                                                      : Table::Interpolation::monotone;
    points.outside = map.choice("outside", {"hold", "extend"}, "hold") == "hold" ? Table::Outside::hold
                                                                                 : Table::Outside::extend;
    try {
      const Table table(points.x, points.y, points.interpolation, points.outside);
      builder.scope.tables.emplace(entry.name, table);
    } catch (const std::invalid_argument& error) {
      map.fail(fmt::format("table '{}': {}", entry.name, error.what()));
    }
    builder.model.tables.emplace(entry.name, std::move(points));
  });
  builder.mechanism().tables = builder.scope.tables;
}

}  // namespace trammel
