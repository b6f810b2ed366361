// How the instructions of an expression are evaluated, with their derivatives, and how programs are put
// together.
//
// Derivatives of functions are computed as plain numbers and then chained to the number type, so that each
// formula stands here once. Where a derivative is infinite or undefined although the value is fine (sqrt at
// 0, abs at 0, atan2 at the origin), a finite one-sided derivative or zero is taken: one infinity would make
// a whole Jacobian useless.
#include "trammel/mechanism/expression.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <new>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "trammel/mechanism/expression_bumps.h"

namespace trammel {
namespace {

// x^exponent; the common powers as one would write them, so that x^2 is x * x to the last bit.
double power(double x, double exponent) {
  if (exponent == 0.0) return 1.0;
  if (exponent == 1.0) return x;
  if (exponent == 2.0) return x * x;
  if (exponent == 3.0) return x * x * x;
  return std::pow(x, exponent);
}

// The remainder with the sign of y: mod(-30, 360) = 330.
double modulo(double x, double y) {
  const double remainder = std::fmod(x, y);
  return remainder != 0.0 && (remainder < 0.0) != (y < 0.0) ? remainder + y : remainder;
}

double one_operand_value(const Instruction& instruction, double x) {
  switch (instruction.operation) {
    case Operation::divide_by_number:
      return x / instruction.number;
    case Operation::number_divided:
      return instruction.number / x;
    case Operation::power_number:
      return power(x, instruction.number);
    case Operation::sine:
      return std::sin(x);
    case Operation::cosine:
      return std::cos(x);
    case Operation::tangent:
      return std::tan(x);
    case Operation::arcsine:
      return std::asin(x);
    case Operation::arccosine:
      return std::acos(x);
    case Operation::arctangent:
      return std::atan(x);
    case Operation::hyperbolic_sine:
      return std::sinh(x);
    case Operation::hyperbolic_cosine:
      return std::cosh(x);
    case Operation::hyperbolic_tangent:
      return std::tanh(x);
    case Operation::exponential:
      return std::exp(x);
    case Operation::logarithm:
      return std::log(x);
    case Operation::logarithm10:
      return std::log10(x);
    case Operation::square_root:
      return std::sqrt(x);
    case Operation::cube_root:
      return std::cbrt(x);
    case Operation::absolute:
      return std::abs(x);
    case Operation::sign:
      return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
    case Operation::floor:
      return std::floor(x);
    case Operation::ceiling:
      return std::ceil(x);
    case Operation::round:
      return std::round(x);
    default:
      throw std::logic_error("not a function of one operand");
  }
}

// With f, the value: f, f', f'', f'''.
Derivatives one_operand_derivatives(const Instruction& instruction, double x, double f) {
  const double c = instruction.number;
  switch (instruction.operation) {
    case Operation::divide_by_number:
      return {f, 1.0 / c, 0.0, 0.0};
    case Operation::number_divided:
      return {f, -f / x, 2.0 * f / x / x, -6.0 * f / x / x / x};
    case Operation::power_number: {
      Derivatives result{f};
      double factor = 1.0;
      for (int i = 1; i < 4; ++i) {
        factor *= c - (i - 1);
        // of x², the third derivative is 0, and not 0 · 0⁻¹
        if (factor != 0.0) result[static_cast<std::size_t>(i)] = factor * power(x, c - i);
      }
      return result;
    }
    case Operation::sine:
      return {f, std::cos(x), -f, -std::cos(x)};
    case Operation::cosine:
      return {f, -std::sin(x), -f, std::sin(x)};
    case Operation::tangent: {
      const double d = 1.0 + f * f;
      return {f, d, 2.0 * f * d, d * (2.0 + 6.0 * f * f)};
    }
    case Operation::arcsine:
    case Operation::arccosine: {
      const double square = (1.0 - x) * (1.0 + x);
      const double d = (instruction.operation == Operation::arcsine ? 1.0 : -1.0) / std::sqrt(square);
      return {f, d, x * d / square, (1.0 + 2.0 * x * x) * d / (square * square)};
    }
    case Operation::arctangent: {
      const double d = 1.0 / (1.0 + x * x);
      return {f, d, -2.0 * x * d * d, (6.0 * x * x - 2.0) * d * d * d};
    }
    case Operation::hyperbolic_sine:
      return {f, std::cosh(x), f, std::cosh(x)};
    case Operation::hyperbolic_cosine:
      return {f, std::sinh(x), f, std::sinh(x)};
    case Operation::hyperbolic_tangent: {
      const double d = 1.0 / std::cosh(x) / std::cosh(x);
      return {f, d, -2.0 * f * d, d * (6.0 * f * f - 2.0)};
    }
    case Operation::exponential:
      return {f, f, f, f};
    case Operation::logarithm:
      return {f, 1.0 / x, -1.0 / x / x, 2.0 / x / x / x};
    case Operation::logarithm10: {
      const double d = std::numbers::log10e / x;
      return {f, d, -d / x, 2.0 * d / x / x};
    }
    case Operation::square_root:
      return {f, 0.5 / f, -0.25 / f / x, 0.375 / f / x / x};
    case Operation::cube_root:
      return {f, f / x / 3.0, -2.0 / 9.0 * f / x / x, 10.0 / 27.0 * f / x / x / x};
    case Operation::absolute:
      return {f, x < 0.0 ? -1.0 : 1.0, 0.0, 0.0};
    default:
      return {f};  // those that are constant between jumps
  }
}

// ∂ⁱ⁺ʲf / ∂aⁱ∂bʲ, for i + j ≤ 3
struct PartialDerivatives {
  double at[4][4] = {};
};

double two_operand_value(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::divide:
      return a / b;
    case Operation::power:
      return power(a, b);
    case Operation::arctangent2:
      return std::atan2(a, b);
    case Operation::hypotenuse:
      return std::hypot(a, b);
    case Operation::modulo:
      return modulo(a, b);
    default:
      throw std::logic_error("not a function of two operands");
  }
}

PartialDerivatives quotient_derivatives(double a, double b) {
  const double inverse = 1.0 / b, f = a / b;
  return {{{f, -f * inverse, 2.0 * f * inverse * inverse, -6.0 * f * inverse * inverse * inverse},
           {inverse, -inverse * inverse, 2.0 * inverse * inverse * inverse}}};
}

PartialDerivatives power_derivatives(double x, double y) {
  PartialDerivatives result;
  auto& f = result.at;
  const Derivatives by_x = one_operand_derivatives({Operation::power_number, 0, y}, x, power(x, y));
  for (std::size_t i = 0; i < 4; ++i) f[i][0] = by_x[i];
  // an exponent that varies has a meaning for x > 0; at x = 0 the limit of its derivatives is 0
  if (!(x > 0.0)) return result;
  const double L = std::log(x), p = f[0][0];
  f[0][1] = p * L;
  f[0][2] = p * L * L;
  f[0][3] = p * L * L * L;
  f[1][1] = p / x * (1.0 + y * L);
  f[1][2] = p / x * L * (2.0 + y * L);
  f[2][1] = p / x / x * ((2.0 * y - 1.0) + y * (y - 1.0) * L);
  return result;
}

// of the angle, the imaginary part of log(x + iy), with the first operand y
PartialDerivatives arctangent2_derivatives(double y, double x) {
  const double r = std::hypot(x, y), c = x / r, s = y / r;
  const double second = 1.0 / r / r, third = 2.0 / r / r / r;
  const double sine3 = s * (3.0 - 4.0 * s * s), cosine3 = c * (4.0 * c * c - 3.0);
  return {{{std::atan2(y, x), -s / r, 2.0 * c * s * second, -sine3 * third},
           {c / r, (s * s - c * c) * second, cosine3 * third},
           {-2.0 * c * s * second, sine3 * third},
           {-cosine3 * third}}};
}

PartialDerivatives hypotenuse_derivatives(double x, double y) {
  const double r = std::hypot(x, y), c = x / r, s = y / r;
  return {{{r, s, c * c / r, -3.0 * s * c * c / r / r},
           {c, -c * s / r, c * (2.0 * s * s - c * c) / r / r},
           {s * s / r, s * (2.0 * c * c - s * s) / r / r},
           {-3.0 * c * s * s / r / r}}};
}

PartialDerivatives two_operand_derivatives(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::divide:
      return quotient_derivatives(a, b);
    case Operation::power:
      return power_derivatives(a, b);
    case Operation::arctangent2:
      return arctangent2_derivatives(a, b);
    case Operation::hypotenuse:
      return hypotenuse_derivatives(a, b);
    default:
      // a − n b with a whole number n
      return {{{modulo(a, b), std::round((modulo(a, b) - a) / b)}, {1.0}}};
  }
}

