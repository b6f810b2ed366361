// The system of accelerations of any equations of motion, with dense matrices.
#include <Eigen/LU>

#include "trammel/motion/acceleration_system.h"
#include "trammel/motion/velocity_jacobian.h"

namespace trammel {

namespace {

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
    const Matrix normal = N * N.transpose();
    const Vector correction = normal.ldlt().solve(Vector(residual));
    change -= N.transpose() * correction;
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
    const Eigen::PartialPivLU<Matrix>& lu = part ? positions_ : all_;
    solution_.noalias() = lu.permutationP() * work_;
    lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(solution_);
    lu.matrixLU().triangularView<Eigen::Upper>().solveInPlace(solution_);
    upper = solution_.head(upper.size());
    lower = solution_.tail(lower.size());
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
    const double least = AccelerationSystem::least_mass(M_.diagonal());
    matrix_.setZero(nv + rows, nv + rows);
    matrix_.topLeftCorner(nv, nv) = M_;
    matrix_.bottomLeftCorner(rows, nv) = D_.topRows(rows);
    matrix_.topRightCorner(nv, rows) = D_.topRows(rows).transpose();
    const Vector inverse = M_.diagonal().cwiseMax(least).cwiseInverse();
    for (Index row = 0; row < rows; ++row) {
      const double weight = D_.row(row).cwiseAbs2().dot(inverse);
      matrix_(nv + row, nv + row) = -AccelerationSystem::regularization * (weight > 0 ? weight : 1.0);
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
  Vector work_, solution_;
};

}  // namespace

std::unique_ptr<AccelerationSystem> make_dense_acceleration_system(EquationsOfMotion& motion,
                                                                   double rank_tolerance) {
  return std::make_unique<DenseAccelerationSystem>(motion, rank_tolerance);
}

}  // namespace trammel
