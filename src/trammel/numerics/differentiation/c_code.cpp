#include "trammel/numerics/differentiation/c_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "trammel/numerics/differentiation/graph_program.h"

namespace trammel {
namespace {

using Kind = OperationGraph::Kind;

constexpr std::size_t part_length = 600;  // statements

std::string c_number(double value) {
  if (std::isnan(value)) return "(0.0 / 0.0)";
  if (std::isinf(value)) return value > 0 ? "(1.0 / 0.0)" : "(-1.0 / 0.0)";
  std::string text = fmt::format("{:.17g}", value);
  if (double shorter = 0;
      std::sscanf(fmt::format("{:.15g}", value).c_str(), "%lf", &shorter) == 1 && shorter == value)
    text = fmt::format("{:.15g}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value < 0 ? "(" + text + ")" : text;
}

const char* c_name(Kind kind) {
  switch (kind) {
    case Kind::sine:
      return "sin";
    case Kind::cosine:
      return "cos";
    case Kind::tangent:
      return "tan";
    case Kind::arcsine:
      return "asin";
    case Kind::arccosine:
      return "acos";
    case Kind::arctangent:
      return "atan";
    case Kind::hyperbolic_sine:
      return "sinh";
    case Kind::hyperbolic_cosine:
      return "cosh";
    case Kind::hyperbolic_tangent:
      return "tanh";
    case Kind::exponential:
      return "exp";
    case Kind::logarithm:
      return "log";
    case Kind::square_root:
      return "sqrt";
    case Kind::cube_root:
      return "cbrt";
    case Kind::floor:
      return "floor";
    case Kind::ceiling:
      return "ceil";
    case Kind::round:
      return "round";
    default:
      return "";
  }
}

// The name and place of element i of arrays that follow each other.
std::string element(const std::vector<CFunction::Array>& arrays, int i) {
  for (const CFunction::Array& array : arrays) {
    if (i < array.size) return array.is_number ? array.name : fmt::format("{}[{}]", array.name, i);
    i -= array.size;
  }
  throw std::logic_error("more numbers than the arrays of a function have");
}

// The tables of all functions, numbered.
class Tables {
 public:
  int number(const PiecewiseCubic& table) {
    const auto found = std::find(tables_.begin(), tables_.end(), table);
    if (found == tables_.end()) tables_.push_back(table);
    return static_cast<int>(std::find(tables_.begin(), tables_.end(), table) - tables_.begin());
  }
  std::string text() const;

 private:
  std::vector<PiecewiseCubic> tables_;
};

std::string Tables::text() const {
  if (tables_.empty()) return {};
  std::string text =
      "/* Tables: pieces {start, c0, c1, c2, c3} of c0 + c1 u + c2 u^2 + c3 u^3, u = x - start. */\n"
      "static double piecewise(const double (*piece)[5], int count, int order, double x) {\n"
      "  int first = 0, last = count - 1;\n"
      "  double u;\n"
      "  const double *c;\n"
      "  while (first < last) {\n"
      "    const int middle = (first + last + 1) / 2;\n"
      "    if (x < piece[middle][0]) last = middle - 1;\n"
      "    else first = middle;\n"
      "  }\n"
      "  c = piece[first];\n"
      "  u = x - c[0];\n"
      "  switch (order) {\n"
      "    case 0: return c[1] + u * (c[2] + u * (c[3] + u * c[4]));\n"
      "    case 1: return c[2] + u * (2 * c[3] + u * 3 * c[4]);\n"
      "    case 2: return 2 * c[3] + u * 6 * c[4];\n"
      "    default: return 6 * c[4];\n"
      "  }\n"
      "}\n\n";
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    text += fmt::format("static const double table{}[{}][5] = {{\n", i, tables_[i].size());
    for (const CubicPiece& piece : tables_[i])
      text += fmt::format("  {{{}, {}, {}, {}, {}}},\n", c_number(piece.start), c_number(piece.c0),
                          c_number(piece.c1), c_number(piece.c2), c_number(piece.c3));
    text += "};\n\n";
  }
  return text;
}

// Writes one function.
class Writer {
 public:
  Writer(const CFunction& function, Tables& tables)
      : function_(function), graph_(function.recorded->graph), tables_(tables) {}
  std::string text();

