#include "trammel/derivatives/recorded_mechanism.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "trammel/derivatives/recorded_elements.h"
#include "trammel/motion/cartesian_equations.h"
#include "trammel/motion/euler_parameters.h"
#include "trammel/motion/joint_equations.h"
#include "trammel/motion/rigid_inertia.h"

namespace trammel {
namespace {

using Vec = Vec3<Traced>;
using Mat = Mat3<Traced>;

// A motion at the world's origin, or a force there.
struct TracedSix {
  Vec linear, angular;

  TracedSix& operator+=(const TracedSix& other) {
    linear += other.linear;
    angular += other.angular;
    return *this;
  }
};
TracedSix operator*(const TracedSix& a, const Traced& b) { return {a.linear * b, a.angular * b}; }
Traced dot(const TracedSix& a, const TracedSix& b) {
  return dot(a.linear, b.linear) + dot(a.angular, b.angular);
}

// The inertia of what moves as one, at the world's origin (motion/rigid_inertia.h).
struct TracedInertia {
  double mass = 0;
  Vec moment;
  Mat second;

  TracedInertia& operator+=(const TracedInertia& other) {
    mass += other.mass;
    moment += other.moment;
    second = second + other.second;
    return *this;
  }
  TracedSix operator*(const TracedSix& motion) const {
    return {motion.linear * Traced(mass) - cross(moment, motion.angular),
            cross(moment, motion.linear) + second * motion.angular};
  }
};

// The inputs as Traced numbers.
struct InputNodes {
  InputNodes(OperationGraph& graph, const Layout& layout, Index motion_count, RecordedInputs& places) {
    int next = 0;
    const auto take = [&](int& first, Index count) {
      first = next;
      std::vector<Traced> list;
      for (Index i = 0; i < count; ++i) list.push_back(Traced::node(graph.input(next++)));
      return list;
    };
    places.velocities = static_cast<int>(layout.v.size);
    q = take(places.q, layout.v.size);
    v = take(places.v, layout.v.size);
    t = take(places.t, 1)[0];
    p = take(places.positions, layout.p.size);
    states = take(places.states, layout.r.size);
    multipliers = take(places.multipliers, layout.lambda.size);
    nonholonomic_multipliers = take(places.nonholonomic_multipliers, layout.mu.size);
    motions = take(places.motions, motion_count);
    places.count = next;
  }

  std::vector<Traced> q, v, p, states, multipliers, nonholonomic_multipliers, motions;
  Traced t;
};

Mat turned_by_quaternion(const std::vector<Traced>& p, std::size_t first) {
  return rotation_matrix(Quaternion<Traced>{p[first], p[first + 1], p[first + 2], p[first + 3]});
}

// R with a small rotation in its own axes: exact to first order, which is what a slope at zero needs.
Mat displaced(const Mat& R, const Vec& rotation) { return R + times_cross(R, rotation); }

struct Outcome {
  std::vector<Traced> forces, mass, constraints, state_rates;
};

// --- Cartesian coordinates --------------------------------------------------------------------------------

class CartesianRecorder {
 public:
  CartesianRecorder(const CartesianEquations& equations, const InputNodes& inputs)
      : elements_(equations.elements()), inputs_(inputs) {}

  Outcome operator()(JacobianPattern& mass_pattern) const;

 private:
  RecordedBodies bodies() const;
  void put_mass(Outcome& outcome, JacobianPattern& pattern) const;

