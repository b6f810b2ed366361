// Coordinate projection for implicit Runge-Kutta methods: the ordinary differential equation
//
//   x' = f(π(x)),
//
// π a projection onto the constraints. It has the same solutions as x' = f(x), and what is beside the constraints by as little as a
// stage is gets no rates of its own there: near singular positions f would have any. Only what a step ends in has to be
// projected for good, which the integrator does (ode_problem.h).
//
// Newton's matrix is that of the motion (second_order_system.h) for the part of a residual that lies along the constraints; what lies
// across them, on which nothing depends, is divided by the shift. Where no matrix serves, as on the way through a singular position
// where multipliers jump, the iteration is one of fixed points for a few steps.
#pragma once

#include "trammel/formulation/projection/coordinate_projection.h"

namespace trammel {

class ProjectedStages final : public CoordinateProjection {
 public:
  ProjectedStages(EquationsOfMotion& motion, CoordinateProjectionOptions options);

  Outcome start(double t, VectorIn x) override;
  Outcome resume(double t, VectorIn x, Carrier& carried) override;
  Outcome accepted(double t, VectorOut x) override;
  Outcome can_accept(double t, VectorIn x) override;

  Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) override;
  Outcome linearize(double t, VectorIn x) override;
  Outcome factor(double shift) override;
  Outcome factor(std::complex<double> shift) override;
  void solve(VectorIn residual, VectorOut x) override;
  void solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) override;
  void newton_failed() override;
  bool has_exact_matrix() const override { return !without_matrix_; }

 protected:
  void patterns_grown() override;

 private:
  // A user's own projection is for the ends of steps.
  bool projects_stages() const {
    return has_invariants() && constraints_ + layout_.normalizations > 0 && !options_.project;
  }
  Outcome take_stage(double t, const VectorIn& x);
  void take_what_follows(VectorOut x) const;
  void do_without_matrix();
  // Takes the part across the constraints out of `along`, and puts it into `across`.
  void split(Vector& along, Vector& across);
  // Of a displacement of the positions: how it turns their rates across the normalisations.
  void add_turned_rates(const VectorIn& displaced, Vector& across);

  WeightedProjection stages_;
  Vector unit_, stage_;
  double accepted_t_ = 0;
  Vector accepted_;     // the state that the last step ended in
  bool begins_ = true;  // nothing was asked of the present step yet
  double linearized_t_ = 0, shift_ = 1;
  std::complex<double> complex_shift_ = 1;

  bool without_matrix_ = false;
  int failures_ = 0;      // of Newton's iteration in the present step
  int fixed_points_ = 0;  // steps more that do without a matrix
  int trusting_ = 0;      // steps until that is tried again, where it was no help

  Vector along_, across_, other_along_, other_across_, turned_, beside_, work_q_;
  ComplexVector complex_along_;
};

}  // namespace trammel
