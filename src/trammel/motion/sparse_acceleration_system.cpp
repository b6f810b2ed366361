// The system of accelerations of mechanisms: sparse, with a constant mass matrix.
#include <algorithm>
#include <cmath>

#include "trammel/motion/acceleration_system.h"
#include "trammel/motion/minimal_multipliers.h"
#include "trammel/numerics/sparse_lu.h"
#include "trammel/numerics/sparse_partition.h"

namespace trammel {

namespace {

// [M Dᵀ; D −E] by KLU. Its pattern is made once; entries of D go straight to their two places. Those that are
// always zero, as half of those of a hinge are, have no place.
class SparseBordered {
 public:
  // `used` marks the entries of D that are not always zero.
  void prepare(const SparseMatrix& M, const SparseMatrix& D, Index rows, const std::vector<char>& used) {
    velocities_ = M.cols();
    rows_ = rows;
    const Vector diagonal = M.diagonal();
    const double least = AccelerationSystem::least_mass(diagonal);
    Vector weight = Vector::Zero(rows);
    std::vector<Eigen::Triplet<double, int>> entries;
    for (int col = 0; col < M.outerSize(); ++col)
      for (SparseMatrix::InnerIterator entry(M, col); entry; ++entry)
        entries.emplace_back(static_cast<int>(entry.row()), col, entry.value());
    const int nv = static_cast<int>(velocities_);
    std::size_t place = 0;
    for (int col = 0; col < D.outerSize(); ++col)
      for (SparseMatrix::InnerIterator entry(D, col); entry; ++entry) {
        if (!used[place++] || entry.row() >= rows) continue;
        const int row = nv + static_cast<int>(entry.row());
        entries.emplace_back(row, col, 0.0);
        entries.emplace_back(col, row, 0.0);
        weight[entry.row()] += entry.value() * entry.value() / std::max(diagonal[col], least);
      }
    for (Index row = 0; row < rows; ++row) {
      const int at = nv + static_cast<int>(row);
      entries.emplace_back(at, at,
                           -AccelerationSystem::regularization * (weight[row] > 0 ? weight[row] : 1.0));
    }
    matrix_.resize(nv + rows, nv + rows);
    matrix_.setFromTriplets(entries.begin(), entries.end());
    slots_.clear();
    const auto slot = [&](int row, int col) {
      const int* begin = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[col];
      const int* end = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[col + 1];
      return static_cast<int>(std::lower_bound(begin, end, row) - matrix_.innerIndexPtr());
    };
    int source = 0;
    for (int col = 0; col < D.outerSize(); ++col)
      for (SparseMatrix::InnerIterator entry(D, col); entry; ++entry, ++source)
        if (used[static_cast<std::size_t>(source)] && entry.row() < rows) {
          const int row = nv + static_cast<int>(entry.row());
          slots_.push_back({source, slot(row, col), slot(col, row)});
        }
    work_.resize(nv + rows);
    lu_.analyze(matrix_);
  }

  bool factor(const SparseMatrix& D) {
    const double* from = D.valuePtr();
    double* to = matrix_.valuePtr();
    for (const Slot& slot : slots_) to[slot.below] = to[slot.beside] = from[slot.source];
    return lu_.factor(matrix_);
  }

  void solve(Vector& upper, Vector& lower) {
    work_ << upper, lower;
    lu_.solve(work_);
    upper = work_.head(velocities_);
    lower = work_.tail(rows_);
  }

 private:
  struct Slot {
    int source, below, beside;
  };
  Index velocities_ = 0, rows_ = 0;
  SparseMatrix matrix_;
  std::vector<Slot> slots_;
  SparseLu<double> lu_;
  Vector work_;
};

class SparseAccelerationSystem final : public AccelerationSystem {
 public:
  SparseAccelerationSystem(EquationsOfMotion& motion, double rank_tolerance)
      : sparse_(*motion.sparse()),
        layout_(motion.layout()),
        slopes_(sparse_.slopes()),
        holonomic_(motion.layout().lambda.size),
        constraints_(holonomic_ + motion.layout().mu.size),
        rank_tolerance_(rank_tolerance) {}

