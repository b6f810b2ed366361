#include "trammel_mechanisms.h"

#include <fmt/format.h>

#include "andrews_data.h"
#include "chain.h"
#include "double_pendulum.h"
#include "n_four_bar.h"
#include "trammel/model/model.h"

namespace peers {

namespace {

using namespace trammel;

constexpr Vec3<double> z_axis{0, 0, 1};

// Its inertia is that about z for all axes: it turns about no other.
Body rod(const std::string& name, const Vec3<double>& from, const Vec3<double>& to) {
  Body body;
  body.name = name;
  body.mass = 1;
  const Vec3<double> along = to - from;
  body.reference.origin = (from + to) * 0.5;
  body.reference.axes = rotation_about(z_axis, std::atan2(along.y, along.x));
  body.inertia = Mat3<double>::identity();
  for (Vec3<double>& column : body.inertia.column) column = column * (1.0 / 12);
  return body;
}

}  // namespace

Mechanism chain_mechanism(int rods) {
  Mechanism mechanism;
  mechanism.gravity = {0, -chain_gravity, 0};
  std::string before = "ground";
  for (int i = 0; i < rods; ++i) {
    const std::string name = fmt::format("rod{}", i);
    mechanism.add(rod(name, {1.0 * i, 0, 0}, {i + 1.0, 0, 0}));
    mechanism.add_joint(fmt::format("hinge{}", i), JointType::revolute, before, name, {1.0 * i, 0, 0});
    before = name;
  }
  return mechanism;
}

Mechanism four_bar_mechanism(int windows) {
  Mechanism mechanism;
  mechanism.gravity = {0, -four_bar_gravity, 0};
  const auto crank = [](int i) { return fmt::format("crank{}", i); };
  for (int i = 0; i <= windows; ++i) {
    Body body = rod(crank(i), {1.0 * i, 0, 0}, {1.0 * i, 1, 0});
    body.velocity = {0.5, 0, 0};
    body.angular_velocity = {0, 0, -1};
    mechanism.add(body);
    mechanism.add_joint(fmt::format("A{}", i), JointType::revolute, "ground", crank(i), {1.0 * i, 0, 0});
  }
  for (int i = 0; i < windows; ++i) {
    const std::string coupler = fmt::format("coupler{}", i);
    Body body = rod(coupler, {1.0 * i, 1, 0}, {i + 1.0, 1, 0});
    body.velocity = {1, 0, 0};
    mechanism.add(body);
    mechanism.add_joint(fmt::format("B{}", i), JointType::revolute, crank(i), coupler, {1.0 * i, 1, 0});
    mechanism.add_joint(fmt::format("C{}", i), JointType::revolute, coupler, crank(i + 1), {i + 1.0, 1, 0});
  }
  return mechanism;
}

Mechanism andrews_mechanism() {
  namespace data = andrews_data;
  Mechanism mechanism;
  mechanism.gravity = {0, 0, 0};
  const std::array<data::Part, 7> parts = data::parts();
  std::array<Frame, 8> frames;  // of the ground, then of the bodies
  const auto name = [](int part) { return part > 0 ? fmt::format("part{}", part) : std::string("ground"); };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const data::Part& part = parts[i];
    const Frame pin{{part.at_x, part.at_y, 0},
                    rotation_about(z_axis, data::initial[static_cast<std::size_t>(part.coordinate)])};
    frames[i + 1] = compose(frames[static_cast<std::size_t>(part.parent)], pin);
    Body body;
    body.name = name(static_cast<int>(i) + 1);
    body.mass = part.mass;
    body.com = {part.com_x, part.com_y, 0};
    body.inertia = {{part.inertia, 0, 0}, {0, part.inertia, 0}, {0, 0, part.inertia}};
    body.reference = frames[i + 1];
    mechanism.add(body);
    mechanism.add_joint("pin of " + body.name, JointType::revolute, name(part.parent), body.name,
                        frames[i + 1].origin);
  }
  const Vec3<double> meeting = compose(frames[data::K2], {{-data::d, 0, 0}}).origin;
  for (const int closing : {data::K3, data::K4, data::K6})
    mechanism.add_joint("loop of " + name(closing), JointType::revolute, name(data::K2), name(closing),
                        meeting);

  Force::SpringDamper spring;
  spring.name = "spring";
  spring.body_b = data::K3;
  spring.frame_a.origin = {data::xc, data::yc, 0};
  spring.frame_b.origin = {data::sd, -data::sc, 0};
  spring.stiffness = data::c0;
  spring.free_length = data::l0;
  mechanism.add(spring);
  Force::Torque drive;
  drive.name = "drive";
  drive.body_b = data::K1;
  drive.components = {Law(0.0), Law(0.0), Law(data::mom)};
  mechanism.add(drive);
  return mechanism;
}

// In the initial position, where the angles of the hinges are zero.
Mechanism double_pendulum_mechanism() {
  namespace data = double_pendulum_data;
  const std::string text = R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies:
  first: {rod: {from: [0, 0, 0], to: [2, 0, 0], mass: 3, radius: 1 mm}}
  second: {rod: {from: [2, 0, 0], to: [2 + 3*cos(pi/12), -3*sin(pi/12), 0], mass: 0.3, radius: 1 mm}}
joints:
  A: {type: revolute, between: [ground, first], at: [0, 0, 0], axis: [0, 0, 1], initial: {angle: 0, angle_rate: 0}}
  B: {type: revolute, between: [first, second], at: [2, 0, 0], axis: [0, 0, 1], initial: {angle: 0, angle_rate: 10}}
forces:
  at_ground: {type: torsion_spring, joint: A, stiffness: 400, damping: 15, free_angle: -90 deg}
  between: {type: torsion_spring, joint: B, stiffness: 3e5, damping: 5e4, free_angle: 15 deg}
)";
  Mechanism mechanism = read_model_text(text, "double pendulum").mechanism;
  // slender, and without need of axes: they turn about z only
  for (Body& body : mechanism.bodies) {
    const double half = body.name == "first" ? data::half1 : data::half2,
                 inertia = body.mass * half * half / 3;
    body.inertia = {{inertia, 0, 0}, {0, inertia, 0}, {0, 0, inertia}};
  }
  return mechanism;
}

}  // namespace peers
