// Expressions from text, as they stand in model files: `0.5 * k * (spring.length - 120 mm)^2`.
//
// docs/expressions.md says what can be written. What names mean is up to an ExpressionScope.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trammel/mechanism/expression.h"

namespace trammel {

// What is wrong with a text, and where: the position of a byte, from zero.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(const std::string& message, std::size_t column_in_text)
      : std::runtime_error(message), column(column_in_text) {}

  std::size_t column;
};

// A name that the language itself does not know, `crank.angle`, or a call of it with names, `distance(P,
// 'Q-1')`.
struct ExpressionReference {
  std::string name;
  std::vector<std::string> arguments;
  bool is_call = false;
  std::size_t column = 0;
};

// What it means: a constant, the input with this index, or another expression of the same inputs.
using ExpressionSymbol = std::variant<double, int, Expression>;

class ExpressionScope {
 public:
  virtual ~ExpressionScope() = default;
  // May throw an ExpressionError to say better than "there is no ..." what is wrong with a reference.
  virtual std::optional<ExpressionSymbol> find(const ExpressionReference& reference) const = 0;
  // All names, of functions and tables too, for hints at misspelt ones.
  virtual std::vector<std::string> names() const = 0;
  // Null if there is none of this name.
  virtual const Table* table(const std::string& name) const;
};

// Throws ExpressionError.
Expression parse_expression(std::string_view text, const ExpressionScope& scope);

}  // namespace trammel
