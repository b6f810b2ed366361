#include "trammel/numerics/constant_product.h"

#include <algorithm>

namespace trammel {

void ConstantProduct::prepare(const SparseMatrix& S, const Shares& rows, Index row_count,
                              const Shares& columns, Index column_count) {
  std::vector<Eigen::Triplet<double, int>> entries;
  const auto visit = [&](const auto& visitor) {
    int source = 0;
    for (int col = 0; col < S.outerSize(); ++col)
      for (SparseMatrix::InnerIterator entry(S, col); entry; ++entry, ++source)
        for (const Share& row : rows[at_index(entry.row())])
          for (const Share& column : columns[static_cast<std::size_t>(col)])
            visitor(source, static_cast<int>(row.to), static_cast<int>(column.to),
                    row.factor * column.factor);
  };
  visit([&](int, int row, int column, double) { entries.emplace_back(row, column, 0.0); });
  matrix_.resize(row_count, column_count);
  matrix_.setFromTriplets(entries.begin(), entries.end());
  matrix_.makeCompressed();
  terms_.clear();
  visit([&](int source, int row, int column, double factor) {
    const int* begin = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column];
    const int* end = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column + 1];
    const auto target = std::lower_bound(begin, end, row) - matrix_.innerIndexPtr();
    terms_.push_back({source, static_cast<int>(target), factor});
  });
  update(S);
}

void ConstantProduct::update(const SparseMatrix& S) {
  double* to = matrix_.valuePtr();
  const double* from = S.valuePtr();
  std::fill_n(to, matrix_.nonZeros(), 0.0);
  for (const Term& term : terms_) to[term.target] += term.factor * from[term.source];
}

}  // namespace trammel
