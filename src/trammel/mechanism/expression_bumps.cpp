// How bumps are found.
//
// A part of a law that depends on one quantity x is looked at around each x at which something linear in it is
// zero, such as x - 5: at distances d from there that grow by factors of two over many powers of ten, so that
// the width of a bump does not matter. With B(d) = F(c) − ½ (F(c−d) + F(c+d)), in which straight lines cancel:
// if B stays as it is while d grows 32 times, F has a bump at c that is over where B began to stay. Bumps that
// are odd about c show in A(d) = F(c+d) − F(c−d), which then goes back to nothing.
//
// exp() of what depends on several quantities is watched where it becomes more than nothing.
//
// Sines, cosines and remainders come back to where they were, and with them a bump over what they give: that is looked
// for as over a quantity of its own, u = sin(x). So are bumps over what is linear in several quantities, u = x − y.
#include "trammel/mechanism/expression_bumps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace trammel {
namespace {

constexpr double nothing = -20;     // exp() of less than this is
constexpr int octaves_of_rest = 5;  // so long a bump must be over

// Instructions that leave one number on the stack.
struct Part {
  static constexpr int none = -1, several = -2;

  std::size_t begin = 0, end = 0;
  int input = none;       // the one that it depends on
  bool is_linear = true;  // in it
};

// Whether sums, products and compositions of it can come back to where they were without oscillating for ever.
bool makes_bumps(const Instruction& instruction) {
  switch (instruction.operation) {
    case Operation::number_divided:
    case Operation::divide:
    case Operation::power:
    case Operation::arctangent:
    case Operation::hyperbolic_cosine:
    case Operation::hyperbolic_tangent:
    case Operation::exponential:
      return true;
    case Operation::power_number:
      return instruction.number < 0;
    default:
      return false;
  }
}

// Where a function has a bump around c: its first half and its second, from and to; nothing if it has none.
std::vector<double> bump(const Expression& law, double c, double unit) {
  constexpr int smallest = -40, largest = 20;
  constexpr std::size_t rest = octaves_of_rest;
  const auto at = [&](double x) {
    const std::array<double, 1> inputs{x};
    return law.evaluate<double>(inputs);
  };
  const double middle = at(c);
  if (!std::isfinite(middle)) return {};
  std::vector<double> distance, even, odd;
  double size = std::abs(middle);
  for (int k = smallest; k <= largest; ++k) {
    const double d = std::ldexp(unit, k);
    if (!(c + d > c && c - d < c)) continue;
    const double left = at(c - d), right = at(c + d);
    if (!std::isfinite(left) || !std::isfinite(right)) break;
    distance.push_back(d);
    even.push_back(middle - 0.5 * (left + right));
    odd.push_back(right - left);
    size = std::max({size, std::abs(left), std::abs(right)});
    // beyond this a bump would be lost in round-off
    if (size > 1e9 * std::max({std::abs(middle), std::abs(even.back()), 1e-300})) break;
  }
  const auto points = [&](std::size_t k) {
    return std::vector<double>{c - distance[k], c, c, c + distance[k]};
  };
  double peak = 0;
  for (std::size_t k = 0; k + rest < distance.size(); ++k) {
    const auto stays = [&](const std::vector<double>& values, double value, double within) {
      return std::all_of(values.begin() + static_cast<std::ptrdiff_t>(k),
                         values.begin() + static_cast<std::ptrdiff_t>(k + rest + 1),
                         [&](double other) { return std::abs(other - value) <= within; });
    };
    const bool was_smaller = k >= 3 && std::abs(even[k - 3]) < 0.9 * std::abs(even[k]);
    const double noise = 1e-6 * std::max(std::abs(middle), std::abs(middle - even[k]));
    if (was_smaller && std::abs(even[k]) > noise && stays(even, even[k], 0.01 * std::abs(even[k])))
      return points(k);
    peak = std::max(peak, std::abs(odd[k]));
    if (peak > 1e-6 * std::abs(middle) && std::abs(odd[k]) < 0.05 * peak && stays(odd, 0, 0.05 * peak))
      return points(k);
  }
  return {};
}

// Instructions that give a quantity of their own, and how far it goes from end to end.
struct InnerPart {
  std::vector<Instruction> code;
  double range = 0;
};

class BumpFinder {
 public:
  // Over the time, or over everything else.
  BumpFinder(const ExpressionProgram& program, bool over_time) : program_(program), over_time_(over_time) {}
  // Over one input, of which only bumps matter that are narrow in what it goes through.
  BumpFinder(const ExpressionProgram& program, int input, double range)
      : program_(program), over_time_(false), only_(input), range_(range) {}

