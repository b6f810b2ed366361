#include "trammel/motion/joint_motion.h"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

// Axes turned about one of them.
Mat3<double> turned(const Mat3<double>& axes, int about, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  const auto first = static_cast<std::size_t>((about + 1) % 3),
             second = static_cast<std::size_t>((about + 2) % 3);
  Mat3<double> result = axes;
  result.column[first] = axes.column[first] * c + axes.column[second] * s;
  result.column[second] = axes.column[second] * c - axes.column[first] * s;
  return result;
}

}  // namespace

JointMotion::JointMotion(const JointEquations& equations)
    : MechanismMotion(equations),
      equations_(equations),
      tree_(equations.tree()),
      bodies_(equations.cartesian()),
      values_(equations.cartesian().layout(), false),
      x_(Vector::Zero(equations.cartesian().layout().total)),
      rest_(Vector::Zero(equations.layout().v.size)) {
  const Elements& elements = equations.elements();
  std::vector<char> resting(at_index(elements.holonomic.size()), 1);
  for (const Index row : equations.kept_rows()) resting[at_index(row)] = 0;
  bodies_.set_resting(resting);
  const std::size_t nodes = tree_.nodes().size();
  nodes_.resize(nodes);
  forces_.resize(nodes);
  inertias_.resize(nodes);
  composites_.resize(nodes);
  S_.resize(at_index(tree_.velocities()));
  columns_.resize(S_.size());
  prepare();
}

JointMotion::~JointMotion() = default;

// --- places and velocities, outward -----------------------------------------------------------------------

void JointMotion::place_nodes(const MotionPoint& at) {
  const Layout& l = layout();
  centre_.setZero();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& joint = tree_.nodes()[i];
    NodeState& here = nodes_[i];
    here.origin = joint.before.origin;
    here.axes = joint.before.axes;
    if (joint.parent >= 0) {
      const NodeState& parent = nodes_[static_cast<std::size_t>(joint.parent)];
      here.origin = parent.origin + parent.axes * joint.before.origin;
      here.axes = parent.axes * joint.before.axes;
    }
    const Index p = l.p.begin + joint.p;
    const Vec3<double>& axis = here.axes.column[static_cast<std::size_t>(joint.axis)];
    switch (joint.kind) {
      case Node::Kind::slide:
        here.origin += axis * (joint.sign * at.x[p]);
        break;
      case Node::Kind::screw:
        here.origin += axis * (joint.sign * joint.lead * at.x[p]);
        here.axes = turned(here.axes, joint.axis, joint.sign * at.x[p]);
        break;
      case Node::Kind::turn:
        here.axes = turned(here.axes, joint.axis, joint.sign * at.x[p]);
        break;
      case Node::Kind::ball:
        here.axes =
            here.axes * rotation_matrix(Quaternion<double>{at.x[p], at.x[p + 1], at.x[p + 2], at.x[p + 3]});
        break;
    }
    centre_ += eigen(here.origin);
  }
  if (!nodes_.empty()) centre_ /= static_cast<double>(nodes_.size());
}

