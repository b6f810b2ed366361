// The equations of motion as small displacements see them: one number q for each velocity, which moves the
// positions by Z q. Contact coordinates s follow the positions, auxiliary unknowns w follow everything, so
// that both are gone from the derivatives, as are the normalisations. Large mechanisms keep their sparse
// matrices; other equations are differentiated densely and squeezed.
#pragma once

#include <string>
#include <vector>

#include "trammel/motion/equations.h"
#include "trammel/numerics/failure.h"
#include "trammel/numerics/sparse_matrix.h"

namespace trammel {

// Rows of constraints: g first, then h. "Twist" are the velocities, "pose" the displacements. The same as
// SparseSlopes of motion/sparse_motion.h, as values.
struct MotionSlopes {
  SparseMatrix mass;
  SparseMatrix jacobian;  // [GZ; HZ]
  SparseMatrix rate_pose, acceleration_pose, acceleration_twist;
  SparseMatrix force_pose, force_twist, force_state;  // of f − ZᵀGᵀλ − ZᵀHᵀμ − M a, multipliers and a held
  SparseMatrix force_multiplier;                      // of f alone
  SparseMatrix state_pose, state_twist, state_state, state_multiplier;
  // Of equations without sparse matrices: Z, and the derivative of Z v by displacements.
  SparseMatrix position_pose, position_rate_pose;
};

class DisplacedMotion {
 public:
  enum class Wanted { jacobian, everything };

  explicit DisplacedMotion(EquationsOfMotion& equations);

  EquationsOfMotion& equations() { return equations_; }
  const Layout& layout() const { return layout_; }
  const Names& names() const { return equations_.names(); }
  Index constraints() const { return layout_.lambda.size + layout_.mu.size; }
  bool is_sparse() const { return sparse_ != nullptr; }

  // What is not finite becomes a failure.
  Failure evaluate(double t, const Vector& x, const Vector& a, Parts wanted);
  const MotionValues& values() const { return values_; }

  // The Jacobian alone, and the mass with it, leaves the other slopes as they are.
  Failure differentiate(double t, const Vector& x, const Vector& a, Wanted wanted = Wanted::everything);
  const MotionSlopes& slopes() const { return slopes_; }

  // Moves the positions by Z q and cures the normalisations to first order.
  Failure move(double t, const Vector& q, Vector& x);
  // The displacement between two positions; of bodies, rotations as angles times axes.
  Vector displacement(double t, const Vector& from, const Vector& to);
  // Makes contact coordinates and auxiliary unknowns fit the rest of x.
  Failure settle(double t, Vector& x);

 private:
  void copy_sparse_slopes(Wanted wanted);
  Failure squeeze_dense_slopes(double t, Wanted wanted);
  Failure solve_for(double t, Vector& x, Parts function, const Block& unknowns);

  EquationsOfMotion& equations_;
  SparseMotion* sparse_ = nullptr;
  const Layout layout_;
  MotionValues values_;
  MotionDerivatives derivatives_;  // empty if sparse
  MotionSlopes slopes_;
  Vector rest_;
};

// Whether displacements are six for each body, three translations and three rotations.
bool rotates_bodies(const EquationsOfMotion& equations);

// What a displacement moves, one name for each velocity: "crank.x", "crank.rz" for a body's translations
// (world axes) and rotations (body axes); the positions' own names where there is one for each velocity.
std::vector<std::string> displacement_names(const EquationsOfMotion& equations);

// "crank" of "crank.rz"; a name without a dot is its own owner.
std::string owner_of(const std::string& name);

// Whether large systems should be treated with sparse matrices.
bool is_large(EquationsOfMotion& equations);

}  // namespace trammel
