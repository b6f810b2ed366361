// Bricard's mechanism: five rods and six revolute joints in a closed loop, each axis perpendicular to the
// next. By the count of equations it could not move (30 equations for 30 coordinates); one equation is
// redundant, and it swings from one side to the other.
//
// Benchmark A04 of the library of M. González and coworkers (2006; IFToMM multibody benchmarks), which
// gives the motion of P3 as a plot, and counts the drift of the energy. The reference below is our own: five
// joint angles with multipliers of least norm, order 8 at a tolerance of 1e-11. Its loop closes to 2e-10 and
// its energy drifts by 3e-9 J in the end, so that it is good for about 9 digits.
#include <array>
#include <cmath>
#include <utility>

#include "trammel/published/mechanism_case.h"

namespace trammel {

namespace {

constexpr double step = 0.25;  // between the rows

// P3, every 0.25 s from t = 0.
constexpr double bricard_reference[][3] = {{1, -1, 0},
                                           {0.940056968341, -0.998308063961, -0.0581464481366},
                                           {0.77471780804, -0.979815047656, -0.199906158953},
                                           {0.540584591253, -0.935289264605, -0.353884149849},
                                           {0.274481319265, -0.886707938734, -0.462330002687},
                                           {-0.00230610044346, -0.866026938982, -0.49999734095},
                                           {-0.279017575424, -0.887361378834, -0.461074596304},
                                           {-0.544808878911, -0.936153468595, -0.351591642731},
                                           {-0.778135373031, -0.980352683443, -0.197252670615},
                                           {-0.941988303697, -0.998412260416, -0.056329017849},
                                           {-0.999983185294, -0.999999999859, -1.68145668301e-05},
                                           {-0.938096091348, -0.998199106616, -0.0599878616983},
                                           {-0.771281358969, -0.97926932984, -0.202562532653},
                                           {-0.536351962713, -0.934423733469, -0.356163286042},
                                           {-0.269942370283, -0.886062623687, -0.463565558358},
                                           {0.00691828201637, -0.866039220092, -0.499976068684},
                                           {0.283551079083, -0.888022814123, -0.459799392774},
                                           {0.549024688821, -0.937016183559, -0.34928594553},
                                           {0.781533855413, -0.980882204713, -0.194602416415},
                                           {0.943889965106, -0.99851181226, -0.054535866879},
                                           {0.999932742302, -0.999999997738, -6.72554291865e-05},
                                           {0.936105807013, -0.998085272639, -0.0618529590294},
                                           {0.767826224263, -0.978715565753, -0.205221444658},
                                           {0.532111128606, -0.933557037735, -0.358428873397},
                                           {0.26540078736, -0.88542556201, -0.464781211025},
                                           {-0.0115304056373, -0.866063779809, -0.499933524862},
                                           {-0.288081769757, -0.888692113222, -0.458504446956},
                                           {-0.553231882563, -0.937877248329, -0.346967242042},
                                           {-0.784913056593, -0.981403582259, -0.191955746772},
                                           {-0.945761822271, -0.998606836218, -0.0527672877429},
                                           {-0.999848674428, -0.999999988552, -0.000151314099668},
                                           {-0.934086251608, -0.997966446918, -0.063741437247},
                                           {-0.76435260224, -0.978153794409, -0.207882549691},
                                           {-0.527862222711, -0.932689340563, -0.360680736875},
                                           {-0.260856628597, -0.884796880438, -0.465976909619},
                                           {0.0161424326441, -0.86610061312, -0.49986971089},
                                           {0.292609586107, -0.88936914325, -0.457189815007},
                                           {0.557430320152, -0.938736502488, -0.344635719015},
                                           {0.788272777962, -0.981916790167, -0.189313013662},
                                           {0.947603746905, -0.998697449362, -0.0510235693015},
                                           {0.999730987332, -0.999999963826, -0.0002689763384}};

Mechanism bricard() {
  Mechanism mechanism;
  mechanism.gravity = {0, -9.81, 0};
  using Point = Vec3<double>;
  const std::array<Point, 6> P = {Point{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  const std::array<Point, 6> axes = {Point{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  // bars of 0.1 m x 0.1 m x 1 m
  constexpr double along = 0.02 / 12, across = 1.01 / 12;
  const auto name = [](int i) {
    return i == 0 || i == 6 ? std::string("ground") : "rod" + std::to_string(i);
  };
  for (int i = 1; i <= 5; ++i) {
    const Point from = P[static_cast<std::size_t>(i - 1)], to = P[static_cast<std::size_t>(i)];
    const auto moment = [&](int axis) { return from[axis] == to[axis] ? across : along; };
    Body rod;
    rod.name = name(i);
    rod.mass = 1;
    rod.inertia = principal_inertia(moment(0), moment(1), moment(2));
    rod.reference.origin = (from + to) * 0.5;
    mechanism.add(std::move(rod));
  }
  for (int i = 1; i <= 6; ++i)
    mechanism.add_joint("P" + std::to_string(i), JointType::revolute, name(i - 1), name(i),
                        P[static_cast<std::size_t>(i - 1)], axes[static_cast<std::size_t>(i - 1)]);
  return mechanism;
}

ProblemCase make_bricard(const std::map<std::string, double>&) {
  ProblemCase result = mechanism_case(bricard());
  result.t_end = 10;
  result.digits = [](double t, const Vector& x) -> std::optional<double> {
    const double row = t / step;
    if (row < 0 || row > std::size(bricard_reference) - 1 + 1e-9 || std::abs(row - std::round(row)) > 1e-9)
      return std::nullopt;
    const Eigen::Map<const Eigen::Vector3d> P3(bricard_reference[static_cast<std::size_t>(std::round(row))]);
    return digits_of((point_of_body(x, 2, {0, -0.5, 0}) - P3).lpNorm<Eigen::Infinity>());
  };
  return result;
}

}  // namespace

BuiltinProblem bricard_problem() {
  return {"bricard",
          "Bricard's mechanism: a loop that moves although it has as many equations as coordinates",
          "IFToMM library of multibody benchmarks, A04 (González and others)",
          "largest error of the joint P3 at t = 0, 0.25, ..., 10; own reference, good for 9 digits; the "
          "library counts "
          "the drift of the energy, which is given too",
          {},
          make_bricard};
}

}  // namespace trammel
