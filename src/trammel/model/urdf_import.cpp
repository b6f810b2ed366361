#include "trammel/model/urdf_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "trammel/mechanism/measured_function.h"
#include "trammel/model/friction_reader.h"
#include "trammel/model/text_file.h"
#include "trammel/model/yaml_text.h"

namespace trammel {
namespace {

class UrdfImporter {
 public:
  UrdfImporter(ModelBuilder& builder, const UrdfImport& import)
      : builder_(builder),
        import_(import),
        robot_(read_urdf_robot(read_text_file(import.file, largest_model_file, import.place), import.file,
                               import.reading)),
        world_(robot_.links.size()),
        group_of_(robot_.links.size()) {}

  void add() {
    for (std::string& warning : robot_.warnings) builder_.model.warnings.push_back(std::move(warning));
    find_frames();
    merge_links();
    add_missing_masses();
    for (int link = 0; link < link_count(); ++link) add_link(link);
    for (int link = 1; link < link_count(); ++link) add_joint(joint_above(link));
    for (const UrdfJoint& joint : robot_.joints)
      if (joint.mimic) add_mimic(joint);
    warn_of_limits();
    note_joints_without_mass();
    judge_inertias_together();
  }

 private:
  // Links that move as one, and the one that gives the body its name.
  struct Group {
    int main = -1;        // −1: the ground
    MassProperties mass;  // in the frame of the main link
    bool has_mass = false, is_real = true;
    int body = 0;
  };

  int link_count() const { return static_cast<int>(robot_.links.size()); }
  const UrdfLink& link_at(int link) const { return robot_.links[static_cast<std::size_t>(link)]; }
  const UrdfJoint& joint_above(int link) const {
    return robot_.joints[static_cast<std::size_t>(robot_.joint_above[static_cast<std::size_t>(link)])];
  }
  const Frame& world(int link) const { return world_[static_cast<std::size_t>(link)]; }
  Group& group_of(int link) { return groups_[group_of_[static_cast<std::size_t>(link)]]; }
  const Group& group_of(int link) const { return groups_[group_of_[static_cast<std::size_t>(link)]]; }

  // Characters that a name of a model file must not contain are replaced; a link must not be the ground.
  std::string name_of(const std::string& original, const SourcePlace& place, bool is_link) {
    std::string name = import_.prefix + original;
    for (std::size_t i = 0; i < name.size(); ++i)
      if (!fault_of_name(name.substr(i, 1)).empty()) name[i] = '_';
    if (is_link && name == "ground") {
      if (import_.reading.strict)
        throw ModelError(place,
                         "link 'ground': the model has a body of this name already, the world; give the "
                         "entry of 'urdf' a 'prefix'");
      name = "ground_link";
    }
    if (name != import_.prefix + original &&
        std::find(renamed_.begin(), renamed_.end(), original) == renamed_.end()) {
      renamed_.push_back(original);
      builder_.model.warnings.push_back(
          fmt::format("{}: '{}' is called '{}' here{}", place.text(), original, name,
                      name == "ground_link" ? "; 'prefix' gives it another name" : ""));
    }
    if (const std::string fault = fault_of_name(name); !fault.empty()) throw ModelError(place, fault);
    return name;
  }
  std::string name_of(const UrdfLink& link) { return name_of(link.name, link.place, true); }
  std::string name_of(const UrdfJoint& joint) { return name_of(joint.name, joint.place, false); }

  void claim(const std::string& section, const std::string& name, const SourcePlace& place) {
    try {
      claim_name(builder_, section, name, place);
    } catch (const ModelError& error) {
      throw ModelError(place, error.message() + "; the key 'prefix' of 'urdf' tells two robots apart");
    }
  }

  void find_frames() {
    world_[0] = import_.base;
    for (int link = 1; link < link_count(); ++link) {
      const UrdfJoint& joint = joint_above(link);
      world_[static_cast<std::size_t>(link)] = compose(world(joint.parent), joint.frame);
    }
  }

  static bool weighs(const UrdfLink& link) {
    return link.inertial && (link.inertial->mass != 0 || !link.inertial->is_real);
  }

