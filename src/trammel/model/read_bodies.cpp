// Bodies with their shapes, masses and inertias, and markers on them.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "trammel/model/frame_reader.h"
#include "trammel/model/model_builder.h"
#include "trammel/model/shape_reader.h"

namespace trammel {
namespace {

// Three numbers, six, or a matrix by rows.
Mat3<double> read_inertia_values(const ModelNode& node, const NumberScope& scope) {
  Mat3<double> inertia;
  const bool matrix = node.kind == ModelNode::Kind::list && node.items.size() == 3 &&
                      node.items[0].kind == ModelNode::Kind::list;
  if (matrix) {
    for (int row = 0; row < 3; ++row) {
      const Vec3<double> values = read_vector(node.items[static_cast<std::size_t>(row)], scope, "inertia");
      for (int column = 0; column < 3; ++column) inertia(row, column) = values[column];
    }
    double size = 0;
    for (int i = 0; i < 3; ++i) size = std::max(size, std::abs(inertia(i, i)));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < i; ++j) {
        if (std::abs(inertia(i, j) - inertia(j, i)) > 1e-9 * size)
          throw ModelError(node.place(), fmt::format("'inertia' is not symmetric: {} and {}", inertia(i, j),
                                                     inertia(j, i)));
        inertia(i, j) = inertia(j, i);
      }
    return inertia;
  }
  if (node.kind != ModelNode::Kind::list || (node.items.size() != 3 && node.items.size() != 6))
    throw ModelError(node.place(),
                     fmt::format("'inertia' is a list of 3 numbers (xx, yy, zz), 6 numbers (xx, yy, zz, xy, "
                                 "xz, yz) or 3 rows, not {}",
                                 node.in_words()));
  const std::vector<double> values = read_numbers(node, scope, "inertia");
  for (int i = 0; i < 3; ++i) inertia(i, i) = values[static_cast<std::size_t>(i)];
  if (values.size() == 6) {
    inertia(0, 1) = inertia(1, 0) = values[3];
    inertia(0, 2) = inertia(2, 0) = values[4];
    inertia(1, 2) = inertia(2, 1) = values[5];
  }
  return inertia;
}

// About the centre of mass in body axes, whatever the file has it about.
Mat3<double> read_inertia(const ModelNode& node, const NumberScope& scope, double mass,
                          const Vec3<double>& com) {
  if (node.kind != ModelNode::Kind::map) return read_inertia_values(node, scope);
  const MapReader map(node, key_set("inertia"), "'inertia'", node.place(), scope);
  Mat3<double> inertia = read_inertia_values(map.at("values"), scope);
  if (map.has("orientation")) inertia = in_axes(read_orientation(map.at("orientation"), scope), inertia);
  const ModelNode* about = map.find("about");
  if (!about) return inertia;
  Vec3<double> point = com;
  if (about->kind == ModelNode::Kind::list)
    point = read_vector(*about, scope, "about");
  else if (map.choice("about", {"com", "origin"}, "com") == "origin")
    point = {};
  return inertia - inertia_of_point(mass, point - com);
}

// A rod between two points of the world; x along it, z as near to the world's as it can be.
void read_rod(const ModelNode& node, const NumberScope& scope, Body& body) {
  const std::string what = fmt::format("the rod of body '{}'", body.name);
  const MapReader map(node, key_set("rod"), what, node.place(), scope);
  const Vec3<double> from = read_vector(map.at("from"), scope, "from"),
                     to = read_vector(map.at("to"), scope, "to");
  const double rod_length = length(to - from);
  if (!(rod_length > 0)) map.fail_at("to", what + " has no length: 'from' and 'to' are the same point");
  if (!(rod_length < 1e150)) map.fail_at("to", what + " is too long to be computed with");
  const Vec3<double> x = (to - from) * (1 / rod_length);
  const bool upright = std::abs(x.x) < 1e-9 && std::abs(x.y) < 1e-9;
  body.reference.origin = (from + to) * 0.5;
  body.reference.axes =
      axes_towards(0, x, upright ? 1 : 2, upright ? Vec3<double>{0, 1, 0} : Vec3<double>{0, 0, 1});

  const double radius = map.number("radius", 0, NumberRange::not_negative);
  map.refuse_together("mass", "density");
  if (map.has("density")) {
    if (!(radius > 0)) map.fail(what + " needs 'radius' for a mass from its 'density'");
    body.mass =
        map.number("density", NumberRange::not_negative) * std::numbers::pi * radius * radius * rod_length;
  } else {
    body.mass = map.number("mass", NumberRange::not_negative);
  }
  const double across = body.mass * (3 * radius * radius + rod_length * rod_length) / 12;
  body.inertia = {{body.mass * radius * radius / 2, 0, 0}, {0, across, 0}, {0, 0, across}};

  Shape shape;
  shape.kind = Shape::Kind::capsule;
  shape.frame.axes = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  const double shown = radius > 0 ? radius : rod_length / 40;
  shape.size = {shown, shown, rod_length};
  body.shapes.push_back(shape);
}

bool any_has_density(const std::vector<ReadShape>& shapes) {
  return std::any_of(shapes.begin(), shapes.end(),
                     [](const ReadShape& shape) { return shape.density.has_value(); });
}

// From what the shapes weigh: all of it, or the inertia of a given mass.
void use_mass_of_shapes(const MapReader& map, const std::vector<ReadShape>& shapes, Body& body) {
  // beside shapes with a density of their own, those without weigh nothing
  const double density = map.number("density", any_has_density(shapes) ? 0 : 1, NumberRange::not_negative);
  std::vector<MassProperties> parts;
  for (const ReadShape& shape : shapes) {
    const double own = shape.density.value_or(density);
    if (const auto part = solid(shape.shape, own, shape.ends)) parts.push_back(*part);
  }
  const MassProperties all = together(parts);
  if (!(all.mass > 0)) map.fail(fmt::format("{} has no shapes that weigh anything", map.what()));
  const double scale = map.has("mass") ? body.mass / all.mass : 1;
  body.mass = all.mass * scale;
  body.inertia = {all.inertia.column[0] * scale, all.inertia.column[1] * scale,
                  all.inertia.column[2] * scale};
  body.com = all.com;
}

// Densities that nobody would ask for.
void refuse_densities_of_shapes(const MapReader& map, const std::string& because_of) {
  if (map.has(because_of))
    map.fail_at("shapes", fmt::format("shapes of {} have a density, which does not go with '{}'", map.what(),
                                      because_of));
}

void read_mass(const MapReader& map, const std::vector<ReadShape>& shapes, Body& body) {
  if (map.has("rod")) {
    for (const std::string key : {"at", "orientation", "mass", "com", "inertia", "density"})
      map.refuse_together("rod", key);
    if (any_has_density(shapes)) refuse_densities_of_shapes(map, "rod");
    return read_rod(map.at("rod"), map.scope(), body);
  }
  for (const std::string key : {"mass", "inertia", "com"}) {
    map.refuse_together("density", key);
    const bool of_shapes =
        map.has("mass") && map.has("inertia") && map.at("inertia").kind == ModelNode::Kind::word;
    if (any_has_density(shapes) && !of_shapes) refuse_densities_of_shapes(map, key);
  }
  if ((map.has("density") || any_has_density(shapes)) && !map.has("mass"))
    return use_mass_of_shapes(map, shapes, body);
  if (!map.has("mass")) map.fail(map.what() + " has no mass: give 'mass', 'density' with 'shapes', or 'rod'");

  body.mass = map.number("mass", NumberRange::not_negative);
  const ModelNode* inertia = map.find("inertia");
  if (inertia && inertia->kind == ModelNode::Kind::word) {
    map.choice("inertia", {"shapes"}, "");
    map.refuse_together("inertia", "com");
    return use_mass_of_shapes(map, shapes, body);
  }
  body.com = map.vector("com", {});
  if (inertia) body.inertia = read_inertia(*inertia, map.scope(), body.mass, body.com);
  if (inertia && inertia->kind == ModelNode::Kind::map)
    body.inertia_as_given =
        MapReader(*inertia, key_set("inertia"), "'inertia'", inertia->place(), map.scope())
            .flag("as_given", false);
}

Body read_body(const NamedEntry& entry, const NumberScope& scope) {
  const MapReader map(entry.node, key_set("body"), fmt::format("body '{}'", entry.name), entry.place, scope);
  Body body;
  body.name = entry.name;
  body.place = entry.place;
  body.reference.origin = map.vector("at", {});
  if (map.has("orientation")) body.reference.axes = read_orientation(map.at("orientation"), scope);
  body.color = read_color(map);
  const std::vector<ReadShape> shapes = read_shapes(map.find("shapes"), scope);
  for (const ReadShape& shape : shapes) body.shapes.push_back(shape.shape);
  read_mass(map, shapes, body);
  body.velocity = map.vector("velocity", {});
  body.angular_velocity = map.vector("angular_velocity", {});
  body.keep = map.number("keep", 1, NumberRange::positive);
  return body;
}

// What stands around.
void read_ground(const NamedEntry& entry, const NumberScope& scope, Body& ground) {
  const MapReader map(entry.node, key_set("ground"), "the ground", entry.place, scope);
  ground.place = entry.place;
  ground.color = read_color(map);
  for (const ReadShape& shape : read_shapes(map.find("shapes"), scope)) ground.shapes.push_back(shape.shape);
}

}  // namespace

