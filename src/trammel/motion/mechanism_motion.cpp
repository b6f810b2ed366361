#include "trammel/motion/mechanism_motion.h"

#include <fmt/format.h>

#include <stdexcept>

#include "trammel/motion/cartesian_equations.h"

namespace trammel {

std::unique_ptr<MechanismEquations> make_equations(const Mechanism& mechanism,
                                                   const std::string& coordinates) {
  using Velocities = CartesianEquations::Velocities;
  if (coordinates == "cartesian") return std::make_unique<CartesianEquations>(mechanism, Velocities::angular);
  if (coordinates == "cartesian-parameters")
    return std::make_unique<CartesianEquations>(mechanism, Velocities::parameter_rates);
  throw std::invalid_argument(
      fmt::format("there are no coordinates '{}'; there are: cartesian, cartesian-parameters", coordinates));
}

}  // namespace trammel
