#include "trammel/published/exact_pendulum.h"

#include <cmath>
#include <numbers>

namespace trammel {

ExactPendulum::ExactPendulum(double omega, double angle, double speed) : omega_(omega) {
  angle = std::remainder(angle, 2 * std::numbers::pi);
  const double s = std::sin(angle / 2), c = std::cos(angle / 2), r = speed / (2 * omega);
  k_ = std::hypot(s, r);
  direction_ = std::copysign(1.0, speed);
  // 1 − k², not from k
  const double complement = (c - r) * (c + r);
  // the square of the complementary modulus of k, or of 1/k
  const double squared = complement > 0 ? complement : -complement / (k_ * k_);
  known_ = squared > 1e-12;
  if (!known_) return;

  double a = 1, b = std::sqrt(squared), difference = std::sqrt(1 - squared);
  while (true) {
    mean_.push_back(a);
    half_difference_.push_back(difference);
    ratio_.push_back(b / a);
    if (difference < 1e-17 * a || mean_.size() > 20) break;
    difference = (a - b) / 2;
    const double next = (a + b) / 2;
    b = std::sqrt(a * b);
    a = next;
  }
  start_ = first_integral(k_ < 1 ? std::atan2(s, r) : angle / 2);
}

// F(φ), by doubling φ with each step of the mean.
double ExactPendulum::first_integral(double amplitude) const {
  double phi = amplitude;
  for (std::size_t i = 0; i + 1 < mean_.size(); ++i) {
    const double half_turns = std::numbers::pi * std::round(phi / std::numbers::pi);
    phi += std::atan(ratio_[i] * std::tan(phi - half_turns)) + half_turns;
  }
  return std::ldexp(phi, -static_cast<int>(mean_.size() - 1)) / mean_.back();
}

// Its inverse.
double ExactPendulum::amplitude(double u) const {
  const std::size_t last = mean_.size() - 1;
  double phi = std::ldexp(mean_.back() * u, static_cast<int>(last));
  for (std::size_t i = last; i > 0; --i)
    phi = (phi + std::asin(half_difference_[i] / mean_[i] * std::sin(phi))) / 2;
  return phi;
}

std::optional<ExactPendulum::Motion> ExactPendulum::at(double t) const {
  if (!known_) return std::nullopt;
  const bool swings = k_ < 1;
  const double phi = amplitude((swings ? omega_ * t : direction_ * k_ * omega_ * t) + start_);
  const double sn = std::sin(phi), cn = std::cos(phi);
  if (swings) {
    const double s = k_ * sn, c = std::sqrt((1 - s) * (1 + s));
    return Motion{2 * s * c, 1 - 2 * s * s, 2 * omega_ * k_ * cn};
  }
  // dn² = 1 − sn²/k²; (1 − 1/k²) + cn²/k² has no cancellation
  const double complement = ratio_[0] * ratio_[0], dn = std::sqrt(complement + cn * cn / (k_ * k_));
  return Motion{2 * sn * cn, 1 - 2 * sn * sn, direction_ * 2 * omega_ * k_ * dn};
}

}  // namespace trammel