void read_bodies(ModelBuilder& builder) {
  for_each_entry(builder, "bodies", [&](const NamedEntry& entry) {
    if (entry.name == "ground") return read_ground(entry, builder.scope, builder.mechanism().bodies[0]);
    const int index = builder.mechanism().add(read_body(entry, builder.scope));
    builder.bodies.emplace(entry.name, BodyReference{index, {}});
  });
}

void read_markers(ModelBuilder& builder) {
  for_each_entry(builder, "markers", [&](const NamedEntry& entry) {
    const MapReader map(entry.node, key_set("marker"), fmt::format("marker '{}'", entry.name), entry.place,
                        builder.scope);
    if (builder.bodies.contains(entry.name))
      throw ModelError(entry.place, fmt::format("marker '{}' has the name of a body", entry.name));
    const BodyReference body = read_body_name(builder, map.at("body"), "body");
    Marker marker;
    marker.name = entry.name;
    marker.place = entry.place;
    marker.body = body.body;
    if (map.has("local")) {
      for (const std::string key : {"at", "axis", "x", "orientation"}) map.refuse_together("local", key);
      marker.frame = compose(body.frame, read_frame(map.at("local"), builder.scope, "'local'"));
    } else {
      const Frame reference = builder.mechanism().bodies[static_cast<std::size_t>(body.body)].reference;
      marker.frame = compose(inverse(reference), read_frame(map));
    }
    builder.markers.emplace(entry.name, static_cast<int>(builder.mechanism().markers.size()));
    builder.mechanism().markers.push_back(marker);
  });
}

}  // namespace trammel
