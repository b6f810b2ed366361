#include "trammel/analysis/displaced_motion.h"

#include <fmt/format.h>

#include <cmath>

#include "trammel/motion/mechanism_motion.h"

namespace trammel {

DisplacedMotion::DisplacedMotion(EquationsOfMotion& equations)
    : equations_(equations),
      tangent_(equations.tangent()),
      layout_(equations.layout()),
      values_(layout_, false),
      rest_(Vector::Zero(layout_.v.size)) {}

Failure DisplacedMotion::evaluate(double t, const Vector& x, const Vector& a, Parts wanted) {
  tangent_->evaluate({t, x, a}, wanted, values_);
  const std::string trouble = describe_non_finite(names(), wanted & ~Parts{part::mass}, values_);
  if (trouble.empty()) return {};
  return {Reason::not_finite, fmt::format("{} is not finite at t = {}", trouble, t)};
}

Failure DisplacedMotion::differentiate(double t, const Vector& x, const Vector& a, Wanted wanted) {
  std::string trouble = tangent_->differentiate(
      {t, x, a}, wanted == Wanted::everything ? TangentMotion::everything : TangentMotion::jacobian);
  const auto finite = [](const SparseMatrix& matrix) {
    return matrix.nonZeros() == 0 || matrix.coeffs().allFinite();
  };
  const TangentSlopes found = slopes();
  if (trouble.empty() &&
      !(finite(found.jacobian) &&
        (wanted == Wanted::jacobian || (finite(found.force_pose) && finite(found.acceleration_pose)))))
    trouble = "a derivative of the equations";
  if (trouble.empty()) return {};
  return {Reason::not_finite, fmt::format("{} is not finite at t = {}", trouble, t)};
}

PositionSlopes DisplacedMotion::position_slopes(double t, const Vector& x) {
  MotionDerivatives derivatives(layout_);
  equations_.differentiate({t, x, rest_}, part::kinematics, derivatives);
  const Matrix Z = derivatives.kinematics.middleCols(layout_.v.begin, layout_.v.size);
  const Matrix turning = derivatives.kinematics.middleCols(layout_.p.begin, layout_.p.size) * Z;
  return {Z.sparseView(), turning.sparseView()};
}

Failure DisplacedMotion::move(double t, const Vector& q, Vector& x) {
  if (Failure failure = evaluate(t, x, rest_, part::n)) return failure;
  auto p = x.segment(layout_.p.begin, layout_.p.size);
  Vector change(layout_.p.size);
  tangent_->displacement_to_positions(p, q, values_.n, change);
  p += change;
  return {};
}

Vector DisplacedMotion::displacement(const Vector& from, const Vector& to) {
  const Vector middle = 0.5 * (from + to);
  Vector q(layout_.v.size);
  tangent_->rates_to_velocities(middle.segment(layout_.p.begin, layout_.p.size),
                                (to - from).segment(layout_.p.begin, layout_.p.size), q);
  // between Euler parameters a rotation by θ looks like 4 tan(θ/4)
  if (rotates_bodies(equations_))
    for (Index body = 0; 6 * body < q.size(); ++body) {
      auto turn = q.segment<3>(6 * body + 3);
      const double seen = turn.norm();
      if (seen > 0) turn *= 4 * std::atan(seen / 4) / seen;
    }
  return q;
}

Failure DisplacedMotion::settle(double t, Vector& x) {
  try {
    tangent_->settle(t, x);
  } catch (const std::exception& error) {
    return {Reason::newton_failed, fmt::format("{} at t = {}", error.what(), t)};
  }
  return {};
}

void DisplacedMotion::follow(double t, const Vector& x) {
  equations_.follow(t, x);
  tangent_->follow(t, x);
}

bool rotates_bodies(EquationsOfMotion& equations) {
  const MechanismEquations* mechanism = equations.of_mechanism();
  return mechanism != nullptr && mechanism->rotates_bodies();
}

std::vector<std::string> displacement_names(EquationsOfMotion& equations) {
  if (!rotates_bodies(equations)) {
    const Layout& layout = equations.layout();
    return layout.p.size == layout.v.size ? equations.names().p : equations.names().v;
  }
  std::vector<std::string> result;
  const std::vector<Body>& bodies = equations.of_mechanism()->mechanism().bodies;
  for (std::size_t i = 1; i < bodies.size(); ++i)
    for (const char* suffix : {".x", ".y", ".z", ".rx", ".ry", ".rz"})
      result.push_back(bodies[i].name + suffix);
  return result;
}

std::string owner_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(0, dot);
}

}  // namespace trammel
