#include "trammel/mechanism/tree_forces.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "trammel/mechanism/measured_function.h"

namespace trammel {

namespace {

// A motion or a force at the common point, in any scalar.
template <class T>
struct Pair {
  Vec3<T> linear, angular;

  Pair& operator+=(const Pair& other) {
    linear += other.linear;
    angular += other.angular;
    return *this;
  }
};

template <class T>
T work(const Pair<T>& motion, const Pair<T>& force) {
  return dot(motion.linear, force.linear) + dot(motion.angular, force.angular);
}

template <class T>
Pair<T> carried_motion(const Pair<T>& a, const Pair<T>& b) {
  return {cross(a.angular, b.linear) + cross(a.linear, b.angular), cross(a.angular, b.angular)};
}

template <class T>
Pair<T> carried_force(const Pair<T>& a, const Pair<T>& f) {
  return {cross(a.angular, f.linear), cross(a.angular, f.angular) + cross(a.linear, f.linear)};
}

template <class T>
Pair<T> scalar(const Eigen::Matrix<double, 6, 1>& six) {
  Pair<T> pair;
  for (int i = 0; i < 3; ++i) {
    pair.linear[i] = T(six[i]);
    pair.angular[i] = T(six[i + 3]);
  }
  return pair;
}

template <class T>
Pair<T> product(const Eigen::Matrix<double, 6, 6>& matrix, const Pair<T>& pair) {
  Pair<T> result;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      result.linear[i] += pair.linear[k] * matrix(i, k) + pair.angular[k] * matrix(i, k + 3);
      result.angular[i] += pair.linear[k] * matrix(i + 3, k) + pair.angular[k] * matrix(i + 3, k + 3);
    }
  return result;
}

Eigen::Matrix<double, 6, 1> six(const Pair<double>& pair) {
  Eigen::Matrix<double, 6, 1> result;
  result << pair.linear.x, pair.linear.y, pair.linear.z, pair.angular.x, pair.angular.y, pair.angular.z;
  return result;
}

// A body as seen from the common point.
template <class T>
struct Seen {
  Vec3<T> arm;  // from the point to the centre of mass
  Mat3<T> R;
  Pair<T> twist;

  Seen(const BodyMotion<T>& body, const Vec3<double>& centre) : R(body.R) {
    for (int i = 0; i < 3; ++i) arm[i] = body.r[i] - centre[i];
    twist.angular = body.R * body.omega;
    twist.linear = body.v - cross(twist.angular, arm);
  }
  Pair<T> momentum(double mass, const Mat3<double>& inertia, const Pair<T>& motion) const {
    Pair<T> result;
    result.linear = (motion.linear + cross(motion.angular, arm)) * mass;
    const Vec3<T> local = transposed_times(R, motion.angular);
    Vec3<T> spin;
    for (int i = 0; i < 3; ++i)
      spin[i] = local.x * inertia(i, 0) + local.y * inertia(i, 1) + local.z * inertia(i, 2);
    result.angular = R * spin + cross(arm, result.linear);
    return result;
  }
  Pair<T> weight(double mass, const Vec3<double>& gravity) const {
    Pair<T> result;
    for (int i = 0; i < 3; ++i) result.linear[i] = T(mass * gravity[i]);
    result.angular = cross(arm, result.linear);
    return result;
  }
};

template <class T, class ColumnType>
Pair<T> column_of(const ColumnType& column, const BodyMotion<T>& carrier, const Vec3<double>& centre) {
  Vec3<T> origin, axis;
  for (int i = 0; i < 3; ++i) {
    origin[i] = T(column.origin[i]);
    axis[i] = T(column.axis[i]);
  }
  const Vec3<T> direction = carrier.R * axis;
  if (column.slides) return {direction, {}};
  Vec3<T> arm = carrier.r + carrier.R * origin;
  for (int i = 0; i < 3; ++i) arm[i] -= centre[i];
  return {cross(arm, direction) + direction * column.lead, direction};
}

BodyMotion<double> plain(const BodyState& body) { return {body.r, body.R, body.v, body.omega}; }

// By its own pose, six directions, and its twist.
BodyMotion<PoseSlope> varied(const BodyState& body) {
  const Pose<PoseSlope> pose = varied_pose<pose_directions>(Pose<double>{body.r, body.R}, 0);
  BodyMotion<PoseSlope> motion{pose.r, pose.R, body.v, body.omega};
  for (int k = 0; k < 3; ++k) {
    motion.v[k].derivative[static_cast<std::size_t>(6 + k)] = 1;
    motion.omega[k].derivative[static_cast<std::size_t>(9 + k)] = 1;
  }
  return motion;
}

bool hangs_bodies(JointType type) {
  switch (type) {
    case JointType::point_on_line:
    case JointType::point_in_plane:
    case JointType::distance:
    case JointType::constant_velocity:
    case JointType::rolling_disk:
    case JointType::rolling_sphere:
    case JointType::knife_edge:
      return false;
    default:
      return true;
  }
}

// Those whose axes rest in the inner body.
bool has_resting_axes(JointType type) {
  return type == JointType::fixed || type == JointType::revolute || type == JointType::prismatic ||
         type == JointType::cylindrical || type == JointType::screw;
}

}  // namespace

