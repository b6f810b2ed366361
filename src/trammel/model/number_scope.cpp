#include "trammel/model/number_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace trammel {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) > 127;
}

SourcePlace place_in(const ModelNode& node, std::size_t column) {
  SourcePlace place = node.place();
  if (place.line > 0) place.column += static_cast<int>(column);
  return place;
}

// A number without names and operators, which most are.
std::optional<double> plain_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_yaml_infinity_or_nan(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  if (text.starts_with('+') || text.starts_with('-')) text.erase(0, 1);
  return text == ".inf" || text == ".nan" || text == "inf" || text == "nan" || text == "infinity";
}

// Takes names it does not know for quantities that vary with time; whether they exist is found when the
// mechanism is compiled.
class LawScope : public ExpressionScope {
 public:
  explicit LawScope(const NumberScope& numbers) : numbers_(numbers) {}

  std::optional<ExpressionSymbol> find(const ExpressionReference& reference) const override {
    if (const auto known = numbers_.find(reference)) return known;
    // "5 N/m" is a unit, not a division by m
    const bool plain = !reference.is_call && reference.name.find('.') == std::string::npos;
    if (plain && reference.name != "t" && !numbers_.variables.contains(reference.name) &&
        is_unit(reference.name))
      return std::nullopt;
    if (plain && (reference.name == "pi" || reference.name == "tau" || reference.name == "e"))
      return std::nullopt;
    return ExpressionSymbol(0);
  }
  std::vector<std::string> names() const override { return numbers_.names(); }
  const Table* table(const std::string& name) const override { return numbers_.table(name); }

 private:
  bool is_unit(const std::string& name) const {
    try {
      parse_expression("1 [" + name + "]", numbers_);
      return true;
    } catch (const ExpressionError&) {
      return false;
    }
  }

  const NumberScope& numbers_;
};

}  // namespace

std::vector<NameInText> names_in(const std::string& expression) {
  std::vector<NameInText> names;
  const auto at = [&](std::size_t i) { return i < expression.size() ? expression[i] : '\0'; };
  for (std::size_t i = 0; i < expression.size();) {
    if (is_digit(at(i)) || (at(i) == '.' && is_digit(at(i + 1)))) {
      double ignored = 0;
      const char* start = expression.data() + i;
      const char* end = std::from_chars(start, expression.data() + expression.size(), ignored).ptr;
      i += std::max<std::size_t>(1, static_cast<std::size_t>(end - start));
      continue;
    }
    if (!is_letter(at(i)) && at(i) != '\'') {
      ++i;
      continue;
    }
    NameInText name{"", i, i};
    while (true) {
      if (at(i) == '\'') {
        const std::size_t close = std::min(expression.find('\'', i + 1), expression.size());
        name.name += expression.substr(i + 1, close - i - 1);
        i = std::min(close + 1, expression.size());
      }
      while (is_letter(at(i)) || is_digit(at(i))) name.name += expression[i++];
      if (at(i) != '.' || (!is_letter(at(i + 1)) && at(i + 1) != '\'')) break;
      name.name += expression[i++];
    }
    name.end = i;
    names.push_back(name);
  }
  return names;
}

double NumberScope::evaluate(const std::string& text, const ModelNode& node, std::size_t offset) const {
  try {
    return parse_expression(text, *this).evaluate<double>({});
  } catch (const ExpressionError& error) {
    throw ModelError(place_in(node, offset + error.column), error.what());
  } catch (const std::exception& error) {
    throw ModelError(node.place(), error.what());
  }
}

double NumberScope::number(const ModelNode& node, const std::string& what) const {
  if (node.kind != ModelNode::Kind::word)
    throw ModelError(node.place(), fmt::format("'{}' is a number, not {}", what, node.in_words()));
  const std::string written = text(node, what);
  if (is_yaml_infinity_or_nan(written))
    throw ModelError(node.place(), fmt::format("'{}' is a finite number, not {}", what, node.in_words()));
  if (const auto plain = plain_number(written)) return *plain;
  const double value = evaluate(written, node, 0);
  if (!std::isfinite(value)) throw ModelError(node.place(), fmt::format("'{}' is not finite", what));
  return value;
}

