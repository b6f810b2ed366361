// Laws that change from one branch to another while steps are taken that do not end there (real time): which, and in how many steps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/mechanism/switches.h"
#include "trammel/motion/equations.h"
#include "trammel/motion/tangent_motion.h"

namespace trammel {

class BranchWatch {
 public:
  // The equations must outlive this.
  explicit BranchWatch(EquationsOfMotion& equations);

  void start(double t, const Vector& x);
  // At the end of a step. Takes no memory.
  void step(double t, const Vector& x);

  // Steps in which a law changed its branch, and whose laws did.
  long steps() const { return steps_; }
  std::vector<std::string> names() const;

 private:
  void read(double t, const Vector& x);

  std::unique_ptr<TangentMotion> motion_;
  std::vector<HeldBranch> branches_;
  std::vector<SwitchReading> readings_;
  std::vector<char> changed_;
  long steps_ = 0;
};

}  // namespace trammel
