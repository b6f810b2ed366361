// A small mechanism to hang forces on, and what they do to its bodies.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "trammel/mechanism/elements.h"

namespace trammel {

// An arm on a hinge about z at the origin, and a slider on a guide along x, with centres of mass that are not
// the origins of their bodies. At the reference position the arm's frame is turned by 0.3 from the world's.
struct ForceRig {
  Mechanism mechanism;
  std::unique_ptr<Elements> elements;
  double t = 0;
  std::vector<double> multipliers;

  explicit ForceRig(const std::string& hinge = "hinge", JointType hinge_type = JointType::revolute) {
    Body arm;
    arm.name = "arm";
    arm.mass = 2;
    arm.inertia = {{0.2, 0, 0}, {0, 0.3, 0}, {0, 0, 0.4}};
    arm.com = {0.5, 0.1, 0};
    arm.reference.axes = rotation_about({0, 0, 1}, 0.3);
    mechanism.add(arm);
    Body slider = arm;
    slider.name = "slider";
    slider.reference = {{2, 0, 0}, Mat3<double>::identity()};
    mechanism.add(slider);
    Joint joint;
    joint.name = hinge;
    joint.type = hinge_type;
    joint.body_b = 1;
    mechanism.add(joint);
    mechanism.add_joint("guide", JointType::prismatic, "ground", "slider", {2, 0, 0}, {1, 0, 0});
  }

  template <class Kind>
  Kind& add(int body_a = 0, int body_b = 1) {
    Kind force;
    force.name = "force";
    force.body_a = body_a;
    force.body_b = body_b;
    return std::get<Kind>(mechanism.add(force).kind);
  }

  void make() { elements = make_elements(mechanism); }

  // The bodies with the arm turned by an angle and the slider moved.
  static std::vector<BodyState> bodies(double angle, double displacement, double angle_rate = 0) {
    std::vector<BodyState> all(3);
    all[1].R = rotation_about({0, 0, 1}, angle);
    all[1].r = all[1].R * Vec3<double>{0.5, 0.1, 0};
    all[1].omega = {0, 0, angle_rate};
    all[1].v = all[1].R * cross(all[1].omega, Vec3<double>{0.5, 0.1, 0});
    all[2].r = {2.5 + displacement, 0.1, 0};
    return all;
  }

  std::vector<double> measured_values(std::span<const BodyState> bodies) const {
    std::vector<double> value(static_cast<std::size_t>(elements->measured.size()));
    for (const auto& block : elements->measured.blocks)
      block->evaluate(bodies, ConstraintBlock::position, {value, {}, {}});
    return value;
  }
  std::vector<double> measured_rates(std::span<const BodyState> bodies) const {
    std::vector<double> rate(static_cast<std::size_t>(elements->measured.size()));
    for (const auto& block : elements->measured.blocks)
      block->evaluate(bodies, ConstraintBlock::velocity, {{}, rate, {}});
    return rate;
  }

  std::vector<double> inputs(std::span<const BodyState> bodies) const {
    const std::vector<double> value = measured_values(bodies), rate = measured_rates(bodies);
    std::vector<double> result;
    for (const Input& input : elements->inputs) {
      const auto i = static_cast<std::size_t>(input.index);
      switch (input.kind) {
        case Input::Kind::value:
          result.push_back(value[i]);
          break;
        case Input::Kind::rate:
          result.push_back(rate[i]);
          break;
        case Input::Kind::multiplier:
          result.push_back(multipliers.at(i));
          break;
        default:
          ADD_FAILURE() << "no such input is expected here";
      }
    }
    return result;
  }

  std::vector<Wrench<double>> wrenches(std::span<const BodyState> bodies) const {
    std::vector<Wrench<double>> all(3);
    const std::vector<double> values = inputs(bodies);
    for (const auto& block : elements->forces) block->evaluate(bodies, t, values, all);
    return all;
  }

  std::vector<double> outputs(std::span<const BodyState> bodies) const {
    const ForceBlock& block = *elements->forces.at(0);
    std::vector<double> values(block.output_names(0).size());
    block.outputs(bodies, t, inputs(bodies), 0, values);
    return values;
  }

  std::string error() {
    try {
      make();
    } catch (const ModelError& error) {
      return error.message();
    }
    return "no error";
  }
};

}  // namespace trammel
