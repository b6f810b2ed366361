#include "trammel/comparison/compared_method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "trammel/simulation/formulations.h"
#include "trammel/simulation/method.h"
#include "trammel/simulation/method_choice.h"
#include "trammel/simulation/options.h"

namespace trammel {

namespace {

constexpr Index most_positions_of_dense_methods = 150;

bool is_too_dense(const MethodDescription& method, const Traits& traits, bool large) {
  return large && method.formulation.is_dense && traits.contains(Trait::constraints);
}

// "ggl/radau5 and index1/radau5 are not taken unless named: redundant constraints ..."
void tell(const std::map<std::string, std::vector<std::string>>& by_reason, MethodSelection& selection) {
  for (const auto& [reason, names] : by_reason)
    selection.left_out.push_back(fmt::format("{} {} not taken unless named: {}", fmt::join(names, ", "),
                                             names.size() > 1 ? "are" : "is", reason));
}

}  // namespace

std::string ComparedMethod::label() const {
  std::string text = name;
  for (const auto& [key, value] : options) text += fmt::format(":{}={}", key, value);
  return text;
}

ComparedMethod parse_compared_method(const std::string& text) {
  ComparedMethod result;
  std::size_t end = text.find(':');
  result.name = text.substr(0, end);
  Method method;
  const bool is_automatic = result.name == automatic_method;
  if (Failure failure = is_automatic ? Failure{} : parse_method(result.name, method))
    throw std::invalid_argument(failure.message);
  while (end != std::string::npos) {
    const std::size_t begin = end + 1;
    end = text.find(':', begin);
    const std::string setting = text.substr(begin, end == std::string::npos ? end : end - begin);
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw std::invalid_argument(
          fmt::format("'{}' of method '{}' must have the form key=value", setting, text));
    const std::string key = setting.substr(0, equals), value = setting.substr(equals + 1);
    Options options;
    if (Failure failure = set_option(options, key, value)) throw std::invalid_argument(failure.message);
    if (Failure failure = is_automatic ? Failure{} : check_option(method, key))
      throw std::invalid_argument(failure.message);
    result.options.emplace_back(key, value);
  }
  return result;
}

std::vector<ComparedMethod> parse_compared_methods(const std::vector<std::string>& texts) {
  std::vector<ComparedMethod> methods;
  for (const std::string& text : texts) {
    ComparedMethod method = parse_compared_method(text);
    const bool known = std::any_of(methods.begin(), methods.end(), [&](const ComparedMethod& other) {
      return other.label() == method.label();
    });
    if (!known) methods.push_back(std::move(method));
  }
  return methods;
}

bool is_large(const EquationsOfMotion& equations) {
  return equations.layout().p.size > most_positions_of_dense_methods;
}

MethodSelection usual_methods(const Traits& traits, bool large) {
  const SystemKind kind = kind_of(traits);
  MethodSelection selection;
  std::map<std::string, std::vector<std::string>> left_out;
  for (const MethodDescription& method : methods()) {
    const std::vector<SystemKind>& kinds = method.pairing.compared_on;
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) continue;
    std::string reason = why_refused(method.method, traits);
    if (reason.empty() && is_too_dense(method, traits, large))
      reason = "the system is large, and their matrices are dense";
    if (reason.empty())
      selection.methods.push_back({method.method.name()});
    else
      left_out[reason].push_back(method.method.name());
  }
  tell(left_out, selection);
  return selection;
}

std::vector<std::string> checking_methods(const Traits& traits, bool large) {
  std::vector<std::string> names;
  for (const MethodDescription& method : methods())
    if (method.pairing.checks_references && why_refused(method.method, traits).empty() &&
        !is_too_dense(method, traits, large))
      names.push_back(method.method.name());
  return names;
}

}  // namespace trammel
