// A valid mechanism, and how to run it, from a seed: trees with loops, all joints, couplers, drivers, forces,
// states and measures, in a position where they fit together.
//
// The same seed is the same model everywhere. Every feature has a switch and numbers of its own, so that
// without it the rest of the model stays as it was: that is how the feature to blame is found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trammel/model/model.h"

namespace trammel {

struct RandomFeatures {
  bool loops = true;      // joints that close loops
  bool redundant = true;  // hinges twice, planar linkages in space
  bool rolling = true;    // rolling disks and spheres, knife edges
  bool drivers = true;
  bool couplers = true;
  bool forces = true;             // springs, bushings, drag, applied forces and torques, actuators
  bool friction = true;           // dry friction in joints
  bool reaction_friction = true;  // by the reaction of the joint, on which the forces then depend
  bool contacts = true;           // spheres on planes, tyres on roads
  bool corners = true;            // forces and motions that are not smooth in time or position
  bool stiff = true;              // frequencies far above those of the motion
  bool wide_ranges = true;        // masses from grams to tonnes in one mechanism
  bool rotors = true;             // of motors, on coordinates of joints
  bool states = true;
  bool measures = true;
};

// "loops", "redundant", ... with the switches.
std::vector<std::pair<std::string, bool RandomFeatures::*>> random_feature_names();

// Reads as a model file once written (write_model). Its reactions in joints matter to the motion only if
// there is no redundancy, and its laws use nothing that depends on the axes of the world, so that it can be
// turned, scaled and reordered (mechanism_variants.h).
Model random_model(std::uint64_t seed, const RandomFeatures& features = {});

}  // namespace trammel
