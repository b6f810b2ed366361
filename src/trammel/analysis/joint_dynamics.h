// The equations of motion of a mechanism in joint coordinates, term by term, as robots are controlled by them:
//
//   M(q) u' + c(q, u) = Q(q, u, t) + τ − Dᵀλ,   D u' = −γ
//
// q and u are coordinates and velocities of the joints of a tree (motion/joint_tree.h), c what Coriolis, centrifugal and
// gravity forces ask for, Q the mechanism's own forces (springs, dampers, friction, contacts), τ forces along the
// velocities, and D and γ belong to the joints that close loops. Actuators and drivers of the mechanism are left out:
// what they have to do is τ.
//
//   JointDynamics arm(read_model("arm.yaml").mechanism);
//   arm.set_state(0, arm.equations().initial_state());
//   Vector forces(arm.velocities());
//   arm.inverse_dynamics(Vector::Zero(arm.velocities()), forces);  // to hold it as it moves
//
// Nothing is allocated after the first call of each function.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/motion/joint_equations.h"
#include "trammel/motion/six_vectors.h"
#include "trammel/numerics/full_pivot_lu.h"

namespace trammel {

class AccelerationSystem;

// The mechanism without actuators and drivers: what is to be moved.
Mechanism without_motors(const Mechanism& mechanism);

class JointDynamics {
 public:
  // Throws ModelError if the mechanism is not sound.
  explicit JointDynamics(const Mechanism& mechanism);
  ~JointDynamics();

  // Without actuators and drivers; their names() are those of q, u and of the rows of D.
  JointEquations& equations() { return *equations_; }
  Index velocities() const { return equations_->layout().v.size; }
  // Rows of D.
  Index loop_rows() const { return equations_->layout().lambda.size + equations_->layout().mu.size; }

  // Everything below belongs to this time and state, laid out as equations().layout() says. Multipliers do not
  // matter: friction by a `coefficient` of a reaction is left out of Q.
  void set_state(double t, const VectorIn& x);
  const Vector& state() const { return x_; }
  double time() const { return t_; }

  // M; entries for pairs of velocities on one path from the ground only.
  const SparseMatrix& mass();
  // c, and of it what gravity asks for.
  const Vector& bias();
  const Vector& gravity();
  // Q.
  const Vector& own_forces();
  // D and γ.
  const SparseMatrix& loop_jacobian();
  const Vector& loop_drift();

  // τ for accelerations u', loops open (λ = 0): with loops, one of many that give these accelerations, if they fit
  // the loops. In proportion to the number of bodies.
  void inverse_dynamics(const VectorIn& accelerations, VectorOut forces);
  // How that depends on q and u, exactly: velocities × velocities, the first by displacements along the velocities (of a
  // ball, turns about the axes of its outer body).
  void inverse_dynamics_slopes(const VectorIn& accelerations, Eigen::Ref<Matrix> by_position,
                               Eigen::Ref<Matrix> by_velocity);
  // u' for τ, loops closed, and λ. False where the masses do not determine it.
  bool forward_dynamics(const VectorIn& forces, VectorOut accelerations, VectorOut loop_forces);

  // A point fixed to a body, in the body's frame.
  struct BodyPoint {
    int body = 0;
    Vec3<double> at;
  };
  // A marker, or the origin of a body's frame. Throws std::invalid_argument, with the names there are.
  BodyPoint point(const std::string& name) const;
  // 6 × velocities: of the point's velocity and its body's angular velocity in world axes, by u.
  void jacobian(const BodyPoint& point, Eigen::Ref<Matrix> out);
  // J' u: the accelerations of the point and its body for u' = 0.
  Six jacobian_drift(const BodyPoint& point);
  // J M⁻¹ Jᵀ, loops closed: the accelerations that forces and moments at the point add. False as in
  // forward_dynamics.
  bool operational_mobility(const BodyPoint& point, SixBySix& mobility);

  // The motions that the loops allow: u = R z, with z those of the velocities that are free. M_z = Rᵀ M R, and
  // c_z = Rᵀ (c + M u'₀) with u'₀ what the loops ask for at z' = 0; forces along z are Rᵀ τ. Dense.
  struct LoopMotion {
    std::vector<Index> free;  // velocities
    Matrix R, mass;
    Vector bias;
  };
  const LoopMotion& loop_motion();

 private:
  enum Known : unsigned {
    mass_known = 1,
    bias_known = 2,
    gravity_known = 4,
    own_known = 8,
    loops_known = 16,
    solver_known = 32
  };
  bool learn(unsigned what);
  Vec3<double> in_world(const BodyPoint& point);
  void place();

  std::unique_ptr<JointEquations> equations_;
  std::unique_ptr<JointMotion> motion_;
  std::unique_ptr<AccelerationSystem> solver_;
  MotionValues values_;
  unsigned known_ = 0;
  bool placed_ = false, solvable_ = false;
  double t_ = 0;
  Vector x_, at_rest_, no_acceleration_;
  Vector bias_, gravity_, own_, drift_;
  Vector upper_, lower_;
  Matrix jacobian_, loops_;
  FullPivotLu loop_lu_;
  LoopMotion loop_motion_;
};

}  // namespace trammel
