#include "trammel/simulation/method_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/analysis/linearization.h"
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

std::string describe_speed(const EigenvalueSummary& summary) {
  constexpr double stiff = 1000, wide = 100;
  if (summary.fastest == 0) return "at the start nothing pulls back or decays";
  const double slow = 1 / summary.slowest;
  const auto moving = [](const std::string& what) {
    return what.empty() ? std::string() : fmt::format(" in {}", what);
  };
  if (summary.fastest_decay > stiff * summary.slowest)
    return fmt::format("stiff (fastest time constant {:.2g} s{} against {:.2g} s): implicit, L-stable",
                       1 / summary.fastest_decay, moving(summary.fastest_decay_is), slow);
  if (summary.spread() > wide)
    return fmt::format(
        "fast vibration ({:.3g} Hz{}, slowest time scale {:.2g} s): implicit; steps resolve it as "
        "far as the tolerance asks",
        summary.highest_frequency_hz, moving(summary.fastest_is), slow);
  return fmt::format("not stiff (time scales from {:.2g} to {:.2g} s)", 1 / summary.fastest, slow);
}

const MethodDescription& method_for(SystemKind kind) {
  for (const MethodDescription& method : methods()) {
    const std::vector<SystemKind>& kinds = method.pairing.automatic_for;
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) return method;
  }
  return methods().front();
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

MethodChoice choose_method(EquationsOfMotion& equations, double t, const Vector& x, Options base) {
  const Layout& layout = equations.layout();
  MethodChoice choice;
  choice.options = std::move(base);
  const SystemKind kind = kind_of(traits_of(equations));
  const MethodDescription& chosen = method_for(kind);
  choice.method = chosen.method;
  choice.reason = kind == SystemKind::ordinary ? "no constraints: ordinary differential equations"
                                               : "constraints held to round-off at all levels";
  // not if it does not go with what the user has set
  for (const auto& [key, value] : chosen.pairing.automatic_options) {
    Options with = choice.options;
    if (with.is_named(key) || set_option(with, key, value) || chosen.integrator.check(with, layout.total))
      continue;
    choice.options = std::move(with);
    choice.options_set.emplace_back(key, value);
  }

  if (layout.v.size + layout.r.size > largest_estimate) return choice;
  LinearizationOptions only_eigenvalues;
  only_eigenvalues.ports = false;
  const Linearization linear = linearize(equations, t, x, only_eigenvalues);
  if (linear.failure) return choice;
  const std::vector<Mode> found = modes(linear);
  if (found.empty()) return choice;
  choice.eigenvalues = summarize(found);
  choice.reason += "; " + describe_speed(*choice.eigenvalues);
  return choice;
}

}  // namespace trammel
