#include "trammel/cli/chosen_values.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "trammel/cli/settings.h"
#include "trammel/mechanism/expression_parser.h"

namespace trammel {

namespace {

class Parameters final : public ExpressionScope {
 public:
  explicit Parameters(const Mechanism& mechanism) : mechanism_(mechanism) {}
  std::optional<ExpressionSymbol> find(const ExpressionReference& reference) const override {
    const auto found = mechanism_.parameters.find(reference.name);
    if (reference.is_call || found == mechanism_.parameters.end()) return std::nullopt;
    return ExpressionSymbol(found->second);
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> result;
    for (const auto& [name, value] : mechanism_.parameters) result.push_back(name);
    return result;
  }

 private:
  const Mechanism& mechanism_;
};

// At commas, but not at those inside of parentheses.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> pieces(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      pieces.emplace_back();
    else
      pieces.back() += c;
  }
  return pieces;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

}  // namespace

ChosenValues chosen_values(const std::vector<std::string>& texts, const Mechanism& mechanism,
                           const std::string& option) {
  ChosenValues values;
  for (const std::string& text : texts)
    for (const std::string& piece : split(text)) {
      const auto [key, number] = split_setting(piece, option);
      try {
        const Expression expression = parse_expression(trimmed(number), Parameters(mechanism));
        const double nothing[] = {0.0};
        values.emplace_back(trimmed(key), expression.evaluate<double>(nothing));
      } catch (const ExpressionError& error) {
        throw std::invalid_argument(fmt::format("{} '{}': {}", option, piece, error.what()));
      }
      if (!std::isfinite(values.back().second))
        throw std::invalid_argument(fmt::format("{} '{}' is not a finite number", option, piece));
    }
  return values;
}

}  // namespace trammel
