// Adds Simbody to a contest, or nothing where Simbody was not found.
//
// Simbody brings a copy of the vectors of SUNDIALS, with the same names: loaded beside SUNDIALS in the usual
// way, CPodes calls the functions of the wrong one. So what uses Simbody is a library of its own, loaded at
// run time with its own names first.
//
// Debian builds Simbody with its assertions on, which costs it some time.
#pragma once

#include <memory>

#include "contest.h"
#include "scaling.h"

namespace peers {

void add_simbody_n_four_bar(int windows, double exact_angle, Contest& contest);
void add_simbody_chain(const std::vector<double>& exact_angles, Contest& contest);
void add_simbody_andrews(Contest& contest);
void add_simbody_double_pendulum(Contest& contest);
void add_simbody_pendulum(double exact_angle, Contest& contest);
// Nothing where Simbody was not found.
std::unique_ptr<ScaledModel> simbody_scaled_model(Growing growing, int bodies);

}  // namespace peers