// Chained to the number type, starting from ∂ⁱ⁺ʲf / ∂aⁱ∂bʲ.
double chain_partial(double, double, const PartialDerivatives& f, int i, int j) { return f.at[i][j]; }
template <class T, int N>
Dual<T, N> chain_partial(const Dual<T, N>& a, const Dual<T, N>& b, const PartialDerivatives& f, int i,
                         int j) {
  const T by_a = chain_partial(a.value, b.value, f, i + 1, j);
  const T by_b = chain_partial(a.value, b.value, f, i, j + 1);
  return Dual<T, N>::build(chain_partial(a.value, b.value, f, i, j), [&](int direction) {
    return by_a * a.derivative[static_cast<std::size_t>(direction)] +
           by_b * b.derivative[static_cast<std::size_t>(direction)];
  });
}
template <class T>
Taylor<T> chain_partial(const Taylor<T>& a, const Taylor<T>& b, const PartialDerivatives& f, int i, int j) {
  const auto at = [&](int by_a, int by_b) { return chain_partial(a.value, b.value, f, i + by_a, j + by_b); };
  const T f_a = at(1, 0), f_b = at(0, 1);
  return {at(0, 0), f_a * a.first + f_b * b.first,
          f_a * a.second + f_b * b.second + at(2, 0) * (a.first * a.first) +
              2.0 * (at(1, 1) * (a.first * b.first)) + at(0, 2) * (b.first * b.first)};
}

