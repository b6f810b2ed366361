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
#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>

#include "trammel/numerics/nearest_name.h"

namespace trammel {
namespace {

constexpr std::size_t longest_text = 10000;
constexpr std::size_t longest_program = 20000;
constexpr int deepest_nesting = 200;

// ---- units and functions of the language

// Times numerator / denominator gives SI units. Two numbers, so that 35 mm is 0.035 to the last bit.
struct Unit {
  double numerator = 1, denominator = 1;

  Unit power(int exponent) const {
    const double n = std::abs(exponent);
    const Unit result{std::pow(numerator, n), std::pow(denominator, n)};
    return exponent < 0 ? Unit{result.denominator, result.numerator} : result;
  }
  Unit operator*(const Unit& other) const {
    return {numerator * other.numerator, denominator * other.denominator};
  }
};

struct NamedUnit {
  std::string_view name;
  Unit unit;
};
constexpr double pi = std::numbers::pi;
constexpr NamedUnit units[] = {
    {"m", {}},           {"km", {1e3}},     {"dm", {1, 10}},   {"cm", {1, 100}},
    {"mm", {1, 1e3}},    {"um", {1, 1e6}},  {"µm", {1, 1e6}},  {"in", {254, 1e4}},
    {"ft", {3048, 1e4}}, {"s", {}},         {"ms", {1, 1e3}},  {"us", {1, 1e6}},
    {"min", {60}},       {"h", {3600}},     {"rad", {}},       {"mrad", {1, 1e3}},
    {"deg", {pi, 180}},  {"°", {pi, 180}},  {"rev", {2 * pi}}, {"kg", {}},
    {"g", {1, 1e3}},     {"t", {1e3}},      {"tonne", {1e3}},  {"lb", {45359237, 1e8}},
    {"N", {}},           {"mN", {1, 1e3}},  {"kN", {1e3}},     {"MN", {1e6}},
    {"Nm", {}},          {"mNm", {1, 1e3}}, {"Nmm", {1, 1e3}}, {"kNm", {1e3}},
    {"Ns", {}},          {"Nms", {}},       {"Pa", {}},        {"kPa", {1e3}},
    {"MPa", {1e6}},      {"GPa", {1e9}},    {"bar", {1e5}},    {"J", {}},
    {"kJ", {1e3}},       {"MJ", {1e6}},     {"W", {}},         {"kW", {1e3}},
    {"MW", {1e6}},       {"Hz", {}},        {"kHz", {1e3}},    {"rpm", {2 * pi, 60}}};

const Unit* find_unit(std::string_view name) {
  const auto found = std::find_if(std::begin(units), std::end(units),
                                  [&](const NamedUnit& candidate) { return candidate.name == name; });
  return found == std::end(units) ? nullptr : &found->unit;
}

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
  if (name == "pi") return pi;
  if (name == "tau") return 2 * pi;
  if (name == "e") return std::numbers::e;
  return std::nullopt;
}

// ---- words

struct Word {
  enum class Kind { end, number, name, symbol };

  Kind kind = Kind::end;
  std::size_t column = 0, end = 0;
  std::string text;  // of a name without its quotes
  bool quoted = false;
  double number = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
// bytes above 127 belong to letters of other alphabets
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) > 127;
}
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Where the text stops being UTF-8, so that every message that quotes it can be shown; its size if it is.
std::size_t end_of_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (length == 0 || first > 0xF4 || i + length > text.size()) return i;
    for (std::size_t j = 1; j < length; ++j)
      if ((static_cast<unsigned char>(text[i + j]) & 0xC0) != 0x80) return i;
    // the overlong, the surrogates and what lies beyond Unicode
    const auto second = length > 1 ? static_cast<unsigned char>(text[i + 1]) : 0;
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
      return i;
    i += length;
  }
  return text.size();
}

class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {
    while (true) {
      while (at_ < text_.size() && is_space(text_[at_])) ++at_;
      Word word;
      word.column = at_;
      if (at_ < text_.size()) {
        if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1))))
          read_number(word);
        else if (is_letter(peek()) || peek() == '\'')
          read_name(word);
        else
          read_symbol(word);
      }
      word.end = at_;
      list.push_back(word);
      if (word.kind == Word::Kind::end) return;
    }
  }

  std::vector<Word> list;

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void read_number(Word& word) {
    word.kind = Word::Kind::number;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), word.number);
    if (error == std::errc::result_out_of_range)
      throw ExpressionError("this number is too large or too small", at_);
    at_ = static_cast<std::size_t>(end - text_.data());
  }

  // pieces joined by dots, each a plain word or in quotes
  void read_name(Word& word) {
    word.kind = Word::Kind::name;
    while (true) {
      const std::size_t start = at_;
      if (peek() == '\'') {
        const std::size_t close = text_.find('\'', at_ + 1);
        if (close == std::string_view::npos) throw ExpressionError("the quote ' is not closed", start);
        if (close == start + 1) throw ExpressionError("a name in quotes is empty", start);
        word.text += text_.substr(start + 1, close - start - 1);
        word.quoted = true;
        at_ = close + 1;
      } else {
        while (is_letter(peek()) || is_digit(peek())) ++at_;
        if (at_ == start) throw ExpressionError("a name cannot end with a dot", start - 1);
        word.text += text_.substr(start, at_ - start);
      }
      if (peek() != '.') return;
      word.text += '.';
      ++at_;
    }
  }

  void read_symbol(Word& word) {
    word.kind = Word::Kind::symbol;
    for (const std::string_view symbol : {"**", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "^",
                                          "<",  ">",  "(",  ")",  "[",  "]",  "?",  ":", ",", "=", "!"})
      if (text_.substr(at_).starts_with(symbol)) {
        word.text = symbol;
        at_ += symbol.size();
        break;
      }
    if (word.text == "&&") throw ExpressionError("'&&' is written 'and'", word.column);
    if (word.text == "||") throw ExpressionError("'||' is written 'or'", word.column);
    if (word.text == "!") throw ExpressionError("'!' is written 'not'", word.column);
    if (word.text == "=") throw ExpressionError("'=' is not an operator; '==' compares", word.column);
    if (word.text == "**") word.text = "^";
    if (!word.text.empty()) return;
    if (peek() > ' ' && peek() != '\x7f')
      throw ExpressionError(fmt::format("'{}' has no meaning here", peek()), word.column);
    throw ExpressionError("there is a control character here", word.column);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

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
  Parser(std::string_view text, const ExpressionScope& scope) : words_(Words(text).list), scope_(scope) {}

  Expression parse() {
    if (next().kind == Word::Kind::end) throw ExpressionError("the expression is empty", 0);
    Part result = choice();
    if (next().kind != Word::Kind::end) fail_at_next("has no meaning here");
    if (result.fault) throw *result.fault;
    return Expression(std::move(result.program));
  }

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
      std::vector<std::string> names;
      for (const NamedUnit& candidate : units) names.emplace_back(candidate.name);
      throw ExpressionError(fmt::format("there is no unit '{}'{}", word.text, hint(word.text, names)),
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
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

const Table* ExpressionScope::table(const std::string&) const { return nullptr; }

Expression parse_expression(std::string_view text, const ExpressionScope& scope) {
  if (text.size() > longest_text)
    throw ExpressionError(fmt::format("the expression is longer than {} characters", longest_text),
                          longest_text);
  const std::size_t end = end_of_utf8(text);
  if (end < text.size()) throw ExpressionError("the text is not UTF-8 from here on", end);
  return Parser(text, scope).parse();
}

}  // namespace trammel