  bool wants_mass() const override { return false; }
  void take(const MotionPoint& at, const Matrix& /*M*/) override {
    if (!prepared_) {
      prepared_ = true;
      find_used_entries(at);
      prepare();
    }
    sparse_.differentiate_sparse(at, SparseMotion::jacobian);
  }
  bool factor() override {
    const double* values = slopes_.jacobian.valuePtr();
    if (std::any_of(unused_.begin(), unused_.end(), [&](int entry) { return values[entry] != 0; })) {
      std::fill(used_.begin(), used_.end(), char{1});
      prepare();
    }
    return all_.factor(slopes_.jacobian) &&
           (constraints_ == holonomic_ || positions_.factor(slopes_.jacobian));
  }
  void displace(const VectorIn& p, const VectorIn& q, const VectorIn& residual,
                VectorOut change) const override {
    sparse_.displacement_to_positions(p, q, residual, change);
  }
  bool find_redundant(std::vector<char>& independent) override {
    SparsePartition partition;
    partition.choose(slopes_.jacobian, constraints_, Vector::Ones(slopes_.jacobian.cols()), rank_tolerance_);
    independent = partition.counts();
    return partition.redundant();
  }
  void minimize(VectorOut multipliers) override { minimal_.reduce(slopes_.jacobian, multipliers); }

 protected:
  void solve_once(Vector& upper, Vector& lower, Rows rows) override {
    const bool part = rows == Rows::holonomic && constraints_ > holonomic_;
    (part ? positions_ : all_).solve(upper, lower);
  }

 public:
  void subtract_product(const Vector& x, const Vector& y, Vector& upper, Vector& lower) const override {
    upper.noalias() -= slopes_.mass * x;
    const SparseMatrix& D = slopes_.jacobian;
    const Index rows = y.size();
    for (int col = 0; col < D.outerSize(); ++col) {
      double sum = 0;
      for (SparseMatrix::InnerIterator entry(D, col); entry; ++entry) {
        if (entry.row() >= rows) continue;
        sum += entry.value() * y[entry.row()];
        lower[entry.row()] -= entry.value() * x[col];
      }
      upper[col] -= sum;
    }
  }

 private:
  // What is zero at three positions of all kinds, constraints met or not, is taken to be zero everywhere
  // until factor() finds otherwise.
  void find_used_entries(const MotionPoint& at) {
    sparse_.differentiate_sparse(at, SparseMotion::everything);
    const SparseMatrix& D = slopes_.jacobian;
    used_.assign(static_cast<std::size_t>(D.nonZeros()), 0);
    Vector x = at.x, q(layout_.v.size), change(layout_.p.size);
    const Vector no_residual = Vector::Zero(layout_.normalizations);
    for (int sample = 0; sample < 3; ++sample) {
      for (Index i = 0; i < D.nonZeros(); ++i)
        if (D.valuePtr()[i] != 0) used_[static_cast<std::size_t>(i)] = 1;
      for (Index i = 0; i < q.size(); ++i) q[i] = 0.4 * std::sin(1.3 * static_cast<double>(i + 1) + sample);
      sparse_.displacement_to_positions(x.segment(layout_.p.begin, layout_.p.size), q, no_residual, change);
      x.segment(layout_.p.begin, layout_.p.size) += change;
      sparse_.differentiate_sparse({at.t, x, at.a}, SparseMotion::jacobian);
    }
    sparse_.differentiate_sparse(at, SparseMotion::jacobian);
  }
  void prepare() {
    all_.prepare(slopes_.mass, slopes_.jacobian, constraints_, used_);
    if (constraints_ > holonomic_) positions_.prepare(slopes_.mass, slopes_.jacobian, holonomic_, used_);
    unused_.clear();
    for (std::size_t i = 0; i < used_.size(); ++i)
      if (!used_[i]) unused_.push_back(static_cast<int>(i));
  }

  SparseMotion& sparse_;
  const Layout layout_;
  SparseSlopes slopes_;
  Index holonomic_, constraints_;
  double rank_tolerance_;
  bool prepared_ = false;
  std::vector<char> used_;   // entries of D
  std::vector<int> unused_;  // the others
  SparseBordered all_, positions_;
  MinimalMultipliers minimal_;
};

}  // namespace

std::unique_ptr<AccelerationSystem> make_sparse_acceleration_system(EquationsOfMotion& motion,
                                                                    double rank_tolerance) {
  return std::make_unique<SparseAccelerationSystem>(motion, rank_tolerance);
}

}  // namespace trammel
