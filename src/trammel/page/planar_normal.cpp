#include "trammel/page/planar_normal.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trammel {

namespace {

constexpr double planar_tolerance = 1e-6;
constexpr std::array<const char*, 3> axis_names{"x", "y", "z"};

// The recorded motion of a body; none for the ground, which stays.
struct BodyMotionRecord {
  std::array<const std::vector<double>*, 3> position{};
  std::array<const std::vector<double>*, 4> quaternion{};

  bool moves() const { return position[0] != nullptr; }
  Vec3<double> position_at(std::size_t i) const {
    return {(*position[0])[i], (*position[1])[i], (*position[2])[i]};
  }
  Quaternion<double> quaternion_at(std::size_t i) const {
    return {(*quaternion[0])[i], (*quaternion[1])[i], (*quaternion[2])[i], (*quaternion[3])[i]};
  }
};

std::vector<BodyMotionRecord> body_motions(const Mechanism& mechanism, const Recording& recording) {
  std::vector<BodyMotionRecord> motions(mechanism.bodies.size());
  const auto values = [&](const std::string& name) {
    const Channel* channel = recording.find(name);
    return channel == nullptr ? nullptr : &channel->values;
  };
  for (std::size_t b = 1; b < motions.size(); ++b) {
    const std::string& name = mechanism.bodies[b].name;
    for (std::size_t k = 0; k < 3; ++k) motions[b].position[k] = values(name + ".position." + axis_names[k]);
    for (std::size_t k = 0; k < 4; ++k)
      motions[b].quaternion[k] = values(name + ".quaternion." + std::array{"w", "x", "y", "z"}[k]);
  }
  return motions;
}

// Whether a body kept its place along an axis of the world, and turned about this axis only.
bool stays_across(const BodyMotionRecord& motion, std::size_t axis) {
  const std::vector<double>& along = *motion.position[axis];
  double size = 1;
  for (const std::vector<double>* values : motion.position)
    for (const double value : *values) size = std::max(size, std::abs(value));
  const Mat3<double> start = rotation_matrix(motion.quaternion_at(0));
  for (std::size_t i = 0; i < along.size(); ++i) {
    if (!(std::abs(along[i] - along[0]) <= planar_tolerance * size)) return false;
    const Mat3<double> turn = rotation_matrix(motion.quaternion_at(i)) * transposed(start);
    const int n = static_cast<int>(axis);
    if (!(std::abs(turn(n, n) - 1) <= planar_tolerance)) return false;
  }
  return true;
}

// The axis along which to look, if there is one; across gravity if that does as well as another.
std::optional<std::size_t> viewing_axis(const Mechanism& mechanism, const ViewSettings& view,
                                        const std::vector<BodyMotionRecord>& motions) {
  std::array<std::size_t, 3> axes{2, 1, 0};
  const Vec3<double>& g = mechanism.gravity;
  std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(g[static_cast<int>(a)]) < std::abs(g[static_cast<int>(b)]);
  });
  for (const std::size_t axis : axes)
    if (std::all_of(motions.begin() + 1, motions.end(),
                    [&](const BodyMotionRecord& motion) { return stays_across(motion, axis); }))
      return axis;
  if (view.planar) return 2;
  return {};
}

}  // namespace

std::optional<Vec3<double>> planar_normal(const Mechanism& mechanism, const ViewSettings& view,
                                          const Recording& recording) {
  if (recording.times().empty()) return {};
  const std::vector<BodyMotionRecord> motions = body_motions(mechanism, recording);
  const std::optional<std::size_t> axis = viewing_axis(mechanism, view, motions);
  if (!axis) return {};
  // from the side on which the other two axes are to the right and upwards; of y, to the right is −x
  Vec3<double> normal{0, 0, 0};
  normal[static_cast<int>(*axis)] = *axis == 1 ? -1 : 1;
  return normal;
}

}  // namespace trammel
