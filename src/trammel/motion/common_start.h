// Where a mechanism starts must not depend on the coordinates of its equations. Assembly moves what does not fit as little
// as possible, and what is little for bodies is not so for joints: so it is the bodies that count, in all coordinates.
#pragma once

#include "trammel/motion/mechanism_motion.h"

namespace trammel {

// Takes the positions of x, of equations in joint coordinates, to where Cartesian coordinates would be assembled; leaves x
// alone if it is there already, or if that fails, or in other coordinates. What is left to do is round-off.
void take_common_start(MechanismEquations& equations, double t, const AssemblyOptions& options, Vector& x);

}  // namespace trammel
