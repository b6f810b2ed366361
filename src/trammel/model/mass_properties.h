// Mass, centre of mass and inertia of solids, and of several together.
#pragma once

#include <optional>
#include <vector>

#include "trammel/mechanism/mechanism.h"

namespace trammel {

struct MassProperties {
  double mass = 0;
  Vec3<double> com;
  Mat3<double> inertia;  // about the centre of mass
};

// What a point mass at the end of an arm adds to the inertia: m (|d|² 1 − d dᵀ).
Mat3<double> inertia_of_point(double mass, const Vec3<double>& arm);

// A tensor given in other axes (columns): A I Aᵀ.
Mat3<double> in_axes(const Mat3<double>& axes, const Mat3<double>& inertia);

// The smallest principal moment of inertia.
double lowest_moment(const Mat3<double>& inertia);
// By how much the principal moments of inertia miss what a real body has: none is negative, the largest is at
// most the sum of the others. Zero or less if they do not.
double excess_of_inertia(const Mat3<double>& inertia);
// The nearest that a real body can have, with the same principal axes.
Mat3<double> nearest_real_inertia(const Mat3<double>& inertia);

// The ends of a capsule may be counted as half balls, or left out: a rod is a cylinder that is drawn with
// round ends.
enum class CapsuleEnds { round, none };

// Of a homogeneous solid, in the frame that the shape's frame is given in. A mesh has none.
std::optional<MassProperties> solid(const Shape& shape, double density,
                                    CapsuleEnds ends = CapsuleEnds::round);

// All in the same axes, about the common centre of mass.
MassProperties together(const std::vector<MassProperties>& parts);

// The same thing seen from a frame in which `frame` is given.
MassProperties seen_from_outside(const Frame& frame, const MassProperties& properties);

}  // namespace trammel
