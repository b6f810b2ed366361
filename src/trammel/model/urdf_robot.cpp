#include "trammel/model/urdf_robot.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "trammel/model/map_reader.h"
#include "trammel/model/urdf_elements.h"

namespace trammel {
namespace {

const std::vector<std::pair<std::string, UrdfJoint::Type>> types = {
    {"revolute", UrdfJoint::Type::revolute},   {"continuous", UrdfJoint::Type::continuous},
    {"prismatic", UrdfJoint::Type::prismatic}, {"planar", UrdfJoint::Type::planar},
    {"fixed", UrdfJoint::Type::fixed},         {"floating", UrdfJoint::Type::floating}};

class RobotReader {
 public:
  RobotReader(const std::string& file, const UrdfReading& reading)
      : file_(file), reading_(reading), strict_(reading.strict) {}

  UrdfRobot read(const XmlElement& root) {
    if (root.name != "robot")
      throw ModelError(
          root.place,
          fmt::format("this is not a URDF file: it begins with <{}>, not with <robot>", root.name));
    for (const XmlElement& element : root.children)
      if (element.name.starts_with("xacro:"))
        throw ModelError(element.place, fmt::format("<{}> is for xacro: make a URDF file with 'xacro {} > "
                                                    "FILE.urdf' first",
                                                    element.name, file_));
    read_materials(root);
    for (const XmlElement& element : root.children)
      if (element.name == "link") read_link(element);
    if (robot_.links.empty()) throw ModelError(root.place, "the robot has no <link>");
    for (const XmlElement& element : root.children)
      if (element.name == "joint") read_joint(element);
    for (const XmlElement& element : root.children)
      if (element.name == "transmission") read_transmission(element);
    find_leaders();
    sort_links(root.place);
    for (const UrdfOwner& owner : owners_)
      if (std::string warning = owner.warning(); !warning.empty())
        robot_.warnings.push_back(std::move(warning));
    return std::move(robot_);
  }

 private:
  void read_materials(const XmlElement& root) {
    const auto add = [&](const XmlElement& material) {
      const XmlElement::Attribute* name = material.attribute("name");
      const UrdfOwner owner("material", material.place, strict_);
      try {
        const std::string color = read_urdf_color(material, owner);
        if (name && !color.empty()) materials_.push_back({name->value, color});
      } catch (const ModelError& error) {
        robot_.warnings.push_back(error.what());
      }
    };
    for (const XmlElement& element : root.children)
      if (element.name == "material") add(element);
    // a color that a visual defines is known everywhere; what is wrong with it is told there
    for (const XmlElement& link : root.children)
      for (const XmlElement& visual : link.children)
        if (const XmlElement* material = link.name == "link" ? visual.child("material") : nullptr)
          if (material->child("color") && visual.name == "visual") {
            const std::size_t before = robot_.warnings.size();
            add(*material);
            robot_.warnings.resize(before);
          }
  }

  // The name of a link or joint, which must be the only one.
  std::string read_name(const XmlElement& element, std::unordered_map<std::string, int>& names, int index) {
    const XmlElement::Attribute* name = element.attribute("name");
    if (!name || name->value.empty())
      throw ModelError(element.place, fmt::format("this <{}> has no 'name'", element.name));
    const auto [other, is_new] = names.emplace(name->value, index);
    if (!is_new) {
      const SourcePlace& first = element.name == "link"
                                     ? robot_.links[static_cast<std::size_t>(other->second)].place
                                     : robot_.joints[static_cast<std::size_t>(other->second)].place;
      throw ModelError(name->place, fmt::format("there is a {} '{}' already, in line {}", element.name,
                                                name->value, first.line));
    }
    return name->value;
  }