 private:
  bool is_kept(int node) const {
    const Kind kind = graph_[node].kind;
    return kind != Kind::constant && kind != Kind::input;
  }
  std::size_t part_of(int node) const {
    return static_cast<std::size_t>(place_[static_cast<std::size_t>(node)]) / part_length;
  }
  void find_crossings();
  std::string name(int node, std::size_t part) const;
  std::string expression(int node, std::size_t part);
  std::string part(std::size_t index);

  const CFunction& function_;
  const OperationGraph& graph_;
  Tables& tables_;
  std::vector<int> statements_;  // nodes in order
  std::vector<int> place_;       // of nodes among the statements
  std::vector<int> crossing_;    // of nodes that later parts need: where they are kept
  std::multimap<int, int> outputs_;
  int kept_ = 0;
};

std::string Writer::name(int node, std::size_t part) const {
  const OperationGraph::Node& at = graph_[node];
  if (at.kind == Kind::constant) return c_number(at.number);
  if (at.kind == Kind::input) return element(function_.inputs, at.a);
  if (part_of(node) == part) return fmt::format("a{}", place_[static_cast<std::size_t>(node)]);
  return fmt::format("w[{}]", crossing_[static_cast<std::size_t>(node)]);
}

std::string Writer::expression(int node, std::size_t part) {
  const OperationGraph::Node& at = graph_[node];
  const auto of = [&](int operand) { return name(operand, part); };
  switch (at.kind) {
    case Kind::negate:
      return "-" + of(at.a);
    case Kind::add:
      return of(at.a) + " + " + of(at.b);
    case Kind::subtract:
      return of(at.a) + " - " + of(at.b);
    case Kind::multiply:
      return of(at.a) + " * " + of(at.b);
    case Kind::divide:
      return of(at.a) + " / " + of(at.b);
    case Kind::power:
      return fmt::format("pow({}, {})", of(at.a), of(at.b));
    case Kind::arctangent2:
      return fmt::format("atan2({}, {})", of(at.a), of(at.b));
    case Kind::less:
      return fmt::format("{} < {} ? 1.0 : 0.0", of(at.a), of(at.b));
    case Kind::less_equal:
      return fmt::format("{} <= {} ? 1.0 : 0.0", of(at.a), of(at.b));
    case Kind::equal:
      return fmt::format("{} == {} ? 1.0 : 0.0", of(at.a), of(at.b));
    case Kind::logical_not:
      return fmt::format("{} == 0.0 ? 1.0 : 0.0", of(at.a));
    case Kind::select:
      return fmt::format("{} != 0.0 ? {} : {}", of(at.a), of(at.b), of(at.c));
    case Kind::piecewise: {
      const PiecewiseCubic& table = graph_.tables()[static_cast<std::size_t>(at.b)];
      return fmt::format("piecewise(table{}, {}, {}, {})", tables_.number(table), table.size(), at.c,
                         of(at.a));
    }
    default:
      return fmt::format("{}({})", c_name(at.kind), of(at.a));
  }
}

void Writer::find_crossings() {
  const auto count = static_cast<std::size_t>(graph_.size());
  place_.assign(count, -1);
  crossing_.assign(count, -1);
  for (const int node : GraphProgram::order(*function_.recorded)) {
    if (!is_kept(node)) continue;
    place_[static_cast<std::size_t>(node)] = static_cast<int>(statements_.size());
    statements_.push_back(node);
  }
  // places in the work array are used again once the last part that needs them is over
  const std::size_t parts = (statements_.size() + part_length - 1) / part_length;
  std::vector<int> last(count, -1);
  for (const int node : statements_) {
    const OperationGraph::Node& at = graph_[node];
    const std::array operands{at.a, at.b, at.c};
    for (int k = 0; k < OperationGraph::operands(at.kind); ++k) {
      const int operand = operands[static_cast<std::size_t>(k)];
      if (is_kept(operand) && part_of(operand) != part_of(node))
        last[static_cast<std::size_t>(operand)] = static_cast<int>(part_of(node));
    }
  }
  std::vector<std::vector<int>> ends(parts);
  std::vector<int> free;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t end = std::min(statements_.size(), (part + 1) * part_length);
    for (std::size_t i = part * part_length; i < end; ++i) {
      const auto node = static_cast<std::size_t>(statements_[i]);
      if (last[node] < 0) continue;
      if (free.empty()) free.push_back(kept_++);
      crossing_[node] = free.back();
      free.pop_back();
      ends[static_cast<std::size_t>(last[node])].push_back(crossing_[node]);
    }
    // from the next part on: within this one, what is kept is still read
    free.insert(free.end(), ends[part].begin(), ends[part].end());
  }
  for (std::size_t i = 0; i < function_.recorded->outputs.size(); ++i)
    outputs_.emplace(function_.recorded->outputs[i], static_cast<int>(i));
}

std::string arguments(const CFunction& function, bool with_types) {
  std::vector<std::string> list;
  for (const CFunction::Array& array : function.inputs)
    if (array.size > 0)
      list.push_back((!with_types ? "" : array.is_number ? "double " : "const double *") + array.name);
  for (const CFunction::Array& array : function.outputs)
    if (array.size > 0) list.push_back((with_types ? "double *" : "") + array.name);
  return fmt::format("{}", fmt::join(list, ", "));
}

std::string Writer::part(std::size_t index) {
  std::string text;
  const std::size_t end = std::min(statements_.size(), (index + 1) * part_length);
  for (std::size_t i = index * part_length; i < end; ++i) {
    const int node = statements_[i];
    text += fmt::format("  const double a{} = {};\n", i, expression(node, index));
    if (const int to = crossing_[static_cast<std::size_t>(node)]; to >= 0)
      text += fmt::format("  w[{}] = a{};\n", to, i);
    const auto [first, behind] = outputs_.equal_range(node);
    for (auto output = first; output != behind; ++output)
      text += fmt::format("  {} = a{};\n", element(function_.outputs, output->second), i);
  }
  return text;
}

std::string Writer::text() {
  find_crossings();
  const std::size_t parts = (statements_.size() + part_length - 1) / part_length;
  // outputs that are inputs or constants
  std::string plain;
  for (const auto& [node, output] : outputs_)
    if (!is_kept(node))
      plain += fmt::format("  {} = {};\n", element(function_.outputs, output), name(node, 0));

  const std::string comment = function_.comment.empty() ? "" : fmt::format("/* {} */\n", function_.comment);
  std::string unused;
  for (const auto& arrays : {function_.inputs, function_.outputs})
    for (const CFunction::Array& array : arrays)
      if (array.size > 0) unused += fmt::format("  (void){};\n", array.name);
  if (parts <= 1)
    return fmt::format("{}{} {{\n{}{}{}}}\n\n", comment, c_declaration(function_), parts == 1 ? part(0) : "",
                       plain, unused);
  std::string text, calls;
  const std::string typed = arguments(function_, true), bare = arguments(function_, false);
  for (std::size_t i = 0; i < parts; ++i) {
    text += fmt::format("static void {}_{}({}, double *w) {{\n{}{}  (void)w;\n}}\n\n", function_.name, i,
                        typed, part(i), unused);
    calls += fmt::format("  {}_{}({}, w);\n", function_.name, i, bare);
  }
  return text + fmt::format("{}{} {{\n  double w[{}];\n{}{}}}\n\n", comment, c_declaration(function_),
                            std::max(kept_, 1), calls, plain);
}

}  // namespace

std::string c_declaration(const CFunction& function) {
  const std::string list = arguments(function, true);
  return fmt::format("void {}({})", function.name, list.empty() ? "void" : list);
}

std::string c_definitions(const std::vector<CFunction>& functions) {
  Tables tables;
  std::string text;
  for (const CFunction& function : functions) text += Writer(function, tables).text();
  return tables.text() + text;
}

std::size_t operation_count(const RecordedFunction& recorded) {
  const std::vector<int> order = GraphProgram::order(recorded);
  return static_cast<std::size_t>(std::count_if(order.begin(), order.end(), [&](int node) {
    return OperationGraph::operands(recorded.graph[node].kind) > 0;
  }));
}

}  // namespace trammel
