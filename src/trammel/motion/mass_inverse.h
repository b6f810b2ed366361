// Solves with the mass matrix, using what is known of its structure. A mass matrix that is singular but
// positive definite on the kernel of the constraints C is replaced by M + Cᵀ W C, which changes nothing on
// the constraints.
#pragma once

#include "trammel/motion/sizes.h"

namespace trammel {

class MassInverse {
 public:
  // False if M is not positive definite (to round-off).
  bool factor(const Matrix& M, bool diagonal);
  // M + Cᵀ W C with the weight W chosen to match the size of M. False if that is not positive definite
  // either.
  bool factor_on_kernel(const Matrix& M, const Matrix& C);

  // The weight W of the last factor_on_kernel().
  double weight() const { return weight_; }

  template <class Derived>
  void solve_in_place(Eigen::MatrixBase<Derived>& b) const {
    if (diagonal_)
      b.array().colwise() *= inverse_.array();
    else if (b.rows() > 0)
      llt_.solveInPlace(b);
  }

 private:
  bool factor_dense();

  bool diagonal_ = false;
  double weight_ = 0;
  Vector inverse_;
  Matrix full_;
  Eigen::LLT<Matrix> llt_;
};

}  // namespace trammel