  const Elements& elements_;
  const InputNodes& inputs_;
};

Vec vector_at(const std::vector<Traced>& from, std::size_t first) {
  return {from[first], from[first + 1], from[first + 2]};
}

RecordedBodies CartesianRecorder::bodies() const {
  RecordedBodies at;
  at.bodies.push_back({{}, Mat::identity(), {}, {}});
  for (std::size_t i = 0; i + 1 < elements_.bodies.size(); ++i) {
    BodyMotion<Traced> body;
    body.r = vector_at(inputs_.p, 7 * i) + vector_at(inputs_.q, 6 * i);
    body.R = displaced(turned_by_quaternion(inputs_.p, 7 * i + 3), vector_at(inputs_.q, 6 * i + 3));
    body.v = vector_at(inputs_.v, 6 * i);
    body.omega = vector_at(inputs_.v, 6 * i + 3);
    at.bodies.push_back(body);
  }
  at.t = inputs_.t;
  at.states = inputs_.states;
  at.multipliers = inputs_.multipliers;
  at.nonholonomic_multipliers = inputs_.nonholonomic_multipliers;
  at.motions = inputs_.motions;
  return at;
}

void CartesianRecorder::put_mass(Outcome& outcome, JacobianPattern& pattern) const {
  const int bodies = static_cast<int>(elements_.bodies.size()) - 1;
  pattern = {6 * bodies, 6 * bodies, {0}, {}};
  for (int i = 0; i < bodies; ++i) {
    const BodyInertia& inertia = elements_.bodies[static_cast<std::size_t>(i) + 1];
    for (int row = 0; row < 6; ++row) {
      for (int column = row < 3 ? row : 3; column < (row < 3 ? row + 1 : 6); ++column) {
        pattern.column.push_back(6 * i + column);
        outcome.mass.emplace_back(row < 3 ? inertia.mass : inertia.inertia(row - 3, column - 3));
      }
      pattern.begin.push_back(static_cast<int>(pattern.column.size()));
    }
  }
}

Outcome CartesianRecorder::operator()(JacobianPattern& mass_pattern) const {
  const RecordedBodies at = bodies();
  const RecordedElements recorded(elements_, at, std::vector<KnownRow>(at_index(elements_.measured.size())));
  Outcome outcome;
  const std::vector<Wrench<Traced>> wrenches = recorded.wrenches();
  for (std::size_t i = 1; i < wrenches.size(); ++i) {
    const BodyInertia& inertia = elements_.bodies[i];
    const Vec force = wrenches[i].force + Vec(elements_.gravity * inertia.mass);
    const Vec& omega = at.bodies[i].omega;
    const Vec torque = wrenches[i].torque - cross(omega, inertia.inertia * omega);
    outcome.forces.insert(outcome.forces.end(), {force.x, force.y, force.z, torque.x, torque.y, torque.z});
  }
  put_mass(outcome, mass_pattern);
  outcome.constraints = recorded.holonomic(std::vector<char>(at_index(elements_.holonomic.size()), 1));
  const std::vector<Traced> more = recorded.nonholonomic();
  outcome.constraints.insert(outcome.constraints.end(), more.begin(), more.end());
  outcome.state_rates = recorded.state_rates();
  return outcome;
}

// --- joint coordinates ------------------------------------------------------------------------------------

class JointRecorder {
 public:
  JointRecorder(const JointEquations& equations, const InputNodes& inputs)
      : equations_(equations), tree_(equations.tree()), elements_(equations.elements()), inputs_(inputs) {}

  Outcome operator()(JacobianPattern& mass_pattern);

 private:
  using Node = JointTree::Node;
  struct NodeMotion {
    Vec origin;
    Mat axes;
    std::vector<TracedSix> columns;
    TracedSix V, drift;
  };
  struct NodeBody {
    double mass = 0;
    Vec3<double> centre;
    Mat3<double> inertia;  // about the centre of mass, in the axes of the node
    bool is_massless = true;
  };

  void place_nodes();
  void take_columns(const Node& node, NodeMotion& motion) const;
  void find_node_bodies();
  RecordedBodies bodies() const;
  std::vector<KnownRow> coordinates() const;
  std::vector<Traced> forces(const RecordedBodies& at, const std::vector<Wrench<Traced>>& wrenches) const;
  TracedSix inertial_force(std::size_t node) const;
  void put_mass(Outcome& outcome, JacobianPattern& pattern) const;

