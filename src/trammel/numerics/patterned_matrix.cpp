#include "trammel/numerics/patterned_matrix.h"

#include <cmath>

namespace trammel {

bool PatternedMatrix::assign(const Eigen::Ref<const Matrix>& dense, double negligible) {
  const auto counts = [&](double value) { return !(std::abs(value) <= negligible); };
  const bool first = matrix_.rows() != dense.rows() || matrix_.cols() != dense.cols();
  if (first) {
    matrix_.resize(dense.rows(), dense.cols());
    matrix_.makeCompressed();
  }

  // values into the pattern, until an entry turns up that it does not have
  bool grows = false;
  for (Index col = 0; col < dense.cols() && !grows; ++col) {
    int slot = matrix_.outerIndexPtr()[col];
    const int end = matrix_.outerIndexPtr()[col + 1];
    for (Index row = 0; row < dense.rows() && !grows; ++row) {
      const double value = dense(row, col);
      if (slot < end && matrix_.innerIndexPtr()[slot] == row)
        matrix_.valuePtr()[slot++] = counts(value) ? value : 0.0;
      else
        grows = counts(value);
    }
  }
  if (!grows) return first && dense.size() > 0;

  std::vector<Eigen::Triplet<double, int>> entries;
  for (Index col = 0; col < dense.cols(); ++col) {
    int slot = matrix_.outerIndexPtr()[col];
    const int end = matrix_.outerIndexPtr()[col + 1];
    for (Index row = 0; row < dense.rows(); ++row) {
      const bool known = slot < end && matrix_.innerIndexPtr()[slot] == row;
      if (known) ++slot;
      if (known || counts(dense(row, col)))
        entries.emplace_back(static_cast<int>(row), static_cast<int>(col),
                             counts(dense(row, col)) ? dense(row, col) : 0.0);
    }
  }
  matrix_.setFromTriplets(entries.begin(), entries.end());
  return true;
}

}  // namespace trammel
