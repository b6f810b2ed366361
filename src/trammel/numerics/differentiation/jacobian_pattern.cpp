#include "trammel/numerics/differentiation/jacobian_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>

#include "trammel/numerics/differentiation/graph_program.h"

namespace trammel {

JacobianPattern JacobianPattern::full(int rows, int columns) {
  JacobianPattern pattern{rows, columns, {0}, {}};
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) pattern.column.push_back(j);
    pattern.begin.push_back(static_cast<int>(pattern.column.size()));
  }
  return pattern;
}

JacobianPattern pattern_of(const RecordedFunction& function, int columns) {
  using Kind = OperationGraph::Kind;
  const OperationGraph& graph = function.graph;
  const std::vector<int> order = GraphProgram::order(function);
  const auto count = static_cast<std::size_t>(graph.size());
  std::vector<int> uses(count, 0);
  const auto for_operands = [&](int node, const auto& what) {
    const OperationGraph::Node& at = graph[node];
    // what only decides, or goes by steps, has no slope
    if (at.kind == Kind::less || at.kind == Kind::less_equal || at.kind == Kind::equal ||
        at.kind == Kind::logical_not || at.kind == Kind::floor || at.kind == Kind::ceiling ||
        at.kind == Kind::round)
      return;
    const std::array of{at.a, at.b, at.c};
    for (int k = at.kind == Kind::select ? 1 : 0; k < OperationGraph::operands(at.kind); ++k)
      what(of[static_cast<std::size_t>(k)]);
  };
  for (const int node : order)
    for_operands(node, [&](int operand) { ++uses[static_cast<std::size_t>(operand)]; });
  for (const int output : function.outputs) ++uses[static_cast<std::size_t>(output)];

  // index sets, ascending; those that nobody needs any more are let go
  std::vector<std::vector<int>> sets(count);
  std::vector<int> both;
  const auto release = [&](int node) {
    if (--uses[static_cast<std::size_t>(node)] == 0)
      std::vector<int>().swap(sets[static_cast<std::size_t>(node)]);
  };
  std::vector<std::vector<int>> rows(function.outputs.size());
  std::unordered_map<int, std::vector<std::size_t>> outputs_of;
  for (std::size_t i = 0; i < function.outputs.size(); ++i) outputs_of[function.outputs[i]].push_back(i);
  for (const int node : order) {
    std::vector<int>& set = sets[static_cast<std::size_t>(node)];
    if (graph[node].kind == Kind::input && graph[node].a < columns) set = {graph[node].a};
    for_operands(node, [&](int operand) {
      const std::vector<int>& other = sets[static_cast<std::size_t>(operand)];
      both.clear();
      std::set_union(set.begin(), set.end(), other.begin(), other.end(), std::back_inserter(both));
      set = both;
    });
    if (const auto found = outputs_of.find(node); found != outputs_of.end())
      for (const std::size_t row : found->second) rows[row] = set;
    for_operands(node, release);
  }
  JacobianPattern pattern{static_cast<int>(rows.size()), columns, {0}, {}};
  for (const std::vector<int>& row : rows) {
    pattern.column.insert(pattern.column.end(), row.begin(), row.end());
    pattern.begin.push_back(static_cast<int>(pattern.column.size()));
  }
  return pattern;
}

JacobianPattern pattern_by_probing(const PlainFunction& function, std::span<const double> x, int rows) {
  std::vector<double> at(x.begin(), x.end()), y(static_cast<std::size_t>(rows));
  std::vector<std::vector<int>> of_row(y.size());
  std::vector<char> broken(y.size(), 0);  // not a number anyway
  function(at, y);
  for (std::size_t i = 0; i < y.size(); ++i) broken[i] = std::isnan(y[i]);
  for (std::size_t j = 0; j < at.size(); ++j) {
    at[j] = std::numeric_limits<double>::quiet_NaN();
    function(at, y);
    at[j] = x[j];
    for (std::size_t i = 0; i < y.size(); ++i)
      if (std::isnan(y[i]) || broken[i]) of_row[i].push_back(static_cast<int>(j));
  }
  JacobianPattern pattern{rows, static_cast<int>(x.size()), {0}, {}};
  for (const std::vector<int>& row : of_row) {
    pattern.column.insert(pattern.column.end(), row.begin(), row.end());
    pattern.begin.push_back(static_cast<int>(pattern.column.size()));
  }
  return pattern;
}

