// Full Newton on the three stages of a step of Radau IIA, each with the matrices of its own point, for steps
// across a position where no single matrix serves:
//
//     (weights ⊗ E − diag(J_i)) (δ_1, δ_2, δ_3) = residuals .
#pragma once

#include <array>

#include "trammel/formulation/problem.h"

namespace trammel {

class StageNewton {
 public:
  virtual ~StageNewton() = default;

  // The residual of the same stage is asked for next.
  virtual Outcome linearize_stage(int stage, double t, VectorIn x, VectorIn xdot) = 0;
  virtual Outcome factor_stages(const Eigen::Matrix3d& weights) = 0;
  virtual void solve_stages(const std::array<Vector, 3>& residuals, std::array<Vector, 3>& changes) = 0;
  // Gives a guess the multipliers that belong to its positions and velocities: across such a position they
  // cannot be extrapolated.
  virtual Outcome guess_multipliers(double /*t*/, VectorOut /*x*/) { return Outcome::ok; }
};

}  // namespace trammel
