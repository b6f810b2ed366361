#include "trammel/formulation/sparse_motion_problem.h"

#include "trammel/formulation/finite_values.h"

namespace trammel {

bool SparseMotionProblem::fits(EquationsOfMotion& motion) {
  const Layout& layout = motion.layout();
  return motion.sparse() != nullptr && motion.structure().constant_mass && layout.w.size == 0 &&
         layout.s.size == 0 && layout.invariants == 0;
}

Outcome SparseMotionProblem::evaluate(double t, const VectorIn& x, Parts wanted) {
  return guarded(t, [&] {
    motion_.evaluate({t, x.head(layout_.total), a_}, wanted, values_);
    return are_finite(wanted, values_) ? std::string()
                                       : describe_non_finite(motion_, wanted & ~Parts{part::mass}, values_);
  });
}

Outcome SparseMotionProblem::differentiate(double t, const VectorIn& x, unsigned wanted) {
  return guarded(t, [&] {
    sparse_.differentiate_sparse({t, x.head(layout_.total), a_}, wanted);
    return std::string();
  });
}

}  // namespace trammel