  // Links without mass go with the link that they are fixed to; the root goes with the ground unless it is
  // free.
  void merge_links() {
    for (int i = 0; i < link_count(); ++i) {
      const UrdfLink& link = link_at(i);
      const bool is_root = i == 0;
      const bool fixed = !is_root && joint_above(i).type == UrdfJoint::Type::fixed;
      const std::size_t parent = is_root ? 0 : group_of_[static_cast<std::size_t>(joint_above(i).parent)];
      // a group without mass takes in what is fixed to it; with mass, only what has none
      const bool joins = fixed && (!weighs(link) || (!groups_[parent].has_mass && groups_[parent].main >= 0));
      if (!joins) groups_.push_back({is_root && !import_.base_is_free ? -1 : i, {}, false, true, 0});
      group_of_[static_cast<std::size_t>(i)] = joins ? parent : groups_.size() - 1;
      Group& group = group_of(i);
      if (!weighs(link) || group.main < 0) continue;
      if (!group.has_mass) group.main = i;
      group.has_mass = true;
      group.is_real = link.inertial->is_real;
      group.mass = seen_from_outside(link.inertial->frame, {link.inertial->mass, {}, link.inertial->inertia});
    }
  }

  // Of groups without one, if the user asks for it.
  void add_missing_masses() {
    const MissingInertia& missing = import_.missing;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      Group& group = groups_[g];
      if (group.main < 0 || group.has_mass) continue;
      std::vector<MassProperties> parts;
      for (int link = 0; missing.density && link < link_count(); ++link) {
        if (group_of_[static_cast<std::size_t>(link)] != g) continue;
        // what is seen is nearer to the truth than what collides
        std::vector<MassProperties> of_link = solids(link_at(link).visuals);
        if (of_link.empty()) of_link = solids(link_at(link).collisions);
        for (const MassProperties& part : of_link) parts.push_back(seen_from_outside(in_body(link), part));
      }
      if (parts.empty() && missing.mass) {
        const double moment = 0.4 * *missing.mass * *missing.radius * *missing.radius;
        parts.push_back({*missing.mass, {}, {{moment, 0, 0}, {0, moment, 0}, {0, 0, moment}}});
      }
      if (parts.empty()) continue;
      group.mass = together(parts);
      group.has_mass = true;
    }
  }

  std::vector<MassProperties> solids(const std::vector<Shape>& shapes) const {
    std::vector<MassProperties> parts;
    for (const Shape& shape : shapes)
      if (const auto part = solid(shape, *import_.missing.density)) parts.push_back(*part);
    return parts;
  }

  // The link in the frame of its body.
  Frame in_body(int link) const {
    const int main = group_of(link).main;
    if (link == main) return {};
    return compose(inverse(main < 0 ? Frame{} : world(main)), world(link));
  }

  void add_link(int index) {
    const UrdfLink& link = link_at(index);
    Group& group = group_of(index);
    const Frame local = in_body(index);
    // the root that stands where the world does is the ground indeed
    const bool is_ground = link.name == "ground" && import_.prefix.empty() && group.main < 0 &&
                           length(local.origin) == 0 && is_identity(local.axes);
    const std::string name = is_ground ? "ground" : name_of(link);
    if (!is_ground) claim("bodies", name, link.place);
    check_can_move(link, index);
    if (group.body == 0 && group.main >= 0) {
      const UrdfLink& main = link_at(group.main);
      Body body;
      body.name = name_of(main);
      body.place = main.place;
      body.reference = world(group.main);
      body.mass = group.mass.mass;
      body.com = group.mass.com;
      body.inertia = group.mass.inertia;
      body.inertia_as_given = !group.is_real;
      group.body = builder_.mechanism().add(body);
    }
    add_shapes(link, local, builder_.mechanism().bodies[static_cast<std::size_t>(group.body)]);
    if (is_ground) return;
    builder_.bodies.emplace(name, BodyReference{group.body, local});
    if (index == group.main) return;
    // the name stays usable in expressions
    builder_.markers.emplace(name, static_cast<int>(builder_.mechanism().markers.size()));
    builder_.mechanism().markers.push_back({name, link.place, group.body, local});
  }

