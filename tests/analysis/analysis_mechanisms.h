// Small mechanisms for the tests of equilibria, linearisations and mobility.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "trammel/mechanism/mechanism.h"
#include "trammel/motion/assembly.h"
#include "trammel/motion/cartesian_equations.h"

namespace trammel {

// A slender rod between two points of the world: frame in the middle, x along it.
inline Body rod(const std::string& name, const Vec3<double>& from, const Vec3<double>& to, double mass) {
  Body body;
  body.name = name;
  body.mass = mass;
  const Vec3<double> along = to - from;
  const double l = length(along);
  const Frame z_along = frame_with_axis((from + to) * 0.5, along);
  body.reference = {z_along.origin, {z_along.axes.column[2], z_along.axes.column[0], z_along.axes.column[1]}};
  const double across = mass * l * l / 12;
  body.inertia = {{1e-3 * across, 0, 0}, {0, across, 0}, {0, 0, across}};
  return body;
}

// A body with its frame parallel to the world's.
inline Body block(const std::string& name, const Vec3<double>& at, double mass,
                  const Vec3<double>& inertia = {1, 1, 1}) {
  Body body;
  body.name = name;
  body.mass = mass;
  body.reference.origin = at;
  body.inertia = {{inertia.x, 0, 0}, {0, inertia.y, 0}, {0, 0, inertia.z}};
  return body;
}

// A uniform rod of length 1 and mass 2 that hangs from the origin, turned by `angle` from hanging down, about
// y; gravity along −z.
inline Mechanism rod_pendulum(double angle) {
  Mechanism mechanism;
  mechanism.add(rod("rod", {0, 0, 0}, {std::sin(angle), 0, -std::cos(angle)}, 2));
  mechanism.add_joint("A", JointType::revolute, "ground", "rod", {0, 0, 0}, {0, 1, 0});
  return mechanism;
}

// The planar four-bar linkage 0 - A - B - C in the xz plane, all joints revolute about y: three of its
// equations are redundant in space.
inline Mechanism four_bar(const Vec3<double>& crank_end = {0, 0, 1},
                          const Vec3<double>& rocker_end = {2, 0, 1.5},
                          const Vec3<double>& rocker_base = {2, 0, 0}) {
  Mechanism mechanism;
  mechanism.add(rod("crank", {0, 0, 0}, crank_end, 1));
  mechanism.add(rod("coupler", crank_end, rocker_end, 2));
  mechanism.add(rod("rocker", rocker_base, rocker_end, 1.5));
  mechanism.add_joint("A", JointType::revolute, "ground", "crank", {0, 0, 0}, {0, 1, 0});
  mechanism.add_joint("B", JointType::revolute, "crank", "coupler", crank_end, {0, 1, 0});
  mechanism.add_joint("C", JointType::revolute, "coupler", "rocker", rocker_end, {0, 1, 0});
  mechanism.add_joint("D", JointType::revolute, "ground", "rocker", rocker_base, {0, 1, 0});
  return mechanism;
}

// The assembled initial state.
inline Vector assembled(CartesianEquations& equations) {
  AssemblyOptions options;
  options.conditions = equations.conditions();
  Vector x = equations.initial_state();
  const AssemblyReport report = Assembly(equations, options).run(0, x);
  EXPECT_FALSE(report.failure) << report.failure.message;
  equations.follow(0, x);
  return x;
}

// A joint coordinate of a state.
inline double coordinate(CartesianEquations& equations, const std::string& name, const Vector& x) {
  const std::unique_ptr<MechanismMotion> motion = equations.mechanism_motion();
  motion->set_state(0, x, Vector::Zero(equations.layout().v.size));
  for (const JointCoordinate& candidate : equations.elements().coordinates)
    if (candidate.name == name) return motion->measured().value[static_cast<std::size_t>(candidate.row)];
  ADD_FAILURE() << "no coordinate " << name;
  return 0;
}

}  // namespace trammel