  void read_link(const XmlElement& element) {
    UrdfLink link;
    link.place = element.place;
    link.name = read_name(element, link_names_, static_cast<int>(robot_.links.size()));
    UrdfOwner& owner = owners_.emplace_back(fmt::format("link '{}'", link.name), link.place, strict_);
    owner.check_names(element, {"name", "type"}, {"inertial", "visual", "collision"});
    if (const XmlElement* inertial = owner.only_child(element, "inertial"))
      link.inertial = read_urdf_inertial(*inertial, reading_, owner);
    link.visuals = read_urdf_shapes(element, "visual", materials_, owner);
    // nobody sees these, and nothing collides
    UrdfOwner ignored(owner.who(), link.place, false);
    link.collisions = read_urdf_shapes(element, "collision", {}, ignored);
    robot_.links.push_back(std::move(link));
  }

  int read_end(const XmlElement& element, const std::string& kind, UrdfOwner& owner) const {
    const XmlElement* end = owner.only_child(element, kind);
    if (!end) owner.fail(element.place, fmt::format("it has no <{}>", kind));
    const std::string link = owner.text(*end, "link");
    if (const auto found = link_names_.find(link); found != link_names_.end()) return found->second;
    std::vector<std::string> names;
    for (const UrdfLink& known : robot_.links) names.push_back(known.name);
    owner.fail(end->place,
               fmt::format("its {} is '{}', and there is no such link{}", kind, link, hint_at(link, names)));
  }

  static UrdfJoint::Type read_type(const XmlElement& element, const UrdfOwner& owner) {
    const std::string word = owner.text(element, "type");
    std::vector<std::string> names;
    for (const auto& [name, type] : types) {
      if (name == word) return type;
      names.push_back(name);
    }
    std::string hint = hint_at(word, names);
    if (hint.empty()) hint = fmt::format("; there are {}", fmt::join(names, ", "));
    owner.fail(element.attribute("type")->place, fmt::format("there is no type '{}'{}", word, hint));
  }

  // Of a motor what changes the motion, as Drake writes it: <drake:rotor_inertia value>, <drake:gear_ratio value>.
  void read_transmission(const XmlElement& element) {
    const XmlElement* actuator = element.child("actuator");
    if (!actuator) return;
    const XmlElement *inertia = actuator->child("drake:rotor_inertia"),
                     *ratio = actuator->child("drake:gear_ratio");
    if (!inertia) return;
    const XmlElement::Attribute* name = element.attribute("name");
    UrdfOwner& owner = owners_.emplace_back(
        fmt::format("transmission '{}'", name ? name->value : std::string()), element.place, strict_);
    const XmlElement* of = element.child("joint");
    if (!of) owner.fail(element.place, "it has no <joint>");
    const std::string joint = owner.text(*of, "name");
    const auto found = joint_names_.find(joint);
    if (found == joint_names_.end()) owner.fail(of->place, fmt::format("there is no joint '{}'", joint));
    UrdfJoint& moved = robot_.joints[static_cast<std::size_t>(found->second)];
    using Type = UrdfJoint::Type;
    if (moved.type != Type::revolute && moved.type != Type::continuous && moved.type != Type::prismatic) {
      owner.complain(inertia->place,
                     fmt::format("the rotor is ignored: joint '{}' has not one coordinate", joint));
      return;
    }
    moved.rotor_inertia = owner.number(*inertia, "value");
    if (moved.rotor_inertia < 0) owner.fail(inertia->place, "its rotor_inertia is negative");
    if (ratio) moved.gear_ratio = owner.number(*ratio, "value");
    if (moved.gear_ratio == 0)
      owner.fail(ratio->place, "its gear_ratio is zero; a motor would not move the joint");
  }

