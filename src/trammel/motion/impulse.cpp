#include "trammel/motion/impulse.h"

#include "trammel/motion/sparse_kkt.h"
#include "trammel/motion/sparse_motion.h"

namespace trammel {

namespace {

// Δv for the residual of the velocity constraints.
bool sparse_change(SparseMotion& sparse, const MotionPoint& at, const Vector& residual, Vector& change) {
  constexpr double regularization = 1e-12;
  sparse.differentiate_sparse(at, SparseMotion::jacobian);
  SparseKkt system;
  if (!system.factor(sparse.slopes().mass, sparse.slopes().jacobian, {}, regularization)) return false;
  Vector lower = -residual;
  system.solve(change, lower);
  return change.allFinite();
}

bool dense_change(EquationsOfMotion& equations, const MotionPoint& at, const Vector& residual,
                  Vector& change) {
  const Layout& l = equations.layout();
  const Index nv = l.v.size, rows = residual.size();
  MotionValues values(l);
  MotionDerivatives derivatives(l);
  equations.evaluate(at, part::mass, values);
  equations.differentiate(at, part::velocity_level, derivatives);
  Matrix D(rows, nv);
  D << derivatives.gI.middleCols(l.v.begin, nv), derivatives.h.middleCols(l.v.begin, nv);
  Matrix system = Matrix::Zero(nv + rows, nv + rows);
  system.topLeftCorner(nv, nv) = values.M;
  system.topRightCorner(nv, rows) = D.transpose();
  system.bottomLeftCorner(rows, nv) = D;
  Vector right = Vector::Zero(nv + rows);
  right.tail(rows) = -residual;
  change = system.completeOrthogonalDecomposition().solve(right).head(nv);
  return change.allFinite();
}

}  // namespace

bool apply_impulse(EquationsOfMotion& equations, double t, Vector& x) {
  const Layout& l = equations.layout();
  const Vector rest = Vector::Zero(l.v.size);
  MotionValues values(l, false);
  Vector residual(l.lambda.size + l.mu.size), change;
  // constraints are linear in the velocities; the second time for round-off
  for (int time = 0; time < 2; ++time) {
    equations.evaluate({t, x, rest}, part::velocity_level, values);
    residual << values.gI, values.h;
    change = Vector::Zero(l.v.size);
    SparseMotion* sparse = equations.sparse();
    if (!(sparse != nullptr ? sparse_change(*sparse, {t, x, rest}, residual, change)
                            : dense_change(equations, {t, x, rest}, residual, change)))
      return false;
    x.segment(l.v.begin, l.v.size) += change;
  }
  return true;
}

}  // namespace trammel
