#include "trammel/motion/joint_tree.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <unordered_map>

#include "trammel/mechanism/measured_function.h"

namespace trammel {

namespace {

using Node = JointTree::Node;
using Kind = Node::Kind;

constexpr int x_axis = 0, y_axis = 1, z_axis = 2;

// Equations that a joint of this type needs if it closes a loop; 0 if it must.
int rows_of(JointType type) {
  switch (type) {
    case JointType::fixed:
      return 6;
    case JointType::revolute:
    case JointType::prismatic:
    case JointType::screw:
      return 5;
    case JointType::cylindrical:
    case JointType::universal:
      return 4;
    case JointType::spherical:
    case JointType::planar:
    case JointType::translational:
      return 3;
    case JointType::point_on_line:
    case JointType::point_in_plane:
    case JointType::distance:
    case JointType::constant_velocity:
    case JointType::rolling_disk:
    case JointType::rolling_sphere:
    case JointType::knife_edge:
      return 0;
  }
  return 0;
}

// The simple joints of a joint, from the frame on its first body to that on its second.
std::vector<Node> sequence(const Joint& joint) {
  const auto turn = [](int axis) { return Node{.kind = Kind::turn, .axis = axis}; };
  const auto slide = [](int axis) { return Node{.kind = Kind::slide, .axis = axis}; };
  switch (joint.type) {
    case JointType::revolute:
      return {turn(z_axis)};
    case JointType::prismatic:
      return {slide(z_axis)};
    case JointType::cylindrical:
      return {turn(z_axis), slide(z_axis)};
    case JointType::screw: {
      Node screw = turn(z_axis);
      screw.kind = Kind::screw;
      screw.lead = joint.pitch / (2 * std::acos(-1.0));
      return {screw};
    }
    case JointType::spherical:
      return {Node{.kind = Kind::ball}};
    case JointType::universal:
      return {turn(z_axis), turn(x_axis)};
    case JointType::planar:
      return {slide(x_axis), slide(y_axis), turn(z_axis)};
    case JointType::translational:
      return {slide(x_axis), slide(y_axis), slide(z_axis)};
    default:
      return {};
  }
}

// Seen from the second body everything goes backwards.
void reverse(std::vector<Node>& nodes) {
  std::reverse(nodes.begin(), nodes.end());
  for (Node& node : nodes) node.sign = -node.sign;
}

// The coordinates of a joint, in the order of sequence(), when its second frame is seen from its first like
// this.
std::vector<double> coordinates_of(const Joint& joint, const Frame& seen) {
  const Vec3<double>&o = seen.origin, &x = seen.axes.column[0], &y = seen.axes.column[1];
  const double angle = std::atan2(x.y, x.x);
  switch (joint.type) {
    case JointType::revolute:
    case JointType::screw:
      return {angle};
    case JointType::prismatic:
      return {o.z};
    case JointType::cylindrical:
      return {angle, o.z};
    case JointType::universal: {
      const Vec3<double> turned = transposed_times(rotation_about({0, 0, 1}, angle), y);
      return {angle, std::atan2(turned.z, turned.y)};
    }
    case JointType::planar:
      return {o.x, o.y, angle};
    case JointType::translational:
      return {o.x, o.y, o.z};
    default:
      return {};
  }
}

Frame centre_of_mass(const Body& body) { return {body.com, Mat3<double>::identity()}; }

struct Neighbour {
  int body, joint;
};

std::vector<std::vector<Neighbour>> neighbours(const Mechanism& mechanism, const std::vector<char>& usable) {
  std::vector<std::vector<Neighbour>> all(mechanism.bodies.size());
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i) {
    if (!usable[i]) continue;
    const Joint& joint = mechanism.joints[i];
    all[static_cast<std::size_t>(joint.body_a)].push_back({joint.body_b, static_cast<int>(i)});
    all[static_cast<std::size_t>(joint.body_b)].push_back({joint.body_a, static_cast<int>(i)});
  }
  return all;
}

// A body between two points.
bool is_rod(const Mechanism& mechanism, const std::vector<std::vector<Neighbour>>& graph, int body) {
  const std::vector<Neighbour>& joints = graph[static_cast<std::size_t>(body)];
  return joints.size() == 2 && std::all_of(joints.begin(), joints.end(), [&](const Neighbour& next) {
           const JointType type = mechanism.joints[static_cast<std::size_t>(next.joint)].type;
           return type == JointType::spherical || type == JointType::universal;
         });
}

// Distances along joints; −1 where none lead.
std::vector<int> distances(const std::vector<std::vector<Neighbour>>& graph, int from) {
  std::vector<int> distance(graph.size(), -1);
  distance[static_cast<std::size_t>(from)] = 0;
  std::queue<int> open;
  for (open.push(from); !open.empty(); open.pop())
    for (const Neighbour& next : graph[static_cast<std::size_t>(open.front())]) {
      int& known = distance[static_cast<std::size_t>(next.body)];
      if (known >= 0) continue;
      known = distance[static_cast<std::size_t>(open.front())] + 1;
      open.push(next.body);
    }
  return distance;
}

}  // namespace

