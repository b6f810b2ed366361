// A number, or an expression of time, measured quantities and parameters that is compiled later.
#pragma once

#include <string>
#include <utility>

#include "trammel/mechanism/place.h"

namespace trammel {

struct Law {
  Law() = default;
  Law(double constant) : value(constant) {}  // NOLINT: a number is a law
  explicit Law(std::string expression, SourcePlace where = {})
      : text(std::move(expression)), place(std::move(where)) {}

  double value = 0;
  std::string text = {};  // empty: the constant
  SourcePlace place = {};

  bool is_constant() const { return text.empty(); }
};

}  // namespace trammel
