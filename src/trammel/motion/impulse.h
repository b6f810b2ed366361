// Velocities that must change at once: a driver whose speed jumps, a joint that is closed while it moves.
//
//   M Δv + Dᵀ Λ = 0,   gᴵ(v + Δv) = 0,   h(v + Δv) = 0
//
// Λ are the impulses of the joints. Of all changes that meet the constraints it is the one of smallest
// kinetic energy.
#pragma once

#include "trammel/motion/tangent_motion.h"

namespace trammel {

// Changes the velocities of x at t. False if the masses do not determine how.
bool apply_impulse(TangentMotion& motion, double t, Vector& x);

}  // namespace trammel
