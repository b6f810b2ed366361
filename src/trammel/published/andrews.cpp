// Andrews' squeezing mechanism: seven plane bodies K1..K7 that meet in one point, driven by a constant torque
// on K1 and held by a spring on K3. Three loops close in fixed points: six constraints, one degree of
// freedom.
//
// E. Hairer, G. Wanner, Solving Ordinary Differential Equations II (2nd ed., 1996), section VII.7, whose
// letters are kept; W. Schiehlen (ed.), Multibody Systems Handbook (1990); F. Mazzia, C. Magherini, Test Set
// for Initial Value Problem Solvers, problem Andrews, from which initial values and error criterion are taken
// (scd: the smallest number of correct significant digits of the positions).
//
// The reference solution was computed in quadruple precision; the published one agrees with it in 9.5 digits
// of the positions, which is as far as that goes.
#include <algorithm>
#include <cmath>

#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

struct AndrewsMechanism {
  double mom;

  static constexpr double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706,
                          m7 = .05498;
  static constexpr double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5,
                          i6 = 5.667e-7, i7 = 1.912e-5;
  static constexpr double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072;
  static constexpr double d = 28e-3, da = 115e-4, e = 2e-2, ea = 1421e-5, rr = 7e-3, ra = 92e-5, l0 = 7785e-5,
                          c0 = 4530;
  static constexpr double ss = 35e-3, sa = 1874e-5, sb = 1043e-5, sc = 18e-3, sd = 2e-2, ta = 2308e-5,
                          tb = 916e-5;
  static constexpr double u = 4e-2, ua = 1228e-5, ub = 449e-5, zf = 2e-2, zt = 4e-2, fa = 1421e-5;

  // q = (beta, Theta, gamma, Phi, delta, Omega, epsilon)
  enum { beta, Theta, gamma, Phi, delta, Omega, epsilon };

  Sizes sizes() const { return {.positions = 7, .holonomic = 6}; }
  Structure structure() const { return {.autonomous = true}; }
  Names names() const {
    Names names;
    names.p = {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};
    names.lambda = {"lambda1", "lambda2", "lambda3", "lambda4", "lambda5", "lambda6"};
    names.g = {"loop K3 x", "loop K3 y", "loop K4-K5 x", "loop K4-K5 y", "loop K6-K7 x", "loop K6-K7 y"};
    return names;
  }

  template <class T>
  void M(const Point<T>& x, MatrixView<T> M) const {
    using std::cos, std::sin;
    const auto& q = x.p;
    const T cos_Theta = cos(q[Theta]), sin_Phi = sin(q[Phi]), sin_Omega = sin(q[Omega]);
    constexpr double ee = e - ea, zz = zf - fa;
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

  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    using std::cos, std::sin, std::sqrt;
    const auto& q = x.p;
    const auto& v = x.v;
    // the spring, from C to the point D of K3
    const T cos_gamma = cos(q[gamma]), sin_gamma = sin(q[gamma]);
    const T x_CD = sd * cos_gamma + sc * sin_gamma + (xb - xc);
    const T y_CD = sd * sin_gamma - sc * cos_gamma + (yb - yc);
    const T L = sqrt(x_CD * x_CD + y_CD * y_CD);
    const T F = -c0 * (L - l0) / L;

    f[0] = mom - m2 * da * rr * v[Theta] * (v[Theta] + 2 * v[beta]) * sin(q[Theta]);
    f[1] = m2 * da * rr * v[beta] * v[beta] * sin(q[Theta]);
    f[2] = F * (x_CD * (sc * cos_gamma - sd * sin_gamma) + y_CD * (sd * cos_gamma + sc * sin_gamma));
    f[3] = m4 * zt * (e - ea) * v[delta] * v[delta] * cos(q[Phi]);
    f[4] = -m4 * zt * (e - ea) * v[Phi] * (v[Phi] + 2 * v[delta]) * cos(q[Phi]);
    f[5] = -m6 * u * (zf - fa) * v[epsilon] * v[epsilon] * cos(q[Omega]);
    f[6] = m6 * u * (zf - fa) * v[Omega] * (v[Omega] + 2 * v[epsilon]) * cos(q[Omega]);
  }

  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    using std::cos, std::sin;
    const auto& q = x.p;
    // the point where all meet, by way of K1 and K2
    const T xe = rr * cos(q[beta]) - d * cos(q[beta] + q[Theta]);
    const T ye = rr * sin(q[beta]) - d * sin(q[beta] + q[Theta]);
    g[0] = xe - ss * sin(q[gamma]) - xb;
    g[1] = ye + ss * cos(q[gamma]) - yb;
    g[2] = xe - e * sin(q[Phi] + q[delta]) - zt * cos(q[delta]) - xa;
    g[3] = ye + e * cos(q[Phi] + q[delta]) - zt * sin(q[delta]) - ya;
    g[4] = xe - zf * cos(q[Omega] + q[epsilon]) - u * sin(q[epsilon]) - xa;
    g[5] = ye - zf * sin(q[Omega] + q[epsilon]) + u * cos(q[epsilon]) - ya;
  }
};

