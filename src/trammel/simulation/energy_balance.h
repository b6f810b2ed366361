// Where the energy of a run went: what an integrator does not know and cannot get wrong twice.
//
//   ΔT = ∫ (power of all forces + power of drivers) dt
//
// over every step, by the quadrature of Radau IIA with three nodes. What is left over is an estimate of the
// error that no step size control has; where much of it appears in one step, something was stepped over.
#pragma once

#include <array>

#include "trammel/motion/equations.h"

namespace trammel {

class EnergyBalance {
 public:
  // Inner nodes of a step, as parts of it; the third is its end.
  static const std::array<double, 2> nodes;

  // The first state, or one after something that changes the energy at once, as an impact does.
  void begin(const EnergyState& state);
  // A step of length h to t: at the two inner nodes and at its end.
  void add(double t, double h, const EnergyState& first, const EnergyState& second, const EnergyState& end);

  // That so much is left over up to t of a step, or of several that count as one.
  void judge(double t, double left);

  bool is_known() const { return begun_; }
  double initial() const { return initial_; }  // kinetic and potential, J
  double final() const { return last_.kinetic + last_.potential; }
  double work_of_drivers() const { return drivers_; }
  double work_of_forces() const { return forces_; }    // that have no potential; dissipation is negative
  double impacts() const { return impacts_; }          // gained or lost at once
  double unexplained() const { return unexplained_; }  // sum over all steps
  // The step with the largest share of it, and where that ends.
  double worst_step() const { return worst_; }
  double worst_t() const { return worst_t_; }
  // What there is to compare with: the largest kinetic energy, change of the potential, work of drivers.
  double in_motion() const;

  void carry(Carrier& carried) {
    carried(begun_, initial_, drivers_, forces_, impacts_, unexplained_, worst_, worst_t_, potential_least_,
            potential_most_, kinetic_most_, drivers_most_, last_);
  }

 private:
  bool begun_ = false;
  double initial_ = 0, drivers_ = 0, forces_ = 0, impacts_ = 0, unexplained_ = 0;
  double worst_ = 0, worst_t_ = 0;
  double potential_least_ = 0, potential_most_ = 0, kinetic_most_ = 0, drivers_most_ = 0;
  EnergyState last_;
};

}  // namespace trammel
