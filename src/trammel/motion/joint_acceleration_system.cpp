// The systems of accelerations of joint coordinates.
#include <limits>

#include "trammel/motion/acceleration_system.h"
#include "trammel/motion/joint_motion.h"
#include "trammel/motion/tree_accelerations.h"

namespace trammel {

namespace {

// A tree of joints without loops: by recursion.
class TreeAccelerationSystem final : public AccelerationSystem {
 public:
  explicit TreeAccelerationSystem(JointMotion& motion) : motion_(motion), accelerations_(motion.tree()) {}

  void take(const MotionPoint& at) override {
    motion_.take_tree(at, accelerations_);
    factored_ = false;
  }
  bool factor() override { return factored_ = accelerations_.factor(); }
  bool find_redundant(std::vector<char>& independent) override {
    independent.clear();
    return false;
  }
  void minimize(VectorOut /*multipliers*/) override {}
  void subtract_product(const Vector& x, const Vector& /*y*/, Vector& upper,
                        Vector& /*lower*/) const override {
    accelerations_.subtract_product(x, upper);
  }

 protected:
  // Factors of a point near by are no help: those of this one cost as much as a refinement.
  void solve_once(Vector& upper, Vector& /*lower*/, Rows /*rows*/) override {
    if (factored_ || factor())
      accelerations_.solve(upper);
    else
      upper.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  bool is_exact() const override { return true; }

 private:
  JointMotion& motion_;
  mutable TreeAccelerations accelerations_;  // work space, too
  bool factored_ = false;                    // at the point of the last take()
};

}  // namespace

std::unique_ptr<AccelerationSystem> JointMotion::acceleration_system(double rank_tolerance) {
  if (is_open()) return std::make_unique<TreeAccelerationSystem>(*this);
  return make_sparse_acceleration_system(*this, rank_tolerance);
}

}  // namespace trammel