TreeForces::TreeForces(const Mechanism& mechanism) : gravity_(mechanism.gravity), joints_(mechanism.joints) {
  links_.resize(mechanism.bodies.size());
  for (std::size_t i = 1; i < links_.size(); ++i) {
    links_[i].mass = mechanism.bodies[i].mass;
    links_[i].inertia = mechanism.bodies[i].inertia;
  }
  for (const Body& body : mechanism.bodies) com_.push_back(body.com);
  com_[0] = {};
  std::vector<char> reached(links_.size(), 0), used(joints_.size(), 0);
  reached[0] = 1;
  std::vector<int> front{0};
  for (std::size_t at = 0; at < front.size(); ++at)
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const Joint& joint = joints_[j];
      if (used[j] || !hangs_bodies(joint.type)) continue;
      const int here = front[at];
      const int other = joint.body_a == here ? joint.body_b : joint.body_b == here ? joint.body_a : -1;
      if (other < 0 || reached[static_cast<std::size_t>(other)]) continue;
      used[j] = reached[static_cast<std::size_t>(other)] = 1;
      links_[static_cast<std::size_t>(other)].parent = here;
      links_[static_cast<std::size_t>(other)].joint = static_cast<int>(j);
      links_[static_cast<std::size_t>(here)].children.push_back(other);
      front.push_back(other);
    }
  order_.assign(front.begin() + 1, front.end());
  for (std::size_t j = 0; j < joints_.size(); ++j)
    if (!used[j]) closing_.push_back(static_cast<int>(j));
  work_.twist.resize(links_.size(), Six::Zero());
  work_.drift = work_.before = work_.force = work_.gravity = work_.twist;
  work_.inertia.resize(links_.size(), SixBySix::Zero());
  work_.composite = work_.inertia;
}

bool TreeForces::is_outward(int body, int of) const {
  for (int i = body; i > 0; i = links_[static_cast<std::size_t>(i)].parent)
    if (i == of) return true;
  return of == 0;
}

std::vector<int> TreeForces::outward(int body) const {
  std::vector<int> found;
  for (const int i : order_)
    if (is_outward(i, body)) found.push_back(i);
  return found;
}

namespace {

int outer_body(const Joint& joint, int parent) {
  return joint.body_a == parent ? joint.body_b : joint.body_a;
}

}  // namespace

