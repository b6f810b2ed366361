// Which force is behind a value that is not finite: equations know it as a number of a body or a joint, a user by the name of
// the force.
#pragma once

#include <string>

#include "trammel/motion/mechanism_motion.h"

namespace trammel {

// "force 'push'", "forces 'push', 'pull'": those whose values are not finite at a state, at most three; empty if none is.
std::string forces_not_finite(MechanismEquations& equations, double t, const Vector& x);

// Likewise of the first place where there is one on the way straight on from a state, for at most this time.
std::string forces_not_finite_ahead(MechanismEquations& equations, double t, const Vector& x, double longest);

}  // namespace trammel
