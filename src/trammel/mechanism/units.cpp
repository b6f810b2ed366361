#include "trammel/mechanism/units.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trammel {

namespace {

constexpr UnitDimension length{0, 1, 0}, duration{0, 0, 1}, angle{0, 0, 0}, mass{1, 0, 0}, force{1, 1, -2},
    torque{1, 2, -2}, impulse{1, 1, -1}, turning_impulse{1, 2, -1}, pressure{1, -1, -2}, energy{1, 2, -2},
    power_of_work{1, 2, -3}, frequency{0, 0, -1};
constexpr double pi = std::numbers::pi;

struct NamedUnit {
  std::string_view name;
  Unit unit;
};
constexpr NamedUnit units[] = {
    {"m", {1, 1, length}},
    {"km", {1e3, 1, length}},
    {"dm", {1, 10, length}},
    {"cm", {1, 100, length}},
    {"mm", {1, 1e3, length}},
    {"um", {1, 1e6, length}},
    {"µm", {1, 1e6, length}},
    {"in", {254, 1e4, length}},
    {"ft", {3048, 1e4, length}},
    {"s", {1, 1, duration}},
    {"ms", {1, 1e3, duration}},
    {"us", {1, 1e6, duration}},
    {"min", {60, 1, duration}},
    {"h", {3600, 1, duration}},
    {"rad", {1, 1, angle}},
    {"mrad", {1, 1e3, angle}},
    {"deg", {pi, 180, angle}},
    {"°", {pi, 180, angle}},
    {"rev", {2 * pi, 1, angle}},
    {"kg", {1, 1, mass}},
    {"g", {1, 1e3, mass}},
    {"t", {1e3, 1, mass}},
    {"tonne", {1e3, 1, mass}},
    {"lb", {45359237, 1e8, mass}},
    {"N", {1, 1, force}},
    {"mN", {1, 1e3, force}},
    {"kN", {1e3, 1, force}},
    {"MN", {1e6, 1, force}},
    {"Nm", {1, 1, torque}},
    {"mNm", {1, 1e3, torque}},
    {"Nmm", {1, 1e3, torque}},
    {"kNm", {1e3, 1, torque}},
    {"Ns", {1, 1, impulse}},
    {"Nms", {1, 1, turning_impulse}},
    {"Pa", {1, 1, pressure}},
    {"kPa", {1e3, 1, pressure}},
    {"MPa", {1e6, 1, pressure}},
    {"GPa", {1e9, 1, pressure}},
    {"bar", {1e5, 1, pressure}},
    {"J", {1, 1, energy}},
    {"kJ", {1e3, 1, energy}},
    {"MJ", {1e6, 1, energy}},
    {"W", {1, 1, power_of_work}},
    {"kW", {1e3, 1, power_of_work}},
    {"MW", {1e6, 1, power_of_work}},
    {"Hz", {1, 1, frequency}},
    {"kHz", {1e3, 1, frequency}},
    {"rpm", {2 * pi, 60, frequency}},
};

}  // namespace

Unit Unit::power(int exponent) const {
  const double n = std::abs(exponent);
  const Unit result{std::pow(numerator, n),
                    std::pow(denominator, n),
                    {dimension.mass * exponent, dimension.length * exponent, dimension.time * exponent}};
  return exponent < 0 ? Unit{result.denominator, result.numerator, result.dimension} : result;
}

Unit Unit::operator*(const Unit& other) const {
  return {numerator * other.numerator,
          denominator * other.denominator,
          {dimension.mass + other.dimension.mass, dimension.length + other.dimension.length,
           dimension.time + other.dimension.time}};
}

const Unit* find_unit(std::string_view name) {
  const auto found = std::find_if(std::begin(units), std::end(units),
                                  [&](const NamedUnit& candidate) { return candidate.name == name; });
  return found == std::end(units) ? nullptr : &found->unit;
}

std::vector<std::string> unit_names() {
  std::vector<std::string> names;
  for (const NamedUnit& unit : units) names.emplace_back(unit.name);
  return names;
}

}  // namespace trammel
