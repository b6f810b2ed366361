// What a link of a URDF file weighs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/model/mass_properties.h"
#include "trammel/model/urdf_elements.h"

namespace trammel {
namespace {

// How far moments of inertia may miss those of a real body, relative to the largest: without a word, as
// Mechanism::check has it, and as round-off.
constexpr double exact = 1e-9, round_off = 1e-6;

UrdfLink::Inertial read_given(const XmlElement& element, UrdfOwner& owner) {
  owner.check_names(element, {}, {"origin", "mass", "inertia"});
  UrdfLink::Inertial inertial;
  inertial.place = element.place;
  inertial.frame = owner.origin(element);
  const XmlElement *mass = owner.only_child(element, "mass"), *inertia = owner.only_child(element, "inertia");
  if (mass) {
    owner.check_names(*mass, {"value"}, {});
    inertial.mass = owner.number(*mass, "value");
    if (inertial.mass < 0) owner.fail(mass->place, fmt::format("its mass {:.6g} is negative", inertial.mass));
  } else {
    owner.complain(element.place, "its <inertial> has no <mass>");
  }
  if (!inertia) {
    owner.complain(element.place, "its <inertial> has no <inertia>; it is taken for zero");
    return inertial;
  }
  owner.check_names(*inertia, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {});
  const auto across = [&](const char* name) {
    if (!inertia->attribute(name))
      owner.complain(inertia->place, fmt::format("<inertia> has no '{}'; it is taken for zero", name));
    return owner.number(*inertia, name, 0);
  };
  const double xx = owner.number(*inertia, "ixx"), yy = owner.number(*inertia, "iyy"),
               zz = owner.number(*inertia, "izz"), xy = across("ixy"), xz = across("ixz"), yz = across("iyz");
  inertial.inertia = {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
  return inertial;
}

// Moments of inertia that no body can have: round-off is repaired, the rest is up to the user.
UrdfLink::Inertial judged(UrdfLink::Inertial inertial, const UrdfReading& reading, UrdfOwner& owner) {
  double size = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) size = std::max(size, std::abs(inertial.inertia(i, j)));
  if (!(size < 1e200) || !(inertial.mass < 1e200))
    owner.fail(inertial.place, "its mass or inertia is too large");
  const double excess = excess_of_inertia(inertial.inertia);
  if (inertial.mass == 0 && size > 0) {
    owner.complain(inertial.place, "it has inertia but no mass, which is taken as given");
    inertial.is_real = false;
  }
  if (excess <= exact * size) return inertial;
  // written with few digits, or computed: of a body of this mass that is smaller than a hair
  if (excess <= round_off * size || excess <= 1e-15 * inertial.mass) {
    owner.complain(inertial.place,
                   "its moments of inertia miss those of a real body by round-off, which is repaired");
    inertial.inertia = nearest_real_inertia(inertial.inertia);
    return inertial;
  }
  const bool replace = reading.unphysical_inertia == UrdfReading::UnphysicalInertia::nearest;
  owner.complain(
      inertial.place,
      fmt::format("no real body can have its moments of inertia (none is negative, the largest is at "
                  "most the sum of the others); {}",
                  replace ? "the nearest possible ones are used"
                          : "they are taken as given ('unphysical_inertia: nearest' replaces them)"));
  if (replace)
    inertial.inertia = nearest_real_inertia(inertial.inertia);
  else
    inertial.is_real = false;
  return inertial;
}

}  // namespace

UrdfLink::Inertial read_urdf_inertial(const XmlElement& element, const UrdfReading& reading,
                                      UrdfOwner& owner) {
  return judged(read_given(element, owner), reading, owner);
}

}  // namespace trammel
