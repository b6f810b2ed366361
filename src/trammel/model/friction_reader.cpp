#include "trammel/model/friction_reader.h"

#include <fmt/format.h>

#include "trammel/model/coordinate_reader.h"

namespace trammel {

Force read_friction(const MapReader& map, const Joint& joint, const std::string& name) {
  Force::JointFriction force;
  force.name = name;
  force.place = map.owner();
  force.along = {joint.name, map.text("coordinate")};
  if (!force.along.coordinate.empty())
    check_coordinate(joint, force.along.coordinate, map.at("coordinate").place(), RatesAllowed::no);
  force.dry = map.number("dry", 0, NumberRange::not_negative);
  force.coefficient = map.number("coefficient", 0, NumberRange::not_negative);
  force.radius = map.number("radius", 0, NumberRange::not_negative);
  force.viscous = map.number("viscous", 0, NumberRange::not_negative);
  force.friction_velocity = map.number("velocity", usual_friction_velocity, NumberRange::positive);
  if (!map.has_any({"dry", "coefficient", "viscous"}))
    map.fail(fmt::format("{} needs 'dry', 'coefficient' or 'viscous'", map.what()));
  map.refuse_without("radius", {"coefficient"});
  map.refuse_without("velocity", {"dry", "coefficient"});
  return force;
}

}  // namespace trammel
