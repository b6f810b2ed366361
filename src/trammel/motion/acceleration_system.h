// The linear system behind accelerations, and behind projections in the norm of the masses:
//
//   [ M  Dᵀ ] [ x ]   [ a ]
//   [ D  0  ] [ y ] = [ b ]          D = [GZ; HZ]
//
// It is solved with [M Dᵀ; D −εI], ε tiny, and refined. So redundant rows do no harm, and neither does a
// change of rank: directions whose singular value is below √ε are left alone. Refinement also lets factors of
// a point near by serve.
#pragma once

#include <memory>
#include <vector>

#include "trammel/motion/tangent_motion.h"

namespace trammel {

class AccelerationSystem {
 public:
  enum class Rows { all, holonomic };
  // ε, relative to the diagonal of D M⁻¹ Dᵀ.
  static constexpr double regularization = 1e-10;
  // What counts as the mass of a body that has none in some direction, there.
  static double least_mass(const Vector& diagonal);

  virtual ~AccelerationSystem() = default;

  // Matrices at a point; before the first factor().
  virtual void take(const MotionPoint& at) = 0;
  // False where the masses do not determine the accelerations.
  virtual bool factor() = 0;
  // (upper, lower) become (x, y). Refined until corrections are below `accuracy`, relative to the solution,
  // or do not shrink; returns their last size, or zero where there is nothing to refine. `lower` has the chosen
  // rows.
  double solve(Vector& upper, Vector& lower, double accuracy, Rows rows = Rows::all);
  // Whether refinement in the last solve() left something over, as it does close to a singular position: accelerations
  // or multipliers of directions that ε weighs as much as their singular value.
  bool left_something() const { return left_something_; }
  // Without refinement, for iterations that correct themselves.
  void solve_near(Vector& upper, Vector& lower, Rows rows) { solve_once(upper, lower, rows); }
  // (upper, lower) − [M Dᵀ; D 0] (x, y), with the matrices of the last take().
  virtual void subtract_product(const Vector& x, const Vector& y, Vector& upper, Vector& lower) const = 0;

  // Whether some rows depend on others at the point of the last take(); marks those that do not.
  virtual bool find_redundant(std::vector<char>& independent) = 0;
  // Whether the factors at hand have shown that no row depends on others.
  virtual bool rows_are_independent() const { return false; }
  // Of all multipliers with the same effect at the point of the last take(), those of minimal norm.
  virtual void minimize(VectorOut multipliers) = 0;
  // From here on factors depend on their own point, and on the very first, and not on those between: pivots are chosen anew.
  // False if that cannot be had.
  virtual bool forget_pivots() { return false; }
  // Whether solutions are as good as it gets: factors are of the point of the last take(), and exact.
  virtual bool is_exact() const { return false; }

 protected:
  // With the factors.
  virtual void solve_once(Vector& upper, Vector& lower, Rows rows) = 0;

 private:
  bool left_something_ = false;
  Vector upper_, lower_, x_, y_;
};

// By KLU, for any equations. The motion must outlive it.
std::unique_ptr<AccelerationSystem> make_sparse_acceleration_system(TangentMotion& motion,
                                                                    double rank_tolerance);

}  // namespace trammel
