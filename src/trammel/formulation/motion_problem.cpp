#include "trammel/formulation/motion_problem.h"

#include <fmt/format.h>

#include <algorithm>

namespace trammel {

void Violation::include(const Violation& other) {
  position = std::max(position, other.position);
  velocity = std::max(velocity, other.velocity);
  acceleration = std::max(acceleration, other.acceleration);
  invariant = std::max(invariant, other.invariant);
}

bool MotionProblem::constraints_depend_on_time(double t, VectorIn x) {
  constexpr Parts wanted = part::g | part::h;
  const Vector still = Vector::Zero(layout_.v.size);
  MotionValues now(layout_, false), later = now;
  try {
    motion_.evaluate({t, x, still}, wanted, now);
    for (double ahead = 1e-3; ahead < 5e3; ahead *= 3) {
      motion_.evaluate({t + ahead, x, still}, wanted, later);
      if (now.g != later.g || now.h != later.h) return true;
    }
  } catch (...) {
    return true;
  }
  return false;
}

Outcome MotionProblem::function_failed(double t, const char* what) {
  return give_up(
      Reason::user_function_failed,
      what != nullptr
          ? fmt::format("a function of the equations failed at t = {}: {}", t, what)
          : fmt::format("a function of the equations threw something that is not an exception at t = {}", t));
}

Outcome MotionProblem::not_finite(double t, const std::string& what) {
  return try_again(Reason::not_finite, fmt::format("{} is not finite at t = {}", what, t));
}

}  // namespace trammel