  // Joints can hold a link that has no mass; what floats freely has none.
  void check_can_move(const UrdfLink& link, int index) const {
    const Group& group = group_of(index);
    const bool floats = index == 0 || joint_above(index).type == UrdfJoint::Type::floating;
    if (group.main < 0 || group.has_mass || (!floats && !import_.reading.strict)) return;
    throw ModelError(
        link.place,
        fmt::format("link '{}' has no mass and is not joined by a fixed joint to one that has; give it "
                    "an <inertial>, or the entry of 'urdf' a 'missing_inertia'",
                    link.name));
  }

  void add_shapes(const UrdfLink& link, const Frame& local, Body& body) {
    for (Shape shape : link.visuals) {
      shape.frame = compose(local, shape.frame);
      if (shape.kind == Shape::Kind::mesh) shape.file = mesh_file(shape.file);
      if (is_finite(shape.frame.origin)) body.shapes.push_back(std::move(shape));
    }
  }

  // package://name/path is looked for in the folders above the file.
  std::string mesh_file(const std::string& name) const {
    const std::string package = "package://", local = "file://";
    if (name.starts_with(local)) return name.substr(local.size());
    if (!name.starts_with(package)) return path_beside(import_.file, name);
    const std::filesystem::path wanted = name.substr(package.size());
    std::error_code error;
    auto folder = std::filesystem::absolute(import_.file, error).parent_path();
    for (; !error && folder.has_relative_path(); folder = folder.parent_path())
      if (std::filesystem::exists(folder / wanted, error)) return (folder / wanted).string();
    return name;
  }

  static JointType type_of(UrdfJoint::Type type) {
    switch (type) {
      case UrdfJoint::Type::prismatic:
        return JointType::prismatic;
      case UrdfJoint::Type::planar:
        return JointType::planar;
      case UrdfJoint::Type::fixed:
        return JointType::fixed;
      default:
        return JointType::revolute;
    }
  }

  void add_joint(const UrdfJoint& source) {
    if (source.type == UrdfJoint::Type::floating) return;
    const Group &parent = group_of(source.parent), &child = group_of(source.child);
    if (&parent == &child) return;
    Joint joint;
    joint.name = name_of(source);
    joint.place = source.place;
    joint.type = type_of(source.type);
    joint.body_a = parent.body;
    joint.body_b = child.body;
    const Frame axis = joint.type == JointType::fixed ? Frame{} : frame_with_axis({}, source.axis);
    joint.frame_a = compose(compose(in_body(source.parent), source.frame), axis);
    joint.frame_b = compose(in_body(source.child), axis);
    if (source.rotor_inertia > 0 && !coordinate_names(joint.type).empty())
      joint.rotors.push_back({coordinate_names(joint.type)[0], source.rotor_inertia, source.gear_ratio});
    claim("joints", joint.name, joint.place);
    builder_.joints.emplace(joint.name, static_cast<int>(builder_.mechanism().joints.size()));
    builder_.mechanism().add(joint);
    if (source.damping != 0 || source.friction != 0) add_friction(source, joint);
  }

  void add_friction(const UrdfJoint& source, const Joint& joint) {
    if (joint.type != JointType::revolute && joint.type != JointType::prismatic) return;
    Force::JointFriction force;
    force.name = joint.name + "_friction";
    force.place = joint.place;
    force.along.joint = joint.name;
    force.viscous = source.damping;
    force.dry = source.friction;
    force.friction_velocity = usual_friction_velocity;
    claim("forces", force.name, force.place);
    builder_.mechanism().add(force);
  }

  // Of a joint that has one.
  std::string coordinate_of(const UrdfJoint& joint) {
    return name_of(joint) + (joint.type == UrdfJoint::Type::prismatic ? ".displacement" : ".angle");
  }

  // coordinate = multiplier · other coordinate + offset
  void add_mimic(const UrdfJoint& source) {
    const UrdfJoint& leader = robot_.joints[static_cast<std::size_t>(source.mimic->leader)];
    Coupler coupler;
    coupler.name = name_of(source);
    coupler.place = source.mimic->place;
    coupler.terms = {{coordinate_of(source), 1, coupler.place}};
    // a joint that does not move stands at zero
    if (leader.type != UrdfJoint::Type::fixed && source.mimic->multiplier != 0)
      coupler.terms.push_back({coordinate_of(leader), -source.mimic->multiplier, coupler.place});
    coupler.offset = source.mimic->offset;
    claim("couplers", coupler.name, coupler.place);
    builder_.mechanism().couplers.push_back(coupler);
  }

