#include "trammel/formulation/tangent_problem.h"

#include "trammel/formulation/finite_values.h"

namespace trammel {

Outcome TangentProblem::evaluate(double t, const VectorIn& x, Parts wanted) {
  const Outcome outcome = guarded(t, [&] {
    tangent_->evaluate({t, x.head(layout_.total), a_}, wanted, values_);
    return are_finite(wanted, values_)
               ? std::string()
               : describe_non_finite(tangent_->names(), wanted & ~Parts{part::mass}, values_);
  });
  if ((wanted & part::mass) != 0) watch_patterns();
  return outcome;
}

Outcome TangentProblem::differentiate(double t, const VectorIn& x, unsigned wanted) {
  const Outcome outcome = guarded(t, [&] {
    return tangent_->differentiate({t, x.head(layout_.total), a_}, wanted);
  });
  watch_patterns();
  return outcome;
}

void TangentProblem::watch_patterns() {
  if (tangent_->pattern() == pattern_) return;
  pattern_ = tangent_->pattern();
  patterns_grown();
}

Outcome TangentProblem::settle(double t, VectorOut x) {
  return guarded(t, [&] {
    tangent_->settle(t, x.head(layout_.total));
    return std::string();
  });
}

void TangentProblem::to_positions(const VectorIn& p, const ComplexVector& q,
                                  const ComplexVector& normalizations, Eigen::Ref<ComplexVector> change) {
  part_p_.resize(layout_.p.size);
  part_q_ = q.real();
  part_n_ = normalizations.real();
  to_positions(p, part_q_, part_n_, part_p_);
  change.real() = part_p_;
  part_q_ = q.imag();
  part_n_ = normalizations.imag();
  to_positions(p, part_q_, part_n_, part_p_);
  change.imag() = part_p_;
}

}  // namespace trammel
