// What every force element must do, checked on a block of them: action equals reaction, nothing depends on
// where and how the world's axes lie, derivatives are exact, and work is what the potential loses.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "trammel/mechanism/expression_parser.h"
#include "trammel/mechanism/force_block_implementation.h"
#include "trammel/mechanism/law_function.h"

namespace trammel::force_check {

inline Vec3<double> random_vector(std::mt19937& random, double size = 1) {
  std::uniform_real_distribution<double> number(-size, size);
  return {number(random), number(random), number(random)};
}

inline Mat3<double> random_rotation(std::mt19937& random, double largest_angle = 3) {
  std::uniform_real_distribution<double> angle(-largest_angle, largest_angle);
  return rotation_about(random_vector(random), angle(random));
}

inline BodyState random_body(std::mt19937& random) {
  BodyState body;
  body.r = random_vector(random);
  body.R = random_rotation(random);
  body.v = random_vector(random);
  body.omega = random_vector(random);
  return body;
}

// The body a little later.
inline BodyState moved(const BodyState& body, const Vec3<double>& translation, const Vec3<double>& rotation) {
  BodyState result = body;
  result.r += translation;
  if (const double angle = length(rotation); angle > 0) result.R = body.R * rotation_about(rotation, angle);
  return result;
}

// A law from text, of `own` names and of inputs called u0, u1, ... with the same indices in the list of all
// inputs.
inline CompiledLaw compiled(const std::string& text, const std::vector<std::string>& own, int inputs = 0) {
  struct Scope final : ExpressionScope {
    std::vector<std::string> all{"t"};
    std::optional<ExpressionSymbol> find(const ExpressionReference& reference) const override {
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] == reference.name) return ExpressionSymbol(static_cast<int>(i));
      return std::nullopt;
    }
    std::vector<std::string> names() const override { return all; }
  };
  Scope scope;
  scope.all.insert(scope.all.end(), own.begin(), own.end());
  CompiledLaw law;
  law.own = static_cast<int>(own.size());
  for (int i = 0; i < inputs; ++i) {
    scope.all.push_back("u" + std::to_string(i));
    law.inputs.push_back(i);
  }
  law.expression = parse_expression(text, scope);
  return law;
}

// Two bodies and what acts on them at a time.
struct Situation {
  std::vector<BodyState> bodies;
  double t = 0.3;
  std::vector<double> inputs;
};

inline Situation random_situation(std::mt19937& random, std::size_t inputs = 0) {
  Situation situation{{random_body(random), random_body(random)}, 0.3, {}};
  for (std::size_t i = 0; i < inputs; ++i) situation.inputs.push_back(random_vector(random).x);
  return situation;
}

inline std::vector<Wrench<double>> wrenches(const ForceBlock& block, const Situation& at) {
  std::vector<Wrench<double>> result(at.bodies.size());
  block.evaluate(at.bodies, at.t, at.inputs, result);
  return result;
}

inline double size(const std::vector<Wrench<double>>& all) {
  double sum = 0;
  for (const Wrench<double>& one : all) sum += length(one.force) + length(one.torque);
  return sum;
}

inline void expect_near(const Vec3<double>& a, const Vec3<double>& b, double tolerance) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "component " << i;
}

// The sum of all forces is zero, and so is that of the torques about the origin of the world.
inline void expect_action_is_reaction(const ForceBlock& block, const Situation& at) {
  const std::vector<Wrench<double>> all = wrenches(block, at);
  Vec3<double> force, torque;
  for (std::size_t i = 0; i < all.size(); ++i) {
    force += all[i].force;
    torque += cross(at.bodies[i].r, all[i].force) + at.bodies[i].R * all[i].torque;
  }
  expect_near(force, {}, 1e-12 * size(all));
  expect_near(torque, {}, 1e-12 * size(all));
}

// With both bodies turned and moved together, forces turn along, and torques in body axes stay.
inline void expect_frame_invariance(const ForceBlock& block, const Situation& at, std::mt19937& random) {
  const Mat3<double> turn = random_rotation(random);
  const Vec3<double> shift = random_vector(random, 3);
  Situation other = at;
  for (BodyState& body : other.bodies) {
    body.r = turn * body.r + shift;
    body.R = turn * body.R;
    body.v = turn * body.v;
  }
  const std::vector<Wrench<double>> before = wrenches(block, at), after = wrenches(block, other);
  ASSERT_GT(size(before), 0);
  for (std::size_t i = 0; i < before.size(); ++i) {
    expect_near(after[i].force, turn * before[i].force, 1e-11 * size(before));
    expect_near(after[i].torque, before[i].torque, 1e-11 * size(before));
  }
}