  void warn_of_limits() {
    std::vector<std::string> limited;
    for (const UrdfJoint& joint : robot_.joints)
      if (joint.has_limits) limited.push_back(name_of(joint));
    if (!limited.empty())
      builder_.model.warnings.push_back(
          fmt::format("{}: limits of joints are not simulated ({})", import_.file, some_of(limited)));
  }

  // Joints that carry nothing with a mass: nothing determines their motion unless the model does.
  void note_joints_without_mass() {
    std::vector<bool> carries_mass(robot_.links.size(), false);
    for (int link = link_count() - 1; link > 0; --link) {
      const Group& group = group_of(link);
      const UrdfJoint& above = joint_above(link);
      if (group.has_mass) carries_mass[static_cast<std::size_t>(link)] = true;
      if (carries_mass[static_cast<std::size_t>(link)])
        carries_mass[static_cast<std::size_t>(above.parent)] = true;
      if (carries_mass[static_cast<std::size_t>(link)] || group.main < 0 ||
          above.type == UrdfJoint::Type::fixed)
        continue;
      if (&group != &group_of(above.parent))
        builder_.joints_without_mass.push_back({name_of(above), import_.file, above.mimic.has_value()});
    }
  }

  // Inertias that no body can have are taken as given, but not if what a joint carries would answer a torque
  // by turning the other way.
  void judge_inertias_together() {
    std::vector<MassProperties> carried(robot_.links.size());  // in the world
    std::vector<bool> real(robot_.links.size(), true);
    for (int link = link_count() - 1; link >= 0; --link) {
      const auto i = static_cast<std::size_t>(link);
      const Group& group = group_of(link);
      if (link == group.main && group.has_mass) {
        carried[i] = together({carried[i], seen_from_outside(world(link), group.mass)});
        real[i] = real[i] && group.is_real;
      }
      if (!real[i]) judge(link, carried[i]);
      if (link == 0) continue;
      const auto parent = static_cast<std::size_t>(joint_above(link).parent);
      carried[parent] = together({carried[parent], carried[i]});
      real[parent] = real[parent] && real[i];
    }
  }

  void judge(int link, const MassProperties& carried) {
    const std::string advice = "; 'unphysical_inertia: nearest' of 'urdf' replaces such";
    if (link == 0 || joint_above(link).type == UrdfJoint::Type::floating) {
      if (group_of(link).main >= 0 && lowest_moment(carried.inertia) < 0)
        throw ModelError(link_at(link).place,
                         fmt::format("link '{}' and what it carries have a negative moment of inertia{}",
                                     link_at(link).name, advice));
      return;
    }
    const UrdfJoint& joint = joint_above(link);
    if (type_of(joint.type) != JointType::revolute) return;
    const Vec3<double> direction = world(link).axes * joint.axis, axis = direction * (1 / length(direction));
    const Mat3<double> about =
        carried.inertia + inertia_of_point(carried.mass, carried.com - world(link).origin);
    const double moment = dot(axis, about * axis);
    if (moment < 0)
      builder_.joints_with_negative_inertia.push_back(
          {name_of(joint), joint.place,
           fmt::format(
               "joint '{}': what it carries has the moment of inertia {:.6g} about its axis, so that it "
               "would turn against every torque{}",
               joint.name, moment, advice)});
  }

  ModelBuilder& builder_;
  const UrdfImport& import_;
  UrdfRobot robot_;
  std::vector<Frame> world_;  // of the links, in the world
  std::vector<Group> groups_;
  std::vector<std::size_t> group_of_;
  std::vector<std::string> renamed_;
};

}  // namespace

void import_urdf(ModelBuilder& builder, const UrdfImport& import) { UrdfImporter(builder, import).add(); }

namespace {
[[maybe_unused]] const bool entered = (urdf_importer = import_urdf, true);
}  // namespace

}  // namespace trammel

// The linker is told to look for this name, since nothing else leads it here.
extern "C" const int trammel_component_urdf;
extern "C" const int trammel_component_urdf = 1;
