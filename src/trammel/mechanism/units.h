// The units of expressions: how many SI units each is, and of what.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trammel {

class ExpressionScope;

// Powers of kg, m and s. Angles have none.
struct UnitDimension {
  int mass = 0, length = 0, time = 0;

  bool operator==(const UnitDimension&) const = default;
};

// Times numerator / denominator gives SI units. Two numbers, so that 35 mm is 0.035 to the last bit.
struct Unit {
  double numerator = 1, denominator = 1;
  UnitDimension dimension = {};

  Unit power(int exponent) const;
  Unit operator*(const Unit& other) const;
};

// Null if there is none of this name.
const Unit* find_unit(std::string_view name);
std::vector<std::string> unit_names();

// Of a text that is nothing but a number and its unit, as "5 mm" or "-9.81 m/s^2"; nothing for all others, sound or not.
// (expression_parser.cpp)
std::optional<UnitDimension> dimension_of_quantity(std::string_view text, const ExpressionScope& scope);

}  // namespace trammel
