// Where the nodes and bodies of a tree of joints are and how they move, outward; the forces on them, inward. What
// is known of the point at hand is not computed again: positions are found once for all that is asked of them. Branches of
// the tree are swept at the same time (tree_parts.h).
#include <algorithm>
#include <cmath>

#include "trammel/motion/joint_motion.h"

namespace trammel {

namespace {

using Three = Eigen::Vector3d;

// Axes turned about one of them.
void turn(Mat3<double>& axes, int about, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  Vec3<double>& first = axes.column[static_cast<std::size_t>((about + 1) % 3)];
  Vec3<double>& second = axes.column[static_cast<std::size_t>((about + 2) % 3)];
  const Vec3<double> before = first;
  first = before * c + second * s;
  second = second * c - before * s;
}

}  // namespace

// --- what is constant -------------------------------------------------------------------------------------

// Those that forces, rows of constraints or inputs of laws depend on: the others are placed for results only.
void JointMotion::find_working_bodies() {
  std::vector<char> works(tree_.bodies().size(), 0);
  for (const std::unique_ptr<ForceBlock>& block : bodies_.forces_)
    for (const ForceBlock::Element& element : block->elements())
      works[static_cast<std::size_t>(element.body_a)] = works[static_cast<std::size_t>(element.body_b)] = 1;
  for (const Rows* rows : {&bodies_.holonomic_, &bodies_.nonholonomic_, &bodies_.measured_, &bodies_.rotors_})
    for (const std::unique_ptr<ConstraintBlock>& block : rows->blocks)
      for (std::size_t i = 0; i < block->elements().size(); ++i) {
        if (block->rests(i)) continue;
        const ConstraintBlock::Element& element = block->elements()[i];
        works[static_cast<std::size_t>(element.body_a)] = works[static_cast<std::size_t>(element.body_b)] = 1;
      }
  for (std::size_t i = 1; i < works.size(); ++i) {
    if (node_of(static_cast<int>(i)) < 0) {  // it stands still
      bodies_.states_[i].r = tree_.bodies()[i].frame.origin;
      bodies_.states_[i].R = tree_.bodies()[i].frame.axes;
      continue;
    }
    all_bodies_.push_back(static_cast<int>(i));
    if (works[i]) working_bodies_.push_back(static_cast<int>(i));
  }
}

void JointMotion::merge_bodies() {
  const Elements& elements = equations_.elements();
  std::vector<RigidInertia> sums(tree_.nodes().size());  // about the origins of the nodes, in their axes
  for (const int body : all_bodies_) {
    const BodyInertia& inertia = elements.bodies[static_cast<std::size_t>(body)];
    const JointTree::Place& place = tree_.bodies()[static_cast<std::size_t>(body)];
    const Eigen::Matrix3d R = eigen(place.frame.axes);
    sums[static_cast<std::size_t>(place.node)] +=
        RigidInertia(inertia.mass, eigen(place.frame.origin), R * eigen(inertia.inertia) * R.transpose());
  }
  node_bodies_.resize(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    NodeBody& body = node_bodies_[i];
    body.mass = sums[i].mass;
    body.is_massless = sums[i].mass == 0 && sums[i].second.isZero(0);
    const Three centre = sums[i].mass > 0 ? Three(sums[i].moment / sums[i].mass) : Three::Zero();
    const RigidInertia at_centre(sums[i].mass, centre, Eigen::Matrix3d::Zero());
    const Eigen::Matrix3d inertia = sums[i].second - at_centre.second;
    body.centre = vec3(centre);
    for (int col = 0; col < 3; ++col)
      body.inertia.column[static_cast<std::size_t>(col)] = vec3(inertia.col(col));
  }
}

// --- outward ----------------------------------------------------------------------------------------------

MotionPoint JointMotion::place(const MotionPoint& at, Level level, Whose whose) {
  const Layout &l = layout(), &to = equations_.cartesian().layout();
  const auto p = at.x.segment(l.p.begin, l.p.size), v = at.x.segment(l.v.begin, l.v.size);
  if (reactions_known_) std::fill(bodies_.multipliers_.begin(), bodies_.multipliers_.end(), 0.0);
  initial_known_ = reactions_known_ = false;
  const auto forget = [&](Level left) {
    for (Level* known : {&known_, &known_of_working_, &known_of_all_}) *known = std::min(*known, left);
  };
  if (known_ < Level::positions || positions_ != p) {
    forget(Level::nothing);
    positions_ = p;
    place_nodes();
    take_turns();
    columns_known_ = inertias_known_ = mass_known_ = jacobian_known_ = false;
    known_ = Level::positions;
  }
  if (level >= Level::velocities && (known_ < Level::velocities || velocities_ != v)) {
    forget(Level::positions);
    velocities_ = v;
    move_nodes();
    known_ = Level::velocities;
  }
  if (level >= Level::accelerations) {
    const VectorIn& a = at.a.size() > 0 ? at.a : VectorIn(rest_);
    if (known_ < Level::accelerations || accelerations_ != a) {
      forget(Level::velocities);
      accelerations_ = a;
      accelerate_nodes();
      known_ = Level::accelerations;
    }
  }
  place_bodies(level, whose);
  if (bodies_.expect_turns(at.t)) take_turns();

  x_.segment(to.r.begin, to.r.size) = at.x.segment(l.r.begin, l.r.size);
  for (std::size_t i = 0; i < equations_.kept_rows().size(); ++i) {
    const Index row = equations_.kept_rows()[i];
    bodies_.multipliers_[at_index(row)] = x_[to.lambda.begin + row] =
        at.x[l.lambda.begin + static_cast<Index>(i)];
  }
  for (std::size_t i = 0; i < equations_.kept_nonholonomic().size(); ++i) {
    const Index row = equations_.kept_nonholonomic()[i];
    bodies_.nonholonomic_multipliers_[at_index(row)] = x_[to.mu.begin + row] =
        at.x[l.mu.begin + static_cast<Index>(i)];
  }
  bodies_.t_ = at.t;
  return {at.t, x_, rest_};
}

void JointMotion::place_nodes() {
  parts_.outward([this](std::size_t i) {
    const Node& joint = tree_.nodes()[i];
    const Frame& before = tree_.frames()[i];
    Vec3<double> origin = before.origin;
    Mat3<double> axes;
    if (joint.parent >= 0) {
      const auto parent = static_cast<std::size_t>(joint.parent);
      origin = origins_[parent] + axes_[parent] * origin;
      axes = joint.is_straight ? axes_[parent] : axes_[parent] * before.axes;
    } else {
      axes = before.axes;
    }
    const double q = positions_[joint.p];
    switch (joint.kind) {
      case Node::Kind::slide:
        origin += axes.column[static_cast<std::size_t>(joint.axis)] * (joint.sign * q);
        break;
      case Node::Kind::screw:
        origin += axes.column[static_cast<std::size_t>(joint.axis)] * (joint.sign * joint.lead * q);
        turn(axes, joint.axis, joint.sign * q);
        break;
      case Node::Kind::turn:
        turn(axes, joint.axis, joint.sign * q);
        break;
      case Node::Kind::ball:
        axes = axes * rotation_matrix(Quaternion<double>{q, positions_[joint.p + 1], positions_[joint.p + 2],
                                                         positions_[joint.p + 3]});
        break;
    }
    origins_[i] = origin;
    axes_[i] = axes;
  });
  Vec3<double> sum;
  for (const Vec3<double>& origin : origins_) sum += origin;
  if (!origins_.empty()) centre_ = eigen(sum) / static_cast<double>(origins_.size());
}

void JointMotion::take_columns() {
  if (columns_known_) return;
  columns_known_ = true;
  const Vec3<double> centre = vec3(centre_);
  const auto put = [](const Vec3<double>& linear, const Vec3<double>& angular, Six& S) {
    S << linear.x, linear.y, linear.z, angular.x, angular.y, angular.z;
  };
  parts_.outward([&](std::size_t i) {
    const Node& joint = tree_.nodes()[i];
    const Vec3<double> arm = origins_[i] - centre;
    Six* S = &S_[at_index(joint.v)];
    if (joint.is_ball()) {
      for (const Vec3<double>& axis : axes_[i].column) put(cross(arm, axis), axis, *S++);
      return;
    }
    const Vec3<double> axis = axes_[i].column[static_cast<std::size_t>(joint.axis)] * joint.sign;
    if (joint.kind == Node::Kind::slide)
      put(axis, {}, *S);
    else
      put(cross(arm, axis) + axis * joint.lead, axis, *S);
  });
}

void JointMotion::move_nodes() {
  take_columns();
  parts_.outward([this](std::size_t i) {
    const Node& joint = tree_.nodes()[i];
    Six V = S_[at_index(joint.v)] * velocities_[joint.v];
    if (joint.is_ball())
      V += S_[at_index(joint.v + 1)] * velocities_[joint.v + 1] +
           S_[at_index(joint.v + 2)] * velocities_[joint.v + 2];
    if (joint.parent >= 0) V += V_[static_cast<std::size_t>(joint.parent)];
    V_[i] = V;
  });
}

void JointMotion::accelerate_nodes() {
  parts_.outward([this](std::size_t i) {
    const Node& joint = tree_.nodes()[i];
    Six A = Six::Zero(), drift = Six::Zero();
    if (joint.parent >= 0) {
      const auto parent = static_cast<std::size_t>(joint.parent);
      const Six turning = cross_motion(V_[parent], V_[i]);  // V_p × V_p = 0
      A = A_[parent] + turning;
      drift = drift_[parent] + turning;
    }
    for (Index k = joint.v; k < joint.v + joint.velocities(); ++k) A += S_[at_index(k)] * accelerations_[k];
    A_[i] = A;
    drift_[i] = drift;
  });
}

void JointMotion::accelerate_body(const Six& A, std::size_t on, BodyState& body) const {
  const Three alpha = A.tail<3>(), omega = V_[on].tail<3>();
  body.a = vec3((A.head<3>() + alpha.cross(eigen(body.r) - centre_) + omega.cross(eigen(body.v))).eval());
  body.alpha = transposed_times(body.R, vec3(alpha));
}

void JointMotion::place_bodies(Level level, Whose whose) {
  Level& known = whose == Whose::all ? known_of_all_ : known_of_working_;
  if (known >= level) return;
  for (const int i : whose == Whose::all ? all_bodies_ : working_bodies_) {
    const JointTree::Place& place = tree_.bodies()[static_cast<std::size_t>(i)];
    BodyState& body = bodies_.states_[static_cast<std::size_t>(i)];
    const auto on = static_cast<std::size_t>(place.node);
    if (known < Level::positions) {
      body.r = origins_[on] + axes_[on] * place.frame.origin;
      body.R = axes_[on] * place.frame.axes;
    }
    if (level < Level::velocities) continue;
    const Three arm = eigen(body.r) - centre_;
    const Three omega = V_[on].tail<3>();
    if (known < Level::velocities) {
      body.v = vec3((V_[on].head<3>() + omega.cross(arm)).eval());
      body.omega = transposed_times(body.R, vec3(omega));
    }
    if (level < Level::accelerations) continue;
    accelerate_body(A_[on], on, body);
  }
  known = level;
  if (whose == Whose::all) known_of_working_ = std::max(known_of_working_, level);
}

// --- inward -----------------------------------------------------------------------------------------------

// The wrench on a body, force at its centre of mass and torque in its axes, as a six-vector.
Six JointMotion::spatial(int body, const Vec3<double>& force, const Vec3<double>& torque) const {
  const BodyState& state = bodies_.states_[static_cast<std::size_t>(body)];
  const Three f = eigen(force);
  Six result;
  result.head<3>() = f;
  result.tail<3>() = eigen(state.R * torque) + (eigen(state.r) - centre_).cross(f);
  return result;
}

void JointMotion::evaluate_element_wrenches(const MotionPoint& cartesian,
                                            const std::vector<Six>& accelerations) {
  for (const int body : working_bodies_) bodies_.wrenches_[static_cast<std::size_t>(body)] = {};
  bodies_.add_element_wrenches(cartesian);
  add_rotors_at_work(accelerations);
}

void JointMotion::add_rotors_at_work(const std::vector<Six>& accelerations) {
  if (!rotors_work_) return;
  bodies_.drifting_ = bodies_.states_;
  for (const int body : working_bodies_) {
    const auto on = static_cast<std::size_t>(node_of(body));
    accelerate_body(accelerations[on], on, bodies_.drifting_[static_cast<std::size_t>(body)]);
  }
  bodies_.evaluate_rotors(bodies_.drifting_, false);
  bodies_.add_rotor_wrenches();
}

// Of the bodies of each node alone.
void JointMotion::gather_inertias() {
  if (inertias_known_) return;
  parts_.outward([this](std::size_t i) {
    const NodeBody& body = node_bodies_[i];
    if (body.is_massless) return;
    const Mat3<double>& R = axes_[i];
    const Mat3<double> turned = R * body.inertia;
    Eigen::Matrix3d inertia;
    for (int row = 0; row < 3; ++row)
      for (int col = 0; col <= row; ++col)
        inertia(row, col) = inertia(col, row) =
            turned(row, 0) * R(col, 0) + turned(row, 1) * R(col, 1) + turned(row, 2) * R(col, 2);
    inertias_[i] = RigidInertia(body.mass, eigen(origins_[i] + R * body.centre) - centre_, inertia);
  });
  inertias_known_ = true;
}

// Forces of elements, which are in the wrenches of the working bodies, weight, and forces of inertia with these
// accelerations: of each node and all that it carries.
void JointMotion::gather_forces(const std::vector<Six>& accelerations) {
  gather_inertias();
  const Three gravity = eigen(equations_.elements().gravity);
  parts_.outward([&](std::size_t i) {
    if (inertias_[i].mass == 0 && node_bodies_[i].is_massless) {
      forces_[i].setZero();
      return;
    }
    Six falling = accelerations[i];
    falling.head<3>() -= gravity;
    forces_[i] = -(inertias_[i] * falling) - cross_force(V_[i], inertias_[i] * V_[i]);
  });
  for (const int body : working_bodies_) {
    const Wrench<double>& wrench = bodies_.wrenches_[static_cast<std::size_t>(body)];
    forces_[static_cast<std::size_t>(node_of(body))] += spatial(body, wrench.force, wrench.torque);
  }
  parts_.inward([](std::size_t) { return true; },
                [this](std::size_t i) {
                  if (const int parent = tree_.nodes()[i].parent; parent >= 0)
                    forces_[static_cast<std::size_t>(parent)] += forces_[i];
                });
}

}  // namespace trammel
