// Trajectories as comma separated values.
//
// The first line holds the names, a name with a comma, quote or line break quoted as in RFC 4180; lines end
// with '\n'. Numbers have 17 significant digits, so that reading them gives the same bits; "nan", "inf" and
// "-inf" stand for what is not finite. The same trajectory gives the same bytes, whatever the locale.
#pragma once

#include <iosfwd>

#include "trammel/result/trajectory.h"

namespace trammel {

// One line for each sample: t, then the columns.
void write_csv(std::ostream& out, const Trajectory& trajectory);

// One line for each accepted step: t, h, position_violation, velocity_violation, acceleration_violation,
// invariant_error.
void write_steps_csv(std::ostream& out, const Trajectory& trajectory);

}  // namespace trammel
