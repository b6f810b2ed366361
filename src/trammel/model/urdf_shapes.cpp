// What a link of a URDF file looks like.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/model/urdf_elements.h"

namespace trammel {
namespace {

// Throws ModelError with what is wrong about it.
Shape read_shape(const XmlElement& element, UrdfOwner& owner) {
  Shape shape;
  shape.frame = owner.origin(element);
  const XmlElement* geometry = owner.only_child(element, "geometry");
  if (!geometry) owner.fail(element.place, "there is no <geometry>");
  if (const XmlElement* box = geometry->child("box")) {
    owner.text(*box, "size");
    shape.kind = Shape::Kind::box;
    shape.size = owner.vector(*box, "size", {});
  } else if (const XmlElement* cylinder = geometry->child("cylinder")) {
    const double radius = owner.number(*cylinder, "radius");
    shape.kind = Shape::Kind::cylinder;
    shape.size = {radius, radius, owner.number(*cylinder, "length")};
  } else if (const XmlElement* sphere = geometry->child("sphere")) {
    const double radius = owner.number(*sphere, "radius");
    shape.kind = Shape::Kind::sphere;
    shape.size = {radius, radius, radius};
  } else if (const XmlElement* capsule = geometry->child("capsule")) {
    const double radius = owner.number(*capsule, "radius");
    shape.kind = Shape::Kind::capsule;
    shape.size = {radius, radius, owner.number(*capsule, "length")};
  } else if (const XmlElement* mesh = geometry->child("mesh")) {
    shape.kind = Shape::Kind::mesh;
    shape.size = owner.vector(*mesh, "scale", {1, 1, 1});
    shape.file = owner.text(*mesh, "filename");
    return shape;
  } else {
    owner.fail(geometry->place, "it is no box, cylinder, sphere, capsule or mesh");
  }
  if (!(shape.size.x > 0 && shape.size.y > 0 && shape.size.z > 0))
    owner.fail(geometry->place, "it has no size");
  return shape;
}

}  // namespace

std::string read_urdf_color(const XmlElement& material, const UrdfOwner& owner) {
  const XmlElement* color = material.child("color");
  const XmlElement::Attribute* rgba = color ? color->attribute("rgba") : nullptr;
  if (!rgba) return {};
  const std::vector<double> parts = owner.numbers(*color, *rgba, 4);
  const auto byte = [](double part) {
    return static_cast<int>(std::lround(255 * std::clamp(part, 0.0, 1.0)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(parts[0]), byte(parts[1]), byte(parts[2]));
}

std::vector<Shape> read_urdf_shapes(const XmlElement& link, const std::string& kind,
                                    const std::vector<UrdfMaterial>& materials, UrdfOwner& owner) {
  std::vector<Shape> shapes;
  for (const XmlElement& element : link.children) {
    if (element.name != kind) continue;
    // faults of looks are told, not thrown
    UrdfOwner looks(owner.who(), owner.place(), false);
    try {
      Shape shape = read_shape(element, looks);
      if (const XmlElement* material = element.child("material")) {
        shape.color = read_urdf_color(*material, looks);
        const XmlElement::Attribute* name = material->attribute("name");
        const auto known = std::find_if(
            materials.begin(), materials.end(),
            [&](const UrdfMaterial& candidate) { return name && candidate.name == name->value; });
        if (shape.color.empty() && known != materials.end()) shape.color = known->color;
      }
      shapes.push_back(shape);
    } catch (const ModelError& error) {
      owner.warn(fmt::format("the {} of line {} is left out: {}", kind, error.place().line,
                             error.message().substr(owner.who().size() + 2)));
    }
  }
  return shapes;
}

}  // namespace trammel
