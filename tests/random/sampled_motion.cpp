#include "tests/random/sampled_motion.h"

#include <fmt/format.h>

#include <stdexcept>

namespace trammel {

SampledMotion::SampledMotion(const Model& model, const Recording& recording)
    : model_(model), recording_(recording), equations_(model.mechanism), motion_(equations_) {
  const Mechanism& mechanism = model.mechanism;
  for (std::size_t k = 0; k < recording.times().size(); ++k) {
    const double t = recording.times()[k];
    const Vector x = state(k);
    equations_.follow(t, x);
    motion_.follow(t, x);
    motion_.set_state(t, x, Vector::Zero(equations_.layout().v.size));
    SampleBalance balance;
    balance.bodies.resize(mechanism.bodies.size());
    for (std::size_t i = 1; i < mechanism.bodies.size(); ++i) {
      const BodyState& body = motion_.bodies()[i];
      balance.bodies[i].momentum = body.v * mechanism.bodies[i].mass;
      balance.bodies[i].angular_momentum = body.R * (mechanism.bodies[i].inertia * body.omega);
    }
    add_reactions(k, balance);
    for (const Driver& driver : mechanism.drivers) {
      const double effort = value(driver.name + ".effort", k);
      add_effort(driver.coordinate, effort, balance);
      balance.driver_power += effort * value(driver.coordinate + "_rate", k);
    }
    for (const Coupler& coupler : mechanism.couplers)
      for (const Coupler::Term& term : coupler.terms)
        add_effort(term.coordinate, value(coupler.name + ".effort", k) * term.factor, balance);
    add_elements_and_gravity(t, balance);
    add_rotors(t, x, balance);
    check_accelerations(t, x, balance);
    samples_.push_back(balance);
  }
}

double SampledMotion::value(const std::string& channel, std::size_t sample) const {
  const Channel* found = recording_.find(channel);
  if (found == nullptr) throw std::invalid_argument("no channel \"" + channel + "\"");
  return found->values[sample];
}

Vec3<double> SampledMotion::vector(const std::string& channel, std::size_t sample) const {
  return {value(channel + ".x", sample), value(channel + ".y", sample), value(channel + ".z", sample)};
}

Vector SampledMotion::state(std::size_t sample) const {
  const Layout& layout = equations_.layout();
  Vector x = Vector::Zero(layout.total);
  for (std::size_t i = 1; i < model_.mechanism.bodies.size(); ++i) {
    const Body& body = model_.mechanism.bodies[i];
    const std::string turn = body.name + ".quaternion.";
    const Quaternion<double> e{value(turn + "w", sample), value(turn + "x", sample),
                               value(turn + "y", sample), value(turn + "z", sample)};
    const Mat3<double> R = rotation_matrix(e);
    const Vec3<double> arm = R * body.com, omega = vector(body.name + ".angular_velocity", sample);
    const Vec3<double> r = vector(body.name + ".position", sample) + arm;
    const Vec3<double> v = vector(body.name + ".velocity", sample) + cross(omega, arm);
    const Vec3<double> omega_body = transposed_times(R, omega);
    const Index p = layout.p.begin + 7 * static_cast<Index>(i - 1),
                q = layout.v.begin + 6 * static_cast<Index>(i - 1);
    x.segment(p, 7) << r.x, r.y, r.z, e.w, e.x, e.y, e.z;
    x.segment(q, 6) << v.x, v.y, v.z, omega_body.x, omega_body.y, omega_body.z;
  }
  for (std::size_t i = 0; i < model_.mechanism.states.size(); ++i)
    x[layout.r.begin + static_cast<Index>(i)] = value(model_.mechanism.states[i].name, sample);
  set_multipliers(sample, x);
  return x;
}

// Friction goes by the force in its joint, whose multipliers are the force's components against it.
void SampledMotion::set_multipliers(std::size_t sample, Vector& x) const {
  const Mechanism& mechanism = model_.mechanism;
  for (std::size_t j = 0; j < mechanism.joints.size(); ++j) {
    const Joint& joint = mechanism.joints[j];
    const Vec3<double> force = vector(joint.name + ".reaction.force", sample);
    const Index first = equations_.layout().lambda.begin + equations_.elements().joint_rows[j].first;
    const bool has_two = joint.type == JointType::prismatic || joint.type == JointType::cylindrical;
    // only its magnitude counts, so that it may stay in the axes of the joint
    if (has_two || joint.type == JointType::revolute)
      for (Index i = 0; i < (has_two ? 2 : 3); ++i) x[first + i] = -force[static_cast<int>(i)];
  }
}

void SampledMotion::add_force_at(int body, const Vec3<double>& point, const Vec3<double>& force,
                                 SampleBalance& balance) const {
  const auto i = static_cast<std::size_t>(body);
  balance.bodies[i].force += force;
  balance.bodies[i].torque += cross(point - motion_.bodies()[i].r, force);
}

void SampledMotion::add_reactions(std::size_t sample, SampleBalance& balance) const {
  const Mechanism& mechanism = model_.mechanism;
  for (const Joint& joint : mechanism.joints) {
    const auto a = static_cast<std::size_t>(joint.body_a), b = static_cast<std::size_t>(joint.body_b);
    const BodyState &first = motion_.bodies()[a], &second = motion_.bodies()[b];
    const Mat3<double> axes = first.R * joint.frame_a.axes;
    const Vec3<double> com_b = b == 0 ? Vec3<double>{} : mechanism.bodies[b].com;
    const Vec3<double> point = second.r + second.R * (joint.frame_b.origin - com_b);
    const Vec3<double> force = axes * vector(joint.name + ".reaction.force", sample);
    const Vec3<double> torque = axes * vector(joint.name + ".reaction.torque", sample);
    add_force_at(joint.body_b, point, force, balance);
    add_force_at(joint.body_a, point, -force, balance);
    balance.bodies[b].torque += torque;
    balance.bodies[a].torque -= torque;
  }
}

// A generalised force along a coordinate of a joint, as forces and torques on both bodies.
void SampledMotion::add_effort(const std::string& coordinate, double effort, SampleBalance& balance) const {
  const std::size_t point = coordinate.find('.');
  const Joint& joint = *model_.mechanism.joint(coordinate.substr(0, point));
  const std::string name = coordinate.substr(point + 1);
  const auto a = static_cast<std::size_t>(joint.body_a), b = static_cast<std::size_t>(joint.body_b);
  const Mat3<double> A = motion_.bodies()[a].R * joint.frame_a.axes;
  const Mat3<double> B = motion_.bodies()[b].R * joint.frame_b.axes;
  if (name.starts_with("angle")) {
    // angles are about an axis that both bodies have in common: of a universal joint, about x of the second
    const Vec3<double> torque = (name == "angle_2" ? B.column[0] : A.column[2]) * effort;
    balance.bodies[b].torque += torque;
    balance.bodies[a].torque -= torque;
    return;
  }
  const BodyState& second = motion_.bodies()[b];
  const Vec3<double> com_b = b == 0 ? Vec3<double>{} : model_.mechanism.bodies[b].com;
  const Vec3<double> at = second.r + second.R * (joint.frame_b.origin - com_b);
  const Vec3<double> force = A.column[name == "x" ? 0 : name == "y" ? 1 : 2] * effort;
  add_force_at(joint.body_b, at, force, balance);
  add_force_at(joint.body_a, at, -force, balance);
}

void SampledMotion::add_elements_and_gravity(double t, SampleBalance& balance) const {
  const Mechanism& mechanism = model_.mechanism;
  std::vector<Wrench<double>> wrenches(mechanism.bodies.size());
  for (const std::unique_ptr<ForceBlock>& block : equations_.elements().forces)
    block->evaluate(motion_.bodies(), t, motion_.input_values(), wrenches);
  for (std::size_t i = 1; i < mechanism.bodies.size(); ++i) {
    balance.bodies[i].force += wrenches[i].force + mechanism.gravity * mechanism.bodies[i].mass;
    balance.bodies[i].torque += motion_.bodies()[i].R * wrenches[i].torque;
  }
}

// Rotors act with −J c'' along their coordinates, where c'' = γ + C a and a follows from (M + CᵀJC) a = F − CᵀJγ with the
// recorded forces F.
void SampledMotion::add_rotors(double t, const Vector& x, SampleBalance& balance) {
  const Elements& elements = equations_.elements();
  if (elements.rotor_inertias.empty()) return;
  const auto efforts = [&](std::span<const BodyState> bodies) {
    std::vector<double> values(elements.rotor_inertias.size(), 0.0);
    for (const std::unique_ptr<ConstraintBlock>& block : elements.rotors.blocks)
      block->evaluate(bodies, ConstraintBlock::acceleration, {{}, {}, values});
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= -elements.rotor_inertias[i];
    return values;
  };
  const auto wrenches = [&](const std::vector<double>& along) {
    std::vector<Wrench<double>> all(model_.mechanism.bodies.size());
    for (const std::unique_ptr<ConstraintBlock>& block : elements.rotors.blocks)
      for (std::size_t i = 0; i < block->elements().size(); ++i) {
        const ConstraintBlock::Element& element = block->elements()[i];
        block->react(motion_.bodies(), static_cast<Index>(i), along,
                     all[static_cast<std::size_t>(element.body_a)],
                     all[static_cast<std::size_t>(element.body_b)]);
      }
    return all;
  };
  std::vector<BodyState> bodies(motion_.bodies().begin(), motion_.bodies().end());
  const std::vector<Wrench<double>> drifting = wrenches(efforts(bodies));
  Vector force(equations_.layout().v.size);
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    const Vec3<double> linear = balance.bodies[i].force + drifting[i].force;
    const Vec3<double> angular = transposed_times(bodies[i].R, balance.bodies[i].torque) +
                                 drifting[i].torque -
                                 cross(bodies[i].omega, model_.mechanism.bodies[i].inertia * bodies[i].omega);
    force.segment(6 * static_cast<Index>(i - 1), 6) << linear.x, linear.y, linear.z, angular.x, angular.y,
        angular.z;
  }
  MotionValues values(equations_.layout());
  equations_.evaluate({t, x, Vector::Zero(force.size())}, part::mass, values);
  const Vector a = values.M.ldlt().solve(force);
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    const Index first = 6 * static_cast<Index>(i - 1);
    bodies[i].a = {a[first], a[first + 1], a[first + 2]};
    bodies[i].alpha = {a[first + 3], a[first + 4], a[first + 5]};
  }
  const std::vector<Wrench<double>> acting = wrenches(efforts(bodies));
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    balance.bodies[i].force += acting[i].force;
    balance.bodies[i].torque += bodies[i].R * acting[i].torque;
  }
}

