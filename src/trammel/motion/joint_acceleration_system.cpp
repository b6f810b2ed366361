// The systems of accelerations of joint coordinates.
#include <cmath>
#include <limits>

#include "trammel/motion/acceleration_system.h"
#include "trammel/motion/joint_motion.h"
#include "trammel/motion/tree_accelerations.h"
#include "trammel/numerics/sparse_partition.h"

namespace trammel {

namespace {

// A tree of joints without loops: by recursion.
class TreeAccelerationSystem final : public AccelerationSystem {
 public:
  explicit TreeAccelerationSystem(JointMotion& motion)
      : motion_(motion), accelerations_(motion.tree(), motion.locked()) {}

  void take(const MotionPoint& at) override {
    motion_.take_tree(at, accelerations_);
    factored_ = false;
  }
  bool factor() override { return factored_ = accelerations_.factor(); }
  bool is_exact() const override { return true; }
  bool rows_are_independent() const override { return true; }
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

 private:
  JointMotion& motion_;
  mutable TreeAccelerations accelerations_;  // work space, too
  bool factored_ = false;                    // at the point of the last take()
};

// One with loops: by recursion over clusters of nodes.
class LoopAccelerationSystem final : public AccelerationSystem {
 public:
  LoopAccelerationSystem(JointMotion& motion, const JointClusters& clusters, double rank_tolerance)
      : motion_(motion),
        accelerations_(motion.tree(), clusters, motion.slopes().jacobian, regularization, motion.locked()),
        rank_tolerance_(rank_tolerance) {}

  void take(const MotionPoint& at) override {
    motion_.take_loops(at, accelerations_);
    is_fresh_ = false;
  }
  bool factor() override { return is_fresh_ = accelerations_.factor(); }
  bool is_exact() const override { return is_fresh_ && accelerations_.is_exact(); }
  bool rows_are_independent() const override { return is_exact(); }
  bool find_redundant(std::vector<char>& independent) override {
    return find_redundant_rows(motion_.slopes().jacobian, rank_tolerance_, independent);
  }
  void minimize(VectorOut multipliers) override { minimal_.reduce(motion_.slopes().jacobian, multipliers); }
  void subtract_product(const Vector& x, const Vector& y, Vector& upper, Vector& lower) const override {
    accelerations_.subtract_product(x, y, upper, lower);
  }

 protected:
  void solve_once(Vector& upper, Vector& lower, Rows /*rows*/) override {
    accelerations_.solve(upper, lower);
  }

 private:
  JointMotion& motion_;
  mutable LoopAccelerations accelerations_;  // work space, too
  bool is_fresh_ = false;                    // factors are of the point of the last take()
  double rank_tolerance_;
  MinimalMultipliers minimal_;
};

// Whether every joint feels some inertia without the help of loops, at the reference position and elsewhere.
bool has_masses(JointMotion& motion, AccelerationSystem& system) {
  const Layout& l = motion.layout();
  Vector x = motion.reference_state();
  const Vector rest = Vector::Zero(l.v.size);
  for (const double shift : {0.0, 0.3}) {
    for (Index i = 0; i < l.p.size; ++i)
      x[l.p.begin + i] += shift * std::sin(1.3 * static_cast<double>(i + 1));
    system.take({0, x, rest});
    if (!system.factor()) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<AccelerationSystem> JointMotion::acceleration_system(double rank_tolerance) {
  if (auto recursion = recursive_acceleration_system(rank_tolerance)) return recursion;
  return make_sparse_acceleration_system(*this, rank_tolerance);
}

std::unique_ptr<AccelerationSystem> JointMotion::recursive_acceleration_system(double rank_tolerance) {
  if (rotors_work_) return nullptr;
  if (is_open()) return std::make_unique<TreeAccelerationSystem>(*this);
  // Beyond this dense blocks are slower than sparse matrices: four-bars side by side from 15 on, two corners of a vehicle that are
  // tied by a rack, which have 15, not yet.
  constexpr Index most_columns = 16;
  if (layout().mu.size == 0 && clusters().largest() <= most_columns && recursion_serves_.value_or(true)) {
    auto system = std::make_unique<LoopAccelerationSystem>(*this, clusters(), rank_tolerance);
    if (!recursion_serves_) recursion_serves_ = has_masses(*this, *system);
    if (*recursion_serves_) return system;
  }
  return nullptr;
}

}  // namespace trammel
