// State-space form: of all coordinates only as many are integrated as the mechanism has degrees of freedom;
// the others follow from the constraints at every point, to near machine accuracy, so that a mechanism stays
// assembled whatever the tolerance (R. A. Wehage, E. J. Haug, 1982; D. Negrut, E. J. Haug, H. C. German,
// 2003).
//
// With independent positions y = S p and velocities w = S v (parametrization.h), the right-hand side at (y,
// w) is found by solving
//
//   Φ(p,s,t) = 0  for p and s with S p = y                 Φ = (c, g, n)
//   gᴵ = 0, H Z v + h = 0  for v with S v = w
//   M a = f − Dᵀ(λ,μ), gᴵᴵ = 0, hᴵ = 0, d = 0  for a, λ, μ and auxiliary unknowns
//
// each by iterations with matrices factored near by: their rate tells when they have to be renewed. Newton's
// matrix is exact: the same three systems are differentiated (reduced_system.h).
//
// Coordinates that the constraints depend on linearly are made dependent where possible: that makes curved
// ones (angles) independent, in which a stiff motion is straight. In others, steps have to follow its
// curvature.
//
// An integrator is given the vector of all coordinates, not (y, w): it integrates all, but only y and w
// count, and complete() replaces the others at every stage. So its history is one of all coordinates, and
// when other ones become independent it goes on as if nothing had happened.
#pragma once

#include "trammel/formulation/dense_motion_problem.h"
#include "trammel/formulation/implicit_problem.h"
#include "trammel/formulation/ode_problem.h"
#include "trammel/formulation/position_forecast.h"
#include "trammel/formulation/state_space/parametrization.h"
#include "trammel/formulation/state_space/reduced_system.h"

namespace trammel {

struct CoordinatePartitioningOptions {
  using Kind = Parametrization::Kind;
  Kind kind = Kind::partition;
  // New coordinates are chosen when the condition of the old ones has grown by this part since their choice.
  double growth = 0.25;
  double rank_tolerance = 1e-9;
};

class CoordinatePartitioning final : public DenseMotionProblem, public OdeProblem, public ImplicitProblem {
 public:
  CoordinatePartitioning(EquationsOfMotion& motion, CoordinatePartitioningOptions options);

  Index unknowns() const override { return layout_.total; }
  Index equations() const override { return positions_.size() + velocities_.size() + layout_.r.size; }
  Index counted() const override { return counted_; }
  const std::vector<int>& variable_index() const override { return index_; }

  bool completes() const override { return true; }

  Outcome start(double t, VectorIn x) override;
  Outcome complete(double t, VectorOut x) override;
  Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) override;
  Outcome rates(double t, VectorIn x, VectorOut xdot) override;
  Outcome multiply_mass(double t, VectorIn x, VectorIn vector, VectorOut out) override;
  Outcome linearize(double t, VectorIn x) override;
  Outcome factor(double shift) override;
  Outcome factor(std::complex<double> shift) override;
  void solve(VectorIn residual, VectorOut x) override;
  void solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) override;
  void amend_error(double t, VectorIn x, VectorIn residual, VectorOut error) override;
  void tidy(VectorOut x) override;
  Outcome accepted(double t, VectorOut x) override;
  Outcome project(double t, VectorOut x) override;
  void present(VectorOut x) override;

  const Parametrization& positions() const { return positions_; }
  const Parametrization& velocities() const { return velocities_; }
  const ReducedSystem& reduced() const { return reduced_; }

 private:
  Outcome differentiate_constraints(double t, VectorIn x);
  Outcome choose_coordinates(double t);
  Outcome prefer_linear(double t, VectorIn x);
  void carry_coordinates();
  void change_coordinates(const Parametrization& old_positions, const Parametrization& old_velocities);
  void differentiate_velocities(Matrix& T_position, Matrix& T_velocity, Matrix& turn);
  Outcome renew_coordinates(double t);
  void set_index();
  Outcome coordinates_singular(double t, const Parametrization& which);
  Outcome solve_positions(double t, Vector& x);
  Outcome solve_velocities(double t, Vector& x);
  Outcome solve_accelerations(double t, const VectorIn& x);
  Outcome factor_accelerations(double t);
  void take_coupling();
  void project_dynamics(const Matrix& M);
  void solve_dynamics();
  void differentiate_states();
  template <class Column>
  void expand(const Column& reduced, Eigen::Ref<Column> x) const;

  CoordinatePartitioningOptions options_;
  Parametrization positions_, velocities_;  // of (p, s), and of v
  Vector position_preference_, velocity_preference_;
  ReducedSystem reduced_;
  std::vector<int> index_;
  Index counted_ = 0;
  bool driven_ = false;  // constraints depend on time
  PositionForecast forecast_;
  Index forces_ = 0;  // λ, μ and w: what is found with the accelerations

  Matrix position_jacobian_, velocity_jacobian_;  // all rows, at the last differentiation
  bool accelerations_factored_ = false;
  Eigen::PartialPivLU<Matrix> accelerations_;
  bool coupled_ = false;  // forces depend on multipliers, or there are auxiliary unknowns
  Matrix coupling_;       // what ∂(dynamics)/∂(λ,μ,w) is besides −Dᵀ; below it ∂d/∂(λ,μ,w)
  Vector known_x_;        // where a_ and found_ belong to
  double known_t_ = 0;
  Vector found_;  // λ, μ, w in the order of factor_accelerations()

  // From the coordinates of now to those of the last linearisation, if they have changed since.
  bool coordinates_changed_ = false;
  Matrix to_linearized_;

  Matrix T_position_, T_velocity_, turn_;  // ∂(p,s)/∂y, ∂v/∂w, ∂v/∂y
  Matrix driving_;                         // derivatives by (y, w, r) of all that drives the accelerations
  Matrix state_rates_;                     // and of b
  Matrix change_, rows_;
  Vector work_, state_, reduced_residual_;
  ComplexVector complex_residual_;
};

}  // namespace trammel
