#include "trammel/formulation/splitting/splitting_system.h"

#include <utility>

namespace trammel {

namespace {

// The terms of A B, one by one.
template <class Function>
void for_products(const SparseMatrix& A, const SparseMatrix& B, const Function& function) {
  for (int col = 0; col < B.outerSize(); ++col)
    for (SparseMatrix::InnerIterator b(B, col); b; ++b)
      for (SparseMatrix::InnerIterator a(A, b.row()); a; ++a) function(a.row(), col, a.value() * b.value());
}

// The same of A Bᵀ.
template <class Function>
void for_products_transposed(const SparseMatrix& A, const SparseMatrix& B, const Function& function) {
  for (int k = 0; k < B.outerSize(); ++k)
    for (SparseMatrix::InnerIterator b(B, k); b; ++b)
      for (SparseMatrix::InnerIterator a(A, k); a; ++a) function(a.row(), b.row(), a.value() * b.value());
}

double if_counts(const std::vector<char>& rows, Index row, double value) {
  return rows[at_index(row)] != 0 ? value : 0.0;
}

}  // namespace

SplittingSystem::SplittingSystem(const Layout& layout)
    : velocities_(layout.v.size),
      states_(layout.r.size),
      constraints_(layout.lambda.size + layout.mu.size),
      holonomic_(layout.lambda.size),
      r_(velocities_),
      kappa_(r_ + states_),
      eta_(kappa_ + constraints_),
      size_(eta_ + holonomic_) {}

void SplittingSystem::forget_patterns() {
  kinematics_ = {};
  system_ = {};
  stage_system_ = {};
}

// --- derivatives

// C has entries where a row of g depends on both displacements.
void SplittingSystem::find_turning(const TangentSlopes& slopes) {
  turning_.clear();
  const SparseMatrix &D = slopes.jacobian, &F = slopes.force_pose;
  const Eigen::SparseMatrix<double, Eigen::RowMajor, int> by_rows = D;
  std::vector<int> met(at_index(velocities_), -1);
  for (int col = 0; col < F.outerSize(); ++col) {
    for (SparseMatrix::InnerIterator row(D, col); row && row.row() < holonomic_; ++row)
      for (decltype(by_rows)::InnerIterator entry(by_rows, row.row()); entry; ++entry)
        met[at_index(entry.col())] = col;
    for (int slot = F.outerIndexPtr()[col]; slot < F.outerIndexPtr()[col + 1]; ++slot)
      if (met[at_index(F.innerIndexPtr()[slot])] == col)
        turning_.push_back({F.innerIndexPtr()[slot], col, slot});
  }
}

void SplittingSystem::take(const TangentSlopes& slopes, Point& point) {
  point.mass = slopes.mass;
  point.jacobian = slopes.jacobian;
  point.rate_pose = slopes.rate_pose;
  point.force_pose = slopes.force_pose;
  point.force_twist = slopes.force_twist;
  point.force_state = slopes.force_state;
  point.state_pose = slopes.state_pose;
  point.state_twist = slopes.state_twist;
  point.state_state = slopes.state_state;
  if (kinematics_.rows() != velocities_) {
    kinematics_ = AssembledMatrix(velocities_, velocities_);
    find_turning(slopes);
  }
  turn(slopes, point);  // by nothing
}

void SplittingSystem::turn(const TangentSlopes& slopes, Point& point) {
  kinematics_.begin();
  for_entries(slopes.kinematics, [&](Index i, Index j, double value) { kinematics_.add(i, j, value); });
  for (const Turning& entry : turning_)
    kinematics_.add(entry.row, entry.col,
                    point.force_pose.valuePtr()[entry.slot] - slopes.force_pose.valuePtr()[entry.slot]);
  kinematics_.finish();
  point.kinematics = kinematics_.matrix();
}

// --- the matrix, entry by entry: put(row, column, shifts, power, value) with the number of shifts that the
// entry comes with, and the power of σ that is left of them when rows and unknowns have been scaled

// What comes with shifts; the rates are those of the same point, or of another stage.
template <class Put>
void SplittingSystem::put_shifted(const Point& at, const Point& rates, const Rows& rows,
                                  const Put& put) const {
  for_entries(at.mass, [&](Index i, Index j, double value) { put(i, j, 2, 0, value); });
  for_products(at.mass, rates.kinematics, [&](Index i, Index j, double value) { put(i, j, 1, -1, value); });
  for_products_transposed(at.mass, rates.jacobian, [&](Index i, Index j, double value) {
    if (j < holonomic_) put(i, eta_ + j, 1, 0, if_counts(rows.positions, j, value));
  });
  for_entries(at.force_twist, [&](Index i, Index j, double value) { put(i, j, 1, -1, -value); });
  for_entries(at.jacobian, [&](Index i, Index j, double value) {
    put(velocity_row(i), j, 1, 0, if_counts(rows.velocities, i, value));
  });
  for (Index i = 0; i < states_; ++i) put(r_ + i, r_ + i, 1, 0, 1);
  for_entries(at.state_twist, [&](Index i, Index j, double value) { put(r_ + i, j, 1, 0, -value); });
}

template <class Put>
void SplittingSystem::put_unshifted(const Point& at, const Rows& rows, const Put& put) const {
  // by displacements and states
  for_products(at.force_twist, at.kinematics,
               [&](Index i, Index j, double value) { put(i, j, 0, -2, -value); });
  for_entries(at.force_pose, [&](Index i, Index j, double value) { put(i, j, 0, -2, -value); });
  for_entries(at.force_state, [&](Index i, Index j, double value) { put(i, r_ + j, 0, -2, -value); });
  for_products(at.state_twist, at.kinematics,
               [&](Index i, Index j, double value) { put(r_ + i, j, 0, -1, -value); });
  for_entries(at.state_pose, [&](Index i, Index j, double value) { put(r_ + i, j, 0, -1, -value); });
  for_entries(at.state_state, [&](Index i, Index j, double value) { put(r_ + i, r_ + j, 0, -1, -value); });
  const auto put_curvature = [&](Index i, Index j, double value) {
    put(velocity_row(i), j, 0, -1, if_counts(rows.velocities, i, value));
  };
  for_products(at.jacobian, at.kinematics, put_curvature);
  for_entries(at.rate_pose, put_curvature);

  // constraints
  for_entries(at.jacobian, [&](Index i, Index j, double value) {
    put(j, kappa_ + i, 0, 0, if_counts(rows.velocities, i, value));
    if (i < holonomic_) put(kappa_ + i, j, 0, 0, if_counts(rows.positions, i, value));
  });
  const auto put_across = [&](Index i, Index j, int power, double value) {
    if (j < holonomic_) put(i, eta_ + j, 0, power, if_counts(rows.positions, j, value));
  };
  for_products_transposed(at.force_twist, at.jacobian,
                          [&](Index i, Index j, double value) { put_across(i, j, -1, -value); });
  for_products_transposed(at.state_twist, at.jacobian,
                          [&](Index i, Index j, double value) { put_across(r_ + i, j, 0, -value); });
  for_products_transposed(at.jacobian, at.jacobian, [&](Index i, Index j, double value) {
    put_across(velocity_row(i), j, 0, if_counts(rows.velocities, i, value));
  });

  // what does not count
  for (Index i = 0; i < constraints_; ++i) {
    put(velocity_row(i), kappa_ + i, 0, 0, if_counts(rows.velocities, i, 1) != 0 ? 0.0 : 1.0);
    if (i < holonomic_) put(kappa_ + i, eta_ + i, 0, 0, if_counts(rows.positions, i, 1) != 0 ? 0.0 : 1.0);
  }
}

// --- one point

void SplittingSystem::form(Rows rows) {
  rows_ = std::move(rows);
  const bool first = system_.empty();
  if (first) system_ = ShiftedMatrix(size_);
  const auto put = [&](Index row, Index col, int /*shifts*/, int power, double value) {
    system_.add(row, col, power, value);
  };
  system_.begin();
  put_shifted(here_, here_, rows_, put);
  put_unshifted(here_, rows_, put);
  system_.finish();
  if (!first) return;
  real_.analyze(system_);
  complex_.analyze(system_);
}

// The right-hand side, v eliminated; `rates` is σ b₁.
template <class Scalar>
void SplittingSystem::fill(const Point& at, const Rows& rows, Scalar shift, const Columns<Scalar>& columns,
                           const Column<Scalar>& rates, Eigen::Ref<Column<Scalar>> out) const {
  const Column<Scalar>& known = columns.positions;
  out.head(velocities_) = (columns.velocities + at.mass * rates - at.force_twist * known) / (shift * shift);
  out.segment(r_, states_) = (columns.states - at.state_twist * known) / shift;
  const Column<Scalar> along = at.jacobian * known;
  for (Index i = 0; i < constraints_; ++i) {
    out[velocity_row(i)] =
        rows.velocities[at_index(i)] != 0 ? Scalar((along[i] - columns.velocity_rows[i]) / shift) : Scalar(0);
    if (i < holonomic_)
      out[kappa_ + i] = rows.positions[at_index(i)] != 0 ? Scalar(-columns.position_rows[i]) : Scalar(0);
  }
}

// q, v and r; `rates` is σ q.
template <class Scalar>
void SplittingSystem::read(const Point& at, Scalar shift, const Eigen::Ref<const Column<Scalar>>& solution,
                           const Column<Scalar>& rates, Columns<Scalar>& columns) const {
  Column<Scalar> eta = Column<Scalar>::Zero(constraints_);
  eta.head(holonomic_) = shift * solution.tail(holonomic_);
  columns.velocities =
      rates + at.kinematics * solution.head(velocities_) + at.jacobian.transpose() * eta - columns.positions;
  columns.positions = solution.head(velocities_);
  columns.states = solution.segment(r_, states_);
}

template <class Scalar>
void SplittingSystem::solve_shifted(ShiftedFactors<Scalar>& at, Columns<Scalar>& columns) {
  Column<Scalar> solution(size_);
  fill<Scalar>(here_, rows_, at.shift, columns, at.shift * columns.positions, solution);
  at.lu.solve(solution);
  read<Scalar>(here_, at.shift, solution, at.shift * solution.head(velocities_), columns);
}

template void SplittingSystem::solve_shifted(ShiftedFactors<double>&, Columns<double>&);
template void SplittingSystem::solve_shifted(ShiftedFactors<std::complex<double>>&,
                                             Columns<std::complex<double>>&);

// --- three stages

bool SplittingSystem::factor_stages(const Rows& rows, const Eigen::Matrix3d& weights) {
  stage_rows_ = rows;
  weights_ = weights;
  const double s = weights(0, 0);
  const Eigen::Matrix3d once = weights / s, twice = once * once;
  const std::array<double, 3> powers = {1 / (s * s), 1 / s, 1};
  const bool first = stage_system_.rows() == 0;
  if (first) stage_system_ = AssembledMatrix(3 * size_, 3 * size_);
  stage_system_.begin();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const auto put = [&](Index row, Index col, int shifts, int power, double value) {
        const double weight = shifts == 0 ? 1 : shifts == 1 ? once(i, j) : twice(i, j);
        stage_system_.add(i * size_ + row, j * size_ + col, weight * powers[at_index(power + 2)] * value);
      };
      put_shifted(stage(i), stage(j), rows, put);
      if (i == j) put_unshifted(stage(i), rows, put);
    }
  stage_system_.finish();
  if (first) stage_lu_.analyze_copies(stage_system_.matrix(), real_.lu);
  return stage_lu_.factor(stage_system_.matrix());
}

void SplittingSystem::solve_stages(std::array<Columns<double>, 3>& columns) {
  const double s = weights_(0, 0);
  Vector all(3 * size_), rates(velocities_);
  const auto sum = [&](Index i, const auto& term) {
    rates.setZero();
    for (Index j = 0; j < 3; ++j) rates += weights_(i, j) * term(j);
  };
  for (Index i = 0; i < 3; ++i) {
    sum(i, [&](Index j) { return columns[at_index(j)].positions; });
    fill<double>(stages_[at_index(i)], stage_rows_, s, columns[at_index(i)], rates,
                 all.segment(i * size_, size_));
  }
  stage_lu_.solve(all);
  for (Index i = 0; i < 3; ++i) {
    sum(i, [&](Index j) -> Vector { return all.segment(j * size_, velocities_); });
    read<double>(stages_[at_index(i)], s, all.segment(i * size_, size_), rates, columns[at_index(i)]);
  }
}

}  // namespace trammel
