// Built-in problems that are made of bodies and joints, in Cartesian coordinates.
#pragma once

#include "trammel/mechanism/mechanism.h"
#include "trammel/motion/euler_parameters.h"
#include "trammel/published/builtin.h"

namespace trammel {

// The mechanism ready to run, its energy watched. Throws std::invalid_argument if it is not sound.
ProblemCase mechanism_case(const Mechanism& mechanism);

// Where a point of a body is in the world; the body counted from 1, the point from its centre of mass, in its
// axes.
Eigen::Vector3d point_of_body(const Vector& x, int body, const Eigen::Vector3d& point = {0, 0, 0});

// diag(x, y, z)
Mat3<double> principal_inertia(double x, double y, double z);

}  // namespace trammel
