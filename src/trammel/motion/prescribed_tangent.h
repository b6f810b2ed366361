// Motion without prescribed coordinates (prescribed_motion.h) at work: the values and matrices of all joint coordinates, of
// which rows and columns are taken.
#pragma once

#include <array>

#include "trammel/motion/prescribed_motion.h"
#include "trammel/numerics/constant_product.h"

namespace trammel {

class PrescribedMotion::Tangent final : public TangentMotion {
 public:
  explicit Tangent(const PrescribedMotion& motion);

  void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) override;
  std::string differentiate(const MotionPoint& at, unsigned wanted) override;
  TangentSlopes slopes() const override { return matrices(slopes_); }
  void displacement_to_positions(const VectorIn& p, const VectorIn& q, const VectorIn& residual,
                                 VectorOut change) override;
  void pull_back(const VectorIn& p, const VectorIn& gradient, VectorOut by_displacement) override;
  void rates_to_velocities(const VectorIn& p, const VectorIn& rates, VectorOut v) override;
  void displacement_metric(double t, const VectorIn& x, const VectorIn& weights,
                           SparseMatrix& metric) override;
  std::unique_ptr<AccelerationSystem> acceleration_system(double rank_tolerance) override;
  void follow(double t, const VectorIn& x) override;
  void carry(Carrier& carried) override { all_.carry(carried); }
  Index switch_count() const override { return all_.switch_count(); }
  std::string switch_name(Index i) const override { return all_.switch_name(i); }
  void hold_switches(std::span<const HeldBranch> held, double negligible) override {
    all_.hold_switches(held, negligible);
  }
  void read_switches(double t, const VectorIn& x, std::span<SwitchReading> readings) override;

  // The same point in all coordinates. The accelerations of those that are left are those of `at`, or zero.
  MotionPoint expanded(const MotionPoint& at);
  void differentiate_by_coordinates(const MotionPoint& at, Parts wanted, MotionDerivatives& out);
  // Velocities of all coordinates from those that are left, the others zero, and back.
  void spread(const VectorIn& reduced, Vector& all) const;
  void pick(const VectorIn& all, VectorOut reduced) const;
  // The constraints by the velocities that are left, as they are by all.
  void take_constraints() { take(SlopeKind::at_velocities); }

 private:
  // Matrices up to a level from those of all coordinates.
  void take(unsigned level);
  void take(const SlopeKind& kind, const SparseMatrix& all, ConstantProduct& product, Index& entries) const;
  void take_mass();
  void spread_positions(const VectorIn& reduced, Vector& all) const;

  const PrescribedMotion& motion_;
  JointMotion all_;
  MotionValues values_;
  MotionDerivatives derivatives_;
  // the prescribed coordinates at a time
  double known_t_ = 0;
  long known_changes_ = -1;
  Vector x_, a_, p_, forces_, q_, work_;
  SlopesKeptAs<ConstantProduct> slopes_;
  std::array<ConstantProduct::Shares, 4> shares_;  // by Along
  SlopesKeptAs<Index> entries_{};                  // for which each was prepared
};

}  // namespace trammel
