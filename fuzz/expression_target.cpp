#include <array>
#include <cmath>
#include <cstring>

#include "fuzz/expectation.h"
#include "fuzz/targets.h"
#include "trammel/mechanism/expression_parser.h"

namespace trammel {
namespace {

class Names : public ExpressionScope {
 public:
  std::optional<ExpressionSymbol> find(const ExpressionReference& reference) const override {
    if (reference.name == "t" && !reference.is_call) return 0;
    if (reference.name == "A.angle" && !reference.is_call) return 1;
    if (reference.name == "k" && !reference.is_call) return 3.5;
    if (reference.name == "distance" && reference.is_call && reference.arguments.size() == 2) return 1;
    return std::nullopt;
  }
  std::vector<std::string> names() const override { return {"t", "A.angle", "k", "distance", "points"}; }
  const Table* table(const std::string& name) const override { return name == "points" ? &points_ : nullptr; }

 private:
  static constexpr std::array<double, 3> x_{0, 1, 3}, y_{0, 2, -1};
  Table points_{x_, y_, Table::Interpolation::cubic, Table::Outside::extend};
};

bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

}  // namespace

// With derivatives it has the same value as without.
void fuzz_expression(const std::uint8_t* data, std::size_t size) {
  static const Names names;
  try {
    const Expression expression =
        parse_expression(std::string_view(reinterpret_cast<const char*>(data), size), names);
    for (const double t : {0.0, 0.7, -3.0, 1e9}) {
      using Number = Dual<double, 8>;
      const std::array<double, 2> plain_inputs{t, 0.5 - t};
      const std::array<Number, 2> inputs{Number::variable(t, 0), Number::variable(0.5 - t, 1)};
      const double value = expression.evaluate<double>(std::span<const double>(plain_inputs));
      const Number with_slope = expression.evaluate<Number>(std::span<const Number>(inputs));
      const double tolerance = 1e-9 * std::abs(value);
      fuzz_expect(same(value, with_slope.value) || std::abs(value - with_slope.value) <= tolerance ||
                      !std::isfinite(value),
                  "an expression has the same value with derivatives");
    }
  } catch (const ExpressionError& error) {
    fuzz_expect(std::strlen(error.what()) > 0, "a message is not empty");
    fuzz_expect(error.column <= size, "the place of an error is in the text");
  }
}

}  // namespace trammel