std::string TreeForces::fault(int index, bool inertial) const {
  const Joint& joint = joints_[static_cast<std::size_t>(index)];
  const auto hung = std::find_if(order_.begin(), order_.end(), [&](int body) {
    return links_[static_cast<std::size_t>(body)].joint == index;
  });
  for (const int closing : closing_) {
    const Joint& loop = joints_[static_cast<std::size_t>(closing)];
    const auto told = [&](const std::string& what) {
      return fmt::format(
          "'{}' {} that '{}' closes: forces of a tree are not those of a loop (trammel inverse finds them)",
          joint.name, what, loop.name);
    };
    if (closing == index)
      return fmt::format("'{}' closes a loop: forces of a tree are not those of a loop", joint.name);
    // a loop goes through the joints that have one of its ends outward of them
    for (const int body : order_) {
      if (hung == order_.end() || is_outward(loop.body_a, body) == is_outward(loop.body_b, body)) continue;
      if (body == *hung) return told("is part of a loop");
      if (inertial && (is_outward(body, *hung) || is_outward(*hung, body))) return told("moves with a loop");
    }
  }
  if (hung == order_.end())
    return fmt::format("the bodies of '{}' do not hang on the ground by joints", joint.name);
  if (!inertial) return {};
  for (const int body : order_) {
    const Link& link = links_[static_cast<std::size_t>(body)];
    if (!is_outward(body, *hung) && !is_outward(*hung, body)) continue;
    const Joint& other = joints_[static_cast<std::size_t>(link.joint)];
    if (!has_resting_axes(other.type))
      return fmt::format(
          "'{}' is a {} joint: inverse_dynamics knows fixed, revolute, prismatic, cylindrical and screw "
          "joints",
          other.name, name(other.type));
  }
  return {};
}

std::vector<TreeForces::Coordinate> TreeForces::related(int joint) const {
  std::vector<Coordinate> found;
  for (const int body : order_) {
    const int other = links_[static_cast<std::size_t>(body)].joint;
    if (unrelated(joint, other)) continue;
    const JointType type = joints_[static_cast<std::size_t>(other)].type;
    const int count = type == JointType::screw ? 1 : static_cast<int>(coordinate_names(type).size());
    for (int place = 0; place < count; ++place) found.push_back({other, place});
  }
  return found;
}

double TreeForces::rotor_inertia(const Coordinate& along) const {
  const Joint& joint = joints_[static_cast<std::size_t>(along.joint)];
  const std::string& coordinate = coordinate_names(joint.type)[static_cast<std::size_t>(along.place)];
  const double lead = joint.pitch / (2 * 3.14159265358979323846);
  double sum = 0;
  for (const Rotor& rotor : joint.rotors)
    if (rotor.coordinate == coordinate)
      sum += rotor.reflected();
    else if (joint.type == JointType::screw)  // whose displacement follows its angle
      sum += lead * lead * rotor.reflected();
  return sum;
}

bool TreeForces::unrelated(int joint_a, int joint_b) const {
  int a = -1, b = -1;
  for (const int body : order_) {
    if (links_[static_cast<std::size_t>(body)].joint == joint_a) a = body;
    if (links_[static_cast<std::size_t>(body)].joint == joint_b) b = body;
  }
  return a < 0 || b < 0 || !(is_outward(a, b) || is_outward(b, a));
}

// --- the functions ----------------------------------------------------------------------------------------

TreeForces::Column TreeForces::column(const Coordinate& along) const {
  const Joint& joint = joints_[static_cast<std::size_t>(along.joint)];
  const auto hung = std::find_if(order_.begin(), order_.end(), [&](int body) {
    return links_[static_cast<std::size_t>(body)].joint == along.joint;
  });
  const int parent = links_[static_cast<std::size_t>(*hung)].parent;
  const bool reversed = joint.body_a != parent;
  const Frame& frame = reversed ? joint.frame_b : joint.frame_a;
  const std::string& coordinate = coordinate_names(joint.type)[static_cast<std::size_t>(along.place)];
  Column result;
  result.carrier = parent;
  result.origin = frame.origin - com_[static_cast<std::size_t>(parent)];
  result.axis = frame.axes.column[2] * (reversed ? -1.0 : 1.0);
  if (joint.type == JointType::screw)
    result.lead = joint.pitch / (2 * 3.14159265358979323846);
  else
    result.slides = coordinate == "displacement";
  return result;
}

void TreeForces::add(Function function, Index row, std::vector<int> bodies) {
  std::erase(bodies, 0);
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  function.first = elements().size();
  function.count = (bodies.size() + 1) / 2;
  for (std::size_t i = 0; i < bodies.size(); i += 2)
    add_element({bodies[i], i + 1 < bodies.size() ? bodies[i + 1] : 0, row, 1});
  functions_.push_back(std::move(function));
}

void TreeForces::add_gravity(Index row, const Coordinate& along) {
  const Joint& joint = joints_[static_cast<std::size_t>(along.joint)];
  const Column a = column(along);
  const int outer = outer_body(joint, a.carrier);
  std::vector<int> bodies = outward(outer);
  bodies.push_back(a.carrier);
  add({Kind::gravity, a, {}, outer, 0, 0}, row, bodies);
}

