#include "trammel/numerics/differentiation/graph_jacobian.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>

#include "trammel/numerics/differentiation/graph_program.h"

namespace trammel {
namespace {

using Kind = OperationGraph::Kind;

// Slopes of single operations, as nodes of the same graph.
class LocalSlopes {
 public:
  explicit LocalSlopes(OperationGraph& graph) : graph_(graph) {}

  // By its operands, in their order; −1 where there is none.
  std::array<int, 3> operator()(int node);

 private:
  int number(double value) { return graph_.constant(value); }
  int negated(int a) { return graph_.make(Kind::negate, a); }
  int times(int a, int b) { return graph_.make(Kind::multiply, a, b); }
  int plus(int a, int b) { return graph_.make(Kind::add, a, b); }
  int minus(int a, int b) { return graph_.make(Kind::subtract, a, b); }
  int over(int a, int b) { return graph_.make(Kind::divide, a, b); }
  int of(Kind kind, int a) { return graph_.make(kind, a); }
  std::array<int, 3> of_power(int node, int base, int exponent);

  OperationGraph& graph_;
};

std::array<int, 3> LocalSlopes::operator()(int node) {
  const OperationGraph::Node at = graph_[node];
  const int one = number(1), a = at.a, b = at.b;
  switch (at.kind) {
    case Kind::negate:
      return {number(-1), -1, -1};
    case Kind::sine:
      return {of(Kind::cosine, a), -1, -1};
    case Kind::cosine:
      return {negated(of(Kind::sine, a)), -1, -1};
    case Kind::tangent:
      return {plus(one, times(node, node)), -1, -1};
    case Kind::arcsine:
      return {over(one, of(Kind::square_root, minus(one, times(a, a)))), -1, -1};
    case Kind::arccosine:
      return {over(number(-1), of(Kind::square_root, minus(one, times(a, a)))), -1, -1};
    case Kind::arctangent:
      return {over(one, plus(one, times(a, a))), -1, -1};
    case Kind::hyperbolic_sine:
      return {of(Kind::hyperbolic_cosine, a), -1, -1};
    case Kind::hyperbolic_cosine:
      return {of(Kind::hyperbolic_sine, a), -1, -1};
    case Kind::hyperbolic_tangent:
      return {minus(one, times(node, node)), -1, -1};
    case Kind::exponential:
      return {node, -1, -1};
    case Kind::logarithm:
      return {over(one, a), -1, -1};
    case Kind::square_root:
      return {over(number(0.5), node), -1, -1};
    case Kind::cube_root:
      return {over(node, times(number(3), a)), -1, -1};
    case Kind::piecewise: {
      const PiecewiseCubic table = graph_.tables()[static_cast<std::size_t>(b)];
      return {graph_.piecewise(table, at.c + 1, a), -1, -1};
    }
    case Kind::add:
      return {one, one, -1};
    case Kind::subtract:
      return {one, number(-1), -1};
    case Kind::multiply:
      return {b, a, -1};
    case Kind::divide: {
      const int inverse = over(one, b);
      return {inverse, negated(times(node, inverse)), -1};
    }
    case Kind::power:
      return of_power(node, a, b);
    case Kind::arctangent2: {
      const int square = plus(times(a, a), times(b, b));
      return {over(b, square), negated(over(a, square)), -1};
    }
    case Kind::select:
      return {-1, graph_.select(a, one, number(0)), graph_.select(a, number(0), one)};
    default:  // decisions and steps
      return {-1, -1, -1};
  }
}

std::array<int, 3> LocalSlopes::of_power(int node, int base, int exponent) {
  const int by_base = times(exponent, graph_.make(Kind::power, base, minus(exponent, number(1))));
  if (graph_.is_constant(exponent)) return {by_base, -1, -1};
  return {by_base, times(node, of(Kind::logarithm, base)), -1};
}

// The graph of slopes, with the nodes that are left.
class Elimination {
 public:
  Elimination(OperationGraph& graph, const std::vector<int>& order, std::span<const int> outputs,
              int columns);
  // Until only inputs and outputs are left.
  void run();
  // Entries of one output, by columns ascending.
  std::vector<std::pair<int, int>> row(std::size_t output);

 private:
  struct Edge {
    int from;
    int slope;  // a node of the graph of operations
  };
  struct Vertex {
    std::vector<Edge> in;
    std::vector<int> out;
    int column = -1;  // if it is an input
  };
  long cost(int vertex) const {
    const Vertex& at = vertices_[static_cast<std::size_t>(vertex)];
    return static_cast<long>(at.in.size()) * static_cast<long>(at.out.size());
  }
  void add_edge(int from, int to, int slope);
  void eliminate(int vertex);

