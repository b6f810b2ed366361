// Equations as a user's own class would give them: evaluated and differentiated densely, whatever they offer
// besides.
#pragma once

#include "trammel/motion/equations.h"

namespace trammel {

class DenselyDerived final : public EquationsOfMotion {
 public:
  // These must outlive it.
  explicit DenselyDerived(EquationsOfMotion& of)
      : EquationsOfMotion(sizes_of(of.layout()), of.structure(), of.names()), of_(of) {}

  void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) override {
    of_.evaluate(at, wanted, out);
  }
  void differentiate(const MotionPoint& at, Parts wanted, MotionDerivatives& out) override {
    of_.differentiate(at, wanted, out);
  }
  void follow(double t, const VectorIn& x) override { of_.follow(t, x); }

 private:
  static Sizes sizes_of(const Layout& l) {
    return {.positions = l.p.size,
            .velocities = l.v.size,
            .force_states = l.r.size,
            .auxiliaries = l.w.size,
            .contacts = l.s.size,
            .holonomic = l.lambda.size,
            .nonholonomic = l.mu.size,
            .invariants = l.invariants,
            .normalizations = l.normalizations};
  }
  EquationsOfMotion& of_;
};

}  // namespace trammel
