#include "trammel/simulation/energy_balance.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trammel {

namespace {

constexpr double root6 = 2.449489742783178098;
constexpr std::array<double, 3> radau_nodes{(4 - root6) / 10, (4 + root6) / 10, 1.0};
constexpr std::array<double, 3> radau_weights{(16 - root6) / 36, (16 + root6) / 36, 1.0 / 9};

// on (0, 1): ½ ± ½ √(5 ± 2 √(10/7)) / 3
constexpr double outer = 0.453089922969331996, inner = 0.269234655052841546;
constexpr std::array<double, 5> gauss_nodes{0.5 - outer, 0.5 - inner, 0.5, 0.5 + inner, 0.5 + outer};
constexpr double outer_weight = 0.118463442528094544, inner_weight = 0.239314335249683234;
constexpr std::array<double, 5> gauss_weights{outer_weight, inner_weight, 64.0 / 225, inner_weight,
                                              outer_weight};

}  // namespace

const StepQuadrature StepQuadrature::radau{radau_nodes, radau_weights};
const StepQuadrature StepQuadrature::gauss{gauss_nodes, gauss_weights};

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

void EnergyBalance::add(double t, const StepWork& work, const EnergyState& end) {
  const double left = left_over(work, end);
  drivers_ += work.drivers;
  forces_ += work.forces + end.potential - last_.potential;
  unexplained_ += left;
  last_ = end;

  potential_least_ = std::min(potential_least_, end.potential);
  potential_most_ = std::max(potential_most_, end.potential);
  kinetic_most_ = std::max(kinetic_most_, end.kinetic);
  drivers_most_ = std::max(drivers_most_, std::abs(drivers_));
  if (std::abs(left) > std::abs(worst_)) {
    worst_ = left;
    worst_t_ = t;
  }
}

double EnergyBalance::in_motion() const {
  return std::max({kinetic_most_, potential_most_ - potential_least_, drivers_most_});
}

}  // namespace trammel