  OperationGraph& graph_;
  std::vector<Vertex> vertices_;  // of nodes that depend on the columns, then the outputs
  std::vector<int> first_;        // of outputs
  std::size_t inner_ = 0;
};

Elimination::Elimination(OperationGraph& graph, const std::vector<int>& order, std::span<const int> outputs,
                         int columns)
    : graph_(graph) {
  std::vector<int> vertex_of(static_cast<std::size_t>(graph.size()), -1);
  LocalSlopes slopes(graph);
  for (const int node : order) {
    const OperationGraph::Node at = graph[node];
    if (at.kind == Kind::input) {
      if (at.a >= columns) continue;
      vertex_of[static_cast<std::size_t>(node)] = static_cast<int>(vertices_.size());
      vertices_.push_back({});
      vertices_.back().column = at.a;
      continue;
    }
    const std::array operands{at.a, at.b, at.c};
    const int count = OperationGraph::operands(at.kind);
    const auto varies = [&](int k) {
      return k < count && vertex_of[static_cast<std::size_t>(operands[static_cast<std::size_t>(k)])] >= 0;
    };
    if (!varies(0) && !varies(1) && !varies(2)) continue;
    const std::array<int, 3> of = slopes(node);
    const auto to = static_cast<int>(vertices_.size());
    vertices_.push_back({});
    bool any = false;
    for (int k = 0; k < count; ++k)
      if (varies(k) && of[static_cast<std::size_t>(k)] >= 0) {
        add_edge(vertex_of[static_cast<std::size_t>(operands[static_cast<std::size_t>(k)])], to,
                 of[static_cast<std::size_t>(k)]);
        any = true;
      }
    if (any)
      vertex_of[static_cast<std::size_t>(node)] = to;
    else
      vertices_.pop_back();
  }
  inner_ = vertices_.size();
  for (const int output : outputs) {
    const auto to = static_cast<int>(vertices_.size());
    vertices_.push_back({});
    first_.push_back(to);
    if (const int from = vertex_of[static_cast<std::size_t>(output)]; from >= 0)
      add_edge(from, to, graph.constant(1));
  }
}

void Elimination::add_edge(int from, int to, int slope) {
  if (graph_.is_constant(slope, 0)) return;
  std::vector<Edge>& in = vertices_[static_cast<std::size_t>(to)].in;
  for (Edge& edge : in)
    if (edge.from == from) {
      edge.slope = graph_.make(Kind::add, edge.slope, slope);
      return;
    }
  in.push_back({from, slope});
  vertices_[static_cast<std::size_t>(from)].out.push_back(to);
}

void Elimination::eliminate(int vertex) {
  Vertex& at = vertices_[static_cast<std::size_t>(vertex)];
  for (const int to : at.out) {
    std::vector<Edge>& in = vertices_[static_cast<std::size_t>(to)].in;
    const auto found =
        std::find_if(in.begin(), in.end(), [&](const Edge& edge) { return edge.from == vertex; });
    const int slope = found->slope;
    in.erase(found);
    for (const Edge& edge : at.in) add_edge(edge.from, to, graph_.make(Kind::multiply, slope, edge.slope));
  }
  for (const Edge& edge : at.in) std::erase(vertices_[static_cast<std::size_t>(edge.from)].out, vertex);
  at.in.clear();
  at.in.shrink_to_fit();
  at.out.clear();
}

void Elimination::run() {
  using Entry = std::pair<long, int>;  // cost, and the later ones first among equals
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  const auto push = [&](int vertex) { queue.emplace(cost(vertex), -vertex); };
  std::vector<char> gone(vertices_.size(), 0);
  const auto is_inner = [&](int vertex) {
    return static_cast<std::size_t>(vertex) < inner_ &&
           vertices_[static_cast<std::size_t>(vertex)].column < 0;
  };
  for (std::size_t i = 0; i < inner_; ++i)
    if (is_inner(static_cast<int>(i))) push(static_cast<int>(i));
  while (!queue.empty()) {
    const auto [known, negative] = queue.top();
    queue.pop();
    const int vertex = -negative;
    if (gone[static_cast<std::size_t>(vertex)]) continue;
    if (const long now = cost(vertex); now != known) {
      push(vertex);
      continue;
    }
    std::vector<int> neighbours = vertices_[static_cast<std::size_t>(vertex)].out;
    for (const Edge& edge : vertices_[static_cast<std::size_t>(vertex)].in) neighbours.push_back(edge.from);
    eliminate(vertex);
    gone[static_cast<std::size_t>(vertex)] = 1;
    // cheaper now, perhaps; those that cost more are found out when their turn comes
    for (const int other : neighbours)
      if (is_inner(other)) push(other);
  }
}

std::vector<std::pair<int, int>> Elimination::row(std::size_t output) {
  std::vector<std::pair<int, int>> entries;
  for (const Edge& edge : vertices_[static_cast<std::size_t>(first_[output])].in)
    entries.emplace_back(vertices_[static_cast<std::size_t>(edge.from)].column, edge.slope);
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace

SymbolicJacobian symbolic_jacobian(const RecordedFunction& function, int columns, WithValues values) {
  SymbolicJacobian result;
  result.function = function;
  RecordedFunction& recorded = result.function;
  Elimination elimination(recorded.graph, GraphProgram::order(function), function.outputs, columns);
  elimination.run();
  if (values == WithValues::no) recorded.outputs.clear();
  result.pattern = {static_cast<int>(function.outputs.size()), columns, {0}, {}};
  for (std::size_t i = 0; i < function.outputs.size(); ++i) {
    for (const auto& [column, slope] : elimination.row(i)) {
      result.pattern.column.push_back(column);
      recorded.outputs.push_back(slope);
    }
    result.pattern.begin.push_back(static_cast<int>(result.pattern.column.size()));
  }
  return result;
}

}  // namespace trammel
