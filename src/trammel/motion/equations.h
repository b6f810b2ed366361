// The general equations of motion, the one form from which every formulation starts:
//
//   (a)  p' = Z(p) v
//   (b)  M(p,t) v' = f(p,v,r,w,s,λ,μ,t) − Zᵀ Gᵀ λ − Zᵀ Hᵀ μ
//   (c)  r' = b(p,v,r,w,s,λ,μ,t)              dynamic force elements
//   (d)  0  = d(p,v,r,w,s,λ,μ,t)              auxiliary unknowns w
//   (e)  0  = c(p,s,t)                        contact coordinates s
//   (f)  0  = H(p,s,t) Z v + h(p,s,t)         nonholonomic constraints
//   (g)  0  = g(p,s,t)                        holonomic constraints
//   (e') 0  = e(p,v,s,t)                      known invariants
//   (n)  0  = n(p)                            normalisations whose time derivative vanishes identically, so
//                                             that they have no velocity level and no multiplier (Euler
//                                             parameters)
//
// (A. Steinbrecher, GEOMS, 2007, eq. 1 and 3) together with the hidden constraints
//
//   gᴵ = dg/dt(p,v,s,t),   gᴵᴵ = d²g/dt²(p,v,a,s,t),   hᴵ = d/dt (H Z v + h)(p,v,a,s,t),
//
// which are given as functions of the accelerations a = v' so that no inverse of M is needed to state them.
//
// Three ways lead here: a system written as templates (templated_equations.h: everything is differentiated
// exactly), plain functions differentiated by differences (residual_equations.h), or a class of the user's
// own derived from this one, with hand-written derivatives.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trammel/mechanism/switches.h"
#include "trammel/motion/sizes.h"
#include "trammel/numerics/snapshot.h"

namespace trammel {

class MechanismEquations;
class ReducedMotion;
class TangentMotion;

// Which of the functions an evaluation is to compute.
namespace part {
enum : unsigned {
  kinematics = 1u << 0,
  dynamics = 1u << 1,
  mass = 1u << 2,
  b = 1u << 3,
  d = 1u << 4,
  c = 1u << 5,
  g = 1u << 6,
  gI = 1u << 7,
  gII = 1u << 8,
  h = 1u << 9,
  hI = 1u << 10,
  e = 1u << 11,
  n = 1u << 12,
  position_level = c | g | n,
  velocity_level = gI | h,
  acceleration_level = gII | hI,
  all = (1u << 13) - 1
};
}  // namespace part

using Parts = unsigned;

// Where to evaluate. `a` matters to gᴵᴵ, hᴵ and to the derivative of the dynamics only.
struct MotionPoint {
  double t = 0;
  VectorIn x;  // (p, v, r, w, s, λ, μ)
  VectorIn a;  // accelerations v'
};

struct MotionValues {
  Vector kinematics;  // Z v
  Vector dynamics;    // f − ZᵀGᵀλ − ZᵀHᵀμ
  Matrix M;
  Vector b, d, c, g, gI, gII;
  Vector h;  // H Z v + h
  Vector hI;
  Vector e;
  Vector n;

  // Large systems spare the dense mass matrix.
  explicit MotionValues(const Layout& layout, bool dense_mass = true);
  MotionValues() = default;
};

// Derivatives of the same functions with respect to x, one row each. λ and μ columns included.
// By a: ∂gᴵᴵ/∂a = ∂gᴵ/∂v and ∂hᴵ/∂a = ∂h/∂v, so they are not stored again.
struct MotionDerivatives {
  Matrix kinematics;  // np × n
  Matrix dynamics;    // nv × n: of f − ZᵀGᵀλ − ZᵀHᵀμ − M a, with a held
  Matrix b, d, c, g, gI, gII, h, hI, e, n;

  explicit MotionDerivatives(const Layout& layout);
  MotionDerivatives() = default;
};

// A time at which the equations are not smooth, known before the motion is.
struct MotionCorner {
  double t = 0;
  // What jumps there, at the lowest: 0 positions, 1 velocities, 2 accelerations; more: something smoother, or
  // nothing at all, but a step should end there, so that a short feature is not stepped over.
  int order = 0;
  std::string name;  // whose law it is
};

// Where the energy is and goes at an instant.
struct EnergyState {
  double kinetic = 0, potential = 0;  // J
  double force_power = 0;             // of all applied forces, those with a potential included; W
  double driver_power = 0;            // of constraints that depend on time