  const JointEquations& equations_;
  const JointTree& tree_;
  const Elements& elements_;
  const InputNodes& inputs_;
  std::vector<NodeMotion> nodes_;
  std::vector<NodeBody> node_bodies_;
};

// Axes turned about one of them.
void turn_axes(Mat& axes, int about, const Traced& angle) {
  const Traced c = cos(angle), s = sin(angle);
  Vec& first = axes.column[static_cast<std::size_t>((about + 1) % 3)];
  Vec& second = axes.column[static_cast<std::size_t>((about + 2) % 3)];
  const Vec before = first;
  first = before * c + second * s;
  second = second * c - before * s;
}

void JointRecorder::take_columns(const Node& node, NodeMotion& motion) const {
  if (node.is_ball()) {
    for (const Vec& axis : motion.axes.column) motion.columns.push_back({cross(motion.origin, axis), axis});
    return;
  }
  const Vec axis = motion.axes.column[static_cast<std::size_t>(node.axis)] * Traced(node.sign);
  if (node.kind == Node::Kind::slide)
    motion.columns.push_back({axis, {}});
  else
    motion.columns.push_back({cross(motion.origin, axis) + axis * Traced(node.lead), axis});
}

void JointRecorder::place_nodes() {
  for (std::size_t i = 0; i < tree_.nodes().size(); ++i) {
    const Node& node = tree_.nodes()[i];
    const Frame& before = tree_.frames()[i];
    NodeMotion motion;
    motion.origin = before.origin;
    motion.axes = before.axes;
    const NodeMotion* parent = node.parent >= 0 ? &nodes_[static_cast<std::size_t>(node.parent)] : nullptr;
    if (parent != nullptr) {
      motion.origin = parent->origin + parent->axes * before.origin;
      motion.axes = node.is_straight ? parent->axes : parent->axes * before.axes;
    }
    const auto first = at_index(node.v);
    if (node.is_ball()) {
      motion.axes = displaced(motion.axes * turned_by_quaternion(inputs_.p, at_index(node.p)),
                              vector_at(inputs_.q, first));
    } else {
      const Traced z = inputs_.p[at_index(node.p)] + inputs_.q[first];
      const Vec axis = motion.axes.column[static_cast<std::size_t>(node.axis)];
      if (node.kind == Node::Kind::slide) motion.origin += axis * (node.sign * z);
      if (node.kind == Node::Kind::screw) motion.origin += axis * (node.sign * node.lead * z);
      if (node.kind != Node::Kind::slide) turn_axes(motion.axes, node.axis, node.sign * z);
    }
    take_columns(node, motion);
    TracedSix own;
    for (std::size_t k = 0; k < motion.columns.size(); ++k) own += motion.columns[k] * inputs_.v[first + k];
    motion.V = own;
    if (parent != nullptr) {
      motion.V += parent->V;
      const TracedSix& V = parent->V;
      motion.drift = parent->drift;
      motion.drift +=
          {cross(V.angular, own.linear) + cross(V.linear, own.angular), cross(V.angular, own.angular)};
    }
    nodes_.push_back(std::move(motion));
  }
}

void JointRecorder::find_node_bodies() {
  std::vector<RigidInertia> sums(tree_.nodes().size());
  for (std::size_t i = 1; i < elements_.bodies.size(); ++i) {
    const JointTree::Place& place = tree_.bodies()[i];
    if (place.node < 0) continue;
    const Eigen::Matrix3d R = eigen(place.frame.axes);
    sums[static_cast<std::size_t>(place.node)] +=
        RigidInertia(elements_.bodies[i].mass, eigen(place.frame.origin),
                     R * eigen(elements_.bodies[i].inertia) * R.transpose());
  }
  for (const RigidInertia& sum : sums) {
    NodeBody body;
    body.mass = sum.mass;
    body.is_massless = sum.mass == 0 && sum.second.isZero(0);
    const Eigen::Vector3d centre =
        sum.mass > 0 ? Eigen::Vector3d(sum.moment / sum.mass) : Eigen::Vector3d::Zero();
    const Eigen::Matrix3d inertia =
        sum.second - RigidInertia(sum.mass, centre, Eigen::Matrix3d::Zero()).second;
    body.centre = vec3(centre);
    for (int column = 0; column < 3; ++column)
      body.inertia.column[static_cast<std::size_t>(column)] = vec3(inertia.col(column));
    node_bodies_.push_back(body);
  }
}

RecordedBodies JointRecorder::bodies() const {
  RecordedBodies at;
  for (std::size_t i = 0; i < elements_.bodies.size(); ++i) {
    BodyMotion<Traced> body{{}, Mat::identity(), {}, {}};
    const JointTree::Place& place = tree_.bodies()[i];
    if (place.node >= 0) {
      const NodeMotion& node = nodes_[static_cast<std::size_t>(place.node)];
      body.r = node.origin + node.axes * place.frame.origin;
      body.R = node.axes * place.frame.axes;
      body.v = node.V.linear + cross(node.V.angular, body.r);
      body.omega = transposed_times(body.R, node.V.angular);
    } else if (i > 0) {
      body.r = place.frame.origin;
      body.R = place.frame.axes;
    }
    at.bodies.push_back(body);
  }
  at.t = inputs_.t;
  at.states = inputs_.states;
  // of joints in the tree nothing is known; laws that use them keep them out of it
  at.multipliers.assign(at_index(elements_.holonomic.size()), Traced(0.0));
  for (std::size_t i = 0; i < equations_.kept_rows().size(); ++i)
    at.multipliers[at_index(equations_.kept_rows()[i])] = inputs_.multipliers[i];
  at.nonholonomic_multipliers = inputs_.nonholonomic_multipliers;
  at.motions = inputs_.motions;
  return at;
}

// Coordinates of the tree are measured as what they are, any number of turns.
std::vector<KnownRow> JointRecorder::coordinates() const {
  std::vector<KnownRow> known(at_index(elements_.measured.size()));
  const std::vector<std::string> names = tree_.position_names(equations_.mechanism());
  std::unordered_map<std::string, Index> rows;
  for (const JointCoordinate& coordinate : elements_.coordinates)
    rows.emplace(coordinate.name, coordinate.row);
  for (const Node& node : tree_.nodes()) {
    if (node.is_ball()) continue;
    const auto row = rows.find(names[at_index(node.p)]);
    if (row == rows.end()) continue;
    known[at_index(row->second)] = {inputs_.p[at_index(node.p)] + inputs_.q[at_index(node.v)],
                                    inputs_.v[at_index(node.v)], true};
  }
  return known;
}

// Weight, and what the accelerations need that are there without z''.
TracedSix JointRecorder::inertial_force(std::size_t index) const {
  const NodeBody& body = node_bodies_[index];
  const NodeMotion& node = nodes_[index];
  if (body.is_massless) return {};
  const Vec centre = node.origin + node.axes * body.centre;
  const Vec& omega = node.V.angular;
  const Vec velocity = node.V.linear + cross(omega, centre);
  const Vec acceleration = node.drift.linear + cross(node.drift.angular, centre) + cross(omega, velocity);
  const Vec force = (Vec(elements_.gravity) - acceleration) * Traced(body.mass);
  const Vec turning = transposed_times(node.axes, omega);
  const Vec torque = -(body.inertia * transposed_times(node.axes, node.drift.angular)) -
                     cross(turning, body.inertia * turning);
  return {force, node.axes * torque + cross(centre, force)};
}

std::vector<Traced> JointRecorder::forces(const RecordedBodies& at,
                                          const std::vector<Wrench<Traced>>& wrenches) const {
  std::vector<TracedSix> sums;
  for (std::size_t i = 0; i < nodes_.size(); ++i) sums.push_back(inertial_force(i));
  for (std::size_t i = 1; i < wrenches.size(); ++i) {
    const int node = tree_.bodies()[i].node;
    if (node < 0) continue;
    const BodyMotion<Traced>& body = at.bodies[i];
    sums[static_cast<std::size_t>(node)] +=
        {wrenches[i].force, body.R * wrenches[i].torque + cross(body.r, wrenches[i].force)};
  }
  std::vector<Traced> forces(at_index(tree_.velocities()));
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = tree_.nodes()[i];
    for (std::size_t k = 0; k < nodes_[i].columns.size(); ++k)
      forces[at_index(node.v) + k] = dot(nodes_[i].columns[k], sums[i]);
    if (node.parent >= 0) sums[static_cast<std::size_t>(node.parent)] += sums[i];
  }
  return forces;
}

void JointRecorder::put_mass(Outcome& outcome, JacobianPattern& pattern) const {
  std::vector<TracedInertia> composite;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const NodeBody& body = node_bodies_[i];
    TracedInertia inertia;
    if (!body.is_massless) {
      const Mat& R = nodes_[i].axes;
      const Vec centre = nodes_[i].origin + R * body.centre;
      inertia.mass = body.mass;
      inertia.moment = centre * Traced(body.mass);
      const Traced square = dot(inertia.moment, centre);
      inertia.second = R * body.inertia * transposed(R);
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
          inertia.second(row, column) -= inertia.moment[row] * centre[column];
      for (int k = 0; k < 3; ++k) inertia.second(k, k) += square;
    }
    composite.push_back(inertia);
  }
  for (std::size_t i = composite.size(); i-- > 0;)
    if (const int parent = tree_.nodes()[i].parent; parent >= 0)
      composite[static_cast<std::size_t>(parent)] += composite[i];

