#include "trammel/numerics/patterned_product.h"

#include <algorithm>

namespace trammel {

void PatternedProduct::prepare(const SparseMatrix* S, const SparseMatrix& A, const SparseMatrix& B) {
  std::vector<Eigen::Triplet<double, int>> entries;
  const auto visit_terms = [&](const auto& visitor) {
    for (int col = 0; col < B.outerSize(); ++col)
      for (int b = B.outerIndexPtr()[col]; b < B.outerIndexPtr()[col + 1]; ++b) {
        const int middle = B.innerIndexPtr()[b];
        for (int a = A.outerIndexPtr()[middle]; a < A.outerIndexPtr()[middle + 1]; ++a)
          visitor(a, b, A.innerIndexPtr()[a], col);
      }
  };
  const auto visit_summands = [&](const auto& visitor) {
    if (S == nullptr) return;
    for (int col = 0; col < S->outerSize(); ++col)
      for (int s = S->outerIndexPtr()[col]; s < S->outerIndexPtr()[col + 1]; ++s)
        visitor(S->innerIndexPtr()[s], col);
  };
  visit_terms([&](int, int, int row, int col) { entries.emplace_back(row, col, 0.0); });
  visit_summands([&](int row, int col) { entries.emplace_back(row, col, 0.0); });
  matrix_.resize(A.rows(), B.cols());
  matrix_.setFromTriplets(entries.begin(), entries.end());
  matrix_.makeCompressed();
  const auto place = [&](int row, int col) {
    const int* begin = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[col];
    const int* end = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[col + 1];
    return static_cast<int>(std::lower_bound(begin, end, row) - matrix_.innerIndexPtr());
  };
  terms_.clear();
  summands_.clear();
  visit_terms([&](int a, int b, int row, int col) { terms_.push_back({a, b, place(row, col)}); });
  visit_summands([&](int row, int col) { summands_.push_back(place(row, col)); });
}

void PatternedProduct::update(const SparseMatrix* S, const SparseMatrix& A, const SparseMatrix& B) {
  const Eigen::Index entries = A.nonZeros() + B.nonZeros() + (S == nullptr ? 0 : S->nonZeros());
  if (entries != known_) prepare(S, A, B);
  known_ = entries;
  double* to = matrix_.valuePtr();
  const double *a = A.valuePtr(), *b = B.valuePtr();
  std::fill_n(to, matrix_.nonZeros(), 0.0);
  for (const Term& term : terms_) to[term.target] += a[term.a] * b[term.b];
  if (S == nullptr) return;
  for (std::size_t i = 0; i < summands_.size(); ++i) to[summands_[i]] += S->valuePtr()[i];
}

}  // namespace trammel