MotionPoint JointMotion::place(const MotionPoint& at) {
  const Layout &l = layout(), &to = equations_.cartesian().layout();
  place_nodes(at);
  velocities_ = at.x.segment(l.v.begin, l.v.size);
  initial_known_ = reactions_known_ = false;
  const bool accelerated = at.a.size() > 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& joint = tree_.nodes()[i];
    NodeState& here = nodes_[i];
    const Eigen::Vector3d arm = eigen(here.origin) - centre_;
    const auto turn = [&](std::size_t axis, double sign, Six& S) {
      const Eigen::Vector3d direction = sign * eigen(here.axes.column[axis]);
      S.head<3>() = arm.cross(direction);
      S.tail<3>() = direction;
    };
    const auto axis = static_cast<std::size_t>(joint.axis);
    const auto column = at_index(joint.v);
    const Index v = l.v.begin + joint.v;
    Six own, own_acceleration = Six::Zero();
    if (joint.is_ball()) {
      own.setZero();
      for (std::size_t k = 0; k < 3; ++k) {
        turn(k, 1, S_[column + k]);
        own += S_[column + k] * at.x[v + static_cast<Index>(k)];
        if (accelerated) own_acceleration += S_[column + k] * at.a[joint.v + static_cast<Index>(k)];
      }
    } else {
      Six& S = S_[column];
      if (joint.kind == Node::Kind::slide) {
        S.head<3>() = joint.sign * eigen(here.axes.column[axis]);
        S.tail<3>().setZero();
      } else {
        turn(axis, joint.sign, S);
        if (joint.kind == Node::Kind::screw) S.head<3>() += joint.lead * S.tail<3>();
      }
      own = S * at.x[v];
      if (accelerated) own_acceleration = S * at.a[joint.v];
    }
    if (joint.parent < 0) {
      here.V = own;
      here.drift.setZero();
      here.A = own_acceleration;
    } else {
      const NodeState& parent = nodes_[static_cast<std::size_t>(joint.parent)];
      here.V = parent.V + own;
      const Six drift = cross_motion(parent.V, own);
      here.drift = parent.drift + drift;
      here.A = parent.A + own_acceleration + drift;
    }
  }
  place_bodies();

  x_.segment(to.r.begin, to.r.size) = at.x.segment(l.r.begin, l.r.size);
  for (std::size_t i = 0; i < equations_.kept_rows().size(); ++i)
    x_[to.lambda.begin + equations_.kept_rows()[i]] = at.x[l.lambda.begin + static_cast<Index>(i)];
  x_.segment(to.mu.begin, to.mu.size) = at.x.segment(l.mu.begin, l.mu.size);
  bodies_.t_ = at.t;
  const MotionPoint cartesian{at.t, x_, rest_};
  bodies_.take_multipliers(cartesian);
  return cartesian;
}

void JointMotion::place_bodies() {
  for (std::size_t i = 1; i < bodies_.states_.size(); ++i) {
    const JointTree::Place& place = tree_.bodies()[i];
    BodyState& body = bodies_.states_[i];
    if (place.node < 0) {
      body = {};
      body.r = place.frame.origin;
      body.R = place.frame.axes;
      continue;
    }
    const NodeState& on = nodes_[static_cast<std::size_t>(place.node)];
    body.r = on.origin + on.axes * place.frame.origin;
    body.R = on.axes * place.frame.axes;
    const Eigen::Vector3d arm = eigen(body.r) - centre_;
    const Eigen::Vector3d omega = on.V.tail<3>(), alpha = on.A.tail<3>();
    const Eigen::Vector3d v = on.V.head<3>() + omega.cross(arm);
    const Eigen::Vector3d a = on.A.head<3>() + alpha.cross(arm) + omega.cross(v);
    body.v = vec3(v);
    body.omega = transposed_times(body.R, vec3(omega));
    body.a = vec3(a);
    body.alpha = transposed_times(body.R, vec3(alpha));
  }
}

// --- forces, inward ---------------------------------------------------------------------------------------

// The wrench on a body, force at its centre of mass and torque in its axes, as a six-vector.
Six JointMotion::spatial(int body, const Vec3<double>& force, const Vec3<double>& torque) const {
  const BodyState& state = bodies_.states_[static_cast<std::size_t>(body)];
  const Eigen::Vector3d f = eigen(force);
  Six result;
  result.head<3>() = f;
  result.tail<3>() = eigen(state.R * torque) + (eigen(state.r) - centre_).cross(f);
  return result;
}

// Applied forces less constraint forces less those of inertia: with accelerations as they are, or as they
// would be without those of the joints.
void JointMotion::gather_forces(bool accelerated) {
  for (Six& force : forces_) force.setZero();
  const Elements& elements = equations_.elements();
  for (std::size_t i = 1; i < tree_.bodies().size(); ++i) {
    const int on = tree_.bodies()[i].node;
    if (on < 0) continue;
    const BodyState& body = bodies_.states_[i];
    const BodyInertia& inertia = elements.bodies[i];
    Vec3<double> a = body.a, alpha = body.alpha;
    if (!accelerated) {
      const NodeState& node = nodes_[static_cast<std::size_t>(on)];
      const Eigen::Vector3d omega = node.V.tail<3>(), turn = node.drift.tail<3>();
      a = vec3(
          (node.drift.head<3>() + turn.cross(eigen(body.r) - centre_) + omega.cross(eigen(body.v))).eval());
      alpha = transposed_times(body.R, vec3(turn));
    }
    const Wrench<double>& wrench = bodies_.wrenches_[i];
    forces_[static_cast<std::size_t>(on)] += spatial(static_cast<int>(i), wrench.force - inertia.mass * a,
                                                     wrench.torque - inertia.inertia * alpha);
  }
  for (std::size_t i = nodes_.size(); i-- > 0;)
    if (const int parent = tree_.nodes()[i].parent; parent >= 0)
      forces_[static_cast<std::size_t>(parent)] += forces_[i];
}

