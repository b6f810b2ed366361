#include "trammel/motion/minimal_multipliers.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <numeric>
#include <optional>

#include "trammel/numerics/normal_cholesky.h"

namespace trammel {

// Needs no pivots, so that its factors are those of D alone however often it was factored before, and takes a third of
// the time and room of the whole system. y in λ = D y may be inexact along directions that D does not see, which are gone
// from λ.
class MinimalMultipliers::Normal {
 public:
  // By rows of D, whose entries are the places of its values.
  explicit Normal(const SparseMatrix& D) : groups_(make_normal_cholesky(D)) {
    if (!groups_) find_rows(D);
  }

  // Rows as long as the paths of a tree would fill the matrix.
  bool serves() const {
    if (groups_) return true;
    constexpr std::size_t longest = 40;
    std::size_t pairs = 0;
    for (std::size_t row = 0; row + 1 < starts_.size(); ++row) {
      const auto length = static_cast<std::size_t>(starts_[row + 1] - starts_[row]);
      pairs += length * length;
    }
    return pairs <= longest * places_.size();
  }

  bool factor(const SparseMatrix& D) {
    constexpr double epsilon = 1e-12;  // relative to the largest entry of the diagonal
    if (groups_) return groups_->factor(D, epsilon);
    if (!matrix_) matrix_.emplace(D.cols(), D.cols());
    matrix_->begin();
    Vector diagonal = Vector::Zero(D.cols());
    for (std::size_t row = 0; row + 1 < starts_.size(); ++row)
      for (auto i = static_cast<std::size_t>(starts_[row]); i < static_cast<std::size_t>(starts_[row + 1]);
           ++i) {
        const double value = D.valuePtr()[places_[i]];
        diagonal[columns_[i]] += value * value;
        // columns of a row ascend: the lower triangle
        for (auto j = static_cast<std::size_t>(starts_[row]); j <= i; ++j)
          matrix_->add(columns_[i], columns_[j], value * D.valuePtr()[places_[j]]);
      }
    const double shift = epsilon * (diagonal.size() > 0 ? std::max(diagonal.maxCoeff(), 1e-300) : 1.0);
    for (Index i = 0; i < D.cols(); ++i) matrix_->add(i, i, shift);
    const bool is_new = !matrix_->known();
    matrix_->finish();
    if (is_new) factors_.analyzePattern(matrix_->matrix());
    factors_.factorize(matrix_->matrix());
    return factors_.info() == Eigen::Success;
  }

  Vector solve(const Vector& force) const {
    if (!groups_) return factors_.solve(force);
    Vector solution = force;
    groups_->solve(solution);
    return solution;
  }

 private:
  void find_rows(const SparseMatrix& D) {
    starts_.assign(at_index(D.rows()) + 1, 0);
    places_.resize(at_index(D.nonZeros()));
    columns_.resize(places_.size());
    for_entries(D, [&](Index row, Index, double) { ++starts_[at_index(row) + 1]; });
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    std::vector<int> next(starts_.begin(), starts_.end() - 1);
    int place = 0;
    for_entries(D, [&](Index row, Index column, double) {
      const auto at = static_cast<std::size_t>(next[at_index(row)]++);
      places_[at] = place++;
      columns_[at] = static_cast<int>(column);
    });
  }

  std::unique_ptr<NormalCholesky>
      groups_;  // where columns come in groups; what follows is for those that do not
  std::vector<int> starts_, places_, columns_;
  std::optional<AssembledMatrix> matrix_;
  Eigen::SimplicialLLT<SparseMatrix, Eigen::Lower, Eigen::AMDOrdering<int>> factors_;
};

MinimalMultipliers::MinimalMultipliers() = default;
MinimalMultipliers::~MinimalMultipliers() = default;
MinimalMultipliers::MinimalMultipliers(MinimalMultipliers&&) noexcept = default;
MinimalMultipliers& MinimalMultipliers::operator=(MinimalMultipliers&&) noexcept = default;

bool MinimalMultipliers::reduce(const SparseMatrix& D, VectorOut lambda) {
  return reduce(D, Vector(D.transpose() * lambda), lambda);
}

bool MinimalMultipliers::factor_whole(const SparseMatrix& D) {
  constexpr double epsilon = 1e-13;
  const Index rows = D.rows(), columns = D.cols();
  const bool is_new = !matrix_.known();
  if (is_new) matrix_ = AssembledMatrix(rows + columns, rows + columns);
  matrix_.begin();
  for (Index i = 0; i < rows; ++i) matrix_.add(i, i, 1);
  for (Index j = 0; j < columns; ++j) matrix_.add(rows + j, rows + j, -epsilon);
  for_entries(D, [&](Index i, Index j, double value) {
    matrix_.add(i, rows + j, value);
    matrix_.add(rows + j, i, value);
  });
  matrix_.finish();
  if (is_new) lu_.analyze(matrix_.matrix());
  lu_.forget_pivots();
  return lu_.factor(matrix_.matrix());
}

// λ = D (DᵀD + εI)⁻¹ force, refined
bool MinimalMultipliers::reduce(const SparseMatrix& D, const Vector& force, VectorOut lambda) {
  if (!normal_) normal_ = std::make_unique<Normal>(D);
  const bool normal = normal_->serves() && normal_->factor(D);
  if (!normal && !factor_whole(D)) return false;
  Vector solution = Vector::Zero(D.rows()), remainder = force, work(D.rows() + D.cols());
  for (int iteration = 0; iteration < 3; ++iteration) {
    if (normal) {
      solution += D * normal_->solve(remainder);
    } else {
      work << Vector::Zero(D.rows()), remainder;
      lu_.solve(work);
      solution += work.head(D.rows());
    }
    remainder = force - D.transpose() * solution;
  }
  lambda = solution;
  return true;
}

}  // namespace trammel
