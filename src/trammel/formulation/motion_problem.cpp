#include "trammel/formulation/motion_problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace trammel {

void MotionProblem::note_redundant(const std::vector<char>& active) {
  std::vector<std::string> names;
  for (std::size_t row = 0; row < active.size(); ++row) {
    const std::size_t holonomic = static_cast<std::size_t>(layout_.lambda.size);
    if (!active[row])
      names.push_back(row < holonomic ? motion_.names().g[row] : motion_.names().h[row - holonomic]);
  }
  if (names.empty()) return;
  note(fmt::format(
      "constraints are redundant: {} depend{} on the others; the reactions shown are those of minimal "
      "norm",
      fmt::join(names, ", "), names.size() == 1 ? "s" : ""));
}

Vector MotionProblem::sample_velocities() const {
  Vector v(layout_.v.size);
  for (Index i = 0; i < v.size(); ++i) {
    const double irrational = 0.6180339887498949 * static_cast<double>(i + 1);
    v[i] = 0.5 + irrational - std::floor(irrational);
  }
  return v;
}

bool MotionProblem::constraints_are_driven(double t, VectorIn x) {
  constexpr Parts wanted = part::g | part::h;
  const Vector still = Vector::Zero(layout_.v.size);
  MotionValues now(layout_, false), later = now;
  try {
    motion_.evaluate({t, x, still}, wanted, now);
    if (!now.h.isZero(0)) return true;
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
