#include "trammel/numerics/space.h"

namespace trammel {

Quaternion<double> quaternion(const Mat3<double>& R) {
  // Shepperd's choice: divide by the largest of the four components
  const double trace = R(0, 0) + R(1, 1) + R(2, 2);
  Quaternion<double> e;
  if (trace >= R(0, 0) && trace >= R(1, 1) && trace >= R(2, 2)) {
    e = {1 + trace, R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  } else if (R(0, 0) >= R(1, 1) && R(0, 0) >= R(2, 2)) {
    e = {R(2, 1) - R(1, 2), 1 + 2 * R(0, 0) - trace, R(0, 1) + R(1, 0), R(0, 2) + R(2, 0)};
  } else if (R(1, 1) >= R(2, 2)) {
    e = {R(0, 2) - R(2, 0), R(0, 1) + R(1, 0), 1 + 2 * R(1, 1) - trace, R(1, 2) + R(2, 1)};
  } else {
    e = {R(1, 0) - R(0, 1), R(0, 2) + R(2, 0), R(1, 2) + R(2, 1), 1 + 2 * R(2, 2) - trace};
  }
  const double norm = std::sqrt(e.w * e.w + e.x * e.x + e.y * e.y + e.z * e.z);
  const double scale = (e.w < 0 ? -1 : 1) / norm;
  return {e.w * scale, e.x * scale, e.y * scale, e.z * scale};
}

Mat3<double> rotation_about(const Vec3<double>& axis, double angle) {
  const Vec3<double> half = axis * (std::sin(angle / 2) / length(axis));
  return rotation_matrix(Quaternion<double>{std::cos(angle / 2), half.x, half.y, half.z});
}

std::array<Vec3<double>, 2> perpendiculars(const Vec3<double>& axis) {
  // the world axis least aligned with it; among equals the first, so that planar models get tidy frames
  int least = 0;
  for (int i = 1; i < 3; ++i)
    if (std::abs(axis[i]) < std::abs(axis[least])) least = i;
  Vec3<double> unit;
  unit[least] = 1;
  const Vec3<double> along = unit - axis * dot(axis, unit);
  const Vec3<double> first = along * (1 / length(along));
  return {first, cross(axis, first)};
}

bool is_finite(const Vec3<double>& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

}  // namespace trammel
