#include "trammel/mechanism/time_corners.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace trammel {

namespace {

// More switches of one comparison than this are not followed one by one.
constexpr std::size_t most_corners = 100000;

Taylor<double> along(const Expression& law, double t) {
  const std::array<Taylor<double>, 1> inputs{Taylor<double>(t, 1.0, 0.0)};
  return law.evaluate<Taylor<double>>(inputs);
}

int sign_of(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

// --- zeros of a function of time
// ------------------------------------------------------------------------------

// Between a and b, where the signs of s differ.
double bisect(const Expression& s, double a, double b, bool of_slope) {
  const auto sign = [&](double t) {
    const Taylor<double> at = along(s, t);
    return sign_of(of_slope ? at.first : at.value);
  };
  const int left = sign(a);
  for (;;) {
    const double middle = 0.5 * (a + b);
    if (!(middle > a && middle < b)) return b;
    const int here = sign(middle);
    if (here == 0) return middle;
    (here == left ? a : b) = middle;
  }
}

// Whether s is linear, as the difference of a time and a number is; then its zero is known.
bool is_linear(const Expression& s, double from, double to, double& zero) {
  const Taylor<double> first = along(s, from);
  for (const double part : {0.1234, 0.381966, 0.5, 0.618034, 0.8765, 1.0}) {
    const Taylor<double> other = along(s, from + part * (to - from));
    if (!(other.second == 0 && other.first == first.first)) return false;
  }
  zero = first.first == 0 ? std::numeric_limits<double>::quiet_NaN() : from - first.value / first.first;
  // to the last bit, if that can be had
  for (int i = 0; i < 3 && std::isfinite(zero); ++i) zero -= along(s, zero).value / first.first;
  return true;
}

// All zeros in (from, to). `corners` are those of s itself, between which it is smooth; so a pair of zeros
// between two points of the grid shows in slopes that point to each other.
std::vector<double> zeros(const Expression& s, double from, double to,
                          const std::vector<TimeCorner>& corners) {
  std::vector<double> found;
  double zero = 0;
  if (corners.empty() && is_linear(s, from, to, zero)) {
    if (zero > from && zero < to) found.push_back(zero);
    return found;
  }
  std::vector<double> points;
  points.reserve(static_cast<std::size_t>(grid_cells) + 2 * corners.size() + 1);
  for (int i = 0; i <= grid_cells; ++i) points.push_back(from + (to - from) * i / grid_cells);
  for (const TimeCorner& corner : corners)
    for (const double side : {-1.0, 1.0})
      points.push_back(corner.t + side * 4e-15 * std::max(std::abs(corner.t), to - from));
  std::sort(points.begin(), points.end());

  Taylor<double> left = along(s, points[0]);
  int before_left = 0;
  for (std::size_t i = 1; i < points.size() && found.size() < most_corners; ++i) {
    const double a = points[i - 1], b = points[i];
    const Taylor<double> right = along(s, b);
    const int left_sign = sign_of(left.value), right_sign = sign_of(right.value);
    if (left_sign == 0) {
      // where it stays zero for a while, the ends of that are corners of s itself
      if (before_left != 0 && right_sign != 0) found.push_back(a);
    } else if (left_sign * right_sign < 0) {
      found.push_back(bisect(s, a, b, false));
    } else if (left_sign != 0 && left_sign * left.first < 0 && right_sign * right.first > 0) {
      const double lowest = bisect(s, a, b, true);
      if (sign_of(along(s, lowest).value) == -left_sign) {
        found.push_back(bisect(s, a, lowest, false));
        found.push_back(bisect(s, lowest, b, false));
      }
    }
    before_left = left_sign;
    left = right;
  }
  std::erase_if(found, [&](double t) { return !(t > from && t < to); });
  return found;
}

// --- parts of an expression
// -----------------------------------------------------------------------------------

std::vector<TimeCorner> find_corners(const Expression& expression, double from, double to, bool features);

// Instructions that leave one number on the stack.
struct TimePart {
  std::size_t begin = 0, end = 0;
  bool of_time = true;   // depends on nothing else
  bool constant = true;  // nor on that
};

class CornerFinder {
 public:
  CornerFinder(const ExpressionProgram& program, double from, double to, bool features)
      : program_(program), from_(from), to_(to), features_(features) {}

  // Of the instructions from `begin` to `end`.
  TimePart walk(std::size_t begin, std::size_t end);
  std::vector<TimeCorner> corners() && { return std::move(corners_); }
  // If a part is of time alone and is not part of a larger one.
  void look_for_features(const TimePart& part);

 private:
  ExpressionProgram slice(const TimePart& part) const {
    ExpressionProgram result;
    result.code.assign(program_.code.begin() + static_cast<std::ptrdiff_t>(part.begin),
                       program_.code.begin() + static_cast<std::ptrdiff_t>(part.end));
    result.tables = program_.tables;
    result.depth = program_.depth;
    return result;
  }
  // Zeros of a switching function of time.
  void add_zeros(ExpressionProgram program, int order);
  void add_differences(const TimePart& a, const TimePart& b, int order) {
    if (!a.of_time || !b.of_time || (a.constant && b.constant)) return;
    add_zeros(combine(Operation::subtract, {slice(a), slice(b)}), order);
  }
  void add_switches(const Instruction& instruction, const std::vector<TimePart>& operands);
  void add_integers(const TimePart& operand, double offset);
  void add_integers_of_line(const Expression& x, double offset);

  const ExpressionProgram& program_;
  double from_, to_;
  bool features_;  // wanted
  std::vector<TimeCorner> corners_;
};

void CornerFinder::add_zeros(ExpressionProgram program, int order) {
  const Expression s(std::move(program));
  for (const double t : zeros(s, from_, to_, find_corners(s, from_, to_, false)))
    corners_.push_back({t, order});
}

// The same of clocks: they tick any number of times.
void CornerFinder::add_integers_of_line(const Expression& x, double offset) {
  const Taylor<double> begin = along(x, from_);
  const double end = along(x, to_).value, rate = begin.first;
  if (rate == 0 || !(std::abs(end - begin.value) < static_cast<double>(most_corners))) return;
  const double first = std::floor(std::min(begin.value, end)), last = std::ceil(std::max(begin.value, end));
  for (double n = first; n <= last; ++n) {
    double t = from_ + (n + offset - begin.value) / rate;
    for (int i = 0; i < 2; ++i) t -= (along(x, t).value - n - offset) / rate;
    corners_.push_back({t, 0});
  }
}

// Where the operand passes a whole number plus the offset.
void CornerFinder::add_integers(const TimePart& operand, double offset) {
  if (!operand.of_time || operand.constant) return;
  const Expression x(slice(operand));
  double zero = 0;
  if (is_linear(x, from_, to_, zero)) return add_integers_of_line(x, offset);
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (int i = 0; i <= grid_cells; ++i) {
    const double value = along(x, from_ + (to_ - from_) * i / grid_cells).value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (!(most - least < 1000)) return;  // a grid of noise
  for (double n = std::floor(least); n <= std::ceil(most); ++n)
    add_zeros(combine(Operation::subtract, {slice(operand), ExpressionProgram::constant(n + offset)}), 0);
}

void CornerFinder::add_switches(const Instruction& instruction, const std::vector<TimePart>& operands) {
  const TimePart zero_of = operands[0];
  const auto with_number = [&](double number, int order) {
    if (zero_of.of_time && !zero_of.constant)
      add_zeros(combine(Operation::subtract, {slice(zero_of), ExpressionProgram::constant(number)}), order);
  };
  switch (instruction.operation) {
    case Operation::less:
    case Operation::less_equal:
    case Operation::greater:
    case Operation::greater_equal:
    case Operation::equal:
    case Operation::not_equal:
      return add_differences(operands[0], operands[1], 0);
    case Operation::minimum:
    case Operation::maximum:
      return add_differences(operands[0], operands[1], 1);
    case Operation::absolute:
      return with_number(0, 1);
    case Operation::sign:
      return with_number(0, 0);
    case Operation::floor:
    case Operation::ceiling:
      return add_integers(zero_of, 0);
    case Operation::round:
      return add_integers(zero_of, 0.5);
    case Operation::modulo: {
      if (!operands[0].of_time || !operands[1].constant || operands[0].constant) return;
      const Expression ratio(combine(Operation::divide, {slice(operands[0]), slice(operands[1])}));
      const Expression whole(combine(Operation::floor, {ratio.program()}));
      for (const TimeCorner& corner : find_corners(whole, from_, to_, false)) corners_.push_back(corner);
      return;
    }
    case Operation::ramp:
      add_differences(operands[0], operands[1], 1);
      return add_differences(operands[0], operands[2], 1);
    case Operation::step:
      add_differences(operands[0], operands[1], 2);
      return add_differences(operands[0], operands[3], 2);
    case Operation::table: {
      if (!zero_of.of_time || zero_of.constant) return;
      for (const Table::Corner& corner :
           program_.tables[static_cast<std::size_t>(instruction.argument)].corners())
        with_number(corner.x, corner.order);
      return;
    }
    default:
      return;
  }
}

TimePart CornerFinder::walk(std::size_t begin, std::size_t end) {
  std::vector<TimePart> stack;
  for (std::size_t i = begin; i < end;) {
    const Instruction& instruction = program_.code[i];
    if (instruction.operation == Operation::jump_if_false) {
      // condition, jump_if_false, then ..., jump, otherwise ...
      TimePart whole = stack.back();
      stack.pop_back();
      const std::size_t jump = i + static_cast<std::size_t>(instruction.argument);
      const std::size_t last = jump + 1 + static_cast<std::size_t>(program_.code[jump].argument);
      for (const TimePart& branch : {walk(i + 1, jump), walk(jump + 1, last)}) {
        if (branch.of_time && !branch.constant && !whole.of_time) look_for_features(branch);
        whole.of_time = whole.of_time && branch.of_time;
        whole.constant = whole.constant && branch.constant;
      }
      whole.end = last;
      stack.push_back(whole);
      i = last;
      continue;
    }
    const auto count = static_cast<std::size_t>(operand_count(instruction.operation));
    std::vector<TimePart> operands(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
    stack.resize(stack.size() - count);
    TimePart whole{count > 0 ? operands[0].begin : i, i + 1, true, true};
    if (instruction.operation == Operation::input) {
      whole.of_time = instruction.argument == 0;
      whole.constant = false;
    }
    for (const TimePart& operand : operands) {
      whole.of_time = whole.of_time && operand.of_time;
      whole.constant = whole.constant && operand.constant;
    }
    if (count > 0) add_switches(instruction, operands);
    if (!whole.of_time)
      for (const TimePart& operand : operands)
        if (operand.of_time && !operand.constant) look_for_features(operand);
    stack.push_back(whole);
    ++i;
  }
  return stack.back();
}

// --- short features of smooth laws
// ----------------------------------------------------------------------------

void CornerFinder::look_for_features(const TimePart& part) {
  if (!features_) return;
  const Expression law(slice(part));
  double unused = 0;
  if (is_linear(law, from_, to_, unused)) return;
  const auto time = [&](int i) { return from_ + (to_ - from_) * i / grid_cells; };
  std::vector<double> value(grid_cells + 1), bend(grid_cells + 1, 0.0);
  for (int i = 0; i <= grid_cells; ++i) {
    const std::array<double, 1> input{time(i)};
    value[static_cast<std::size_t>(i)] = law.evaluate<double>(input);
  }
  double most = 0, size = 0;
  for (std::size_t i = 1; i < grid_cells; ++i) {
    bend[i] = std::abs(value[i + 1] - 2 * value[i] + value[i - 1]);
    if (!std::isfinite(bend[i])) return;
    most = std::max(most, bend[i]);
    size = std::max(size, std::abs(value[i]));
  }
  if (!(most > 1e-9 * size)) return;  // so smooth that the error of a step shows it

  // awake are cells with a ten-thousandth of the largest bend; a rest is long
  constexpr std::size_t rest = grid_cells / 100;
  std::vector<TimeCorner> features;
  std::size_t asleep = 1;
  for (std::size_t i = 1; i < grid_cells; ++i) {
    if (bend[i] <= 1e-4 * most) {
      ++asleep;
      continue;
    }
    const double here = time(static_cast<int>(i)), cell = (to_ - from_) / grid_cells;
    const bool at_corner = std::any_of(corners_.begin(), corners_.end(), [&](const TimeCorner& corner) {
      return std::abs(corner.t - here) <= 2 * cell;
    });
    const bool woke = asleep > rest && !at_corner;
    asleep = 0;
    if (!woke) continue;
    features.push_back({time(static_cast<int>(i) - 1), no_jump});
    // its first extrema, and its end if it is short
    std::size_t last = i;
    int extrema = 0;
    for (std::size_t k = i; k < std::min<std::size_t>(i + rest, grid_cells); ++k) {
      if (bend[k] > 1e-4 * most) last = k;
      const double before = value[k] - value[k - 1], after = value[k + 1] - value[k];
      if (before * after < 0 && extrema < 2) {
        features.push_back({time(static_cast<int>(k)), no_jump});
        ++extrema;
      }
    }
    if (extrema == 0)
      features.push_back({0.5 * (time(static_cast<int>(i)) + time(static_cast<int>(last))), no_jump});
    if (last + 1 < std::min<std::size_t>(i + rest, grid_cells))
      features.push_back({time(static_cast<int>(last) + 1), no_jump});
  }
  if (features.size() <= 400) corners_.insert(corners_.end(), features.begin(), features.end());
}

// --- how smooth a law is at a corner
// --------------------------------------------------------------------------

// What really jumps, of a law of time alone: an `if` of two branches that meet has no jump of value.
int order_at(const Expression& law, double t, double span, int order) {
  const double aside = 1e-9 * std::max(std::abs(t) * 1e-3, span);
  const Taylor<double> left = along(law, t - aside), right = along(law, t + aside);
  const auto jumps = [&](double a, double b, double drift) {
    return std::abs(a - b) > 1e-6 * (std::abs(a) + std::abs(b)) + 4 * aside * drift;
  };
  if (jumps(left.value, right.value, std::abs(left.first) + std::abs(right.first))) return 0;
  if (jumps(left.first, right.first, std::abs(left.second) + std::abs(right.second)))
    return std::max(order, 1);
  if (std::abs(left.second - right.second) > 1e-6 * (std::abs(left.second) + std::abs(right.second)))
    return std::max(order, 2);
  return std::max(order, 3);
}

std::vector<TimeCorner> find_corners(const Expression& expression, double from, double to, bool features) {
  const ExpressionProgram& program = expression.program();
  if (expression.is_constant() || !expression.depends_on(0) || !(to > from)) return {};
  CornerFinder finder(program, from, to, features);
  const TimePart whole = finder.walk(0, program.code.size());
  if (whole.of_time) finder.look_for_features(whole);
  std::vector<TimeCorner> corners = std::move(finder).corners();
  std::erase_if(corners, [&](const TimeCorner& corner) { return !(corner.t > from && corner.t < to); });
  std::stable_sort(corners.begin(), corners.end(),
                   [](const TimeCorner& a, const TimeCorner& b) { return a.t < b.t; });

  // one for each time, the worst; of a law of time alone it is known what jumps
  const double same = 1e-13 * std::max(std::abs(to), to - from);
  std::vector<TimeCorner> merged;
  for (const TimeCorner& corner : corners) {
    if (!merged.empty() && corner.t - merged.back().t <= same)
      merged.back().order = std::min(merged.back().order, corner.order);
    else
      merged.push_back(corner);
  }
  if (whole.of_time) {
    for (TimeCorner& corner : merged)
      if (corner.order < no_jump) corner.order = order_at(expression, corner.t, to - from, corner.order);
    std::erase_if(merged,
                  [](const TimeCorner& corner) { return corner.order > 2 && corner.order < no_jump; });
  }
  return merged;
}

}  // namespace

std::vector<TimeCorner> time_corners(const Expression& expression, double from, double to) {
  return find_corners(expression, from, to, true);
}

}  // namespace trammel
