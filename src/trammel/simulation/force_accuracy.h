// How well the forces of stiff elements are known. The error of a step is kept below the tolerance in
// positions and velocities; a force is inexact by its stiffness times that. What the estimated error of a
// step does to each force is compared at some steps of a run; where it is a part of the force worth
// mentioning, it is stated.
#pragma once

#include <string>
#include <vector>

#include "trammel/motion/mechanism_motion.h"

namespace trammel {

class ForceAccuracy {
 public:
  struct Entry {
    std::string channel;  // "bend3.force_x"
    double error = 0;     // the largest difference seen
    double largest = 0;   // the largest force seen

    void carry(Carrier& carried) { carried(error, largest); }
  };

  explicit ForceAccuracy(MechanismEquations& equations);

  // Called after every accepted step, so that angles count their turns.
  void follow(double t, const Vector& x) { motion_->follow(t, x); }
  // x and the same state with its estimated error.
  void compare(double t, const Vector& x, const Vector& disturbed);
  void carry(Carrier& carried);
  // Those that are inexact by more than this part of the largest force.
  std::vector<Entry> worse_than(double part) const;

 private:
  void forces_at(double t, const Vector& x, std::vector<double>& out);

  MechanismEquations& equations_;
  std::unique_ptr<MechanismMotion> motion_;
  std::vector<Entry> entries_;
  std::vector<double> exact_, inexact_;
};

}  // namespace trammel
