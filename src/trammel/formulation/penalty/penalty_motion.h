// Constraint forces as penalties, and multipliers on top of them, for methods of second order:
//
//     M q'' + Dᵀ λ = f,        penalty     λ = α g
//                              augmented   λ ← λ + α g until g is as small as wanted, α as large as a matrix allows
//                              index3      the same, as far as Newton's iteration gets by itself
//                              ggl         λ from the velocity constraints, positions put back by displacements aside
//
// One matrix M + (c/m) C + K/m + Dᵀ w D serves all of them (penalty_matrix.h), w = α/m; so redundant constraints do no harm. In
// joint coordinates `penalty` is the semi-recursive formulation of A. Callejo, S. Narayanan, J. García de Jalón, B. Norris,
// Performance of automatic differentiation tools in the dynamic simulation of multibody systems, 2014, after J. Cuadrado,
// D. Dopico, M. González, M. Naya, A combined penalty and recursive real-time formulation for multibody dynamics, 2004: the tree
// is opened where loops close, and at the end of a step velocities and accelerations are projected with the last factors,
//
//     v = v* − (W + Dᵀ w D)⁻¹ Dᵀ w (D v* + g_t),     a = a* − (W + Dᵀ w D)⁻¹ Dᵀ w (D a* + (D v)˙ terms + g_tt) .
//
// `ggl` is after M. Arnold, O. Brüls, A. Cardona, Error analysis of generalized-α Lie group time integration methods for
// constrained mechanical systems, 2015, with displacements aside in the norm of W.
#pragma once

#include <vector>

#include "trammel/formulation/penalty/penalty_matrix.h"
#include "trammel/formulation/penalty/penalty_options.h"
#include "trammel/formulation/second_order_problem.h"
#include "trammel/formulation/tangent_problem.h"
#include "trammel/motion/consistent_state.h"

namespace trammel {

class PenaltyMotion final : public TangentProblem, public SecondOrderProblem {
 public:
  PenaltyMotion(EquationsOfMotion& motion, PenaltyOptions options);

  Index unknowns() const override { return layout_.total; }
  Index counted() const override { return layout_.p.size + layout_.v.size + layout_.r.size; }
  const std::vector<int>& variable_index() const override { return index_; }
  // Velocities are as good as displacements divided by the step.
  const std::vector<int>& newton_index() const override { return newton_index_; }

  Outcome start(double t, VectorIn x) override;
  Outcome resume(double t, VectorIn x, Carrier& carried) override;
  Outcome accepted(double t, VectorOut x) override;
  const Vector* accelerations_at(double t, VectorIn x) override;
  bool interpolates_multipliers() const override { return false; }

  SecondOrderLayout second_order_layout() const override { return {layout_.p, layout_.v, layout_.r}; }
  void displace(VectorIn from, VectorIn q, VectorOut x) override;
  void position_rates(double t, VectorIn x, VectorOut rates) override;
  Outcome accelerate(double t, VectorIn x, VectorOut a, VectorOut state_rates) override;
  double shortest_step(VectorIn x, VectorIn a) const override;
  void set_weights(const SecondOrderWeights& weights) override;
  Outcome residual(double t, VectorOut x, VectorIn a, VectorIn state_rates) override;
  Outcome factor(double t, VectorIn x, VectorIn a) override;
  bool matrices_are_fresh() const override { return iterations_of_slopes_ == 1; }
  void solve(VectorOut x, VectorOut q, VectorOut aside, VectorOut states) override;
  bool steps_as_accelerated() const override { return options_.form != Form::penalty || constraints_ == 0; }
  bool watches_constraints() const override { return options_.form == Form::augmented && constraints_ > 0; }
  bool constraints_are_met() const override { return violation_ <= options_.level; }
  double relative_residual() const override { return relative_residual_; }
  Outcome finish(double t, VectorOut x, VectorOut a) override;
  Outcome smooth(double t, VectorIn x, VectorIn a, VectorOut smooth) override;
  void forget_matrices() override { iterations_of_slopes_ = -1; }

 protected:
  void patterns_grown() override { matrix_.forget_patterns(); }

 private:
  using Form = PenaltyOptions::Form;
  enum class Level { velocities, accelerations };

  Outcome begin(double t, const VectorIn& x);
  Outcome weigh_constraints(double t, const VectorIn& x);
  bool has_multipliers() const { return options_.form != Form::penalty; }
  bool projects() const {
    return constraints_ > 0 && (options_.form == Form::penalty || options_.form == Form::augmented);
  }
  auto multipliers(VectorOut x) const { return x.segment(layout_.lambda.begin, constraints_); }
  Outcome constrain(double t, VectorOut x, VectorOut values, Level level);
  void subtract_forces(const Vector& rows, VectorOut forces) const;
  void solve_rows(const Vector& rows);

  PenaltyOptions options_;
  ConsistentState state_;
  Index constraints_;
  std::vector<int> index_, newton_index_;
  Vector masses_;     // that each constraint moves
  Vector penalties_;  // w
  SecondOrderWeights weights_;
  PenaltyMatrix matrix_;
  // Iterations that the slopes of forces have served; −1: there are none.
  int iterations_of_slopes_ = -1;

  Vector forces_, states_, rows_, velocity_rows_;  // of the last residual()
  double violation_ = 0, relative_residual_ = 0;
  Vector unknowns_, moved_, change_, none_, no_displacement_, held_multipliers_, at_;
  // Where a step or the start has ended.
  double ended_t_ = 0;
  Vector ended_x_;
};

}  // namespace trammel
