#include "trammel/numerics/differentiation/operation_graph.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace trammel {

double evaluate(const PiecewiseCubic& pieces, int order, double x) {
  const auto after =
      std::upper_bound(pieces.begin() + 1, pieces.end(), x,
                       [](double value, const CubicPiece& piece) { return value < piece.start; });
  const CubicPiece& piece = *(after - 1);
  const double u = x - piece.start;
  switch (order) {
    case 0:
      return piece.c0 + u * (piece.c1 + u * (piece.c2 + u * piece.c3));
    case 1:
      return piece.c1 + u * (2 * piece.c2 + u * 3 * piece.c3);
    case 2:
      return 2 * piece.c2 + u * 6 * piece.c3;
    case 3:
      return 6 * piece.c3;
    default:
      return 0;
  }
}

int OperationGraph::operands(Kind kind) {
  if (kind <= Kind::input) return 0;
  if (kind <= Kind::piecewise) return 1;
  return kind == Kind::select ? 3 : 2;
}

std::size_t OperationGraph::Hash::operator()(const Node& node) const {
  std::uint64_t hash = static_cast<std::uint64_t>(node.kind) * 0x9e3779b97f4a7c15u;
  const auto mix = [&](std::uint64_t value) {
    hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  };
  mix(static_cast<std::uint32_t>(node.a) | static_cast<std::uint64_t>(static_cast<std::uint32_t>(node.b))
                                               << 32);
  mix(static_cast<std::uint32_t>(node.c));
  mix(std::bit_cast<std::uint64_t>(node.number));
  return hash;
}

int OperationGraph::keep(const Node& node) {
  const auto [found, is_new] = known_.try_emplace(node, size());
  if (is_new) nodes_.push_back(node);
  return found->second;
}

int OperationGraph::constant(double value) {
  if (value == 0) value = 0;  // −0 would be a second zero
  return keep({.kind = Kind::constant, .number = value});
}

int OperationGraph::input(int index) { return keep({.kind = Kind::input, .a = index}); }

int OperationGraph::piecewise(const PiecewiseCubic& pieces, int order, int x) {
  const auto smooth = [](const CubicPiece& piece) { return piece.c1 == 0 && piece.c2 == 0 && piece.c3 == 0; };
  if (order > 3 || (order > 0 && std::all_of(pieces.begin(), pieces.end(), smooth))) return constant(0);
  if (is_constant(x)) return constant(evaluate(pieces, order, (*this)[x].number));
  const auto found = std::find(tables_.begin(), tables_.end(), pieces);
  const auto which = static_cast<int>(found - tables_.begin());
  if (found == tables_.end()) tables_.push_back(pieces);
  return keep({.kind = Kind::piecewise, .a = x, .b = which, .c = order});
}

int OperationGraph::make(const Node& like, int a, int b, int c) {
  switch (operands(like.kind)) {
    case 0:
      return keep(like);
    case 1:
      if (like.kind == Kind::piecewise) {
        const PiecewiseCubic pieces = tables_[static_cast<std::size_t>(like.b)];
        return piecewise(pieces, like.c, a);
      }
      return unary(like.kind, a);
    case 2:
      return binary(like.kind, a, b);
    default:
      return select(a, b, c);
  }
}

double apply(const OperationGraph& graph, const OperationGraph::Node& node, double a, double b, double c) {
  using Kind = OperationGraph::Kind;
  switch (node.kind) {
    case Kind::constant:
      return node.number;
    case Kind::input:
      break;
    case Kind::negate:
      return -a;
    case Kind::sine:
      return std::sin(a);
    case Kind::cosine:
      return std::cos(a);
    case Kind::tangent:
      return std::tan(a);
    case Kind::arcsine:
      return std::asin(a);
    case Kind::arccosine:
      return std::acos(a);
    case Kind::arctangent:
      return std::atan(a);
    case Kind::hyperbolic_sine:
      return std::sinh(a);
    case Kind::hyperbolic_cosine:
      return std::cosh(a);
    case Kind::hyperbolic_tangent:
      return std::tanh(a);
    case Kind::exponential:
      return std::exp(a);
    case Kind::logarithm:
      return std::log(a);
    case Kind::square_root:
      return std::sqrt(a);
    case Kind::cube_root:
      return std::cbrt(a);
    case Kind::floor:
      return std::floor(a);
    case Kind::ceiling:
      return std::ceil(a);
    case Kind::round:
      return std::round(a);
    case Kind::logical_not:
      return a == 0 ? 1 : 0;
    case Kind::piecewise:
      return evaluate(graph.tables()[static_cast<std::size_t>(node.b)], node.c, a);
    case Kind::add:
      return a + b;
    case Kind::subtract:
      return a - b;
    case Kind::multiply:
      return a * b;
    case Kind::divide:
      return a / b;
    case Kind::power:
      return std::pow(a, b);
    case Kind::arctangent2:
      return std::atan2(a, b);
    case Kind::less:
      return a < b ? 1 : 0;
    case Kind::less_equal:
      return a <= b ? 1 : 0;
    case Kind::equal:
      return a == b ? 1 : 0;
    case Kind::select:
      return a != 0 ? b : c;
  }
  throw std::logic_error("an input has no value of its own");
}

