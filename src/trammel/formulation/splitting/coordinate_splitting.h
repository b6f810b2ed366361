// Coordinate splitting (J. Yen, L. R. Petzold, An efficient Newton-type iteration for the numerical solution
// of highly oscillatory constrained multibody dynamic systems, SIAM J. Sci. Comput. 19, 1998): the equations
// of motion are projected along the constraints by a matrix that follows the position,
//
//   P(p) = Xᵀ − Qᵀ Yᵀ,   Q = (GY)⁻¹ G X,   P Gᵀ = 0,
//
// with X and Y the columns of independent and dependent coordinates. That leaves a DAE of index 1 without
// multipliers:
//
//   P (Z v − p') = 0,   P (f − M v') = 0,   gᴵ = 0, H Z v + h = 0,   g = 0, n = 0,   r' = b
//
// (P of positions for the first, of velocities for the second row). Unlike in the state-space form
// (coordinate_partitioning.h) constraints are met at the end of Newton's iteration only, together with the
// equations of motion. Two iterations for it:
//
//   cs  exact: ∂(P r)/∂p = P (∂r/∂p − ∂(Gᵀs)/∂p with s held), s = (GY)⁻ᵀ Yᵀ r
//   cm  the projector frozen, the second term dropped. Cheaper, and better where a stiff force makes r, and
//       with it s, large at the prediction but not at the solution: highly oscillatory systems
//   csm the one of the two that is seen to converge better
//
// Where velocities are the rates of the positions, and there are no nonholonomic constraints, corrections are
// found by a system of as many equations as there are degrees of freedom (splitting_system.h); otherwise by
// one in all coordinates and velocities.
//
// λ is no unknown of these equations. It is found at the end of a step and wherever a state is put out, and
// held in between: what is extrapolated and never corrected would grow from step to step.
#pragma once

#include <array>
#include <vector>

#include "trammel/formulation/dense_motion_problem.h"
#include "trammel/formulation/implicit_problem.h"
#include "trammel/formulation/splitting/splitting_system.h"
#include "trammel/formulation/stage_newton.h"
#include "trammel/formulation/state_space/parametrization.h"

namespace trammel {

struct CoordinateSplittingOptions {
  enum class Iteration { cs, cm, csm };
  Iteration iteration = Iteration::csm;
  // Other coordinates become independent when the condition of the old ones has grown by this part.
  double growth = 0.25;
  double rank_tolerance = 1e-9;
  // The index of velocities in the error test. 1: they count like positions. 2: with the factor h (not at all
  // in IDAS), for smooth motion on stiff springs. In the limit of infinite stiffness a spring is a
  // constraint, and velocities along it have this index.
  int velocity_index = 1;
  // Use the reduced system where it fits.
  bool reduced_system = true;
};

class CoordinateSplitting final : public DenseMotionProblem, public ImplicitProblem, public StageNewton {
 public:
  CoordinateSplitting(EquationsOfMotion& motion, CoordinateSplittingOptions options);

  Index unknowns() const override { return layout_.total; }
  Index equations() const override { return layout_.p.size + layout_.v.size + layout_.r.size; }
  Index counted() const override { return counted_; }
  const std::vector<int>& variable_index() const override { return index_; }
  const std::vector<int>& newton_index() const override { return newton_index_; }

  Outcome start(double t, VectorIn x) override;
  Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) override;
  Outcome linearize(double t, VectorIn x) override;
  Outcome factor(double shift) override;
  Outcome factor(std::complex<double> shift) override;
  void solve(VectorIn residual, VectorOut x) override;
  void solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) override;
  StageNewton* stage_newton() override { return this; }
  Outcome linearize_stage(int stage, double t, VectorIn x, VectorIn xdot) override;
  Outcome factor_stages(const Eigen::Matrix3d& weights) override;
  void solve_stages(const std::array<Vector, 3>& residuals, std::array<Vector, 3>& changes) override;
  bool has_exact_matrix() const override { return exact_; }
  void newton_failed() override;
  void newton_converged(double rate) override;
  void tidy(VectorOut x) override;
  Outcome accepted(double t, VectorOut x) override;
  Outcome project(double t, VectorOut x) override;

  const Parametrization& positions() const { return positions_; }
  const Parametrization& velocities() const { return velocities_; }
  bool uses_exact_iteration() const { return exact_; }
  bool uses_reduced_system() const { return reduced_; }

 private:
  Outcome differentiate_constraints(double t, VectorIn x);
  Outcome choose_coordinates(double t);
  Outcome coordinates_singular(double t);
  void set_index();
  Outcome close(double t, Vector& x);
  Outcome find_rates(double t, VectorIn x);
  Outcome differentiate_rows(double t, VectorIn x, Matrix& kinematics);
  Outcome differentiate_kinematics(double t, const Vector& s, const Vector& kinematic, Matrix& kinematics);
  bool velocities_are_rates() const;
  void form_reduced_system(const Matrix& kinematics);
  void form_full_system(const Matrix& kinematics, Matrix& E, Matrix& J) const;

  CoordinateSplittingOptions options_;
  bool exact_ = false;    // of the two iterations the present one
  double rate_[2] = {};   // at which cm and cs were last seen to converge; 0: unknown, or long ago
  bool simple_ = false;   // velocities are rates, and there are no nonholonomic constraints
  bool reduced_ = false;  // the corrections are those of system_
  SplittingSystem system_;
  Parametrization positions_, velocities_;
  std::vector<int> index_, newton_index_;
  Index counted_ = 0;
  Matrix position_jacobian_, velocity_jacobian_, T_position_, T_velocity_;
  Vector xdot_;         // of the last residual
  Vector multipliers_;  // of the last step's end
  Matrix E_, J_, shifted_, change_, rows_;
  ComplexMatrix complex_shifted_;
  Eigen::PartialPivLU<Matrix> lu_;
  Eigen::PartialPivLU<ComplexMatrix> complex_lu_;
  std::array<Matrix, 3> stage_E_, stage_J_;
  Eigen::PartialPivLU<Matrix> stages_lu_;
  Vector state_, work_;
};

}  // namespace trammel
