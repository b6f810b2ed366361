#include "trammel/formulation/geoms/two_stage_solve.h"

#include "trammel/numerics/eigen_rare_instances.h"

namespace trammel {

void TwoStageSolve::configure(Index unknowns, Index algebraic_rows, std::vector<Group> groups) {
  groups_ = std::move(groups);
  decompositions_.resize(groups_.size());
  kernels_.resize(groups_.size());
  rhs_.resize(groups_.size());
  solution_.resize(groups_.size());
  kernel_rhs_.resize(groups_.size());
  kernel_solution_.resize(groups_.size());
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    rhs_[i].setZero(groups_[i].rows, 2);
    solution_[i].setZero(groups_[i].columns, 2);
  }
  J_a_.setZero(algebraic_rows, unknowns);
  rho_a_.setZero(algebraic_rows, 2);
  delta_.setZero(unknowns, 2);
}

void TwoStageSolve::decompose(std::size_t i, Decomposition kind, double rank_tolerance,
                              Index prescribed_rank) {
  const Group& group = groups_[i];
  if (group.rows == 0) {
    kernels_[i].setIdentity(group.columns, group.columns);
    return;
  }
  decompositions_[i].factor(J_a_.block(group.row, group.column, group.rows, group.columns), kind,
                            rank_tolerance, group.scale_columns, prescribed_rank);
  kernels_[i].resize(group.columns, group.minimal_norm ? 0 : group.columns - decompositions_[i].rank());
  if (kernels_[i].cols() > 0) decompositions_[i].kernel(kernels_[i]);
}

void TwoStageSolve::set_free_directions(std::size_t group, const Matrix& directions) {
  kernels_[group] = directions;
}

void TwoStageSolve::build_kernel() {
  Index total = 0;
  for (const Matrix& kernel : kernels_) total += kernel.cols();
  K_.setZero(J_a_.cols(), total);
  Index known = 0;  // directions of the groups before this one
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    if (group.rows > 0 && known > 0) {
      // this group follows when the ones before it move
      kernel_rhs_[i].noalias() =
          -J_a_.block(group.row, 0, group.rows, group.column) * K_.topLeftCorner(group.column, known);
      kernel_solution_[i].resize(group.columns, known);
      decompositions_[i].solve(kernel_rhs_[i], kernel_solution_[i]);
      K_.block(group.column, 0, group.columns, known) = kernel_solution_[i];
    }
    K_.block(group.column, known, group.columns, kernels_[i].cols()) = kernels_[i];
    known += kernels_[i].cols();
  }
}

void TwoStageSolve::set_differential(const Matrix& E_d, const Matrix& J_d) {
  E_d_ = E_d;
  J_d_ = J_d;
  EK_.noalias() = E_d_ * K_;
  JK_.noalias() = J_d_ * K_;
  E_delta_.resize(E_d.rows(), 2);
  J_delta_.resize(E_d.rows(), 2);
}

namespace {

// A pivot that is lost in round-off: the matrix is singular for all purposes.
template <class MatrixType>
bool usable(const MatrixType& triangular) {
  const auto diagonal = triangular.diagonal().cwiseAbs();
  return triangular.rows() == 0 ||
         (diagonal.minCoeff() > 1e-15 * diagonal.maxCoeff() && diagonal.allFinite());
}

// Positions, velocities and multipliers have unlike units, and a short step makes them more unlike: with rows
// and columns of like size a small pivot means what it says.
template <class MatrixType>
void equilibrate(MatrixType& matrix, Vector& rows, Vector& columns) {
  const auto inverse = [](double size) { return size > 0 ? 1 / size : 1.0; };
  rows.resize(matrix.rows());
  columns.resize(matrix.cols());
  for (Index i = 0; i < matrix.rows(); ++i) {
    rows[i] = inverse(matrix.row(i).cwiseAbs().maxCoeff());
    matrix.row(i) *= rows[i];
  }
  for (Index j = 0; j < matrix.cols(); ++j) {
    columns[j] = inverse(matrix.col(j).cwiseAbs().maxCoeff());
    matrix.col(j) *= columns[j];
  }
}

}  // namespace

bool TwoStageSolve::factor(double shift, DifferentialDecomposition kind) {
  shift_ = shift;
  kind_ = kind;
  if (EK_.rows() != EK_.cols()) return false;
  small_ = shift * EK_ - JK_;
  if (small_.rows() == 0) return true;
  equilibrate(small_, row_scale_, column_scale_);
  if (kind == DifferentialDecomposition::lu) {
    lu_.compute(small_);
    return usable(lu_.matrixLU());
  }
  qr_.compute(small_);
  return usable(qr_.matrixQR());
}

