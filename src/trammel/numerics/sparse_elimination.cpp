// The choice of pivots, the steps of the elimination and the order of rows.
#include "trammel/numerics/sparse_elimination.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace trammel {
namespace {

// A row whose largest entry is below this has lost most of what it said to other rows.
constexpr double small_row = 1e-3;
// A row this far below the tolerance cannot come back and is given up at once, so that its round-off does not
// wander through the rest of the matrix.
constexpr double beyond_recovery = 1e-3;
constexpr double smallest_weight = 1e-3;
// Rows compared before a pivot is taken.
constexpr int rows_searched = 4;
// Where a column has more rows besides the pivot row, they are not asked for their length.
constexpr std::int64_t others_measured = 8;
// Rows that share fewer columns than they are, by this factor, are searched for redundant ones.
constexpr double surplus_of_rows = 1.2;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

using Key = std::uint64_t;
constexpr Key no_key = std::numeric_limits<Key>::max();

// By size: all that are not small are alike, then steps of a factor of two, then those within the tolerance.
constexpr Key not_small = 0, within_tolerance = 255;
Key step_of(double largest, double tolerance) {
  if (largest <= tolerance) return within_tolerance;
  if (largest >= small_row) return not_small;
  return static_cast<Key>(std::clamp(1 + std::ilogb(small_row) - std::ilogb(largest), 1, 254));
}
Key make_key(Key step, std::size_t entries, int row) {
  return step << 56 | std::min<Key>(entries, 0xffffff) << 32 | static_cast<Key>(row);
}
Key step_of_key(Key key) { return key >> 56; }
int entries_of_key(Key key) { return static_cast<int>(key >> 32 & 0xffffff); }
int row_of_key(Key key) { return static_cast<int>(key & 0xffffffff); }

// Costs of the same magnitude are as good as equal.
int magnitude_of(std::int64_t cost) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(cost)));
}

}  // namespace

SparseElimination::SparseElimination(const SparseMatrix& A, const Options& options)
    : options_(options),
      negligible_(beyond_recovery * options.tolerance),
      drop_(std::min(4 * std::numeric_limits<double>::epsilon(), negligible_)),
      rows_(static_cast<std::size_t>(A.rows())),
      columns_(static_cast<std::size_t>(A.cols())),
      met_(columns_.size(), -1) {
  for (int j = 0; j < A.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(A, j); entry; ++entry)
      if (entry.value() != 0) rows_[at(static_cast<int>(entry.row()))].entries.push_back({j, entry.value()});
}

void SparseElimination::prefer(const Vector& weights) {
  const double largest = weights.size() == 0 ? 0.0 : weights.maxCoeff();
  if (!(largest > 0)) return;
  for (Index j = 0; j < weights.size(); ++j)
    weight_.push_back(std::max(smallest_weight, weights[j] / largest));
}

bool SparseElimination::run() {
  if (!scale_rows()) return false;
  start();
  while (true) {
    Candidate pivot = next_single();
    if (!pivot) pivot = next_by_rows();
    if (!pivot) return true;
    eliminate(pivot);
    if (options_.column_threshold > 0) reject_dependent_among_touched();
  }
}

// To length one; entries that are round-off of the length are left out.
bool SparseElimination::scale_rows() {
  for (Row& row : rows_) {
    double largest = 0;
    for (const Entry& entry : row.entries) {
      if (!std::isfinite(entry.value)) return false;
      largest = std::max(largest, std::abs(entry.value));
    }
    // by the largest first: squares must not overflow
    double sum = 0;
    for (Entry& entry : row.entries) {
      entry.value /= largest;
      sum += entry.value * entry.value;
    }
    const double length = std::sqrt(sum);
    for (Entry& entry : row.entries) entry.value /= length;
    std::erase_if(row.entries, [this](const Entry& entry) { return std::abs(entry.value) <= drop_; });
  }
  return true;
}

