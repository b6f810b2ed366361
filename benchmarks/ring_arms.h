// The size that coordinate projection was asked for at Stanford in 2006: a branched chain of about 1000 hinges with 100 loop
// equations in groups. Arms of 20 links grow out of each other, two out of the middle of each one before; in each arm four
// links go round a ring that a ball closes: two equations that count, and a third that depends on them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "trammel/mechanism/mechanism.h"

namespace trammel {

inline Body ring_link(const std::string& name, const Vec3<double>& from, const Vec3<double>& to) {
  Body body;
  body.name = name;
  body.mass = 1;
  body.reference.origin = (from + to) * 0.5;
  body.inertia = {{0.01, 0, 0}, {0, 0.01, 0}, {0, 0, 0.01}};
  return body;
}

// Links of 0.1 m hinged about y. Without rings, one arm is a plain chain.
inline Mechanism ring_arms(int count, int links, bool rings) {
  constexpr int ring_begin = 2, ring_end = 5;
  struct Socket {
    std::string body = "ground";
    Vec3<double> at{};
  };
  std::vector<Socket> middles;
  Mechanism mechanism;
  for (int arm = 0; arm < count; ++arm) {
    Socket before = arm == 0 ? Socket{} : middles[static_cast<std::size_t>((arm - 1) / 2)];
    Socket ring;
    for (int k = 0; k < links; ++k) {
      const std::string name = "arm" + std::to_string(arm) + "_" + std::to_string(k);
      const bool round = rings && k >= ring_begin && k <= ring_end;
      const double turn =
          round ? 0.5 * 3.14159265358979323846 * (k - ring_begin) + 0.2 : 0.1 * std::sin(1.0 * k + arm);
      const Vec3<double> to = before.at + Vec3<double>{0.1 * std::cos(turn), 0, -0.1 * std::sin(turn)};
      if (k == ring_begin) ring = before;
      mechanism.add(ring_link(name, before.at, to));
      mechanism.add_joint("hinge_" + name, JointType::revolute, before.body, name, before.at, {0, 1, 0});
      if (rings && k == ring_end) {
        mechanism.add_joint("ring" + std::to_string(arm), JointType::spherical, ring.body, name, ring.at);
        mechanism.joints.back().in_tree = false;
      }
      before = {name, to};
      if (k == links / 2) middles.push_back(before);
    }
  }
  return mechanism;
}

}  // namespace trammel
