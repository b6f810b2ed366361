#include "tests/random/random_mechanism.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/random/mechanism_sketch.h"
#include "trammel/analysis/mobility.h"
#include "trammel/mechanism/measured_function.h"
#include "trammel/motion/cartesian_equations.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {
namespace {

// Singular values of the constraints below this are too near to a singular position to start from.
constexpr double least_regularity = 0.01;

Mat3<double> box_inertia(double mass, const Vec3<double>& edges) {
  const Vec3<double> square{edges.x * edges.x, edges.y * edges.y, edges.z * edges.z};
  const double share = mass / 12;
  return {{share * (square.y + square.z), 0, 0},
          {0, share * (square.x + square.z), 0},
          {0, 0, share * (square.x + square.y)}};
}

void choose_gravity(MechanismSketch& sketch) {
  RandomNumbers random = sketch.random("gravity");
  if (random.chance(0.1)) {
    sketch.mechanism().gravity = {};
    return;
  }
  Vec3<double> direction = random.direction();
  if (sketch.planar) direction = {std::sin(direction.x * 3), std::cos(direction.x * 3), 0};
  sketch.mechanism().gravity = direction * 9.81;
}

}  // namespace

std::vector<std::pair<std::string, bool RandomFeatures::*>> random_feature_names() {
  return {{"loops", &RandomFeatures::loops},       {"redundant", &RandomFeatures::redundant},
          {"rolling", &RandomFeatures::rolling},   {"drivers", &RandomFeatures::drivers},
          {"couplers", &RandomFeatures::couplers}, {"forces", &RandomFeatures::forces},
          {"friction", &RandomFeatures::friction}, {"reaction_friction", &RandomFeatures::reaction_friction},
          {"contacts", &RandomFeatures::contacts}, {"corners", &RandomFeatures::corners},
          {"stiff", &RandomFeatures::stiff},       {"wide_ranges", &RandomFeatures::wide_ranges},
          {"states", &RandomFeatures::states},     {"measures", &RandomFeatures::measures},
          {"rotors", &RandomFeatures::rotors}};
}

SketchedFreedom sketched_freedom(const Mechanism& mechanism) {
  CartesianEquations equations(mechanism);
  Vector x = equations.initial_state();
  if (assemble_mechanism(equations, 0.0, x).failure) return {};
  const Mobility mobility = find_mobility(equations, 0.0, x);
  if (mobility.failure || mobility.singular || mobility.regularity < least_regularity) return {};
  return {static_cast<int>(mobility.degrees_of_freedom), !mobility.redundant.empty()};
}

void add_random_bodies(MechanismSketch& sketch) {
  RandomNumbers random = sketch.random("bodies");
  const int count = random.weighted<int>({{1, 1}, {2, 3}, {3, 4}, {4, 3}, {5, 2}, {6, 1}, {8, 0.5}});
  const bool wide = random.chance(0.08) && sketch.features.wide_ranges;
  sketch.parents = {-1};
  sketch.carriers = {-1};
  for (int i = 1; i <= count; ++i) {
    // a chain more often than a star
    const int parent =
        random.chance(0.7) ? i - 1 : static_cast<int>(random.below(static_cast<std::size_t>(i)));
    Body body;
    body.name = fmt::format("b{}", i);
    const double ordinary_mass = random.across(0.3, 5), wide_mass = random.across(1e-3, 1e3);
    body.mass = wide ? wide_mass : ordinary_mass;
    const Vec3<double> edges{random.across(0.1, 0.6), random.across(0.1, 0.6), random.across(0.1, 0.6)};
    Vec3<double> step = random.direction() * random.between(0.3, 1);
    Mat3<double> axes = random.rotation(), principal = random.rotation();
    body.com = random.chance(0.4) ? Vec3<double>{} : random.vector(0.2);
    if (sketch.planar) {
      step.z = body.com.z = 0;
      axes = rotation_about({0, 0, 1}, random.between(-3, 3));
      principal = rotation_about({0, 0, 1}, random.between(-3, 3));
    }
    body.inertia = principal * box_inertia(body.mass, edges) * transposed(principal);
    // round-off must not make it unsymmetric
    for (int row = 0; row < 3; ++row)
      for (int col = 0; col < row; ++col) body.inertia(row, col) = body.inertia(col, row);
    body.reference = {sketch.world_frame(parent).origin + step, axes};
    sketch.mechanism().add(body);
    sketch.parents.push_back(parent);
    sketch.carriers.push_back(-1);
  }
}

// As heavy as what they move, about: lighter ones matter little.
void add_random_rotors(MechanismSketch& sketch) {
  RandomNumbers random = sketch.random("rotors");
  if (!random.chance(0.2)) return;
  for (Joint& joint : sketch.mechanism().joints)
    for (const std::string& coordinate : coordinate_names(joint.type)) {
      const double ratio = random.sign() * random.across(1, 100), reflected = random.across(0.01, 1);
      const double mass = std::max(sketch.mass(joint.body_b), 0.1);
      const bool slides = !coordinate.starts_with("angle");
      if (!random.chance(0.6) || (joint.type == JointType::screw && slides)) continue;
      joint.rotors.push_back({coordinate, (slides ? 1 : 0.1) * mass * reflected / (ratio * ratio), ratio});
    }
}

Model random_model(std::uint64_t seed, const RandomFeatures& features) {
  MechanismSketch sketch;
  sketch.seed = seed;
  sketch.features = features;
  RandomNumbers random = sketch.random("kind");
  sketch.planar = random.chance(0.25) && features.redundant;
  sketch.end = random.across(0.4, 1.5);
  choose_gravity(sketch);
  add_random_bodies(sketch);
  add_random_tree(sketch);
  if (features.loops) add_random_loops(sketch);
  if (features.couplers) add_random_couplers(sketch);
  if (features.drivers) add_random_drivers(sketch);
  add_random_start(sketch);
  if (features.states) add_random_states(sketch);
  if (features.forces) add_random_forces(sketch);
  if (features.contacts) add_random_contacts(sketch);
  if (features.measures) add_random_measures(sketch);
  if (features.rotors) add_random_rotors(sketch);
  sketch.mechanism().title = fmt::format("Random mechanism {}{}", seed, sketch.is_stiff ? ", stiff" : "");
  sketch.model.simulation.end = sketch.end;
  sketch.model.simulation.output = sketch.end / 60;
  sketch.model.file = fmt::format("random-{}.yaml", seed);
  return sketch.model;
}

}  // namespace trammel
