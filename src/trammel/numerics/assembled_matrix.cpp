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
  // by rows first and then by columns, each keeping what was before: linear in the number of additions
  const auto sorted_by = [&](const std::vector<int>& before, Index count, const auto& key) {
    std::vector<int> next(static_cast<std::size_t>(count) + 1, 0), order(before.size());
    for (const int k : before) ++next[static_cast<std::size_t>(key(k)) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (const int k : before) order[static_cast<std::size_t>(next[static_cast<std::size_t>(key(k))]++)] = k;
    return order;
  };
  const auto entry = [&](int k) -> const std::pair<int, int>& {
    return entries_[static_cast<std::size_t>(k)];
  };
  std::vector<int> order(entries_.size());
  std::iota(order.begin(), order.end(), 0);
  order = sorted_by(order, rows_, [&](int k) { return entry(k).first; });
  order = sorted_by(order, cols_, [&](int k) { return entry(k).second; });

  slots_.resize(entries_.size());
  std::pair<int, int> last{-1, -1};
  int count = 0;
  for (const int k : order) {
    if (entry(k) != last) ++count;
    last = entry(k);
    slots_[static_cast<std::size_t>(k)] = count - 1;
  }
  matrix_.resize(rows_, cols_);
  matrix_.resizeNonZeros(count);
  std::fill_n(matrix_.valuePtr(), count, 0.0);
  std::fill_n(matrix_.outerIndexPtr(), cols_ + 1, 0);
  for (const int k : order) {
    const int slot = slots_[static_cast<std::size_t>(k)];
    matrix_.innerIndexPtr()[slot] = entry(k).first;
    matrix_.valuePtr()[slot] += values_[static_cast<std::size_t>(k)];
    matrix_.outerIndexPtr()[entry(k).second + 1] = slot + 1;
  }
  // columns without entries end where the last one did
  for (Index col = 0; col < cols_; ++col)
    matrix_.outerIndexPtr()[col + 1] =
        std::max(matrix_.outerIndexPtr()[col + 1], matrix_.outerIndexPtr()[col]);
  known_ = true;
  // an assignment of {} would keep what they occupy
  std::vector<std::pair<int, int>>().swap(entries_);
  std::vector<double>().swap(values_);
}

}  // namespace trammel
