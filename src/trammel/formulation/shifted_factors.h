// The factors of a ShiftedMatrix at one shift, real or complex.
#pragma once

#include "trammel/formulation/shifted_matrix.h"
#include "trammel/numerics/sparse_lu.h"

namespace trammel {

template <class Scalar>
struct ShiftedFactors {
  Scalar shift{};
  Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int> matrix;
  SparseLu<Scalar> lu;

  // Once, when the matrix has all its entries.
  void analyze(const ShiftedMatrix& system) {
    matrix = system.pattern().template cast<Scalar>();
    lu.analyze(matrix);
  }
  bool factor(const ShiftedMatrix& system, Scalar at) {
    shift = at;
    system.evaluate(at, matrix);
    return lu.factor(matrix);
  }
};

}  // namespace trammel
