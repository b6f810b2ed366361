#include "trammel/numerics/assembled_matrix.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace trammel {

void AssembledMatrix::begin() {
  cursor_ = 0;
  if (known_)
    std::fill_n(matrix_.valuePtr(), matrix_.nonZeros(), 0.0);
  else {
    entries_.clear();
    values_.clear();
  }
}

void AssembledMatrix::note(Index row, Index col, double value) {
  entries_.emplace_back(static_cast<int>(row), static_cast<int>(col));
  values_.push_back(value);
}

void AssembledMatrix::finish() {
  if (known_) {
    if (cursor_ != slots_.size()) throw std::logic_error("a sparse matrix was filled by another sequence");
    return;
  }
  std::vector<std::size_t> order(entries_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto& [row_a, col_a] = entries_[a];
    const auto& [row_b, col_b] = entries_[b];
    return col_a != col_b ? col_a < col_b : row_a != row_b ? row_a < row_b : a < b;
  });
  slots_.resize(entries_.size());
  std::vector<int> starts(static_cast<std::size_t>(cols_) + 1, 0), rows;
  std::vector<double> sums;
  std::pair<int, int> last{-1, -1};
  for (const std::size_t k : order) {
    if (entries_[k] != last) {
      last = entries_[k];
      rows.push_back(last.first);
      sums.push_back(0);
      ++starts[static_cast<std::size_t>(last.second) + 1];
    }
    slots_[k] = static_cast<int>(rows.size()) - 1;
    sums.back() += values_[k];
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  matrix_ = Eigen::Map<const SparseMatrix>(rows_, cols_, static_cast<Index>(rows.size()), starts.data(),
                                           rows.data(), sums.data());
  known_ = true;
  entries_ = {};
  values_ = {};
}

}  // namespace trammel
