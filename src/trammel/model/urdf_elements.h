// Attributes of a URDF file as numbers, and what is odd about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trammel/model/urdf_robot.h"
#include "trammel/model/xml_tree.h"

namespace trammel {

// Who an element belongs to, for messages, and what was odd about it.
class UrdfOwner {
 public:
  // "link 'arm'"
  UrdfOwner(std::string who, SourcePlace place, bool strict)
      : who_(std::move(who)), place_(std::move(place)), strict_(strict) {}

  const std::string& who() const { return who_; }
  const SourcePlace& place() const { return place_; }
  bool is_strict() const { return strict_; }

  [[noreturn]] void fail(const SourcePlace& place, const std::string& message) const;
  // Kept for the one warning of this owner.
  void warn(const std::string& message);
  // Likewise; an error if strict.
  void complain(const SourcePlace& place, const std::string& message);
  // All of them, or nothing.
  std::string warning() const;

  // The first child of this name; more than one is odd.
  const XmlElement* only_child(const XmlElement& element, const std::string& name);
  // Attributes and children that are none, but nearly.
  void check_names(const XmlElement& element, const std::vector<std::string>& attributes,
                   const std::vector<std::string>& children);

  // Throw ModelError at the attribute.
  double number(const XmlElement& element, const std::string& attribute) const;
  double number(const XmlElement& element, const std::string& attribute, double otherwise) const;
  Vec3<double> vector(const XmlElement& element, const std::string& attribute,
                      const Vec3<double>& otherwise) const;
  std::vector<double> numbers(const XmlElement& element, const XmlElement::Attribute& attribute,
                              std::size_t count) const;
  std::string text(const XmlElement& element, const std::string& attribute) const;
  // <origin> of an element; where it is if there is none.
  Frame origin(const XmlElement& element);

 private:
  std::string who_;
  SourcePlace place_;
  bool strict_;
  std::vector<std::string> warnings_;
};

// An <inertial>. What no body can have is repaired, replaced or taken as given, with a warning. Throws
// ModelError.
UrdfLink::Inertial read_urdf_inertial(const XmlElement& element, const UrdfReading& reading,
                                      UrdfOwner& owner);

// The shapes of all <visual> or <collision> of a link, in its frame. Looks never hinder a motion: what is
// wrong with one is a warning, and the shape is left out. Names of meshes are those of the file.
struct UrdfMaterial {
  std::string name, color;
};
std::vector<Shape> read_urdf_shapes(const XmlElement& link, const std::string& kind,
                                    const std::vector<UrdfMaterial>& materials, UrdfOwner& owner);
// The color of a <material>, "#rrggbb"; empty if it has none. Throws ModelError.
std::string read_urdf_color(const XmlElement& material, const UrdfOwner& owner);

}  // namespace trammel