void SparseElimination::start() {
  for (int i = 0; i < static_cast<int>(rows_.size()); ++i)
    for (const Entry& entry : rows_[at(i)].entries) write(i, entry);
  for (int i = 0; i < static_cast<int>(rows_.size()); ++i) update_key(i);
  for (int j = static_cast<int>(columns_.size()) - 1; j >= 0; --j)
    if (columns_[at(j)].entries == 1) singles_.push_back(j);
}

// --- the choice of a pivot

double SparseElimination::size_in_row(const Row& row, const Entry& entry) const {
  const bool weighted = !weight_.empty() && step_of_key(row.key) == not_small;
  return std::abs(entry.value) * (weighted ? weight_[at(entry.column)] : 1.0);
}

// The part of the largest that counts as fair; of a small row, only the largest itself.
double SparseElimination::required_size(const Row& row) const {
  double largest = 0;
  for (const Entry& entry : row.entries) largest = std::max(largest, size_in_row(row, entry));
  return step_of_key(row.key) == not_small ? options_.row_threshold * largest : largest;
}

// The cheapest of the entries that are a fair part of row and column; of those as cheap the largest, then the
// first. None, if they are all too small for their columns.
SparseElimination::Candidate SparseElimination::best_in_row(int index) {
  const Row& row = rows_[at(index)];
  const double required = required_size(row);
  work_ += static_cast<Index>(row.entries.size());
  Candidate best;
  double best_size = 0;
  for (const Entry& entry : row.entries) {
    const double size = size_in_row(row, entry);
    const int best_magnitude = magnitude_of(best.cost);
    if (size < required || (best && magnitude_of(least_cost(index, entry.column)) > best_magnitude)) continue;
    const std::int64_t cost = cost_of(index, entry.column);
    const int magnitude = magnitude_of(cost);
    const bool better = !best                         ? true
                        : magnitude != best_magnitude ? magnitude < best_magnitude
                        : size != best_size           ? size > best_size
                                                      : entry.column < best.column;
    if (!better || !fair_part_of_column(entry)) continue;
    best = {index, entry.column, entry.value, cost};
    best_size = size;
  }
  return best;
}

// How many entries an elimination touches: the pivot row once for each other row of the column, and these
// rows. The length of these matters where a long loop is eliminated: one row that takes up all others, one by
// one, would cost the square of the loop.
std::int64_t SparseElimination::cost_of(int row, int column) {
  Column& in = columns_[at(column)];
  const std::int64_t others = in.entries - 1;
  const std::int64_t entries = static_cast<std::int64_t>(rows_[at(row)].entries.size());
  if (others == 0) return 0;
  if (others > others_measured) return 2 * entries * others;
  if (static_cast<std::int64_t>(in.rows.size()) > 2 * others)
    std::erase_if(in.rows, [this](int other) { return rows_[at(other)].state != State::active; });
  std::int64_t touched = entries * (others - 1);  // the row itself is among those of the column
  for (const int other : in.rows) touched += static_cast<std::int64_t>(rows_[at(other)].entries.size());
  work_ += static_cast<Index>(in.rows.size());
  return touched;
}

// With other rows of a single entry.
std::int64_t SparseElimination::least_cost(int row, int column) const {
  const std::int64_t others = columns_[at(column)].entries - 1;
  return others * (static_cast<std::int64_t>(rows_[at(row)].entries.size()) + 1);
}

bool SparseElimination::fair_part_of_column(const Entry& entry) {
  Column& in = columns_[at(entry.column)];
  const double size = std::abs(entry.value);
  if (in.entries == 1 || size >= options_.column_threshold * in.largest) return true;
  if (!in.exact) row_of_largest(entry.column);
  return size >= options_.column_threshold * in.largest;
}

double SparseElimination::value_at(int row, int column) const {
  for (const Entry& entry : rows_[at(row)].entries)
    if (entry.column == column) return entry.value;
  return 0;
}

// Brings the bound of the column up to date, too.
int SparseElimination::row_of_largest(int column) {
  Column& in = columns_[at(column)];
  in.largest = 0;
  in.exact = true;
  int found = -1;
  for (const int row : in.rows) {
    if (rows_[at(row)].state != State::active) continue;
    work_ += static_cast<Index>(rows_[at(row)].entries.size());
    const double size = std::abs(value_at(row, column));
    if (size > in.largest || (size == in.largest && size > 0 && row < found)) {
      in.largest = size;
      found = row;
    }
  }
  return found;
}

