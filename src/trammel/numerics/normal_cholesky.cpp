#include "trammel/numerics/normal_cholesky.h"

#include <Eigen/Cholesky>
#include <Eigen/OrderingMethods>
#include <algorithm>
#include <cmath>
#include <vector>

namespace trammel {

namespace {

// Rows across as many groups as the paths of a tree would fill the matrix.
bool has_short_rows(const SparseMatrix& D, int size) {
  constexpr Index longest = 6;
  std::vector<Index> groups(at_index(D.rows()), 0);
  for (Index first = 0; first < D.cols(); first += size)
    for (int i = D.outerIndexPtr()[first]; i < D.outerIndexPtr()[first + 1]; ++i)
      ++groups[at_index(D.innerIndexPtr()[i])];
  Index parts = 0, pairs = 0;
  for (const Index count : groups) {
    parts += count;
    pairs += count * count;
  }
  return pairs <= longest * parts;
}

bool comes_in_groups(const SparseMatrix& D, int size) {
  if (D.cols() == 0 || D.cols() % size != 0) return false;
  const int *starts = D.outerIndexPtr(), *rows = D.innerIndexPtr();
  for (Index first = 0; first < D.cols(); first += size)
    for (Index col = first + 1; col < first + size; ++col)
      if (!std::equal(rows + starts[first], rows + starts[first + 1], rows + starts[col],
                      rows + starts[col + 1]))
        return false;
  return true;
}

template <int size>
class BlockCholesky final : public NormalCholesky {
 public:
  explicit BlockCholesky(const SparseMatrix& D) : count_(static_cast<int>(D.cols()) / size) {
    find_rows(D);
    order(pattern());
    find_fill();
    find_products();
  }

  bool factor(const SparseMatrix& D, double epsilon) override {
    assemble(D);
    double largest = 0, sum = 0;
    for (const Block& block : diagonal_) {
      largest = std::max(largest, block.diagonal().maxCoeff());
      sum += block.diagonal().sum();
    }
    if (!std::isfinite(sum)) return false;
    const double shift = epsilon * std::max(largest, 1e-300);
    for (Block& block : diagonal_) block.diagonal().array() += shift;
    for (int k = 0; k < count_; ++k)
      if (!eliminate(k)) return false;
    return true;
  }

  void solve(Vector& x) const override {
    Vector y(x.size());
    for (int k = 0; k < count_; ++k) y.segment<size>(size * k) = x.segment<size>(size * at_[at_index(k)]);
    for (int k = 0; k < count_; ++k) {
      auto part = y.segment<size>(size * k);
      diagonal_[at_index(k)].template triangularView<Eigen::Lower>().solveInPlace(part);
      for (int i = starts_[at_index(k)]; i < starts_[at_index(k) + 1]; ++i)
        y.segment<size>(size * rows_[at_index(i)]).noalias() -= below_[at_index(i)] * part;
    }
    for (int k = count_; k-- > 0;) {
      auto part = y.segment<size>(size * k);
      for (int i = starts_[at_index(k)]; i < starts_[at_index(k) + 1]; ++i)
        part.noalias() -= below_[at_index(i)].transpose() * y.segment<size>(size * rows_[at_index(i)]);
      diagonal_[at_index(k)].transpose().template triangularView<Eigen::Upper>().solveInPlace(part);
    }
    for (int k = 0; k < count_; ++k) x.segment<size>(size * at_[at_index(k)]) = y.segment<size>(size * k);
  }

 private:
  using Block = Eigen::Matrix<double, size, size>;

  // A row of D within a group of columns: `value` is where its first one is, `stride` how far the next.
  struct Part {
    int group, value, stride;
  };
  struct Product {
    int row_part, column_part, to;  // in below_; −1 − k: in diagonal_[k]
  };

  void find_rows(const SparseMatrix& D) {
    row_starts_.assign(at_index(D.rows()) + 1, 0);
    const int *starts = D.outerIndexPtr(), *rows = D.innerIndexPtr();
    for (int group = 0; group < count_; ++group)
      for (int i = starts[size * group]; i < starts[size * group + 1]; ++i)
        ++row_starts_[at_index(rows[i]) + 1];
    for (std::size_t i = 1; i < row_starts_.size(); ++i) row_starts_[i] += row_starts_[i - 1];
    parts_.resize(at_index(row_starts_.back()));
    std::vector<int> next(row_starts_.begin(), row_starts_.end() - 1);
    for (int group = 0; group < count_; ++group) {
      const int begin = starts[size * group], end = starts[size * group + 1];
      for (int i = begin; i < end; ++i) parts_[at_index(next[at_index(rows[i])]++)] = {group, i, end - begin};
    }
  }

  template <class Visit>
  void for_pairs(const Visit& visit) const {
    for (std::size_t row = 0; row + 1 < row_starts_.size(); ++row)
      for (int i = row_starts_[row]; i < row_starts_[row + 1]; ++i)
        for (int j = row_starts_[row]; j <= i; ++j) visit(i, j);
  }

