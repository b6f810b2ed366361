// How the instructions of an expression are carried out, on the branches that are held (switches.h) or those of the operands.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <new>
#include <stdexcept>

#include "trammel/mechanism/expression_functions.h"

namespace trammel {
namespace {

// From 0 at x0 to 1 at x1, along a straight line. Branches: before, on it, behind.
template <class T>
T ramp(const T& x, const T& x0, const T& x1, int index, const Switches& switches, bool bends) {
  const bool jump = plain(x0) == plain(x1);
  if (jump) {
    const double past = plain(x) - plain(x0);
    const auto margin = [&](int branch) { return branch == 0 ? -past : past; };
    return T(switches.choose(index, past < 0.0 ? 0 : 2, SwitchReading::value_jumps, margin) == 0 ? 0.0 : 1.0);
  }
  const T u = function_of_two<T>(Operation::divide, x - x0, x1 - x0);
  const double at = plain(u);
  const auto margin = [&](int branch) {
    return branch == 0 ? -at : branch == 1 ? std::min(at, 1.0 - at) : at - 1.0;
  };
  switch (switches.choose(index,
                          at < 0.0    ? 0
                          : at >= 1.0 ? 2
                                      : 1,
                          bends ? SwitchReading::slope_jumps : SwitchReading::nothing_jumps, margin)) {
    case 0:
      return T(0.0);
    case 1:
      return u;
    default:
      return T(1.0);
  }
}

// From y0 at x0 to y1 at x1, along the polynomial of degree five with two derivatives zero at both ends.
template <class T>
T smooth_step(const T& x, const T& x0, const T& y0, const T& x1, const T& y1, int index,
              const Switches& switches) {
  const T ramped = ramp(x, x0, x1, index, switches, false);
  const double u = plain(ramped);
  if (u <= 0.0) return y0;
  if (u >= 1.0) return y1;
  const Derivatives s{u * u * u * (10.0 + u * (-15.0 + 6.0 * u)), 30.0 * u * u * (1.0 - u) * (1.0 - u),
                      60.0 * u * (1.0 - u) * (1.0 - 2.0 * u), 60.0 + 360.0 * u * (u - 1.0)};
  return y0 + (y1 - y0) * chain_derivatives(ramped, s);
}

bool compare(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::less:
      return a < b;
    case Operation::less_equal:
      return a <= b;
    case Operation::greater:
      return a > b;
    case Operation::greater_equal:
      return a >= b;
    case Operation::equal:
      return a == b;
    default:
      return a != b;
  }
}

// Room for the stack, without the price of setting thousands of derivatives to zero first.
template <class T>
class Stack {
 public:
  T& operator[](int i) { return *std::launder(reinterpret_cast<T*>(memory_) + i); }
  void put(int i, const T& value) { ::new (memory_ + static_cast<std::size_t>(i) * sizeof(T)) T(value); }

 private:
  static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);
  alignas(T) std::byte memory_[sizeof(T) * ExpressionProgram::largest_depth];
};

// One evaluation of a program.
template <class T>
class Evaluation {
 public:
  Evaluation(const ExpressionProgram& program, std::span<const T> inputs, const Switches& switches)
      : program_(program), inputs_(inputs), switches_(switches) {}

  T operator()() {
    run(0, program_.code.size());
    return stack_[0];
  }

 private:
  void run(std::size_t begin, std::size_t end);
  std::size_t blend(std::size_t i);
  T branching_function(const Instruction& instruction, const T& x);
  T continued_root(const Instruction& instruction, const T& x) const;
  void choose_extreme(const Instruction& instruction);
  T compare_operands(const Instruction& instruction);
  T remainder(const Instruction& instruction, const T& a, const T& b) const;

  const ExpressionProgram& program_;
  std::span<const T> inputs_;
  const Switches& switches_;
  Stack<T> stack_;
  int top_ = -1;
  bool rounded_ = false;  // an answer of a comparison is neither true nor false
  bool behind_ = false;   // a branch is held beyond its end
};

// From −1 to 1 where x goes through zero, over `width` on both sides.
template <class T>
T rounded_sign(const T& x, double width) {
  const T u = x / width;
  return plain(u) <= -1.0 ? T(-1.0) : plain(u) >= 1.0 ? T(1.0) : u;
}

