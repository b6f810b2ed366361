#include "trammel/mechanism/recorded_laws.h"

#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace trammel {
namespace {

using Kind = OperationGraph::Kind;

Traced equal_to_zero(const Traced& x) { return Traced::compare(Kind::equal, x, 0.0); }

// Where the slope of a function is not finite although its value is, formulas take zero for it (expression_functions.h).
Traced flat_where(const Traced& condition, double value, const Traced& f) {
  return Traced::choose(condition, value, f);
}

Traced flat_at_ends(const Traced& x, const Traced& f, double at_minus_one, double at_one) {
  return flat_where(Traced::compare(Kind::equal, x, 1.0), at_one,
                    flat_where(Traced::compare(Kind::equal, x, -1.0), at_minus_one, f));
}

// A polynomial of degree five that rises from 0 to 1 (expression_evaluation.cpp, smooth_onset.h).
Traced rise(const Traced& u) { return u * u * u * (10.0 + u * (-15.0 + 6.0 * u)); }

Traced ramp(const Traced& x, const Traced& x0, const Traced& x1, const auto& between) {
  const Traced u = (x - x0) / (x1 - x0);
  const Traced on_it =
      Traced::choose(Traced::compare(Kind::less, u, 0.0), 0.0,
                     Traced::choose(Traced::compare(Kind::less_equal, 1.0, u), 1.0, between(u)));
  const Traced jump = Traced::choose(Traced::compare(Kind::less, x, x0), 0.0, 1.0);
  return Traced::choose(Traced::compare(Kind::equal, x0, x1), jump, on_it);
}

Traced power_of(const Traced& x, const Traced& exponent) {
  const Traced f = pow(x, exponent);
  if (exponent.is_constant()) {
    const double n = exponent.number();
    if (n >= 1) return f;  // its slope is finite at zero
    return flat_where(equal_to_zero(x), std::pow(0.0, n), f);
  }
  return f;
}

Traced modulo(const Traced& x, const Traced& y) { return x - y * floor(x / y); }

Traced function_of_one(const Instruction& instruction, const Traced& x) {
  switch (instruction.operation) {
    case Operation::negate:
      return -x;
    case Operation::logical_not:
      return Traced::of_one(Kind::logical_not, x);
    case Operation::add_number:
      return x + instruction.number;
    case Operation::multiply_number:
      return x * instruction.number;
    case Operation::divide_by_number:
      return x / instruction.number;
    case Operation::number_minus:
      return instruction.number - x;
    case Operation::number_divided:
      return instruction.number / x;
    case Operation::power_number:
      return power_of(x, instruction.number);
    case Operation::sine:
      return sin(x);
    case Operation::cosine:
      return cos(x);
    case Operation::tangent:
      return tan(x);
    case Operation::arcsine:
      return flat_at_ends(x, asin(x), -std::numbers::pi / 2, std::numbers::pi / 2);
    case Operation::arccosine:
      return flat_at_ends(x, acos(x), std::numbers::pi, 0);
    case Operation::arctangent:
      return atan(x);
    case Operation::hyperbolic_sine:
      return sinh(x);
    case Operation::hyperbolic_cosine:
      return cosh(x);
    case Operation::hyperbolic_tangent:
      return tanh(x);
    case Operation::exponential:
      return exp(x);
    case Operation::logarithm:
      return log(x);
    case Operation::logarithm10:
      return log(x) * std::numbers::log10e;
    case Operation::square_root:
      return flat_where(equal_to_zero(x), 0, sqrt(x));
    case Operation::cube_root:
      return flat_where(equal_to_zero(x), 0, cbrt(x));
    case Operation::absolute:
      return abs(x);
    case Operation::sign:
      return Traced::choose(Traced::compare(Kind::less, 0.0, x), 1.0,
                            Traced::choose(Traced::compare(Kind::less, x, 0.0), -1.0, 0.0));
    case Operation::floor:
      return floor(x);
    case Operation::ceiling:
      return ceil(x);
    case Operation::round:
      return round(x);
    default:
      throw std::logic_error("not a function of one operand");
  }
}

Traced function_of_two(Operation operation, const Traced& a, const Traced& b) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::power:
      return power_of(a, b);
    case Operation::arctangent2:
      return flat_where(equal_to_zero(a * a + b * b), 0, atan2(a, b));
    case Operation::hypotenuse:
      return flat_where(equal_to_zero(a * a + b * b), 0, hypot(a, b));
    case Operation::modulo:
      return modulo(a, b);
    case Operation::minimum:
      return min(a, b);
    case Operation::maximum:
      return max(a, b);
    case Operation::less:
      return Traced::compare(Kind::less, a, b);
    case Operation::less_equal:
      return Traced::compare(Kind::less_equal, a, b);
    case Operation::greater:
      return Traced::compare(Kind::less, b, a);
    case Operation::greater_equal:
      return Traced::compare(Kind::less_equal, b, a);
    case Operation::equal:
      return Traced::compare(Kind::equal, a, b);
    case Operation::not_equal:
      return Traced::of_one(Kind::logical_not, Traced::compare(Kind::equal, a, b));
    default:
      throw std::logic_error("not a function of two operands");
  }
}

// One program, on a stack of recorded numbers.
class RecordedProgram {
 public:
  RecordedProgram(const ExpressionProgram& program, std::span<const Traced> inputs)
      : program_(program), inputs_(inputs) {}

