// The projection of a state onto the position and velocity constraints, and that of its error, as a multistep method
// with error control asks for them (ode_problem.h):
//
//   min ‖δp‖  with  g(p + δp) = 0, n(p + δp) = 0,     then     min ‖δv‖  with  gᴵ(p, v + δv) = 0, h(p, v + δv) = 0
//
// in the norm of the tolerances, or of the masses. Newton's iteration with a matrix that is kept as long as it
// serves, over steps too. Constraints that share no coordinates are projected apart from each other, and rows that
// depend on others do no harm (grouped_least_change.h).
//
// A violation is told in errors: how far, relative to the tolerances, the state is at least from one that meets the
// row, |g_i| / ‖D_i S‖ with S the tolerances. So neither the unit nor the factor that a row is written with counts, and positions and velocities
// are measured by the same rule. Rows are measured where the state is, in every step; only the factors are older.
//
// The error e loses what a projection takes from states: D e_p = 0, and D e_v = −(Dv)_q e_p, because an error of the
// positions turns the velocities that are allowed there.
//
// Where an iteration of Newton has factors of a matrix near [M Dᵀ; D 0] they may be lent: then nothing is factored here,
// and the norm is that of this matrix, nearly that of the masses.
#pragma once

#include <functional>
#include <limits>

#include "trammel/formulation/projection/coordinate_projection_options.h"
#include "trammel/formulation/projection/kept_invariants.h"
#include "trammel/motion/tangent_motion.h"
#include "trammel/numerics/grouped_least_change.h"

namespace trammel {

class WeightedProjection {
 public:
  // The motion must outlive this.
  WeightedProjection(TangentMotion& motion, const CoordinateProjectionOptions& options);

  // Whatever is kept is made anew.
  void forget();
  // The patterns of matrices, too.
  void forget_patterns();

  // Factors are kept as long as they serve at all: with them, a projection is one and the same function of the state.
  void keep_factors() { keeps_factors_ = true; }

  // Invariants that are kept as well; none: none. It must outlive this.
  void keep(KeptInvariants* invariants) { invariants_ = invariants; }

  // q becomes a displacement with D q = residual, rows of (g, h), nearly. False: there are no factors.
  using Lender = std::function<bool(const Vector& residual, Vector& q)>;
  void borrow(Lender lender) { lender_ = std::move(lender); }
  // The factors that are lent are new ones.
  void borrow_again();

  // Functions of OdeProblem. A failure is one that a smaller step may cure.
  Failure violation(double t, const VectorIn& x, const VectorIn& scale, double& size);
  Failure project(double t, const VectorIn& scale, double tolerance, VectorOut x);
  Failure project_error(double t, const VectorIn& x, const VectorIn& scale, VectorOut error);

  // Counted for whoever is interested: Newton's corrections, and matrices.
  long iterations = 0, matrices = 0;

 private:
  Failure evaluate(double t, const VectorIn& x, Parts wanted);
  // Rows and norms at a state.
  Failure measure(double t, const VectorIn& x, const VectorIn& scale);
  // Factors that serve there.
  Failure take_matrices(double t, const VectorIn& x, const VectorIn& scale);
  void take_masses(double t, const VectorIn& x);
  double rank_tolerance_off(const Vector& g) const;
  enum class Level { positions, velocities };
  // The nearest vector with D q = b.
  void meet(Level level, Vector& q, const Vector& b);
  void measure_rows();
  void measure_rows_as_written();
  double position_violation() const;
  double velocity_violation() const;
  // One level of constraints, with the matrices at hand. `slow`: they do not serve.
  enum class Course { done, slow };
  Failure close(Level level, double t, double tolerance, Vector& x, Course& course);
  Failure cannot_project(double t) const;
  Failure measure_invariants(double t, const VectorIn& x, double& size);
  Failure find_directions(double t, const VectorIn& x);
  Failure close_invariants(double t, double tolerance, Vector& x, Course& course);
  Failure project_error_of_invariants(double t, const VectorIn& x, VectorOut error);
  Failure take_rates(double t, const VectorIn& x);
  // Takes from an error what lies across the constraints.
  Failure make_tangent(double t, const VectorIn& x, VectorOut error);

  TangentMotion& motion_;
  const CoordinateProjectionOptions& options_;
  const Layout layout_;
  Index constraints_;
  MotionValues values_;
  Vector rest_;

  bool known_ = false;  // matrices are there
  bool keeps_factors_ = false;
  Lender lender_;
  bool borrowed_ = false;      // they are those of the lender
  bool lent_in_vain_ = false;  // which do not serve
  unsigned pattern_ = 0;
  double contraction_ = 0;  // of the iteration with them
  GroupedLeastChange positions_, velocities_;
  SparseMatrix position_metric_, velocity_metric_, position_rows_, masses_;
  bool measured_ = false;  // at this state and for this scale:
  double measured_t_ = 0;
  Vector measured_x_, measured_scale_;
  // What a row changes by where every unknown is off by its tolerance, at most: of positions, and of velocities.
  Vector position_lengths_, velocity_lengths_;
  std::vector<std::pair<Index, double>> closures_;  // rows whose length was given
  double least_scale_ = 1;                          // of the positions
  double rates_t_ = std::numeric_limits<double>::quiet_NaN();
  Vector rates_, rates_x_;  // of the constraints, and where

  // Invariants: how they change along directions that the constraints allow, steepest by the tolerances.
  KeptInvariants* invariants_ = nullptr;
  bool directions_known_ = false;
  Matrix by_pose_, by_twist_, along_, directions_;
  Vector invariant_lengths_, changes_, other_changes_, amounts_, shifted_, beside_;

  Vector weights_, residual_, q_, change_, other_, x_, rows_rest_, step_;
};

}  // namespace trammel
