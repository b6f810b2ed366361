#include "trammel/model/coordinate_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "trammel/mechanism/measured_function.h"

namespace trammel {

void check_coordinate(const Joint& joint, const std::string& coordinate, const SourcePlace& place,
                      RatesAllowed rates) {
  std::vector<std::string> names = coordinate_names(joint.type);
  if (names.empty())
    throw ModelError(place,
                     fmt::format("joint '{}' has no coordinates: it is {}", joint.name, name(joint.type)));
  const auto contains = [&](const std::string& wanted) {
    return std::find(names.begin(), names.end(), wanted) != names.end();
  };
  const std::string suffix = "_rate";
  const bool is_rate =
      coordinate.ends_with(suffix) && contains(coordinate.substr(0, coordinate.size() - suffix.size()));
  if (contains(coordinate) || (is_rate && rates == RatesAllowed::yes)) return;
  if (is_rate)
    throw ModelError(place,
                     fmt::format("'{}.{}' is a rate; name the coordinate itself", joint.name, coordinate));
  throw ModelError(place, fmt::format("joint '{}' has no coordinate '{}'; it is {} and has {}", joint.name,
                                      coordinate, name(joint.type), fmt::join(names, ", ")));
}

std::string full_coordinate(const ModelBuilder& builder, const std::string& text, const SourcePlace& place,
                            RatesAllowed rates) {
  // a call like distance(P, Q), or names in quotes: understood when the mechanism is compiled
  if (text.find_first_of("('") != std::string::npos) return text;
  const std::vector<Joint>& joints = builder.model.mechanism.joints;
  const std::size_t dot = text.find('.');
  const std::string owner = text.substr(0, dot);
  const auto found = builder.joints.find(owner);
  if (found == builder.joints.end()) {
    if (dot != std::string::npos && (builder.bodies.contains(owner) || builder.markers.contains(owner)))
      return text;
    std::vector<std::string> names;
    for (const Joint& joint : joints) names.push_back(joint.name);
    throw ModelError(place, fmt::format("there is no joint '{}'{}", owner, hint_at(owner, names)));
  }
  const Joint& joint = joints[static_cast<std::size_t>(found->second)];
  if (dot != std::string::npos) {
    const std::string coordinate = text.substr(dot + 1);
    // a joint and a body may bear the same name
    const bool of_body = builder.bodies.contains(owner) && coordinate.find('.') != std::string::npos;
    if (!of_body) check_coordinate(joint, coordinate, place, rates);
    return text;
  }
  const std::vector<std::string>& names = coordinate_names(joint.type);
  if (names.empty())
    throw ModelError(place,
                     fmt::format("joint '{}' has no coordinates: it is {}", joint.name, name(joint.type)));
  if (names.size() > 1)
    throw ModelError(place, fmt::format("joint '{}' has the coordinates {}; say which, as in '{}.{}'",
                                        joint.name, fmt::join(names, ", "), joint.name, names[0]));
  return text + "." + names[0];
}

}  // namespace trammel