  const int size = static_cast<int>(tree_.velocities());
  std::vector<std::vector<std::pair<int, Traced>>> rows(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for (std::size_t k = 0; k < nodes_[i].columns.size(); ++k) {
      const TracedSix momentum = composite[i] * nodes_[i].columns[k];
      const std::size_t row = at_index(tree_.nodes()[i].v) + k;
      for (int other = static_cast<int>(i); other >= 0;
           other = tree_.nodes()[static_cast<std::size_t>(other)].parent)
        for (std::size_t c = 0; c < nodes_[static_cast<std::size_t>(other)].columns.size(); ++c) {
          const std::size_t column = at_index(tree_.nodes()[static_cast<std::size_t>(other)].v) + c;
          if (static_cast<std::size_t>(other) == i && column > row) continue;
          Traced value = dot(nodes_[static_cast<std::size_t>(other)].columns[c], momentum);
          if (column == row) value += Traced(tree_.nodes()[i].rotor);
          rows[row].emplace_back(static_cast<int>(column), value);
          if (column != row) rows[column].emplace_back(static_cast<int>(row), value);
        }
    }
  pattern = {size, size, {0}, {}};
  for (auto& row : rows) {
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [column, value] : row) {
      pattern.column.push_back(column);
      outcome.mass.push_back(value);
    }
    pattern.begin.push_back(static_cast<int>(pattern.column.size()));
  }
}