// Of the bodies of each node alone.
void JointMotion::gather_inertias() {
  for (SixBySix& inertia : inertias_) inertia.setZero();
  const Elements& elements = equations_.elements();
  for (std::size_t i = 1; i < tree_.bodies().size(); ++i) {
    if (tree_.bodies()[i].node < 0) continue;
    const BodyState& body = bodies_.states_[i];
    const Eigen::Matrix3d R = eigen(body.R), arm = cross_matrix(eigen(body.r) - centre_);
    const double m = elements.bodies[i].mass;
    SixBySix& sum = inertias_[static_cast<std::size_t>(tree_.bodies()[i].node)];
    sum.topLeftCorner<3, 3>().diagonal().array() += m;
    sum.topRightCorner<3, 3>() -= m * arm;
    sum.bottomLeftCorner<3, 3>() += m * arm;
    sum.bottomRightCorner<3, 3>() += R * eigen(elements.bodies[i].inertia) * R.transpose() - m * arm * arm;
  }
}

void JointMotion::take_tree(const MotionPoint& at, TreeAccelerations& accelerations) {
  place(at);
  gather_inertias();
  accelerations.take(S_, inertias_);
}

void JointMotion::evaluate_mass() {
  gather_inertias();
  for (std::size_t i = nodes_.size(); i-- > 0;)
    if (const int parent = tree_.nodes()[i].parent; parent >= 0)
      inertias_[static_cast<std::size_t>(parent)] += inertias_[i];

  slopes_.mass.begin();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& joint = tree_.nodes()[i];
    for (Index k = joint.v; k < joint.v + joint.velocities(); ++k) {
      const Six momentum = inertias_[i] * S_[at_index(k)];
      for (Index other = joint.v; other < joint.v + joint.velocities(); ++other)
        slopes_.mass.add(other, k, S_[at_index(other)].dot(momentum));
      along_path(joint.parent, -1, [&](Index column) {
        const double value = S_[at_index(column)].dot(momentum);
        slopes_.mass.add(column, k, value);
        slopes_.mass.add(k, column, value);
      });
    }
  }
  slopes_.mass.finish();
}

void JointMotion::evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) {
  const Layout& l = layout();
  if (wanted & part::kinematics) {
    for (const Node& joint : tree_.nodes()) {
      const Index v = l.v.begin + joint.v;
      if (joint.is_ball())
        out.kinematics.segment<4>(joint.p) =
            0.5 * euler_matrix(at.x.segment<4>(l.p.begin + joint.p)).transpose() * at.x.segment<3>(v);
      else
        out.kinematics[joint.p] = at.x[v];
    }
  }
  if (wanted & part::n) {
    Index row = 0;
    for (const Node& joint : tree_.nodes())
      if (joint.is_ball()) out.n[row++] = 0.5 * (at.x.segment<4>(l.p.begin + joint.p).squaredNorm() - 1);
  }
  if ((wanted & ~Parts{part::kinematics | part::n}) == 0) return;

  const MotionPoint cartesian = place(at);
  bodies_.evaluate_elements(cartesian, wanted & ~Parts{part::dynamics | part::b}, values_);
  const auto choose = [&](Parts which, const Vector& from, Vector& to) {
    if ((wanted & which) == 0) return;
    const std::vector<Index>& kept = equations_.kept_rows();
    for (std::size_t i = 0; i < kept.size(); ++i) to[static_cast<Index>(i)] = from[kept[i]];
  };
  choose(part::g, values_.g, out.g);
  choose(part::gI, values_.gI, out.gI);
  choose(part::gII, values_.gII, out.gII);
  if (wanted & part::h) out.h = values_.h;
  if (wanted & part::hI) out.hI = values_.hI;
  if (wanted & (part::dynamics | part::b)) bodies_.evaluate_inputs(cartesian);
  if (wanted & part::b) bodies_.evaluate_states(cartesian, out);
  if (wanted & part::dynamics) {
    bodies_.evaluate_wrenches(cartesian);
    gather_forces(false);
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (Index k = tree_.nodes()[i].v; k < tree_.nodes()[i].v + tree_.nodes()[i].velocities(); ++k)
        out.dynamics[k] = S_[at_index(k)].dot(forces_[i]);
  }
  if (wanted & part::mass) evaluate_mass();
}

