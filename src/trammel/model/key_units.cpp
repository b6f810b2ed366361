#include "trammel/model/key_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "trammel/mechanism/units.h"

namespace trammel {

namespace {

struct KeyUnits {
  std::vector<std::string_view> keys;
  std::vector<UnitDimension> dimensions;
  const char* in_words;
};

const std::vector<KeyUnits>& key_units() {
  static const std::vector<KeyUnits> units{
      {{"at", "from", "to", "com", "radius", "length", "free_length", "plane_at", "box", "height",
        "amplitude", "wavelength", "pitch", "smoothing"},
       {{0, 1, 0}},
       "a length, as in '5 mm'"},
      {{"mass"}, {{1, 0, 0}}, "a mass, as in '5 kg'"},
      {{"density"}, {{1, -3, 0}}, "a density, as in '7.85 g/cm^3'"},
      {{"inertia", "rotor_inertia"}, {{1, 2, 0}}, "a moment of inertia, as in '2 kg*m^2'"},
      {{"gravity"}, {{0, 1, -2}}, "an acceleration, as in '9.81 m/s^2'"},
      {{"velocity", "angular_velocity", "wind", "slip_velocity", "friction_velocity"},
       {{0, 1, -1}, {0, 0, -1}},
       "a speed, as in '2 m/s' or '30 deg/s'"},
      {{"end", "output", "h0"}, {{0, 0, 1}}, "a time, as in '10 ms'"},
      {{"rpy", "free_angle"}, {{0, 0, 0}}, "an angle, as in '30 deg'"},
      // of contacts also by other powers of the depth
      {{"stiffness"}, {{1, 0, -2}, {1, 2, -2}, {1, -1, -2}}, "a stiffness, as in '2 kN/m' or '5 Nm/rad'"},
      // of contacts s/m
      {{"damping", "viscous", "angular_viscous"},
       {{1, 0, -1}, {1, 2, -1}, {1, -1, -1}, {0, -1, 1}},
       "a damping, as in '20 N/(m/s)' or '3 Nm/(rad/s)'"},
      {{"preload", "dry"}, {{1, 1, -2}, {1, 2, -2}}, "a force or a torque, as in '20 N' or '3 Nm'"},
  };
  return units;
}

// Most numbers have no unit; those that have begin with a number.
bool may_have_unit(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::size_t first = text.find_first_not_of("+- ");
  return first != std::string_view::npos && (is_digit(text[first]) || text[first] == '.') &&
         std::any_of(text.begin(), text.end(), [&](char c) {
           return !is_digit(c) && std::string_view("+-. eE").find(c) == std::string_view::npos;
         });
}

}  // namespace

void check_unit(const ModelNode& node, const NumberScope& scope, const std::string& key) {
  if (node.kind != ModelNode::Kind::word || !may_have_unit(node.text)) return;
  for (const KeyUnits& units : key_units()) {
    if (std::find(units.keys.begin(), units.keys.end(), key) == units.keys.end()) continue;
    const std::string text = scope.text(node, key);
    const auto dimension = dimension_of_quantity(text, scope);
    if (dimension &&
        std::find(units.dimensions.begin(), units.dimensions.end(), *dimension) == units.dimensions.end())
      throw ModelError(node.place(), fmt::format("'{}' is {}, not '{}'", key, units.in_words, text));
  }
}

}  // namespace trammel
