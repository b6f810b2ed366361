// A pendulum of length one in Cartesian coordinates as a user's own operators: closed formulas, no matrix.
#pragma once

#include <cmath>

#include "trammel/formulation/invariant_ode.h"

namespace trammel::test {

// y = (x, y, x', y'). With this gravity a swing from the horizontal takes two seconds.
struct OwnPendulum : InvariantOde {
  double gravity = 13.750371636040745655;

  static Vector horizontal() { return Vector::Unit(4, 0); }

  Index unknowns() const override { return 4; }

  Outcome derivative(double /*t*/, VectorIn y, VectorOut rates) override {
    const double tension = (y.tail(2).squaredNorm() - gravity * y[1]) / y.head(2).squaredNorm();
    rates.head(2) = y.tail(2);
    rates.tail(2) = -tension * y.head(2);
    rates[3] -= gravity;
    return Outcome::ok;
  }

  Outcome project(double /*t*/, VectorIn /*scale*/, double /*tolerance*/, VectorOut y) override {
    const Eigen::Vector2d radius = y.head(2).normalized();
    y.head(2) = radius;
    y.tail(2) -= radius.dot(y.tail(2)) * radius;
    return Outcome::ok;
  }

  // An error of the position turns the direction that the velocity may have.
  Outcome project_error(double /*t*/, VectorIn y, VectorIn /*scale*/, VectorOut error) override {
    const Eigen::Vector2d radius = y.head(2), velocity = y.tail(2);
    error.head(2) -= radius.dot(error.head(2)) * radius;
    error.tail(2) -= (radius.dot(error.tail(2)) + velocity.dot(error.head(2))) * radius;
    return Outcome::ok;
  }

  double violation(double /*t*/, VectorIn y, VectorIn scale) override {
    const double length = y.head(2).norm();
    const double position = std::abs(length - 1) / scale.head(2).cwiseProduct(y.head(2)).norm();
    const double velocity = std::abs(y.head(2).dot(y.tail(2))) / scale.tail(2).cwiseProduct(y.head(2)).norm();
    return std::max(position, velocity);
  }

  double energy(VectorIn y) const { return 0.5 * y.tail(2).squaredNorm() + gravity * y[1]; }
};

}  // namespace trammel::test
