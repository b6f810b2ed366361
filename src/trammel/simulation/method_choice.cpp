#include "trammel/simulation/method_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trammel/analysis/linearization.h"
#include "trammel/motion/mechanism_motion.h"
#include "trammel/simulation/formulations.h"
#include "trammel/simulation/integrators.h"

namespace trammel {

namespace {

// Larger systems run without an estimate: all eigenvalues cost more than a run may.
constexpr Index largest_estimate = 300;

EigenvalueSummary summarize(const std::vector<Mode>& found) {
  EigenvalueSummary summary;
  for (const Mode& mode : found) {
    const double size = std::abs(mode.eigenvalue), real = mode.eigenvalue.real();
    if (size == 0) {
      ++summary.zero;
      continue;
    }
    if (-real > summary.fastest_decay) {
      summary.fastest_decay = -real;
      summary.fastest_decay_is = mode.description;
    }
    summary.fastest_growth = std::max(summary.fastest_growth, real);
    if (mode.oscillates()) {
      summary.least_damping =
          summary.oscillating == 0 ? mode.damping_ratio : std::min(summary.least_damping, mode.damping_ratio);
      ++summary.oscillating;
      summary.highest_frequency_hz = std::max(summary.highest_frequency_hz, mode.frequency_hz);
    } else {
      ++(real < 0 ? summary.decaying : summary.growing);
    }
    if (summary.slowest == 0) {
      summary.slowest = size;
      summary.slowest_is = mode.description;
    }
    summary.fastest = size;  // they ascend
    summary.fastest_is = mode.description;
  }
  return summary;
}

const MethodDescription* method_for(SystemKind kind, std::vector<SystemKind> Pairing::*kinds_of) {
  for (const MethodDescription& method : methods()) {
    const std::vector<SystemKind>& kinds = method.pairing.*kinds_of;
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) return &method;
  }
  return nullptr;
}

// Why only one of two methods comes into question; empty if nothing speaks against the other.
std::string only_reason(const Method& this_one, const Method& other, const Options& options,
                        const EquationsOfMotion& equations) {
  const std::string refused = why_refused(other, traits_of(equations));
  if (!refused.empty()) return fmt::format("'{}' cannot treat these equations: {}", other.name(), refused);
  for (const auto& [key, value] : options.named)
    if (has_option(this_one, key) && !has_option(other, key))
      return fmt::format("'{}' is an option that '{}' does not have", key, other.name());
  return {};
}

}  // namespace

std::string EigenvalueSummary::report() const {
  std::string text = fmt::format("{} oscillating, {} decaying, {} growing, {} free modes\n", oscillating,
                                 decaying, growing, zero);
  if (oscillating > 0)
    text += fmt::format("highest frequency: {:.4g} Hz; least damping ratio: {:.3g}\n", highest_frequency_hz,
                        least_damping);
  if (fastest > 0)
    text += fmt::format("fastest: {:.4g} 1/s ({}), slowest: {:.4g} 1/s ({})\n", fastest, fastest_is, slowest,
                        slowest_is);
  return text;
}

std::string describe_speed(const EigenvalueSummary& summary, double duration) {
  // faster than the motion itself by this, and often enough in the run to be worth a thought
  constexpr double stiff = 50, wide = 100, worth_mentioning = 1000;
  if (summary.fastest == 0) return "at the start nothing pulls back or decays";
  const double slow = 1 / summary.slowest;
  const auto moving = [](const std::string& what) {
    return what.empty() ? std::string() : fmt::format(" in {}", what);
  };
  if (summary.fastest_decay > stiff * summary.slowest && summary.fastest_decay * duration > worth_mentioning)
    return fmt::format("stiff at the start (fastest time constant {:.2g} s{} against {:.2g} s)",
                       1 / summary.fastest_decay, moving(summary.fastest_decay_is), slow);
  const double highest = 2 * std::numbers::pi * summary.highest_frequency_hz;
  if (highest > wide * summary.slowest && highest * duration > worth_mentioning)
    return fmt::format(
        "vibrates ({:.3g} Hz{} at the start, slowest time scale {:.2g} s): steps resolve it as far as "
        "the tolerance asks",
        summary.highest_frequency_hz, moving(summary.fastest_is), slow);
  if (summary.slowest == summary.fastest)
    return fmt::format("not stiff at the start (time scale {:.2g} s)", slow);
  return fmt::format("not stiff at the start (time scales from {:.2g} to {:.2g} s)", 1 / summary.fastest,
                     slow);
}

std::optional<EigenvalueSummary> eigenvalue_summary(EquationsOfMotion& equations, double t, const Vector& x) {
  const Layout& layout = equations.layout();
  if (layout.v.size + layout.r.size > largest_estimate) return {};
  LinearizationOptions only_eigenvalues;
  only_eigenvalues.ports = false;
  const Linearization linear = linearize(equations, t, x, only_eigenvalues);
  if (linear.failure) return {};
  const std::vector<Mode> found = modes(linear);
  if (found.empty()) return {};
  return summarize(found);
}

MethodChoice choose_method(const EquationsOfMotion& equations, Options base) {
  MethodChoice choice;
  choice.options = std::move(base);
  // A mechanism gets the same methods in all coordinates, also where these leave no constraints: steps are the same as with
  // 'ode', trees of any length are settled by recursion, and its options do not depend on the coordinates.
  const SystemKind kind =
      equations.of_mechanism() != nullptr ? SystemKind::constrained : kind_of(traits_of(equations));
  const MethodDescription& smooth = *method_for(kind, &Pairing::automatic_for);
  const MethodDescription& stiff = *method_for(kind, &Pairing::automatic_when_stiff_for);
  const MethodDescription* taken = &smooth;
  const std::string for_stiff = only_reason(stiff.method, smooth.method, choice.options, equations);
  const std::string for_smooth = only_reason(smooth.method, stiff.method, choice.options, equations);
  if (equations.layout().invariants > 0 && choice.options.psf.enforce_invariants) {
    taken = &stiff;
    choice.reason = "invariants are to be kept";
  } else if (choice.options.is_named("fixed_step")) {
    taken = &stiff;
    choice.reason = "steps are fixed, and stable at any size";
  } else if (!for_stiff.empty()) {
    taken = &stiff;
    choice.reason = for_stiff;
  } else if (!for_smooth.empty()) {
    choice.reason = for_smooth;
  } else {
    choice.when_stiff = stiff.method;
    choice.reason =
        fmt::format("explicit as long as the motion is not stiff, {} where it is", stiff.method.name());
  }
  choice.method = taken->method;

  // not if it does not go with what the user has set
  for (const MethodDescription* method : {taken, choice.when_stiff ? &stiff : taken})
    for (const auto& [key, value] : method->pairing.automatic_options) {
      Options with = choice.options;
      if (with.is_named(key) || set_option(with, key, value) ||
          method->integrator.check(with, equations.layout().total))
        continue;
      choice.options = std::move(with);
      choice.options_set.emplace_back(key, value);
    }
  return choice;
}

bool automatic_methods_have(const std::string& key) {
  return std::all_of(methods().begin(), methods().end(), [&](const MethodDescription& method) {
    const bool is_automatic =
        method.pairing.automatic_for.size() + method.pairing.automatic_when_stiff_for.size() > 0;
    return !is_automatic || has_option(method.method, key);
  });
}

}  // namespace trammel
