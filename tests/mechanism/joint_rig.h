// Two bodies and a joint between them, and where the bodies are when the joint's second frame has moved from
// its first.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "tests/mechanism/moved_bodies.h"
#include "trammel/mechanism/elements.h"

namespace trammel {

inline Frame shifted(double x, double y, double z) { return {{x, y, z}, Mat3<double>::identity()}; }
inline Frame turned(const Vec3<double>& axis, double angle) { return {{}, rotation_about(axis, angle)}; }

// Values of all rows of a system.
struct SystemRows {
  Vector value, rate, acceleration;
};
inline SystemRows evaluate_rows(const RowSystem& system, std::span<const BodyState> bodies) {
  SystemRows rows{Vector::Zero(system.size()), Vector::Zero(system.size()), Vector::Zero(system.size())};
  for (const auto& block : system.blocks)
    block->evaluate(bodies,
                    ConstraintBlock::position | ConstraintBlock::velocity | ConstraintBlock::acceleration,
                    {as_span(rows.value), as_span(rows.rate), as_span(rows.acceleration)});
  return rows;
}

// D: the derivatives of the rates by the twists of the bodies.
inline Matrix jacobian_of(const RowSystem& system, std::vector<BodyState> bodies) {
  const auto columns = static_cast<Index>(6 * bodies.size());
  Matrix D = Matrix::Zero(system.size(), columns);
  const Vector unused = Vector::Zero(system.size());
  for (const auto& block : system.blocks) {
    block->differentiate(bodies, as_span(unused), ConstraintBlock::velocity);
    for (Index i = 0; i < static_cast<Index>(block->elements().size()); ++i) {
      const ConstraintBlock::Element& element = block->elements()[static_cast<std::size_t>(i)];
      const std::span<double> slopes = block->slopes(i).jacobian;
      for (int row = 0; row < block->rows(); ++row)
        for (int k = 0; k < 12; ++k)
          D(element.row + row, 6 * (k < 6 ? element.body_a : element.body_b) + k % 6) +=
              slopes[static_cast<std::size_t>(12 * row + k)];
    }
  }
  return D;
}

class JointRig {
 public:
  // A joint in general frames on general bodies; at the reference position, the second frame is at
  // `reference` seen from the first.
  explicit JointRig(JointType type, const Frame& reference = {}) {
    RandomBodies random(static_cast<unsigned>(type) + 100);
    Body first, second;
    first.name = "first";
    second.name = "second";
    for (Body* body : {&first, &second}) {
      body->mass = 2;
      body->inertia = {{0.2, 0, 0}, {0, 0.3, 0}, {0, 0, 0.4}};
      body->com = random.vector();
    }
    joint.name = "J";
    joint.type = type;
    joint.body_a = 1;
    joint.body_b = 2;
    joint.frame_a = {random.vector(), random.rotation()};
    joint.frame_b = {random.vector(), random.rotation()};
    joint.pitch = 0.01;
    joint.radius = 0.5;
    first.reference = {random.vector(), random.rotation()};
    mechanism.add(first);
    second.reference = second_body(reference);
    mechanism.add(second);
  }

  // To be called when joint and mechanism are as wanted.
  void make() {
    mechanism.joints.insert(mechanism.joints.begin(), joint);
    elements = make_elements(mechanism);
  }

  // The bodies with the second frame of the joint at `relative` seen from the first.
  std::vector<BodyState> bodies(const Frame& relative) const {
    std::vector<BodyState> states(3);
    const Frame frames[] = {mechanism.bodies[1].reference, second_body(relative)};
    for (std::size_t i = 1; i < 3; ++i) {
      const Vec3<double>& com = mechanism.bodies[i].com;
      states[i].r = frames[i - 1].origin + frames[i - 1].axes * com;
      states[i].R = frames[i - 1].axes;
    }
    return states;
  }

  Vector holonomic(const Frame& relative) const {
    return evaluate_rows(elements->holonomic, bodies(relative)).value;
  }
  double coordinate(const std::string& name, const Frame& relative) const {
    for (const JointCoordinate& coordinate : elements->coordinates)
      if (coordinate.name == name)
        return evaluate_rows(elements->measured, bodies(relative)).value[coordinate.row];
    ADD_FAILURE() << "no coordinate " << name;
    return 0;
  }

  Mechanism mechanism;
  Joint joint;
  std::unique_ptr<Elements> elements;

 private:
  Frame second_body(const Frame& relative) const {
    const Frame& first = mechanism.bodies.size() > 1 ? mechanism.bodies[1].reference : Frame{};
    return compose(compose(first, joint.frame_a), compose(relative, inverse(joint.frame_b)));
  }
};

}  // namespace trammel
