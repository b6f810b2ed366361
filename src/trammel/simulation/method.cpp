#include "trammel/simulation/method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "trammel/numerics/nearest_name.h"
#include "trammel/simulation/formulations.h"
#include "trammel/simulation/integrators.h"

namespace trammel {

namespace {

Failure bad(std::string message) { return {Reason::invalid_options, std::move(message)}; }

const Pairing* find_pairing(const FormulationEntry& formulation, const std::string& integrator) {
  for (const Pairing& pairing : formulation.pairings)
    if (pairing.integrator == integrator) return &pairing;
  return nullptr;
}

// What stands against a pair besides that nobody has entered it.
std::string why_unfit(const FormulationEntry& formulation, const IntegratorEntry& integrator) {
  if (integrator.needs_second_order && !formulation.gives_second_order)
    return fmt::format("{} integrates equations of second order in time, and '{}' is of first order",
                       integrator.name, formulation.name);
  if (!integrator.needs_second_order && !formulation.gives_rates && !formulation.gives_solves)
    return fmt::format("'{}' is of second order in time, and {} integrates equations of first order",
                       formulation.name, integrator.name);
  if (integrator.name == "trapezoidal" && formulation.name == "index3")
    return "positions constrained alone and a rule without damping are not stable together; take 'ggl'";
  if (integrator.needs_rates && !formulation.gives_rates)
    return fmt::format("{} integrates ordinary differential equations, and '{}' is not one", integrator.name,
                       formulation.name);
  if (integrator.needs_solves && !formulation.gives_solves)
    return fmt::format("'{}' is for explicit integrators, and {} is implicit", formulation.name,
                       integrator.name);
  if (integrator.needs_square_systems && formulation.has_more_equations)
    return fmt::format(
        "{} takes no more equations than unknowns, and '{}' has more where constraints are "
        "redundant",
        integrator.name, formulation.name);
  if (formulation.index > integrator.highest_index)
    return fmt::format("{} is for index {} at most, and '{}' has index {}", integrator.name,
                       integrator.highest_index, formulation.name, formulation.index);
  return {};
}

std::string refusal(const std::vector<Refusal>& refusals, const Traits& traits) {
  for (const Refusal& refusal : refusals)
    if (traits.contains(refusal.trait)) return refusal.reason;
  return {};
}

std::string near_name(const std::string& text, const std::vector<std::string>& names) {
  const std::string near = nearest_name(text, names);
  return near.empty() ? near : fmt::format(" (did you mean '{}'?)", near);
}

}  // namespace

const std::vector<MethodDescription>& methods() {
  static const std::vector<MethodDescription> all = [] {
    std::vector<MethodDescription> result;
    for (const FormulationEntry& formulation : formulations())
      for (const Pairing& pairing : formulation.pairings)
        result.push_back({{formulation.name, pairing.integrator},
                          pairing.when_to_use,
                          formulation,
                          *find_integrator(pairing.integrator),
                          pairing});
    return result;
  }();
  return all;
}

const MethodDescription* find_method(const Method& method) {
  for (const MethodDescription& description : methods())
    if (description.method.formulation == method.formulation &&
        description.method.integrator == method.integrator)
      return &description;
  return nullptr;
}

std::string why_no_pair(const FormulationEntry& formulation, const IntegratorEntry& integrator) {
  if (find_pairing(formulation, integrator.name) != nullptr) return {};
  std::string reason = why_unfit(formulation, integrator);
  if (!reason.empty()) return reason;
  return fmt::format("'{}' and {} would fit, but nobody has measured how well: the pair is not offered",
                     formulation.name, integrator.name);
}

Failure parse_method(const std::string& text, Method& method) {
  std::vector<std::string> names;
  for (const MethodDescription& description : methods()) {
    names.push_back(description.method.name());
    if (names.back() != text) continue;
    method = description.method;
    return {};
  }
  const std::size_t slash = text.find('/');
  const FormulationEntry* formulation = find_formulation(text.substr(0, slash));
  const IntegratorEntry* integrator =
      slash == std::string::npos ? nullptr : find_integrator(text.substr(slash + 1));
  if (formulation != nullptr && integrator != nullptr) {
    std::vector<std::string> offered;
    for (const Pairing& pairing : formulation->pairings)
      offered.push_back(formulation->name + "/" + pairing.integrator);
    return bad(fmt::format("there is no method '{}': {}. There are: {}", text,
                           why_no_pair(*formulation, *integrator), fmt::join(offered, ", ")));
  }
  return bad(fmt::format("there is no method '{}'{}. Valid methods: {}", text, near_name(text, names),
                         fmt::join(names, ", ")));
}

std::string why_refused(const Method& method, const Traits& traits) {
  const FormulationEntry& formulation = *find_formulation(method.formulation);
  std::string reason = refusal(formulation.refuses, traits);
  if (reason.empty() && find_integrator(method.integrator)->needs_rates)
    reason = refusal(formulation.rates_refuse, traits);
  return reason;
}

static std::array<const std::vector<OptionMember>*, 4> members_of(const Method& method) {
  return {&general_options(), &find_formulation(method.formulation)->options,
          &find_method(method)->pairing.options, &find_integrator(method.integrator)->options};
}

std::vector<std::string> options_of(const Method& method) {
  std::vector<std::string> keys;
  for (const auto* members : members_of(method))
    for (const OptionMember& member : *members) keys.push_back(member.key);
  return keys;
}

bool has_option(const Method& method, const std::string& key) {
  const auto members = members_of(method);
  return std::any_of(members.begin(), members.end(), [&](const std::vector<OptionMember>* some) {
    return std::any_of(some->begin(), some->end(),
                       [&](const OptionMember& member) { return member.key == key; });
  });
}

Failure check_option(const Method& method, const std::string& key) {
  if (has_option(method, key)) return {};
  for (const OptionDescription& description : option_descriptions()) {
    if (description.key != key && (description.also.empty() || description.also != key)) continue;
    if (has_option(method, description.key)) return {};
    return bad(
        fmt::format("method '{}' has no option '{}'; those that have it are {} ('trammel options {}' "
                    "lists what this one has)",
                    method.name(), key, description.methods, method.name()));
  }
  Options unused;
  return set_option(unused, key, "");  // which says that there is none, and what is near
}

// What is said of single constraints must have an effect.
static Failure check_rows(const Method& method, const CoordinateProjectionOptions& options,
                          const Layout& layout) {
  using Scales = CoordinateProjectionOptions::Scales;
  if (!options.measures_rows()) return {};
  if (!has_option(method, "constraint_tolerance"))
    return bad(
        fmt::format("constraints are given sizes ({}), and '{}' has none: it does not project inside a step. "
                    "projected/adams, projected/bdf and projected-index1/ida do",
                    options.closures.empty() ? "row_scales"
                                             : fmt::format("closure of '{}'", options.closures.front().first),
                    method.name()));
  for (const auto& [name, size] : options.closures)
    if (!(size > 0 && std::isfinite(size)))
      return bad(fmt::format("the closure of '{}' must be positive, but is {}", name, size));
  const Index rows = layout.lambda.size + layout.mu.size, given = options.row_scales.size();
  if (given == 0) return {};
  if (options.scales == Scales::automatic)
    return bad("row_scales are given, but constraint_scales is automatic: as_written uses them");
  if (given != rows)
    return bad(fmt::format("row_scales has {} entries, and there are {} constraints", given, rows));
  if (!(options.row_scales.array() > 0).all() || !options.row_scales.allFinite())
    return bad("row_scales must be positive");
  return {};
}

Failure check_method(const Method& method, const Options& options, const EquationsOfMotion& equations) {
  const MethodDescription* found = find_method(method);
  if (found == nullptr) {
    Method unused;
    return parse_method(method.name(), unused);
  }
  for (const auto& [key, value] : options.named)
    if (Failure failure = check_option(method, key)) return failure;
  if (Failure failure = check_rows(method, options.projection, equations.layout())) return failure;
  if (Failure failure = found->integrator.check(options, equations.layout().total)) return failure;
  if (Failure failure = found->formulation.check(options)) return failure;
  if (const std::string reason = why_refused(method, traits_of(equations)); !reason.empty())
    return bad(fmt::format("'{}' cannot treat these equations: {}", method.name(), reason));
  return {};
}

Failure check_methods(const std::vector<Method>& methods, const Options& options,
                      const EquationsOfMotion& equations) {
  for (const Method& method : methods) {
    Options own = options;
    std::erase_if(own.named, [&](const auto& option) {
      const auto has_it = [&](const Method& other) {
        return find_method(other) != nullptr && has_option(other, option.first);
      };
      return !has_it(method) && std::any_of(methods.begin(), methods.end(), has_it);
    });
    if (Failure failure = check_method(method, own, equations)) return failure;
  }
  return {};
}

}  // namespace trammel