// A column that only one row has: nothing is to be eliminated.
SparseElimination::Candidate SparseElimination::next_single() {
  while (!singles_.empty()) {
    const int column = singles_.back();
    singles_.pop_back();
    if (columns_[at(column)].pivot || columns_[at(column)].entries != 1) continue;
    const int row = row_of_largest(column);
    if (step_of_key(rows_[at(row)].key) != not_small) continue;
    const Candidate candidate = best_in_row(row);
    if (candidate && columns_[at(candidate.column)].entries == 1) return candidate;
  }
  return {};
}

// Of the first rows in line the one with the cheapest pivot. Columns of one entry are dealt with elsewhere,
// so that a row of k entries costs k at least, unless these were too small.
SparseElimination::Candidate SparseElimination::next_by_rows() {
  Candidate best;
  Key best_key = no_key;
  set_aside_.clear();
  for (int searched = 0; searched < rows_searched;) {
    const Key key = pop();
    if (key == no_key) break;
    const bool cheap_enough = best && best.cost <= entries_of_key(key);
    const bool later =
        best ? step_of_key(key) != step_of_key(best_key) : step_of_key(key) != not_small && waiting_ > 0;
    if (cheap_enough || later) {
      set_aside_.push_back(key);
      break;
    }
    const int row = row_of_key(key);
    if (step_of_key(key) == within_tolerance) {
      reject(row, rows_[at(row)].largest);  // as are all that are left
      continue;
    }
    const Candidate candidate = best_in_row(row);
    if (!candidate) {
      wait(row);
      continue;
    }
    ++searched;
    if (!best || candidate.cost < best.cost) {
      if (best) set_aside_.push_back(best_key);
      best = candidate;
      best_key = key;
    } else {
      set_aside_.push_back(key);
    }
  }
  for (const Key key : set_aside_) push(key);
  return !best && waiting_ > 0 ? rook() : best;
}

// From the first waiting row to the largest entry in line, by turns in a row and in a column. Needed only
// where weights and thresholds contradict each other.
SparseElimination::Candidate SparseElimination::rook() {
  int row = -1;
  for (int i = 0; i < static_cast<int>(rows_.size()); ++i)
    if (rows_[at(i)].waiting && (row < 0 || rows_[at(i)].key < rows_[at(row)].key)) row = i;
  while (true) {
    const std::vector<Entry>& entries = rows_[at(row)].entries;
    const auto smaller = [](const Entry& a, const Entry& b) { return std::abs(a.value) < std::abs(b.value); };
    const Entry largest = *std::max_element(entries.begin(), entries.end(), smaller);
    if (fair_part_of_column(largest)) return {row, largest.column, largest.value, 0};
    row = row_of_largest(largest.column);
  }
}

// --- one step

void SparseElimination::eliminate(const Candidate& pivot) {
  Row& row = rows_[at(pivot.row)];
  Column& column = columns_[at(pivot.column)];
  stop_waiting(pivot.row);
  pivot_row_.swap(row.entries);
  row.entries.clear();
  row.state = State::pivot;
  column.pivot = true;
  smallest_pivot_ = std::min(smallest_pivot_, std::abs(pivot.value));
  largest_pivot_ = std::max(largest_pivot_, std::abs(pivot.value));
  work_ += static_cast<Index>(pivot_row_.size());

  for (std::size_t k = 0; k < pivot_row_.size(); ++k) {
    removed(pivot_row_[k].column);
    columns_[at(pivot_row_[k].column)].position = static_cast<int>(k);
    met_[k] = -1;
  }
  Step step{pivot.row, pivot.column, pivot.value, upper_.size(), 0, lower_.size(), 0};
  for (const Entry& entry : pivot_row_)
    if (entry.column != pivot.column) upper_.push_back(entry);
  touched_.clear();
  for (const int other : column.rows) {
    if (rows_[at(other)].state != State::active || rows_[at(other)].combined_with == pivot.row) continue;
    rows_[at(other)].combined_with = pivot.row;
    subtract(other, pivot);
    if (rows_[at(other)].state == State::active) touched_.push_back(other);
  }
  step.upper_end = upper_.size();
  step.lower_end = lower_.size();
  steps_.push_back(step);
  column.rows.clear();
  column.waiting_rows.clear();
  for (const Entry& entry : pivot_row_) columns_[at(entry.column)].position = -1;
}

