#include "trammel/simulation/force_accuracy.h"

#include <cmath>

namespace trammel {

namespace {

bool is_force(const std::string& name) {
  return name.find("force") != std::string::npos || name.find("torque") != std::string::npos;
}

// The twelve ways in which a body can be off: moved, turned, faster, turning faster.
void disturb(BodyState& body, int way, const Tolerances& tolerances) {
  const auto error = [&](double value) {
    return tolerances.absolute_of(0) + tolerances.relative_of(0) * std::abs(value);
  };
  const int axis = way % 3;
  switch (way / 3) {
    case 0:
      body.r[axis] += error(body.r[axis]);
      return;
    case 1: {
      // about its own axis; Euler parameters are of size one, an angle is twice their change
      Vec3<double> turn{};
      turn[axis] = 2 * error(1);
      for (int column = 0; column < 3; ++column) {
        Vec3<double> unit{};
        unit[column] = 1;
        const Vec3<double> turned = body.R * (unit + cross(turn, unit));
        for (int row = 0; row < 3; ++row) body.R(row, column) = turned[row];
      }
      return;
    }
    case 2:
      body.v[axis] += error(body.v[axis]);
      return;
    default:
      body.omega[axis] += error(body.omega[axis]);
  }
}

}  // namespace

std::vector<ForceAccuracy> force_accuracies(CartesianEquations& equations, double t, const Vector& x,
                                            const Tolerances& tolerances) {
  equations.set_state(t, x, Vector());
  std::vector<BodyState> bodies(equations.bodies().begin(), equations.bodies().end());
  std::vector<ForceAccuracy> result;
  for (const std::unique_ptr<ForceBlock>& block : equations.elements().forces)
    for (std::size_t i = 0; i < block->elements().size(); ++i) {
      const auto element = static_cast<Index>(i);
      const std::vector<std::string> names = block->output_names(element);
      std::vector<double> values(names.size()), other(names.size()), squares(names.size(), 0.0);
      const auto show = [&](std::vector<double>& out) {
        block->outputs(bodies, t, equations.input_values(), element, out);
      };
      show(values);
      for (const int body : {block->elements()[i].body_a, block->elements()[i].body_b}) {
        if (body == 0) continue;
        BodyState& state = bodies[static_cast<std::size_t>(body)];
        const BodyState kept = state;
        for (int way = 0; way < 12; ++way) {
          disturb(state, way, tolerances);
          show(other);
          state = kept;
          for (std::size_t k = 0; k < names.size(); ++k)
            squares[k] += (other[k] - values[k]) * (other[k] - values[k]);
        }
      }
      for (std::size_t k = 0; k < names.size(); ++k)
        if (is_force(names[k]))
          result.push_back({block->elements()[i].name + "." + names[k], std::sqrt(squares[k])});
    }
  return result;
}

}  // namespace trammel