// --- displacements ----------------------------------------------------------------------------------------

void JointMotion::displacement_to_positions(const VectorIn& p, const VectorIn& q, const VectorIn& residual,
                                            VectorOut change) {
  Index row = 0;
  for (const Node& joint : tree_.nodes()) {
    if (!joint.is_ball()) {
      change[joint.p] = q[joint.v];
      continue;
    }
    const Eigen::Vector4d e = p.segment<4>(joint.p);
    change.segment<4>(joint.p) =
        0.5 * euler_matrix(e).transpose() * q.segment<3>(joint.v) - (residual[row++] / e.squaredNorm()) * e;
  }
}

void JointMotion::pull_back(const VectorIn& p, const VectorIn& gradient, VectorOut by_displacement) {
  for (const Node& joint : tree_.nodes())
    if (joint.is_ball())
      by_displacement.segment<3>(joint.v) =
          0.5 * euler_matrix(p.segment<4>(joint.p)) * gradient.segment<4>(joint.p);
    else
      by_displacement[joint.v] = gradient[joint.p];
}

void JointMotion::rates_to_velocities(const VectorIn& p, const VectorIn& rates, VectorOut v) {
  for (const Node& joint : tree_.nodes()) {
    if (!joint.is_ball()) {
      v[joint.v] = rates[joint.p];
      continue;
    }
    const Eigen::Vector4d e = p.segment<4>(joint.p);
    v.segment<3>(joint.v) = (2 / e.squaredNorm()) * (euler_matrix(e) * rates.segment<4>(joint.p));
  }
}

void JointMotion::displacement_metric(double /*t*/, const VectorIn& x, const VectorIn& weights,
                                      SparseMatrix& metric) {
  const Index p = layout().p.begin, size = tree_.velocities();
  metric.resize(size, size);
  metric.reserve(size + 6 * tree_.balls());
  for (const Node& joint : tree_.nodes()) {
    if (!joint.is_ball()) {
      metric.startVec(joint.v);
      metric.insertBack(joint.v, joint.v) = weights[p + joint.p] * weights[p + joint.p];
      continue;
    }
    const EulerMatrix L = euler_matrix(x.segment<4>(p + joint.p));
    const Eigen::Vector4d squares = weights.segment<4>(p + joint.p).cwiseAbs2();
    const Eigen::Matrix3d rotations = 0.25 * L * squares.asDiagonal() * L.transpose();
    for (Index k = 0; k < 3; ++k) {
      metric.startVec(joint.v + k);
      for (Index row = 0; row < 3; ++row) metric.insertBack(joint.v + row, joint.v + k) = rotations(row, k);
    }
  }
  metric.finalize();
}

void JointMotion::follow(double t, const VectorIn& x) {
  place({t, x, Vector()});
  for (const Rows* rows : {&bodies_.holonomic_, &bodies_.nonholonomic_, &bodies_.measured_})
    for (const std::unique_ptr<ConstraintBlock>& block : rows->blocks) block->track(bodies_.states_);
}

void JointMotion::carry(Carrier& carried) { bodies_.carry(carried); }

void JointMotion::read_switches(double t, const VectorIn& x, std::span<SwitchReading> readings) {
  bodies_.read_switches(place({t, x, Vector()}), readings);
}

}  // namespace trammel
