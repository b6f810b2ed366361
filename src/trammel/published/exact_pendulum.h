// The exact motion of a pendulum, θ'' = −ω² sin θ, θ measured from hanging down: swinging or going round, at
// any time, by Jacobi's elliptic functions.
//
// With s = sin(θ/2), c = cos(θ/2), r = θ'/(2ω) and k² = s² + r², which is constant,
//
//   k < 1:  s = k sn(ωt + u₀, k),      r = k cn,     c = dn,
//   k > 1:  s = sn(±kωt + u₀, 1/k),    r = ±k dn,    c = cn
//
// (E. T. Whittaker, Analytical Dynamics, section 44). The functions are computed by the arithmetic-geometric
// mean (Abramowitz, Stegun, Handbook of Mathematical Functions, 16.4 and 17.6) from the complementary
// modulus, so that nothing is lost for a pendulum that starts near the top.
#pragma once

#include <optional>
#include <vector>

namespace trammel {

class ExactPendulum {
 public:
  // ω > 0, the angle and the angular speed at time zero.
  ExactPendulum(double omega, double angle, double speed);

  struct Motion {
    double sine, cosine, speed;  // of the angle, and its rate
  };
  // Nothing where the motion separates swinging from going round: it takes forever there.
  std::optional<Motion> at(double t) const;

 private:
  double first_integral(double amplitude) const;
  double amplitude(double u) const;

  double omega_;
  double k_;          // as above, any size
  double direction_;  // of going round
  double start_ = 0;  // u₀
  bool known_ = true;
  std::vector<double> mean_, half_difference_;  // a and c of the arithmetic-geometric mean
  std::vector<double> ratio_;                   // b/a
};

}  // namespace trammel