// Of (force, torque) on A, then on B, by central differences.
inline std::vector<double> difference_quotient(const ForceBlock& block, const Situation& forward,
                                               const Situation& backward, double step) {
  const std::vector<Wrench<double>> a = wrenches(block, forward), b = wrenches(block, backward);
  std::vector<double> result;
  for (std::size_t body = 0; body < 2; ++body) {
    for (int i = 0; i < 3; ++i) result.push_back((a[body].force[i] - b[body].force[i]) / (2 * step));
    for (int i = 0; i < 3; ++i) result.push_back((a[body].torque[i] - b[body].torque[i]) / (2 * step));
  }
  return result;
}

// The situation with one of the 24 directions of poses and twists varied.
inline Situation varied(const Situation& at, int direction, double step) {
  Situation result = at;
  BodyState& body = result.bodies[static_cast<std::size_t>(direction % 12 / 6)];
  Vec3<double> change;
  change[direction % 3] = step;
  const bool is_rotation = direction % 6 >= 3;
  if (direction < pose_directions)
    body = is_rotation ? moved(body, {}, change) : moved(body, change, {});
  else
    (is_rotation ? body.omega : body.v) += change;
  return result;
}

// The exact derivatives of the first element, which is between bodies 0 and 1, against differences.
inline void expect_exact_derivatives(ForceBlock& block, const Situation& at, double tolerance = 1e-7) {
  ASSERT_EQ(block.elements().size(), 1u);
  block.differentiate(at.bodies, at.t, at.inputs);
  const double step = 1e-5;
  const std::span<const double> slopes = block.pose_and_twist_slopes(0);
  double largest = 0;
  for (const double slope : slopes) largest = std::max(largest, std::abs(slope));
  for (int direction = 0; direction < twist_directions; ++direction) {
    const std::vector<double> expected =
        difference_quotient(block, varied(at, direction, step), varied(at, direction, -step), step);
    for (std::size_t row = 0; row < 12; ++row)
      EXPECT_NEAR(slopes[row * twist_directions + static_cast<std::size_t>(direction)], expected[row],
                  tolerance * (1 + largest))
          << "row " << row << ", direction " << direction;
  }

  const std::vector<int>& inputs = block.elements()[0].inputs;
  const std::span<const double> input_slopes = block.input_slopes(0);
  ASSERT_EQ(input_slopes.size(), 12 * inputs.size());
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    Situation forward = at, backward = at;
    forward.inputs[static_cast<std::size_t>(inputs[k])] += step;
    backward.inputs[static_cast<std::size_t>(inputs[k])] -= step;
    const std::vector<double> expected = difference_quotient(block, forward, backward, step);
    for (std::size_t row = 0; row < 12; ++row)
      EXPECT_NEAR(input_slopes[row * inputs.size() + k], expected[row], tolerance * (1 + largest))
          << "row " << row << ", input " << k;
  }
}

inline double power(const ForceBlock& block, const Situation& at) {
  const std::vector<Wrench<double>> all = wrenches(block, at);
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    sum += dot(all[i].force, at.bodies[i].v) + dot(all[i].torque, at.bodies[i].omega);
  return sum;
}

// The rate of the potential as both bodies go on; `measure` sets the inputs that follow from the bodies.
inline double potential_rate(const ForceBlock& block, const Situation& at,
                             const std::function<void(Situation&)>& measure = {}) {
  const double step = 1e-5;
  const auto potential_after = [&](double time) {
    Situation later = at;
    for (BodyState& body : later.bodies) body = moved(body, body.v * time, body.omega * time);
    if (measure) measure(later);
    return block.potential(later.bodies, at.t, later.inputs);
  };
  return (potential_after(step) - potential_after(-step)) / (2 * step);
}

// A block with one element between bodies 0 and 1, whose inputs are the first ones of all.
template <class Kernel>
Forces<Kernel> block_of(const Kernel& kernel, int inputs = 0) {
  ForceBlock::Element element{"element", 0, 1, {}};
  for (int i = 0; i < inputs; ++i) element.inputs.push_back(i);
  Forces<Kernel> block;
  block.add(element, kernel);
  return block;
}

inline std::vector<double> outputs(const ForceBlock& block, const Situation& at) {
  std::vector<double> values(block.output_names(0).size());
  block.outputs(at.bodies, at.t, at.inputs, 0, values);
  return values;
}

}  // namespace trammel::force_check
