#include "trammel/page/planar_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace trammel {

namespace {

constexpr std::size_t most_bodies = 100;
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
std::optional<std::size_t> viewing_axis(const Model& model, const std::vector<BodyMotionRecord>& motions) {
  std::array<std::size_t, 3> axes{2, 1, 0};
  const Vec3<double>& g = model.mechanism.gravity;
  std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(g[static_cast<int>(a)]) < std::abs(g[static_cast<int>(b)]);
  });
  for (const std::size_t axis : axes)
    if (std::all_of(motions.begin() + 1, motions.end(),
                    [&](const BodyMotionRecord& motion) { return stays_across(motion, axis); }))
      return axis;
  if (model.view.planar) return 2;
  return {};
}

// Puts points of bodies into the drawing.
class PlanarDrafter {
 public:
  PlanarDrafter(const Model& model, const Recording& recording, std::vector<BodyMotionRecord> motions,
                std::size_t axis)
      : mechanism_(model.mechanism), samples_(recording.times().size()), motions_(std::move(motions)) {
    constexpr std::array<std::array<std::size_t, 2>, 3> seen{{{1, 2}, {0, 2}, {0, 1}}};
    horizontal_ = seen[axis][0];
    vertical_ = seen[axis][1];
    const std::size_t up =
        model.view.up.empty() ? vertical_ : static_cast<std::size_t>(model.view.up[0] - 'x');
    if (up == horizontal_) std::swap(horizontal_, vertical_);
    normal_ = static_cast<int>(axis);
    points_of_body_.resize(mechanism_.bodies.size());
  }

  PlanarView draw(const std::vector<std::string>& traces) {
    for (const Joint& joint : mechanism_.joints) {
      const Line line = line_between(joint);
      if (joint.type == JointType::distance) view_.drawing.lines.push_back(line);
    }
    for (const Force& force : mechanism_.forces)
      if (force.kind == Force::Kind::spring_damper) view_.drawing.lines.push_back(line_between(force));
    for (const std::string& name : traces) {
      if (const Marker* marker = mechanism_.marker(name))
        view_.drawing.traces.push_back(add_point(marker->body, marker->frame.origin));
      else if (const int body = mechanism_.body(name); body > 0)
        view_.drawing.traces.push_back(add_point(body, {}));
    }
    for (std::size_t b = 1; b < mechanism_.bodies.size(); ++b) draw_body(static_cast<int>(b));
    return std::move(view_);
  }

 private:
  struct KnownPoint {
    Vec3<double> local;
    std::size_t index;
  };

  using Line = PlanarDrawing::Line;

  // From a joint's or force's point on its first body to that on the second.
  template <class Element>
  Line line_between(const Element& element) {
    const std::size_t from = add_point(element.body_a, element.frame_a.origin);
    return {from, add_point(element.body_b, element.frame_b.origin)};
  }

  // The point of a body, given in its frame; once, however many joints meet there.
  std::size_t add_point(int body, const Vec3<double>& local) {
    std::vector<KnownPoint>& known = points_of_body_[static_cast<std::size_t>(body)];
    for (const KnownPoint& point : known)
      if (length(point.local - local) <= 1e-9 * (1 + length(local))) return point.index;
    const std::size_t index = view_.drawing.points.size();
    known.push_back({local, index});

    const BodyMotionRecord& motion = motions_[static_cast<std::size_t>(body)];
    const int h = static_cast<int>(horizontal_), v = static_cast<int>(vertical_);
    if (!motion.moves()) {
      view_.drawing.points.push_back({"", "", local[h], local[v]});
      return index;
    }
    const std::string name =
        fmt::format("point {} of {}", index, mechanism_.bodies[static_cast<std::size_t>(body)].name);
    std::vector<double> x(samples_), y(samples_);
    for (std::size_t i = 0; i < samples_; ++i) {
      const Vec3<double> at = motion.position_at(i) + rotation_matrix(motion.quaternion_at(i)) * local;
      x[i] = at[h];
      y[i] = at[v];
    }
    view_.columns.emplace_back(name + " (horizontal)", std::move(x));
    view_.columns.emplace_back(name + " (vertical)", std::move(y));
    view_.drawing.points.push_back({name + " (horizontal)", name + " (vertical)"});
    return index;
  }

  // A body is what is between its joints; one with a single joint reaches to its centre of mass.
  void draw_body(int body) {
    const Body& description = mechanism_.bodies[static_cast<std::size_t>(body)];
    std::vector<KnownPoint> points = points_of_body_[static_cast<std::size_t>(body)];
    const bool drawn_by_shapes = draw_shapes(body, description);
    if (points.size() < 2 && !drawn_by_shapes)
      points.push_back({description.com, add_point(body, description.com)});
    for (std::size_t i = 1; i < points.size(); ++i)
      view_.drawing.lines.push_back({points[i - 1].index, points[i].index});
    if (points.size() > 2) view_.drawing.lines.push_back({points.back().index, points.front().index});
  }

  // Balls and wheels as circles, rods as lines. Whether there were any.
  bool draw_shapes(int body, const Body& description) {
    const std::size_t before = view_.drawing.circles.size() + view_.drawing.lines.size();
    for (const Shape& shape : description.shapes) {
      const Vec3<double> along = description.reference.axes * shape.frame.axes.column[2];
      const bool is_round = shape.kind == Shape::Kind::cylinder || shape.kind == Shape::Kind::capsule ||
                            shape.kind == Shape::Kind::cone;
      const double across = std::abs(along[normal_]);
      if (shape.kind == Shape::Kind::sphere || (is_round && across > 1 - 1e-6)) {
        view_.drawing.circles.push_back({add_point(body, shape.frame.origin), shape.size.x});
      } else if (is_round && across < 1e-6) {
        const Vec3<double> half = shape.frame.axes.column[2] * (0.5 * shape.size.z);
        const std::size_t from = add_point(body, shape.frame.origin - half);
        view_.drawing.lines.push_back({from, add_point(body, shape.frame.origin + half)});
      }
    }
    for (const Joint& joint : mechanism_.joints)
      if (joint.body_b == body && joint.radius > 0)
        view_.drawing.circles.push_back({add_point(body, joint.frame_b.origin), joint.radius});
    return view_.drawing.circles.size() + view_.drawing.lines.size() > before;
  }

  const Mechanism& mechanism_;
  std::size_t samples_;
  std::vector<BodyMotionRecord> motions_;
  std::size_t horizontal_ = 0, vertical_ = 1;
  int normal_ = 2;
  std::vector<std::vector<KnownPoint>> points_of_body_;
  PlanarView view_;
};

}  // namespace

std::optional<Vec3<double>> planar_normal(const Model& model, const Recording& recording) {
  if (recording.times().empty()) return {};
  const std::vector<BodyMotionRecord> motions = body_motions(model.mechanism, recording);
  const std::optional<std::size_t> axis = viewing_axis(model, motions);
  if (!axis) return {};
  // from the side on which the other two axes are to the right and upwards; of y, to the right is −x
  Vec3<double> normal{0, 0, 0};
  normal[static_cast<int>(*axis)] = *axis == 1 ? -1 : 1;
  return normal;
}

std::optional<PlanarView> planar_view(const Model& model, const Recording& recording) {
  if (recording.times().empty() || model.mechanism.bodies.size() > most_bodies) return {};
  std::vector<BodyMotionRecord> motions = body_motions(model.mechanism, recording);
  const std::optional<std::size_t> axis = viewing_axis(model, motions);
  if (!axis) return {};
  return PlanarDrafter(model, recording, std::move(motions), *axis).draw(model.view.traces);
}

}  // namespace trammel