void TreeForces::add_bias(Index row, const Coordinate& along) {
  const Joint& joint = joints_[static_cast<std::size_t>(along.joint)];
  const Column a = column(along);
  const int outer = outer_body(joint, a.carrier);
  std::vector<int> bodies = outward(outer);
  for (int i = a.carrier; i > 0; i = links_[static_cast<std::size_t>(i)].parent) bodies.push_back(i);
  add({Kind::bias, a, {}, outer, 0, 0}, row, bodies);
}

void TreeForces::add_mass(Index row, const Coordinate& first, const Coordinate& second) {
  const Column a = column(first), b = column(second);
  const int outer_a = outer_body(joints_[static_cast<std::size_t>(first.joint)], a.carrier);
  const int outer_b = outer_body(joints_[static_cast<std::size_t>(second.joint)], b.carrier);
  const int outer = is_outward(outer_a, outer_b) ? outer_a : outer_b;
  std::vector<int> bodies = outward(outer);
  bodies.push_back(a.carrier);
  bodies.push_back(b.carrier);
  add({Kind::mass, a, b, outer, 0, 0}, row, bodies);
}

// --- values -----------------------------------------------------------------------------------------------

void TreeForces::take(std::span<const BodyState> bodies) const {
  Work& w = work_;
  w.centre = {};
  for (const int i : order_)
    w.centre += bodies[static_cast<std::size_t>(i)].r * (1.0 / static_cast<double>(order_.size()));
  w.twist[0].setZero();
  w.before[0].setZero();
  for (const int i : order_) {
    const auto at = static_cast<std::size_t>(i);
    const Link& link = links_[at];
    const auto parent = static_cast<std::size_t>(link.parent);
    const Seen<double> seen(plain(bodies[at]), w.centre);
    w.twist[at] = six(seen.twist);
    w.drift[at] = six(carried_motion(scalar<double>(w.twist[parent]), seen.twist));
    w.before[at] = w.before[parent] + w.drift[at];
    for (int k = 0; k < 6; ++k)
      w.inertia[at].col(k) = six(seen.momentum(link.mass, link.inertia, scalar<double>(Six::Unit(k))));
    w.composite[at] = w.inertia[at];
    w.gravity[at] = six(seen.weight(link.mass, gravity_));
    const Pair<double> momentum = scalar<double>(w.inertia[at] * w.twist[at]);
    w.force[at] = w.inertia[at] * w.before[at] + six(carried_force(seen.twist, momentum)) - w.gravity[at];
  }
  for (std::size_t k = order_.size(); k-- > 0;) {
    const auto at = static_cast<std::size_t>(order_[k]);
    const int parent = links_[at].parent;
    if (parent == 0) continue;
    const auto to = static_cast<std::size_t>(parent);
    w.composite[to] += w.composite[at];
    w.force[to] += w.force[at];
    w.gravity[to] += w.gravity[at];
  }
}

TreeForces::Six TreeForces::value_of(const Column& column, std::span<const BodyState> bodies) const {
  return six(column_of(column, plain(bodies[static_cast<std::size_t>(column.carrier)]), work_.centre));
}

double TreeForces::value(const Function& function, std::span<const BodyState> bodies) const {
  const auto outer = static_cast<std::size_t>(function.outer);
  const Six S = value_of(function.a, bodies);
  switch (function.kind) {
    case Kind::gravity:
      return -S.dot(work_.gravity[outer]);
    case Kind::bias:
      return S.dot(work_.force[outer]);
    case Kind::mass:
      break;
  }
  return S.dot(work_.composite[outer] * value_of(function.b, bodies));
}

void TreeForces::evaluate(std::span<const BodyState> bodies, unsigned wanted, const RowValues& out) const {
  if ((wanted & velocity) == 0) return;
  bool taken = false;
  for (const Function& function : functions_) {
    if (left_out(function.first, wanted)) continue;
    if (!taken) take(bodies);
    taken = true;
    out.rate[static_cast<std::size_t>(elements()[function.first].row)] += value(function, bodies);
  }
}

