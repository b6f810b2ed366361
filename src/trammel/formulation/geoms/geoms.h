// The projected-strangeness-free form of the equations of motion:
//
//   S_p p' = S_p Z v,   S_v M v' = S_v (f − ZᵀGᵀλ − ZᵀHᵀμ),   r' = b,
//   0 = c,  0 = g,  0 = n                       determine the dependent positions and s
//   0 = gᴵ,  0 = HZv + h,  (0 = e)              the dependent velocities
//   0 = d,  0 = gᴵᴵ,  0 = hᴵ                    w, λ, μ
//
// Differentiation index 1, the solutions of the original equations, and no drift at any level. The selectors
// S_p, S_v pick the independent coordinates, S_p p' = p_i' and S_v M v' = v_i', and are chosen anew when the
// pivoting of the constraint Jacobians changes or Newton's iteration fails. The incomplete form leaves the
// acceleration level out (index 2).
//
// Invariants e take the place of further differential rows. Their derivative by v vanishes where the motion
// comes to rest, so with invariants positions and velocities are decomposed together: at a turning point the
// energy then determines the position and the velocity stays a degree of freedom.
//
// A. Steinbrecher, GEOMS (WIAS preprint 1259, 2007), theorem 2.4 and algorithm 2.6.
#pragma once

#include "trammel/formulation/dense_motion_problem.h"
#include "trammel/formulation/geoms/geoms_options.h"
#include "trammel/formulation/geoms/two_stage_solve.h"
#include "trammel/formulation/implicit_problem.h"
#include "trammel/motion/assembly.h"

namespace trammel {

class Geoms final : public DenseMotionProblem, public ImplicitProblem {
 public:
  Geoms(EquationsOfMotion& motion, GeomsOptions options = {});

  Index unknowns() const override { return layout_.total; }
  Index equations() const override { return differential_rows_ + algebraic_rows_; }
  const std::vector<int>& variable_index() const override { return index_; }
  const std::vector<int>& newton_index() const override { return newton_index_; }

  Outcome start(double t, VectorIn x) override;
  Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) override;
  Outcome linearize(double t, VectorIn x) override;
  Outcome factor(double shift) override;
  Outcome factor(std::complex<double> shift) override;
  void solve(VectorIn residual, VectorOut x) override;
  void solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) override;
  void newton_failed() override;
  double regularity() const override;
  Outcome land(double t, VectorOut x) override;
  void tidy(VectorOut x) override;
  Outcome accepted(double t, VectorOut x) override;

 private:
  struct Ranks {
    Index position = 0, velocity = 0, acceleration = 0;
    bool operator==(const Ranks&) const = default;
  };

  bool is_complete() const { return options_.form == GeomsOptions::Form::complete; }
  Outcome evaluate_algebraic(double t, VectorIn x, Parts also);
  void collect_algebraic(VectorOut out) const;
  Outcome close_constraints(double t, VectorOut x);
  Outcome minimize_multipliers(double t, VectorOut x);
  void keep_span(const Matrix& basis, VectorOut x) const;
  void multiplier_span(Matrix& basis) const;
  void decompose_groups(TwoStageSolve& solver, Ranks& found) const;
  Outcome close_with(TwoStageSolve& solver, int iterations, double t, VectorOut x, bool& closed);
  void assemble_algebraic(Matrix& J_a) const;
  void arrange_groups();
  void assemble_jacobians();
  Outcome explain_rank(double t, const Ranks& found);
  Outcome singular_position(double t, const Ranks& found);
  Outcome check_regular(double t);
  Outcome decompose(double t);
  void build_directions();
  void compute_selectors();
  void build_selectors();
  void apply_selectors();

  GeomsOptions options_;
  Decomposition algebraic_;  // the one in use
  std::vector<int> index_, newton_index_;

  // internal order of the unknowns, group by group: internal column i is column order_[i] of x
  std::vector<Index> order_;
  Index algebraic_rows_ = 0, differential_rows_ = 0;
  std::size_t position_group_ = 0, velocity_group_ = 0, multiplier_group_ = 0, acceleration_group_ = 0;

  TwoStageSolve solver_;
  Matrix J_a_;                   // algebraic rows × internal columns
  Matrix motion_J_;              // ∂(Zv, dynamics) × internal columns
  Matrix mass_;                  // at the point of linearisation
  std::vector<Index> selected_;  // the coordinates among (p, v) whose differential equations are kept
  Matrix S_;                     // selectors: rows × (np + nv)
  Matrix S_v_transposed_, B_, B_transposed_, C_, force_directions_;
  FullPivotLu selection_;
  Matrix E_d_, J_d_;
  Matrix multiplier_basis_;  // span of the multipliers that act on the motion; empty if all do
  Matrix free_multipliers_;  // the same for the incomplete form, never empty
  Matrix closing_J_a_;
  TwoStageSolve
      closing_;  // decompositions at the end of a step, where those of its beginning are not good enough
  Vector motion_residual_;  // (Zv − p', dynamics − M v')
  Vector internal_, algebraic_residual_;
  ComplexVector complex_internal_;

  std::unique_ptr<Assembly> landing_;
  Ranks ranks_;
  bool ranks_known_ = false;
  int rank_deviations_ = 0;
  bool linearized_ = false;
  bool selectors_wanted_ = true;
  std::vector<std::vector<Index>> pivots_;
};

}  // namespace trammel
