#include "trammel/simulation/recorded_states.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace trammel {

RecordedStates::RecordedStates(JointEquations& equations, const Recording& recording)
    : equations_(equations),
      recording_(recording),
      placed_(equations.mechanism()),
      initial_(equations.initial_state()),
      twists_(Vector::Zero(equations.cartesian().layout().total)) {
  for (std::size_t i = 1; i < placed_.bodies.size(); ++i) {
    const std::string& body = placed_.bodies[i].name;
    const auto channel = [&](const std::string& name) {
      const Channel* found = recording.find(body + "." + name);
      if (found == nullptr)
        throw std::invalid_argument(fmt::format(
            "the result has no channel '{}.{}': it is not one of a run of this model", body, name));
      return found;
    };
    bodies_.push_back(
        {{channel("position.x"), channel("position.y"), channel("position.z")},
         {channel("quaternion.w"), channel("quaternion.x"), channel("quaternion.y"), channel("quaternion.z")},
         {channel("velocity.x"), channel("velocity.y"), channel("velocity.z")},
         {channel("angular_velocity.x"), channel("angular_velocity.y"), channel("angular_velocity.z")}});
  }
  for (const std::string& name : equations.names().p) positions_.push_back(recording.find(name));
  for (const std::string& name : equations.names().r) {
    states_.push_back(recording.find(name));
    if (states_.back() == nullptr) unknown_states_.push_back(name);
  }
}

Index RecordedStates::nearest(double t) const {
  Index best = 0;
  for (Index i = 0; i < samples(); ++i)
    if (std::abs(time(i) - t) < std::abs(time(best) - t)) best = i;
  return best;
}

void RecordedStates::state(Index sample, Vector& x) {
  const auto at = at_index(sample);
  const auto vector = [&](const Channel* const* channels) {
    return Vec3<double>{channels[0]->values[at], channels[1]->values[at], channels[2]->values[at]};
  };
  const Layout &l = equations_.layout(), &cartesian = equations_.cartesian().layout();
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const BodyChannels& channels = bodies_[i];
    Body& body = placed_.bodies[i + 1];
    const Quaternion<double> e{channels.quaternion[0]->values[at], channels.quaternion[1]->values[at],
                               channels.quaternion[2]->values[at], channels.quaternion[3]->values[at]};
    body.reference.origin = vector(channels.position);
    body.reference.axes = rotation_matrix(e);
    const Mat3<double>& R = body.reference.axes;
    const Vec3<double> omega = vector(channels.angular_velocity);
    const Vec3<double> v = vector(channels.velocity) + cross(omega, R * body.com);
    const Vec3<double> turn = transposed_times(R, omega);
    twists_.segment<6>(cartesian.v.begin + 6 * static_cast<Index>(i)) << v.x, v.y, v.z, turn.x, turn.y,
        turn.z;
  }

  x = initial_;
  x.segment(l.lambda.begin, l.lambda.size + l.mu.size).setZero();
  x.segment(l.p.begin, l.p.size) = equations_.tree().reference(placed_);
  constexpr double turn = 2 * 3.14159265358979323846;
  for (const JointTree::Node& node : equations_.tree().nodes())
    if (const Channel* angle = positions_[at_index(node.p)]; angle != nullptr && node.turns()) {
      double& p = x[l.p.begin + node.p];
      p += turn * std::round((angle->values[at] - p) / turn);
    }
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (states_[i] != nullptr) x[l.r.begin + static_cast<Index>(i)] = states_[i]->values[at];
  equations_.take_velocities(time(sample), twists_, x);
}

}  // namespace trammel
