#include "trammel/formulation/acceleration_system.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/formulation/sparse_partition.h"
#include "trammel/motion/minimal_multipliers.h"
#include "trammel/motion/velocity_jacobian.h"
#include "trammel/numerics/sparse_lu.h"

namespace trammel {

namespace {

// ε, relative to the diagonal of D M⁻¹ Dᵀ.
constexpr double regularization = 1e-10;

double largest(const Vector& values) { return values.size() > 0 ? values.lpNorm<Eigen::Infinity>() : 0.0; }

// Of a body without mass in some direction the others say what is small.
double least_mass(const Vector& diagonal) {
  const double most = largest(diagonal);
  return most > 0 ? 1e-6 * most : 1;
}

// [M Dᵀ; D −E] by KLU. Its pattern is made once; entries of D go straight to their two places. Those that are
// always zero, as half of those of a hinge are, have no place.
class SparseBordered {
 public:
  // `used` marks the entries of D that are not always zero.
  void prepare(const SparseMatrix& M, const SparseMatrix& D, Index rows, const std::vector<char>& used) {
    velocities_ = M.cols();
    rows_ = rows;
    const Vector diagonal = M.diagonal();
    const double least = least_mass(diagonal);
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
      entries.emplace_back(at, at, -regularization * (weight[row] > 0 ? weight[row] : 1.0));
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

class DenseAccelerationSystem final : public AccelerationSystem {
 public:
  DenseAccelerationSystem(EquationsOfMotion& motion, double rank_tolerance)
      : motion_(motion),
        jacobian_(dynamic_cast<VelocityJacobian*>(&motion)),
        layout_(motion.layout()),
        rank_tolerance_(rank_tolerance),
        derivatives_(layout_),
        constraints_(layout_.lambda.size + layout_.mu.size) {
    D_.resize(constraints_, layout_.v.size);
  }

  bool wants_mass() const override { return M_.size() == 0 || !motion_.structure().constant_mass; }
  void take(const MotionPoint& at, const Matrix& M) override {
    Parts wanted = 0;
    if (jacobian_ == nullptr) wanted |= part::gI | part::h;
    if (!plain_kinematics_) wanted |= part::kinematics;
    if (layout_.normalizations > 0) wanted |= part::n;
    if (wanted != 0) motion_.differentiate(at, wanted, derivatives_);
    if (jacobian_ != nullptr)
      jacobian_->velocity_jacobian(at, D_);
    else
      D_ << derivatives_.gI.middleCols(layout_.v.begin, layout_.v.size),
          derivatives_.h.middleCols(layout_.v.begin, layout_.v.size);
    if (wants_mass()) M_ = M;
    if (first_) plain_kinematics_ = velocities_are_rates(at);
    first_ = false;
  }
  bool factor() override {
    if (constraints_ > layout_.lambda.size) factor(layout_.lambda.size, positions_);
    return factor(constraints_, all_);
  }
  void displace(const VectorIn& /*p*/, const VectorIn& q, const VectorIn& residual,
                VectorOut change) const override {
    if (plain_kinematics_)
      change = q;
    else
      change = derivatives_.kinematics.middleCols(layout_.v.begin, layout_.v.size) * q;
    if (layout_.normalizations == 0) return;
    const Matrix N = derivatives_.n.middleCols(layout_.p.begin, layout_.p.size);
    change -= N.transpose() * (N * N.transpose()).ldlt().solve(Vector(residual));
  }
  bool find_redundant(std::vector<char>& independent) override {
    Eigen::FullPivLU<Matrix> lu(D_);
    lu.setThreshold(rank_tolerance_);
    independent.assign(static_cast<std::size_t>(constraints_), 0);
    for (Index i = 0; i < lu.rank(); ++i)
      for (Index row = 0; row < constraints_; ++row)
        if (lu.permutationP().indices()[row] == i) independent[static_cast<std::size_t>(row)] = 1;
    return lu.rank() < constraints_;
  }
  void minimize(VectorOut multipliers) override {
    const Vector force = D_.transpose() * multipliers;
    multipliers = Matrix(D_.transpose()).completeOrthogonalDecomposition().solve(force);
  }

 protected:
  void solve_once(Vector& upper, Vector& lower, Rows rows) override {
    const bool part = rows == Rows::holonomic && constraints_ > layout_.lambda.size;
    work_.resize(upper.size() + lower.size());
    work_ << upper, lower;
    work_ = (part ? positions_ : all_).solve(work_).eval();
    upper = work_.head(upper.size());
    lower = work_.tail(lower.size());
  }

 public:
  void subtract_product(const Vector& x, const Vector& y, Vector& upper, Vector& lower) const override {
    upper.noalias() -= M_ * x;
    upper.noalias() -= D_.topRows(y.size()).transpose() * y;
    lower.noalias() -= D_.topRows(y.size()) * x;
  }

 private:
  // p' = v, as far as velocities of ordinary size show.
  bool velocities_are_rates(const MotionPoint& at) {
    if (layout_.p.size != layout_.v.size) return false;
    Vector x = at.x;
    for (Index i = 0; i < layout_.v.size; ++i)
      x[layout_.v.begin + i] = 0.5 + 0.37 * static_cast<double>(i % 7);
    MotionDerivatives slopes(layout_);
    motion_.differentiate({at.t, x, at.a}, part::kinematics, slopes);
    slopes.kinematics.middleCols(layout_.v.begin, layout_.v.size) -=
        Matrix::Identity(layout_.p.size, layout_.v.size);
    return slopes.kinematics.isZero(0);
  }

  bool factor(Index rows, Eigen::PartialPivLU<Matrix>& lu) {
    const Index nv = layout_.v.size;
    const double least = least_mass(M_.diagonal());
    matrix_.setZero(nv + rows, nv + rows);
    matrix_.topLeftCorner(nv, nv) = M_;
    matrix_.bottomLeftCorner(rows, nv) = D_.topRows(rows);
    matrix_.topRightCorner(nv, rows) = D_.topRows(rows).transpose();
    const Vector inverse = M_.diagonal().cwiseMax(least).cwiseInverse();
    for (Index row = 0; row < rows; ++row) {
      const double weight = D_.row(row).cwiseAbs2().dot(inverse);
      matrix_(nv + row, nv + row) = -regularization * (weight > 0 ? weight : 1.0);
    }
    if (!matrix_.allFinite()) return false;
    lu.compute(matrix_);
    const auto pivots = lu.matrixLU().diagonal().cwiseAbs();
    return pivots.size() == 0 || pivots.minCoeff() > 0;
  }

  EquationsOfMotion& motion_;
  VelocityJacobian* jacobian_;  // if they offer it
  const Layout layout_;
  double rank_tolerance_;
  MotionDerivatives derivatives_;
  Index constraints_;
  bool first_ = true, plain_kinematics_ = false;
  Matrix M_, D_, matrix_;
  Eigen::PartialPivLU<Matrix> all_, positions_;
  Vector work_;
};

}  // namespace

double AccelerationSystem::solve(Vector& upper, Vector& lower, double accuracy, Rows rows) {
  upper_ = upper;
  lower_ = lower;
  solve_once(upper, lower, rows);
  double previous = std::numeric_limits<double>::infinity();
  for (int refinement = 0; refinement < 5; ++refinement) {
    x_ = upper_;
    y_ = lower_;
    subtract_product(upper, lower, x_, y_);
    solve_once(x_, y_, rows);
    // multipliers of redundant rows are not determined, and do not matter
    const double size = largest(x_) / (largest(upper) + std::numeric_limits<double>::min());
    if (!std::isfinite(size)) return size;
    if (!(size < previous)) break;
    upper += x_;
    lower += y_;
    previous = size;
    if (size <= accuracy) break;
  }
  return previous;
}

std::unique_ptr<AccelerationSystem> make_acceleration_system(EquationsOfMotion& motion, bool sparse,
                                                             double rank_tolerance) {
  if (sparse) return std::make_unique<SparseAccelerationSystem>(motion, rank_tolerance);
  return std::make_unique<DenseAccelerationSystem>(motion, rank_tolerance);
}

}  // namespace trammel
