// What belongs to a state: its accelerations and multipliers; and the state on the constraints that is nearest
// to it in the norm of the masses. By [M Dᵀ; D −ε], refined (acceleration_system.h): redundant rows do no harm,
// and a change of rank does not either. Nothing is remembered from one state to the next but factors that are
// near, so that it serves the steps of an explicit method as well as what is put out beside the steps of any
// other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/motion/acceleration_system.h"
#include "trammel/numerics/failure.h"

namespace trammel {

struct ConsistentStateOptions {
  double rank_tolerance = 1e-9;
  // A state is moved if a residual of its constraints is larger: in their units at position level, relative
  // to the largest velocity (or one) at velocity level.
  double tolerance = 1e-12;
};

// The largest residual of each level, in the units of the constraints.
struct Violation {
  double position = 0;      // c, g, n
  double velocity = 0;      // gᴵ, h
  double acceleration = 0;  // gᴵᴵ, hᴵ
  double invariant = 0;     // e

  void include(const Violation& other);
  void carry(Carrier& carried) { carried(position, velocity, acceleration, invariant); }
};

class ConsistentState {
 public:
  // The motion must outlive this.
  explicit ConsistentState(TangentMotion& motion, ConsistentStateOptions options = {});

  // Looks at the equations at an assembled state: which rows are redundant, whether forces depend on
  // multipliers.
  Failure start(double t, const VectorIn& x);
  // Factors and what else was found on the way.
  void forget();
  bool redundant() const { return redundant_; }
  // Marks of the rows of (g, h) that do not depend on the others at the start.
  const std::vector<char>& independent() const { return independent_; }

  // Positions and velocities onto the constraints.
  Failure project(double t, VectorOut x);
  // Accelerations and multipliers that belong to x. values() has Zv and b there.
  Failure accelerate(double t, const VectorIn& x);
  // Whether the last that were found belong to a state at this time, which may be another one.
  bool is_known_at(double t) const { return known_t_ == t && known_x_.size() > 0; }
  const Vector& accelerations() const { return a_; }
  const Vector& multipliers() const { return multipliers_; }
  const MotionValues& values() const { return values_; }

  // Everything of x that follows from its positions, velocities and force states, which are put on the
  // constraints first: for a state that is to be shown.
  Failure complete(double t, VectorOut x);
  // Gives x the multipliers that belong to it.
  Failure find_multipliers(double t, VectorOut x);
  // Of all multipliers with the same effect those of minimal norm, where rows are redundant.
  void present(double t, VectorOut x);
  // Whether the last accelerations and multipliers may be those of a singular position; cheaper to ask than
  // is_singular(), and may be said of others, too.
  bool may_be_singular() const { return may_be_singular_; }
  // Whether the constraints determine less at a state than at the start: a singular position.
  bool is_singular(double t, const VectorIn& x);
  // From now on invariants are measured against the values they have at (t, x).
  Failure rebase_invariants(double t, const VectorIn& x);
  // What is remembered from state to state besides factors.
  void carry(Carrier& carried) { carried(invariant_base_); }
  // How well the constraints are met, with these accelerations.
  Failure measure(double t, const VectorIn& x, const VectorIn& a, Violation& violation);

  // Counted for whoever is interested.
  struct Counts {
    long factorizations = 0, solutions = 0, projections = 0;
  };
  Counts counts;

 private:
  Failure evaluate(double t, const VectorIn& x, const VectorIn& a, Parts wanted);
  Failure take_matrices(double t, const VectorIn& x);
  Failure factor_matrices(double t);
  Failure correct_accelerations(double t);
  Failure accelerate_coupled(double t);
  Failure project_positions(double t, Vector& x);
  Failure project_velocities(double t, Vector& x);
  Failure cannot_project(double t, const Vector& residual, const std::vector<std::string>& names) const;
  Failure look_for_coupling(double t, const VectorIn& x);
  bool is_met(const VectorIn& x) const;

  TangentMotion& motion_;
  ConsistentStateOptions options_;
  const Layout layout_;
  std::unique_ptr<AccelerationSystem> system_;
  Index constraints_;
  Index rank_ = 0;  // of D, at the start
  bool redundant_ = false;
  bool coupled_ = false;  // forces depend on multipliers
  bool may_be_singular_ = false;
  std::vector<char> independent_;

  MotionValues values_;
  Vector a_, multipliers_, rest_;
  Vector invariant_base_;
  double known_t_ = 0;
  Vector known_x_;      // where a_ and multipliers_ belong to
  Vector projected_p_;  // where the last projection ended: its factors serve there
  double projected_t_ = 0;
  Vector work_, state_, upper_, lower_, change_;
};

}  // namespace trammel
