#include "trammel/model/urdf_import.h"

#include <fmt/format.h>
#include <urdf_model/model.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unordered_map>

#include "trammel/model/friction_reader.h"
#include "trammel/model/mass_properties.h"
#include "trammel/model/text_file.h"
#include "trammel/model/urdf_text.h"

namespace trammel {
namespace {

Vec3<double> vector(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

Frame frame(const urdf::Pose& pose) {
  const urdf::Rotation& e = pose.rotation;
  return {vector(pose.position), rotation_matrix(Quaternion<double>{e.w, e.x, e.y, e.z})};
}

class UrdfImporter {
 public:
  UrdfImporter(ModelBuilder& builder, const UrdfImport& import)
      : builder_(builder),
        import_(import),
        text_(read_text_file(import.file, largest_model_file, import.place)) {
    robot_ = parse_urdf(text_, import.file, complaints_);
  }

  void add() {
    sort_links();
    merge_links();
    for (const urdf::LinkConstSharedPtr& link : links_) add_link(*link);
    for (const urdf::LinkConstSharedPtr& link : links_)
      if (link->parent_joint) add_joint(*link->parent_joint);
    for (const urdf::LinkConstSharedPtr& link : links_)
      if (link->parent_joint && link->parent_joint->mimic) add_mimic(*link->parent_joint);
    warn();
  }

 private:
  // Links that move as one, and the one that gives the body its name.
  struct Group {
    std::string main;     // empty: the ground
    MassProperties mass;  // in the frame of the main link
    bool has_mass = false;
    int body = 0;
  };

  [[noreturn]] void fail(const std::string& element, const std::string& name,
                         const std::string& message) const {
    throw ModelError(place_in_urdf(text_, import_.file, element, name), message);
  }

  // Characters that a name of a model file must not contain are replaced.
  std::string name_of(const std::string& original) {
    std::string name = import_.prefix + original;
    for (std::size_t i = 0; i < name.size(); ++i)
      if (!fault_of_name(name.substr(i, 1)).empty()) name[i] = '_';
    if (name != import_.prefix + original &&
        std::find(renamed_.begin(), renamed_.end(), original) == renamed_.end()) {
      renamed_.push_back(original);
      builder_.model.warnings.push_back(
          fmt::format("{}: '{}' is called '{}' here", import_.file, original, name));
    }
    return name;
  }

  // From the root outwards, each with its frame in the world.
  void sort_links() {
    links_.push_back(robot_->getRoot());
    world_[links_[0]->name] = import_.base;
    for (std::size_t i = 0; i < links_.size(); ++i)
      for (const urdf::LinkSharedPtr& child : links_[i]->child_links) {
        const Frame& parent = world_.at(links_[i]->name);
        world_[child->name] = compose(parent, frame(child->parent_joint->parent_to_joint_origin_transform));
        links_.push_back(child);
      }
    for (const auto& [name, link] : robot_->links_)
      if (!world_.contains(name))
        fail("link", name, fmt::format("link '{}' is not connected to the root", name));
  }

  static bool weighs(const urdf::Link& link) { return link.inertial && link.inertial->mass != 0; }

  // Links without mass go with the link that they are fixed to; the root goes with the ground unless it is
  // free.
  void merge_links() {
    for (const urdf::LinkConstSharedPtr& link : links_) {
      const bool is_root = !link->parent_joint;
      const bool fixed = !is_root && link->parent_joint->type == urdf::Joint::FIXED;
      const std::size_t parent = is_root ? 0 : group_of_.at(link->getParent()->name);
      // a group without mass takes in what is fixed to it; with mass, only what has none
      const bool joins =
          fixed && (!weighs(*link) || (!groups_[parent].has_mass && !groups_[parent].main.empty()));
      if (!joins) {
        groups_.push_back({is_root && !import_.base_is_free ? "" : link->name, {}, false, 0});
        group_of_[link->name] = groups_.size() - 1;
      } else {
        group_of_[link->name] = parent;
      }
      Group& group = groups_[group_of_[link->name]];
      if (!weighs(*link) || group.main.empty()) continue;
      if (!group.has_mass) group.main = link->name;
      group.has_mass = true;
      group.mass = mass_of(*link);
    }
  }

  MassProperties mass_of(const urdf::Link& link) const {
    const urdf::Inertial& inertial = *link.inertial;
    const Mat3<double> inertia{{inertial.ixx, inertial.ixy, inertial.ixz},
                               {inertial.ixy, inertial.iyy, inertial.iyz},
                               {inertial.ixz, inertial.iyz, inertial.izz}};
    return seen_from_outside(frame(inertial.origin), {inertial.mass, {}, inertia});
  }

  // The link in the frame of its body.
  Frame in_body(const std::string& link) const {
    const Group& group = groups_[group_of_.at(link)];
    const Frame body = group.main.empty() ? Frame{} : world_.at(group.main);
    return link == group.main ? Frame{} : compose(inverse(body), world_.at(link));
  }

  void add_link(const urdf::Link& link) {
    const SourcePlace place = place_in_urdf(text_, import_.file, "link", link.name);
    const std::string name = name_of(link.name);
    claim_name(builder_, "bodies", name, place);
    Group& group = groups_[group_of_.at(link.name)];
    if (!group.main.empty() && !group.has_mass) fail_without_mass(link, place);
    if (group.body == 0 && !group.main.empty()) {
      Body body;
      body.name = name_of(group.main);
      body.place = place_in_urdf(text_, import_.file, "link", group.main);
      body.reference = world_.at(group.main);
      body.mass = group.mass.mass;
      body.com = group.mass.com;
      body.inertia = group.mass.inertia;
      group.body = builder_.mechanism().add(body);
    }
    const Frame local = in_body(link.name);
    builder_.bodies.emplace(name, BodyReference{group.body, local});
    add_shapes(link, local, builder_.mechanism().bodies[static_cast<std::size_t>(group.body)]);
    if (link.name == group.main) return;
    // the name stays usable in expressions
    builder_.markers.emplace(name, static_cast<int>(builder_.mechanism().markers.size()));
    builder_.mechanism().markers.push_back({name, place, group.body, local});
  }

  [[noreturn]] void fail_without_mass(const urdf::Link& link, const SourcePlace& place) const {
    const std::string reason = complaints_.empty() ? "" : fmt::format(" ({})", complaints_[0]);
    throw ModelError(
        place,
        fmt::format("link '{}' has no mass and is not joined by a fixed joint to one that has; give it "
                    "an <inertial>{}",
                    link.name, reason));
  }

  void add_shapes(const urdf::Link& link, const Frame& local, Body& body) {
    for (const urdf::VisualSharedPtr& visual : link.visual_array) {
      if (!visual || !visual->geometry) continue;
      Shape shape;
      shape.frame = compose(local, frame(visual->origin));
      if (const auto* box = dynamic_cast<const urdf::Box*>(visual->geometry.get())) {
        shape.kind = Shape::Kind::box;
        shape.size = vector(box->dim);
      } else if (const auto* cylinder = dynamic_cast<const urdf::Cylinder*>(visual->geometry.get())) {
        shape.kind = Shape::Kind::cylinder;
        shape.size = {cylinder->radius, cylinder->radius, cylinder->length};
      } else if (const auto* sphere = dynamic_cast<const urdf::Sphere*>(visual->geometry.get())) {
        shape.kind = Shape::Kind::sphere;
        shape.size = {sphere->radius, sphere->radius, sphere->radius};
      } else if (const auto* mesh = dynamic_cast<const urdf::Mesh*>(visual->geometry.get())) {
        shape.kind = Shape::Kind::mesh;
        shape.size = vector(mesh->scale);
        shape.file = mesh_file(mesh->filename);
      }
      const bool positive = shape.size.x > 0 && shape.size.y > 0 && shape.size.z > 0;
      if (!is_finite(shape.frame.origin))
        fail("link", link.name, fmt::format("a visual of link '{}' is nowhere", link.name));
      if (!positive && shape.kind != Shape::Kind::mesh)
        fail("link", link.name, fmt::format("a visual of link '{}' has no size", link.name));
      if (visual->material) shape.color = color(visual->material->color);
      body.shapes.push_back(shape);
    }
  }

  static std::string color(const urdf::Color& c) {
    const auto byte = [](float part) {
      return static_cast<int>(std::lround(255 * std::clamp(part, 0.0F, 1.0F)));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", byte(c.r), byte(c.g), byte(c.b));
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

  void add_joint(const urdf::Joint& source) {
    if (source.type == urdf::Joint::FLOATING) return;
    const std::size_t parent = group_of_.at(source.parent_link_name),
                      child = group_of_.at(source.child_link_name);
    if (parent == child) return;
    Joint joint;
    joint.name = name_of(source.name);
    joint.place = place_in_urdf(text_, import_.file, "joint", source.name);
    joint.type = type_of(source);
    joint.body_a = groups_[parent].body;
    joint.body_b = groups_[child].body;
    Frame axis;
    if (joint.type != JointType::fixed) {
      if (!(length(vector(source.axis)) > 0))
        throw ModelError(joint.place, fmt::format("the axis of joint '{}' is zero", source.name));
      axis = frame_with_axis({}, vector(source.axis));
    }
    joint.frame_a = compose(
        compose(in_body(source.parent_link_name), frame(source.parent_to_joint_origin_transform)), axis);
    joint.frame_b = compose(in_body(source.child_link_name), axis);
    claim_name(builder_, "joints", joint.name, joint.place);
    builder_.joints.emplace(joint.name, static_cast<int>(builder_.mechanism().joints.size()));
    builder_.mechanism().add(joint);
    if (source.limits && source.type != urdf::Joint::CONTINUOUS) limited_.push_back(joint.name);
    if (source.dynamics && (source.dynamics->damping != 0 || source.dynamics->friction != 0))
      add_friction(source, joint);
  }

  JointType type_of(const urdf::Joint& source) const {
    switch (source.type) {
      case urdf::Joint::REVOLUTE:
      case urdf::Joint::CONTINUOUS:
        return JointType::revolute;
      case urdf::Joint::PRISMATIC:
        return JointType::prismatic;
      case urdf::Joint::PLANAR:
        return JointType::planar;
      case urdf::Joint::FIXED:
        return JointType::fixed;
      default:
        fail("joint", source.name, fmt::format("joint '{}' has no type that is known", source.name));
    }
  }

  void add_friction(const urdf::Joint& source, const Joint& joint) {
    if (joint.type != JointType::revolute && joint.type != JointType::prismatic) return;
    if (source.dynamics->damping < 0 || source.dynamics->friction < 0)
      throw ModelError(joint.place,
                       fmt::format("the damping or friction of joint '{}' is negative", source.name));
    Force force;
    force.kind = Force::Kind::joint_friction;
    force.name = joint.name + "_friction";
    force.place = joint.place;
    force.joint = joint.name;
    force.damping = source.dynamics->damping;
    force.dry = source.dynamics->friction;
    force.friction_velocity = usual_friction_velocity;
    claim_name(builder_, "forces", force.name, force.place);
    builder_.mechanism().add(force);
  }

  std::string coordinate_of(const urdf::Joint& joint) {
    const std::string name = name_of(joint.name);
    if (joint.type == urdf::Joint::PRISMATIC) return name + ".displacement";
    if (joint.type == urdf::Joint::REVOLUTE || joint.type == urdf::Joint::CONTINUOUS) return name + ".angle";
    fail("joint", joint.name, fmt::format("joint '{}' has no single coordinate to mimic", joint.name));
  }

  // coordinate = multiplier · other coordinate + offset
  void add_mimic(const urdf::Joint& source) {
    const urdf::JointConstSharedPtr leader = robot_->getJoint(source.mimic->joint_name);
    if (!leader)
      fail("joint", source.name,
           fmt::format("joint '{}' mimics '{}', which is not there", source.name, source.mimic->joint_name));
    Coupler coupler;
    coupler.name = name_of(source.name);
    coupler.place = place_in_urdf(text_, import_.file, "joint", source.name);
    coupler.terms = {{coordinate_of(source), 1, coupler.place},
                     {coordinate_of(*leader), -source.mimic->multiplier, coupler.place}};
    coupler.offset = source.mimic->offset;
    claim_name(builder_, "couplers", coupler.name, coupler.place);
    builder_.mechanism().couplers.push_back(coupler);
  }

  void warn() {
    for (const std::string& complaint : complaints_)
      builder_.model.warnings.push_back(fmt::format("{}: {}", import_.file, complaint));
    if (limited_.empty()) return;
    std::string names = limited_[0];
    for (std::size_t i = 1; i < std::min<std::size_t>(limited_.size(), 5); ++i) names += ", " + limited_[i];
    if (limited_.size() > 5) names += ", ...";
    builder_.model.warnings.push_back(
        fmt::format("{}: limits of joints are not simulated ({})", import_.file, names));
  }

  ModelBuilder& builder_;
  const UrdfImport& import_;
  std::string text_;
  std::shared_ptr<urdf::ModelInterface> robot_;
  std::vector<urdf::LinkConstSharedPtr> links_;   // parents before children
  std::unordered_map<std::string, Frame> world_;  // of the links, in the world
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t> group_of_;
  std::vector<std::string> complaints_, limited_, renamed_;
};

}  // namespace

void import_urdf(ModelBuilder& builder, const UrdfImport& import) { UrdfImporter(builder, import).add(); }

}  // namespace trammel