  void read_joint(const XmlElement& element) {
    UrdfJoint joint;
    joint.place = element.place;
    joint.name = read_name(element, joint_names_, static_cast<int>(robot_.joints.size()));
    UrdfOwner& owner = owners_.emplace_back(fmt::format("joint '{}'", joint.name), joint.place, strict_);
    owner.check_names(element, {"name", "type"},
                      {"origin", "parent", "child", "axis", "calibration", "dynamics", "limit", "mimic",
                       "safety_controller"});
    joint.type = read_type(element, owner);
    joint.parent = read_end(element, "parent", owner);
    joint.child = read_end(element, "child", owner);
    joint.frame = owner.origin(element);
    const bool one_coordinate = joint.type == UrdfJoint::Type::revolute ||
                                joint.type == UrdfJoint::Type::continuous ||
                                joint.type == UrdfJoint::Type::prismatic;
    if (one_coordinate || joint.type == UrdfJoint::Type::planar) read_axis(element, owner, joint);
    read_limits(element, owner, joint);
    if (const XmlElement* dynamics = owner.only_child(element, "dynamics")) {
      owner.check_names(*dynamics, {"damping", "friction"}, {});
      joint.damping = owner.number(*dynamics, "damping", 0);
      joint.friction = owner.number(*dynamics, "friction", 0);
      if (joint.damping < 0 || joint.friction < 0)
        owner.fail(dynamics->place, "its damping or friction is negative");
      if (!one_coordinate && (joint.damping > 0 || joint.friction > 0))
        owner.warn("its <dynamics> are ignored: a joint of this type has no friction here");
    }
    if (const XmlElement* mimic = owner.only_child(element, "mimic")) {
      owner.check_names(*mimic, {"joint", "multiplier", "offset"}, {});
      leaders_.push_back({static_cast<int>(robot_.joints.size()), owner.text(*mimic, "joint")});
      joint.mimic = UrdfJoint::Mimic{mimic->place, 0, owner.number(*mimic, "multiplier", 1),
                                     owner.number(*mimic, "offset", 0)};
      if (!one_coordinate) {
        owner.complain(mimic->place,
                       "its <mimic> is ignored: a joint of this type has no coordinate to mimic with");
        joint.mimic.reset();
        leaders_.pop_back();
      }
    }
    robot_.joints.push_back(std::move(joint));
  }

  static void read_axis(const XmlElement& element, UrdfOwner& owner, UrdfJoint& joint) {
    const XmlElement* axis = owner.only_child(element, "axis");
    if (!axis) return;
    owner.check_names(*axis, {"xyz"}, {});
    joint.axis = owner.vector(*axis, "xyz", joint.axis);
    const double size = length(joint.axis);
    if (!(size > 1e-150) || !(size < 1e150)) owner.fail(axis->place, "its axis gives no direction");
  }

  static void read_limits(const XmlElement& element, UrdfOwner& owner, UrdfJoint& joint) {
    const XmlElement *limit = owner.only_child(element, "limit"),
                     *safety = owner.only_child(element, "safety_controller");
    const bool needs = joint.type == UrdfJoint::Type::revolute || joint.type == UrdfJoint::Type::prismatic;
    // they are not simulated, but what is damaged here may be damaged elsewhere
    for (const char* name : {"lower", "upper", "effort", "velocity"})
      if (limit) owner.number(*limit, name, 0);
    for (const char* name : {"soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"})
      if (safety) owner.number(*safety, name, 0);
    joint.has_limits = needs && limit;
    if (needs && !limit && owner.is_strict()) owner.fail(element.place, "it has no <limit>");
  }

  void find_leaders() {
    for (const auto& [follower, name] : leaders_) {
      UrdfJoint& joint = robot_.joints[static_cast<std::size_t>(follower)];
      UrdfOwner& owner = owners_[robot_.links.size() + static_cast<std::size_t>(follower)];
      const auto found = joint_names_.find(name);
      if (found == joint_names_.end()) {
        std::vector<std::string> names;
        for (const UrdfJoint& known : robot_.joints) names.push_back(known.name);
        owner.fail(joint.mimic->place,
                   fmt::format("it mimics '{}', and there is no such joint{}", name, hint_at(name, names)));
      }
      if (found->second == follower) owner.fail(joint.mimic->place, "it mimics itself");
      joint.mimic->leader = found->second;
      const UrdfJoint::Type type = robot_.joints[static_cast<std::size_t>(found->second)].type;
      if (type == UrdfJoint::Type::planar || type == UrdfJoint::Type::floating) {
        owner.complain(joint.mimic->place,
                       fmt::format("its <mimic> is ignored: '{}' has more than one coordinate", name));
        joint.mimic.reset();
      }
    }
  }

