#include "trammel/analysis/motor_forces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "trammel/numerics/nearest_name.h"

namespace trammel {

namespace {
constexpr double rank_tolerance = 1e-9;
}

MotorForces::MotorForces(JointEquations& equations, const std::vector<std::string>& coordinates)
    : equations_(equations), motion_(equations) {
  std::vector<std::string> names;
  for (const JointCoordinate& coordinate : equations.elements().coordinates) names.push_back(coordinate.name);
  for (const std::string& wanted : coordinates) {
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found == names.end())
      throw std::invalid_argument(fmt::format("there is no joint coordinate '{}'{}; there are {}", wanted,
                                              hint(wanted, names), fmt::join(names, ", ")));
    rows_.push_back(equations.elements().coordinates[static_cast<std::size_t>(found - names.begin())].row);
  }
}

// A force along a coordinate does work as the coordinate changes.
void MotorForces::take_directions() {
  const SparseMatrix by_velocities = motion_.measured_slopes().jacobian;
  directions_.setZero(equations_.layout().v.size, static_cast<Index>(rows_.size()));
  for_entries(by_velocities, [&](Index row, Index column, double value) {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (rows_[i] == row) directions_(column, static_cast<Index>(i)) += value;
  });
}

Failure MotorForces::solve(double t, Vector& x, const VectorIn& accelerations, Vector& forces) {
  const Layout& l = equations_.layout();
  const Index loops = l.lambda.size + l.mu.size;
  motion_.set_state(t, x, accelerations);
  take_directions();
  Vector required(l.v.size);
  Matrix free = Matrix::Identity(l.v.size, l.v.size);
  constexpr int most_iterations = 30;  // friction by reactions is not linear in them
  for (int iteration = 0;; ++iteration) {
    motion_.required_forces({t, x, accelerations}, JointMotion::Acting::everything, required);
    Matrix by_loops(l.v.size, loops);
    if (loops > 0) {
      motion_.differentiate({t, x, accelerations}, TangentMotion::jacobian | TangentMotion::forces);
      by_loops = Matrix(motion_.slopes().jacobian).transpose() - Matrix(motion_.slopes().force_multiplier);
      Eigen::FullPivLU<Matrix> lu(by_loops.transpose());
      lu.setThreshold(rank_tolerance);
      free = lu.kernel();
      if (lu.rank() == l.v.size) free.resize(l.v.size, 0);
    }
    if (loops == 0 && (directions_.transpose() * directions_).isIdentity(1e-14)) {
      forces = directions_.transpose() * required;  // each motor along a velocity of its own
      ambiguous_ = false;
    } else {
      Eigen::CompleteOrthogonalDecomposition<Matrix> motors(free.transpose() * directions_);
      motors.setThreshold(rank_tolerance);
      forces = motors.solve(free.transpose() * required);
      ambiguous_ = motors.rank() < static_cast<Index>(rows_.size());
    }
    const Vector left = required - directions_ * forces;
    double change = 0;
    if (loops > 0) {
      Eigen::CompleteOrthogonalDecomposition<Matrix> carried(by_loops);
      carried.setThreshold(rank_tolerance);
      const Vector step = carried.solve(-left);
      x.segment(l.lambda.begin, loops) += step;
      change = step.lpNorm<Eigen::Infinity>();
    }
    const double size = std::max(1e-300, x.segment(l.lambda.begin, loops).lpNorm<Eigen::Infinity>());
    if (loops == 0 || change <= 1e-11 * size || iteration == most_iterations) {
      if (loops > 0 && iteration == most_iterations && change > 1e-6 * size)
        return {Reason::newton_failed,
                fmt::format(
                    "at t = {:.10g}: what the joints carry is not found: friction by a coefficient of their "
                    "reactions does not let the iteration converge",
                    t)};
      break;
    }
  }
  motion_.required_forces({t, x, accelerations}, JointMotion::Acting::everything, required);
  const Vector left = required - directions_ * forces;
  Index along = 0;
  missing_ = l.v.size > 0 ? left.cwiseAbs().maxCoeff(&along) : 0;
  largest_ = std::max(l.v.size > 0 ? required.lpNorm<Eigen::Infinity>() : 0.0,
                      forces.size() > 0 ? forces.lpNorm<Eigen::Infinity>() : 0.0);
  missing_along_ = l.v.size > 0 ? equations_.names().v[at_index(along)] : "";
  return {};
}

}  // namespace trammel
