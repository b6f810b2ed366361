// The system of accelerations with sparse matrices, by KLU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/motion/acceleration_system.h"
#include "trammel/motion/mass_schur_complement.h"
#include "trammel/motion/minimal_multipliers.h"
#include "trammel/numerics/sparse_lu.h"
#include "trammel/numerics/sparse_rank.h"

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
    mass_slots_.clear();
    for (int col = 0; col < M.outerSize(); ++col)
      for (SparseMatrix::InnerIterator entry(M, col); entry; ++entry)
        mass_slots_.push_back(slot(static_cast<int>(entry.row()), col));
    work_.resize(nv + rows);
    lu_.analyze(matrix_);
    choose_complement(M, D, used);
  }

  void set_mass(const SparseMatrix& M) {
    for (std::size_t i = 0; i < mass_slots_.size(); ++i) matrix_.valuePtr()[mass_slots_[i]] = M.valuePtr()[i];
    if (complement_ && !complement_->set_mass(M)) complement_.reset();
  }

  bool factor(const SparseMatrix& D) {
    const double* from = D.valuePtr();
    double* to = matrix_.valuePtr();
    for (const Slot& slot : slots_) to[slot.below] = to[slot.beside] = from[slot.source];
    by_complement_ = complement_ && complement_->factor(D);
    return by_complement_ || lu_.factor(matrix_);
  }

  void forget_pivots() { lu_.forget_pivots(); }

  void solve(Vector& upper, Vector& lower) {
    if (by_complement_) return complement_->solve(upper, lower);
    work_ << upper, lower;
    lu_.solve(work_);
    upper = work_.head(velocities_);
    lower = work_.tail(rows_);
  }

 private:
  // Above this size and this many entries of the factors to an unknown, which only nets of bodies come to, pivots
  // make several times the fill that was estimated.
  static constexpr Index large = 2000, much_fill = 25;

  void choose_complement(const SparseMatrix& M, const SparseMatrix& D, const std::vector<char>& used) {
    by_complement_ = false;
    complement_.reset();
    if (matrix_.rows() < large || rows_ < D.rows() || lu_.estimated_fill() < much_fill * matrix_.rows())
      return;
    complement_ = std::make_unique<MassSchurComplement>();
    const Vector epsilon = -Vector(matrix_.diagonal()).tail(rows_);
    if (!complement_->prepare(M, D, used, epsilon) || complement_->fill() > lu_.estimated_fill())
      complement_.reset();
  }

  struct Slot {
    int source, below, beside;
  };
  Index velocities_ = 0, rows_ = 0;
  SparseMatrix matrix_;
  std::vector<Slot> slots_;
  std::vector<int> mass_slots_;
  SparseLu<double> lu_;
  std::unique_ptr<MassSchurComplement> complement_;
  bool by_complement_ = false;
  Vector work_;
};

class SparseAccelerationSystem final : public AccelerationSystem {
 public:
  SparseAccelerationSystem(TangentMotion& motion, double rank_tolerance)
      : motion_(motion),
        layout_(motion.layout()),
        slopes_(motion.slopes()),
        holonomic_(layout_.lambda.size),
        constraints_(holonomic_ + layout_.mu.size),
        constant_mass_(motion.structure().constant_mass),
        rank_tolerance_(rank_tolerance) {}