  void carry(Carrier& carried) { carried(kinetic, potential, force_power, driver_power); }
};

class EquationsOfMotion {
 public:
  EquationsOfMotion(const Sizes& sizes, const Structure& structure, Names names);
  virtual ~EquationsOfMotion() = default;
  EquationsOfMotion(const EquationsOfMotion&) = delete;
  EquationsOfMotion& operator=(const EquationsOfMotion&) = delete;

  const Layout& layout() const { return layout_; }
  const Structure& structure() const { return structure_; }
  const Names& names() const { return names_; }

  // Computes the wanted parts; the others are left alone. Objects keep work space: one per thread.
  virtual void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) = 0;
  virtual void differentiate(const MotionPoint& at, Parts wanted, MotionDerivatives& out) = 0;

  // D = [GZ; HZ], the velocity constraints by the velocities, without the derivatives of everything else; D
  // has its size. False if that is not offered.
  virtual bool velocity_jacobian(const MotionPoint& /*at*/, Matrix& /*D*/) { return false; }

  // Called when a run starts and after every accepted step: for what has to be followed along the motion,
  // such as the turns of an angle.
  virtual void follow(double /*t*/, const VectorIn& /*x*/) {}

  // What is followed, for saving and restoring alike.
  virtual void carry(Carrier& /*carried*/) {}

  // Takes these branches from now on (TangentMotion::hold_switches).
  virtual void hold_switches(std::span<const HeldBranch> /*held*/, double /*negligible*/) {}

  // These equations as those of a mechanism, if they are.
  virtual MechanismEquations* of_mechanism() { return nullptr; }
  virtual const MechanismEquations* of_mechanism() const { return nullptr; }

  // Coordinates may meet constraints by themselves. Who wants to hear of every joint wants an equation for each of them: the
  // same motion in such coordinates, and the state (t, x) in them. No equations: these have them all.
  struct EveryJoint {
    EquationsOfMotion* equations = nullptr;
    Vector x;
  };
  virtual EveryJoint with_every_joint(double /*t*/, const VectorIn& /*x*/) { return {}; }

  // Whether accelerations follow without a matrix: by a recursion along a tree that nothing else constrains.
  virtual bool accelerates_by_recursion() const { return false; }
  // Those that belong to forces along the velocities at (t, x); false if there is no such recursion, or if a velocity feels
  // no inertia.
  virtual bool accelerate(double /*t*/, const VectorIn& /*x*/, const Vector& /*forces*/, Vector& /*a*/) {
    return false;
  }

  // The same equations as formulations see them, with work space of its own (tangent_motion.h). They must
  // outlive it.
  virtual std::unique_ptr<TangentMotion> tangent();

  // For each velocity the displacement along it that counts as the size of the whole: a length for
  // translations, one for rotations. What a constraint is off by is measured against it. By default one more
  // than the largest position.
  virtual Vector displacement_sizes(const VectorIn& x) const;

  // The corners in (from, to), ascending; none by default.
  virtual std::vector<MotionCorner> corners(double /*from*/, double /*to*/) const { return {}; }

  // False if these equations do not know their energy, as by default.
  virtual bool energy(double /*t*/, const VectorIn& /*x*/, EnergyState& /*state*/) { return false; }

  // Fewer equations of the same motion from the assembled state x on; none by default.
  virtual std::unique_ptr<ReducedMotion> reduced(double t, const VectorIn& x);

 private:
  Layout layout_;
  Structure structure_;
  Names names_;
};

// The first entry of the wanted parts that is not finite, said in the user's names; empty if all are finite.
std::string describe_non_finite(const Names& names, Parts wanted, const MotionValues& values);
std::string describe_non_finite(const Names& names, Parts wanted, const MotionDerivatives& derivatives);

}  // namespace trammel
