// The tangent motion (motion/tangent_motion.h) as analyses use it: what goes wrong is a Failure, states move by
// displacements.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/motion/tangent_motion.h"
#include "trammel/numerics/failure.h"

namespace trammel {

// Z, and the derivative of Z v by displacements.
struct PositionSlopes {
  SparseMatrix pose, rate_pose;
};

class DisplacedMotion {
 public:
  enum class Wanted { jacobian, everything };

  explicit DisplacedMotion(EquationsOfMotion& equations);

  EquationsOfMotion& equations() { return equations_; }
  TangentMotion& tangent() { return *tangent_; }
  const Layout& layout() const { return layout_; }
  const Names& names() const { return equations_.names(); }
  Index constraints() const { return layout_.lambda.size + layout_.mu.size; }

  // What is not finite becomes a failure.
  Failure evaluate(double t, const Vector& x, const Vector& a, Parts wanted);
  const MotionValues& values() const { return values_; }

  // The Jacobian alone, and the mass with it, leaves the other slopes as they are.
  Failure differentiate(double t, const Vector& x, const Vector& a, Wanted wanted = Wanted::everything);
  TangentSlopes slopes() const { return tangent_->slopes(); }
  // Of equations with positions of their own.
  PositionSlopes position_slopes(double t, const Vector& x);

  // Moves the positions by Z q and cures the normalisations to first order.
  Failure move(double t, const Vector& q, Vector& x);
  // The displacement between two positions; of bodies, rotations as angles times axes.
  Vector displacement(const Vector& from, const Vector& to);
  // Makes contact coordinates and auxiliary unknowns fit the rest of x.
  Failure settle(double t, Vector& x);
  // Goes to x with angles that count their turns.
  void follow(double t, const Vector& x);

 private:
  EquationsOfMotion& equations_;
  std::unique_ptr<TangentMotion> tangent_;
  const Layout layout_;
  MotionValues values_;
  Vector rest_;
};

// Whether displacements are six for each body, three translations and three rotations.
bool rotates_bodies(EquationsOfMotion& equations);

// What a displacement moves, one name for each velocity: "crank.x", "crank.rz" for a body's translations
// (world axes) and rotations (body axes); the positions' own names where there is one for each velocity.
std::vector<std::string> displacement_names(EquationsOfMotion& equations);

// "crank" of "crank.rz"; a name without a dot is its own owner.
std::string owner_of(const std::string& name);

}  // namespace trammel
