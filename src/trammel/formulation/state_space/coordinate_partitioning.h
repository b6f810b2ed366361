// State-space form: of all coordinates only as many are integrated as the mechanism has degrees of freedom;
// the others follow from the constraints at every point, to near machine accuracy, so that a mechanism stays
// assembled whatever the tolerance (R. A. Wehage, E. J. Haug, 1982; D. Negrut, E. J. Haug, H. C. German,
// 2003).
//
// Independent are combinations S of the velocities, and of the displacements that go with them
// (independent_coordinates.h): with p₀ the positions at the beginning of a step, y' = S Z⁺(p₀) p' and w' = S v'
// are what is integrated. Their right-hand side is found by solving
//
//   g = 0, n = 0  for p, moved by displacements q with S q = 0
//   gᴵ = 0, H Z v + h = 0  for v with S v = w
//   M a = f − Dᵀ(λ,μ), gᴵᴵ = 0, hᴵ = 0  for a, λ, μ
//
// the first by iterations with factors of a point near by: their rate tells when they have to be renewed.
// Newton's matrix is exact: the same three systems are differentiated, and reduced to the independent
// coordinates (reduced_system.h), or, where these are many, solved in all of them (full_system.h).
//
// Coordinates that the constraints depend on linearly are made dependent where possible: that makes curved
// ones (angles) independent, in which a stiff motion is straight. In others, steps have to follow its
// curvature.
//
// An integrator is given the vector of all coordinates, not (y, w): it integrates all, and complete()
// replaces those that follow at every stage. So its history is one of all coordinates, and when other ones
// become independent it goes on as if nothing had happened. In the norm of the error independent velocities
// count, and the positions that their displacements move.
#pragma once

#include "trammel/formulation/ode_problem.h"
#include "trammel/formulation/position_forecast.h"
#include "trammel/formulation/shifted_solves.h"
#include "trammel/formulation/state_space/coordinate_partitioning_options.h"
#include "trammel/formulation/state_space/full_system.h"
#include "trammel/formulation/state_space/independent_coordinates.h"
#include "trammel/formulation/state_space/reduced_system.h"
#include "trammel/formulation/tangent_problem.h"
#include "trammel/motion/acceleration_system.h"
#include "trammel/motion/sparse_kkt.h"

namespace trammel {

class CoordinatePartitioning final : public TangentProblem,
                                     public OdeProblem,
                                     public ShiftedSolves<CoordinatePartitioning> {
 public:
  CoordinatePartitioning(EquationsOfMotion& motion, CoordinatePartitioningOptions options);

  Index unknowns() const override { return layout_.total; }
  Index equations() const override { return positions().size() + velocities_.size() + layout_.r.size; }
  Index counted() const override { return counted_; }
  const std::vector<int>& variable_index() const override { return index_; }

  bool completes() const override { return true; }

  Outcome start(double t, VectorIn x) override;
  Outcome complete(double t, VectorOut x) override;
  Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) override;
  Outcome rates(double t, VectorIn x, VectorOut xdot) override;
  Outcome multiply_mass(double t, VectorIn x, VectorIn vector, VectorOut out) override;
  Outcome linearize(double t, VectorIn x) override;
  void amend_error(double t, VectorIn x, VectorIn residual, VectorOut error) override;
  void tidy(VectorOut x) override;
  Outcome accepted(double t, VectorOut x) override;
  const Vector* accelerations_at(double t, VectorIn x) override;

  const IndependentCoordinates& velocities() const { return velocities_; }
  // Those of the velocities serve both, unless there are nonholonomic constraints.
  const IndependentCoordinates& positions() const {
    return constraints_ > holonomic_ ? positions_ : velocities_;
  }

 private:
  void patterns_grown() override;
  IndependentCoordinates& positions() { return constraints_ > holonomic_ ? positions_ : velocities_; }

  // the choice of coordinates
  Outcome prefer_linear(double t, const VectorIn& x);
  Outcome choose_coordinates(double t);
  void count_independent();
  Outcome renew_coordinates(double t, VectorOut x);
  bool rows_left_out_hold(double t, const VectorIn& x);
  Outcome coordinates_singular(double t);

  // what follows
  Outcome take_jacobian(double t, const VectorIn& x);
  Outcome solve_positions(double t, Vector& x);
  Outcome solve_velocities(double t, Vector& x);
  Outcome solve_accelerations(double t, const VectorIn& x);
  Outcome solve_by_recursion(double t);
  Outcome mass_is_singular(double t);
  Outcome factor_accelerations(double t);
  void correct_accelerations();
  void take_independent(const VectorIn& position_rates, const VectorIn& accelerations,
                        const VectorIn& state_rates, VectorOut out);
  Outcome show(double t, VectorOut x);

  // Newton's corrections
  bool uses_reduced_system() const {
    return options_.kind != CoordinatePartitioningOptions::Kind::partition ||
           2 * velocities_.size() + layout_.r.size <= 2 * options_.reduced_up_to;
  }
  void form_reduced_system(const TangentSlopes& slopes);
  void project_dynamics(const TangentSlopes& slopes);
  void solve_dynamics(const TangentSlopes& slopes, Matrix& state);
  void set_dynamics(const Matrix& by_all);
  template <class Column>
  void spread(const Eigen::Ref<const Column>& residual, Column& displacements, Column& twists);
  friend class ShiftedSolves<CoordinatePartitioning>;
  template <class Scalar>
  bool factor_shifted(Scalar shift) {
    return uses_reduced_system() ? reduced_.factor(shift) : full_.factor(shift);
  }
  template <class Scalar>
  void solve_shifted(const Eigen::Ref<const ColumnOf<Scalar>>& residual, Eigen::Ref<ColumnOf<Scalar>> x);

  const CoordinatePartitioningOptions options_;
  const Index holonomic_, constraints_;  // rows of g, and of all
  std::vector<int> index_;
  Index counted_ = 1;

  IndependentCoordinates positions_, velocities_;  // by the rows of g, and by all rows
  Vector preference_;
  Vector reference_;  // p₀
  double jacobian_t_ = 0;
  Vector jacobian_p_;    // where D was taken and factored
  bool driven_ = false;  // constraints make it move
  PositionForecast forecast_;

  SparseKkt kkt_;  // [M Dᵀ − f_λ; D 0]
  // The same of equations that have a better way than sparse matrices, where all rows count and forces depend
  // on none of their multipliers; null otherwise.
  std::unique_ptr<AccelerationSystem> recursion_;
  bool coupled_ = false;  // forces depend on multipliers
  Vector multipliers_;
  Vector followers_;  // w and s, where the last step ended
  double known_t_ = 0;
  Vector known_x_;  // where a_ and multipliers_ belong to

  // of the last linearisation
  Vector linearized_p_;
  Selection linearized_positions_, linearized_velocities_;
  bool coordinates_changed_ = false;  // since
  SparseMatrix rate_pose_;
  Matrix T_position_, T_velocity_, turn_;  // ∂q/∂y, ∂v/∂w, ∂v/∂y
  Matrix force_, hidden_, along_, room_;   // work space for it; force_, hidden_: derivatives by (y, w, r)
  ReducedSystem reduced_;
  FullSystem full_;

  Vector work_, state_, change_, rows_, q_, upper_, lower_, rest_upper_, rest_lower_;
};

extern template class ShiftedSolves<CoordinatePartitioning>;

}  // namespace trammel