bool JointTree::has_coordinates(JointType type) { return rows_of(type) > 0; }

// A body at a time, by the joint that would need most equations as a loop: so loops have few equations (R. Prim, 1957).
// Of these not on a rod if there is another; then by the one nearest to the root, so that
// loops are short; then on the heaviest body, so that light ones are leaves.
JointTree::JointTree(const Mechanism& mechanism, const std::vector<char>& excluded)
    : bodies_(mechanism.bodies.size()), in_tree_(mechanism.joints.size(), 0) {
  std::vector<char> usable(mechanism.joints.size());
  for (std::size_t i = 0; i < usable.size(); ++i) {
    const Joint& joint = mechanism.joints[i];
    usable[i] = !excluded[i] && has_coordinates(joint.type) && joint.body_a != joint.body_b;
  }
  const std::vector<std::vector<Neighbour>> graph = neighbours(mechanism, usable);

  struct Candidate {
    int rows;
    bool on_a_rod;
    int depth;
    double mass;  // of what it hangs on
    const std::string* name;
    int joint, parent, child;
    // the best is the largest
    bool operator<(const Candidate& other) const {
      if (rows != other.rows) return rows < other.rows;
      if (on_a_rod != other.on_a_rod) return on_a_rod;
      if (depth != other.depth) return depth > other.depth;
      if (mass != other.mass) return mass < other.mass;
      return *name > *other.name;
    }
  };
  std::priority_queue<Candidate> open;
  std::vector<char> reached(mechanism.bodies.size(), 0);
  std::vector<int> depth(mechanism.bodies.size(), 0);
  const auto reach = [&](int body) {
    reached[static_cast<std::size_t>(body)] = 1;
    for (const Neighbour& next : graph[static_cast<std::size_t>(body)]) {
      if (reached[static_cast<std::size_t>(next.body)]) continue;
      const Joint& joint = mechanism.joints[static_cast<std::size_t>(next.joint)];
      const bool on_a_rod = body > 0 && is_rod(mechanism, graph, body);
      open.push({rows_of(joint.type), on_a_rod, depth[static_cast<std::size_t>(body)],
                 mechanism.bodies[static_cast<std::size_t>(body)].mass, &joint.name, next.joint, body,
                 next.body});
    }
  };
  const auto spread = [&] {
    while (!open.empty()) {
      const Candidate best = open.top();
      open.pop();
      if (reached[static_cast<std::size_t>(best.child)]) continue;
      const Joint& joint = mechanism.joints[static_cast<std::size_t>(best.joint)];
      in_tree_[static_cast<std::size_t>(best.joint)] = 1;
      depth[static_cast<std::size_t>(best.child)] = best.depth + (joint.type == JointType::fixed ? 0 : 1);
      hang(mechanism, {.joint = best.joint,
                       .parent = best.parent,
                       .child = best.child,
                       .reversed = joint.body_a == best.child});
      reach(best.child);
    }
  };
  reach(0);
  spread();
  for (int root; (root = root_of_rest(mechanism, reached, usable)) > 0; spread()) {
    hang(mechanism, {.child = root});
    depth[static_cast<std::size_t>(root)] = 1;
    reach(root);
  }
  take_rotors(mechanism);
}

