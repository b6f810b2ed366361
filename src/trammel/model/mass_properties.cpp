#include "trammel/model/mass_properties.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numbers>

namespace trammel {
namespace {

constexpr double pi = std::numbers::pi;

Mat3<double> diagonal(double x, double y, double z) { return {{x, 0, 0}, {0, y, 0}, {0, 0, z}}; }

// A cylinder along z, its centre at the origin.
MassProperties cylinder(double r, double l, double density) {
  const double m = density * pi * r * r * l;
  const double across = m * (3 * r * r + l * l) / 12;
  return {m, {}, diagonal(across, across, m * r * r / 2)};
}

// A half ball whose flat side lies at height z, rounded upwards or downwards.
MassProperties half_ball(double r, double z, double upwards, double density) {
  const double m = density * 2 * pi * r * r * r / 3;
  const double across = 83.0 / 320 * m * r * r;
  return {m, {0, 0, z + upwards * 3 * r / 8}, diagonal(across, across, 0.4 * m * r * r)};
}

Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(const Mat3<double>& inertia) {
  Eigen::Matrix3d matrix;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) matrix(i, j) = inertia(i, j);
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix);
}

// A cone with its base at −l/2 and its tip at l/2.
MassProperties cone(double r, double l, double density) {
  const double m = density * pi * r * r * l / 3;
  const double across = m * (3 * r * r / 20 + 3 * l * l / 80);
  return {m, {0, 0, -l / 4}, diagonal(across, across, 0.3 * m * r * r)};
}

}  // namespace

Mat3<double> inertia_of_point(double mass, const Vec3<double>& d) {
  Mat3<double> result;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) result(i, j) = mass * ((i == j ? dot(d, d) : 0.0) - d[i] * d[j]);
  return result;
}

Mat3<double> in_axes(const Mat3<double>& axes, const Mat3<double>& inertia) {
  const Mat3<double> turned = axes * (inertia * transposed(axes));
  // symmetric to the last bit
  Mat3<double> result = turned;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j) result(i, j) = result(j, i) = (turned(i, j) + turned(j, i)) / 2;
  return result;
}

double lowest_moment(const Mat3<double>& inertia) { return principal(inertia).eigenvalues()[0]; }

double excess_of_inertia(const Mat3<double>& inertia) {
  const Eigen::Vector3d moments = principal(inertia).eigenvalues();
  return std::max(-moments[0], moments[2] - moments[1] - moments[0]);
}

Mat3<double> nearest_real_inertia(const Mat3<double>& inertia) {
  const auto axes = principal(inertia);
  Eigen::Vector3d moments = axes.eigenvalues().cwiseMax(0.0);
  const double excess = std::max(0.0, moments[2] - moments[1] - moments[0]) / 3;
  moments += Eigen::Vector3d(excess, excess, -excess);
  const Eigen::Matrix3d nearest =
      axes.eigenvectors() * moments.asDiagonal() * axes.eigenvectors().transpose();
  Mat3<double> result;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) result(i, j) = result(j, i) = nearest(i, j);
  return result;
}

std::optional<MassProperties> solid(const Shape& shape, double density, CapsuleEnds ends) {
  const Vec3<double>& size = shape.size;
  MassProperties own;
  switch (shape.kind) {
    case Shape::Kind::box: {
      const double m = density * size.x * size.y * size.z;
      const Vec3<double> square{size.x * size.x, size.y * size.y, size.z * size.z};
      own = {m,
             {},
             diagonal(m * (square.y + square.z) / 12, m * (square.x + square.z) / 12,
                      m * (square.x + square.y) / 12)};
      break;
    }
    case Shape::Kind::sphere: {
      const double m = density * 4 * pi * size.x * size.x * size.x / 3, moment = 0.4 * m * size.x * size.x;
      own = {m, {}, diagonal(moment, moment, moment)};
      break;
    }
    case Shape::Kind::cylinder:
      own = cylinder(size.x, size.z, density);
      break;
    case Shape::Kind::capsule:
      own = cylinder(size.x, size.z, density);
      if (ends == CapsuleEnds::round)
        own = together(
            {own, half_ball(size.x, size.z / 2, 1, density), half_ball(size.x, -size.z / 2, -1, density)});
      break;
    case Shape::Kind::cone:
      own = cone(size.x, size.z, density);
      break;
    case Shape::Kind::mesh:
      return std::nullopt;
  }
  return seen_from_outside(shape.frame, own);
}

MassProperties together(const std::vector<MassProperties>& parts) {
  MassProperties sum;
  for (const MassProperties& part : parts) {
    sum.mass += part.mass;
    sum.com += part.com * part.mass;
  }
  if (sum.mass > 0) sum.com = sum.com * (1 / sum.mass);
  for (const MassProperties& part : parts)
    sum.inertia = sum.inertia + part.inertia + inertia_of_point(part.mass, part.com - sum.com);
  return sum;
}

MassProperties seen_from_outside(const Frame& frame, const MassProperties& properties) {
  return {properties.mass, frame.origin + frame.axes * properties.com,
          in_axes(frame.axes, properties.inertia)};
}

}  // namespace trammel