// Takes the multiple of the pivot row from this row that makes its entry in the pivot column zero.
void SparseElimination::subtract(int index, const Candidate& pivot) {
  Row& row = rows_[at(index)];
  work_ += static_cast<Index>(row.entries.size());
  const double factor = value_at(index, pivot.column) / pivot.value;
  if (factor == 0) return;
  lower_.push_back({index, factor});
  work_ += static_cast<Index>(pivot_row_.size());

  std::size_t kept = 0;
  for (Entry entry : row.entries) {
    Column& column = columns_[at(entry.column)];
    if (column.position >= 0) {
      met_[at(column.position)] = index;
      entry.value -= factor * pivot_row_[at(column.position)].value;
      if (entry.column == pivot.column || std::abs(entry.value) <= drop_) {
        removed(entry.column);
        continue;
      }
      column.largest = std::max(column.largest, std::abs(entry.value));
      changed(entry.column);
    }
    row.entries[kept++] = entry;
  }
  row.entries.resize(kept);

  for (std::size_t k = 0; k < pivot_row_.size(); ++k) {
    const Entry fill = {pivot_row_[k].column, -factor * pivot_row_[k].value};
    if (met_[k] == index || std::abs(fill.value) <= drop_) continue;
    row.entries.push_back(fill);
    write(index, fill);
  }
  stop_waiting(index);
  update_key(index);
}

// An entry that its column did not have.
void SparseElimination::write(int row, const Entry& entry) {
  Column& column = columns_[at(entry.column)];
  column.rows.push_back(row);
  ++column.entries;
  column.largest = std::max(column.largest, std::abs(entry.value));
  ++work_;
}

void SparseElimination::changed(int index) {
  Column& column = columns_[at(index)];
  column.exact = false;
  for (const int row : column.waiting_rows)
    if (rows_[at(row)].waiting) {
      stop_waiting(row);
      push(rows_[at(row)].key);
    }
  column.waiting_rows.clear();
}

void SparseElimination::removed(int index) {
  Column& column = columns_[at(index)];
  --column.entries;
  if (column.pivot) return;
  changed(index);
  if (column.entries == 1) singles_.push_back(index);
}

void SparseElimination::reject(int index, double left) {
  Row& row = rows_[at(index)];
  stop_waiting(index);
  row.state = State::redundant;
  largest_rejected_ = std::max(largest_rejected_, left);
  for (const Entry& entry : row.entries) removed(entry.column);
  row.entries.clear();
}

// The rows of the pivot column now share its other columns. In a grid of loops there are soon more of them
// than columns: the surplus, carried along to the end, would make up most of the work.
void SparseElimination::reject_dependent_among_touched() {
  const double rows = static_cast<double>(touched_.size());
  if (rows <= surplus_of_rows * static_cast<double>(pivot_row_.size())) return;
  std::sort(touched_.begin(), touched_.end());
  block_columns_.clear();
  for (const int row : touched_)
    for (const Entry& entry : rows_[at(row)].entries) {
      ++work_;
      if (columns_[at(entry.column)].position >= 0) continue;
      columns_[at(entry.column)].position = static_cast<int>(block_columns_.size());
      block_columns_.push_back(entry.column);
    }
  const bool surplus = rows > surplus_of_rows * static_cast<double>(block_columns_.size());
  Matrix block;
  if (surplus) {
    block.setZero(static_cast<Index>(touched_.size()), static_cast<Index>(block_columns_.size()));
    for (std::size_t k = 0; k < touched_.size(); ++k)
      for (const Entry& entry : rows_[at(touched_[k])].entries)
        block(static_cast<Index>(k), columns_[at(entry.column)].position) = entry.value;
  }
  for (const int column : block_columns_) columns_[at(column)].position = -1;
  if (!surplus) return;
  const std::vector<bool> independent = independent_rows(block);
  for (std::size_t k = 0; k < touched_.size(); ++k)
    if (!independent[k]) reject(touched_[k], block.row(static_cast<Index>(k)).cwiseAbs().maxCoeff());
}

