// The tangent motion of any equations (tangent_motion.h) from their dense derivatives, which are squeezed:
// with δp = Z q, δs from c = 0 and δw from d = 0. The patterns are found at a few points of all kinds and
// grow where an entry turns up that was zero at all of them.
#pragma once

#include "trammel/motion/tangent_motion.h"
#include "trammel/numerics/patterned_matrix.h"

namespace trammel {

class DenseTangentMotion final : public TangentMotion {
 public:
  // The equations must outlive this.
  explicit DenseTangentMotion(EquationsOfMotion& equations);

  void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) override;
  std::string differentiate(const MotionPoint& at, unsigned wanted) override;
  TangentSlopes slopes() const override { return matrices(slopes_); }
  unsigned pattern() const override { return pattern_; }
  void displacement_to_positions(const VectorIn& p, const VectorIn& q, const VectorIn& residual,
                                 VectorOut change) override;
  void pull_back(const VectorIn& p, const VectorIn& gradient, VectorOut by_displacement) override;
  void rates_to_velocities(const VectorIn& p, const VectorIn& rates, VectorOut v) override;
  void pull_back_contacts(double t, const VectorIn& x, const VectorIn& gradient,
                          VectorOut by_displacement) override;
  void displacement_metric(double t, const VectorIn& x, const VectorIn& weights,
                           SparseMatrix& metric) override;
  void settle(double t, VectorOut x) override;
  void follow(double t, const VectorIn& x) override { equations_.follow(t, x); }
  void carry(Carrier& carried) override { equations_.carry(carried); }
  void hold_switches(std::span<const HeldBranch> held, double negligible) override {
    equations_.hold_switches(held, negligible);
  }
  bool energy(double t, const VectorIn& x, EnergyState& state) override {
    return equations_.energy(t, x, state);
  }

 private:
  bool has_followers() const { return layout_.w.size + layout_.s.size > 0; }
  MotionPoint settled(const MotionPoint& at, Parts wanted);
  NotDetermined not_determined(double t, bool contacts, const Vector& kernel) const;
  void solve_for(double t, Vector& x, Parts function, const Block& unknowns);
  void take_mass(const MotionPoint& at);
  void learn_patterns(const MotionPoint& at);
  std::string differentiate_velocities(const MotionPoint& at);
  void squeeze(unsigned wanted);
  Matrix contacts_by_pose(const Matrix& Z) const;
  Matrix contacts_by_pose(double t, const VectorIn& x);
  void squeeze_constraints(const Matrix& Z, const Matrix& S);
  void squeeze_forces(const Matrix& Z, const Matrix& S);
  Matrix by_pose(const Matrix& slopes, const Matrix& Z, const Matrix& S) const;
  void put(const Matrix& dense, PatternedMatrix& to, double negligible = 0);
  void take_kinematics(const VectorIn& p);

  EquationsOfMotion& equations_;
  const Layout layout_;
  MotionValues values_;
  MotionDerivatives derivatives_;
  Vector state_, rest_;
  Matrix D_;
  unsigned pattern_ = 0;
  bool learned_ = false, mass_known_ = false;

  // Z and the normalisations' derivative, where they were last wanted
  bool kinematics_known_ = false, plain_ = false;
  Vector kinematics_p_;
  Matrix Z_, N_;

  SlopesKeptAs<PatternedMatrix> slopes_;
};

}  // namespace trammel
