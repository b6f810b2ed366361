#include "trammel/model/urdf_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "trammel/model/frame_reader.h"
#include "trammel/model/map_reader.h"

namespace trammel {

void UrdfOwner::fail(const SourcePlace& place, const std::string& message) const {
  throw ModelError(place, fmt::format("{}: {}", who_, message));
}

void UrdfOwner::warn(const std::string& message) {
  if (std::find(warnings_.begin(), warnings_.end(), message) == warnings_.end()) warnings_.push_back(message);
}

void UrdfOwner::complain(const SourcePlace& place, const std::string& message) {
  if (strict_) fail(place, message);
  warn(message);
}

std::string UrdfOwner::warning() const {
  if (warnings_.empty()) return {};
  return fmt::format("{}: {}: {}", place_.text(), who_, fmt::join(warnings_, "; "));
}

const XmlElement* UrdfOwner::only_child(const XmlElement& element, const std::string& name) {
  const XmlElement* first = nullptr;
  for (const XmlElement& child : element.children) {
    if (child.name != name) continue;
    if (first)
      complain(child.place, fmt::format("there is more than one <{}>, of which the first is read", name));
    if (!first) first = &child;
  }
  return first;
}

void UrdfOwner::check_names(const XmlElement& element, const std::vector<std::string>& attributes,
                            const std::vector<std::string>& children) {
  // there are many extensions: of elements, and of attributes of those that hold others, only what looks
  // misspelt is told
  for (const XmlElement::Attribute& attribute : element.attributes) {
    if (std::find(attributes.begin(), attributes.end(), attribute.name) != attributes.end()) continue;
    const std::string hint = hint_at(attribute.name, attributes);
    if (children.empty() || !hint.empty())
      complain(attribute.place,
               fmt::format("'{}' of <{}> is not read{}", attribute.name, element.name, hint));
  }
  for (const XmlElement& child : element.children) {
    if (std::find(children.begin(), children.end(), child.name) != children.end()) continue;
    if (const std::string hint = hint_at(child.name, children); !hint.empty())
      complain(child.place, fmt::format("<{}> is not read{}", child.name, hint));
  }
}

std::vector<double> UrdfOwner::numbers(const XmlElement& element, const XmlElement::Attribute& attribute,
                                       std::size_t count) const {
  const std::string& text = attribute.value;
  const std::string what = fmt::format("'{}' of <{}>", attribute.name, element.name);
  std::vector<double> values;
  constexpr const char* blanks = " \t\r\n";
  for (std::size_t i = text.find_first_not_of(blanks); i != std::string::npos;
       i = text.find_first_not_of(blanks, i)) {
    const std::size_t end = std::min(text.find_first_of(blanks, i), text.size());
    const char *first = text.data() + i + (text[i] == '+' ? 1 : 0), *last = text.data() + end;
    double value = 0;
    const auto [stop, error] = std::from_chars(first, last, value);
    const std::string word = text.substr(i, end - i);
    if (word.find("${") != std::string::npos)
      fail(attribute.place, fmt::format("{} is '{}', which xacro replaces by a number: make a URDF file "
                                        "with 'xacro FILE > FILE.urdf' first",
                                        what, text));
    const bool limit = element.name == "limit" && std::isinf(value);
    if (error != std::errc() || stop != last || (!std::isfinite(value) && !limit))
      fail(attribute.place, fmt::format("{} is '{}', which is not a number", what, word));
    values.push_back(value);
    i = end;
  }
  if (values.size() != count)
    fail(attribute.place, count == 1 ? fmt::format("{} is a number, not '{}'", what, text)
                                     : fmt::format("{} is {} numbers, not '{}'", what, count, text));
  return values;
}

double UrdfOwner::number(const XmlElement& element, const std::string& attribute) const {
  const XmlElement::Attribute* found = element.attribute(attribute);
  if (!found) fail(element.place, fmt::format("<{}> has no '{}'", element.name, attribute));
  return numbers(element, *found, 1)[0];
}

double UrdfOwner::number(const XmlElement& element, const std::string& attribute, double otherwise) const {
  return element.attribute(attribute) ? number(element, attribute) : otherwise;
}

Vec3<double> UrdfOwner::vector(const XmlElement& element, const std::string& attribute,
                               const Vec3<double>& otherwise) const {
  const XmlElement::Attribute* found = element.attribute(attribute);
  if (!found) return otherwise;
  const std::vector<double> values = numbers(element, *found, 3);
  return {values[0], values[1], values[2]};
}

std::string UrdfOwner::text(const XmlElement& element, const std::string& attribute) const {
  const XmlElement::Attribute* found = element.attribute(attribute);
  if (!found || found->value.empty())
    fail(element.place, fmt::format("<{}> has no '{}'", element.name, attribute));
  return found->value;
}

Frame UrdfOwner::origin(const XmlElement& element) {
  const XmlElement* origin = only_child(element, "origin");
  if (!origin) return {};
  check_names(*origin, {"xyz", "rpy", "quat_xyzw"}, {});
  Frame frame{vector(*origin, "xyz", {}), from_roll_pitch_yaw(vector(*origin, "rpy", {}))};
  const XmlElement::Attribute* quaternion = origin->attribute("quat_xyzw");
  if (!quaternion) return frame;
  if (origin->attribute("rpy")) fail(quaternion->place, "<origin> has both 'rpy' and 'quat_xyzw'");
  const std::vector<double> e = numbers(*origin, *quaternion, 4);
  const double square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
  if (!(square > 1e-20) || !(square < 1e20)) fail(quaternion->place, "'quat_xyzw' of <origin> is zero");
  frame.axes = rotation_matrix(Quaternion<double>{e[3], e[0], e[1], e[2]});
  return frame;
}

}  // namespace trammel