  Traced operator()() {
    run(0, program_.code.size());
    return stack_.back();
  }

 private:
  Traced pop() {
    const Traced top = stack_.back();
    stack_.pop_back();
    return top;
  }
  void run(std::size_t begin, std::size_t end);
  // Both sides after the condition at instruction i; returns where they end.
  std::size_t choose(std::size_t i);

  const ExpressionProgram& program_;
  std::span<const Traced> inputs_;
  std::vector<Traced> stack_;
};

std::size_t RecordedProgram::choose(std::size_t i) {
  const std::size_t jump = i + static_cast<std::size_t>(program_.code[i].argument);
  const std::size_t last = jump + 1 + static_cast<std::size_t>(program_.code[jump].argument);
  const Traced condition = pop();
  run(i + 1, jump);
  const Traced then = pop();
  run(jump + 1, last);
  const Traced otherwise = pop();
  stack_.push_back(Traced::choose(condition, then, otherwise));
  return last;
}

void RecordedProgram::run(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const Instruction& instruction = program_.code[i];
    switch (instruction.operation) {
      case Operation::number:
        stack_.emplace_back(instruction.number);
        break;
      case Operation::input:
        stack_.push_back(inputs_[static_cast<std::size_t>(instruction.argument)]);
        break;
      case Operation::jump_if_false:
        i = choose(i) - 1;
        break;
      case Operation::jump:
        throw std::logic_error("a jump that no condition belongs to");
      case Operation::table: {
        const Table& table = program_.tables[static_cast<std::size_t>(instruction.argument)];
        stack_.push_back(Traced::piecewise(table.cubic_pieces(), 0, pop()));
        break;
      }
      case Operation::ramp:
      case Operation::step: {
        std::array<Traced, 5> of;
        const int count = operand_count(instruction.operation);
        for (int k = count; k-- > 0;) of[static_cast<std::size_t>(k)] = pop();
        if (instruction.operation == Operation::ramp)
          stack_.push_back(ramp(of[0], of[1], of[2], [](const Traced& u) { return u; }));
        else
          stack_.push_back(of[2] + (of[4] - of[2]) * ramp(of[0], of[1], of[3], rise));
        break;
      }
      default:
        if (operand_count(instruction.operation) == 1) {
          stack_.push_back(function_of_one(instruction, pop()));
        } else {
          const Traced second = pop(), first = pop();
          stack_.push_back(function_of_two(instruction.operation, first, second));
        }
        break;
    }
  }
}

Traced between(const Traced& x, double from, double to, const Traced& before, const Traced& inside,
               const Traced& behind) {
  return Traced::choose(Traced::compare(Kind::less, x, from), before,
                        Traced::choose(Traced::compare(Kind::less, x, to), inside, behind));
}

// road_profile.cpp has it with all its derivatives.
RoadProfile::HeightAndSlope<Traced> half_cylinder(const Traced& x, double radius, double blend) {
  // where the circle is left
  const double end = radius - blend, h = std::sqrt(radius * radius - end * end);
  const double width = 2 * blend;
  const double p0 = h, p1 = -end / h * width, p2 = -0.5 * radius * radius / (h * h * h) * width * width;
  const double p3 = -10 * p0 - 6 * p1 - 3 * p2, p4 = 15 * p0 + 8 * p1 + 3 * p2, p5 = -6 * p0 - 3 * p1 - p2;
  const Traced u = abs(x), s = (u - end) / width;
  const Traced fade = p0 + s * (p1 + s * (p2 + s * (p3 + s * (p4 + s * p5))));
  const Traced falling = (p1 + s * (2 * p2 + s * (3 * p3 + s * (4 * p4 + s * (5 * p5))))) / width;
  const Traced circle = sqrt(radius * radius - x * x);
  const Traced is_left = Traced::compare(Kind::less, x, 0.0);
  return {between(u, end, radius + blend, circle, fade, 0.0),
          between(u, end, radius + blend, -x / circle, Traced::choose(is_left, -falling, falling), 0.0)};
}

}  // namespace

template <>
Traced Expression::evaluate(std::span<const Traced> inputs, const Switches&) const {
  if (!dependencies_->empty() && static_cast<std::size_t>(dependencies_->back()) >= inputs.size())
    throw std::invalid_argument("an expression was given fewer inputs than it depends on");
  return RecordedProgram(*program_, inputs)();
}

template <>
RoadProfile::HeightAndSlope<Traced> RoadProfile::operator()(const Traced& x, int, const Switches&) const {
  const Traced u = x - start_;
  switch (kind_) {
    case Road::Kind::flat:
      break;
    case Road::Kind::half_cylinder:
      return half_cylinder(u, height_, length_);
    case Road::Kind::step: {
      const Traced s = u / length_;
      return {
          between(u, 0, length_, 0.0, height_ * rise(s), height_),
          between(u, 0, length_, 0.0, (30.0 * height_ / length_) * (s * s * ((1.0 - s) * (1.0 - s))), 0.0)};
    }
    case Road::Kind::sine: {
      const double k = 2 * std::numbers::pi / length_;
      return {height_ * sin(k * u), (height_ * k) * cos(k * u)};
    }
    case Road::Kind::table: {
      const PiecewiseCubic pieces = table_->cubic_pieces();
      return {Traced::piecewise(pieces, 0, u), Traced::piecewise(pieces, 1, u)};
    }
  }
  return {0.0, 0.0};
}

}  // namespace trammel
