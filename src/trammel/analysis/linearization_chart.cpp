#include "trammel/analysis/linearization_chart.h"

#include <algorithm>

#include "trammel/motion/euler_parameters.h"

namespace trammel {

namespace {

using Triplets = std::vector<Eigen::Triplet<double, int>>;

void put(Triplets& triplets, Index row, Index col, double value) {
  triplets.emplace_back(static_cast<int>(row), static_cast<int>(col), value);
}

SparseMatrix made(Index rows, Index cols, const Triplets& triplets) {
  SparseMatrix matrix(rows, cols);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

SparseMatrix identity(Index size) {
  SparseMatrix matrix(size, size);
  matrix.setIdentity();
  return matrix;
}

// Copies a row to another place. Rows of column-major matrices are found by the transpose.
void append_row(const SparseMatrix& transposed, Index from, Index to, Triplets& triplets) {
  for (SparseMatrix::InnerIterator entry(transposed, static_cast<int>(from)); entry; ++entry)
    put(triplets, to, entry.row(), entry.value());
}

SparseMatrix chosen_rows(const SparseMatrix& matrix, const std::vector<Index>& chosen) {
  const SparseMatrix transposed = matrix.transpose();
  Triplets triplets;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    append_row(transposed, chosen[i], static_cast<Index>(i), triplets);
  return made(static_cast<Index>(chosen.size()), matrix.cols(), triplets);
}

std::vector<std::string> chosen_names(const std::vector<std::string>& names,
                                      const std::vector<Index>& chosen) {
  std::vector<std::string> result;
  for (const Index i : chosen) result.push_back(names[static_cast<std::size_t>(i)]);
  return result;
}

}  // namespace

// A joint coordinate is a function of the positions, and its rate goes with it. Translations are r itself. A
// rotation R δθ in world axes has the rate R δω, with δω in body axes, and that the rate R ω × δω + R δα.
ChartCandidates mechanism_candidates(const MechanismEquations& equations, const MechanismMotion& motion,
                                     const MeasuredSlopes& measured) {
  const Index velocities = equations.layout().v.size;
  const std::vector<JointCoordinate>& coordinates = equations.elements().coordinates;
  const auto joints = static_cast<Index>(coordinates.size());
  const Index count = joints + velocities;
  ChartCandidates result;
  std::vector<std::string>& names = result.positions.names;
  Triplets pose, rate_pose, acceleration_pose, acceleration_twist;
  const SparseMatrix jacobian_t = measured.jacobian.transpose(), rate_t = measured.rate_pose.transpose(),
                     acceleration_pose_t = measured.acceleration_pose.transpose(),
                     acceleration_twist_t = measured.acceleration_twist.transpose();
  for (Index i = 0; i < joints; ++i) {
    const JointCoordinate& coordinate = coordinates[static_cast<std::size_t>(i)];
    names.push_back(coordinate.name);
    append_row(jacobian_t, coordinate.row, i, pose);
    append_row(rate_t, coordinate.row, i, rate_pose);
    append_row(acceleration_pose_t, coordinate.row, i, acceleration_pose);
    append_row(acceleration_twist_t, coordinate.row, i, acceleration_twist);
  }
  for (Index body = 0; 6 * body < velocities; ++body) {
    const std::string& name = equations.mechanism().bodies[static_cast<std::size_t>(body) + 1].name;
    for (const char* suffix : {".x", ".y", ".z", ".rx", ".ry", ".rz"}) names.push_back(name + suffix);
    const BodyState& state = motion.bodies()[static_cast<std::size_t>(body) + 1];
    const Eigen::Matrix3d R = eigen(state.R), turning = R * cross_matrix(eigen(state.omega));
    const Index row = joints + 6 * body, col = 6 * body;
    for (Index i = 0; i < 3; ++i) {
      put(pose, row + i, col + i, 1);
      for (Index k = 0; k < 3; ++k) {
        put(pose, row + 3 + i, col + 3 + k, R(i, k));
        put(acceleration_twist, row + 3 + i, col + 3 + k, turning(i, k));
      }
    }
  }
  result.positions.pose = made(count, velocities, pose);
  result.positions.rate_pose = made(count, velocities, rate_pose);
  result.positions.rate_twist = result.positions.pose;
  for (const std::string& name : names) result.velocities.names.push_back(name + "_rate");
  result.velocities.pose = result.positions.rate_pose;
  result.velocities.twist = result.positions.pose;
  result.velocities.rate_pose = made(count, velocities, acceleration_pose);
  result.velocities.rate_twist = made(count, velocities, acceleration_twist);
  result.velocities.rate_acceleration = result.positions.pose;
  result.position_preference = Vector::Constant(count, 0.1);
  // of joints that tell the same, the first
  for (Index i = 0; i < joints; ++i)
    result.position_preference[i] = 1 - 0.01 * static_cast<double>(i) / static_cast<double>(joints);
  result.velocity_preference = result.position_preference;
  return result;
}

ChartCandidates plain_candidates(const EquationsOfMotion& equations, const PositionSlopes& slopes) {
  const Layout& layout = equations.layout();
  const Index velocities = layout.v.size;
  const SparseMatrix none(velocities, velocities);
  ChartCandidates result;
  result.positions = {equations.names().p, slopes.pose, slopes.rate_pose, slopes.pose};
  result.velocities = {equations.names().v, none, identity(velocities), none, none, identity(velocities)};
  result.position_preference = Vector::Ones(layout.p.size);
  result.velocity_preference = Vector::Ones(velocities);
  return result;
}

std::vector<Index> independent_rows(const SparseMatrix& rows, const Vector& preference, const Matrix& basis) {
  std::vector<Index> chosen;
  if (basis.cols() == 0 || rows.rows() == 0) return chosen;
  // columns of length one times the preference; rows that vanish on the basis have none
  Matrix seen = (rows * basis).transpose();
  const double size = basis.norm();
  const Vector squares = rows.cwiseProduct(rows) * Vector::Ones(rows.cols());
  for (Index i = 0; i < seen.cols(); ++i) {
    const double length = seen.col(i).norm();
    if (length > 1e-9 * size * std::sqrt(squares[i]))
      seen.col(i) *= preference[i] / length;
    else
      seen.col(i).setZero();
  }
  const Eigen::ColPivHouseholderQR<Matrix> qr(seen);
  const Index count = std::min(qr.rank(), basis.cols());
  for (Index i = 0; i < count; ++i) chosen.push_back(qr.colsPermutation().indices()[i]);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

PositionRows select(const PositionRows& rows, const std::vector<Index>& chosen) {
  return {chosen_names(rows.names, chosen), chosen_rows(rows.pose, chosen),
          chosen_rows(rows.rate_pose, chosen), chosen_rows(rows.rate_twist, chosen)};
}

VelocityRows select(const VelocityRows& rows, const std::vector<Index>& chosen) {
  return {chosen_names(rows.names, chosen),     chosen_rows(rows.pose, chosen),
          chosen_rows(rows.twist, chosen),      chosen_rows(rows.rate_pose, chosen),
          chosen_rows(rows.rate_twist, chosen), chosen_rows(rows.rate_acceleration, chosen)};
}

}  // namespace trammel
