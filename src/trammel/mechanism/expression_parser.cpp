// From text to a program, by recursive descent over a list of words. Operands that are constant are folded on
// the way.
//
//   choice    = level1 ["?" choice ":" choice]
//   level1-6  = operators by precedence: or; and; not; < <= > >= == !=; + -; * /
//   sign      = {"+" | "-"} power
//   power     = value ["^" sign]
//   value     = (number | "(" choice ")" | name | name "(" arguments ")") [unit]
//   unit      = factor {("*" | "/") factor} without spaces, or the same in brackets
//   factor    = unit word ["^" integer]
#include "trammel/mechanism/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "trammel/mechanism/expression_words.h"
#include "trammel/mechanism/units.h"
#include "trammel/numerics/nearest_name.h"

namespace trammel {
namespace {

using language::Word;

constexpr std::size_t longest_text = 10000;
constexpr std::size_t longest_program = 20000;
constexpr int deepest_nesting = 200;

// ---- functions of the language

struct Function {
  std::string_view name;
  Operation operation;
  int arguments;  // as many as this; of min and max at least two
  std::string_view arguments_in_words;
};
constexpr Function functions[] = {{"sin", Operation::sine, 1, "x"},
                                  {"cos", Operation::cosine, 1, "x"},
                                  {"tan", Operation::tangent, 1, "x"},
                                  {"asin", Operation::arcsine, 1, "x"},
                                  {"acos", Operation::arccosine, 1, "x"},
                                  {"atan", Operation::arctangent, 1, "x"},
                                  {"atan2", Operation::arctangent2, 2, "y, x"},
                                  {"sinh", Operation::hyperbolic_sine, 1, "x"},
                                  {"cosh", Operation::hyperbolic_cosine, 1, "x"},
                                  {"tanh", Operation::hyperbolic_tangent, 1, "x"},
                                  {"exp", Operation::exponential, 1, "x"},
                                  {"log", Operation::logarithm, 1, "x"},
                                  {"log10", Operation::logarithm10, 1, "x"},
                                  {"sqrt", Operation::square_root, 1, "x"},
                                  {"cbrt", Operation::cube_root, 1, "x"},
                                  {"abs", Operation::absolute, 1, "x"},
                                  {"sign", Operation::sign, 1, "x"},
                                  {"floor", Operation::floor, 1, "x"},
                                  {"ceil", Operation::ceiling, 1, "x"},
                                  {"round", Operation::round, 1, "x"},
                                  {"min", Operation::minimum, 2, "a, b, ..."},
                                  {"max", Operation::maximum, 2, "a, b, ..."},
                                  {"pow", Operation::power, 2, "x, exponent"},
                                  {"hypot", Operation::hypotenuse, 2, "x, y"},
                                  {"mod", Operation::modulo, 2, "x, period"},
                                  {"clamp", Operation::maximum, 3, "x, low, high"},
                                  {"ramp", Operation::ramp, 3, "x, x0, x1"},
                                  {"step", Operation::step, 5, "x, x0, y0, x1, y1"},
                                  {"if", Operation::jump_if_false, 3, "condition, then, otherwise"},
                                  {"table", Operation::table, 2, "name, x"}};

const Function* find_function(std::string_view name) {
  const auto found = std::find_if(std::begin(functions), std::end(functions),
                                  [&](const Function& candidate) { return candidate.name == name; });
  return found == std::end(functions) ? nullptr : &*found;
}

std::optional<double> find_constant(std::string_view name) {
  if (name == "pi") return std::numbers::pi;
  if (name == "tau") return 2 * std::numbers::pi;
  if (name == "e") return std::numbers::e;
  return std::nullopt;
}

// ---- grammar

// A part of the expression. What is wrong with its constants is told only if the part is used: `k == 0 ? 0 :
// 1 / k` is good for k = 0.
struct Part {
  ExpressionProgram program;
  std::optional<ExpressionError> fault;
};

double constant_of(const Part& part) { return part.program.code[0].number; }

struct BinaryOperator {
  std::string_view symbol;
  Operation operation;
  int precedence;
};
constexpr int not_precedence = 3, comparison_precedence = 4;
constexpr BinaryOperator binary_operators[] = {{"or", Operation::jump, 1},
                                               {"and", Operation::jump_if_false, 2},
                                               {"<", Operation::less, comparison_precedence},
                                               {"<=", Operation::less_equal, comparison_precedence},
                                               {">", Operation::greater, comparison_precedence},
                                               {">=", Operation::greater_equal, comparison_precedence},
                                               {"==", Operation::equal, comparison_precedence},
                                               {"!=", Operation::not_equal, comparison_precedence},
                                               {"+", Operation::add, 5},
                                               {"-", Operation::subtract, 5},
                                               {"*", Operation::multiply, 6},
                                               {"/", Operation::divide, 6}};

class Parser {
 public:
  Parser(std::string_view text, const ExpressionScope& scope)
      : words_(language::words_of(text)), scope_(scope) {}

