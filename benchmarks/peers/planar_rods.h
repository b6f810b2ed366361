// Slender rods of length and mass 1 in a plane, each by (x, y, angle from the x axis), under gravity, with
// hinges between them: the N-four-bar and the chain as somebody writes them by hand.
#pragma once

#include <vector>

#include "constrained_system.h"

namespace peers {

class PlanarRods final : public ConstrainedSystem {
 public:
  // Two rods meet at distances from their middles; a second of −1 is the ground, at (ground_x, 0).
  struct Hinge {
    Index first;
    double along_first;
    Index second;
    double along_second, ground_x;
  };

  PlanarRods(Index rods, std::vector<Hinge> hinges, double gravity)
      : ConstrainedSystem(3 * rods, 2 * static_cast<Index>(hinges.size())),
        hinges_(std::move(hinges)),
        gravity_(gravity) {}

  void M(const VectorXd&, MatrixXd& M) const override {
    for (Index i = 0; i < nq; ++i) M(i, i) = i % 3 == 2 ? 1.0 / 12 : 1;
  }
  void f(const VectorXd&, const VectorXd&, VectorXd& f) const override {
    for (Index i = 1; i < nq; i += 3) f[i] = -gravity_;
  }
  void g(const VectorXd& q, VectorXd& g) const override {
    Index row = 0;
    for (const Hinge& hinge : hinges_) {
      g.segment<2>(row) = end(q, hinge.first, hinge.along_first);
      if (hinge.second >= 0)
        g.segment<2>(row) -= end(q, hinge.second, hinge.along_second);
      else
        g[row] -= hinge.ground_x;
      row += 2;
    }
  }
  void G(const VectorXd& q, MatrixXd& G) const override {
    Index row = 0;
    for (const Hinge& hinge : hinges_) {
      add_slopes(q, row, hinge.first, hinge.along_first, 1, G);
      if (hinge.second >= 0) add_slopes(q, row, hinge.second, hinge.along_second, -1, G);
      row += 2;
    }
  }
  void curvature(const VectorXd& q, const VectorXd& v, VectorXd& c) const override {
    Index row = 0;
    for (const Hinge& hinge : hinges_) {
      c.segment<2>(row) = -centripetal(q, v, hinge.first, hinge.along_first);
      if (hinge.second >= 0) c.segment<2>(row) += centripetal(q, v, hinge.second, hinge.along_second);
      row += 2;
    }
  }
  double energy(const VectorXd& q, const VectorXd& v) const override {
    double sum = 0;
    for (Index i = 0; i < nq; i += 3)
      sum += (v[i] * v[i] + v[i + 1] * v[i + 1] + v[i + 2] * v[i + 2] / 12) / 2 + gravity_ * q[i + 1];
    return sum;
  }

 private:
  static Eigen::Vector2d direction(const VectorXd& q, Index rod) {
    return {std::cos(q[3 * rod + 2]), std::sin(q[3 * rod + 2])};
  }
  static Eigen::Vector2d end(const VectorXd& q, Index rod, double along) {
    return q.segment<2>(3 * rod) + along * direction(q, rod);
  }
  static Eigen::Vector2d centripetal(const VectorXd& q, const VectorXd& v, Index rod, double along) {
    return along * v[3 * rod + 2] * v[3 * rod + 2] * direction(q, rod);
  }
  static void add_slopes(const VectorXd& q, Index row, Index rod, double along, double sign, MatrixXd& G) {
    const Eigen::Vector2d u = direction(q, rod);
    G(row, 3 * rod) += sign;
    G(row + 1, 3 * rod + 1) += sign;
    G(row, 3 * rod + 2) -= sign * along * u[1];
    G(row + 1, 3 * rod + 2) += sign * along * u[0];
  }

  std::vector<Hinge> hinges_;
  double gravity_;
};

}  // namespace peers
