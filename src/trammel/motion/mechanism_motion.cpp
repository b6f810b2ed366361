#include "trammel/motion/mechanism_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "trammel/motion/cartesian_equations.h"
#include "trammel/motion/joint_equations.h"

namespace trammel {

std::vector<Condition> MechanismEquations::initial_conditions(const InitialResidual& residual) const {
  std::vector<Condition> result;
  const std::vector<JointCoordinate>& coordinates = elements().coordinates;
  for (const InitialCondition& initial : elements().initial) {
    const bool is_angle =
        std::any_of(coordinates.begin(), coordinates.end(), [&](const JointCoordinate& coordinate) {
          return coordinate.row == initial.row && coordinate.is_angle;
        });
    const auto evaluate = [residual, initial, is_angle](double t, const VectorIn& x,
                                                        Eigen::Ref<Eigen::RowVectorXd> gradient) {
      const double difference = residual(initial, t, x, gradient);
      // any turn will do
      return is_angle && !initial.on_rate ? std::remainder(difference, 2 * std::acos(-1.0)) : difference;
    };
    result.push_back(Condition::with_gradient(
        initial.name, initial.on_rate ? Condition::Level::velocity : Condition::Level::position, evaluate));
  }
  return result;
}

void check_coordinates(const std::string& coordinates) {
  for (const char* known : {"cartesian", "joint", "auto", "cartesian-parameters"})
    if (coordinates == known) return;
  throw std::invalid_argument(fmt::format(
      "there are no coordinates '{}'; there are: cartesian, joint, auto, cartesian-parameters", coordinates));
}

std::unique_ptr<MechanismEquations> make_equations(const Mechanism& mechanism,
                                                   const std::string& coordinates) {
  using Velocities = CartesianEquations::Velocities;
  check_coordinates(coordinates);
  if (coordinates == "joint") return std::make_unique<JointEquations>(mechanism);
  return std::make_unique<CartesianEquations>(
      mechanism, coordinates == "cartesian-parameters" ? Velocities::parameter_rates : Velocities::angular);
}

}  // namespace trammel
