// Andrews' squeezing mechanism for 0.03 s: seven bodies, three loops, one degree of freedom; not stiff, fast.
// Equations and data as in E. Hairer, G. Wanner, Solving Ordinary Differential Equations II (1996), section
// VII.7. The error is the largest relative error of a position at the end, as in the Test Set for Initial
// Value Problem Solvers, against a solution in quadruple precision.
#include <memory>

#include "sundials_peer.h"
#include "trammel_peer.h"

namespace peers {

namespace {

constexpr double end_time = 0.03;
constexpr double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706, m7 = .05498;
constexpr double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7,
                 i7 = 1.912e-5;
constexpr double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072, c0 = 4530;
constexpr double d = 28e-3, da = 115e-4, e = 2e-2, ea = 1421e-5, rr = 7e-3, ra = 92e-5, l0 = 7785e-5;
constexpr double ss = 35e-3, sa = 1874e-5, sb = 1043e-5, sc = 18e-3, sd = 2e-2, ta = 2308e-5, tb = 916e-5;
constexpr double u = 4e-2, ua = 1228e-5, ub = 449e-5, zf = 2e-2, zt = 4e-2, fa = 1421e-5, mom = 33e-3;

constexpr double initial[7] = {-0.0617138900142764496358948458001, 0,
                               0.455279819163070380255912382449,   0.222668390165885884674473185609,
                               0.487364979543842550225598953530,   -0.222668390165885884674473185609,
                               1.23054744454982119249735015568};
constexpr double reference[7] = {1.581077119515370709711939e+01, -1.575637105841183946972775e+01,
                                 4.082224011964580485828232e-02, -5.347301163420795937701850e-01,
                                 5.244099658799540693716558e-01, 5.347301163420795937701850e-01,
                                 1.048080741041937873068515e+00};

// q = (beta, Theta, gamma, Phi, delta, Omega, epsilon). Every constraint is a sum of terms length · cos or
// sin of beta, beta + Theta, gamma, Phi + delta, delta, Omega + epsilon and epsilon.
class Andrews final : public ConstrainedSystem {
 public:
  Andrews() : ConstrainedSystem(7, 6) {}

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

double worst_relative_error(const double* q) {
  double worst = 0;
  for (int i = 0; i < 7; ++i) worst = std::max(worst, std::abs((q[i] - reference[i]) / reference[i]));
  return worst;
}

}  // namespace

Contest andrews() {
  const auto system = std::make_shared<Andrews>();
  Contest contest;
  contest.name = "andrews";
  contest.title = "Andrews' squeezing mechanism, 0.03 s";
  contest.error_is = "largest relative error of a position";
  contest.notes = {"CVODE's projections hold the constraints below 1e-10."};
  const StateFunction error = [](const trammel::Vector& x) { return worst_relative_error(x.data()); };
  const StateFunction energy = [system](const trammel::Vector& x) {
    return system->energy(x.head(7), x.segment(7, 7));
  };
  for (const std::string method : {"psf/radau5", "ggl/radau5", "partitioned/radau5", "partitioned/adams",
                                   "partitioned/bdf", "csm/radau5", "ggl/ida"})
    contest.competitors.push_back({"Trammel", method, decades(4, 11),
                                   [method, error, energy](double tolerance) {
                                     return run_builtin("andrews", {}, end_time, method, tolerance, error,
                                                        energy);
                                   },
                                   true});
  const auto add = [&](const std::string& program, const std::string& method, auto run) {
    contest.competitors.push_back({program, method, decades(4, 11),
                                   [system, run](double tolerance) {
                                     SundialsTask task;
                                     task.system = system.get();
                                     task.q = Eigen::Map<const VectorXd>(initial, 7);
                                     task.v.setZero(7);
                                     task.end = end_time;
                                     task.tolerance = tolerance;
                                     task.constraint_tolerance = 1e-10;
                                     task.error = [](const VectorXd& q, const VectorXd&) {
                                       return worst_relative_error(q.data());
                                     };
                                     return run(task);
                                   },
                                   true});
  };
  add("CVODE", "BDF, projected", [](const SundialsTask& task) { return run_cvode(task, Formula::bdf); });
  add("CVODE", "Adams, projected", [](const SundialsTask& task) { return run_cvode(task, Formula::adams); });
  add("IDA", "GGL", [](const SundialsTask& task) { return run_ida(task); });
  return contest;
}

}  // namespace peers
