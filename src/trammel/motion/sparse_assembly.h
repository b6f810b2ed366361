// Assembly (assembly.h) of large mechanisms: the same stages with sparse matrices. Redundant rows pass as
// damped least squares; which rows depend on the others is decided at the position found.
#pragma once

#include "trammel/motion/assembly.h"
#include "trammel/motion/sparse_kkt.h"
#include "trammel/motion/tangent_motion.h"
#include "trammel/numerics/sparse_rank.h"

namespace trammel {

class SparseAssembly {
 public:
  SparseAssembly(EquationsOfMotion& equations, AssemblyOptions options = {});

  // As Assembly::run().
  AssemblyReport run(double t, Vector& x);

 private:
  // One level: rows of constraints, then conditions.
  struct Stage {
    Condition::Level level;
    std::vector<std::string> names;
    Vector residual;
    AssembledMatrix jacobian;
    SparseKkt kkt;
  };

  void evaluate(double t, const Vector& x, Stage& stage);
  void differentiate(double t, const Vector& x, Stage& stage);
  void move(const Vector& by, double factor, const Stage& stage, Vector& x) const;
  Failure solve(double t, Vector& x, Stage& stage, AssemblyReport& report);
  void meet_independent_rows(double t, Vector& x);
  Failure conditions_met(const Stage& stage) const;
  Failure explain(const Stage& stage) const;
  Failure solve_accelerations_and_rank(double t, Vector& x, AssemblyReport& report);

  EquationsOfMotion& equations_;
  std::unique_ptr<TangentMotion> tangent_;
  AssemblyOptions options_;
  const Layout layout_;
  MotionValues values_;
  Vector rest_;
  SparseMatrix weights_;
};

}  // namespace trammel