  Expression parse() {
    if (next().kind == Word::Kind::end) throw ExpressionError("the expression is empty", 0);
    Part result = choice();
    if (next().kind != Word::Kind::end) fail_at_next("has no meaning here");
    if (result.fault) throw *result.fault;
    return Expression(std::move(result.program));
  }

  // Behind parse(): the dimension of a text that is a number and its unit.
  const std::optional<UnitDimension>& quantity() const { return quantity_; }

 private:
  // Counts how deep the grammar has descended, lest a long row of parentheses exhausts the stack of the
  // machine.
  class Descent {
   public:
    explicit Descent(Parser& parser) : depth_(parser.depth_) {
      if (depth_ >= deepest_nesting)
        throw ExpressionError(fmt::format("the expression is nested more than {} deep", deepest_nesting),
                              parser.next().column);
      ++depth_;
    }
    ~Descent() { --depth_; }
    Descent(const Descent&) = delete;
    Descent& operator=(const Descent&) = delete;

   private:
    int& depth_;
  };

  const Word& next() const { return words_[at_]; }
  const Word& previous() const { return words_[at_ - 1]; }
  Word take() { return words_[at_++]; }
  bool next_is(std::string_view symbol) const {
    return next().kind == Word::Kind::symbol && next().text == symbol;
  }
  bool next_is_keyword(std::string_view word) const {
    return next().kind == Word::Kind::name && !next().quoted && next().text == word;
  }
  // Whether no space is between the word before and the next.
  bool attached() const { return previous().end == next().column; }
  bool take_if(std::string_view symbol) {
    const bool found = next_is(symbol);
    if (found) ++at_;
    return found;
  }
  [[noreturn]] void fail_at_next(const std::string& what) const {
    if (next().kind == Word::Kind::end) throw ExpressionError("the expression ends too early", next().column);
    const std::string shown = next().kind == Word::Kind::number ? "this number" : "'" + next().text + "'";
    const std::string decimals = next_is(",") ? "; decimals are written with a point" : "";
    throw ExpressionError(shown + " " + what + decimals, next().column);
  }
  void expect_closing(const Word& opening) {
    if (take_if(")")) return;
    if (next().kind == Word::Kind::end) throw ExpressionError("this '(' is not closed", opening.column);
    fail_at_next("stands where a ')' is expected");
  }

