#include "trammel/motion/acceleration_system.h"

#include <cmath>
#include <limits>

#include "trammel/numerics/norms.h"

namespace trammel {

double AccelerationSystem::least_mass(const Vector& diagonal) {
  const double most = largest(diagonal);
  return most > 0 ? 1e-6 * most : 1;
}

double AccelerationSystem::solve(Vector& upper, Vector& lower, double accuracy, Rows rows) {
  left_something_ = false;
  if (is_exact()) {
    solve_once(upper, lower, rows);
    return 0;
  }
  upper_ = upper;
  lower_ = lower;
  solve_once(upper, lower, rows);
  double previous = std::numeric_limits<double>::infinity();
  for (int refinement = 0; refinement < 5; ++refinement) {
    x_ = upper_;
    y_ = lower_;
    subtract_product(upper, lower, x_, y_);
    solve_once(x_, y_, rows);
    // multipliers of redundant rows are not determined, and do not matter
    const double size = largest(x_) / (largest(upper) + std::numeric_limits<double>::min());
    if (!std::isfinite(size)) return size;
    left_something_ = size > 1e-10 || largest(y_) > 1e-5 * largest(lower);
    if (!(size < previous)) break;
    upper += x_;
    lower += y_;
    previous = size;
    if (size <= accuracy) break;
  }
  return previous;
}

}  // namespace trammel