  // Links from the root outwards.
  void sort_links(const SourcePlace& robot) {
    const std::size_t count = robot_.links.size();
    std::vector<int> above(count, -1);
    std::vector<std::vector<int>> below(count);
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      const UrdfJoint& joint = robot_.joints[i];
      const UrdfOwner& owner = owners_[count + i];
      const auto child = static_cast<std::size_t>(joint.child);
      if (joint.parent == joint.child)
        owner.fail(joint.place,
                   fmt::format("link '{}' is its parent and its child", robot_.links[child].name));
      if (above[child] >= 0) {
        const UrdfJoint& other = robot_.joints[static_cast<std::size_t>(above[child])];
        owner.fail(joint.place,
                   fmt::format("link '{}' is the child of joint '{}' (line {}) already; in a URDF file links "
                               "are a tree. Loops are closed by joints of the model file",
                               robot_.links[child].name, other.name, other.place.line));
      }
      above[child] = static_cast<int>(i);
      below[static_cast<std::size_t>(joint.parent)].push_back(joint.child);
    }

    std::vector<int> order;
    for (std::size_t i = 0; i < count; ++i) {
      if (above[i] >= 0) continue;
      if (!order.empty())
        throw ModelError(
            robot_.links[i].place,
            fmt::format("link '{}' is the child of no joint, and neither is '{}' (line {}); a robot "
                        "has one root",
                        robot_.links[i].name, robot_.links[static_cast<std::size_t>(order[0])].name,
                        robot_.links[static_cast<std::size_t>(order[0])].place.line));
      order.push_back(static_cast<int>(i));
    }
    if (order.empty()) throw ModelError(robot, "the joints go in a circle: no link is the root");
    for (std::size_t i = 0; i < order.size(); ++i)
      for (const int child : below[static_cast<std::size_t>(order[i])]) order.push_back(child);
    if (order.size() < count) fail_at_circle(order);
    rearrange(order, above);
  }

  [[noreturn]] void fail_at_circle(const std::vector<int>& reached) const {
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      if (std::find(reached.begin(), reached.end(), static_cast<int>(i)) == reached.end())
        throw ModelError(robot_.links[i].place,
                         fmt::format("link '{}' is not connected to the root: its joints go in a circle",
                                     robot_.links[i].name));
    throw std::logic_error("no link is out of reach");
  }

  void rearrange(const std::vector<int>& order, const std::vector<int>& above) {
    std::vector<UrdfLink> links;
    std::vector<int> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto old = static_cast<std::size_t>(order[i]);
      place[old] = static_cast<int>(i);
      links.push_back(std::move(robot_.links[old]));
      robot_.joint_above.push_back(above[old]);
    }
    robot_.links = std::move(links);
    for (UrdfJoint& joint : robot_.joints) {
      joint.parent = place[static_cast<std::size_t>(joint.parent)];
      joint.child = place[static_cast<std::size_t>(joint.child)];
    }
  }

  const std::string& file_;
  const UrdfReading& reading_;
  bool strict_;
  UrdfRobot robot_;
  std::vector<UrdfMaterial> materials_;
  std::unordered_map<std::string, int> link_names_, joint_names_;
  std::vector<UrdfOwner> owners_;  // links, then joints, as the file has them
  struct Leader {
    int follower;
    std::string name;
  };
  std::vector<Leader> leaders_;
};

}  // namespace

UrdfRobot read_urdf_robot(const std::string& text, const std::string& file, const UrdfReading& reading) {
  return RobotReader(file, reading).read(parse_xml(text, file));
}

}  // namespace trammel
