// The last level of the assembly: accelerations and multipliers,
//
//   M a = f − ZᵀGᵀλ − ZᵀHᵀμ,   gᴵᴵ = 0,   hᴵ = 0,
//
// by Newton's iteration with [M Dᵀ−f_λ; D 0], of the rows that do not depend on others. Multipliers of
// redundant constraints come out with minimal norm. For the sources of the assembly only.
#pragma once

#include <vector>

#include "trammel/motion/assembly.h"
#include "trammel/motion/minimal_multipliers.h"
#include "trammel/motion/sparse_kkt.h"
#include "trammel/motion/tangent_motion.h"

namespace trammel {

class AssemblyAccelerations {
 public:
  AssemblyAccelerations(TangentMotion& motion, const AssemblyOptions& options);

  // Sets report.accelerations and the multipliers of x, unless these are consistent already. `dependent`:
  // rows of [GZ; HZ] that depend on others.
  Failure solve(double t, const std::vector<Index>& dependent, Vector& x, AssemblyReport& report);

 private:
  Failure evaluate(const Vector& x, const Vector& a);
  bool solve_tree(const Vector& x, Vector& a);
  Failure linearize(const Vector& x, const Vector& a);
  void correct(const Vector& a);
  bool multipliers_serve(const Vector& x) const;
  Failure iterate(bool redundant, Vector& x, AssemblyReport& report);
  void minimize(VectorOut multipliers);
  bool forces_may_depend_on_multipliers() const;
  bool forces_depend_on_multipliers() const;
  Failure undetermined();

  TangentMotion& motion_;
  const AssemblyOptions& options_;
  const Layout layout_;
  const Block multipliers_;  // λ and μ are neighbours in x
  double t_ = 0;
  MotionValues values_;
  std::vector<char> active_;
  unsigned pattern_ = 0;

  // in units in which masses and rows of D have size one
  Vector column_scale_, row_scale_;
  SparseMatrix mass_, jacobian_, coupling_;
  SparseKkt kkt_;
  MinimalMultipliers minimal_;
  Vector upper_, lower_;  // the last correction of a and of the multipliers
};

}  // namespace trammel
