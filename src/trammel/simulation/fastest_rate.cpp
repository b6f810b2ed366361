#include "trammel/simulation/fastest_rate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trammel/numerics/norms.h"

namespace trammel {

namespace {

// A disturbance of displacements, velocities and force states, and what comes of it.
class Disturbance {
 public:
  Disturbance(ConsistentState& state, TangentMotion& motion, double t, const Vector& x)
      : state_(state), motion_(motion), t_(t), x_(x), l_(motion.layout()) {}

  bool begin() {
    if (state_.accelerate(t_, x_)) return false;
    accelerations_ = state_.accelerations();
    force_rates_ = state_.values().b;
    const Index n = 2 * l_.v.size + l_.r.size;
    direction_.resize(n);
    // in all directions alike, none as large as another
    for (Index i = 0; i < n; ++i)
      direction_[i] = 0.5 + std::fmod(0.6180339887 * static_cast<double>(i + 1), 1.0);
    direction_ /= direction_.norm();
    return n > 0;
  }

  // Lets the equations answer: by how much the disturbance grows, per second.
  std::optional<double> answer() {
    const Index n = l_.v.size;
    const double largest_velocity = largest(x_.segment(l_.v.begin, n));
    const double moved = std::max(largest(direction_.head(n)),
                                  largest(direction_.segment(n, n)) / std::max(1.0, largest_velocity));
    const double states =
        largest(direction_.tail(l_.r.size)) / std::max(1.0, largest(x_.segment(l_.r.begin, l_.r.size)));
    const double size = 1e-7 / std::max(moved, states);
    if (!std::isfinite(size)) return {};

    disturbed_ = x_;
    change_.resize(l_.p.size);
    motion_.displacement_to_positions(x_.segment(l_.p.begin, l_.p.size), size * direction_.head(n),
                                      Vector::Zero(l_.normalizations), change_);
    disturbed_.segment(l_.p.begin, l_.p.size) += change_;
    disturbed_.segment(l_.v.begin, n) += size * direction_.segment(n, n);
    disturbed_.segment(l_.r.begin, l_.r.size) += size * direction_.tail(l_.r.size);
    if (state_.accelerate(t_, disturbed_)) return {};

    answer_.resize(direction_.size());
    answer_.head(n) = direction_.segment(n, n);
    answer_.segment(n, n) = (state_.accelerations() - accelerations_) / size;
    answer_.tail(l_.r.size) = (state_.values().b - force_rates_) / size;
    const double growth = answer_.norm();
    if (!std::isfinite(growth)) return {};
    if (growth > 0) direction_ = answer_ / growth;
    return growth;
  }

 private:
  ConsistentState& state_;
  TangentMotion& motion_;
  const double t_;
  const Vector& x_;
  const Layout& l_;
  Vector accelerations_, force_rates_, direction_, answer_, disturbed_, change_;
};

}  // namespace

std::optional<double> fastest_rate(ConsistentState& state, TangentMotion& motion, double t, const Vector& x) {
  constexpr int most = 24, settled_after = 4;
  Disturbance disturbance(state, motion, t, x);
  if (!disturbance.begin()) return {};
  // Displacements and velocities have different units: two answers after each other tell the square of a rate
  // that is the same in all units.
  double estimate = 0;
  for (int i = 0; i < most; i += 2) {
    const std::optional<double> first = disturbance.answer();
    const std::optional<double> second = first ? disturbance.answer() : first;
    if (!second) return {};
    const double before = std::exchange(estimate, std::sqrt(*first * *second));
    if (estimate == 0 || (i >= settled_after && std::abs(estimate - before) < 0.05 * estimate)) break;
  }
  return estimate;
}

}  // namespace trammel
