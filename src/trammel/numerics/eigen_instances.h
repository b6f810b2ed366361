// Parts of Eigen that many sources use and that take long to compile: compiled once, in
// eigen_instances.cpp and eigen_orthogonal_instances.cpp.
//
// Part of the precompiled header, so that no source has to name it; whoever compiles without one gets the same functions,
// only later. Never installed: a user's program may be compiled for another processor, with other kernels.
#pragma once

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <complex>

// `template` in the source that compiles them
#ifndef TRAMMEL_EIGEN_TEMPLATE
#define TRAMMEL_EIGEN_TEMPLATE extern template
#endif
#ifndef TRAMMEL_EIGEN_ORTHOGONAL
#define TRAMMEL_EIGEN_ORTHOGONAL extern template
#endif

namespace Eigen {

// products of matrices and vectors: what no compiler inlines
namespace internal {

#define TRAMMEL_EIGEN_KERNELS(Scalar)                                                                        \
  TRAMMEL_EIGEN_TEMPLATE struct gebp_kernel<Scalar, Scalar, Index, blas_data_mapper<Scalar, Index, 0, 0, 1>, \
                                            gebp_traits<Scalar, Scalar>::mr,                                 \
                                            gebp_traits<Scalar, Scalar>::nr, false, false>;                  \
  TRAMMEL_EIGEN_TEMPLATE struct gemm_pack_lhs<                                                               \
      Scalar, Index, const_blas_data_mapper<Scalar, Index, 0>, gebp_traits<Scalar, Scalar>::mr,              \
      gebp_traits<Scalar, Scalar>::LhsProgress, gebp_traits<Scalar, Scalar>::LhsPacket4Packing, 0, false,    \
      false>;                                                                                                \
  TRAMMEL_EIGEN_TEMPLATE struct gemm_pack_lhs<                                                               \
      Scalar, Index, const_blas_data_mapper<Scalar, Index, 1>, gebp_traits<Scalar, Scalar>::mr,              \
      gebp_traits<Scalar, Scalar>::LhsProgress, gebp_traits<Scalar, Scalar>::LhsPacket4Packing, 1, false,    \
      false>;                                                                                                \
  TRAMMEL_EIGEN_TEMPLATE struct gemm_pack_rhs<Scalar, Index, const_blas_data_mapper<Scalar, Index, 0>,       \
                                              gebp_traits<Scalar, Scalar>::nr, 0, false, false>;             \
  TRAMMEL_EIGEN_TEMPLATE struct gemm_pack_rhs<Scalar, Index, const_blas_data_mapper<Scalar, Index, 1>,       \
                                              gebp_traits<Scalar, Scalar>::nr, 1, false, false>;             \
  TRAMMEL_EIGEN_TEMPLATE struct gemm_pack_rhs<Scalar, Index, blas_data_mapper<Scalar, Index, 0, 0, 1>,       \
                                              gebp_traits<Scalar, Scalar>::nr, 0, false, true>;              \
  TRAMMEL_EIGEN_TEMPLATE void evaluateProductBlockingSizesHeuristic<Scalar, Scalar, 1, Index>(               \
      Index&, Index&, Index&, Index);                                                                        \
  TRAMMEL_EIGEN_TEMPLATE void evaluateProductBlockingSizesHeuristic<Scalar, Scalar, 4, Index>(               \
      Index&, Index&, Index&, Index);                                                                        \
  TRAMMEL_EIGEN_TEMPLATE struct general_matrix_vector_product<                                               \
      Index, Scalar, const_blas_data_mapper<Scalar, Index, 0>, 0, false, Scalar,                             \
      const_blas_data_mapper<Scalar, Index, 0>, false, 0>;                                                   \
  TRAMMEL_EIGEN_TEMPLATE struct general_matrix_vector_product<                                               \
      Index, Scalar, const_blas_data_mapper<Scalar, Index, 0>, 0, false, Scalar,                             \
      const_blas_data_mapper<Scalar, Index, 1>, false, 0>;                                                   \
  TRAMMEL_EIGEN_TEMPLATE struct general_matrix_vector_product<                                               \
      Index, Scalar, const_blas_data_mapper<Scalar, Index, 1>, 1, false, Scalar,                             \
      const_blas_data_mapper<Scalar, Index, 0>, false, 0>;

TRAMMEL_EIGEN_KERNELS(double)
TRAMMEL_EIGEN_KERNELS(std::complex<double>)
#undef TRAMMEL_EIGEN_KERNELS

TRAMMEL_EIGEN_TEMPLATE struct general_matrix_vector_product<
    Index, double, const_blas_data_mapper<double, Index, 1>, 1, false, double,
    const_blas_data_mapper<double, Index, 1>, false, 0>;
TRAMMEL_EIGEN_TEMPLATE struct general_matrix_vector_product<
    Index, double, const_blas_data_mapper<double, Index, 1>, 1, false, double,
    const_blas_data_mapper<double, Index, 1>, false, 1>;

// triangular matrices
TRAMMEL_EIGEN_TEMPLATE struct triangular_solve_matrix<double, Index, OnTheLeft, Lower, false, 0, 0, 1>;
TRAMMEL_EIGEN_TEMPLATE struct triangular_solve_matrix<double, Index, OnTheLeft, UnitLower, false, 0, 0, 1>;
TRAMMEL_EIGEN_TEMPLATE struct triangular_solve_matrix<double, Index, OnTheLeft, Upper, false, 0, 0, 1>;
TRAMMEL_EIGEN_TEMPLATE struct triangular_solve_matrix<double, Index, OnTheLeft, Upper, false, 1, 0, 1>;
TRAMMEL_EIGEN_TEMPLATE struct triangular_solve_matrix<double, Index, OnTheRight, Upper, false, 1, 0, 1>;
TRAMMEL_EIGEN_TEMPLATE struct triangular_solve_matrix<std::complex<double>, Index, OnTheLeft, UnitLower,
                                                      false, 0, 0, 1>;
TRAMMEL_EIGEN_ORTHOGONAL struct product_triangular_matrix_matrix<double, Index, Lower, true, 0, false, 0,
                                                                 false, 0, 1, 0>;
TRAMMEL_EIGEN_ORTHOGONAL struct product_triangular_matrix_matrix<double, Index, UnitLower, true, 0, false, 0,
                                                                 false, 0, 1, 0>;
TRAMMEL_EIGEN_ORTHOGONAL struct product_triangular_matrix_matrix<double, Index, Upper, true, 1, false, 0,
                                                                 false, 0, 1, 0>;
TRAMMEL_EIGEN_ORTHOGONAL struct product_triangular_matrix_matrix<double, Index, UnitUpper, true, 1, false, 0,
                                                                 false, 0, 1, 0>;

// sparse matrices
TRAMMEL_EIGEN_TEMPLATE void assign_sparse_to_sparse<SparseMatrix<double>, SparseMatrix<double>>(
    SparseMatrix<double>&, const SparseMatrix<double>&);

}  // namespace internal

// decompositions, and solutions with them for plain right-hand sides
TRAMMEL_EIGEN_TEMPLATE class PartialPivLU<MatrixXd>;
TRAMMEL_EIGEN_TEMPLATE class PartialPivLU<MatrixXcd>;
TRAMMEL_EIGEN_TEMPLATE class FullPivLU<MatrixXd>;
TRAMMEL_EIGEN_TEMPLATE void FullPivLU<MatrixXd>::_solve_impl<VectorXd, VectorXd>(const VectorXd&,
                                                                                 VectorXd&) const;
TRAMMEL_EIGEN_TEMPLATE void FullPivLU<MatrixXd>::_solve_impl<MatrixXd, MatrixXd>(const MatrixXd&,
                                                                                 MatrixXd&) const;

TRAMMEL_EIGEN_TEMPLATE LLT<MatrixXd>& LLT<MatrixXd>::compute<MatrixXd>(const EigenBase<MatrixXd>&);
TRAMMEL_EIGEN_TEMPLATE void LLT<MatrixXd>::_solve_impl_transposed<true, VectorXd, VectorXd>(const VectorXd&,
                                                                                            VectorXd&) const;
TRAMMEL_EIGEN_TEMPLATE void LLT<MatrixXd>::_solve_impl_transposed<true, MatrixXd, MatrixXd>(const MatrixXd&,
                                                                                            MatrixXd&) const;
TRAMMEL_EIGEN_TEMPLATE LDLT<MatrixXd>& LDLT<MatrixXd>::compute<MatrixXd>(const EigenBase<MatrixXd>&);
TRAMMEL_EIGEN_TEMPLATE void LDLT<MatrixXd>::_solve_impl_transposed<true, VectorXd, VectorXd>(const VectorXd&,
                                                                                             VectorXd&) const;

TRAMMEL_EIGEN_ORTHOGONAL class HouseholderQR<MatrixXd>;
TRAMMEL_EIGEN_ORTHOGONAL class ColPivHouseholderQR<MatrixXd>;
TRAMMEL_EIGEN_ORTHOGONAL ColPivHouseholderQR<MatrixXd>& ColPivHouseholderQR<MatrixXd>::compute<MatrixXd>(
    const EigenBase<MatrixXd>&);
TRAMMEL_EIGEN_ORTHOGONAL void ColPivHouseholderQR<MatrixXd>::_solve_impl<VectorXd, VectorXd>(const VectorXd&,
                                                                                             VectorXd&) const;
TRAMMEL_EIGEN_ORTHOGONAL class CompleteOrthogonalDecomposition<MatrixXd>;
TRAMMEL_EIGEN_ORTHOGONAL void CompleteOrthogonalDecomposition<MatrixXd>::_solve_impl<VectorXd, VectorXd>(
    const VectorXd&, VectorXd&) const;
TRAMMEL_EIGEN_ORTHOGONAL class JacobiSVD<MatrixXd>;

}  // namespace Eigen

#undef TRAMMEL_EIGEN_TEMPLATE
#undef TRAMMEL_EIGEN_ORTHOGONAL