  // The parts combined; a constant that is not finite becomes a fault of the word.
  Part combined(Operation operation, const Word& word, std::vector<Part> parts,
                std::vector<Table> tables = {}) {
    Part result;
    std::vector<ExpressionProgram> programs;
    std::vector<double> constants;
    for (Part& part : parts) {
      if (!result.fault) result.fault = std::move(part.fault);
      if (part.program.is_constant()) constants.push_back(constant_of(part));
      programs.push_back(std::move(part.program));
    }
    const bool divides = operation == Operation::divide || operation == Operation::modulo;
    const bool by_zero = divides && programs[1].is_constant() && programs[1].code[0].number == 0.0;
    result.program = combine(operation, std::move(programs), std::move(tables));
    check_size(result, word);
    const bool not_finite = result.program.is_constant() && !std::isfinite(constant_of(result));
    if (!result.fault && by_zero) result.fault.emplace("division by zero", word.column);
    if (!result.fault && not_finite) {
      const std::string what = word.kind == Word::Kind::symbol
                                   ? fmt::format("{}", fmt::join(constants, " " + word.text + " "))
                                   : fmt::format("{}({})", word.text, fmt::join(constants, ", "));
      result.fault.emplace(
          what + (std::isnan(constant_of(result)) ? " is not a real number" : " is not finite"), word.column);
    }
    return result;
  }
  // One or the other, as the condition holds or not. If that is known already, the other may have faults.
  Part chosen(const Word& word, Part condition, Part then, Part otherwise) {
    Part result;
    result.fault = std::move(condition.fault);
    const bool known = condition.program.is_constant();
    const bool holds = known && constant_of(condition) != 0.0;
    if (!result.fault && (!known || holds)) result.fault = std::move(then.fault);
    if (!result.fault && (!known || !holds)) result.fault = std::move(otherwise.fault);
    result.program =
        choose(std::move(condition.program), std::move(then.program), std::move(otherwise.program));
    check_size(result, word);
    return result;
  }
  static Part constant(double value) { return {ExpressionProgram::constant(value), std::nullopt}; }
  static void check_size(const Part& part, const Word& word) {
    if (part.program.code.size() > longest_program)
      throw ExpressionError("the expression is too long once the expressions it names are put in",
                            word.column);
    if (part.program.depth > ExpressionProgram::largest_depth)
      throw ExpressionError(
          fmt::format("the expression needs more than {} intermediate results at a time here",
                      ExpressionProgram::largest_depth),
          word.column);
  }

  Part choice() {
    const Descent descent(*this);
    Part condition = level(1);
    if (!next_is("?")) return condition;
    const Word question = take();
    Part then = choice();
    if (next().kind == Word::Kind::end) throw ExpressionError("this '?' has no ':'", question.column);
    if (!take_if(":")) fail_at_next("stands where a ':' is expected");
    return chosen(question, std::move(condition), std::move(then), choice());
  }

  const BinaryOperator* next_operator() const {
    if (next().kind != Word::Kind::symbol && (next().kind != Word::Kind::name || next().quoted))
      return nullptr;
    const auto found =
        std::find_if(std::begin(binary_operators), std::end(binary_operators),
                     [&](const BinaryOperator& candidate) { return candidate.symbol == next().text; });
    return found == std::end(binary_operators) ? nullptr : &*found;
  }

  // Operators of at least this precedence.
  Part level(int precedence) {
    Part left = precedence <= not_precedence && next_is_keyword("not") ? negation() : sign();
    for (const BinaryOperator* found; (found = next_operator()) && found->precedence >= precedence;) {
      const Word word = take();
      Part right = level(found->precedence + 1);
      if (word.text == "and")
        left = chosen(word, std::move(left), truth(word, std::move(right)), constant(0));
      else if (word.text == "or")
        left = chosen(word, std::move(left), constant(1), truth(word, std::move(right)));
      else
        left = pair(found->operation, word, std::move(left), std::move(right));
      if (found->precedence == comparison_precedence && next_operator() &&
          next_operator()->precedence == comparison_precedence)
        throw ExpressionError("comparisons are not chained; write 'a < b and b < c'", next().column);
    }
    return left;
  }
  Part pair(Operation operation, const Word& word, Part left, Part right) {
    std::vector<Part> parts;
    parts.push_back(std::move(left));
    parts.push_back(std::move(right));
    return combined(operation, word, std::move(parts));
  }
  Part truth(const Word& word, Part part) {
    return pair(Operation::not_equal, word, std::move(part), constant(0));
  }

  Part negation() {
    const Descent descent(*this);
    const Word word = take();
    return combined(Operation::logical_not, word, {level(not_precedence)});
  }

  Part sign() {
    if (!next_is("-") && !next_is("+")) return power();
    const Descent descent(*this);
    const Word word = take();
    Part operand = sign();
    return word.text == "+" ? operand : combined(Operation::negate, word, {std::move(operand)});
  }

  Part power() {
    bool has_unit = false;
    Part base = value(&has_unit);
    if (!next_is("^")) return base;
    const Descent descent(*this);
    const Word word = take();
    if (has_unit)
      throw ExpressionError("is the unit meant or the whole? Write '5 mm^2' without spaces, or '(5 mm)^2'",
                            word.column);
    return pair(Operation::power, word, std::move(base), sign());
  }

