// Bodies in general positions, and moved along the directions in which elements are differentiated.
#pragma once

#include <random>
#include <span>

#include "trammel/mechanism/body_motion.h"
#include "trammel/numerics/linear_algebra.h"

namespace trammel {

class RandomBodies {
 public:
  explicit RandomBodies(unsigned seed) : generator_(seed) {}

  double number() { return std::uniform_real_distribution<double>(-1, 1)(generator_); }
  Vec3<double> vector() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  Vec3<double> direction() {
    const Vec3<double> a = vector();
    return a * (1 / length(a));
  }
  Mat3<double> rotation() {
    const Vec3<double> axis = direction();
    return rotation_about(axis, 3 * number());
  }
  BodyState body() {
    BodyState state;
    state.r = vector();
    state.R = rotation();
    state.v = vector();
    state.omega = vector();
    state.a = vector();
    state.alpha = vector();
    return state;
  }

 private:
  std::mt19937 generator_;
};

inline Mat3<double> rotation_by(const Vec3<double>& vector) {
  const double angle = length(vector);
  return angle == 0 ? Mat3<double>::identity() : rotation_about(vector, angle);
}

// Moved along one of the six pose directions: three translations in world axes, three rotations in body axes.
inline BodyState moved(BodyState body, int direction, double step) {
  if (direction < 3) {
    body.r[direction] += step;
  } else {
    Vec3<double> turn;
    turn[direction - 3] = step;
    body.R = body.R * rotation_by(turn);
  }
  return body;
}

// Faster along one of the six twist directions.
inline BodyState hastened(BodyState body, int direction, double step) {
  (direction < 3 ? body.v : body.omega)[direction % 3] += step;
  return body;
}

// Where the body is after a short time, to the second order.
inline BodyState after(BodyState body, double time) {
  body.r += body.v * time + body.a * (0.5 * time * time);
  body.R = body.R * rotation_by(body.omega * time + body.alpha * (0.5 * time * time));
  body.v += body.a * time;
  body.omega += body.alpha * time;
  return body;
}

// Seen from a world that is turned by Q and then shifted.
inline BodyState carried(BodyState body, const Mat3<double>& Q, const Vec3<double>& shift) {
  body.r = shift + Q * body.r;
  body.R = Q * body.R;
  body.v = Q * body.v;
  body.a = Q * body.a;
  return body;
}

inline std::span<double> as_span(Vector& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}
inline std::span<const double> as_span(const Vector& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

}  // namespace trammel
