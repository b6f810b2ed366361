// Andrews' squeezing mechanism in its seven angles with six constraints, by hand.
#pragma once

#include "andrews_data.h"
#include "constrained_system.h"

namespace peers::andrews_data {

// Every constraint is a sum of terms length · cos or sin of beta, beta + Theta, gamma, Phi + delta, delta,
// Omega + epsilon and epsilon.
class AndrewsEquations final : public ConstrainedSystem {
 public:
  AndrewsEquations() : ConstrainedSystem(7, 6) {}

  void M(const VectorXd& q, MatrixXd& M) const override {
    const double ee = e - ea, zz = zf - fa;
    const double cos_Theta = std::cos(q[1]), sin_Phi = std::sin(q[3]), sin_Omega = std::sin(q[5]);
    M(0, 0) = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cos_Theta + da * da) + i1 + i2;
    M(1, 0) = M(0, 1) = m2 * (da * da - da * rr * cos_Theta) + i2;
    M(1, 1) = m2 * da * da + i2;
    M(2, 2) = m3 * (sa * sa + sb * sb) + i3;
    M(3, 3) = m4 * ee * ee + i4;
    M(4, 3) = M(3, 4) = m4 * (ee * ee + zt * ee * sin_Phi) + i4;
    M(4, 4) = m4 * (zt * zt + 2 * zt * ee * sin_Phi + ee * ee) + m5 * (ta * ta + tb * tb) + i4 + i5;
    M(5, 5) = m6 * zz * zz + i6;
    M(6, 5) = M(5, 6) = m6 * (zz * zz - u * zz * sin_Omega) + i6;
    M(6, 6) = m6 * (zz * zz - 2 * u * zz * sin_Omega + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7;
  }
  void f(const VectorXd& q, const VectorXd& v, VectorXd& f) const override {
    const Spring spring(q[2]);
    const double sin_Theta = std::sin(q[1]), cos_Phi = std::cos(q[3]), cos_Omega = std::cos(q[5]);
    f[0] = mom - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sin_Theta;
    f[1] = m2 * da * rr * v[0] * v[0] * sin_Theta;
    f[2] = -c0 * (spring.length - l0) * spring.slope;
    f[3] = m4 * zt * (e - ea) * v[4] * v[4] * cos_Phi;
    f[4] = -m4 * zt * (e - ea) * v[3] * (v[3] + 2 * v[4]) * cos_Phi;
    f[5] = -m6 * u * (zf - fa) * v[6] * v[6] * cos_Omega;
    f[6] = m6 * u * (zf - fa) * v[5] * (v[5] + 2 * v[6]) * cos_Omega;
  }
  void g(const VectorXd& q, VectorXd& g) const override {
    const Terms at(q);
    const double x = at.crank_x - at.rod_x, y = at.crank_y - at.rod_y;
    g << x - at.rocker_y - xb, y + at.rocker_x - yb, x - at.tip4_y - at.arm5_x - xa,
        y + at.tip4_x - at.arm5_y - ya, x - at.tip6_x - at.arm7_y - xa, y - at.tip6_y + at.arm7_x - ya;
  }
  void G(const VectorXd& q, MatrixXd& G) const override {
    const Terms at(q);
    for (Index row = 0; row < 6; row += 2) {
      G(row, 0) = -at.crank_y + at.rod_y;
      G(row, 1) = at.rod_y;
      G(row + 1, 0) = at.crank_x - at.rod_x;
      G(row + 1, 1) = -at.rod_x;
    }
    G(0, 2) = -at.rocker_x;
    G(1, 2) = -at.rocker_y;
    G(2, 3) = -at.tip4_x;
    G(2, 4) = -at.tip4_x + at.arm5_y;
    G(3, 3) = -at.tip4_y;
    G(3, 4) = -at.tip4_y - at.arm5_x;
    G(4, 5) = at.tip6_y;
    G(4, 6) = at.tip6_y - at.arm7_x;
    G(5, 5) = -at.tip6_x;
    G(5, 6) = -at.tip6_x - at.arm7_y;
  }
  // The second derivative of a cosine or sine is its negative times the squared rate of its angle.
  void curvature(const VectorXd& q, const VectorXd& v, VectorXd& c) const override {
    const Terms at(q);
    const auto squared = [](double rate) { return rate * rate; };
    const double crank = squared(v[0]), rod = squared(v[0] + v[1]), rocker = squared(v[2]),
                 tip4 = squared(v[3] + v[4]), arm5 = squared(v[4]), tip6 = squared(v[5] + v[6]),
                 arm7 = squared(v[6]);
    const double x = -at.crank_x * crank + at.rod_x * rod, y = -at.crank_y * crank + at.rod_y * rod;
    c << x + at.rocker_y * rocker, y - at.rocker_x * rocker, x + at.tip4_y * tip4 + at.arm5_x * arm5,
        y - at.tip4_x * tip4 + at.arm5_y * arm5, x + at.tip6_x * tip6 + at.arm7_y * arm7,
        y + at.tip6_y * tip6 - at.arm7_x * arm7;
  }
  // With the work of the driving torque, which is constant.
  double energy(const VectorXd& q, const VectorXd& v) const override {
    MatrixXd mass = MatrixXd::Zero(7, 7);
    M(q, mass);
    const double stretch = Spring(q[2]).length - l0;
    return (v.dot(mass * v) + c0 * stretch * stretch) / 2 - mom * q[0];
  }

 private:
  struct Spring {
    double length, slope;  // by gamma
    explicit Spring(double gamma) {
      const double cosine = std::cos(gamma), sine = std::sin(gamma);
      const double x = sd * cosine + sc * sine + xb - xc, y = sd * sine - sc * cosine + yb - yc;
      length = std::sqrt(x * x + y * y);
      slope = (x * (sc * cosine - sd * sine) + y * (sd * cosine + sc * sine)) / length;
    }
  };
  // Length times cosine and sine of each angle.
  struct Terms {
    double crank_x, crank_y, rod_x, rod_y, rocker_x, rocker_y, tip4_x, tip4_y, arm5_x, arm5_y, tip6_x, tip6_y,
        arm7_x, arm7_y;
    explicit Terms(const VectorXd& q) {
      const auto set = [](double length, double angle, double& x, double& y) {
        x = length * std::cos(angle);
        y = length * std::sin(angle);
      };
      set(rr, q[0], crank_x, crank_y);
      set(d, q[0] + q[1], rod_x, rod_y);
      set(ss, q[2], rocker_x, rocker_y);
      set(e, q[3] + q[4], tip4_x, tip4_y);
      set(zt, q[4], arm5_x, arm5_y);
      set(zf, q[5] + q[6], tip6_x, tip6_y);
      set(u, q[6], arm7_x, arm7_y);
    }
  };
};

}  // namespace peers::andrews_data
