// Forces as a person describes them: one type for each kind, with what that kind needs.
//
//   Force::SpringDamper spring;
//   spring.name = "spring";
//   spring.body_b = mechanism.body("arm");
//   spring.stiffness = 1000;
//   mechanism.add(spring);
//
// A new kind is a struct here, an alternative of Force::Kind, and whatever the compiler then misses: its
// element (force_elements.cpp), what it looks like in a model file (model/) and on a page (page/).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "trammel/mechanism/frame.h"
#include "trammel/mechanism/law.h"

namespace trammel {

// What all kinds have: a name, and two bodies with a frame on each. A force acts on the second, and mostly the
// opposite on the first. Forces along a coordinate of a joint act where the joint is, whatever stands here.
struct ForceEnds {
  std::string name = {};
  SourcePlace place = {};
  int body_a = 0, body_b = 0;
  Frame frame_a = {}, frame_b = {};
};

class Force {
 public:
  enum class Axes { world, first_body, second_body };

  // Between the origins of the frames.
  struct SpringDamper : ForceEnds {
    double stiffness = 0, damping = 0;
    std::optional<double> free_length = {};  // absent: from the reference position
    double preload = 0;
    std::optional<Law> law = {};  // added to the tension; may use `length` and `rate`
  };

  // Where a joint has more than one coordinate, `coordinate` names one of them ("angle"). Without a joint it is
  // the whole name: "crank.angle".
  struct Coordinate {
    std::string joint = {}, coordinate = {};
  };

  // On a coordinate of a joint, or else about z of the first frame.
  struct TorsionSpring : ForceEnds {
    Coordinate along = {};
    double stiffness = 0, damping = 0;
    std::optional<double> free_angle = {};  // absent: from the reference position
    double preload = 0;
    std::optional<Law> law = {};  // added to the torque; may use `angle` (or `displacement`) and `rate`
  };

  // Six components in the first frame: along x, y, z and about them.
  struct Bushing : ForceEnds {
    std::array<std::array<double, 6>, 6> stiffness = {}, damping = {};
    std::array<double, 6> preload = {};
    std::array<std::optional<Law>, 6> laws = {};  // of `x` and `rate`, instead of the linear law where given
  };

  // Components of a vector that acts on the second body.
  struct Applied : ForceEnds {
    std::array<Law, 3> components = {};
    Axes axes = Axes::world;
    bool applies_reaction = true;  // the first body gets the opposite
  };
  struct PointForce : Applied {};  // at the origin of the second frame
  struct Torque : Applied {};

  // Of a medium, at the origin of the second frame: −(viscous + quadratic |v|) v, and likewise of ω.
  struct Drag : ForceEnds {
    double viscous = 0, quadratic = 0;
    double angular_viscous = 0, angular_quadratic = 0;
    Vec3<double> wind = {};  // velocity of the medium in the world
  };

  // Vertical unilateral spring and damper of a wheel (second body) over a road, and what slip makes of its load.
  struct Tyre : ForceEnds {
    double radius = 0;
    double stiffness = 0, damping = 0;
    double smoothing = 0;           // depth over which the force sets in
    std::string road = {};          // name of a road; empty: flat
    double friction = 0;            // coefficient; 0: pushes upwards only
    double cornering = 0;           // side force for a small slip angle, relative to the load; 1/rad
    double slip_velocity = 1;       // speed below which slip no longer counts relative to the way
    bool traction = false;          // slip along the way counts too, of a wheel that spins
    Vec3<double> axle = {0, 1, 0};  // in axes of the second body
  };

  // A sphere (second body) on the xy plane of the first frame: stiffness · depth^exponent · (1 + damping · rate).
  struct SphereOnPlane : ForceEnds {
    double radius = 0;
    double stiffness = 0, exponent = 1, damping = 0;
    double smoothing = 0;          // depth over which the force sets in
    double friction = 0;           // coefficient
    double friction_velocity = 0;  // speed at which regularised friction is fully developed
  };

  // Against a coordinate of a joint.
  struct JointFriction : ForceEnds {
    Coordinate along = {};
    double dry = 0;                // constant force or torque
    double coefficient = 0;        // of the joint's reaction
    double radius = 0;             // at which that acts, if the coordinate is an angle
    double viscous = 0;            // force or torque by speed
    double friction_velocity = 0;  // speed at which regularised friction is fully developed
  };

  // Along a coordinate of a joint.
  struct Actuator : ForceEnds {
    Coordinate along = {};
    std::optional<Law> law = {};  // force or torque, of `angle` (or `displacement`) and `rate`; needed
  };

  using Kind = std::variant<SpringDamper, TorsionSpring, Bushing, PointForce, Torque, Drag, Tyre,
                            SphereOnPlane, JointFriction, Actuator>;

  Force() = default;
  template <class OneKind>
  requires std::is_constructible_v<Kind, OneKind> Force(OneKind of_kind)
      : kind(std::move(of_kind)) {}  // NOLINT: a spring is a force

  Kind kind;

  // Null if it is of another kind.
  template <class OneKind>
  const OneKind* as() const {
    return std::get_if<OneKind>(&kind);
  }
  template <class OneKind>
  OneKind* as() {
    return std::get_if<OneKind>(&kind);
  }

  ForceEnds& ends() {
    return std::visit([](auto& of_kind) -> ForceEnds& { return of_kind; }, kind);
  }
  const ForceEnds& ends() const {
    return std::visit([](const auto& of_kind) -> const ForceEnds& { return of_kind; }, kind);
  }
  // Null for kinds that act on bodies and not along a coordinate.
  const Coordinate* along() const {
    return std::visit(
        [](const auto& of_kind) -> const Coordinate* {
          if constexpr (requires { of_kind.along; })
            return &of_kind.along;
          else
            return nullptr;
        },
        kind);
  }
  // Likewise for those that are no vector of components.
  const Applied* applied() const {
    if (const PointForce* force = as<PointForce>()) return force;
    return as<Torque>();
  }
  Applied* applied() {
    if (PointForce* force = as<PointForce>()) return force;
    return as<Torque>();
  }
};

}  // namespace trammel