// Of the bodies that hang on nothing yet, one in the middle of what is tied to it, with a mass if any has one.
int JointTree::root_of_rest(const Mechanism& mechanism, const std::vector<char>& reached,
                            const std::vector<char>& usable) const {
  const std::vector<std::vector<Neighbour>> graph = neighbours(mechanism, usable);
  const auto first = std::find(reached.begin() + 1, reached.end(), 0);
  if (first == reached.end()) return 0;
  const std::vector<int> together = distances(graph, static_cast<int>(first - reached.begin()));
  const auto size = std::count_if(together.begin(), together.end(), [](int d) { return d >= 0; });
  constexpr long most = 300;  // beyond, the heaviest will do
  int best = 0;
  long best_sum = 0;
  for (std::size_t i = 1; i < together.size(); ++i) {
    if (together[i] < 0) continue;
    const Body& body = mechanism.bodies[i];
    long sum = 0;
    if (size <= most)
      for (const int distance : distances(graph, static_cast<int>(i))) sum += std::max(distance, 0);
    const auto better = [&] {
      if (best == 0) return true;
      const Body& other = mechanism.bodies[static_cast<std::size_t>(best)];
      if ((body.mass > 0) != (other.mass > 0)) return body.mass > 0;
      if (sum != best_sum) return sum < best_sum;
      if (body.mass != other.mass) return body.mass > other.mass;
      return body.name < other.name;
    };
    if (!better()) continue;
    best = static_cast<int>(i);
    best_sum = sum;
  }
  return best;
}

void JointTree::hang(const Mechanism& mechanism, Edge edge) {
  const Body& child = mechanism.bodies[static_cast<std::size_t>(edge.child)];
  std::vector<Node> nodes;
  Frame on_parent, on_child;  // where they are tied, in the frames of the bodies
  if (edge.joint < 0) {
    for (const int axis : {x_axis, y_axis, z_axis}) nodes.push_back({.kind = Kind::slide, .axis = axis});
    nodes.push_back({.kind = Kind::ball});
    on_child = centre_of_mass(child);
  } else {
    const Joint& joint = mechanism.joints[static_cast<std::size_t>(edge.joint)];
    nodes = sequence(joint);
    on_parent = edge.reversed ? joint.frame_b : joint.frame_a;
    on_child = edge.reversed ? joint.frame_a : joint.frame_b;
    if (edge.reversed) reverse(nodes);
  }

  // the parent's body frame in that of its node
  const Place& holder = bodies_[static_cast<std::size_t>(edge.parent)];
  Frame tie = on_parent;
  if (edge.parent > 0) {
    const Body& parent = mechanism.bodies[static_cast<std::size_t>(edge.parent)];
    tie = compose(compose(holder.frame, inverse(centre_of_mass(parent))), on_parent);
  }
  edge.first = static_cast<int>(nodes_.size());
  edge.count = static_cast<int>(nodes.size());
  int last = holder.node;
  for (Node& node : nodes) {
    node.parent = last;
    node.edge = static_cast<int>(edges_.size());
    add_node(node, tie);
    last = static_cast<int>(nodes_.size()) - 1;
    tie = {};
  }
  // the child's frame in that of the last node; `tie` is in between if there is none
  const Frame of_child = compose(inverse(on_child), centre_of_mass(child));
  bodies_[static_cast<std::size_t>(edge.child)] = {last, compose(tie, of_child)};
  edges_.push_back(edge);
}

// Those on coordinates that are none of the tree's act between bodies (cartesian_rotors.cpp).
void JointTree::take_rotors(const Mechanism& mechanism) {
  std::unordered_map<std::string, double> inertias;
  for (const Joint& joint : mechanism.joints)
    for (const Rotor& rotor : joint.rotors)
      inertias.emplace(joint.name + "." + rotor.coordinate, rotor.reflected());
  if (inertias.empty()) return;
  const std::vector<std::string> names = position_names(mechanism);
  for (Node& node : nodes_)
    if (const auto found = inertias.find(names[at_index(node.p)]); found != inertias.end() && !node.is_ball())
      node.rotor = found->second;
}

void JointTree::add_node(Node node, const Frame& frame) {
  node.p = positions_;
  node.v = velocities_;
  for (int col = 0; col < 3; ++col)
    for (int row = 0; row < 3; ++row) node.is_straight &= frame.axes(row, col) == (row == col ? 1.0 : 0.0);
  node.depth = node.parent < 0 ? 0 : nodes_[static_cast<std::size_t>(node.parent)].depth + 1;
  positions_ += node.positions();
  velocities_ += node.velocities();
  balls_ += node.is_ball() ? 1 : 0;
  nodes_.push_back(node);
  frames_.push_back(frame);
}

std::vector<int> JointTree::parents() const {
  std::vector<int> parents;
  for (const Node& node : nodes_) parents.push_back(node.parent);
  return parents;
}

