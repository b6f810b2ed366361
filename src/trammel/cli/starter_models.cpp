#include "trammel/cli/starter_models.h"

#include <nlohmann/json.hpp>

namespace trammel {

namespace {

constexpr const char* four_bar = R"(# A model for Trammel. Try:  trammel check FILE, trammel run FILE
# SI units and radians; other units are written with the number: 30 deg, 5 mm.
trammel: 1
title: @TITLE@

parameters:            # names for numbers; `trammel run FILE --set speed=10` changes one
  crank_length: 0.1
  coupler_length: 0.3
  rocker_length: 0.25
  base: 0.3            # between the two bearings
  speed: 5 rad/s       # of the motor
  spring: 50

gravity: [0, -9.81, 0]

# Rods are given by two points of the world, where they are about to be. They need not fit together exactly:
# before a run the mechanism is assembled, and every joint is closed.
bodies:
  crank:
    rod: {from: [0, 0, 0], to: [0, crank_length, 0], mass: 0.1, radius: 5 mm}
  coupler:
    rod: {from: [0, crank_length, 0], to: [0.25, 0.25, 0], mass: 0.3, radius: 5 mm}
  rocker:
    rod: {from: [base, 0, 0], to: [0.25, 0.25, 0], mass: 0.25, radius: 5 mm}

# A joint is between two bodies, at a point of the world and about an axis.
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}
  B: {type: revolute, between: [crank, coupler], at: [0, crank_length, 0], axis: [0, 0, 1]}
  C: {type: revolute, between: [coupler, rocker], at: [0.25, 0.25, 0], axis: [0, 0, 1]}
  D: {type: revolute, between: [ground, rocker], at: [base, 0, 0], axis: [0, 0, 1]}

# A driver makes a joint coordinate follow a function of time.
drivers:
  motor: {coordinate: A.angle, position: "speed*t"}

# Forces: springs, dampers, actuators, contacts, ...
forces:
  return_spring:
    {type: spring_damper, between: [ground, rocker], from: [base + 0.2, 0.1, 0], to: [0.275, 0.125, 0],
     stiffness: spring, damping: 1, free_length: 0.15}

# Points to refer to, and quantities to record.
markers:
  P: {body: coupler, at: [0.125, 0.25, 0]}
measures:
  height: {value: "P.position.y", unit: m}

simulation:            # what `trammel run` does if nothing else is said
  end: 2*(2*pi/speed)  # two turns
  method: auto
  rtol: 1e-6

view: {planar: true, up: y, traces: [P]}
)";

constexpr const char* pendulum = R"(# A model for Trammel. Try:  trammel check FILE, trammel run FILE
# SI units and radians; other units are written with the number: 30 deg, 5 mm.
trammel: 1
title: @TITLE@

parameters:            # names for numbers; `trammel run FILE --set rod_length=2` changes one
  rod_length: 1
  friction: 0.01       # N m s/rad in the bearing

gravity: [0, 0, -9.81] # the default

bodies:
  rod:                 # a slender rod between two points of the world
    rod: {from: [0, 0, 0], to: [0, 0, -rod_length], mass: 1, radius: 1 cm}

joints:
  pivot:
    type: revolute
    between: [ground, rod]
    at: [0, 0, 0]
    axis: [0, 1, 0]
    initial: {angle: 30 deg, angle_rate: 0}   # where it starts

forces:
  bearing: {type: torsion_spring, joint: pivot, damping: friction}

markers:
  tip: {body: rod, at: [0, 0, -rod_length]}
measures:
  tip_speed: {value: "tip.speed", unit: m/s}

simulation:            # what `trammel run` does if nothing else is said
  end: 10
  output: 0.01

view: {traces: [tip]}
)";

}  // namespace

const std::vector<StarterModel>& starter_models() {
  static const std::vector<StarterModel> models{{"four-bar", four_bar}, {"pendulum", pendulum}};
  return models;
}

std::string starter_text(const std::string& kind, const std::string& title) {
  std::string text;
  for (const StarterModel& model : starter_models())
    if (model.kind == kind) text = model.text;
  const std::string mark = "@TITLE@";
  // a string of JSON is one of YAML too
  const std::string quoted =
      nlohmann::json(title).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return text.replace(text.find(mark), mark.size(), quoted);
}

}  // namespace trammel