Law NumberScope::law(const ModelNode& node, const std::string& what,
                     const std::vector<std::string>& own) const {
  if (node.kind != ModelNode::Kind::word)
    throw ModelError(node.place(),
                     fmt::format("'{}' is a number or an expression, not {}", what, node.in_words()));
  const std::string written = text(node, what);
  if (is_yaml_infinity_or_nan(written))
    throw ModelError(node.place(), fmt::format("'{}' is finite, not {}", what, node.in_words()));
  if (const auto plain = plain_number(written)) return {*plain};
  const auto is_own = [&](const NameInText& name) {
    return std::find(own.begin(), own.end(), name.name) != own.end();
  };
  const std::vector<NameInText> names = names_in(written);
  try {
    if (std::none_of(names.begin(), names.end(), is_own))
      return {parse_expression(written, *this).evaluate<double>({})};
  } catch (const ExpressionError&) {
    // not a number: an expression of time, or wrong
  }
  try {
    parse_expression(written, LawScope(*this));
  } catch (const ExpressionError& error) {
    throw ModelError(place_in(node, error.column), error.what());
  } catch (const std::exception& error) {
    throw ModelError(node.place(), error.what());
  }
  return Law(with_indices(written), node.place());
}

std::string NumberScope::text(const ModelNode& node, const std::string& what) const {
  if (node.kind != ModelNode::Kind::word)
    throw ModelError(node.place(), fmt::format("'{}' is a word, not {}", what, node.in_words()));
  if (indices.empty() || node.text.find('{') == std::string::npos) return node.text;
  std::string result;
  for (std::size_t i = 0; i < node.text.size();) {
    if (node.text[i] != '{') {
      result += node.text[i++];
      continue;
    }
    const std::size_t close = node.text.find('}', i);
    if (close == std::string::npos) throw ModelError(place_in(node, i), "this '{' is not closed");
    const double value = evaluate(node.text.substr(i + 1, close - i - 1), node, i + 1);
    if (value != std::round(value) || std::abs(value) > 1e15)
      throw ModelError(place_in(node, i), fmt::format("{} is {}, not a whole number",
                                                      node.text.substr(i, close - i + 1), value));
    result += std::to_string(static_cast<long long>(value));
    i = close + 1;
  }
  return result;
}

std::string NumberScope::with_indices(const std::string& text) const {
  if (indices.empty()) return text;
  std::string result;
  std::size_t copied = 0;
  for (const NameInText& name : names_in(text))
    for (const Index& index : indices)
      if (index.name == name.name) {
        // in brackets, so that a sign or a unit behind it does no harm
        result += text.substr(copied, name.begin - copied) +
                  (index.value >= 0 && index.value == std::round(index.value) && index.value < 1e9
                       ? fmt::format("{:.0f}", index.value)
                       : fmt::format("({:.17g})", index.value));
        copied = name.end;
      }
  return result + text.substr(copied);
}

std::optional<ExpressionSymbol> NumberScope::find(const ExpressionReference& reference) const {
  if (reference.is_call) return std::nullopt;
  for (const Index& index : indices)
    if (index.name == reference.name) return ExpressionSymbol(index.value);
  const auto found = parameters.find(reference.name);
  if (found == parameters.end()) return std::nullopt;
  return ExpressionSymbol(found->second);
}

std::vector<std::string> NumberScope::names() const {
  std::vector<std::string> names;
  for (const Index& index : indices) names.push_back(index.name);
  for (const auto& [name, value] : parameters) names.push_back(name);
  for (const auto& [name, table] : tables) names.push_back(name);
  return names;
}

const Table* NumberScope::table(const std::string& name) const {
  const auto found = tables.find(name);
  return found == tables.end() ? nullptr : &found->second;
}

}  // namespace trammel
