#include "trammel/formulation/state_space/independent_coordinates.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "trammel/numerics/eigen_rare_instances.h"

namespace trammel {

namespace {

// Of a partition that only carries a basis: it must be accurate, no more.
constexpr double growth_below_basis = 10;

}  // namespace

bool Selection::operator==(const Selection& other) const {
  if (basis.size() > 0 || other.basis.size() > 0)
    return basis.rows() == other.basis.rows() && basis.cols() == other.basis.cols() && basis == other.basis;
  return independent == other.independent;
}

void IndependentCoordinates::choose(const SparseMatrix& D, Choice choice) {
  choice_ = std::move(choice);
  selection_ = {};
  regular_ = true;
  choose_partition(D, false);
  if (!has_basis() || !regular()) return;
  partition_.tangent(D, T_);
  carry_basis();
}

void IndependentCoordinates::choose_partition(const SparseMatrix& D, bool careful) {
  partition_.choose(D, choice_.rows, choice_.preference, choice_.rank_tolerance, careful);
  selection_.independent = partition_.independent();
}

IndependentCoordinates::Renewal IndependentCoordinates::renew(const SparseMatrix& D, double growth,
                                                              bool careful) {
  const Index before = size();
  const bool poor = partition_.has_degraded(has_basis() ? growth_below_basis : growth) || careful;
  if (poor) choose_partition(D, careful);
  if (!has_basis() || size() != before || !regular()) return poor ? Renewal::chosen : Renewal::none;
  if (poor) follow_basis(D);
  if (choice_.kind == Kind::tangent && stretch() <= 1 + growth) return Renewal::none;
  carry_basis();
  return choice_.kind == Kind::tangent ? Renewal::chosen : Renewal::carried;
}

bool IndependentCoordinates::factor(const SparseMatrix& D) {
  regular_ = partition_.factor(D);
  if (regular_ && has_basis()) follow_basis(D);
  return regular_;
}

void IndependentCoordinates::renew_pattern(const SparseMatrix& D) {
  partition_.renew_pattern(D);
  if (has_basis() && regular()) follow_basis(D);
}

bool IndependentCoordinates::regular() const {
  return regular_ && std::isfinite(partition_.least_condition());
}

// T for the basis at hand: the kernel's basis of the partition, combined so that S T = I.
void IndependentCoordinates::follow_basis(const SparseMatrix& D) {
  partition_.tangent(D, T_);
  if (size() == 0) return;
  const Eigen::PartialPivLU<Matrix> lu(Matrix(selection_.basis * T_));
  regular_ = lu.rcond() > 1e-12;
  T_ *= lu.inverse();
}

// The orthonormal basis T (TᵀT)^(−1/2) of the kernel: of all of them that which is nearest to T.
void IndependentCoordinates::carry_basis() {
  if (size() == 0) {
    selection_.basis.resize(0, T_.rows());
    return;
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(Matrix(T_.transpose() * T_));
  T_ *= eigen.operatorInverseSqrt();
  selection_.basis = T_.transpose();
  regular_ = T_.allFinite();
}

// How much longer than y a displacement T y may be: one where the basis is that of the kernel.
double IndependentCoordinates::stretch() const {
  if (size() == 0) return 1;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(Matrix(T_.transpose() * T_), Eigen::EigenvaluesOnly);
  return std::sqrt(eigen.eigenvalues().maxCoeff());
}

void IndependentCoordinates::correct(const VectorIn& residual, VectorOut change) {
  partition_.correct(residual, change);
  if (has_basis()) change -= T_ * (selection_.basis * change);
}

void IndependentCoordinates::correct_columns(const Matrix& residual, Matrix& change) {
  partition_.correct_columns(residual, change);
  if (has_basis()) change -= T_ * (selection_.basis * change).eval();
}

void IndependentCoordinates::tangent(const SparseMatrix& D, Matrix& T) {
  if (has_basis())
    T = T_;
  else
    partition_.tangent(D, T);
}

template <class Column>
void IndependentCoordinates::spread(const SparseMatrix& D, const Column& y, const Column& residual,
                                    Column& all) {
  put(has_basis() ? Column::Zero(y.size()) : y, all);
  partition_.follow(D, residual, all);
  if (has_basis()) all += T_ * (y - selection_.basis * all).eval();
}

template void IndependentCoordinates::spread(const SparseMatrix&, const Vector&, const Vector&, Vector&);
template void IndependentCoordinates::spread(const SparseMatrix&, const ComplexVector&, const ComplexVector&,
                                             ComplexVector&);

}  // namespace trammel
