// How fast the equations of motion answer a disturbance: an estimate of |λ|, the largest rate among the
// eigenvalues of the motion linearised at a state, whether these decay, oscillate or grow. An explicit method is
// stable for steps of a few 1/|λ| only.
//
// The power method on differences of accelerations, as explicit stabilised methods estimate it (B. Sommeijer,
// L. Shampine, J. Verwer, RKC, J. Comput. Appl. Math. 88, 1998): about as many evaluations as one step of DOP853, and
// no matrix.
#pragma once

#include <optional>

#include "trammel/motion/consistent_state.h"

namespace trammel {

// In 1/s, mostly right to a few per cent; none if it cannot be told. `motion` is that of `state`, and x has no more
// unknowns than its layout.
std::optional<double> fastest_rate(ConsistentState& state, TangentMotion& motion, double t, const Vector& x);

}  // namespace trammel
