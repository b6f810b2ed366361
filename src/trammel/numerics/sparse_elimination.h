// Gaussian elimination of a sparse rectangular matrix that finds its rank; SparseRank is its interface and
// says what for.
//
// Right-looking, on lists of rows scaled to length one. A row is known by a key that says when its turn
// comes: large rows before small ones, among equals those with few entries, then the earlier. Where pivots
// must be a part of their column, too, a row all of whose candidates are too small waits until one of these
// columns changes.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "trammel/numerics/sparse_matrix.h"

namespace trammel {

class SparseElimination {
 public:
  struct Options {
    double tolerance;         // a row whose largest entry falls to this is redundant
    double row_threshold;     // a pivot is at least this part of the largest entry of its row
    double column_threshold;  // and of its column; 0: no matter
  };
  SparseElimination(const SparseMatrix& A, const Options& options);

  // One weight per column, relative to the largest, by which entries are multiplied where rows are not small.
  void prefer(const Vector& weights);

  // False if an entry is not finite: then nothing is eliminated.
  bool run();

  // With the matrix restricted to pivot rows and columns, its rows scaled to length one: B x = b and Bᵀ y = c, by the steps
  // of the elimination. b and y have an entry for each row of A, c and x one for each column; of those without a pivot they
  // are zero, or do not count. What cancelled is left out, which makes them far shorter than factors found by a pattern.
  Vector solve(Vector b) const;
  Vector solve_transposed(Vector c) const;

  Index rows() const { return static_cast<Index>(rows_.size()); }
  bool is_pivot_row(Index row) const { return rows_[static_cast<std::size_t>(row)].state == State::pivot; }
  bool is_pivot_column(Index column) const { return columns_[static_cast<std::size_t>(column)].pivot; }
  double smallest_pivot() const { return smallest_pivot_; }
  double largest_pivot() const { return largest_pivot_; }
  double largest_rejected() const { return largest_rejected_; }
  Index work() const { return work_; }

 private:
  using Key = std::uint64_t;
  enum class State : std::uint8_t { active, pivot, redundant };
  struct Entry {
    int column;
    double value;
  };
  struct Row {
    std::vector<Entry> entries;
    double largest = 0;
    Key key = 0;
    State state = State::active;
    bool waiting = false;
    int combined_with = -1;  // the last pivot row
  };
  struct Column {
    std::vector<int> rows;  // that have or had an entry here
    std::vector<int> waiting_rows;
    int entries = 0;     // of active rows
    double largest = 0;  // no entry is larger; exact if so marked
    bool exact = false;
    bool pivot = false;
    int position = -1;  // in the pivot row or the dense block at hand
  };
  struct Candidate {
    int row = -1, column = -1;
    double value = 0;
    std::int64_t cost = 0;
    explicit operator bool() const { return row >= 0; }
  };

  // A pivot with the entries behind it in its row, and what was taken of this row from others.
  struct Step {
    int row, column;
    double pivot;
    std::size_t upper_begin, upper_end, lower_begin, lower_end;
  };
  struct Multiple {
    int row;
    double factor;
  };

  bool scale_rows();
  void start();

  // the choice of a pivot
  Candidate next_single();
  Candidate next_by_rows();
  Candidate rook();
  Candidate best_in_row(int row);
  double required_size(const Row& row) const;
  double size_in_row(const Row& row, const Entry& entry) const;
  std::int64_t cost_of(int row, int column);
  std::int64_t least_cost(int row, int column) const;
  bool fair_part_of_column(const Entry& entry);
  int row_of_largest(int column);
  double value_at(int row, int column) const;

  // one step
  void eliminate(const Candidate& pivot);
  void subtract(int row, const Candidate& pivot);
  void write(int row, const Entry& entry);
  void changed(int column);
  void removed(int column);
  void reject(int row, double left);
  void reject_dependent_among_touched();
  std::vector<bool> independent_rows(Matrix& block);

  // whose turn it is
  void update_key(int row);
  void wait(int row);
  void stop_waiting(int row);
  void push(Key key);
  Key pop();

  Options options_;
  double negligible_, drop_;
  std::vector<Row> rows_;
  std::vector<Column> columns_;
  std::vector<double> weight_;

  std::vector<Key> queue_, set_aside_;  // keys that no longer hold stay in the queue
  std::vector<int> singles_;            // columns that had one entry when they were put here
  int waiting_ = 0;

  std::vector<Step> steps_;
  std::vector<Entry> upper_;
  std::vector<Multiple> lower_;

  std::vector<Entry> pivot_row_;
  std::vector<int> met_;      // by place in the pivot row: the last row that has this column, too
  std::vector<int> touched_;  // rows, in the last step
  std::vector<int> block_columns_;

  double smallest_pivot_ = std::numeric_limits<double>::infinity(), largest_pivot_ = 0;
  double largest_rejected_ = 0;
  Index work_ = 0;
};

}  // namespace trammel
