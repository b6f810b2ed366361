// The velocities that a mechanism starts with, where nobody gives them.
//
// Rates that are asked for, by initial values or by drivers, are met. Other rates of the joints of a spanning
// tree are zero: an arm at rest stays at rest, whatever turns on it. Only if a loop cannot close like that do
// its bodies move in another way, by the change of smallest kinetic energy; joints that are in no such loop
// hold, so that nothing else is set in motion. Bodies whose velocity the model gives start with it, as if the
// ground held them to it.
#pragma once

#include <string>

#include "trammel/motion/mechanism_motion.h"

namespace trammel {

// Sets the velocities of x, whose positions are assembled; x has those that the model guesses. Returns what
// the user should know: which bodies were set in motion though nobody asked for it.
std::string guess_velocities(MechanismEquations& equations, double t, Vector& x);

}  // namespace trammel
