// The vector and matrix types used throughout.
#pragma once

#include <Eigen/Dense>
#include <complex>
#include <cstddef>

namespace trammel {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using ComplexVector = Eigen::VectorXcd;
using ComplexMatrix = Eigen::MatrixXcd;
using VectorIn = Eigen::Ref<const Vector>;
using VectorOut = Eigen::Ref<Vector>;

// An index for the containers of the standard library.
inline std::size_t at_index(Index i) { return static_cast<std::size_t>(i); }

}  // namespace trammel