// Takes zero for a derivative that is not finite.
void make_finite(double* first, double* last) {
  std::replace_if(
      first, last, [](double value) { return !std::isfinite(value); }, 0.0);
}

template <class T>
T function_of_one(const Instruction& instruction, const T& x) {
  const double value = one_operand_value(instruction, plain(x));
  if constexpr (derivative_order<T> == 0) {
    return value;
  } else {
    Derivatives f = one_operand_derivatives(instruction, plain(x), value);
    make_finite(f.data() + 1, f.data() + f.size());
    return chain_derivatives(x, f);
  }
}

template <class T>
T function_of_two(Operation operation, const T& a, const T& b) {
  if constexpr (derivative_order<T> == 0) {
    return two_operand_value(operation, a, b);
  } else {
    PartialDerivatives f = two_operand_derivatives(operation, plain(a), plain(b));
    make_finite(&f.at[0][0], &f.at[0][0] + 16);
    f.at[0][0] = two_operand_value(operation, plain(a), plain(b));
    return chain_partial(a, b, f, 0, 0);
  }
}

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
  T branching_function(const Instruction& instruction, const T& x) const;
  void choose_extreme(const Instruction& instruction);
  T compare_operands(const Instruction& instruction);
  T remainder(const Instruction& instruction, const T& a, const T& b) const;

  const ExpressionProgram& program_;
  std::span<const T> inputs_;
  const Switches& switches_;
  Stack<T> stack_;
  int top_ = -1;
  bool rounded_ = false;  // an answer of a comparison is neither true nor false
};

// From −1 to 1 where x goes through zero, over `width` on both sides.
template <class T>
T rounded_sign(const T& x, double width) {
  const T u = x / width;
  return plain(u) <= -1.0 ? T(-1.0) : plain(u) >= 1.0 ? T(1.0) : u;
}

// abs, sign, floor, ceiling, round.
template <class T>
T Evaluation<T>::branching_function(const Instruction& instruction, const T& x) const {
  const int index = instruction.switch_index;
  const double at = plain(x);
  if (instruction.operation == Operation::absolute || instruction.operation == Operation::sign) {
    const bool jumps = instruction.operation == Operation::sign;
    const auto margin = [&](int branch) { return branch == 0 ? -at : at; };
    const int branch = switches_.choose(
        index, at < 0.0 ? 0 : 1, jumps ? SwitchReading::value_jumps : SwitchReading::slope_jumps, margin);
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
  if (switches_.choose(instruction.switch_index, natural, SwitchReading::slope_jumps, margin) == 1)
    stack_[top_] = stack_[top_ + 1];
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
        stack_[top_] = switched ? branching_function(instruction, stack_[top_])
                                : function_of_one(instruction, stack_[top_]);
        break;
    }
  }
}

template <class T>
T run(const ExpressionProgram& program, std::span<const T> inputs, const Switches& switches) {
  return Evaluation<T>(program, inputs, switches)();
}

void append(ExpressionProgram& program, const ExpressionProgram& next) {
  const int shift = static_cast<int>(program.tables.size());
  program.tables.insert(program.tables.end(), next.tables.begin(), next.tables.end());
  for (Instruction instruction : next.code) {
    if (instruction.operation == Operation::table) instruction.argument += shift;
    program.code.push_back(instruction);
  }
}