Colouring colour_columns(const JacobianPattern& pattern) {
  const auto columns = static_cast<std::size_t>(pattern.columns);
  // two columns are neighbours if they meet in a row
  std::vector<std::vector<int>> rows_of(columns);
  for (int i = 0; i < pattern.rows; ++i)
    for (const int j : pattern.row(i)) rows_of[static_cast<std::size_t>(j)].push_back(i);
  std::vector<int> seen(columns, -1);
  const auto for_neighbours = [&](int column, const auto& what) {
    for (const int i : rows_of[static_cast<std::size_t>(column)])
      for (const int j : pattern.row(i)) {
        int& mark = seen[static_cast<std::size_t>(j)];
        if (j == column || mark == column) continue;
        mark = column;
        what(j);
      }
  };

  // a full row says it all
  for (int i = 0; i < pattern.rows; ++i)
    if (pattern.row(i).size() == columns) {
      Colouring all{pattern.columns, std::vector<int>(columns)};
      std::iota(all.of_column.begin(), all.of_column.end(), 0);
      return all;
    }
  std::vector<int> order;
  std::vector<int> degree(columns, 0);
  std::vector<std::vector<int>> neighbours(columns);
  for (std::size_t j = 0; j < columns; ++j)
    for_neighbours(static_cast<int>(j), [&](int other) { neighbours[j].push_back(other); });
  std::set<std::pair<int, int>> left;
  for (std::size_t j = 0; j < columns; ++j) {
    degree[j] = static_cast<int>(neighbours[j].size());
    left.emplace(degree[j], static_cast<int>(j));
  }
  std::vector<char> taken(columns, 0);
  while (!left.empty()) {
    const int column = left.begin()->second;
    left.erase(left.begin());
    taken[static_cast<std::size_t>(column)] = 1;
    order.push_back(column);
    for (const int other : neighbours[static_cast<std::size_t>(column)]) {
      const auto k = static_cast<std::size_t>(other);
      if (taken[k]) continue;
      left.erase({degree[k], other});
      left.emplace(--degree[k], other);
    }
  }
  Colouring colouring{0, std::vector<int>(columns, -1)};
  std::vector<int> used(columns + 1, -1);  // by which column a colour is ruled out
  for (std::size_t i = order.size(); i-- > 0;) {
    const int column = order[i];
    for (const int other : neighbours[static_cast<std::size_t>(column)])
      if (const int colour = colouring.of_column[static_cast<std::size_t>(other)]; colour >= 0)
        used[static_cast<std::size_t>(colour)] = column;
    int colour = 0;
    while (used[static_cast<std::size_t>(colour)] == column) ++colour;
    colouring.of_column[static_cast<std::size_t>(column)] = colour;
    colouring.colours = std::max(colouring.colours, colour + 1);
  }
  return colouring;
}

std::string pattern_svg(const JacobianPattern& pattern, const std::string& title) {
  constexpr int most = 400;  // squares along a side
  const int step = std::max(1, (std::max(pattern.rows, pattern.columns) + most - 1) / most);
  std::set<std::pair<int, int>> squares;
  for (int i = 0; i < pattern.rows; ++i)
    for (const int j : pattern.row(i)) squares.emplace(i / step, j / step);
  const int height = std::max(1, (pattern.rows + step - 1) / step),
            width = std::max(1, (pattern.columns + step - 1) / step);
  const double unit = std::clamp(800.0 / std::max(height, width), 2.0, 24.0);
  std::string escaped;
  for (const char c : title)
    escaped += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  constexpr double margin = 10, head = 24;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} "
      "{1:g}\">\n"
      "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{3:g}\" y=\"18\" font-family=\"sans-serif\" font-size=\"13\">{2}</text>\n"
      "<g transform=\"translate({3:g} {4:g}) scale({5:g})\">\n"
      "<rect width=\"{6}\" height=\"{7}\" fill=\"#f4f6f8\" stroke=\"#8795a5\" stroke-width=\"{8:g}\"/>\n"
      "<path fill=\"#1f5fa8\" d=\"",
      std::max(2 * margin + unit * width, 2 * margin + 7.5 * static_cast<double>(title.size())),
      margin + head + unit * height, escaped, margin, head, unit, width, height, 1 / unit);
  for (const auto& [row, column] : squares) svg += fmt::format("M{} {}h.9v.9h-.9z", column, row);
  svg += "\"/>\n</g>\n</svg>\n";
  return svg;
}

}  // namespace trammel
