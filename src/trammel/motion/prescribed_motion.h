// The motion of a mechanism in joint coordinates without those coordinates of the tree that drivers prescribe. Such a
// coordinate is a known function of time, q_d(t), and so are its rate and its acceleration: its row of the mass matrix
// and the driver's equation are left out,
//
//   M_rr a_r = f_r − M_rd a_d(t) − Dᵣᵀ λ
//
// with f_r − M_rd a_d by one pass of inverse dynamics. What the driver does follows when it is asked for, by the same
// pass: the force along q_d that all accelerations need and nothing else gives.
//
// A velocity or an acceleration is prescribed from where the coordinate is when a run begins, or begins anew: its
// integrals are taken to round-off (time_function.h), not by the integrator.
#pragma once

#include <memory>

#include "trammel/mechanism/time_function.h"
#include "trammel/motion/joint_motion.h"
#include "trammel/motion/reduced_motion.h"

namespace trammel {

class PrescribedMotion final : public ReducedMotion, public EquationsOfMotion {
 public:
  // Nothing if no driver moves a coordinate of the tree by itself, if laws use the reactions of those that do, or if
  // there were no coordinates left. (t, x) is an assembled state. The equations must outlive this.
  static std::unique_ptr<PrescribedMotion> find(JointEquations& joint, double t, const VectorIn& x);
  ~PrescribedMotion() override;

  EquationsOfMotion& equations() override { return *this; }
  Vector reduce(const VectorIn& x) const override;
  Vector restore(double t, const VectorIn& reduced) const override;
  void present(double t, Vector& x, TangentMotion& whole) override;
  const std::vector<std::string>& eliminated_drivers() const override { return names_of_drivers_; }
  void complete(double t, const VectorIn& accelerations, Vector& x) override;
  void rebase(double t, const VectorIn& x) override;
  void carry(Carrier& carried) override;

  void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) override;
  void differentiate(const MotionPoint& at, Parts wanted, MotionDerivatives& out) override;
  std::unique_ptr<TangentMotion> tangent() override;
  void follow(double t, const VectorIn& x) override;
  void hold_switches(std::span<const HeldBranch> held, double negligible) override;
  Vector displacement_sizes(const VectorIn& x) const override;
  std::vector<MotionCorner> corners(double from, double to) const override;

 private:
  // A coordinate that a driver prescribes.
  struct Coordinate {
    std::string driver;
    const TimeFunction* function = nullptr;
    int level = 0;  // of what is given: 0 position, 1 velocity, 2 acceleration
    Index p = 0, v = 0;
    bool turns = false;
    Index row = 0;  // of Elements::holonomic, or of nonholonomic
    // Of a velocity or an acceleration; of an acceleration also with the time as weight.
    std::shared_ptr<TimeIntegral> integral, moment;
    double initial_rate = 0;

    bool is_holonomic() const { return level == 0; }
    // Without an offset.
    Taylor<double> at(double t) const;
  };
  class Tangent;

  PrescribedMotion(JointEquations& joint, std::vector<Coordinate> coordinates, double t, const VectorIn& x);
  static std::vector<Coordinate> candidates(const JointEquations& joint);
  static void keep_true(JointEquations& joint, double t, const VectorIn& x, std::vector<Coordinate>& from);
  static std::unique_ptr<JointEquations> without(const JointEquations& joint,
                                                 const std::vector<Coordinate>& coordinates);
  static Sizes sizes_of(const JointEquations& rest, const std::vector<Coordinate>& coordinates);
  static Names names_of(const JointEquations& rest, const std::vector<Coordinate>& coordinates);
  // The state of rest_ that belongs to one of these equations.
  void expand(double t, const VectorIn& reduced, Vector& x) const;
  Taylor<double> value(std::size_t coordinate, double t) const;

  JointEquations& joint_;
  std::vector<Coordinate> coordinates_;
  std::unique_ptr<JointEquations> rest_;  // all coordinates, and rows without the drivers'
  std::vector<Index> kept_p_, kept_v_;    // of all coordinates those that are left
  std::vector<std::string> names_of_drivers_;
  std::vector<double> offsets_;  // of the coordinates
  long changes_ = 0;             // of the offsets
  // for evaluations by the coordinates themselves, and for complete()
  std::unique_ptr<Tangent> scratch_;
  std::unique_ptr<JointMotion> inverse_;
  std::unique_ptr<JointMotion> every_;  // with all rows, if some depend on others
  MinimalMultipliers minimal_;
};

}  // namespace trammel