// An operation on a program and a constant in one instruction, if there is one; otherwise `number`.
Instruction with_constant_right(Operation operation, double number) {
  switch (operation) {
    case Operation::add:
      return {Operation::add_number, 0, number};
    case Operation::subtract:
      return {Operation::add_number, 0, -number};
    case Operation::multiply:
      return {Operation::multiply_number, 0, number};
    case Operation::divide:
      return {Operation::divide_by_number, 0, number};
    case Operation::power:
      return {Operation::power_number, 0, number};
    default:
      return {};
  }
}
Instruction with_constant_left(Operation operation, double number) {
  switch (operation) {
    case Operation::add:
      return {Operation::add_number, 0, number};
    case Operation::subtract:
      return {Operation::number_minus, 0, number};
    case Operation::multiply:
      return {Operation::multiply_number, 0, number};
    case Operation::divide:
      return {Operation::number_divided, 0, number};
    default:
      return {};
  }
}

}  // namespace

int operand_count(Operation operation) {
  if (operation <= Operation::input || operation == Operation::jump) return 0;
  if (operation <= Operation::table || operation == Operation::jump_if_false) return 1;
  if (operation <= Operation::not_equal) return 2;
  return operation == Operation::ramp ? 3 : 5;
}

ExpressionProgram ExpressionProgram::constant(double value) {
  return {{{Operation::number, 0, value}}, {}, 1};
}

ExpressionProgram ExpressionProgram::input(int index) {
  if (index < 0) throw std::invalid_argument("the index of an input is negative");
  return {{{Operation::input, index, 0}}, {}, 1};
}

ExpressionProgram combine(Operation operation, std::vector<ExpressionProgram> operands,
                          std::vector<Table> tables) {
  if (static_cast<int>(operands.size()) != operand_count(operation) || operands.empty())
    throw std::invalid_argument("an operation of an expression has the wrong number of operands");
  const bool fold = std::all_of(operands.begin(), operands.end(),
                                [](const ExpressionProgram& operand) { return operand.is_constant(); });
  if (!fold && operands.size() == 2) {
    for (const bool right : {true, false}) {
      const ExpressionProgram& constant = operands[right ? 1 : 0];
      if (!constant.is_constant()) continue;
      const double number = constant.code[0].number;
      const Instruction fused =
          right ? with_constant_right(operation, number) : with_constant_left(operation, number);
      if (fused.operation == Operation::number) continue;
      ExpressionProgram result = std::move(operands[right ? 0 : 1]);
      result.code.push_back(fused);
      return result;
    }
  }

  ExpressionProgram result = std::move(operands[0]);
  for (std::size_t i = 1; i < operands.size(); ++i) {
    append(result, operands[i]);
    result.depth = std::max(result.depth, operands[i].depth + static_cast<int>(i));
  }
  result.code.push_back({operation, static_cast<int>(result.tables.size()), 0});
  result.tables.insert(result.tables.end(), tables.begin(), tables.end());
  return fold ? ExpressionProgram::constant(run<double>(result, {}, {})) : result;
}

ExpressionProgram choose(ExpressionProgram condition, ExpressionProgram then, ExpressionProgram otherwise) {
  if (condition.is_constant()) return condition.code[0].number != 0.0 ? then : otherwise;
  ExpressionProgram result = std::move(condition);
  result.code.push_back({Operation::jump_if_false, static_cast<int>(then.code.size()) + 1, 0});
  append(result, then);
  result.code.push_back({Operation::jump, static_cast<int>(otherwise.code.size()), 0});
  append(result, otherwise);
  result.depth = std::max({result.depth, then.depth, otherwise.depth});
  return result;
}

Expression::Expression() : Expression(ExpressionProgram::constant(0)) {}

Expression::Expression(ExpressionProgram program) {
  if (program.depth > ExpressionProgram::largest_depth)
    throw std::length_error("an expression needs more than 64 intermediate results at a time");
  std::vector<int> used;
  for (const Instruction& instruction : program.code)
    if (instruction.operation == Operation::input) used.push_back(instruction.argument);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  program = with_watched_bumps(std::move(program));
  switches_ = number_switches(program);
  program_ = std::make_shared<const ExpressionProgram>(std::move(program));
  dependencies_ = std::make_shared<const std::vector<int>>(std::move(used));
}

int Expression::inputs() const { return dependencies_->empty() ? 0 : dependencies_->back() + 1; }

bool Expression::depends_on(int input) const {
  return std::binary_search(dependencies_->begin(), dependencies_->end(), input);
}

template <class T>
T Expression::evaluate(std::span<const T> inputs, const Switches& switches) const {
  if (!dependencies_->empty() && static_cast<std::size_t>(dependencies_->back()) >= inputs.size())
    throw std::invalid_argument("an expression was given fewer inputs than it depends on");
  return run(*program_, inputs, switches);
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
