// A spanning tree of the bodies of a mechanism and its joints: what joint coordinates are coordinates of.
//
// Each body but the ground hangs on another one by a joint, or, where no joint holds it, on the ground by six
// coordinates of its own. A joint of several coordinates is a sequence of simple ones: a turn about an axis, a
// slide along it, a screw, a ball. Each of these is a node; a body stands still in the frame of its node, and
// bodies that fixed joints tie together share one. Joints that are not in the tree close loops, by the same
// rows of constraints as everywhere.
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism/mechanism.h"
#include "trammel/numerics/linear_algebra.h"

namespace trammel {

class JointTree {
 public:
  struct Node {
    enum class Kind : unsigned char { turn, slide, screw, ball };

    Kind kind = Kind::turn;
    bool is_straight = true;  // its axes at zero are those of its parent
    int axis = 2;             // x, y or z of its own frame; balls have none
    int parent = -1;          // −1: the ground; parents come before their children
    double sign = 1;          // −1: backwards
    double lead = 0;          // of a screw, metres per radian
    Index p = 0, v = 0;       // its first position and velocity
    int edge = 0;             // that it belongs to
    int depth = 0;            // nodes before it
    double rotor = 0;         // the inertia of a rotor along its coordinate

    bool is_ball() const { return kind == Kind::ball; }
    Index positions() const { return is_ball() ? 4 : 1; }
    Index velocities() const { return is_ball() ? 3 : 1; }
    bool turns() const { return kind == Kind::turn || kind == Kind::screw; }
  };

  // How a body hangs on another one: nodes `first` to `first + count − 1`.
  struct Edge {
    int joint = -1;  // into Mechanism::joints; −1: six coordinates in the world
    int parent = 0, child = 0;
    bool reversed = false;  // the child is the joint's first body
    int first = 0, count = 0;
  };

  // Where a body is: its centre of mass and axes in the frame of a node.
  struct Place {
    int node = -1;
    Frame frame;
  };

  // `excluded` marks joints that must close loops. Nothing depends on the order of bodies and joints.
  JointTree(const Mechanism& mechanism, const std::vector<char>& excluded);

  // Whether the coordinates of a type of joint can be those of a tree.
  static bool has_coordinates(JointType type);

  const std::vector<Node>& nodes() const { return nodes_; }
  // Where each node is at zero, in the frame of its parent: beside the nodes, which every sweep reads.
  const std::vector<Frame>& frames() const { return frames_; }
  // Of all nodes.
  std::vector<int> parents() const;
  const std::vector<Edge>& edges() const { return edges_; }
  const std::vector<Place>& bodies() const { return bodies_; }
  bool contains(std::size_t joint) const { return in_tree_[joint] != 0; }
  Index positions() const { return positions_; }
  Index velocities() const { return velocities_; }
  Index balls() const { return balls_; }
  // Deepest node that both have above them or are; −1 if that is the ground.
  int common(int a, int b) const;

  // The coordinates at the reference position of the bodies, or as near to it as the joints of the tree allow.
  Vector reference(const Mechanism& mechanism) const;
  // Names of positions and velocities: "crank.angle", "crank.angle_rate".
  std::vector<std::string> position_names(const Mechanism& mechanism) const;
  std::vector<std::string> velocity_names(const Mechanism& mechanism) const;
  std::vector<std::string> ball_names(const Mechanism& mechanism) const;

 private:
  void hang(const Mechanism& mechanism, Edge edge);
  void add_node(Node node, const Frame& frame);
  void take_rotors(const Mechanism& mechanism);
  int root_of_rest(const Mechanism& mechanism, const std::vector<char>& reached,
                   const std::vector<char>& usable) const;

  std::vector<Node> nodes_;
  std::vector<Frame> frames_;
  std::vector<Edge> edges_;
  std::vector<Place> bodies_;
  std::vector<char> in_tree_;
  Index positions_ = 0, velocities_ = 0, balls_ = 0;
};

}  // namespace trammel
