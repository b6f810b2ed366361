#include "trammel/motion/mass_inverse.h"

namespace trammel {

bool MassInverse::factor(const Matrix& M, bool diagonal) {
  weight_ = 0;
  diagonal_ = diagonal;
  if (M.rows() == 0) return true;
  if (!diagonal) {
    full_ = M;
    return factor_dense();
  }
  inverse_ = M.diagonal();
  for (double& value : inverse_) {
    if (!(value > 0)) return false;
    value = 1 / value;
  }
  return true;
}

bool MassInverse::factor_on_kernel(const Matrix& M, const Matrix& C) {
  diagonal_ = false;
  if (M.rows() == 0) return true;
  const double size = C.squaredNorm();
  weight_ = size > 0 && M.norm() > 0 ? M.norm() * static_cast<double>(C.rows()) / size : 1.0;
  full_ = M;
  full_.noalias() += weight_ * C.transpose() * C;
  return factor_dense();
}

bool MassInverse::factor_dense() {
  llt_.compute(full_);
  if (llt_.info() != Eigen::Success) return false;
  // the squares of the diagonal of L are the pivots, measured against the diagonal of the matrix itself
  for (Index i = 0; i < full_.rows(); ++i) {
    const double pivot = llt_.matrixLLT()(i, i);
    if (!(pivot * pivot > 1e-14 * full_(i, i))) return false;
  }
  return true;
}

}  // namespace trammel
