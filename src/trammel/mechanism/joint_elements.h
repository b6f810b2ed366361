// Joints, couplers and drivers as rows of constraints.
//
// A joint is made from the kernels of constraint_kernels.h and velocity_kernels.h. Its frames say where it is
// on both bodies; z is the axis. The rows that carry a force come first, those that carry a torque after
// them:
//
//   <joint>.x, .y, .z           the origins coincide, in world axes, or in those of A (PointRows)
//   <joint>.offset-1, -2        the second origin stays on the first z axis; in directions x and y of A
//   <joint>.offset              the second origin stays in the first xy plane
//   <joint>.pitch               a screw's displacement follows its angle
//   <joint>.distance, .height   of the origins; of a disk's or sphere's lowest point over a plane
//   <joint>.axis-1, axis-2      z of B is perpendicular to x and y of A
//   <joint>.axis                of a universal joint: z of A is perpendicular to x of B
//   <joint>.rotation            nothing turns about z
//   <joint>.roll-1, -2, .slip   at velocity level: no slip in a plane, no slip of a knife edge sidewards
//
// Rows of perpendicular axes also vanish when an axis points backwards: assembly from a reference position
// near the wanted one finds the wanted one.
#pragma once

#include "trammel/mechanism/elements.h"
#include "trammel/mechanism/quantity.h"

namespace trammel {

// Rows and coordinates of all joints.
void add_joints(const Mechanism& mechanism, Elements& elements, QuantityCompiler& compiler, PointRows points);

// Couplers: Σ factor · coordinate = offset, a row "<coupler>.tie".
void add_couplers(const Mechanism& mechanism, Elements& elements, QuantityCompiler& compiler);

// Drivers: a row "<driver>.driver". Those of a velocity or an acceleration are rows at velocity level: their
// time functions give a rate and its derivative. Needs Elements::initial.
void add_drivers(const Mechanism& mechanism, Elements& elements, QuantityCompiler& compiler);

// The multipliers that are the perpendicular components of the force in a joint.
std::vector<Input> reaction_force(JointType type, const Elements::JointRows& rows);

// How far apart the origins of a joint's frames are at the reference position.
double reference_distance(const Mechanism& mechanism, const Joint& joint);

}  // namespace trammel