  // A value, with its unit if there is one.
  Part value(bool* has_unit) {
    const std::size_t start = at_;
    Part result = bare_value();
    if (next().kind == Word::Kind::end) return result;
    const bool takes_unit =
        previous().kind == Word::Kind::number || (previous().text == ")" && !previous().quoted);
    const bool operator_follows = next_operator() || next_is_keyword("not");
    const bool bracket = next_is("[");
    if ((next().kind == Word::Kind::name && !next().quoted && !operator_follows) || bracket) {
      if (!takes_unit)
        throw ExpressionError(bracket || find_unit(next().text)
                                  ? fmt::format("a unit follows a number or a parenthesis; write '({}) {}'",
                                                words_[start].text, bracket ? "[...]" : next().text)
                                  : fmt::format("an operator is missing before '{}'", next().text),
                              next().column);
      if (is_exponent(start))
        throw ExpressionError("an exponent has no unit; write '(x^2) mm'", next().column);
      *has_unit = true;
      Word times{Word::Kind::symbol, next().column, next().end, "*"};
      const Unit unit = bracket ? unit_in_brackets() : unit_product(false);
      if (is_quantity(start)) quantity_ = unit.dimension;
      return in_unit(std::move(result), times, unit);
    }
    if (next().kind == Word::Kind::number || next().kind == Word::Kind::name || next_is("("))
      if (!operator_follows)
        throw ExpressionError(
            fmt::format("an operator is missing before {}",
                        next().kind == Word::Kind::number ? "this number" : "'" + next().text + "'"),
            next().column);
    return result;
  }

  // Whether the value that starts here is the exponent of a power: x^2 mm would be x^(0.002).
  bool is_exponent(std::size_t start) const {
    const auto is_symbol = [&](std::string_view text) {
      return words_[start - 1].kind == Word::Kind::symbol && words_[start - 1].text == text;
    };
    while (start > 0 && (is_symbol("+") || is_symbol("-"))) --start;
    return start > 0 && is_symbol("^");
  }

  // Whether the text is a number that starts here, with a sign perhaps, and the unit that has just been read.
  bool is_quantity(std::size_t start) const {
    if (words_[start].kind != Word::Kind::number || next().kind != Word::Kind::end) return false;
    return start == 0 || (start == 1 && (words_[0].text == "-" || words_[0].text == "+"));
  }

  Part in_unit(Part part, const Word& word, const Unit& unit) {
    const bool inexact = unit.numerator != 1.0 && unit.denominator != 1.0 && !part.program.is_constant();
    const Unit factor = inexact ? Unit{unit.numerator / unit.denominator, 1.0} : unit;
    if (factor.numerator != 1.0)
      part = pair(Operation::multiply, word, std::move(part), constant(factor.numerator));
    if (factor.denominator != 1.0)
      part = pair(Operation::divide, word, std::move(part), constant(factor.denominator));
    return part;
  }

  Unit unit_in_brackets() {
    const Word opening = take();
    // [1/s]
    const bool reciprocal =
        next().kind == Word::Kind::number && next().number == 1.0 && words_[at_ + 1].text == "/";
    if (reciprocal) at_ += 2;
    const Unit result = unit_product(true).power(reciprocal ? -1 : 1);
    if (next().kind == Word::Kind::end) throw ExpressionError("this '[' is not closed", opening.column);
    if (!take_if("]")) fail_at_next("stands where a ']' is expected");
    return result;
  }