// abs, sign, floor, ceiling, round.
template <class T>
T Evaluation<T>::branching_function(const Instruction& instruction, const T& x) {
  const int index = instruction.switch_index;
  const double at = plain(x);
  if (instruction.operation == Operation::absolute || instruction.operation == Operation::sign) {
    const bool jumps = instruction.operation == Operation::sign;
    const auto margin = [&](int branch) { return branch == 0 ? -at : at; };
    const int branch = switches_.choose(
        index, at < 0.0 ? 0 : 1, jumps ? SwitchReading::value_jumps : SwitchReading::slope_jumps, margin);
    if (branch != (at < 0.0 ? 0 : 1)) behind_ = true;
    const HeldBranch& held = switches_.held(index);
    if (!jumps) return branch == 0 ? -x : x;
    if (!held.is_free()) return T(branch == 0 ? -1.0 : 1.0);
    return held.width > 0 ? rounded_sign(x, held.width) : function_of_one(instruction, x);
  }
  // whole numbers that a branch can count
  if (!(std::abs(at) < 1e9)) return function_of_one(instruction, x);
  const double value = one_operand_value(instruction, at);
  const double below = instruction.operation == Operation::floor     ? 0.0
                       : instruction.operation == Operation::ceiling ? 1.0
                                                                     : 0.5;
  const auto margin = [&](int branch) {
    return std::min(at - (branch - below), (branch - below) + 1.0 - at);
  };
  return T(switches_.choose(index, static_cast<int>(value), SwitchReading::value_jumps, margin));
}

template <class T>
T Evaluation<T>::remainder(const Instruction& instruction, const T& a, const T& b) const {
  const double turns = std::floor(plain(a) / plain(b));
  if (!(std::abs(turns) < 1e9)) return function_of_two(Operation::modulo, a, b);
  const auto margin = [&](int branch) {
    return std::min(plain(a) / plain(b) - branch, branch + 1.0 - plain(a) / plain(b));
  };
  const int branch =
      switches_.choose(instruction.switch_index, static_cast<int>(turns), SwitchReading::value_jumps, margin);
  if (switches_.held(instruction.switch_index).is_free()) return function_of_two(Operation::modulo, a, b);
  return a - static_cast<double>(branch) * b;
}

// Of the two on top. The first if they are equal; what is not a number is not hidden.
template <class T>
void Evaluation<T>::choose_extreme(const Instruction& instruction) {
  --top_;
  const double a = plain(stack_[top_]), b = plain(stack_[top_ + 1]);
  const double ahead = instruction.operation == Operation::minimum ? b - a : a - b;  // of the first
  const auto margin = [&](int branch) { return branch == 0 ? ahead : -ahead; };
  const int natural = ahead < 0.0 || std::isnan(b) ? 1 : 0;
  const int branch = switches_.choose(instruction.switch_index, natural, SwitchReading::slope_jumps, margin);
  if (branch != natural) behind_ = true;
  if (branch == 1) stack_[top_] = stack_[top_ + 1];
}

// A power or a square root of what is positive on its branch, as in max(0, x)^1.5, beyond the end of that branch: goes on as an
// odd function, so that the step that crosses the end has values there, and the end is found.
template <class T>
T Evaluation<T>::continued_root(const Instruction& instruction, const T& x) const {
  const bool odd = instruction.operation == Operation::square_root ||
                   (instruction.operation == Operation::power_number &&
                    instruction.number != std::floor(instruction.number));
  return odd && plain(x) < 0.0 ? -function_of_one(instruction, T(-x)) : function_of_one(instruction, x);
}

// Of the two on top, which it takes away: 1, 0, or between them if that is rounded off.
template <class T>
T Evaluation<T>::compare_operands(const Instruction& instruction) {
  const T &first = stack_[top_ - 1], &second = stack_[top_];
  top_ -= 2;
  const double a = plain(first), b = plain(second);
  const bool natural = compare(instruction.operation, a, b);
  const int index = instruction.switch_index;
  if (index < 0 || switches_.are_free()) return T(natural ? 1.0 : 0.0);
  const bool less =
      instruction.operation == Operation::less || instruction.operation == Operation::less_equal;
  const double ahead = less ? b - a : a - b;
  const auto margin = [&](int branch) { return branch == 0 ? -ahead : ahead; };
  const int branch = switches_.choose(index, natural ? 1 : 0, SwitchReading::value_jumps, margin);
  if (branch != (natural ? 1 : 0)) behind_ = true;
  const HeldBranch& held = switches_.held(index);
  if (!held.is_free() || !(held.width > 0) || std::abs(ahead) >= held.width) return T(branch);
  rounded_ = true;
  return 0.5 + 0.5 * rounded_sign(less ? second - first : first - second, held.width);
}

// Of the two branches after the condition on top, which is neither true nor false. Returns where they end.
template <class T>
std::size_t Evaluation<T>::blend(std::size_t i) {
  const std::size_t jump = i + static_cast<std::size_t>(program_.code[i].argument);
  const std::size_t last = jump + 1 + static_cast<std::size_t>(program_.code[jump].argument);
  const T condition = stack_[top_--];
  run(i + 1, jump);
  const T then = stack_[top_--];
  run(jump + 1, last);
  stack_[top_] = stack_[top_] + condition * (then - stack_[top_]);
  return last;
}

