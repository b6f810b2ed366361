#include "tests/random/mechanism_variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace trammel {
namespace {

std::string law_text(const Law& law) {
  return law.is_constant() ? fmt::format("{}", law.value) : fmt::format("({})", law.text);
}

Law scaled(const Law& law, double factor) {
  return law.is_constant() ? Law(factor * law.value) : Law(fmt::format("{}*({})", factor, law.text));
}

// Components in the axes of the world once it has been turned.
void turn_components(const Mat3<double>& by, std::array<Law, 3>& components) {
  std::array<Law, 3> turned;
  for (int row = 0; row < 3; ++row) {
    std::string text;
    for (int col = 0; col < 3; ++col)
      text += fmt::format("{}({})*{}", text.empty() ? "" : " + ", by(row, col),
                          law_text(components[static_cast<std::size_t>(col)]));
    turned[static_cast<std::size_t>(row)] = Law(text);
  }
  components = turned;
}

// All that is a force, or goes by one, times a factor.
struct ScaledForce {
  double factor;

  void operator()(Force::SpringDamper& force) const { scale_spring(force); }
  void operator()(Force::TorsionSpring& force) const { scale_spring(force); }
  void operator()(Force::Bushing& force) const {
    for (std::size_t i = 0; i < 6; ++i) {
      scale(force.preload[i]);
      scale(force.laws[i]);
      for (std::size_t j = 0; j < 6; ++j) {
        scale(force.stiffness[i][j]);
        scale(force.damping[i][j]);
      }
    }
  }
  void operator()(Force::Applied& force) const {
    for (Law& law : force.components) law = scaled(law, factor);
  }
  void operator()(Force::Drag& force) const {
    for (double* size : {&force.viscous, &force.quadratic, &force.angular_viscous, &force.angular_quadratic})
      scale(*size);
  }
  void operator()(Force::Tyre& force) const {
    scale(force.stiffness);
    scale(force.damping);
  }
  // its damping is a factor of its force
  void operator()(Force::SphereOnPlane& force) const { scale(force.stiffness); }
  void operator()(Force::JointFriction& force) const {
    scale(force.dry);
    scale(force.viscous);
  }
  void operator()(Force::Actuator& force) const { scale(force.law); }

 private:
  void scale(double& size) const { size *= factor; }
  void scale(std::optional<Law>& law) const {
    if (law) law = scaled(*law, factor);
  }
  void scale_spring(auto& force) const {
    scale(force.stiffness);
    scale(force.damping);
    scale(force.preload);
    scale(force.law);
  }
};

// The entries of `items` in another order: order[i] is where the i-th comes from.
template <class Item>
std::vector<Item> rearranged(const std::vector<Item>& items, const std::vector<std::size_t>& order) {
  std::vector<Item> result;
  for (const std::size_t from : order) result.push_back(items[from]);
  return result;
}

// Bodies in another order, or without some: new_index of a body that is gone is −1, and so is everything on
// it.
void renumber_bodies(Mechanism& mechanism, const std::vector<int>& new_index) {
  const auto is_gone = [&](int body) { return new_index[static_cast<std::size_t>(body)] < 0; };
  const auto pair_is_gone = [&](const auto& item) { return is_gone(item.body_a) || is_gone(item.body_b); };
  std::erase_if(mechanism.joints, pair_is_gone);
  std::erase_if(mechanism.forces, [&](const Force& force) { return pair_is_gone(force.ends()); });
  std::erase_if(mechanism.markers, [&](const Marker& marker) { return is_gone(marker.body); });
  const auto renumber = [&](int& body) { body = new_index[static_cast<std::size_t>(body)]; };
  for (Joint& joint : mechanism.joints) {
    renumber(joint.body_a);
    renumber(joint.body_b);
  }
  for (Force& force : mechanism.forces) {
    renumber(force.ends().body_a);
    renumber(force.ends().body_b);
  }
  for (Marker& marker : mechanism.markers) renumber(marker.body);
}

}  // namespace

Model moved_model(const Model& model, const Frame& by) {
  Model moved = model;
  Mechanism& mechanism = moved.mechanism;
  mechanism.gravity = by.axes * mechanism.gravity;
  const auto move_on_ground = [&](int body, Frame& frame) {
    if (body == 0) frame = compose(by, frame);
  };
  for (std::size_t i = 1; i < mechanism.bodies.size(); ++i) {
    Body& body = mechanism.bodies[i];
    body.reference = compose(by, body.reference);
    body.velocity = by.axes * body.velocity;
    body.angular_velocity = by.axes * body.angular_velocity;
  }
  for (Marker& marker : mechanism.markers) move_on_ground(marker.body, marker.frame);
  for (Joint& joint : mechanism.joints) {
    move_on_ground(joint.body_a, joint.frame_a);
    move_on_ground(joint.body_b, joint.frame_b);
  }
  for (Force& force : mechanism.forces) {
    ForceEnds& ends = force.ends();
    move_on_ground(ends.body_a, ends.frame_a);
    move_on_ground(ends.body_b, ends.frame_b);
    if (auto* drag = force.as<Force::Drag>()) drag->wind = by.axes * drag->wind;
    Force::Applied* applied = force.applied();
    if (applied == nullptr) continue;
    if (applied->axes == Force::Axes::world ||
        (applied->axes == Force::Axes::first_body && applied->body_a == 0))
      turn_components(by.axes, applied->components);
  }
  return moved;
}

Model heavier_model(const Model& model, double factor) {
  Model heavier = model;
  Mechanism& mechanism = heavier.mechanism;
  for (Body& body : mechanism.bodies) {
    body.mass *= factor;
    for (Vec3<double>& column : body.inertia.column) column = column * factor;
  }
  for (Joint& joint : mechanism.joints)
    for (Rotor& rotor : joint.rotors) rotor.inertia *= factor;
  for (Force& force : mechanism.forces) std::visit(ScaledForce{factor}, force.kind);
  return heavier;
}

Model reordered_model(const Model& model, RandomNumbers& random) {
  Model reordered = model;
  Mechanism& mechanism = reordered.mechanism;
  std::vector<std::size_t> order(mechanism.bodies.size() - 1);
  std::iota(order.begin(), order.end(), 1);
  random.shuffle(order);
  order.insert(order.begin(), 0);
  std::vector<int> new_index(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) new_index[order[i]] = static_cast<int>(i);
  mechanism.bodies = rearranged(mechanism.bodies, order);
  renumber_bodies(mechanism, new_index);
  random.shuffle(mechanism.joints);
  random.shuffle(mechanism.couplers);
  random.shuffle(mechanism.drivers);
  random.shuffle(mechanism.forces);
  random.shuffle(mechanism.states);
  random.shuffle(mechanism.measures);
  random.shuffle(mechanism.markers);
  return reordered;
}

Model without_body(const Model& model, int body) {
  Model result = model;
  std::vector<int> new_index;
  for (int i = 0; i < static_cast<int>(model.mechanism.bodies.size()); ++i)
    new_index.push_back(i == body ? -1 : i > body ? i - 1 : i);
  renumber_bodies(result.mechanism, new_index);
  result.mechanism.bodies.erase(result.mechanism.bodies.begin() + body);
  return result;
}

}  // namespace trammel
