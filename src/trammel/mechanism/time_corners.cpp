#include "trammel/mechanism/time_corners.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "trammel/mechanism/expression_bumps.h"

namespace trammel {

namespace {

// More switches of one comparison than this are left for the next time somebody asks.
constexpr std::size_t most_corners = 10000;
// Where between two ticks of a clock the time is cut: where no tick of another one is likely to be.
constexpr double between_ticks = 0.381966;

Taylor<double> along(const Expression& law, double t) {
  const std::array<Taylor<double>, 1> inputs{Taylor<double>(t, 1.0, 0.0)};
  return law.evaluate<Taylor<double>>(inputs);
}

int sign_of(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

// --- zeros of a function of time
// ------------------------------------------------------------------------------

// Between a and b, where `is` differs.
template <class Predicate>
double bisect(double a, double b, const Predicate& is) {
  const bool left = is(a);
  for (;;) {
    const double middle = 0.5 * (a + b);
    if (!(middle > a && middle < b)) return b;
    (is(middle) == left ? a : b) = middle;
  }
}

double zero_between(const Expression& s, double a, double b) {
  return bisect(a, b, [&](double t) { return along(s, t).value > 0; });
}

double extremum_between(const Expression& s, double a, double b) {
  return bisect(a, b, [&](double t) { return along(s, t).first > 0; });
}

// Told by its operations: a bump of another function may lie between any points that are tried.
bool is_line(const Expression& s) {
  const std::vector<Instruction>& code = s.program().code;
  return std::all_of(code.begin(), code.end(),
                     [](const Instruction& instruction) { return is_linear(instruction.operation); });
}

double zero_of_line(const Expression& s, double from) {
  const Taylor<double> first = along(s, from);
  double zero =
      first.first == 0 ? std::numeric_limits<double>::quiet_NaN() : from - first.value / first.first;
  // to the last bit, if that can be had
  for (int i = 0; i < 3 && std::isfinite(zero); ++i) zero -= along(s, zero).value / first.first;
  return zero;
}

// A function at the points of a grid, and on both sides of its own corners, between which it is smooth.
struct Scan {
  std::vector<double> t;
  std::vector<Taylor<double>> s;

  // Whether a corner, at which it may jump, lies before a point.
  bool is_corner(std::size_t i) const {
    return !(t[i] - t[i - 1] > 1e-12 * std::max(std::abs(t[i]), t.back() - t.front()));
  }
  // Whether values and slopes go together, as they do where a grid is fine enough: then there is one extremum at
  // most between two points. A corner or a short bump here and there do not count.
  bool is_resolved() const {
    double size = 0;
    for (const Taylor<double>& one : s)
      if (std::isfinite(one.value)) size = std::max(size, std::abs(one.value));
    std::size_t off = 0;
    double slopes = 0, turned = 0;  // how much slopes change from point to point
    for (std::size_t i = 1; i < t.size(); ++i) {
      if (is_corner(i)) continue;
      const double h = t[i] - t[i - 1], change = s[i].value - s[i - 1].value;
      const double by_slopes = 0.5 * h * (s[i].first + s[i - 1].first);
      const double most = std::abs(change) + std::abs(by_slopes);
      if (most > 1e-9 * size && std::abs(change - by_slopes) > 0.1 * most) ++off;
      if (!std::isfinite(s[i].first) || !std::isfinite(s[i].second)) continue;
      slopes += std::abs(s[i].first);
      turned += h * std::abs(s[i].second);
    }
    // of an oscillation, there are distances of points at which one of the two does not tell
    return off <= grid_cells / 8 && turned <= 2 * slopes;
  }
};

// Brings `to` nearer until the grid is fine enough, as far as that makes sense.
Scan scan(const Expression& s, double from, double& to, const std::vector<TimeCorner>& corners) {
  constexpr double part = 0.118034;  // of the time, no part in which anybody would divide it
  const double least = 1e-9 * (to - from);
  for (;;) {
    Scan result;
    result.t.reserve(static_cast<std::size_t>(grid_cells) + 2 * corners.size() + 1);
    for (int i = 0; i <= grid_cells; ++i) result.t.push_back(from + (to - from) * i / grid_cells);
    for (const TimeCorner& corner : corners)
      for (const double side : {-1.0, 1.0})
        if (const double beside = corner.t + side * 4e-15 * std::max(std::abs(corner.t), to - from);
            beside <= to)
          result.t.push_back(beside);
    std::sort(result.t.begin(), result.t.end());
    result.s.reserve(result.t.size());
    for (const double t : result.t) result.s.push_back(along(s, t));
    if (result.is_resolved() || !(part * (to - from) > least)) return result;
    to = from + part * (to - from);
  }
}

// All zeros in (from, to). `corners` are those of s itself, between which it is smooth; so a pair of zeros
// between two points of the grid shows in slopes that point to each other.
std::vector<double> zeros(const Expression& s, double from, double& to,
                          const std::vector<TimeCorner>& corners) {
  std::vector<double> found;
  if (is_line(s)) {
    const double zero = zero_of_line(s, from);
    if (zero > from && zero < to) found.push_back(zero);
    return found;
  }
  const Scan scanned = scan(s, from, to, corners);
  int before_left = 0;
  for (std::size_t i = 1; i < scanned.t.size(); ++i) {
    const double a = scanned.t[i - 1], b = scanned.t[i];
    const Taylor<double>&left = scanned.s[i - 1], &right = scanned.s[i];
    const int left_sign = sign_of(left.value), right_sign = sign_of(right.value);
    if (left_sign == 0) {
      // where it stays zero for a while, the ends of that are corners of s itself
      if (before_left != 0 && right_sign != 0) found.push_back(a);
    } else if (left_sign * right_sign < 0) {
      found.push_back(zero_between(s, a, b));
    } else if (left_sign * left.first < 0 && right_sign * right.first > 0) {
      const double lowest = extremum_between(s, a, b);
      if (sign_of(along(s, lowest).value) == -left_sign) {
        found.push_back(zero_between(s, a, lowest));
        found.push_back(zero_between(s, lowest, b));
      }
    }
    before_left = left_sign;
  }
  std::erase_if(found, [&](double t) { return !(t > from && t < to); });
  return found;
}

// Where s passes a whole number plus the offset.
std::vector<double> whole_numbers(const Expression& s, double from, double& to, double offset,
                                  const std::vector<TimeCorner>& corners) {
  for (;;) {
    const Scan scanned = scan(s, from, to, corners);
    std::vector<double> found;
    // false if there are too many
    const auto add_between = [&](double a, double left, double b, double right) {
      if (!std::isfinite(left) || !std::isfinite(right)) return true;
      const double first = std::ceil(std::min(left, right) - offset),
                   last = std::floor(std::max(left, right) - offset);
      if (!(last - first < static_cast<double>(most_corners))) return false;
      for (double n = first; n <= last; ++n) {
        const auto is_above = [&](double value) { return value >= n + offset; };
        if (is_above(left) != is_above(right))
          found.push_back(bisect(a, b, [&](double t) { return is_above(along(s, t).value); }));
      }
      return found.size() <= most_corners;
    };
    std::size_t i = 1;
    for (bool all = true; i < scanned.t.size(); ++i) {
      const double a = scanned.t[i - 1], b = scanned.t[i];
      if (scanned.is_corner(i)) continue;  // it is known already
      const Taylor<double>&left = scanned.s[i - 1], &right = scanned.s[i];
      if (sign_of(left.first) * sign_of(right.first) < 0) {
        const double turn = extremum_between(s, a, b), value = along(s, turn).value;
        all = add_between(a, left.value, turn, value) && add_between(turn, value, b, right.value);
      } else {
        all = add_between(a, left.value, b, right.value);
      }
      if (!all) break;
    }
    if (i == scanned.t.size()) return found;
    const double nearer = scanned.t[i - 1] - between_ticks * (scanned.t[i] - scanned.t[i - 1]);
    to = nearer > from ? nearer : from + between_ticks * (scanned.t[i] - from);
    if (!(to > from)) return found;
  }
}

// --- parts of an expression
// -----------------------------------------------------------------------------------

std::vector<TimeCorner> find_corners(const Expression& expression, double from, double& to, bool features);

// Instructions that leave one number on the stack.
struct TimePart {
  std::size_t begin = 0, end = 0;
  bool of_time = true;   // depends on nothing else
  bool constant = true;  // nor on that
};

class CornerFinder {
 public:
  // Brings `to` nearer where there are too many.
  CornerFinder(const ExpressionProgram& program, double from, double& to, bool features)
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
  double from_;
  double& to_;
  bool features_;  // wanted
  std::vector<TimeCorner> corners_;
};

void CornerFinder::add_zeros(ExpressionProgram program, int order) {
  const Expression s(std::move(program));
  const std::vector<TimeCorner> of_itself = find_corners(s, from_, to_, false);
  for (const double t : zeros(s, from_, to_, of_itself)) corners_.push_back({t, order});
}

// The same of clocks: they tick any number of times.
void CornerFinder::add_integers_of_line(const Expression& x, double offset) {
  const Taylor<double> begin = along(x, from_);
  const double rate = begin.first;
  if (rate == 0 || !std::isfinite(rate)) return;
  to_ = std::min(to_, from_ + (static_cast<double>(most_corners) + between_ticks) / std::abs(rate));
  const double end = along(x, to_).value;
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
  if (is_line(x)) return add_integers_of_line(x, offset);
  const std::vector<TimeCorner> of_itself = find_corners(x, from_, to_, false);
  for (const double t : whole_numbers(x, from_, to_, offset, of_itself)) corners_.push_back({t, 0});
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
  if (is_line(law)) return;
  // those about a time that it names; wide ones show in the error of steps
  for (const TimeBump& bump : time_bumps(law.program()))
    if (bump.to - bump.from < 0.02 * (to_ - from_))
      for (const double t : {bump.from, bump.middle, bump.to}) corners_.push_back({t, no_jump});
  for (ExpressionProgram& program : periodic_time_bumps(law.program()))
    if (program.depth <= ExpressionProgram::largest_depth)
      for (const TimeCorner& corner : find_corners(Expression(std::move(program)), from_, to_, false))
        corners_.push_back({corner.t, no_jump});
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
    const auto is_here = [&](const TimeCorner& corner) { return std::abs(corner.t - here) <= 2 * cell; };
    const bool woke = asleep > rest && std::none_of(corners_.begin(), corners_.end(), is_here);
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

std::vector<TimeCorner> find_corners(const Expression& expression, double from, double& to, bool features) {
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

std::vector<TimeCorner> time_corners(const Expression& expression, double from, double& to) {
  // however many there are, who asks must come to an end
  const double nearest = from + 1e-12 * std::max(std::abs(from), to - from);
  std::vector<TimeCorner> corners = find_corners(expression, from, to, true);
  to = std::max(to, nearest);
  return corners;
}

}  // namespace trammel
