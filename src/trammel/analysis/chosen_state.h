// A state that a user chooses by a few values: "the arm at A.angle = 30°, B.angle_rate = 2 rad/s".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trammel/motion/joint_equations.h"
#include "trammel/numerics/failure.h"

namespace trammel {

// Values by the names of joint coordinates and their rates, of whatever else a model may give initial values for
// ("P.position.x"), of force states, and of unknowns that only joint coordinates have ("ball.e0", "chassis.x").
using ChosenValues = std::vector<std::pair<std::string, double>>;

// The state at time t in which a mechanism begins, with these values instead of those that it has there; what has no
// value changes as little as the joints allow. x is laid out as `equations` says: those of the mechanism without its
// motors (joint_dynamics.h), since drivers do not count where values are given. Throws std::invalid_argument for a name
// that does not exist, with those that do, and ModelError.
Failure find_chosen_state(const Mechanism& mechanism, JointEquations& equations, double t,
                          const ChosenValues& values, Vector& x);

}  // namespace trammel
