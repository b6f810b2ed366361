#include "trammel/analysis/joint_dynamics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "trammel/motion/joint_motion.h"

namespace trammel {

namespace {
constexpr double rank_tolerance = 1e-9;
constexpr double accuracy = 1e-14;  // of solutions, relative; as far as refinement takes them
}  // namespace

Mechanism without_motors(const Mechanism& mechanism) {
  Mechanism result = mechanism;
  result.drivers.clear();
  std::erase_if(result.forces, [](const Force& force) { return force.as<Force::Actuator>() != nullptr; });
  return result;
}

JointDynamics::JointDynamics(const Mechanism& mechanism)
    : equations_(std::make_unique<JointEquations>(without_motors(mechanism))),
      motion_(std::make_unique<JointMotion>(*equations_)),
      solver_(motion_->acceleration_system(rank_tolerance)),
      values_(equations_->layout(), false) {
  const Index size = velocities();
  no_acceleration_ = bias_ = gravity_ = own_ = upper_ = Vector::Zero(size);
  drift_ = lower_ = Vector::Zero(loop_rows());
  jacobian_ = Matrix::Zero(6, size);
  x_ = at_rest_ = equations_->initial_state();
  set_state(0, x_);
}

JointDynamics::~JointDynamics() = default;

void JointDynamics::set_state(double t, const VectorIn& x) {
  const Layout& l = equations_->layout();
  t_ = t;
  x_ = x;
  x_.segment(l.lambda.begin, l.lambda.size + l.mu.size).setZero();
  at_rest_ = x_;
  at_rest_.segment(l.v.begin, l.v.size).setZero();
  known_ = 0;
  placed_ = false;
}

// Whether something has to be computed, which moves the bodies of motion_ perhaps.
bool JointDynamics::learn(unsigned what) {
  if (known_ & what) return false;
  known_ |= what;
  placed_ = false;
  return true;
}

void JointDynamics::place() {
  if (placed_) return;
  motion_->set_state(t_, x_, no_acceleration_);
  placed_ = true;
}

const SparseMatrix& JointDynamics::mass() {
  if (learn(mass_known)) motion_->evaluate({t_, x_, no_acceleration_}, part::mass, values_);
  return motion_->slopes().mass;
}

const Vector& JointDynamics::bias() {
  if (learn(bias_known))
    motion_->required_forces({t_, x_, no_acceleration_}, JointMotion::Acting::gravity, bias_);
  return bias_;
}

const Vector& JointDynamics::gravity() {
  if (learn(gravity_known))
    motion_->required_forces({t_, at_rest_, no_acceleration_}, JointMotion::Acting::gravity, gravity_);
  return gravity_;
}

const Vector& JointDynamics::own_forces() {
  bias();
  if (learn(own_known)) {
    motion_->required_forces({t_, x_, no_acceleration_}, JointMotion::Acting::everything, own_);
    own_ = bias_ - own_;
  }
  return own_;
}

const SparseMatrix& JointDynamics::loop_jacobian() {
  loop_drift();
  return motion_->slopes().jacobian;
}

const Vector& JointDynamics::loop_drift() {
  if (learn(loops_known)) {
    motion_->differentiate({t_, x_, no_acceleration_}, TangentMotion::jacobian);
    motion_->evaluate({t_, x_, no_acceleration_}, part::acceleration_level, values_);
    drift_ << values_.gII, values_.hI;
  }
  return drift_;
}

void JointDynamics::inverse_dynamics(const VectorIn& accelerations, VectorOut forces) {
  placed_ = false;
  motion_->required_forces({t_, x_, accelerations}, JointMotion::Acting::everything, forces);
}

void JointDynamics::inverse_dynamics_slopes(const VectorIn& accelerations, Eigen::Ref<Matrix> by_position,
                                            Eigen::Ref<Matrix> by_velocity) {
  placed_ = false;
  known_ &= ~unsigned{mass_known | loops_known};  // its matrices are at another point
  motion_->differentiate_required({t_, x_, accelerations}, by_position, by_velocity);
}

bool JointDynamics::forward_dynamics(const VectorIn& forces, VectorOut accelerations, VectorOut loop_forces) {
  const Vector &own = own_forces(), &drift = loop_drift();
  if (learn(solver_known)) {
    solver_->take({t_, x_, no_acceleration_});
    solvable_ = solver_->factor();
  }
  if (!solvable_) return false;
  upper_ = forces + own - bias_;
  lower_ = -drift;
  solver_->solve(upper_, lower_, accuracy);
  accelerations = upper_;
  loop_forces = lower_;
  return true;
}

// --- points -----------------------------------------------------------------------------------------------

JointDynamics::BodyPoint JointDynamics::point(const std::string& name) const {
  const Mechanism& mechanism = equations_->mechanism();
  if (const Marker* marker = mechanism.marker(name)) return {marker->body, marker->frame.origin};
  if (const int body = mechanism.body(name); body >= 0) return {body, {}};
  std::vector<std::string> markers, bodies;
  for (const Marker& marker : mechanism.markers) markers.push_back(marker.name);
  for (std::size_t i = 1; i < mechanism.bodies.size(); ++i) bodies.push_back(mechanism.bodies[i].name);
  throw std::invalid_argument(fmt::format(
      "there is no marker or body '{}'; markers: {}; bodies: {}", name,
      markers.empty() ? "none" : fmt::format("{}", fmt::join(markers, ", ")), fmt::join(bodies, ", ")));
}

Vec3<double> JointDynamics::in_world(const BodyPoint& point) {
  const auto body = static_cast<std::size_t>(point.body);
  const BodyState& state = motion_->bodies()[body];
  return state.r + state.R * (point.at - equations_->mechanism().bodies[body].com);
}

void JointDynamics::jacobian(const BodyPoint& point, Eigen::Ref<Matrix> out) {
  place();
  motion_->point_jacobian(point.body, in_world(point), out);
}

Six JointDynamics::jacobian_drift(const BodyPoint& point) {
  place();
  return motion_->point_drift(point.body, in_world(point));
}

bool JointDynamics::operational_mobility(const BodyPoint& point, SixBySix& mobility) {
  jacobian(point, jacobian_);
  if (learn(solver_known)) {
    solver_->take({t_, x_, no_acceleration_});
    solvable_ = solver_->factor();
  }
  if (!solvable_) return false;
  for (Index k = 0; k < 6; ++k) {
    upper_ = jacobian_.row(k).transpose();
    lower_.setZero();
    solver_->solve(upper_, lower_, accuracy);
    mobility.col(k).noalias() = jacobian_ * upper_;
  }
  return true;
}

// --- loops ------------------------------------------------------------------------------------------------

const JointDynamics::LoopMotion& JointDynamics::loop_motion() {
  const Index size = velocities();
  loops_ = loop_jacobian();
  loop_lu_.factor(loops_, rank_tolerance);
  const Index count = size - loop_lu_.rank();
  loop_motion_.free.clear();
  for (Index k = loop_lu_.rank(); k < size; ++k) loop_motion_.free.push_back(loop_lu_.pivot_column(k));
  loop_motion_.R.resize(size, count);
  loop_lu_.kernel(loop_motion_.R);
  // u'₀: nothing along z
  const Vector missing = -drift_;
  Vector forced = Vector::Zero(size);
  if (loop_rows() > 0) loop_lu_.solve(missing, forced);
  loop_motion_.mass = loop_motion_.R.transpose() * (mass() * loop_motion_.R);
  loop_motion_.bias = loop_motion_.R.transpose() * (bias() + mass() * forced);
  return loop_motion_;
}

}  // namespace trammel
