// One level of the assembly as a problem of its own: displacements (or velocities) to make as small as
// possible, rows that must vanish. For the sources of the assembly only.
//
// Rows are the constraints of the level, then invariants, then conditions. Where they are compared with each
// other, and where a rank is decided, they have length one: neither is a question of units. How far a
// displacement goes is measured in the weighted coordinates that it changes.
#pragma once

#include <string>
#include <vector>

#include "trammel/motion/assembly.h"
#include "trammel/motion/tangent_motion.h"
#include "trammel/numerics/assembled_matrix.h"
#include "trammel/numerics/least_change.h"

namespace trammel {

class AssemblyLevel {
 public:
  using Level = Condition::Level;

  // `for_start`: with the conditions of the options, and with the invariants if they are to be met. All must
  // outlive this.
  AssemblyLevel(TangentMotion& motion, const AssemblyOptions& options, Level level, bool for_start);

  // Takes x to the nearest state that satisfies all rows; what does so already is not touched. Constraints
  // that no displacement meets are no failure here: all_met() tells, and Closure says more of them.
  Failure solve(double t, Vector& x, AssemblyReport& report);
  bool all_met() const { return met_; }
  // The same for the rows alone that do not depend on others, from a state where the others fit only roughly.
  void meet_independent(double t, Vector& x);
  // No progress was made, and rows are not met.
  Failure not_converged() const;

  // At the last state of solve(): the constraints that depend on others,
  std::vector<Index> dependent_constraints() const;
  // and the conditions that constraints (of which so many depend on others) or conditions before them imply.
  std::vector<std::string> implied_conditions(Index dependent_constraints) const;

 private:
  Index rows() const { return residual_.size(); }
  bool is_position() const { return level_ == Level::position; }
  bool is_invariant(Index row) const { return row >= constraints_ && row < first_condition_; }
  const std::string& row_name(Index row) const;
  const char* unknowns_name() const { return is_position() ? "positions" : "velocities"; }

  Failure evaluate(const Vector& x);
  Failure differentiate(const Vector& x);
  Failure take_conditions(const Vector& x, bool slopes);
  void fill_jacobian();
  void move(const Vector& from, const Vector& by, Vector& x);

  double flat() const;
  double ordinary_slope() const;
  double distance(Index row) const;
  double worst() const;
  double moved(const Vector& x) const;
  Vector pull_to_start(const Vector& x);

  void take_metric(const Vector& x);
  void normalize();
  Failure approach(Vector& x, int& iterations);
  bool try_step(Vector& step, double allowed, Vector& x, double& now, double& shortened, Failure& failure);
  bool compromise(Vector& x, int& iterations);
  Failure judge(bool contradictory);
  std::vector<std::string> culprits() const;
  std::vector<Index> dependent_rows(Index count) const;

  TangentMotion& motion_;
  const AssemblyOptions& options_;
  const Layout layout_;
  const Level level_;
  std::vector<const Condition*> conditions_;
  Index constraints_ = 0, first_condition_ = 0;
  Parts parts_ = 0;
  Vector weights_;  // of x

  double t_ = 0;
  MotionValues values_;
  Vector rest_, residual_, slope_;  // slope_: the lengths of the rows
  Vector normalizations_;           // n(p) of the last evaluation
  double unnormalized_ = 0;         // and how far the positions are from curing it
  AssembledMatrix jacobian_;
  unsigned pattern_ = 0;
  struct ConditionSlope {
    std::vector<Index> columns;  // that were ever not zero
    Vector values;               // by all displacements
  };
  std::vector<ConditionSlope> condition_slopes_;
  Eigen::RowVectorXd gradient_;

  Vector start_, sizes_;  // the guess, and what counts as large for each displacement
  double size_ = 1;       // of the unknowns
  bool met_ = true;

  // in scaled displacements, rows of length one
  SparseMatrix metric_, scaled_;
  Vector column_scale_, row_scale_;
  LeastChange step_, damped_step_;
};

}  // namespace trammel
