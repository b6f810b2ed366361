#include "trammel/model/model_keys.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace trammel {
namespace {

// From "type! between! at": an exclamation mark means that the key must be there.
KeySet make(const std::string& name, const std::string& keys) {
  KeySet set{name, {}};
  std::istringstream stream(keys);
  for (std::string key; stream >> key;) {
    const bool required = key.ends_with('!');
    if (required) key.pop_back();
    set.keys.push_back({key, required});
  }
  return set;
}

// Where two bodies meet, in the world or in the frames of the bodies.
const std::string frame_pair = " at axis x orientation on_first on_second ";

std::vector<KeySet> make_key_sets() {
  const std::string sections =
      " bodies markers joints couplers drivers forces roads states inputs measures initial repeat ";
  return {
      make("model", "trammel! title parameters gravity include tables urdf simulation view" + sections),
      make("repeat", "count! index parameters" + sections),
      make("urdf", "file! at orientation base prefix strict unphysical_inertia missing_inertia"),
      make("missing_inertia", "density mass radius"),
      make("simulation", "end output method coordinates rods rtol atol tolerances h0 options"),
      make("tolerance", "rtol atol closure"),
      make("view", "up planar traces"),
      make("table", "x y file columns interpolation outside"),

      make("body", "at orientation mass com inertia density shapes rod color velocity angular_velocity keep"),
      make("ground", "shapes color"),
      make("rod", "from! to! mass density radius"),
      make("inertia", "about orientation values! as_given"),
      make("orientation", "axis angle quaternion rpy x y z"),
      make("shape", "box cylinder sphere capsule cone rod mesh at axis x orientation color density"),
      make("round_shape", "radius! length!"),
      make("sphere_shape", "radius!"),
      make("rod_shape", "from! to! radius!"),
      make("mesh_shape", "file! scale"),
      make("frame", "at axis x orientation"),
      make("point", "at!"),
      make("marker", "body! at axis x orientation local"),

      make("joint",
           "type! between! axis_2 from to pitch length radius normal plane_at initial friction "
           "rotor_inertia gear_ratio tree" +
               frame_pair),
      make("friction", "coordinate dry coefficient radius viscous velocity"),
      make("coupler_gear", "type! joints! teeth! internal"),
      make("coupler_rack_and_pinion", "type! pinion! rack! radius!"),
      make("coupler_coupler", "type! terms! offset"),
      make("driver", "coordinate! position velocity acceleration"),

      make("force_spring_damper",
           "type! between! from to on_first on_second stiffness damping free_length preload force"),
      make("force_torsion_spring",
           "type! joint coordinate between stiffness damping free_angle preload torque" + frame_pair),
      make("force_bushing", "type! between! stiffness damping preload laws" + frame_pair),
      make("bushing_laws", "x y z rx ry rz"),
      make("force_force", "type! on! at local components! axes reaction_on"),
      make("force_torque", "type! on! components! axes reaction_on"),
      make("force_drag", "type! on! at local viscous angular_viscous quadratic angular_quadratic wind"),
      make("force_tyre",
           "type! wheel! at local radius! stiffness! damping smoothing road road_at forward up friction "
           "cornering "
           "slip_velocity traction axle"),
      make("force_contact",
           "type! sphere! at local radius! plane plane_at normal plane_local stiffness! exponent damping "
           "friction "
           "friction_velocity smoothing"),
      make("force_actuator", "type! joint coordinate force torque"),
      make("force_joint_friction", "type! joint! coordinate dry coefficient radius viscous velocity"),

      make("road_flat", "type!"),
      make("road_half_cylinder", "type! at! radius! length"),
      make("road_step", "type! at! height! length!"),
      make("road_sine", "type! at amplitude! wavelength!"),
      make("road_table", "type! at table!"),
      make("state", "rate! initial"),
      make("measure", "value! unit"),
  };
}

std::vector<std::string> types_of(const std::string& section) {
  std::vector<std::string> types;
  for (const KeySet& set : model_key_sets())
    if (set.name.starts_with(section + "_")) types.push_back(set.name.substr(section.size() + 1));
  return types;
}

}  // namespace

bool KeySet::contains(std::string_view key) const {
  return std::any_of(keys.begin(), keys.end(), [&](const Key& known) { return known.name == key; });
}

std::vector<std::string> KeySet::names() const {
  std::vector<std::string> names;
  for (const Key& key : keys) names.push_back(key.name);
  return names;
}

const std::vector<KeySet>& model_key_sets() {
  static const std::vector<KeySet> sets = make_key_sets();
  return sets;
}

const KeySet& key_set(std::string_view name) {
  for (const KeySet& set : model_key_sets())
    if (set.name == name) return set;
  throw std::logic_error("no keys are known of '" + std::string(name) + "'");
}

const std::vector<std::string>& coupler_types() {
  static const std::vector<std::string> types = types_of("coupler");
  return types;
}

const std::vector<std::string>& force_types() {
  static const std::vector<std::string> types = types_of("force");
  return types;
}

const std::vector<std::string>& road_types() {
  static const std::vector<std::string> types = types_of("road");
  return types;
}

}  // namespace trammel