  void take(const MotionPoint& at) override {
    if (!prepared_) {
      find_used_entries(at);
      prepare();
      prepared_ = true;
    }
    check(at.t, motion_.differentiate(at, TangentMotion::jacobian));
    if (motion_.pattern() != pattern_) {
      find_used_entries(at);
      prepare();
    }
  }
  bool factor() override {
    const double* values = slopes_.jacobian.valuePtr();
    if (std::any_of(unused_.begin(), unused_.end(), [&](int entry) { return values[entry] != 0; })) {
      if (used_first_.empty()) used_first_ = used_;
      std::fill(used_.begin(), used_.end(), char{1});
      prepare();
    }
    const bool parts = constraints_ > holonomic_;
    if (!constant_mass_) {
      all_.set_mass(slopes_.mass);
      if (parts) positions_.set_mass(slopes_.mass);
    }
    return all_.factor(slopes_.jacobian) && (!parts || positions_.factor(slopes_.jacobian));
  }
  bool find_redundant(std::vector<char>& independent) override {
    SparseRank rank;
    rank.factor(slopes_.jacobian.topRows(constraints_), rank_tolerance_,
                Vector::Ones(slopes_.jacobian.cols()));
    independent.assign(at_index(slopes_.jacobian.rows()), 0);
    for (const Index row : rank.independent_rows()) independent[at_index(row)] = 1;
    return rank.rank() < constraints_;
  }
  bool forget_pivots() override {
    if (!used_first_.empty() && used_first_.size() == used_.size()) {
      used_ = std::move(used_first_);
      prepare();
    }
    used_first_.clear();
    all_.forget_pivots();
    positions_.forget_pivots();
    return true;
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
  // Elsewhere it may be: a smaller step can help.
  static void check(double t, const std::string& not_finite) {
    if (!not_finite.empty())
      throw NotDetermined(Reason::not_finite, fmt::format("{} is not finite at t = {}", not_finite, t));
  }

  // What is zero at three positions of all kinds, constraints met or not, is taken to be zero everywhere
  // until factor() finds otherwise.
  void find_used_entries(const MotionPoint& at) {
    MotionValues values(layout_, false);
    motion_.evaluate(at, part::mass, values);
    check(at.t, motion_.differentiate(at, TangentMotion::jacobian));
    const SparseMatrix& D = slopes_.jacobian;
    used_.assign(static_cast<std::size_t>(D.nonZeros()), 0);
    Vector x = at.x, q(layout_.v.size), change(layout_.p.size);
    const Vector no_residual = Vector::Zero(layout_.normalizations);
    for (int sample = 0; sample < 3; ++sample) {
      if (used_.size() != static_cast<std::size_t>(D.nonZeros()))  // the pattern has grown
        used_.assign(static_cast<std::size_t>(D.nonZeros()), 1);
      for (Index i = 0; i < D.nonZeros(); ++i)
        if (D.valuePtr()[i] != 0) used_[static_cast<std::size_t>(i)] = 1;
      for (Index i = 0; i < q.size(); ++i) q[i] = 0.4 * std::sin(1.3 * static_cast<double>(i + 1) + sample);
      motion_.displacement_to_positions(x.segment(layout_.p.begin, layout_.p.size), q, no_residual, change);
      x.segment(layout_.p.begin, layout_.p.size) += change;
      try {
        motion_.differentiate({at.t, x, at.a}, TangentMotion::jacobian);
      } catch (const std::exception&) {
        break;  // not everywhere has to be within reach
      }
    }
    check(at.t, motion_.differentiate(at, TangentMotion::jacobian));
    if (used_.size() != static_cast<std::size_t>(D.nonZeros()))
      used_.assign(static_cast<std::size_t>(D.nonZeros()), 1);
  }
  void prepare() {
    pattern_ = motion_.pattern();
    all_.prepare(slopes_.mass, slopes_.jacobian, constraints_, used_);
    if (constraints_ > holonomic_) positions_.prepare(slopes_.mass, slopes_.jacobian, holonomic_, used_);
    unused_.clear();
    for (std::size_t i = 0; i < used_.size(); ++i)
      if (!used_[i]) unused_.push_back(static_cast<int>(i));
  }

  TangentMotion& motion_;
  const Layout layout_;
  TangentSlopes slopes_;
  Index holonomic_, constraints_;
  bool constant_mass_;
  double rank_tolerance_;
  bool prepared_ = false;
  unsigned pattern_ = 0;
  std::vector<char> used_;        // entries of D
  std::vector<char> used_first_;  // the same before one of the others was found not to be zero; or empty
  std::vector<int> unused_;       // the others
  SparseBordered all_, positions_;
  MinimalMultipliers minimal_;
};

}  // namespace

std::unique_ptr<AccelerationSystem> make_sparse_acceleration_system(TangentMotion& motion,
                                                                    double rank_tolerance) {
  return std::make_unique<SparseAccelerationSystem>(motion, rank_tolerance);
}

std::unique_ptr<AccelerationSystem> TangentMotion::acceleration_system(double rank_tolerance) {
  return make_sparse_acceleration_system(*this, rank_tolerance);
}

}  // namespace trammel
