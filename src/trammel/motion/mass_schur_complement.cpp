#include "trammel/motion/mass_schur_complement.h"

#include <algorithm>

namespace trammel {

// Velocities that follow each other, up to the last one that any of them is coupled with.
bool MassSchurComplement::find_blocks(const SparseMatrix& M) {
  blocks_.clear();
  for (int first = 0; first < M.cols();) {
    int end = first + 1;
    for (int col = first; col < end; ++col)
      for (SparseMatrix::InnerIterator entry(M, col); entry; ++entry) {
        if (entry.row() < first) return false;
        end = std::max(end, static_cast<int>(entry.row()) + 1);
      }
    if (end - first > most) return false;
    blocks_.push_back({.first = first, .size = end - first});
    first = end;
  }
  return true;
}

void MassSchurComplement::find_entries(const SparseMatrix& D, const std::vector<char>& used) {
  rows_.clear();
  entries_.clear();
  for (Block& block : blocks_) {
    block.first_row = static_cast<int>(rows_.size());
    block.first_entry = static_cast<int>(entries_.size());
    for (int col = block.first; col < block.first + block.size; ++col)
      for (int place = D.outerIndexPtr()[col]; place < D.outerIndexPtr()[col + 1]; ++place) {
        if (used[static_cast<std::size_t>(place)] == 0) continue;
        rows_.push_back(D.innerIndexPtr()[place]);
        entries_.push_back({place, D.innerIndexPtr()[place], col - block.first});
      }
    const auto begin = rows_.begin() + block.first_row;
    std::sort(begin, rows_.end());
    rows_.erase(std::unique(begin, rows_.end()), rows_.end());
    block.rows = static_cast<int>(rows_.end() - begin);
    block.entries = static_cast<int>(entries_.size()) - block.first_entry;
    for (auto entry = entries_.begin() + block.first_entry; entry != entries_.end(); ++entry)
      entry->row = static_cast<int>(std::lower_bound(begin, rows_.end(), entry->row) - begin);
  }
}

bool MassSchurComplement::prepare(const SparseMatrix& M, const SparseMatrix& D, const std::vector<char>& used,
                                  const Vector& epsilon) {
  epsilon_ = epsilon;
  if (!find_blocks(M) || !set_mass(M)) return false;
  find_entries(D, used);
  S_ = AssembledMatrix(D.rows(), D.rows());
  assemble(D);
  factors_.analyzePattern(S_.matrix());
  if (factors_.info() != Eigen::Success) return false;
  fill_ = factors_.entries();
  return true;
}

bool MassSchurComplement::set_mass(const SparseMatrix& M) {
  masses_.resize(blocks_.size());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most, most> mass;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    mass.setZero(block.size, block.size);
    for (int col = 0; col < block.size; ++col)
      for (SparseMatrix::InnerIterator entry(M, block.first + col); entry; ++entry)
        mass(entry.row() - block.first, col) = entry.value();
    masses_[i].compute(mass);
    if (masses_[i].info() != Eigen::Success) return false;
  }
  return true;
}

// With M = L Lᵀ, S is the sum of A Aᵀ over the blocks, A = D L⁻ᵀ.
void MassSchurComplement::assemble(const SparseMatrix& D) {
  Eigen::Matrix<double, most, Eigen::Dynamic> A;  // transposed
  S_.begin();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    A.setZero(most, block.rows);
    for (int k = block.first_entry; k < block.first_entry + block.entries; ++k) {
      const Entry& entry = entries_[static_cast<std::size_t>(k)];
      A(entry.column, entry.row) = D.valuePtr()[entry.source];
    }
    auto part = A.topRows(block.size);
    masses_[i].matrixL().solveInPlace(part);
    const int* rows = rows_.data() + block.first_row;
    for (int col = 0; col < block.rows; ++col)
      for (int row = col; row < block.rows; ++row) S_.add(rows[row], rows[col], A.col(row).dot(A.col(col)));
  }
  for (Index i = 0; i < epsilon_.size(); ++i) S_.add(i, i, epsilon_[i]);
  S_.finish();
}

bool MassSchurComplement::factor(const SparseMatrix& D) {
  D_ = D;
  assemble(D);
  factors_.factorize(S_.matrix());
  return factors_.info() == Eigen::Success;
}

void MassSchurComplement::divide_by_mass(Vector& x) const {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    auto part = x.segment(blocks_[i].first, blocks_[i].size);
    masses_[i].solveInPlace(part);
  }
}

void MassSchurComplement::solve(Vector& upper, Vector& lower) const {
  Vector x = upper;
  divide_by_mass(x);
  lower = factors_.solve(Vector(D_ * x - lower));
  upper.noalias() -= D_.transpose() * lower;
  divide_by_mass(upper);
}

}  // namespace trammel
