// The initial state of a mechanism, and what there is to say about its constraints, whatever the coordinates of its
// equations.
//
// Where a mechanism starts must not depend on its coordinates. Assembly moves what does not fit as little as possible, and
// what is little for bodies is not so for joints: so it is the bodies that count. In joint coordinates the bodies are
// assembled first, with the equations of all joints: these tell which constraints depend on others, which contradict each
// other and how well they can be closed. The coordinates of the tree are taken from there, and what is left to do is
// round-off. A tree without loops that stands where it should needs none of this.
#pragma once

#include "trammel/motion/mechanism_motion.h"

namespace trammel {

// Assembly as a run does it, whatever its method: with the conditions of the mechanism, and bodies kept as
// firmly as it says.
AssemblyOptions assembly_options(MechanismEquations& equations);

// x is the state to begin with, as of equations.initial_state().
AssemblyReport assemble_mechanism(MechanismEquations& equations, double t, Vector& x);
AssemblyReport assemble_mechanism(MechanismEquations& equations, double t, Vector& x,
                                  AssemblyOptions options);

}  // namespace trammel
