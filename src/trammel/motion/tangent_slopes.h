// The matrices by which equations of motion depend on displacements, velocities, states and multipliers, whatever keeps
// them: named here, and nowhere else one after the other.
#pragma once

#include <array>

#include "trammel/numerics/linear_algebra.h"
#include "trammel/numerics/sparse_matrix.h"

namespace trammel {

// What rows and columns stand for. Rows of constraints: g first, then h.
enum class Along { velocities, constraints, states, invariants };

struct SlopeKind {
  enum Level : unsigned { at_velocities, hidden, of_forces };  // found together, each after those before
  Along rows, columns;
  Level level;
};

// "Twist" are the velocities v, "pose" the displacements q. Kept: matrices, or what has them as matrix().
template <class Kept>
struct SlopesKeptAs {
  Kept mass;
  Kept jacobian;  // D = [GZ; HZ]
  Kept rate_pose;
  Kept acceleration_pose;
  Kept acceleration_twist;
  Kept force_pose;  // of f − ZᵀGᵀλ − ZᵀHᵀμ − M a, multipliers and a held
  Kept force_twist;
  Kept force_state;
  Kept force_multiplier;  // of f alone
  Kept state_pose;        // of b
  Kept state_twist;
  Kept state_state;
  Kept state_multiplier;
  Kept kinematics;      // K: the velocity of a displacement, with p' held, is q' + K q
  Kept invariant_pose;  // of e
  Kept invariant_twist;
};

using TangentSlopes = SlopesKeptAs<const SparseMatrix&>;

// function(kind, matrix of each) for one kind after the other.
template <class Function, class... Slopes>
void for_each_slope(const Function& function, Slopes&&... of) {
  using enum Along;
  function(SlopeKind{velocities, velocities, SlopeKind::of_forces}, of.mass...);
  function(SlopeKind{constraints, velocities, SlopeKind::at_velocities}, of.jacobian...);
  function(SlopeKind{constraints, velocities, SlopeKind::hidden}, of.rate_pose...);
  function(SlopeKind{constraints, velocities, SlopeKind::hidden}, of.acceleration_pose...);
  function(SlopeKind{constraints, velocities, SlopeKind::hidden}, of.acceleration_twist...);
  function(SlopeKind{velocities, velocities, SlopeKind::of_forces}, of.force_pose...);
  function(SlopeKind{velocities, velocities, SlopeKind::of_forces}, of.force_twist...);
  function(SlopeKind{velocities, states, SlopeKind::of_forces}, of.force_state...);
  function(SlopeKind{velocities, constraints, SlopeKind::of_forces}, of.force_multiplier...);
  function(SlopeKind{states, velocities, SlopeKind::of_forces}, of.state_pose...);
  function(SlopeKind{states, velocities, SlopeKind::of_forces}, of.state_twist...);
  function(SlopeKind{states, states, SlopeKind::of_forces}, of.state_state...);
  function(SlopeKind{states, constraints, SlopeKind::of_forces}, of.state_multiplier...);
  function(SlopeKind{velocities, velocities, SlopeKind::of_forces}, of.kinematics...);
  function(SlopeKind{invariants, velocities, SlopeKind::of_forces}, of.invariant_pose...);
  function(SlopeKind{invariants, velocities, SlopeKind::of_forces}, of.invariant_twist...);
}

struct SlopeSizes {
  Index velocities, constraints, states, invariants = 0;
  Index operator[](Along which) const {
    return std::array{velocities, constraints, states, invariants}[static_cast<std::size_t>(which)];
  }
};

template <class Kept>
void set_sizes(SlopesKeptAs<Kept>& slopes, const SlopeSizes& sizes) {
  for_each_slope(
      [&](const SlopeKind& kind, Kept& kept) { kept = Kept(sizes[kind.rows], sizes[kind.columns]); }, slopes);
}

template <class Kept>
TangentSlopes matrices(const SlopesKeptAs<Kept>& of) {
  return {of.mass.matrix(),
          of.jacobian.matrix(),
          of.rate_pose.matrix(),
          of.acceleration_pose.matrix(),
          of.acceleration_twist.matrix(),
          of.force_pose.matrix(),
          of.force_twist.matrix(),
          of.force_state.matrix(),
          of.force_multiplier.matrix(),
          of.state_pose.matrix(),
          of.state_twist.matrix(),
          of.state_state.matrix(),
          of.state_multiplier.matrix(),
          of.kinematics.matrix(),
          of.invariant_pose.matrix(),
          of.invariant_twist.matrix()};
}

}  // namespace trammel