Outcome JointRecorder::operator()(JacobianPattern& mass_pattern) {
  place_nodes();
  find_node_bodies();
  const RecordedBodies at = bodies();
  const RecordedElements recorded(elements_, at, coordinates());
  Outcome outcome;
  outcome.forces = forces(at, recorded.wrenches());
  put_mass(outcome, mass_pattern);
  std::vector<char> wanted(at_index(elements_.holonomic.size()), 0);
  for (const Index row : equations_.kept_rows()) wanted[at_index(row)] = 1;
  const std::vector<Traced> rows = recorded.holonomic(wanted);
  for (const Index row : equations_.kept_rows()) outcome.constraints.push_back(rows[at_index(row)]);
  const std::vector<Traced> more = recorded.nonholonomic();
  outcome.constraints.insert(outcome.constraints.end(), more.begin(), more.end());
  outcome.state_rates = recorded.state_rates();
  return outcome;
}

// Those on coordinates of a tree are numbers in its mass matrix.
void refuse_rotors(const Elements& elements, const std::vector<std::string>& coordinates) {
  for (const std::string& name : elements.rotors.names)
    if (std::find(coordinates.begin(), coordinates.end(), name) == coordinates.end())
      throw std::invalid_argument("a rotor on '" + name + "' cannot be recorded: " +
                                  (coordinates.empty() ? "take 'coordinates: joint'"
                                                       : "its joint closes a loop in joint coordinates"));
}

