#include "trammel/simulation/energy_balance.h"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

constexpr double root6 = 2.449489742783178098;
constexpr double weight1 = (16 - root6) / 36, weight2 = (16 + root6) / 36, weight3 = 1.0 / 9;

}  // namespace

const std::array<double, 2> EnergyBalance::nodes{(4 - root6) / 10, (4 + root6) / 10};

void EnergyBalance::begin(const EnergyState& state) {
  const double energy = state.kinetic + state.potential;
  if (begun_) {
    impacts_ += energy - final();
  } else {
    initial_ = energy;
    potential_least_ = potential_most_ = state.potential;
    kinetic_most_ = state.kinetic;
  }
  begun_ = true;
  last_ = state;
}

void EnergyBalance::add(double t, double h, const EnergyState& first, const EnergyState& second,
                        const EnergyState& end) {
  const double forces =
      h * (weight1 * first.force_power + weight2 * second.force_power + weight3 * end.force_power);
  const double drivers =
      h * (weight1 * first.driver_power + weight2 * second.driver_power + weight3 * end.driver_power);
  const double left = end.kinetic - last_.kinetic - forces - drivers;
  drivers_ += drivers;
  forces_ += forces + end.potential - last_.potential;
  unexplained_ += left;
  last_ = end;

  potential_least_ = std::min(potential_least_, end.potential);
  potential_most_ = std::max(potential_most_, end.potential);
  kinetic_most_ = std::max(kinetic_most_, end.kinetic);
  drivers_most_ = std::max(drivers_most_, std::abs(drivers_));
  judge(t, left);
}

void EnergyBalance::judge(double t, double left) {
  if (!(std::abs(left) > std::abs(worst_))) return;
  worst_ = left;
  worst_t_ = t;
}

double EnergyBalance::in_motion() const {
  return std::max({kinetic_most_, potential_most_ - potential_least_, drivers_most_});
}

}  // namespace trammel