constexpr double published_torque = 33e-3;

// At t = 0.03. The published run (PSIDE, 1e-14) has, for example, gamma = 0.04082224013073101.
constexpr double andrews_reference[7] = {1.581077119515370709711939e+01, -1.575637105841183946972775e+01,
                                         4.082224011964580485828232e-02, -5.347301163420795937701850e-01,
                                         5.244099658799540693716558e-01, 5.347301163420795937701850e-01,
                                         1.048080741041937873068515e+00};

std::optional<double> andrews_digits(double t, const Vector& x) {
  if (std::abs(t - 0.03) > 1e-14) return std::nullopt;
  double error = 0;
  for (Index i = 0; i < 7; ++i)
    error = std::max(error, std::abs((x[i] - andrews_reference[i]) / andrews_reference[i]));
  return digits_of(error);
}

// The hinges: P on the crank, F where the three loops meet, and one on each arm.
void draw_andrews(ProblemCase& result) {
  using A = AndrewsMechanism;
  const auto add = [&result](const char* name, auto x_of, auto y_of) {
    result.drawn_columns.push_back({std::string(name) + "_x", x_of});
    result.drawn_columns.push_back({std::string(name) + "_y", y_of});
    result.drawing.points.push_back({std::string(name) + "_x", std::string(name) + "_y"});
  };
  result.drawing.points = {
      {"", "", 0, 0}, {"", "", A::xa, A::ya}, {"", "", A::xb, A::yb}, {"", "", A::xc, A::yc}};
  add(
      "P", [](const Vector& q) { return A::rr * std::cos(q[0]); },
      [](const Vector& q) { return A::rr * std::sin(q[0]); });
  add(
      "F", [](const Vector& q) { return A::rr * std::cos(q[0]) - A::d * std::cos(q[0] + q[1]); },
      [](const Vector& q) { return A::rr * std::sin(q[0]) - A::d * std::sin(q[0] + q[1]); });
  add(
      "D", [](const Vector& q) { return A::sd * std::cos(q[2]) + A::sc * std::sin(q[2]) + A::xb; },
      [](const Vector& q) { return A::sd * std::sin(q[2]) - A::sc * std::cos(q[2]) + A::yb; });
  add(
      "E", [](const Vector& q) { return A::xa + A::zt * std::cos(q[4]); },
      [](const Vector& q) { return A::ya + A::zt * std::sin(q[4]); });
  add(
      "H", [](const Vector& q) { return A::xa + A::u * std::sin(q[6]); },
      [](const Vector& q) { return A::ya - A::u * std::cos(q[6]); });
  // crank, coupler; K3 (B-F, B-D, F-D) and its spring D-C; the arms over E and H
  result.drawing.lines = {{0, 4}, {4, 5}, {2, 5}, {2, 6}, {5, 6}, {6, 3}, {1, 7}, {7, 5}, {1, 8}, {8, 5}};
  for (std::size_t i = 0; i < result.drawing.points.size(); ++i) result.drawing.circles.push_back({i, 8e-4});
  result.drawing.traces = {5};
}

ProblemCase make_andrews(const std::map<std::string, double>& values) {
  const double mom = values.at("mom");
  ProblemCase result;
  result.equations = std::make_unique<TemplatedEquations<AndrewsMechanism>>(AndrewsMechanism{mom});
  result.x0 = Vector::Zero(20);
  result.x0.head(7) << -0.0617138900142764496358948458001, 0, 0.455279819163070380255912382449,
      0.222668390165885884674473185609, 0.487364979543842550225598953530, -0.222668390165885884674473185609,
      1.23054744454982119249735015568;
  result.x0.segment(14, 2) << 98.5668703962410896057654982170, -6.12268834425566265503114393122;
  result.t_end = 0.03;
  result.rtol = result.atol = 1e-7;
  if (mom == published_torque) result.digits = andrews_digits;
  draw_andrews(result);
  return result;
}

}  // namespace

BuiltinProblem andrews_problem() {
  return {"andrews",
          "Andrews' squeezing mechanism: seven bodies, three loops, fast motion",
          "Hairer, Wanner, Solving ODEs II (1996), section VII.7; Test Set for IVP Solvers, problem Andrews",
          "largest relative error of the seven angles at t = 0.03, the criterion of the test set; own "
          "reference in "
          "quadruple precision",
          {{"mom", published_torque, "driving torque on K1 [Nm]"}},
          make_andrews};
}

}  // namespace trammel
