// What can be chosen of forms whose constraint forces are penalties, or multipliers on top of them (penalty_motion.h).
#pragma once

namespace trammel {

struct PenaltyOptions {
  enum class Form {
    penalty,  // forces in proportion to the violation
    augmented,  // multipliers on top, until constraints are met to `level`; velocities and accelerations projected
    index3,  // multipliers, positions constrained
    ggl      // the same with velocities constrained too, and positions put back by displacements of their own
  };
  Form form = Form::penalty;
  // α of `penalty`: of a mass of one that a constraint moves (1/s²) if scaled, as it is (N/m) otherwise.
  double factor = 1e9;
  bool scaled = true;
  // augmented: what constraints may be violated by at the end of a step, relative to one unit or the largest velocity or
  // acceleration.
  double level = 1e-10;
  // How many iterations derivatives of forces serve.
  int jacobian_iterations = 3;
  double rank_tolerance = 1e-9;
};

}  // namespace trammel
