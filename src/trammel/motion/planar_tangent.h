// Planar motion (planar_motion.h) at work: the spatial motion's values and matrices, rows that planar motion
// meets anyway left out, taken to the plane.
#pragma once

#include "trammel/motion/planar_motion.h"

namespace trammel {

class PlanarTangent final : public TangentMotion {
 public:
  // On the positions of a body: the length of its Euler parameters, its distance along the normal, and two that
  // keep it from tilting.
  static constexpr Index conditions = 4;

  explicit PlanarTangent(const PlanarMotion& motion);

  void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) override;
  std::string differentiate(const MotionPoint& at, unsigned wanted) override;
  TangentSlopes slopes() const override { return matrices(slopes_); }
  void displacement_to_positions(const VectorIn& p, const VectorIn& q, const VectorIn& residual,
                                 VectorOut change) override;
  void pull_back(const VectorIn& p, const VectorIn& gradient, VectorOut by_displacement) override;
  void rates_to_velocities(const VectorIn& p, const VectorIn& rates, VectorOut v) override;
  void displacement_metric(double t, const VectorIn& x, const VectorIn& weights,
                           SparseMatrix& metric) override;
  void follow(double t, const VectorIn& x) override;
  void carry(Carrier& carried) override { spatial_.carry(carried); }
  void hold_switches(std::span<const HeldBranch> held, double negligible) override {
    spatial_.hold_switches(held, negligible);
  }

 private:
  // Patterns of the matrices up to a level, those before it being there already.
  void prepare(unsigned level);
  MotionPoint restored(const MotionPoint& at);

  const PlanarMotion& motion_;
  CartesianMotion spatial_;
  MotionValues values_;
  Vector x_, a_, work_, lengths_;
  SlopesKeptAs<ConstantProduct> slopes_;
  unsigned prepared_ = 0;  // levels
};

}  // namespace trammel
