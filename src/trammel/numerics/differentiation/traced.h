// A number that records what is done with it. A function templated on its number type, called once with Traced, leaves the
// graph of its operations (operation_graph.h):
//
//   const RecordedFunction recorded = record(2, 1, [](std::span<const Traced> x, std::span<Traced> y) {
//     y[0] = x[0] * sin(x[1]);
//   });
//
// A comparison has no answer yet. Both are tried, one after the other, and what comes out is put together by nodes that choose
// when the graph is evaluated: so a function may branch by what it is given, as long as there are not too many ways through it.
// Where independent parts of a function branch, let record_branches() run each of them by itself, or their numbers multiply.
#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "trammel/numerics/differentiation/operation_graph.h"

namespace trammel {

class Traced {
 public:
  constexpr Traced() = default;
  constexpr Traced(double constant) : number_(constant) {}  // NOLINT: constants mix freely
  // A node of the graph that is being recorded.
  static Traced node(int index);

  bool is_constant() const { return node_ < 0; }
  double number() const { return number_; }
  // In the graph that is being recorded.
  int node() const;

  Traced& operator+=(const Traced& other) { return *this = *this + other; }
  Traced& operator-=(const Traced& other) { return *this = *this - other; }
  Traced& operator*=(const Traced& other) { return *this = *this * other; }
  Traced& operator/=(const Traced& other) { return *this = *this / other; }

  using Kind = OperationGraph::Kind;
  friend Traced operator+(const Traced& a, const Traced& b) { return of_two(Kind::add, a, b); }
  friend Traced operator-(const Traced& a, const Traced& b) { return of_two(Kind::subtract, a, b); }
  friend Traced operator*(const Traced& a, const Traced& b) { return of_two(Kind::multiply, a, b); }
  friend Traced operator/(const Traced& a, const Traced& b) { return of_two(Kind::divide, a, b); }
  friend Traced operator+(const Traced& a) { return a; }
  friend Traced operator-(const Traced& a) { return of_one(Kind::negate, a); }

  friend bool operator<(const Traced& a, const Traced& b) { return decide(of_two(Kind::less, a, b)); }
  friend bool operator>(const Traced& a, const Traced& b) { return decide(of_two(Kind::less, b, a)); }
  friend bool operator<=(const Traced& a, const Traced& b) { return decide(of_two(Kind::less_equal, a, b)); }
  friend bool operator>=(const Traced& a, const Traced& b) { return decide(of_two(Kind::less_equal, b, a)); }
  friend bool operator==(const Traced& a, const Traced& b) { return decide(of_two(Kind::equal, a, b)); }
  friend bool operator!=(const Traced& a, const Traced& b) { return !(a == b); }

  // 1 or 0, without asking.
  static Traced compare(Kind kind, const Traced& a, const Traced& b) { return of_two(kind, a, b); }
  static Traced choose(const Traced& condition, const Traced& then, const Traced& otherwise);
  static Traced piecewise(const PiecewiseCubic& pieces, int order, const Traced& x);
  static Traced of_one(Kind kind, const Traced& a);
  static Traced of_two(Kind kind, const Traced& a, const Traced& b);
  // The answer that is tried now; constants have theirs.
  static bool decide(const Traced& condition);

 private:
  double number_ = 0;
  int node_ = -1;
};

// A decision about a Traced number is recorded: the number itself is looked at where others look at a plain one.
inline const Traced& plain(const Traced& value) { return value; }
inline bool is_constant(const Traced& value) { return value.is_constant(); }

inline Traced sin(const Traced& a) { return Traced::of_one(OperationGraph::Kind::sine, a); }
inline Traced cos(const Traced& a) { return Traced::of_one(OperationGraph::Kind::cosine, a); }
inline Traced tan(const Traced& a) { return Traced::of_one(OperationGraph::Kind::tangent, a); }
inline Traced asin(const Traced& a) { return Traced::of_one(OperationGraph::Kind::arcsine, a); }
inline Traced acos(const Traced& a) { return Traced::of_one(OperationGraph::Kind::arccosine, a); }
inline Traced atan(const Traced& a) { return Traced::of_one(OperationGraph::Kind::arctangent, a); }
inline Traced sinh(const Traced& a) { return Traced::of_one(OperationGraph::Kind::hyperbolic_sine, a); }
inline Traced cosh(const Traced& a) { return Traced::of_one(OperationGraph::Kind::hyperbolic_cosine, a); }
inline Traced tanh(const Traced& a) { return Traced::of_one(OperationGraph::Kind::hyperbolic_tangent, a); }
inline Traced exp(const Traced& a) { return Traced::of_one(OperationGraph::Kind::exponential, a); }
inline Traced log(const Traced& a) { return Traced::of_one(OperationGraph::Kind::logarithm, a); }
inline Traced sqrt(const Traced& a) { return Traced::of_one(OperationGraph::Kind::square_root, a); }
inline Traced cbrt(const Traced& a) { return Traced::of_one(OperationGraph::Kind::cube_root, a); }
inline Traced floor(const Traced& a) { return Traced::of_one(OperationGraph::Kind::floor, a); }
inline Traced ceil(const Traced& a) { return Traced::of_one(OperationGraph::Kind::ceiling, a); }
inline Traced round(const Traced& a) { return Traced::of_one(OperationGraph::Kind::round, a); }
inline Traced pow(const Traced& a, const Traced& b) {
  return Traced::of_two(OperationGraph::Kind::power, a, b);
}
inline Traced atan2(const Traced& y, const Traced& x) {
  return Traced::of_two(OperationGraph::Kind::arctangent2, y, x);
}
inline Traced hypot(const Traced& x, const Traced& y) { return sqrt(x * x + y * y); }
// Kinks that need no decision.
inline Traced abs(const Traced& a) {
  return Traced::choose(Traced::compare(OperationGraph::Kind::less, a, 0.0), -a, a);
}
inline Traced max(const Traced& a, const Traced& b) {
  return Traced::choose(Traced::compare(OperationGraph::Kind::less, a, b), b, a);
}
inline Traced min(const Traced& a, const Traced& b) {
  return Traced::choose(Traced::compare(OperationGraph::Kind::less, b, a), b, a);
}

// While it lives, Traced numbers of this thread are nodes of its graph.
class Recorder {
 public:
  explicit Recorder(OperationGraph& graph);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  static constexpr int most_branches = 1024;

 private:
  OperationGraph* before_;
};

using TracedPart = std::function<void(std::vector<Traced>& results)>;

// Runs a part of a function on all ways through it; `results`, of the same size each time, as they are chosen when the graph is
// evaluated. Throws RecordingError, which names the part, if there are more ways than Recorder::most_branches.
std::vector<Traced> record_branches(const std::string& part, const TracedPart& run);

using TracedFunction = std::function<void(std::span<const Traced>, std::span<Traced>)>;

// Throws RecordingError.
RecordedFunction record(int inputs, int outputs, const TracedFunction& function,
                        const std::string& name = "the function");

}  // namespace trammel