  // Which groups have rows in common.
  SparseMatrix pattern() const {
    std::vector<Eigen::Triplet<double, int>> entries;
    for (int k = 0; k < count_; ++k) entries.emplace_back(k, k, 1.0);
    int last_i = -1, last_j = -1;
    for_pairs([&](int i, int j) {
      const int a = parts_[at_index(i)].group, b = parts_[at_index(j)].group;
      if (a == b || (a == last_i && b == last_j)) return;
      last_i = a;
      last_j = b;
      entries.emplace_back(a, b, 1.0);
      entries.emplace_back(b, a, 1.0);
    });
    SparseMatrix matrix(count_, count_);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }

  void order(const SparseMatrix& pattern) {
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
    Eigen::AMDOrdering<int>()(pattern, permutation);
    at_.assign(permutation.indices().data(), permutation.indices().data() + count_);
    place_.resize(at_.size());
    for (int k = 0; k < count_; ++k) place_[at_index(at_[at_index(k)])] = k;
    neighbours_ = pattern;
  }

  // Below the diagonal of a column: its own rows, and those of the columns whose first row it is.
  void find_fill() {
    std::vector<std::vector<int>> columns(at_index(count_)), children(at_index(count_));
    starts_.assign(1, 0);
    for (int k = 0; k < count_; ++k) {
      std::vector<int>& column = columns[at_index(k)];
      for (SparseMatrix::InnerIterator entry(neighbours_, at_[at_index(k)]); entry; ++entry)
        if (const int row = place_[at_index(entry.row())]; row > k) column.push_back(row);
      for (const int child : children[at_index(k)])
        for (const int row : columns[at_index(child)])
          if (row > k) column.push_back(row);
      std::sort(column.begin(), column.end());
      column.erase(std::unique(column.begin(), column.end()), column.end());
      for (const int child : children[at_index(k)]) columns[at_index(child)] = {};
      if (!column.empty()) children[at_index(column.front())].push_back(k);
      rows_.insert(rows_.end(), column.begin(), column.end());
      starts_.push_back(static_cast<int>(rows_.size()));
    }
    neighbours_ = SparseMatrix();
    diagonal_.resize(at_index(count_));
    below_.resize(rows_.size());
  }

  int find(int row, int column) const {
    const auto begin = rows_.begin() + starts_[at_index(column)],
               end = rows_.begin() + starts_[at_index(column) + 1];
    return static_cast<int>(std::lower_bound(begin, end, row) - rows_.begin());
  }

  void find_products() {
    for_pairs([&](int i, int j) {
      const int a = place_[at_index(parts_[at_index(i)].group)],
                b = place_[at_index(parts_[at_index(j)].group)];
      if (a == b)
        products_.push_back({i, j, -1 - a});
      else if (a > b)
        products_.push_back({i, j, find(a, b)});
      else
        products_.push_back({j, i, find(b, a)});
    });
  }

  void assemble(const SparseMatrix& D) {
    std::fill(diagonal_.begin(), diagonal_.end(), Block::Zero());
    std::fill(below_.begin(), below_.end(), Block::Zero());
    using Row = Eigen::Matrix<double, size, 1>;
    const auto values = [&](int part) -> Row {
      const Part& of = parts_[at_index(part)];
      return Eigen::Map<const Row, 0, Eigen::InnerStride<>>(D.valuePtr() + of.value,
                                                            Eigen::InnerStride<>(of.stride));
    };
    for (const Product& product : products_) {
      Block& to = product.to < 0 ? diagonal_[at_index(-1 - product.to)] : below_[at_index(product.to)];
      to.noalias() += values(product.row_part) * values(product.column_part).transpose();
    }
  }

  bool eliminate(int k) {
    Block& pivot = diagonal_[at_index(k)];
    const Eigen::LLT<Block> decomposition(pivot);
    if (decomposition.info() != Eigen::Success) return false;
    pivot = decomposition.matrixL();
    const int begin = starts_[at_index(k)], end = starts_[at_index(k) + 1];
    for (int i = begin; i < end; ++i)
      pivot.transpose().template triangularView<Eigen::Upper>().template solveInPlace<Eigen::OnTheRight>(
          below_[at_index(i)]);
    for (int j = begin; j < end; ++j) {
      const int column = rows_[at_index(j)];
      const Block right = below_[at_index(j)].transpose();
      diagonal_[at_index(column)].noalias() -= below_[at_index(j)] * right;
      // its rows have all of these among them, in the same order
      int to = starts_[at_index(column)];
      for (int i = j + 1; i < end; ++i, ++to) {
        while (rows_[at_index(to)] != rows_[at_index(i)]) ++to;
        below_[at_index(to)].noalias() -= below_[at_index(i)] * right;
      }
    }
    return true;
  }

  int count_;
  std::vector<int> row_starts_;
  std::vector<Part> parts_;      // row by row
  std::vector<int> at_, place_;  // the group at a place of the order, and the place of a group
  SparseMatrix neighbours_;
  std::vector<Product> products_;
  std::vector<int> starts_, rows_;  // of below_
  std::vector<Block> diagonal_, below_;
};

}  // namespace

std::unique_ptr<NormalCholesky> make_normal_cholesky(const SparseMatrix& D) {
  if (comes_in_groups(D, 6) && has_short_rows(D, 6)) return std::make_unique<BlockCholesky<6>>(D);
  if (comes_in_groups(D, 3) && has_short_rows(D, 3)) return std::make_unique<BlockCholesky<3>>(D);
  return nullptr;
}

}  // namespace trammel
