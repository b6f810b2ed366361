// Andrews' squeezing mechanism: data and reference, as in E. Hairer, G. Wanner, Solving Ordinary Differential
// Equations II (1996), section VII.7, whose letters are kept. Angles are q = (beta, Theta, gamma, Phi, delta,
// Omega, epsilon); the reference at the end was computed in quadruple precision.
//
// As a model: K1 turns about the origin by beta, K2 about the end of K1 by Theta. K3 turns about B by gamma,
// K5 about A by delta with K4 at its end by Phi, K7 about A by epsilon with K6 at its end by Omega. The tips
// of K3, K4 and K6 are closed on the tip of K2: three loops.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace peers::andrews_data {

constexpr double end_time = 0.03;
constexpr double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706, m7 = .05498;
constexpr double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7,
                 i7 = 1.912e-5;
constexpr double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072, c0 = 4530;
constexpr double d = 28e-3, da = 115e-4, e = 2e-2, ea = 1421e-5, rr = 7e-3, ra = 92e-5, l0 = 7785e-5;
constexpr double ss = 35e-3, sa = 1874e-5, sb = 1043e-5, sc = 18e-3, sd = 2e-2, ta = 2308e-5, tb = 916e-5;
constexpr double u = 4e-2, ua = 1228e-5, ub = 449e-5, zf = 2e-2, zt = 4e-2, fa = 1421e-5, mom = 33e-3;

constexpr std::array<double, 7> initial = {
    -0.0617138900142764496358948458001, 0,
    0.455279819163070380255912382449,   0.222668390165885884674473185609,
    0.487364979543842550225598953530,   -0.222668390165885884674473185609,
    1.23054744454982119249735015568};
constexpr std::array<double, 7> reference = {1.581077119515370709711939e+01, -1.575637105841183946972775e+01,
                                             4.082224011964580485828232e-02, -5.347301163420795937701850e-01,
                                             5.244099658799540693716558e-01, 5.347301163420795937701850e-01,
                                             1.048080741041937873068515e+00};

// One of the seven bodies: hinged to its parent by a pin about z that turns by q[coordinate].
struct Part {
  int parent;            // 0: the ground
  double at_x, at_y;     // the pin, in the frame of the parent
  int coordinate;        // of q
  double mass, inertia;  // about the centre of mass
  double com_x, com_y;   // in the frame of the body, whose origin is the pin
  double tip_x, tip_y;   // where the next body, or the loops, are joined
};

// K1 to K7, except that a parent stands before its child: K5 before K4, K7 before K6.
constexpr int K1 = 1, K2 = 2, K3 = 3, K5 = 4, K4 = 5, K7 = 6, K6 = 7;
inline std::array<Part, 7> parts() {
  return {{{0, 0, 0, 0, m1, i1, ra, 0, rr, 0},
           {K1, rr, 0, 1, m2, i2, -da, 0, -d, 0},
           {0, xb, yb, 2, m3, i3, sb, -sa, 0, -ss},
           {0, xa, ya, 4, m5, i5, ta, -tb, zt, 0},
           {K5, zt, 0, 3, m4, i4, 0, ea - e, 0, -e},
           {0, xa, ya, 6, m7, i7, ua, -ub, 0, -u},
           {K7, 0, -u, 5, m6, i6, zf - fa, 0, zf, 0}}};
}

// As in the Test Set for Initial Value Problem Solvers.
inline double worst_relative_error(const double* q) {
  double worst = 0;
  for (std::size_t i = 0; i < 7; ++i) worst = std::max(worst, std::abs((q[i] - reference[i]) / reference[i]));
  return worst;
}

}  // namespace peers::andrews_data