int OperationGraph::unary(Kind kind, int a) {
  const Node node{.kind = kind, .a = a};
  if (is_constant(a)) return constant(apply(*this, node, (*this)[a].number, 0, 0));
  if (kind == Kind::negate) {
    const Node of = (*this)[a];
    if (of.kind == Kind::negate) return of.a;
    if (of.kind == Kind::subtract) return binary(Kind::subtract, of.b, of.a);
    if (is_masked(a)) return select(of.a, unary(kind, of.b), unary(kind, of.c));
  }
  return keep(node);
}

int OperationGraph::binary(Kind kind, int a, int b) {
  if (is_constant(a) && is_constant(b))
    return constant(apply(*this, {.kind = kind, .a = a, .b = b}, (*this)[a].number, (*this)[b].number, 0));
  switch (kind) {
    case Kind::add:
      return add(a, b);
    case Kind::subtract:
      return subtract(a, b);
    case Kind::multiply:
      return multiply(a, b);
    case Kind::divide:
      return divide(a, b);
    case Kind::power:
      if (is_constant(b, 0)) return constant(1);
      if (is_constant(b, 1)) return a;
      if (is_constant(b, 2)) return multiply(a, a);
      if (is_constant(b, 3)) return multiply(a, multiply(a, a));
      break;
    case Kind::equal:
      if (a > b) std::swap(a, b);
      break;
    default:
      break;
  }
  return keep({.kind = kind, .a = a, .b = b});
}

bool OperationGraph::is_masked(int node) const {
  const Node& of = (*this)[node];
  return of.kind == Kind::select && (is_constant(of.b, 0) || is_constant(of.c, 0));
}

int OperationGraph::add(int a, int b) {
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  if (is_negated(b)) return subtract(a, (*this)[b].a);
  if (is_negated(a)) return subtract(b, (*this)[a].a);
  if (is_masked(a) && is_masked(b) && (*this)[a].a == (*this)[b].a) {
    const Node first = (*this)[a], second = (*this)[b];
    const int then = add(first.b, second.b), otherwise = add(first.c, second.c);
    return select(first.a, then, otherwise);
  }
  if (a > b) std::swap(a, b);
  return keep({.kind = Kind::add, .a = a, .b = b});
}

int OperationGraph::subtract(int a, int b) {
  if (a == b) return constant(0);
  if (is_constant(b, 0)) return a;
  if (is_constant(a, 0)) return unary(Kind::negate, b);
  if (is_negated(b)) return add(a, (*this)[b].a);
  if (is_negated(a)) return unary(Kind::negate, add((*this)[a].a, b));
  return keep({.kind = Kind::subtract, .a = a, .b = b});
}

int OperationGraph::multiply(int a, int b) {
  if (is_constant(b)) std::swap(a, b);
  if (is_constant(a, 0)) return a;
  if (is_constant(a, 1)) return b;
  if (is_constant(a, -1)) return unary(Kind::negate, b);
  // a branch that is not taken may be infinite there: it is left out, and not multiplied by zero
  for (const auto& [masked, other] : {std::pair{a, b}, std::pair{b, a}}) {
    if (!is_masked(masked)) continue;
    const Node mask = (*this)[masked];
    const int then = multiply(mask.b, other), otherwise = multiply(mask.c, other);
    return select(mask.a, then, otherwise);
  }
  if (is_negated(a) && is_negated(b)) return multiply((*this)[a].a, (*this)[b].a);
  if (is_negated(a)) return unary(Kind::negate, multiply((*this)[a].a, b));
  if (is_negated(b)) {
    const int inner = (*this)[b].a;
    if (is_constant(a)) return multiply(constant(-(*this)[a].number), inner);
    return unary(Kind::negate, multiply(a, inner));
  }
  if (is_constant(a) && (*this)[b].kind == Kind::multiply && is_constant((*this)[b].a)) {
    const Node inner = (*this)[b];
    const int factor = constant((*this)[a].number * (*this)[inner.a].number);
    return multiply(factor, inner.b);
  }
  // constants stay in front
  if (a > b && !is_constant(a)) std::swap(a, b);
  return keep({.kind = Kind::multiply, .a = a, .b = b});
}