void SampledMotion::check_accelerations(double t, const Vector& x, SampleBalance& balance) {
  const Layout& layout = equations_.layout();
  Vector a = Vector::Zero(layout.v.size);
  for (std::size_t i = 1; i < model_.mechanism.bodies.size(); ++i) {
    const Body& body = model_.mechanism.bodies[i];
    const BodyState& state = motion_.bodies()[i];
    const Vec3<double> linear = balance.bodies[i].force * (1 / body.mass);
    const Vec3<double> torque =
        transposed_times(state.R, balance.bodies[i].torque) - cross(state.omega, body.inertia * state.omega);
    Eigen::Matrix3d inertia;
    for (int row = 0; row < 3; ++row)
      for (int col = 0; col < 3; ++col) inertia(row, col) = body.inertia(row, col);
    const Eigen::Vector3d angular = inertia.llt().solve(Eigen::Vector3d(torque.x, torque.y, torque.z));
    a.segment(6 * static_cast<Index>(i - 1), 6) << linear.x, linear.y, linear.z, angular;
    balance.acceleration_size = std::max({balance.acceleration_size, length(linear), angular.norm(),
                                          dot(state.omega, state.omega), length(state.v)});
  }
  MotionValues values(layout);
  equations_.evaluate({t, x, a}, part::gII | part::hI, values);
  for (const Vector* residual : {&values.gII, &values.hI})
    for (Index i = 0; i < residual->size(); ++i)
      balance.acceleration_residual = std::max(balance.acceleration_residual, std::abs((*residual)[i]));
}

}  // namespace trammel
