#include "tests/motion/joint_against_cartesian.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>

#include "trammel/mechanism/measure_values.h"
#include "trammel/motion/consistent_state.h"
#include "trammel/motion/joint_motion.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {
namespace {

// Between −1 and 1, the same everywhere.
double some(Index i, int kind) { return std::sin(1.7 * static_cast<double>(i) + 0.9 * kind + 0.4); }

class Differences {
 public:
  void compare(const std::string& what, const Matrix& one, const Matrix& other, double tolerance) {
    if (one.rows() != other.rows() || one.cols() != other.cols()) {
      sentences.push_back(what + ": sizes differ");
      return;
    }
    if (one.size() == 0) return;
    Index row = 0, col = 0;
    const double error = (one - other).cwiseAbs().maxCoeff(&row, &col);
    const double size = 1 + other.cwiseAbs().maxCoeff();
    if (!(error <= tolerance * size))
      sentences.push_back(fmt::format("{} ({}, {}): {:.10g} against {:.10g}, of {:.3g}", what, row, col,
                                      one(row, col), other(row, col), size));
  }

  std::vector<std::string> sentences;
};

// ∂ of all wanted functions along displacements, velocities, force states and multipliers, by differences of
// fourth order of the tangent motion's values.
struct Differentiated {
  Matrix g, gI, gII, h, hI, dynamics, b;
};

Differentiated by_differences(JointMotion& motion, const MotionPoint& at, double step) {
  const Layout& l = motion.layout();
  const Index nv = l.v.size, nr = l.r.size, nm = l.lambda.size + l.mu.size, columns = 2 * nv + nr + nm;
  Differentiated result;
  for (Matrix* matrix : {&result.g, &result.gI, &result.gII}) matrix->setZero(l.lambda.size, columns);
  for (Matrix* matrix : {&result.h, &result.hI}) matrix->setZero(l.mu.size, columns);
  result.dynamics.setZero(nv, columns);
  result.b.setZero(nr, columns);
  MotionValues values(l, false);
  const Parts wanted =
      part::dynamics | part::mass | part::b | part::g | part::velocity_level | part::acceleration_level;
  for (Index k = 0; k < columns; ++k)
    for (const auto& [shift, weight] :
         {std::pair{-2.0, 1.0 / 12}, {-1.0, -8.0 / 12}, {1.0, 8.0 / 12}, {2.0, -1.0 / 12}}) {
      Vector x = at.x;
      if (k < nv) {
        // along the displacement, whose path is that of a constant velocity
        Vector p = x.segment(l.p.begin, l.p.size), change(l.p.size);
        const int parts = 64;
        for (int i = 0; i < parts; ++i) {
          // midpoint rule: exact for everything but balls, and for these up to parts⁻² step³
          motion.displacement_to_positions(p, Vector::Unit(nv, k) * (shift * step / parts / 2),
                                           Vector::Zero(l.normalizations), change);
          const Vector middle = p + change;
          motion.displacement_to_positions(middle, Vector::Unit(nv, k) * (shift * step / parts),
                                           Vector::Zero(l.normalizations), change);
          p += change;
        }
        x.segment(l.p.begin, l.p.size) = p;
      } else if (k < 2 * nv) {
        x[l.v.begin + k - nv] += shift * step;
      } else if (k < 2 * nv + nr) {
        x[l.r.begin + k - 2 * nv] += shift * step;
      } else {
        x[l.lambda.begin + k - 2 * nv - nr] += shift * step;  // λ and μ are neighbours
      }
      motion.evaluate({at.t, x, at.a}, wanted, values);
      const double factor = weight / step;
      result.g.col(k) += factor * values.g;
      result.gI.col(k) += factor * values.gI;
      result.gII.col(k) += factor * values.gII;
      result.h.col(k) += factor * values.h;
      result.hI.col(k) += factor * values.hI;
      result.b.col(k) += factor * values.b;
      result.dynamics.col(k) += factor * (values.dynamics - motion.slopes().mass * at.a);
    }
  return result;
}

void compare_slopes(JointEquations& equations, const MotionPoint& at, Differences& found) {
  JointMotion motion(equations);
  motion.follow(at.t, at.x);
  const Layout& l = equations.layout();
  const Index nv = l.v.size, nr = l.r.size, m = l.lambda.size, nm = m + l.mu.size;
  // a large step for large numbers, a small one for laws that bend sharply: an entry has to agree with one of them
  const std::array numbers = {by_differences(motion, at, 1e-3), by_differences(motion, at, 1e-4)};
  motion.differentiate(at, TangentMotion::everything);
  const TangentSlopes slopes = motion.slopes();
  const auto compare = [&](const std::string& what, const Matrix& exact, const auto& part) {
    const Matrix first = part(numbers[0]), second = part(numbers[1]);
    const Matrix nearer =
        ((first - exact).cwiseAbs().array() < (second - exact).cwiseAbs().array()).select(first, second);
    found.compare(what, exact, nearer, 1e-7);
  };
  const auto stacked = [](const Matrix& upper, const Matrix& lower) {
    Matrix all(upper.rows() + lower.rows(), upper.cols());
    all << upper, lower;
    return all;
  };
  using D = Differentiated;
  const auto rates = [&](Index first) {
    return [=](const D& d) { return stacked(d.gI.middleCols(first, nv), d.h.middleCols(first, nv)); };
  };
  const auto accelerations = [&](Index first) {
    return [=](const D& d) { return stacked(d.gII.middleCols(first, nv), d.hI.middleCols(first, nv)); };
  };
  const auto forces = [&](Index first, Index count) {
    return [=](const D& d) -> Matrix { return d.dynamics.middleCols(first, count); };
  };
  const auto states = [&](Index first, Index count) {
    return [=](const D& d) -> Matrix { return d.b.middleCols(first, count); };
  };
  compare("D by positions", Matrix(slopes.jacobian).topRows(m),
          [&](const D& d) -> Matrix { return d.g.leftCols(nv); });
  compare("D", slopes.jacobian, rates(nv));
  compare("rate_pose", slopes.rate_pose, rates(0));
  compare("acceleration_pose", slopes.acceleration_pose, accelerations(0));
  compare("acceleration_twist", slopes.acceleration_twist, accelerations(nv));
  compare("force_pose", slopes.force_pose, forces(0, nv));
  compare("force_twist", slopes.force_twist, forces(nv, nv));
  compare("force_state", slopes.force_state, forces(2 * nv, nr));
  compare("force_multiplier", Matrix(slopes.force_multiplier) - Matrix(slopes.jacobian).transpose(),
          forces(2 * nv + nr, nm));
  compare("state_pose", slopes.state_pose, states(0, nv));
  compare("state_twist", slopes.state_twist, states(nv, nv));
  compare("state_state", slopes.state_state, states(2 * nv, nr));
  compare("state_multiplier", slopes.state_multiplier, states(2 * nv + nr, nm));
}

Vector positions_of(std::span<const BodyState> bodies) {
  Vector all(12 * static_cast<Index>(bodies.size()));
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Index at = 12 * static_cast<Index>(i);
    all.segment<3>(at) = eigen(bodies[i].r);
    for (int k = 0; k < 3; ++k)
      all.segment<3>(at + 3 + 3 * k) = eigen(bodies[i].R.column[static_cast<std::size_t>(k)]);
  }
  return all;
}

