// Joints of random mechanisms: the tree, and what closes its loops.
//
// A joint is put where it fits: a frame of the world becomes its frame on the first body, and that frame
// moved as the joint allows its frame on the second.
#include <fmt/format.h>

#include <numbers>

#include "tests/random/mechanism_sketch.h"

namespace trammel {
namespace {

const Vec3<double> x_axis{1, 0, 0}, z_axis{0, 0, 1};

using Choices = std::vector<std::pair<JointType, double>>;

const Choices spatial_tree_types = {
    {JointType::revolute, 6},        {JointType::prismatic, 2},           {JointType::cylindrical, 1.5},
    {JointType::screw, 1},           {JointType::spherical, 2.5},         {JointType::universal, 1.5},
    {JointType::planar, 1},          {JointType::constant_velocity, 0.4}, {JointType::translational, 0.7},
    {JointType::point_on_line, 0.6}, {JointType::point_in_plane, 0.6},    {JointType::distance, 0.8},
    {JointType::fixed, 0.6}};
const Choices planar_tree_types = {
    {JointType::revolute, 7}, {JointType::prismatic, 3}, {JointType::planar, 1}, {JointType::fixed, 0.4}};
const Choices spatial_loop_types = {{JointType::spherical, 2},       {JointType::distance, 3},
                                    {JointType::point_in_plane, 2},  {JointType::point_on_line, 2},
                                    {JointType::universal, 1},       {JointType::cylindrical, 1},
                                    {JointType::revolute, 1},        {JointType::planar, 1},
                                    {JointType::translational, 0.5}, {JointType::constant_velocity, 0.5},
                                    {JointType::screw, 0.3}};
const Choices planar_loop_types = {{JointType::revolute, 4},      {JointType::prismatic, 1},
                                   {JointType::distance, 2},      {JointType::point_on_line, 1},
                                   {JointType::cylindrical, 0.5}, {JointType::spherical, 1}};

Frame turned(const Vec3<double>& axis, double angle) { return {{}, rotation_about(axis, angle)}; }
Frame shifted(const Vec3<double>& by) { return {by, Mat3<double>::identity()}; }

// How the second frame stands from the first, somewhere the joint allows.
Frame allowed_motion(Joint& joint, bool planar, RandomNumbers& random) {
  const double angle = random.chance(0.5) ? 0 : random.between(-2.5, 2.5);
  const double shift = random.chance(0.5) ? 0 : random.between(-0.3, 0.3);
  const Vec3<double> across{random.between(-0.3, 0.3), random.between(-0.3, 0.3), 0};
  const Frame any_rotation = planar ? turned(z_axis, angle) : Frame{{}, random.rotation()};
  const double bend = random.between(-0.8, 0.8), pitch = random.sign() * random.between(0.02, 0.3);
  const Vec3<double> rod = random.direction() * random.between(0.3, 0.8);
  switch (joint.type) {
    case JointType::revolute:
      return turned(z_axis, angle);
    case JointType::prismatic:
      return shifted({0, 0, shift});
    case JointType::cylindrical:
      return compose(shifted({0, 0, shift}), turned(z_axis, angle));
    case JointType::screw:
      joint.pitch = pitch;
      return compose(shifted({0, 0, pitch * angle / (2 * std::numbers::pi)}), turned(z_axis, angle));
    case JointType::spherical:
      return any_rotation;
    case JointType::universal:
      return compose(turned(z_axis, angle), turned(x_axis, bend));
    case JointType::constant_velocity:
      return turned({std::cos(angle), std::sin(angle), 0}, bend);
    case JointType::planar:
      return compose(shifted(across), turned(z_axis, angle));
    case JointType::translational:
      return shifted(across + Vec3<double>{0, 0, shift});
    case JointType::point_on_line:
      return compose(shifted({0, 0, shift}), any_rotation);
    case JointType::point_in_plane:
      return compose(shifted(across), any_rotation);
    case JointType::distance:
      return compose(shifted(planar ? Vec3<double>{std::cos(rod.x * 9), std::sin(rod.x * 9), 0} * 0.5 : rod),
                     any_rotation);
    default:
      return {};
  }
}

// The joint's frame in the world. In planar mechanisms axes of rotation are z, and lines lie in the plane.
Frame joint_frame(const Vec3<double>& at, JointType type, bool planar, RandomNumbers& random) {
  const Mat3<double> any = random.rotation();
  const double angle = random.between(-3, 3);
  if (!planar) return {at, any};
  const Mat3<double> about_z = rotation_about(z_axis, angle);
  const bool along_a_line = type == JointType::prismatic || type == JointType::point_on_line;
  // x upwards, z in the plane
  if (along_a_line) return {at, {z_axis, cross(about_z.column[0], z_axis), about_z.column[0]}};
  return {at, about_z};
}

Joint& add_fitting_joint(MechanismSketch& sketch, JointType type, int a, int b, RandomNumbers& random) {
  const Vec3<double> from = sketch.world_frame(a).origin, to = sketch.world_frame(b).origin;
  const Vec3<double> towards = to - from;
  Vec3<double> at = from + towards * random.between(0.1, 0.9) + random.vector(0.1);
  if (sketch.planar) at.z = 0;
  Joint joint;
  joint.name = fmt::format("j{}", sketch.mechanism().joints.size() + 1);
  joint.type = type;
  joint.body_a = a;
  joint.body_b = b;
  const Frame first = joint_frame(at, type, sketch.planar, random);
  const Frame second = compose(first, allowed_motion(joint, sketch.planar, random));
  joint.frame_a = sketch.on_body(a, first);
  joint.frame_b = sketch.on_body(b, second);
  return sketch.mechanism().add(joint);
}

// A disk or a ball on the ground, rolling so fast that a disk does not fall on its side at once.
void add_rolling(MechanismSketch& sketch, int b, RandomNumbers& random) {
  Body& body = sketch.mechanism().bodies[static_cast<std::size_t>(b)];
  Joint joint;
  joint.name = fmt::format("j{}", sketch.mechanism().joints.size() + 1);
  joint.type = random.chance(0.5) ? JointType::rolling_disk : JointType::rolling_sphere;
  joint.body_b = b;
  joint.radius = random.between(0.2, 0.5);
  const Frame plane{body.reference.origin, random.rotation()};
  const Frame disk = compose(plane, turned(x_axis, std::numbers::pi / 2 + random.between(-0.3, 0.3)));
  const double along = dot(plane.axes.column[2], disk.axes.column[2]);
  const double height =
      joint.radius * (joint.type == JointType::rolling_disk ? std::sqrt(1 - along * along) : 1);
  joint.frame_a = {plane.origin - plane.axes.column[2] * height, plane.axes};
  joint.frame_b = sketch.on_body(b, disk);
  body.angular_velocity = disk.axes.column[2] * (random.sign() * random.between(4, 10));
  sketch.mechanism().add(joint);
}

// What moves in a plane gets an edge that does not slip sideways.
void add_knife_edge(MechanismSketch& sketch, const Joint& plane, RandomNumbers& random) {
  Joint joint;
  joint.name = fmt::format("j{}", sketch.mechanism().joints.size() + 1);
  joint.type = JointType::knife_edge;
  joint.body_a = plane.body_a;
  joint.body_b = plane.body_b;
  joint.frame_a = plane.frame_a;
  joint.frame_b = compose(plane.frame_b, {{random.between(-0.3, 0.3), random.between(-0.3, 0.3), 0},
                                          rotation_about(z_axis, random.between(-3, 3))});
  sketch.mechanism().add(joint);
}

// A second hinge on the axis of a first one: five equations that say nothing new.
void add_second_hinge(MechanismSketch& sketch, RandomNumbers& random) {
  std::vector<std::size_t> hinges;
  for (std::size_t i = 0; i < sketch.mechanism().joints.size(); ++i)
    if (sketch.mechanism().joints[i].type == JointType::revolute) hinges.push_back(i);
  if (hinges.empty()) return;
  Joint joint = sketch.mechanism().joints[random.one_of(hinges)];
  joint.name = fmt::format("j{}", sketch.mechanism().joints.size() + 1);
  const Frame along = shifted({0, 0, random.between(0.1, 0.4)});
  joint.frame_a = compose(joint.frame_a, along);
  joint.frame_b = compose(joint.frame_b, along);
  sketch.mechanism().add(joint);
  sketch.has_redundancy = true;
}

}  // namespace

void add_random_tree(MechanismSketch& sketch) {
  RandomNumbers random = sketch.random("tree"), rolling = sketch.random("rolling");
  for (int b = 1; b < sketch.body_count(); ++b) {
    const int a = sketch.parents[static_cast<std::size_t>(b)];
    const bool is_free = random.chance(0.04), rolls = rolling.chance(0.05);
    const JointType type = random.weighted(sketch.planar ? planar_tree_types : spatial_tree_types);
    RandomNumbers numbers = sketch.random(fmt::format("tree {}", b));
    if (rolls && a == 0 && !sketch.planar && sketch.features.rolling) {
      add_rolling(sketch, b, numbers);
      continue;
    }
    if (is_free && !sketch.planar) continue;
    sketch.carriers[static_cast<std::size_t>(b)] = static_cast<int>(sketch.mechanism().joints.size());
    const Joint joint = add_fitting_joint(sketch, type, a, b, numbers);
    if (type == JointType::planar && rolling.chance(0.3) && sketch.features.rolling)
      add_knife_edge(sketch, joint, numbers);
  }
}

void add_random_loops(MechanismSketch& sketch) {
  RandomNumbers random = sketch.random("loops");
  const int wanted = random.weighted<int>({{0, 4}, {1, 4}, {2, 1.5}, {3, 0.5}});
  int made = 0;
  for (int attempt = 0; attempt < 8 * wanted && made < wanted; ++attempt) {
    const auto bodies = static_cast<std::size_t>(sketch.body_count());
    const auto a = static_cast<int>(random.below(bodies)), b = 1 + static_cast<int>(random.below(bodies - 1));
    const JointType type = random.weighted(sketch.planar ? planar_loop_types : spatial_loop_types);
    if (a == b || sketch.parents[static_cast<std::size_t>(b)] == a ||
        sketch.parents[static_cast<std::size_t>(a)] == b)
      continue;
    RandomNumbers numbers = sketch.random(fmt::format("loop {}", attempt));
    add_fitting_joint(sketch, type, a, b, numbers);
    const SketchedFreedom freedom = sketched_freedom(sketch.mechanism());
    if (freedom.freedom < 1 || (freedom.redundant && !sketch.features.redundant)) {
      sketch.mechanism().joints.pop_back();
      continue;
    }
    sketch.has_loops = true;
    sketch.has_redundancy = sketch.has_redundancy || freedom.redundant;
    ++made;
  }
  if (random.chance(0.06) && sketch.features.redundant) add_second_hinge(sketch, random);
}

}  // namespace trammel
