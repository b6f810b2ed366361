// Rods as distances: a body that nothing but two joints hold, both at a point (spherical, or one of them universal),
// keeps these points apart and does nothing else but weigh. It can be one equation instead of a body with six
// velocities and six to seven equations; its mass goes to the two bodies that it ties (J. García de Jalón's way with
// the rods of suspensions).
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism/mechanism.h"

namespace trammel {

struct RodAsDistance {
  std::string body;           // also the name of the joint that stands for it
  std::string why_not;        // empty: it was replaced
  double length = 0;          // m
  double mass = 0;            // kg
  std::string ends[2];        // the bodies that it ties
  double shares[2] = {0, 0};  // of its mass, kg

  // "tie_rod: a distance of 0.4 m; 1.2 kg to chassis, 1.2 kg to wheel"
  std::string text() const;
};

// Replaces what can be replaced, and says what was done with each rod. The mass is shared so that the centre of mass
// stays where it is along the rod; its inertia about its ends becomes that of two points, and none is left about
// itself. A rod stays as it is if forces, markers or expressions refer to it or to its joints.
std::vector<RodAsDistance> replace_rods_by_distances(Mechanism& mechanism);

}  // namespace trammel