Vector accelerations_of(std::span<const BodyState> bodies) {
  Vector all(6 * static_cast<Index>(bodies.size()));
  for (std::size_t i = 0; i < bodies.size(); ++i)
    all.segment<6>(6 * static_cast<Index>(i)) << eigen(bodies[i].a), eigen(bodies[i].alpha);
  return all;
}

Vector reactions_of(const Mechanism& mechanism, const Elements& elements, MechanismMotion& motion) {
  Vector all(6 * static_cast<Index>(mechanism.joints.size()));
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i) {
    const int body = mechanism.joints[i].body_b;
    const Vec3<double> point = motion.bodies()[static_cast<std::size_t>(body)].r;
    const Wrench<double> reaction = motion.reaction(elements.joint_rows[i], body, point);
    all.segment<6>(6 * static_cast<Index>(i)) << eigen(reaction.force), eigen(reaction.torque);
  }
  return all;
}

}  // namespace

std::vector<std::string> compare_joint_slopes(const Mechanism& mechanism) {
  JointEquations equations(mechanism);
  const Layout& l = equations.layout();
  Vector x = equations.initial_state(), a(l.v.size);
  for (Index i = 0; i < l.total; ++i) x[i] += 0.3 * some(i, 1);
  for (Index i = 0; i < a.size(); ++i) a[i] = some(i, 2);
  Differences found;
  compare_slopes(equations, {0.7, x, a}, found);
  return found.sentences;
}

