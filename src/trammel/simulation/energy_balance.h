// Where the energy of a run went: what an integrator does not know and cannot get wrong twice.
//
//   ΔT = ∫ (power of all forces + power of drivers) dt
//
// over every step, by the quadrature of Radau IIA with three nodes; where that leaves something over, by one of
// Gauss with five, which is as good as the steps of the best methods are. What is left over then is an estimate
// of the error that no step size control has; where much of it appears in one step, something was stepped over.
#pragma once

#include <span>

#include "trammel/motion/equations.h"

namespace trammel {

// A rule for integrals over a step: nodes as parts of it.
struct StepQuadrature {
  std::span<const double> nodes, weights;

  static const StepQuadrature radau;  // its last node is the end of the step
  static const StepQuadrature gauss;
};

// Done in a step.
struct StepWork {
  double forces = 0, drivers = 0;

  void add(double weight, const EnergyState& state) {
    forces += weight * state.force_power;
    drivers += weight * state.driver_power;
  }
};

class EnergyBalance {
 public:
  // The first state, or one after something that changes the energy at once, as an impact does.
  void begin(const EnergyState& state);
  // What a step that ends like this leaves over.
  double left_over(const StepWork& work, const EnergyState& end) const {
    return end.kinetic - last_.kinetic - work.forces - work.drivers;
  }
  // A step to t.
  void add(double t, const StepWork& work, const EnergyState& end);

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