  // Units joined by * and /. Outside of brackets they go on only without spaces, and not into a name of the
  // scope.
  Unit unit_product(bool in_brackets) {
    Unit result = unit_factor();
    while (next_is("*") || next_is("/")) {
      const int exponent = next_is("/") ? -1 : 1;
      const std::size_t start = at_;
      if (!in_brackets && !attached()) break;
      take();
      const bool group = next_is("(") && (in_brackets || attached());
      if (group && (in_brackets || is_unit_group())) {
        const Descent descent(*this);
        take();
        result = result * unit_product(true).power(exponent);
        expect_closing(words_[start + 1]);
      } else if (in_brackets || (attached() && next_is_unit())) {
        result = result * unit_factor().power(exponent);
      } else {
        at_ = start;
        break;
      }
    }
    return result;
  }
  Unit unit_factor() {
    if (next().kind != Word::Kind::name || next().quoted) fail_at_next("stands where a unit is expected");
    const Word word = take();
    const Unit* unit = find_unit(word.text);
    if (!unit) {
      throw ExpressionError(fmt::format("there is no unit '{}'{}", word.text, hint(word.text, unit_names())),
                            word.column);
    }
    if (!next_is("^") || !attached()) return *unit;
    take();
    const bool negative = take_if("-");
    const double exponent = next().kind == Word::Kind::number ? take().number : 0.0;
    if (exponent < 1.0 || exponent > 9.0 || exponent != std::floor(exponent))
      throw ExpressionError("the power of a unit is a whole number from 1 to 9", previous().column);
    return unit->power(negative ? -static_cast<int>(exponent) : static_cast<int>(exponent));
  }
  bool next_is_unit() const {
    return next().kind == Word::Kind::name && !next().quoted && find_unit(next().text) &&
           !scope_.find({next().text, {}, false, next().column});
  }
  // Whether a parenthesis holds nothing but units: N/(m/s).
  bool is_unit_group() {
    const std::size_t start = at_;
    bool result = false;
    for (++at_; next_is_unit();) {
      ++at_;
      if (take_if("^") && (take_if("-"), next().kind == Word::Kind::number)) ++at_;
      result = next_is(")");
      if (!take_if("*") && !take_if("/")) break;
    }
    at_ = start;
    return result;
  }

  Part bare_value() {
    if (next().kind == Word::Kind::number) return constant(take().number);
    if (next_is("(")) {
      const Word opening = take();
      Part result = choice();
      expect_closing(opening);
      return result;
    }
    if (next_is_keyword("not"))
      throw ExpressionError("'not' needs parentheses here: (not ...)", next().column);
    if (next().kind != Word::Kind::name || next_operator()) fail_at_next("stands where a value is expected");
    const Word word = take();
    if (!next_is("(")) return symbol(word);
    const Function* function = word.quoted ? nullptr : find_function(word.text);
    return function ? call(word, *function) : scope_call(word);
  }

  Part symbol_part(const ExpressionSymbol& symbol, const Word& word) {
    if (const double* value = std::get_if<double>(&symbol)) {
      Part result = constant(*value);
      if (!std::isfinite(*value))
        result.fault.emplace(fmt::format("'{}' is not finite", word.text), word.column);
      return result;
    }
    if (const int* input = std::get_if<int>(&symbol)) return {ExpressionProgram::input(*input), std::nullopt};
    Part result{std::get<Expression>(symbol).program(), std::nullopt};
    check_size(result, word);
    return result;
  }

  Part symbol(const Word& word) {
    if (const auto found = scope_.find({word.text, {}, false, word.column})) return symbol_part(*found, word);
    std::string reason;
    if (!word.quoted) {
      if (const auto value = find_constant(word.text)) return constant(*value);
      if (word.text == "inf" || word.text == "infinity" || word.text == "nan")
        throw ExpressionError(fmt::format("'{}' is not a number to calculate with", word.text), word.column);
      if (const Function* function = find_function(word.text))
        reason =
            fmt::format(" (the function is written {}({}))", function->name, function->arguments_in_words);
      else if (find_unit(word.text))
        reason = fmt::format(" (a unit follows a number: 1 {})", word.text);
    }
    if (reason.empty()) {
      std::vector<std::string> names = scope_.names();
      names.insert(names.end(), {"pi", "tau"});
      reason = hint(word.text, names);
    }
    throw ExpressionError(fmt::format("there is no '{}'{}", word.text, reason), word.column);
  }

