// What names mean in the tests of expressions.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trammel/mechanism/expression_parser.h"

namespace trammel::expression_rig {

// The inputs x, y and 'odd-name'.rate, a few constants, an expression by name, a function of names, two
// tables.
class Scope : public ExpressionScope {
 public:
  std::map<std::string, ExpressionSymbol> symbols{{"x", 0},
                                                  {"y", 1},
                                                  {"odd-name.rate", 2},
                                                  {"k", 3.0},
                                                  {"zero", 0.0},
                                                  {"crank.position.x", 7.0},
                                                  {"huge", std::numeric_limits<double>::infinity()}};
  std::map<std::string, Table> tables{
      {"spring",
       Table(std::vector<double>{0, 1, 3}, std::vector<double>{0, 2, 3}, Table::Interpolation::cubic)},
      {"cam-2", Table(std::vector<double>{0, 1}, std::vector<double>{5, 6})}};

  std::optional<ExpressionSymbol> find(const ExpressionReference& reference) const override {
    if (reference.is_call) {
      if (reference.name != "distance") return std::nullopt;
      if (reference.arguments.size() != 2)
        throw ExpressionError("distance is of two points", reference.column);
      return reference.arguments == std::vector<std::string>{"P", "Q-1"}
                 ? std::optional<ExpressionSymbol>(42.0)
                 : std::nullopt;
    }
    const auto found = symbols.find(reference.name);
    return found == symbols.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> result{"distance", "spring", "cam-2"};
    for (const auto& [name, symbol] : symbols) result.push_back(name);
    return result;
  }
  const Table* table(const std::string& name) const override {
    const auto found = tables.find(name);
    return found == tables.end() ? nullptr : &found->second;
  }
};

inline Expression parse(const std::string& text) { return parse_expression(text, Scope()); }

inline double value(const std::string& text, double x = 0, double y = 0, double z = 0) {
  return parse(text).evaluate<double>(std::array{x, y, z});
}

}  // namespace trammel::expression_rig