// By complete pivoting in place, without exchanges: of equal rows the first counts.
std::vector<bool> SparseElimination::independent_rows(Matrix& block) {
  std::vector<bool> used(static_cast<std::size_t>(block.rows()), false);
  Matrix left = block;
  while (true) {
    Index row = 0, column = 0;
    if (left.cwiseAbs().maxCoeff(&row, &column) <= negligible_) break;
    used[static_cast<std::size_t>(row)] = true;
    const Vector factor = left.col(column) / left(row, column);
    const Eigen::RowVectorXd pivot_row = left.row(row);
    left.noalias() -= factor * pivot_row;
    left.col(column).setZero();
    left.row(row).setZero();
    work_ += left.size();
  }
  block = left;
  return used;
}

// --- solutions

Vector SparseElimination::solve(Vector b) const {
  for (const Step& step : steps_)
    for (std::size_t k = step.lower_begin; k < step.lower_end; ++k)
      b[lower_[k].row] -= lower_[k].factor * b[step.row];
  Vector x = Vector::Zero(static_cast<Index>(columns_.size()));
  for (std::size_t s = steps_.size(); s-- > 0;) {
    const Step& step = steps_[s];
    double sum = b[step.row];
    for (std::size_t k = step.upper_begin; k < step.upper_end; ++k)
      sum -= upper_[k].value * x[upper_[k].column];
    x[step.column] = sum / step.pivot;
  }
  return x;
}

Vector SparseElimination::solve_transposed(Vector c) const {
  Vector y = Vector::Zero(static_cast<Index>(rows_.size()));
  for (const Step& step : steps_) {
    const double value = c[step.column] / step.pivot;
    for (std::size_t k = step.upper_begin; k < step.upper_end; ++k)
      c[upper_[k].column] -= upper_[k].value * value;
    y[step.row] = value;
  }
  for (std::size_t s = steps_.size(); s-- > 0;) {
    const Step& step = steps_[s];
    for (std::size_t k = step.lower_begin; k < step.lower_end; ++k)
      y[step.row] -= lower_[k].factor * y[lower_[k].row];
  }
  return y;
}

// --- whose turn it is

void SparseElimination::update_key(int index) {
  Row& row = rows_[at(index)];
  row.largest = 0;
  for (const Entry& entry : row.entries) row.largest = std::max(row.largest, std::abs(entry.value));
  if (row.entries.empty() || row.largest <= negligible_) {
    reject(index, row.largest);
    return;
  }
  row.key = make_key(step_of(row.largest, options_.tolerance), row.entries.size(), index);
  push(row.key);
}

void SparseElimination::wait(int index) {
  Row& row = rows_[at(index)];
  row.waiting = true;
  ++waiting_;
  const double required = required_size(row);
  for (const Entry& entry : row.entries)
    if (size_in_row(row, entry) >= required) columns_[at(entry.column)].waiting_rows.push_back(index);
}

void SparseElimination::stop_waiting(int index) {
  if (!rows_[at(index)].waiting) return;
  rows_[at(index)].waiting = false;
  --waiting_;
}

void SparseElimination::push(Key key) {
  queue_.push_back(key);
  std::push_heap(queue_.begin(), queue_.end(), std::greater<Key>());
}

SparseElimination::Key SparseElimination::pop() {
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end(), std::greater<Key>());
    const Key key = queue_.back();
    queue_.pop_back();
    const Row& row = rows_[at(row_of_key(key))];
    if (row.state == State::active && row.key == key && !row.waiting) return key;
  }
  return no_key;
}

}  // namespace trammel