RecordedFunction function_of(const OperationGraph& graph, const RecordedInputs& inputs,
                             const std::vector<Traced>& results) {
  RecordedFunction function;
  function.inputs = inputs.count;
  function.graph = graph;
  for (const Traced& result : results)
    function.outputs.push_back(result.is_constant() ? function.graph.constant(result.number())
                                                    : result.node());
  // only what it needs itself
  return hold_inputs(function, {});
}

}  // namespace

std::vector<double> RecordedMechanism::at(const MechanismEquations& equations, double t,
                                          const VectorIn& x) const {
  std::vector<double> values(static_cast<std::size_t>(inputs.count), 0.0);
  const Layout& l = equations.layout();
  const auto put = [&](int first, const Block& block) {
    for (Index i = 0; i < block.size; ++i)
      values[static_cast<std::size_t>(first) + at_index(i)] = x[block.begin + i];
  };
  put(inputs.v, l.v);
  values[static_cast<std::size_t>(inputs.t)] = t;
  put(inputs.positions, l.p);
  put(inputs.states, l.r);
  put(inputs.multipliers, l.lambda);
  put(inputs.nonholonomic_multipliers, l.mu);
  const std::vector<GivenMotion> motions = given_motions(equations.elements());
  for (std::size_t i = 0; i < motions.size(); ++i)
    values[static_cast<std::size_t>(inputs.motions) + i] = motions[i].at(t);
  return values;
}

RecordedMechanism record_mechanism(const MechanismEquations& equations) {
  RecordedMechanism recorded;
  OperationGraph graph;
  const Recorder recorder(graph);
  for (const GivenMotion& motion : given_motions(equations.elements()))
    recorded.motion_names.push_back(motion.name);
  const InputNodes inputs(graph, equations.layout(), static_cast<Index>(recorded.motion_names.size()),
                          recorded.inputs);
  Outcome outcome;
  if (const auto* joint = dynamic_cast<const JointEquations*>(&equations)) {
    recorded.coordinates = "joint";
    refuse_rotors(joint->elements(), joint->names().p);
    outcome = JointRecorder(*joint, inputs)(recorded.mass_pattern);
  } else if (const auto* cartesian = dynamic_cast<const CartesianEquations*>(&equations);
             cartesian != nullptr && cartesian->velocities() == CartesianEquations::Velocities::angular) {
    recorded.coordinates = "cartesian";
    refuse_rotors(cartesian->elements(), {});
    outcome = CartesianRecorder(*cartesian, inputs)(recorded.mass_pattern);
  } else {
    throw std::invalid_argument("a mechanism is recorded in the coordinates joint or cartesian");
  }
  recorded.forces = function_of(graph, recorded.inputs, outcome.forces);
  recorded.mass = function_of(graph, recorded.inputs, outcome.mass);
  recorded.constraints = function_of(graph, recorded.inputs, outcome.constraints);
  recorded.state_rates = function_of(graph, recorded.inputs, outcome.state_rates);
  const Names& names = equations.names();
  recorded.position_names = names.p;
  recorded.velocity_names = names.v;
  recorded.constraint_names = names.g;
  recorded.constraint_names.insert(recorded.constraint_names.end(), names.h.begin(), names.h.end());
  recorded.state_names = names.r;
  return recorded;
}

RecordedFunction without_displacements(const RecordedFunction& function, const RecordedInputs& inputs) {
  std::unordered_map<int, double> held;
  for (int i = 0; i < inputs.velocities; ++i) held.emplace(inputs.q + i, 0.0);
  return hold_inputs(function, held);
}

}  // namespace trammel
