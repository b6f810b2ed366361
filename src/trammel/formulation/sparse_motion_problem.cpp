#include "trammel/formulation/sparse_motion_problem.h"

#include <cmath>

namespace trammel {

bool SparseMotionProblem::fits(EquationsOfMotion& motion) {
  const Layout& layout = motion.layout();
  return motion.sparse() != nullptr && motion.structure().constant_mass && layout.w.size == 0 &&
         layout.s.size == 0 && layout.invariants == 0;
}

Outcome SparseMotionProblem::evaluate(double t, const VectorIn& x, Parts wanted) {
  return guarded(t, [&] {
    motion_.evaluate({t, x.head(layout_.total), a_}, wanted, values_);
    // one sum tells whether any value is not finite; the search for which one is for the bad case
    double sum = 0;
    const auto add = [&](Parts which, const Vector& rows) {
      if ((wanted & which) != 0) sum += rows.sum();
    };
    add(part::kinematics, values_.kinematics);
    add(part::dynamics, values_.dynamics);
    add(part::b, values_.b);
    add(part::g, values_.g);
    add(part::gI, values_.gI);
    add(part::gII, values_.gII);
    add(part::h, values_.h);
    add(part::hI, values_.hI);
    add(part::n, values_.n);
    return std::isfinite(sum) ? std::string()
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
