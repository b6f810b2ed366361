#include "trammel/published/mechanism_case.h"

#include <Eigen/Geometry>
#include <stdexcept>

#include "trammel/motion/mechanism_motion.h"

namespace trammel {

ProblemCase mechanism_case(const Mechanism& mechanism) {
  ProblemCase result;
  try {
    auto equations = make_equations(mechanism);
    result.x0 = equations->initial_state();
    result.assembly.conditions = equations->conditions();
    result.assembly.weights = equations->weights();
    // the equations stay where they are when the case is moved
    const std::shared_ptr<MechanismMotion> motion = equations->mechanism_motion();
    result.energy = [motion](double t, const Vector& x) {
      motion->set_state(t, x, Vector());
      return motion->kinetic_energy() + motion->potential_energy();
    };
    result.mechanism = equations.get();
    result.equations = std::move(equations);
  } catch (const ModelError& error) {
    throw std::invalid_argument(error.what());
  }
  return result;
}

Eigen::Vector3d point_of_body(const Vector& x, int body, const Eigen::Vector3d& point) {
  const auto pose = x.segment<7>(7 * (body - 1));
  const Eigen::Quaterniond turn(pose[3], pose[4], pose[5], pose[6]);
  return pose.head<3>() + turn.normalized() * point;
}

Mat3<double> principal_inertia(double x, double y, double z) {
  Mat3<double> result;
  result.column = {Vec3<double>{x, 0, 0}, {0, y, 0}, {0, 0, z}};
  return result;
}

}  // namespace trammel
