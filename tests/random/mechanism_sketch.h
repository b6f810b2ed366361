// A random mechanism while it is being made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/random/random_mechanism.h"
#include "tests/random/random_numbers.h"
#include "trammel/model/model.h"

namespace trammel {

struct MechanismSketch {
  std::uint64_t seed = 0;
  RandomFeatures features;
  Model model;
  bool planar = false;        // everything moves in the xy plane
  double end = 1;             // of the run, s
  std::vector<int> parents;   // of each body in the tree, before it in the list; that of the ground is −1
  std::vector<int> carriers;  // of each body the joint that carries it, −1 if it is free
  bool has_loops = false;
  bool has_redundancy = false;
  bool is_stiff = false;

  Mechanism& mechanism() { return model.mechanism; }
  const Mechanism& mechanism() const { return model.mechanism; }
  RandomNumbers random(const std::string& purpose) const { return RandomNumbers(seed, purpose); }

  const Frame& world_frame(int body) const {
    return mechanism().bodies[static_cast<std::size_t>(body)].reference;
  }
  // A frame of the world as seen from a body.
  Frame on_body(int body, const Frame& world) const { return compose(inverse(world_frame(body)), world); }
  int body_count() const { return static_cast<int>(mechanism().bodies.size()); }
  double mass(int body) const { return mechanism().bodies[static_cast<std::size_t>(body)].mass; }
};

// Whether the mechanism can move as it should where it stands: `freedom` is −1 if it cannot be assembled
// there, if the position is singular, or if it is nearly so.
struct SketchedFreedom {
  int freedom = -1;
  bool redundant = false;
};
SketchedFreedom sketched_freedom(const Mechanism& mechanism);

// Stages, each with random numbers of its own.
void add_random_bodies(MechanismSketch& sketch);
void add_random_tree(MechanismSketch& sketch);
void add_random_loops(MechanismSketch& sketch);
void add_random_couplers(MechanismSketch& sketch);
void add_random_drivers(MechanismSketch& sketch);
void add_random_start(MechanismSketch& sketch);
void add_random_states(MechanismSketch& sketch);
void add_random_forces(MechanismSketch& sketch);
void add_random_contacts(MechanismSketch& sketch);
void add_random_measures(MechanismSketch& sketch);
void add_random_rotors(MechanismSketch& sketch);

}  // namespace trammel