  Part walk(std::size_t begin, std::size_t end);

  // A part that is not part of a larger one of the same quantity.
  void look_at(const Part& part);

  // The zeros to be added.
  const std::vector<std::vector<Instruction>>& watches() const { return watches_; }
  // Parts over which there may be bumps, too.
  const std::vector<InnerPart>& inner() const { return inner_; }
  // Those over the time, which need none.
  const std::vector<TimeBump>& in_time() const { return in_time_; }

 private:
  // As a function of its only input.
  Expression function(const Part& part) const;
  void find_inner(const Instruction& instruction, const Part& whole, const std::vector<Part>& operands);
  // exp() of something linear in the only input, which is nothing almost everywhere
  bool is_short_pulse(const Part& exponent) const;
  // step(quantity, from, 0, to, 0)
  void watch(const Part& quantity, double from, double to);

  const ExpressionProgram& program_;
  bool over_time_;
  int only_ = Part::none;
  double range_ = std::numeric_limits<double>::infinity();
  std::vector<InnerPart> inner_;
  std::vector<Part> linear_parts_;  // that are operands of what is not linear
  std::vector<std::vector<Instruction>> watches_;
  std::vector<TimeBump> in_time_;
};

void BumpFinder::watch(const Part& quantity, double from, double to) {
  std::vector<Instruction> code(program_.code.begin() + static_cast<std::ptrdiff_t>(quantity.begin),
                                program_.code.begin() + static_cast<std::ptrdiff_t>(quantity.end));
  for (const double number : {from, 0.0, to, 0.0}) code.push_back({Operation::number, 0, number});
  code.push_back({Operation::step, 0, 0});
  watches_.push_back(std::move(code));
}

Expression BumpFinder::function(const Part& part) const {
  ExpressionProgram result;
  result.code.assign(program_.code.begin() + static_cast<std::ptrdiff_t>(part.begin),
                     program_.code.begin() + static_cast<std::ptrdiff_t>(part.end));
  // of the time: that has no switches
  for (Instruction& instruction : result.code)
    if (instruction.operation == Operation::input) instruction.argument = 0;
  result.tables = program_.tables;
  result.depth = program_.depth;
  return Expression(std::move(result));
}

void BumpFinder::look_at(const Part& part) {
  constexpr std::size_t most_places = 64;
  const auto begin = program_.code.begin() + static_cast<std::ptrdiff_t>(part.begin),
             end = program_.code.begin() + static_cast<std::ptrdiff_t>(part.end);
  const bool is_wanted = only_ != Part::none ? part.input == only_
                         : over_time_        ? part.input == 0
                                             : part.input > 0;
  if (!is_wanted || part.is_linear || std::none_of(begin, end, makes_bumps)) return;
  const Expression law = function(part);
  std::vector<double> points;
  std::size_t places = 0;
  for (const Part& linear : linear_parts_) {
    if (linear.begin < part.begin || linear.end > part.end || ++places > most_places) continue;
    const Expression line = function(linear);
    const std::array<double, 1> zero{0.0}, one{1.0};
    const double offset = line.evaluate<double>(zero), slope = line.evaluate<double>(one) - offset;
    if (!(std::abs(slope) > 0) || !std::isfinite(offset / slope)) continue;
    const std::vector<double> found = bump(law, -offset / slope, 1 / std::abs(slope));
    if (!found.empty() && !(found.back() - found.front() < 0.5 * range_)) continue;
    if (!over_time_)
      points.insert(points.end(), found.begin(), found.end());
    else if (!found.empty())
      in_time_.push_back({found.front(), found[1], found.back()});
  }
  if (points.empty()) return;
  const auto input = std::find_if(
      begin, end, [](const Instruction& instruction) { return instruction.operation == Operation::input; });
  const auto at = static_cast<std::size_t>(input - program_.code.begin());
  for (std::size_t i = 1; i < points.size(); i += 2)
    watch({at, at + 1, part.input, true}, points[i - 1], points[i]);
}

void BumpFinder::find_inner(const Instruction& instruction, const Part& whole,
                            const std::vector<Part>& operands) {
  constexpr std::size_t most = 16;
  if (only_ != Part::none || inner_.size() >= most) return;
  const auto add = [&](const Part& part, double range) {
    const auto begin = program_.code.begin();
    inner_.push_back(
        {{begin + static_cast<std::ptrdiff_t>(part.begin), begin + static_cast<std::ptrdiff_t>(part.end)},
         range});
  };
  const auto is_ours = [&](const Part& part) {
    return over_time_ ? part.input == 0 : part.input > 0 || part.input == Part::several;
  };
  const bool turns = instruction.operation == Operation::sine || instruction.operation == Operation::cosine;
  if (turns && is_ours(whole)) add(whole, 2);
  if (instruction.operation == Operation::modulo && is_ours(operands[0]) && operands[1].input == Part::none) {
    const std::array<double, 1> nowhere{0.0};
    add(whole, std::abs(function(operands[1]).evaluate<double>(nowhere)));
  }
  // exp() is watched already
  const bool others = std::any_of(program_.code.begin(), program_.code.end(), [](const Instruction& one) {
    return makes_bumps(one) && one.operation != Operation::exponential;
  });
  if (!over_time_ && !whole.is_linear && others)
    for (const Part& operand : operands)
      if (operand.is_linear && operand.input == Part::several)
        add(operand, std::numeric_limits<double>::infinity());
}

bool BumpFinder::is_short_pulse(const Part& exponent) const {
  if (only_ == Part::none || exponent.input != only_ || !exponent.is_linear || !std::isfinite(range_))
    return false;
  const Expression line = function(exponent);
  const std::array<double, 1> zero{0.0}, one{1.0};
  return std::abs(line.evaluate<double>(one) - line.evaluate<double>(zero)) * range_ > -2 * nothing;
}

Part BumpFinder::walk(std::size_t begin, std::size_t end) {
  std::vector<Part> stack;
  for (std::size_t i = begin; i < end;) {
    const Instruction& instruction = program_.code[i];
    if (instruction.operation == Operation::jump_if_false) {
      // condition, jump_if_false, then ..., jump, otherwise ...
      const std::size_t jump = i + static_cast<std::size_t>(instruction.argument);
      const std::size_t last = jump + 1 + static_cast<std::size_t>(program_.code[jump].argument);
      look_at(stack.back());
      look_at(walk(i + 1, jump));
      look_at(walk(jump + 1, last));
      stack.back() = {stack.back().begin, last, Part::several, false};
      i = last;
      continue;
    }
    const Operation operation = instruction.operation;
    const auto count = static_cast<std::size_t>(operand_count(operation));
    const std::vector<Part> operands(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
    stack.resize(stack.size() - count);
    Part whole{count > 0 ? operands[0].begin : i, i + 1, Part::none, is_linear(operation)};
    if (operation == Operation::input) whole.input = instruction.argument;
    for (const Part& operand : operands) {
      whole.is_linear = whole.is_linear && operand.is_linear;
      if (operand.input == Part::none) continue;
      whole.input = whole.input == Part::none || whole.input == operand.input ? operand.input : Part::several;
    }
    for (const Part& operand : operands) {
      if (operand.is_linear && !whole.is_linear && operand.input >= 0) linear_parts_.push_back(operand);
      if (whole.input == Part::several) look_at(operand);
    }
    if (operation == Operation::exponential &&
        (only_ == Part::none ? whole.input == Part::several : is_short_pulse(operands[0])))
      watch(operands[0], nothing, 0);
    find_inner(instruction, whole, operands);
    stack.push_back(whole);
    ++i;
  }
  return stack.back();
}

bool is_same_instruction(const Instruction& a, const Instruction& b) {
  return a.operation == b.operation && a.argument == b.argument && a.number == b.number;
}

// The program with an input in place of a part of it, wherever that stands.
ExpressionProgram with_input(ExpressionProgram program, const std::vector<Instruction>& part, int input) {
  std::vector<Instruction>& code = program.code;
  const int shorter = static_cast<int>(part.size()) - 1;
  for (std::size_t begin = 0;; ++begin) {
    const auto found = std::search(code.begin() + static_cast<std::ptrdiff_t>(begin), code.end(),
                                   part.begin(), part.end(), is_same_instruction);
    if (found == code.end()) return program;
    begin = static_cast<std::size_t>(found - code.begin());
    for (std::size_t i = 0; i < begin; ++i)
      if ((code[i].operation == Operation::jump || code[i].operation == Operation::jump_if_false) &&
          i + static_cast<std::size_t>(code[i].argument) >= begin + part.size() - 1)
        code[i].argument -= shorter;
    *found = {Operation::input, input, 0};
    code.erase(found + 1, found + 1 + shorter);
  }
}

// Zeros to be added for bumps over a part of a program.
std::vector<std::vector<Instruction>> watches_over(const ExpressionProgram& program, const InnerPart& inner) {
  int input = 0;
  for (const Instruction& instruction : program.code)
    if (instruction.operation == Operation::input) input = std::max(input, instruction.argument + 1);
  const ExpressionProgram outer = with_input(program, inner.code, input);
  BumpFinder finder(outer, input, inner.range);
  finder.look_at(finder.walk(0, outer.code.size()));
  std::vector<std::vector<Instruction>> watches;
  for (const std::vector<Instruction>& watch : finder.watches()) {
    std::vector<Instruction>& code = watches.emplace_back();
    for (const Instruction& instruction : watch)
      if (instruction.operation == Operation::input && instruction.argument == input)
        code.insert(code.end(), inner.code.begin(), inner.code.end());
      else
        code.push_back(instruction);
  }
  return watches;
}

}  // namespace

bool is_linear(Operation operation) {
  switch (operation) {
    case Operation::number:
    case Operation::input:
    case Operation::negate:
    case Operation::add_number:
    case Operation::multiply_number:
    case Operation::divide_by_number:
    case Operation::number_minus:
    case Operation::add:
    case Operation::subtract:
      return true;
    default:
      return false;
  }
}

std::vector<TimeBump> time_bumps(const ExpressionProgram& program) {
  if (std::none_of(program.code.begin(), program.code.end(), makes_bumps)) return {};
  BumpFinder finder(program, true);
  finder.look_at(finder.walk(0, program.code.size()));
  return finder.in_time();
}

std::vector<ExpressionProgram> periodic_time_bumps(const ExpressionProgram& program) {
  std::vector<ExpressionProgram> found;
  if (std::none_of(program.code.begin(), program.code.end(), makes_bumps)) return found;
  BumpFinder finder(program, true);
  finder.walk(0, program.code.size());
  for (const InnerPart& inner : finder.inner())
    for (const std::vector<Instruction>& watch : watches_over(program, inner)) {
      // step(quantity, from, 0, to, 0)
      const auto numbers = watch.end() - 5;
      const ExpressionProgram quantity{{watch.begin(), numbers}, program.tables, program.depth};
      for (const double point : {numbers[0].number, numbers[2].number})
        found.push_back(combine(Operation::greater, {quantity, ExpressionProgram::constant(point)}));
    }
  return found;
}

ExpressionProgram with_watched_bumps(ExpressionProgram program) {
  if (std::none_of(program.code.begin(), program.code.end(), makes_bumps)) return program;
  BumpFinder finder(program, false);
  finder.look_at(finder.walk(0, program.code.size()));
  std::vector<std::vector<Instruction>> watches = finder.watches();
  for (const InnerPart& inner : finder.inner())
    for (std::vector<Instruction>& watch : watches_over(program, inner)) watches.push_back(std::move(watch));
  const int depth = program.depth + 5;  // the sum, a quantity, and four numbers
  if (depth > ExpressionProgram::largest_depth) return program;
  std::vector<Instruction>& code = program.code;
  for (const std::vector<Instruction>& watch : watches) {
    // programs that were watched before are put together to others
    if (std::search(code.begin(), code.end(), watch.begin(), watch.end(), is_same_instruction) != code.end())
      continue;
    code.insert(code.end(), watch.begin(), watch.end());
    code.push_back({Operation::add, 0, 0});
    program.depth = depth;
  }
  return program;
}

}  // namespace trammel