  Part call(const Word& word, const Function& function) {
    const Word opening = take();
    std::vector<Table> tables;
    int given = 0;
    std::vector<Part> arguments;
    if (!next_is(")")) do {
        if (function.operation == Operation::table && given == 0)
          tables.push_back(named_table());
        else
          arguments.push_back(choice());
        ++given;
      } while (take_if(","));
    expect_closing(opening);

    const bool any_number = function.arguments_in_words.ends_with("...");
    if (any_number ? given < function.arguments : given != function.arguments)
      throw ExpressionError(
          fmt::format("{}({}) needs {}{} {}, not {}", function.name, function.arguments_in_words,
                      any_number ? "at least " : "", function.arguments,
                      function.arguments == 1 ? "argument" : "arguments", given),
          word.column);
    check_order(word, arguments);
    if (function.name == "if")
      return chosen(word, std::move(arguments[0]), std::move(arguments[1]), std::move(arguments[2]));
    if (function.name == "clamp")
      return pair(Operation::minimum, word,
                  pair(Operation::maximum, word, std::move(arguments[0]), std::move(arguments[1])),
                  std::move(arguments[2]));
    if (any_number) {
      Part result = std::move(arguments[0]);
      for (std::size_t i = 1; i < arguments.size(); ++i)
        result = pair(function.operation, word, std::move(result), std::move(arguments[i]));
      return result;
    }
    return combined(function.operation, word, std::move(arguments), std::move(tables));
  }

  // Limits that are known must not be the wrong way round.
  static void check_order(const Word& word, std::vector<Part>& arguments) {
    const std::size_t high = word.text == "step" ? 3 : word.text == "ramp" || word.text == "clamp" ? 2 : 0;
    if (high == 0 || !arguments[1].program.is_constant() || !arguments[high].program.is_constant()) return;
    const double from = constant_of(arguments[1]), to = constant_of(arguments[high]);
    if (!arguments[0].fault && (word.text == "clamp" ? from > to : from >= to))
      arguments[0].fault.emplace(fmt::format("{} goes from {} to {}, which must ascend", word.text, from, to),
                                 word.column);
  }

  Table named_table() {
    if (next().kind != Word::Kind::name) fail_at_next("stands where the name of a table is expected");
    const Word word = take();
    if (const Table* table = scope_.table(word.text)) return *table;
    std::vector<std::string> names = scope_.names();
    std::erase_if(names, [&](const std::string& name) { return !scope_.table(name); });
    throw ExpressionError(fmt::format("there is no table '{}'{}", word.text, hint(word.text, names)),
                          word.column);
  }

  // A function of the scope, whose arguments are names.
  Part scope_call(const Word& word) {
    const std::size_t opening = at_;
    take();
    ExpressionReference reference{word.text, {}, true, word.column};
    while (next().kind == Word::Kind::name) {
      reference.arguments.push_back(take().text);
      if (!take_if(",")) break;
    }
    const bool only_names = next_is(")") && previous().text != ",";
    if (only_names) {
      take();
      if (const auto found = scope_.find(reference)) return symbol_part(*found, word);
    }
    std::vector<std::string> names = scope_.names();
    const bool known = std::find(names.begin(), names.end(), word.text) != names.end();
    if (scope_.find({word.text, {}, false, word.column}))
      throw ExpressionError(
          fmt::format("'{}' is not a function; an operator is missing before '('", word.text),
          words_[opening].column);
    if (known && !only_names) fail_at_next(fmt::format("stands where {} expects a name", word.text));
    if (known)
      throw ExpressionError(fmt::format("'{}' does not take these arguments", word.text), word.column);
    for (const Function& function : functions) names.emplace_back(function.name);
    throw ExpressionError(fmt::format("there is no function '{}'{}", word.text, hint(word.text, names)),
                          word.column);
  }

  std::vector<Word> words_;
  const ExpressionScope& scope_;
  std::optional<UnitDimension> quantity_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

const Table* ExpressionScope::table(const std::string&) const { return nullptr; }

Expression parse_expression(std::string_view text, const ExpressionScope& scope) {
  if (text.size() > longest_text)
    throw ExpressionError(fmt::format("the expression is longer than {} characters", longest_text),
                          longest_text);
  const std::size_t end = language::end_of_utf8(text);
  if (end < text.size()) throw ExpressionError("the text is not UTF-8 from here on", end);
  return Parser(text, scope).parse();
}

std::optional<UnitDimension> dimension_of_quantity(std::string_view text, const ExpressionScope& scope) {
  try {
    Parser parser(text, scope);
    parser.parse();
    return parser.quantity();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace trammel
