#include "trammel/formulation/projection/kept_invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/numerics/norms.h"

namespace trammel {

KeptInvariants::KeptInvariants(TangentMotion& motion)
    : motion_(motion),
      layout_(motion.layout()),
      rest_(Vector::Zero(layout_.v.size)),
      none_(Vector::Zero(layout_.normalizations)),
      values_(layout_, false) {}

template <class Function>
Failure KeptInvariants::guarded(double t, const Function& function) {
  try {
    return function();
  } catch (const NotDetermined& what) {
    return {what.reason(), what.what()};
  } catch (const std::exception& error) {
    return {Reason::user_function_failed,
            fmt::format("a function of the equations failed at t = {}: {}", t, error.what())};
  }
}

Failure KeptInvariants::start(double t, const VectorIn& x) {
  base_.setZero(layout_.invariants > 0 ? layout_.invariants : 1);
  Vector now;
  if (Failure failure = values(t, x, now)) return failure;
  base_ = now;
  return {};
}

Failure KeptInvariants::values(double t, const VectorIn& x, Vector& e) {
  return guarded(t, [&]() -> Failure {
    if (layout_.invariants > 0) {
      motion_.evaluate({t, x, rest_}, part::e, values_);
      e = values_.e - base_;
      round_off_ = 1e-15 * (1 + largest(values_.e));
    } else {
      EnergyState energy;
      if (!motion_.energy(t, x, energy))
        return {Reason::invalid_options,
                "invariants=keep: these equations name no invariants and do not know their energy"};
      e = Vector::Constant(1, energy.kinetic + energy.potential) - base_;
      round_off_ = 1e-15 * std::max({energy.kinetic, std::abs(energy.potential), 1e-280});
    }
    if (e.allFinite()) return {};
    return {Reason::not_finite, fmt::format("an invariant is not finite at t = {}", t)};
  });
}

// Of the energy: momenta by the velocities; by displacements what forces do along them, which leaves out how the
// masses seen from joints change with the positions.
Failure KeptInvariants::gradients(double t, const VectorIn& x, Matrix& by_pose, Matrix& by_twist) {
  return guarded(t, [&]() -> Failure {
    if (layout_.invariants > 0) {
      const std::string trouble = motion_.differentiate({t, x, rest_}, TangentMotion::everything);
      if (!trouble.empty())
        return {Reason::not_finite, fmt::format("{} is not finite at t = {}", trouble, t)};
      by_pose = motion_.slopes().invariant_pose;
      by_twist = motion_.slopes().invariant_twist;
      return {};
    }
    shifted_ = x;
    shifted_.segment(layout_.lambda.begin, layout_.lambda.size).setZero();
    shifted_.segment(layout_.mu.begin, layout_.mu.size).setZero();
    motion_.evaluate({t, shifted_, rest_}, part::dynamics | part::mass, values_);
    by_pose = -values_.dynamics.transpose();
    by_twist = (motion_.slopes().mass * x.segment(layout_.v.begin, layout_.v.size)).transpose();
    return {};
  });
}

Failure KeptInvariants::check(double t, const VectorIn& x) {
  if (layout_.invariants > 0) return {};
  return guarded(t, [&]() -> Failure {
    const auto v = x.segment(layout_.v.begin, layout_.v.size);
    const double speed = largest(v);
    if (speed == 0) return {};
    EnergyState here, there;
    motion_.energy(t, x, here);
    change_.resize(layout_.p.size);
    motion_.displacement_to_positions(x.segment(layout_.p.begin, layout_.p.size), v, none_, change_);
    const double step = 1e-5 * (1 + largest(x.segment(layout_.p.begin, layout_.p.size))) / largest(change_);
    double rise = 0;
    for (const double sign : {1.0, -1.0}) {
      shifted_ = x;
      shifted_.segment(layout_.p.begin, layout_.p.size) += sign * step * change_;
      motion_.energy(t, shifted_, there);
      rise += sign * there.potential / (2 * step);
    }
    const double lost = here.force_power + here.driver_power + rise;
    // powers cancel, and a difference is not exact: where the motion turns, little of them is left
    const double size = std::max({std::abs(here.force_power), std::abs(rise), std::abs(here.driver_power)});
    const double energy = here.kinetic + std::abs(here.potential) + largest(base_);
    if (std::abs(lost) <= 1e-5 * size + 1e-11 * energy / step) return {};
    return {
        Reason::invalid_options,
        fmt::format("invariants=keep: the energy of this mechanism is not kept: forces without a potential, "
                    "or drivers, bring {:.3g} W at t = {:.6g}. Leave the option out",
                    lost, t)};
  });
}

}  // namespace trammel
