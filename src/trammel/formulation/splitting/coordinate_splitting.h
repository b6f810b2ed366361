// Coordinate splitting (J. Yen, L. R. Petzold, An efficient Newton-type iteration for the numerical solution
// of highly oscillatory constrained multibody dynamic systems, SIAM J. Sci. Comput. 19, 1998): the equations
// of motion are projected along the constraints by a matrix that follows the position,
//
//   P(p) = Xᵀ − Qᵀ Yᵀ,   Q = (DY)⁻¹ D X,   P Dᵀ = 0,
//
// with X and Y the columns of independent and dependent velocities. That leaves a DAE of index 1 without
// multipliers:
//
//   P₀ (v − Z⁺p') = 0,   P (f − M v') = 0,   gᴵ = 0, H Z v + h = 0,   g = 0, n = 0,   r' = b
//
// P belongs to D = [GZ; HZ], P₀ to its rows of g alone. P r is never formed: r − Dᵀs with s = (DY)⁻ᵀ Yᵀr is P r
// for the independent velocities and nothing for the others. Unlike in the state-space form
// (coordinate_partitioning.h) constraints are met at the end of Newton's iteration only, together with the
// equations of motion. Two iterations for it:
//
//   cs  exact: ∂(P r)/∂q = P (∂r/∂q − ∂(Dᵀs)/∂q with s held)
//   cm  the projector frozen, the second term dropped. Cheaper, and better where a stiff force makes r, and
//       with it s, large at the prediction but not at the solution: highly oscillatory systems
//   csm the one of the two that is seen to converge better
//
// Corrections are found by one sparse system (splitting_system.h).
//
// λ is no unknown of these equations. It is found at the end of a step and held in between: what is extrapolated and never corrected would grow from step to step. So are contact
// coordinates and auxiliary unknowns, which follow from the others.
#pragma once

#include <array>
#include <vector>

#include "trammel/formulation/position_forecast.h"
#include "trammel/formulation/shifted_solves.h"
#include "trammel/formulation/splitting/coordinate_splitting_options.h"
#include "trammel/formulation/splitting/splitting_system.h"
#include "trammel/formulation/stage_newton.h"
#include "trammel/formulation/tangent_problem.h"
#include "trammel/motion/consistent_state.h"
#include "trammel/numerics/sparse_partition.h"

namespace trammel {

class CoordinateSplitting final : public TangentProblem,
                                  public ShiftedSolves<CoordinateSplitting>,
                                  public StageNewton {
 public:
  CoordinateSplitting(EquationsOfMotion& motion, CoordinateSplittingOptions options);

  // Of all velocities the independent ones have the rows of P₀, the others those of g; then n; then the same
  // once more with P and the velocity constraints; then b.
  Index unknowns() const override { return layout_.total; }
  Index equations() const override { return 2 * layout_.v.size + layout_.normalizations + layout_.r.size; }
  Index counted() const override { return counted_; }
  const std::vector<int>& variable_index() const override { return index_; }
  const std::vector<int>& newton_index() const override { return newton_index_; }

  Outcome start(double t, VectorIn x) override;
  Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) override;
  Outcome linearize(double t, VectorIn x) override;
  StageNewton* stage_newton() override { return this; }
  Outcome linearize_stage(int stage, double t, VectorIn x, VectorIn xdot) override;
  Outcome factor_stages(const Eigen::Matrix3d& weights) override;
  void solve_stages(const std::array<Vector, 3>& residuals, std::array<Vector, 3>& changes) override;
  bool has_exact_matrix() const override { return exact_; }
  void newton_failed() override;
  void newton_converged(double rate) override;
  void amend_error(double t, VectorIn x, VectorIn residual, VectorOut error) override;
  void tidy(VectorOut x) override;
  Outcome accepted(double t, VectorOut x) override;
  bool only_closes() const override { return true; }
  const Vector* accelerations_at(double t, VectorIn x) override;
  bool interpolates_multipliers() const override { return false; }

  const SparsePartition& positions() const { return position_partition(); }
  const SparsePartition& velocities() const { return velocities_; }
  bool uses_exact_iteration() const { return exact_; }

 private:
  // That of the velocities serves both, unless there are nonholonomic constraints.
  SparsePartition& position_partition() { return constraints_ > holonomic_ ? positions_ : velocities_; }
  const SparsePartition& position_partition() const {
    return constraints_ > holonomic_ ? positions_ : velocities_;
  }
  void patterns_grown() override;

  // coordinates
  Outcome refuse_reactions_in_forces(double t, VectorIn x);
  Outcome take_jacobian(double t, const VectorIn& x);
  Outcome choose_coordinates(double t, bool careful);
  Outcome renew_coordinates(double t, const VectorIn& x);
  bool rows_left_out_hold(double t, const VectorIn& x);
  Outcome coordinates_singular(double t);
  void set_index();

  // equations
  void set_state(const VectorIn& x);
  Outcome evaluate_rows(double t, const VectorIn& x, const VectorIn& xdot);
  Outcome differentiate_rows(double t, const VectorIn& x, bool exact, SplittingSystem::Point& point);
  template <class Scalar>
  void lift(SparsePartition& partition, const std::vector<char>& rows,
            const Eigen::Ref<const ColumnOf<Scalar>>& from, ColumnOf<Scalar>& along,
            ColumnOf<Scalar>& constraints) const;
  template <class Scalar>
  SplittingSystem::Columns<Scalar> lifted(const Eigen::Ref<const ColumnOf<Scalar>>& residual,
                                          const SplittingSystem::Rows& rows);
  friend class ShiftedSolves<CoordinateSplitting>;
  template <class Scalar>
  bool factor_shifted(Scalar shift) {
    return system_.factor(shift);
  }
  template <class Scalar>
  void solve_shifted(const Eigen::Ref<const ColumnOf<Scalar>>& residual, Eigen::Ref<ColumnOf<Scalar>> x);
  SplittingSystem::Rows rows() const { return {position_partition().counts(), velocities_.counts()}; }

  // ends of steps
  Outcome close(double t, Vector& x);
  Outcome close_positions(double t, Vector& x);
  Outcome close_velocities(double t, Vector& x);
  void hold_followers(VectorOut x) const;
  Outcome find_reactions(double t, Vector& x);
  Outcome find_rates(double t, const VectorIn& x);
  void remember_position(double t, const VectorIn& x);

  CoordinateSplittingOptions options_;
  Index holonomic_, constraints_;
  bool exact_ = false;   // of the two iterations the present one
  double rate_[2] = {};  // at which cm and cs were last seen to converge; 0: unknown, or long ago
  bool driven_ = false;  // constraints make it move
  PositionForecast forecast_;
  std::vector<int> index_, newton_index_;
  Index counted_ = 0;
  SparsePartition positions_, velocities_;  // of the rows of g, and of all rows
  SplittingSystem system_;
  Vector linearized_p_;
  std::array<Vector, 3> stage_p_;

  // the last residual: where it was taken, what the projectors left of r₁ and r₂, and what they took
  bool known_ = false;
  double known_t_ = 0;
  Vector known_x_, xdot_;
  Vector kinematic_, dynamic_, s_kinematic_, s_dynamic_;

  // the end of the last step: for what follows from the others
  double held_t_ = 0;
  Vector held_;
  ConsistentState reactions_;
  Vector state_, change_, rows_, q_;
};

extern template class ShiftedSolves<CoordinateSplitting>;

}  // namespace trammel
