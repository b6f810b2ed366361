#include "trammel/formulation/shifted_matrix.h"

#include <algorithm>
#include <stdexcept>

namespace trammel {

void ShiftedMatrix::begin() {
  cursor_ = 0;
  pending_.clear();
  for (std::vector<double>& values : values_) std::fill(values.begin(), values.end(), 0.0);
}

void ShiftedMatrix::finish() {
  if (!slots_.empty()) {
    if (cursor_ != slots_.size()) throw std::logic_error("a sparse matrix was filled by another sequence");
    return;
  }
  pattern_.begin();
  for (const Addition& addition : pending_) pattern_.add(addition.row, addition.col, 0);
  pattern_.finish();
  slots_ = pattern_.slots();
  for (std::vector<double>& values : values_)
    values.assign(static_cast<std::size_t>(pattern_.matrix().nonZeros()), 0.0);
  for (std::size_t i = 0; i < pending_.size(); ++i)
    values_[static_cast<std::size_t>(pending_[i].power + 2)][static_cast<std::size_t>(slots_[i])] +=
        pending_[i].value;
  std::vector<Addition>().swap(pending_);
}

}  // namespace trammel