int OperationGraph::divide(int a, int b) {
  if (is_constant(a, 0)) return a;
  if (is_constant(b) && (*this)[b].number != 0) return multiply(constant(1 / (*this)[b].number), a);
  if (is_negated(a)) return unary(Kind::negate, divide((*this)[a].a, b));
  if (is_masked(a)) {
    const Node mask = (*this)[a];
    const int then = divide(mask.b, b), otherwise = divide(mask.c, b);
    return select(mask.a, then, otherwise);
  }
  return keep({.kind = Kind::divide, .a = a, .b = b});
}

int OperationGraph::select(int condition, int then, int otherwise) {
  if (is_constant(condition)) return (*this)[condition].number != 0 ? then : otherwise;
  if (then == otherwise) return then;
  if ((*this)[condition].kind == Kind::logical_not) return select((*this)[condition].a, otherwise, then);
  // the same question again
  if ((*this)[then].kind == Kind::select && (*this)[then].a == condition)
    return select(condition, (*this)[then].b, otherwise);
  if ((*this)[otherwise].kind == Kind::select && (*this)[otherwise].a == condition)
    return select(condition, then, (*this)[otherwise].c);
  return keep({.kind = Kind::select, .a = condition, .b = then, .c = otherwise});
}

namespace {

// Nodes that the outputs need.
std::vector<char> needed_nodes(const RecordedFunction& function) {
  std::vector<char> needed(static_cast<std::size_t>(function.graph.size()), 0);
  for (const int output : function.outputs) needed[static_cast<std::size_t>(output)] = 1;
  for (int i = function.graph.size(); i-- > 0;) {
    if (!needed[static_cast<std::size_t>(i)]) continue;
    const OperationGraph::Node& node = function.graph[i];
    const std::array operands{node.a, node.b, node.c};
    for (int k = 0; k < OperationGraph::operands(node.kind); ++k)
      needed[static_cast<std::size_t>(operands[static_cast<std::size_t>(k)])] = 1;
  }
  return needed;
}

// The same operations in a new graph, where input(index, graph) is a node for an input.
template <class InputNode>
RecordedFunction rebuilt(const RecordedFunction& function, int inputs, const InputNode& input) {
  RecordedFunction result;
  result.inputs = inputs;
  const std::vector<char> needed = needed_nodes(function);
  std::vector<int> now(needed.size(), -1);
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    const OperationGraph::Node& node = function.graph[static_cast<int>(i)];
    const auto operand = [&](int which, int index) {
      return index < OperationGraph::operands(node.kind) ? now[static_cast<std::size_t>(which)] : which;
    };
    if (node.kind == OperationGraph::Kind::input)
      now[i] = input(node.a, result.graph);
    else if (node.kind == OperationGraph::Kind::piecewise)
      now[i] = result.graph.piecewise(function.graph.tables()[static_cast<std::size_t>(node.b)], node.c,
                                      operand(node.a, 0));
    else
      now[i] = result.graph.make(node, operand(node.a, 0), operand(node.b, 1), operand(node.c, 2));
  }
  for (const int output : function.outputs) result.outputs.push_back(now[static_cast<std::size_t>(output)]);
  return result;
}

}  // namespace

RecordedFunction hold_inputs(const RecordedFunction& function, const std::unordered_map<int, double>& held) {
  return rebuilt(function, function.inputs, [&](int index, OperationGraph& graph) {
    const auto found = held.find(index);
    return found == held.end() ? graph.input(index) : graph.constant(found->second);
  });
}

RecordedFunction move_inputs(const RecordedFunction& function, std::span<const int> to, int inputs) {
  return rebuilt(function, inputs, [&](int index, OperationGraph& graph) {
    const int place = to[static_cast<std::size_t>(index)];
    if (place < 0) throw std::logic_error("a function depends on an input that it was to do without");
    return graph.input(place);
  });
}

bool uses_input(const RecordedFunction& function, int first, int count) {
  const std::vector<char> needed = needed_nodes(function);
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const OperationGraph::Node& node = function.graph[static_cast<int>(i)];
    if (needed[i] && node.kind == OperationGraph::Kind::input && node.a >= first && node.a < first + count)
      return true;
  }
  return false;
}

}  // namespace trammel
