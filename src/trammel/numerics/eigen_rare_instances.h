// Parts of Eigen that a few sources use and that take long to compile: compiled once, in eigen_rare_instances.cpp. What many
// use is in eigen_instances.h, which is precompiled. Never installed.
#pragma once

#include <Eigen/Dense>

// `template` in the source that compiles them
#ifndef TRAMMEL_EIGEN_RARE
#define TRAMMEL_EIGEN_RARE extern template
#endif

namespace Eigen {
namespace internal {

TRAMMEL_EIGEN_RARE double rcond_estimate_helper<PartialPivLU<MatrixXd>>(double,
                                                                        const PartialPivLU<MatrixXd>&);
TRAMMEL_EIGEN_RARE void apply_block_householder_on_the_left(Block<MatrixXd>&, const Block<MatrixXd>&,
                                                            const VectorBlock<const VectorXd>&, bool);

}  // namespace internal

TRAMMEL_EIGEN_RARE void HouseholderQR<MatrixXd>::_solve_impl<VectorXd, VectorXd>(const VectorXd&,
                                                                                 VectorXd&) const;
TRAMMEL_EIGEN_RARE void ColPivHouseholderQR<MatrixXd>::_solve_impl<MatrixXd, MatrixXd>(const MatrixXd&,
                                                                                       MatrixXd&) const;
TRAMMEL_EIGEN_RARE SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute<MatrixXd>(
    const EigenBase<MatrixXd>&, int);

}  // namespace Eigen

#undef TRAMMEL_EIGEN_RARE