bool TwoStageSolve::factor(std::complex<double> shift, DifferentialDecomposition kind) {
  complex_shift_ = shift;
  kind_ = kind;
  if (EK_.rows() != EK_.cols()) return false;
  complex_small_ = shift * EK_ - JK_;
  if (complex_small_.rows() == 0) return true;
  equilibrate(complex_small_, complex_row_scale_, complex_column_scale_);
  if (kind == DifferentialDecomposition::lu) {
    complex_lu_.compute(complex_small_);
    return usable(complex_lu_.matrixLU());
  }
  // as a real matrix of twice the size: a complex decomposition would be compiled for this rare choice alone
  const Index n = complex_small_.rows();
  doubled_.resize(2 * n, 2 * n);
  doubled_.topLeftCorner(n, n) = complex_small_.real();
  doubled_.bottomRightCorner(n, n) = complex_small_.real();
  doubled_.bottomLeftCorner(n, n) = complex_small_.imag();
  doubled_.topRightCorner(n, n) = -complex_small_.imag();
  complex_qr_.compute(doubled_);
  return usable(complex_qr_.matrixQR());
}

// Δ⁰ with J_a Δ⁰ = −ρ_a, for as many columns as ρ_a has.
void TwoStageSolve::particular(const Eigen::Ref<const Matrix>& rho_a) {
  auto delta = delta_.leftCols(rho_a.cols());
  delta.setZero();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    if (group.rows == 0) continue;
    auto rhs = rhs_[i].leftCols(rho_a.cols());
    auto solution = solution_[i].leftCols(rho_a.cols());
    rhs = -rho_a.middleRows(group.row, group.rows);
    if (group.column > 0)
      rhs.noalias() -= J_a_.block(group.row, 0, group.rows, group.column) * delta.topRows(group.column);
    decompositions_[i].solve(rhs, solution);
    delta.middleRows(group.column, group.columns) = solution;
  }
}

void TwoStageSolve::solve_algebraic(VectorIn rho_a, VectorOut x) {
  rho_a_.col(0) = rho_a;
  particular(rho_a_.leftCols(1));
  x = delta_.col(0);
}

void TwoStageSolve::solve(VectorIn residual, VectorOut x) {
  const Index nd = E_d_.rows();
  rho_a_.col(0) = residual.tail(J_a_.rows());
  particular(rho_a_.leftCols(1));
  x = delta_.col(0);
  if (nd == 0) return;
  y_rhs_ = residual.head(nd);
  y_rhs_.noalias() -= shift_ * (E_d_ * delta_.col(0));
  y_rhs_.noalias() += J_d_ * delta_.col(0);
  y_rhs_.array() *= row_scale_.array();
  if (kind_ == DifferentialDecomposition::lu)
    y_ = lu_.solve(y_rhs_);
  else
    y_ = qr_.solve(y_rhs_);
  y_.array() *= column_scale_.array();
  x.noalias() += K_ * y_;
}

void TwoStageSolve::solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) {
  const Index nd = E_d_.rows();
  // the algebraic part is real: real and imaginary parts are two columns
  rho_a_.col(0) = residual.tail(J_a_.rows()).real();
  rho_a_.col(1) = residual.tail(J_a_.rows()).imag();
  particular(rho_a_);
  x.real() = delta_.col(0);
  x.imag() = delta_.col(1);
  if (nd == 0) return;
  E_delta_.noalias() = E_d_ * delta_;
  J_delta_.noalias() = J_d_ * delta_;
  complex_rhs_.resize(nd);
  for (Index i = 0; i < nd; ++i)
    complex_rhs_[i] = residual[i] - complex_shift_ * std::complex<double>(E_delta_(i, 0), E_delta_(i, 1)) +
                      std::complex<double>(J_delta_(i, 0), J_delta_(i, 1));
  complex_rhs_.array() *= complex_row_scale_.array();
  if (kind_ == DifferentialDecomposition::lu) {
    complex_y_ = complex_lu_.solve(complex_rhs_);
  } else {
    doubled_rhs_.resize(2 * nd);
    doubled_rhs_.head(nd) = complex_rhs_.real();
    doubled_rhs_.tail(nd) = complex_rhs_.imag();
    doubled_y_ = complex_qr_.solve(doubled_rhs_);
    complex_y_.resize(nd);
    complex_y_.real() = doubled_y_.head(nd);
    complex_y_.imag() = doubled_y_.tail(nd);
  }
  complex_y_.array() *= complex_column_scale_.array();
  x.real().noalias() += K_ * complex_y_.real();
  x.imag().noalias() += K_ * complex_y_.imag();
}

}  // namespace trammel