int JointTree::common(int a, int b) const {
  while (a != b) {
    if (a < 0 || b < 0) return -1;
    const Node &first = nodes_[static_cast<std::size_t>(a)], &second = nodes_[static_cast<std::size_t>(b)];
    if (first.depth >= second.depth) a = first.parent;
    if (second.depth >= first.depth) b = second.parent;
  }
  return a;
}

Vector JointTree::reference(const Mechanism& mechanism) const {
  Vector p = Vector::Zero(positions_);
  const auto set_ball = [&](const Node& node, const Mat3<double>& axes) {
    const Quaternion<double> e = quaternion(axes);
    p.segment<4>(node.p) << e.w, e.x, e.y, e.z;
  };
  for (const Edge& edge : edges_) {
    const Body& child = mechanism.bodies[static_cast<std::size_t>(edge.child)];
    const auto node = [&](int i) -> const Node& { return nodes_[static_cast<std::size_t>(edge.first + i)]; };
    if (edge.joint < 0) {
      const Frame place = compose(child.reference, centre_of_mass(child));
      for (int i = 0; i < 3; ++i) p[node(i).p] = place.origin[i];
      set_ball(node(3), place.axes);
      continue;
    }
    const Joint& joint = mechanism.joints[static_cast<std::size_t>(edge.joint)];
    const auto placed = [&](int body, const Frame& frame) {
      return body == 0 ? frame : compose(mechanism.bodies[static_cast<std::size_t>(body)].reference, frame);
    };
    const Frame seen =
        compose(inverse(placed(joint.body_a, joint.frame_a)), placed(joint.body_b, joint.frame_b));
    if (joint.type == JointType::spherical) {
      set_ball(node(0), edge.reversed ? transposed(seen.axes) : seen.axes);
      continue;
    }
    const std::vector<double> values = coordinates_of(joint, seen);
    for (int i = 0; i < edge.count; ++i)
      p[node(edge.reversed ? edge.count - 1 - i : i).p] = values[static_cast<std::size_t>(i)];
  }
  return p;
}

namespace {

// A name for each simple joint of an edge, in the order of its nodes.
std::vector<std::string> edge_names(const Mechanism& mechanism, const JointTree::Edge& edge) {
  if (edge.joint < 0) {
    const std::string& body = mechanism.bodies[static_cast<std::size_t>(edge.child)].name;
    return {body + ".x", body + ".y", body + ".z", body};
  }
  const Joint& joint = mechanism.joints[static_cast<std::size_t>(edge.joint)];
  if (joint.type == JointType::spherical) return {joint.name};
  std::vector<std::string> names;
  for (int i = 0; i < edge.count; ++i)
    names.push_back(joint.name + "." + coordinate_names(joint.type)[static_cast<std::size_t>(i)]);
  if (edge.reversed) std::reverse(names.begin(), names.end());
  return names;
}

// One name for each node, or several for a ball.
std::vector<std::string> all_names(const Mechanism& mechanism, const JointTree& tree,
                                   const std::vector<std::string>& of_ball, const std::string& suffix) {
  std::vector<std::string> names;
  for (const JointTree::Edge& edge : tree.edges()) {
    const std::vector<std::string> of_edge = edge_names(mechanism, edge);
    for (int i = 0; i < edge.count; ++i) {
      const std::string& name = of_edge[static_cast<std::size_t>(i)];
      if (tree.nodes()[static_cast<std::size_t>(edge.first + i)].is_ball())
        for (const std::string& part : of_ball) names.push_back(name + part);
      else
        names.push_back(name + suffix);
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> JointTree::position_names(const Mechanism& mechanism) const {
  return all_names(mechanism, *this, {".e0", ".e1", ".e2", ".e3"}, "");
}

std::vector<std::string> JointTree::velocity_names(const Mechanism& mechanism) const {
  return all_names(mechanism, *this, {".wx", ".wy", ".wz"}, "_rate");
}

std::vector<std::string> JointTree::ball_names(const Mechanism& mechanism) const {
  std::vector<std::string> names;
  for (const Edge& edge : edges_)
    for (int i = 0; i < edge.count; ++i)
      if (nodes_[static_cast<std::size_t>(edge.first + i)].is_ball())
        names.push_back(edge_names(mechanism, edge)[static_cast<std::size_t>(i)] + ".unit");
  return names;
}

}  // namespace trammel
