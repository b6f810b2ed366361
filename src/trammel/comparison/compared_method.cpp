#include "trammel/comparison/compared_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "trammel/simulation/method.h"
#include "trammel/simulation/options.h"

namespace trammel {

namespace {

constexpr Index most_positions_of_dense_methods = 150;

std::vector<ComparedMethod> named(std::initializer_list<const char*> names) {
  std::vector<ComparedMethod> methods;
  for (const char* name : names) methods.push_back({name});
  return methods;
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
  if (Failure failure = parse_method(result.name, method)) throw std::invalid_argument(failure.message);
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

MethodSelection usual_methods(const EquationsOfMotion& equations, bool redundant_constraints) {
  const Layout& layout = equations.layout();
  if (layout.lambda.size == 0 && layout.mu.size == 0) {
    // what integrates plain ODEs only cannot treat Euler parameters of length one and the like
    const bool plain = layout.normalizations == 0 && layout.w.size == 0 && layout.s.size == 0;
    if (plain)
      return {named({"ode/radau5", "ode/sdirk4", "ode/bdf", "ode/adams", "ode/erk", "psf/radau5"}), {}};
    return {named({"psf/radau5", "ode/radau5", "ode/sdirk4", "partitioned/sdirk4", "partitioned/bdf",
                   "partitioned/adams"}),
            {}};
  }
  if (is_large(equations))
    return {named({"psf/radau5", "partitioned/radau5", "partitioned/sdirk4", "partitioned/bdf",
                   "partitioned/adams"}),
            {"methods with dense matrices (ggl, index1, csm) are not taken unless named: the system is "
             "large"}};

  MethodSelection selection{named({"psf/radau5", "ggl/radau5", "index1/radau5", "partitioned/radau5",
                                   "partitioned/sdirk4", "partitioned/bdf", "partitioned/adams", "csm/ida"}),
                            {}};
  const auto leave_out = [&](std::initializer_list<const char*> names, const char* sentence) {
    std::erase_if(selection.methods, [&](const ComparedMethod& method) {
      return std::find(names.begin(), names.end(), method.name) != names.end();
    });
    selection.left_out.emplace_back(sentence);
  };
  if (redundant_constraints)
    leave_out({"ggl/radau5", "index1/radau5"},
              "ggl/radau5 and index1/radau5 are not taken unless named: they cannot treat redundant "
              "constraints");
  if (layout.w.size > 0 || layout.s.size > 0)
    leave_out(
        {"csm/ida"},
        "csm/ida is not taken unless named: it cannot treat auxiliary unknowns and contact coordinates");
  return selection;
}

}  // namespace trammel
