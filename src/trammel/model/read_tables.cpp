// Tables: functions given by points, in the file or in a CSV file beside it.
#include <fmt/format.h>

#include <cmath>

#include "trammel/model/model_builder.h"
#include "trammel/model/number_columns.h"
#include "trammel/model/text_file.h"

namespace trammel {
namespace {

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
  std::array<std::size_t, 2> columns{0, 1};
  if (const ModelNode* node = map.find("columns")) {
    if (node->kind != ModelNode::Kind::list || node->items.size() != 2)
      throw ModelError(node->place(),
                       fmt::format("'columns' is a list of 2 numbers, not {}", node->in_words()));
    for (std::size_t i = 0; i < 2; ++i) columns[i] = read_column(node->items[i], map.scope());
  }
  const std::string file = path_beside(*map.at("file").file, map.text("file"));
  const std::string text = read_text_file(file, largest_model_file, map.at("file").place());
  check_is_text(text, file);
  auto [x, y] = read_number_columns(text, file, columns);
  points.x = std::move(x);
  points.y = std::move(y);
  return points;
}

}  // namespace

void read_tables(ModelBuilder& builder) {
  for_each_entry(builder, "tables", [&](const NamedEntry& entry) {
    const MapReader map(entry.node, key_set("table"), fmt::format("table '{}'", entry.name), entry.place,
                        builder.scope);
    TablePoints points = read_points(map);
    if (const ModelNode* file = map.find("file"))
      builder.note_file(path_beside(*file->file, map.text("file")));
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