void TreeForces::react(std::span<const BodyState>, Index, std::span<const double>, Wrench<double>&,
                       Wrench<double>&) const {
  // nothing is held to it
}

// --- slopes -----------------------------------------------------------------------------------------------

std::array<double, 12> TreeForces::slope(const Function& function, int body,
                                         std::span<const BodyState> bodies) const {
  using T = PoseSlope;
  const Work& w = work_;
  const auto at = static_cast<std::size_t>(body);
  const Link& link = links_[at];
  const BodyMotion<T> moved = varied(bodies[at]);
  const Seen<T> seen(moved, w.centre);
  const auto axis = [&](const Column& column) {
    return column.carrier == body ? column_of(column, moved, w.centre) : scalar<T>(value_of(column, bodies));
  };
  const bool inside = is_outward(body, function.outer);
  const auto outer = static_cast<std::size_t>(function.outer);

  if (function.kind == Kind::gravity) {
    Pair<T> force = scalar<T>(w.gravity[outer]);
    if (inside) {
      force += scalar<T>(-six(Seen<double>(plain(bodies[at]), w.centre).weight(link.mass, gravity_)));
      force += seen.weight(link.mass, gravity_);
    }
    return (work(axis(function.a), force) * -1.0).derivative;
  }
  if (function.kind == Kind::mass) {
    const Pair<T> motion = axis(function.b);
    Pair<T> force =
        product(inside ? SixBySix(w.composite[outer] - w.inertia[at]) : w.composite[outer], motion);
    if (inside) force += seen.momentum(link.mass, link.inertia, motion);
    return work(axis(function.a), force).derivative;
  }

  // What of the force depends on this body: its own inertial forces, and the drifts of the joints next to it, felt by
  // whatever is outward of them.
  const auto felt = [&](int outward_of) -> SixBySix {
    if (is_outward(outward_of, function.outer)) return w.composite[static_cast<std::size_t>(outward_of)];
    return is_outward(function.outer, outward_of) ? w.composite[outer] : SixBySix::Zero();
  };
  const Pair<T> drift = carried_motion(scalar<T>(w.twist[static_cast<std::size_t>(link.parent)]), seen.twist);
  Pair<T> part;
  if (inside) {
    Pair<T> motion = scalar<T>(w.before[at] - w.drift[at]);
    motion += drift;
    part = seen.momentum(link.mass, link.inertia, motion);
    part += carried_force(seen.twist, seen.momentum(link.mass, link.inertia, seen.twist));
    const Pair<T> weight = seen.weight(link.mass, gravity_);
    part += {-weight.linear, -weight.angular};
    part += product(SixBySix(felt(body) - w.inertia[at]), drift);
  } else {
    part = product(felt(body), drift);
  }
  for (const int child : link.children)
    part +=
        product(felt(child), carried_motion(seen.twist, scalar<T>(w.twist[static_cast<std::size_t>(child)])));
  Six rest = w.force[outer];
  for (int i = 0; i < 3; ++i) {
    rest[i] -= part.linear[i].value;
    rest[i + 3] -= part.angular[i].value;
  }
  part += scalar<T>(rest);
  return work(axis(function.a), part).derivative;
}

void TreeForces::differentiate(std::span<const BodyState> bodies, std::span<const double>, unsigned wanted) {
  make_room(velocity);
  bool taken = false;
  for (const Function& function : functions_) {
    if (left_out(function.first, wanted)) continue;
    if (!taken) take(bodies);
    taken = true;
    for (std::size_t i = function.first; i < function.first + function.count; ++i) {
      const ConstraintSlopes out = slopes(static_cast<Index>(i));
      for (int side = 0; side < 2; ++side) {
        const int body = side == 0 ? elements()[i].body_a : elements()[i].body_b;
        const std::array<double, 12> by_body =
            body == 0 ? std::array<double, 12>{} : slope(function, body, bodies);
        for (std::size_t k = 0; k < 6; ++k) {
          const std::size_t to = static_cast<std::size_t>(6 * side) + k;
          out.rate_pose[to] = by_body[k];
          out.jacobian[to] = by_body[6 + k];
          out.acceleration_pose[to] = out.acceleration_twist[to] = 0;
        }
      }
    }
  }
}

}  // namespace trammel
