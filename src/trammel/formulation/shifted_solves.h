// Shifted solves that are the same for real and for complex shifts: a formulation derives from ShiftedSolves<itself> in
// place of ImplicitProblem and writes them once, as templates on the scalar:
//
//   template <class Scalar> bool factor_shifted(Scalar shift);    // false where the matrix is singular
//   template <class Scalar> void solve_shifted(const Eigen::Ref<const ColumnOf<Scalar>>& residual,
//                                              Eigen::Ref<ColumnOf<Scalar>> x);
//
// Its header says `extern template class ShiftedSolves<...>`, its source where these templates are says `template class`.
#pragma once

#include <complex>

#include "trammel/formulation/implicit_problem.h"

namespace trammel {

template <class Scalar>
using ColumnOf = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

template <class Formulation>
class ShiftedSolves : public ImplicitProblem {
 public:
  Outcome factor(double shift) final;
  Outcome factor(std::complex<double> shift) final;
  void solve(VectorIn residual, VectorOut x) final;
  void solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) final;

 protected:
  Outcome matrix_singular() {
    return try_again(Reason::differential_singular, "the matrix of Newton's iteration is singular");
  }

 private:
  Formulation& formulation() { return static_cast<Formulation&>(*this); }
};

// One factorisation of both is counted.
template <class Formulation>
Outcome ShiftedSolves<Formulation>::factor(double shift) {
  ++statistics().decompositions;
  return formulation().factor_shifted(shift) ? Outcome::ok : matrix_singular();
}

template <class Formulation>
Outcome ShiftedSolves<Formulation>::factor(std::complex<double> shift) {
  return formulation().factor_shifted(shift) ? Outcome::ok : matrix_singular();
}

template <class Formulation>
void ShiftedSolves<Formulation>::solve(VectorIn residual, VectorOut x) {
  formulation().template solve_shifted<double>(residual, x);
}

template <class Formulation>
void ShiftedSolves<Formulation>::solve(const Eigen::Ref<const ComplexVector>& residual,
                                       Eigen::Ref<ComplexVector> x) {
  formulation().template solve_shifted<std::complex<double>>(residual, x);
}

}  // namespace trammel