JointComparison compare_joint_with_cartesian(const Mechanism& mechanism) {
  JointComparison result;
  constexpr double t = 0, tolerance = 1e-10;
  JointEquations equations(mechanism);
  CartesianEquations cartesian(mechanism);
  const Layout &l = equations.layout(), &of_bodies = cartesian.layout();

  // a state on the constraints with all velocities
  Vector x = equations.initial_state();
  if (AssemblyReport report = assemble_mechanism(equations, t, x); report.failure) {
    result.left_out = "cannot be assembled: " + report.failure.message;
    return result;
  }
  for (Index i = 0; i < l.v.size; ++i) x[l.v.begin + i] += 0.5 * some(i, 3);
  JointMotion motion(equations);
  motion.follow(t, x);
  ConsistentState consistent(motion);
  Failure failure = consistent.start(t, x);
  if (!failure) failure = consistent.complete(t, x);
  if (failure) {
    result.left_out = failure.message;
    return result;
  }
  result.redundant = consistent.redundant();

  // the same in Cartesian coordinates
  Vector y = equations.to_cartesian(t, x);
  CartesianMotion bodies(cartesian);
  bodies.follow(t, y);
  ConsistentState of_cartesian(bodies);
  failure = of_cartesian.start(t, y);
  if (!failure) failure = of_cartesian.find_multipliers(t, y);
  if (failure) {
    result.left_out = "Cartesian: " + failure.message;
    return result;
  }
  of_cartesian.present(t, y);
  const bool redundant_joints = of_cartesian.redundant();
  result.redundant = result.redundant || redundant_joints;

  Differences found;
  const Vector a = consistent.accelerations();
  JointMotion shown(equations);
  shown.follow(t, x);
  shown.set_state(t, x, Vector());
  bodies.set_state(t, y, of_cartesian.accelerations());
  const Vector places = positions_of(bodies.bodies());
  found.compare("places", positions_of(shown.bodies()), places, 1e-12);
  found.compare("kinetic energy", Matrix::Constant(1, 1, shown.kinetic_energy()),
                Matrix::Constant(1, 1, bodies.kinetic_energy()), tolerance);
  found.compare("potential energy", Matrix::Constant(1, 1, shown.potential_energy()),
                Matrix::Constant(1, 1, bodies.potential_energy()), tolerance);
  const auto vector = [](std::span<const double> values) -> Vector {
    return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
  };
  found.compare("measured", vector(shown.measured().value), vector(bodies.measured().value), tolerance);
  found.compare("measured rates", vector(shown.measured().rate), vector(bodies.measured().rate), tolerance);
  found.compare("reactions", reactions_of(mechanism, equations.elements(), shown),
                reactions_of(mechanism, equations.elements(), bodies), tolerance);
  // multipliers are in other axes; what is made of them is not
  const auto measures = [&](const Elements& elements, const MechanismMotion& of) -> Vector {
    Vector values(static_cast<Index>(elements.measures.size()));
    std::vector<double> arguments;
    evaluate_measures<double>(elements, elements.measure_order, t, of.input_values(),
                              {values.data(), elements.measures.size()}, arguments);
    return values;
  };
  found.compare("measures", measures(equations.elements(), shown), measures(cartesian.elements(), bodies),
                tolerance);
  shown.set_state(t, x, a);
  found.compare("accelerations", accelerations_of(shown.bodies()), accelerations_of(bodies.bodies()),
                tolerance);
  MotionValues of_joints(l, false), values(of_bodies, false);
  motion.evaluate({t, x, a}, part::b, of_joints);
  bodies.evaluate({t, y, of_cartesian.accelerations()}, part::b, values);
  found.compare("rates of states", of_joints.b, values.b, tolerance);
  EnergyState one, other;
  motion.energy(t, x, one);
  bodies.energy(t, y, other);
  found.compare("power", Eigen::Vector2d(one.force_power, one.driver_power),
                Eigen::Vector2d(other.force_power, other.driver_power), tolerance);
  // in any motion, since slopes do not ask for a consistent one: at rest |v| v is not smooth enough for differences
  Vector moving = x;
  for (Index i = 0; i < l.v.size; ++i) moving[l.v.begin + i] += 0.3 * some(i, 5);
  compare_slopes(equations, {t, moving, a}, found);
  result.differences = found.sentences;
  return result;
}

}  // namespace trammel
