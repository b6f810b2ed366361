// The heavy top: a body of revolution about y, held in one point and fast spinning, in Cartesian coordinates
// with Euler parameters.
//
// O. Brüls, A. Cardona, M. Arnold, Lie group generalized-α time integration of constrained flexible multibody
// systems, Mechanism and Machine Theory 48 (2012) 121-137; the slow top is that of the program heavy_top by
// S. Hante. The reference is our own (quaternion ODE about the fixed point, order 8, tolerance 1e-13); the
// run of Kynema with steps of 2e-6 s agrees with it at t = 2 in 1.1e-7 m.
#include <cmath>

#include "trammel/published/mechanism_case.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

struct Row {
  double t, x, y, z;  // centre of mass
};

constexpr Row fast[] = {{0.2, 0.60555056138, 0.59895768179, -0.52398302743},
                        {0.4, -0.16678467111, -0.04743965787, -0.98485143669},
                        {0.5, -0.70246829706, -0.02116518470, -0.71140025765},
                        {0.6, -0.91693064605, 0.26229720339, -0.30072972489},
                        {0.8, -0.41816242432, 0.90720796795, -0.04597705714},
                        {1.0, 0.17334396410, 0.64008859207, -0.74849079113},
                        {1.2, -0.33332728002, -0.36263236877, -0.87028195978},
                        {1.5, -0.96816571564, 0.25030606213, -0.00142208385},
                        {2.0, -0.15041682275, -0.72416559164, -0.67302226956}};

constexpr Row slow[] = {{0.2, 0.00853673891, 0.98139962792, -0.19178606415},
                        {0.4, 0.01106768718, 0.72618163264, -0.68741380749},
                        {0.5, 0.00722279824, 0.40584229862, -0.91391458016},
                        {0.6, -0.00030804078, -0.01529519811, -0.99988297417},
                        {0.8, -0.01862923813, -0.74312168226, -0.66889694038},
                        {1.0, -0.03116864706, -0.98338368142, -0.17884364836},
                        {1.2, -0.04042219320, -0.99918266173, -0.00023409117},
                        {1.5, -0.04729154442, -0.89831304525, -0.43680336830},
                        {2.0, 0.04962862824, 0.75812350285, -0.65021977338}};

ProblemCase make_heavy_top(const std::map<std::string, double>& values) {
  const bool is_slow = whole_number(values, "slow", 0, 1) == 1;
  const double factor = is_slow ? 0.01 : 1;
  Mechanism mechanism;
  mechanism.gravity = {0, 0, -9.81};
  Body top;
  top.name = "top";
  top.mass = 15;
  top.com = {0, 1, 0};
  top.inertia = principal_inertia(0.234375, 0.46875, 0.234375);
  top.angular_velocity = {0, 150 * factor, -4.61538 * factor};
  mechanism.add(std::move(top));
  mechanism.add_joint("tip", JointType::spherical, "ground", "top", {0, 0, 0});

  ProblemCase result = mechanism_case(mechanism);
  result.t_end = 2;
  result.digits = [is_slow](double t, const Vector& x) -> std::optional<double> {
    for (const Row& row : is_slow ? slow : fast)
      if (std::abs(t - row.t) < 1e-12)
        return digits_of(
            (point_of_body(x, 1) - Eigen::Vector3d(row.x, row.y, row.z)).lpNorm<Eigen::Infinity>());
    return std::nullopt;
  };
  return result;
}

}  // namespace

BuiltinProblem heavy_top_problem() {
  return {"heavy-top",
          "heavy top, fast or slow: one body in space, held in a point",
          "Brüls, Cardona, Arnold, Mechanism and Machine Theory 48 (2012), 121-137",
          "largest error of the centre of mass at t = 0.2, 0.4, 0.5, 0.6, 0.8, 1, 1.2, 1.5 and 2; own "
          "reference with 11 "
          "decimals",
          {{"slow", 0, "1: a hundredth of the angular speed"}},
          make_heavy_top};
}

}  // namespace trammel