template <class T>
void Evaluation<T>::run(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const Instruction& instruction = program_.code[i];
    const bool switched = instruction.switch_index >= 0 && !switches_.are_free();
    // the result takes the place of the first operand
    switch (instruction.operation) {
      case Operation::number:
        stack_.put(++top_, T(instruction.number));
        break;
      case Operation::input:
        stack_.put(++top_, inputs_[static_cast<std::size_t>(instruction.argument)]);
        break;
      case Operation::jump:
        i += static_cast<std::size_t>(instruction.argument);
        break;
      case Operation::jump_if_false: {
        const double condition = plain(stack_[top_]);
        if (rounded_ && condition > 0.0 && condition < 1.0) {
          i = blend(i) - 1;
          break;
        }
        --top_;
        if (condition == 0.0) i += static_cast<std::size_t>(instruction.argument);
        break;
      }
      case Operation::negate:
        stack_[top_] = -stack_[top_];
        break;
      case Operation::logical_not: {
        const double condition = plain(stack_[top_]);
        if (rounded_ && condition > 0.0 && condition < 1.0)
          stack_[top_] = 1.0 - stack_[top_];
        else
          stack_[top_] = T(condition == 0.0 ? 1.0 : 0.0);
        break;
      }
      case Operation::add_number:
        stack_[top_] = stack_[top_] + instruction.number;
        break;
      case Operation::multiply_number:
        stack_[top_] = stack_[top_] * instruction.number;
        break;
      case Operation::number_minus:
        stack_[top_] = instruction.number - stack_[top_];
        break;
      case Operation::table: {
        const Table& table = program_.tables[static_cast<std::size_t>(instruction.argument)];
        stack_[top_] =
            switched ? table(stack_[top_], instruction.switch_index, switches_) : table(stack_[top_]);
        break;
      }
      case Operation::add:
        --top_, stack_[top_] += stack_[top_ + 1];
        break;
      case Operation::subtract:
        --top_, stack_[top_] -= stack_[top_ + 1];
        break;
      case Operation::multiply:
        --top_, stack_[top_] = stack_[top_] * stack_[top_ + 1];
        break;
      case Operation::divide:
      case Operation::power:
      case Operation::arctangent2:
      case Operation::hypotenuse:
      case Operation::modulo:
        --top_;
        stack_[top_] = switched ? remainder(instruction, stack_[top_], stack_[top_ + 1])
                                : function_of_two(instruction.operation, stack_[top_], stack_[top_ + 1]);
        break;
      case Operation::minimum:
      case Operation::maximum:
        choose_extreme(instruction);
        break;
      case Operation::less:
      case Operation::less_equal:
      case Operation::greater:
      case Operation::greater_equal:
      case Operation::equal:
      case Operation::not_equal: {
        const T answer = compare_operands(instruction);
        stack_[++top_] = answer;
        break;
      }
      case Operation::ramp:
        top_ -= 2;
        stack_[top_] =
            ramp(stack_[top_], stack_[top_ + 1], stack_[top_ + 2], instruction.switch_index, switches_, true);
        break;
      case Operation::step:
        top_ -= 4;
        stack_[top_] = smooth_step(stack_[top_], stack_[top_ + 1], stack_[top_ + 2], stack_[top_ + 3],
                                   stack_[top_ + 4], instruction.switch_index, switches_);
        break;
      default:
        stack_[top_] = switched  ? branching_function(instruction, stack_[top_])
                       : behind_ ? continued_root(instruction, stack_[top_])
                                 : function_of_one(instruction, stack_[top_]);
        break;
    }
  }
}

}  // namespace

template <class T>
T Expression::evaluate(std::span<const T> inputs, const Switches& switches) const {
  if (!dependencies_->empty() && static_cast<std::size_t>(dependencies_->back()) >= inputs.size())
    throw std::invalid_argument("an expression was given fewer inputs than it depends on");
  return Evaluation<T>(*program_, inputs, switches)();
}

template double Expression::evaluate(std::span<const double>, const Switches&) const;
template Taylor<double> Expression::evaluate(std::span<const Taylor<double>>, const Switches&) const;
template Dual<double, 8> Expression::evaluate(std::span<const Dual<double, 8>>, const Switches&) const;
template Dual<double, 12> Expression::evaluate(std::span<const Dual<double, 12>>, const Switches&) const;
template Dual<double, 24> Expression::evaluate(std::span<const Dual<double, 24>>, const Switches&) const;
template Dual<double, 32> Expression::evaluate(std::span<const Dual<double, 32>>, const Switches&) const;
template Dual<Dual<double, 8>, 4> Expression::evaluate(std::span<const Dual<Dual<double, 8>, 4>>,
                                                       const Switches&) const;
template Taylor<Dual<double, 8>> Expression::evaluate(std::span<const Taylor<Dual<double, 8>>>,
                                                      const Switches&) const;
template Taylor<Dual<double, 24>> Expression::evaluate(std::span<const Taylor<Dual<double, 24>>>,
                                                       const Switches&) const;

}  // namespace trammel
