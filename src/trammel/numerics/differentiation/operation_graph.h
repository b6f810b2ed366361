// A function as a graph of elementary operations: what a recording (traced.h) leaves behind, and what derivatives and C
// code are made from.
//
// A node is made once: asked for again it is the same one, so that common sub-expressions are shared. What is known to be
// constant is folded, and products and sums with zero and one are not made at all. Operands come before what uses them.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace trammel {

// Something cannot be recorded; the message says what.
class RecordingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A polynomial of degree three from `start` to the start of the next one: c0 + c1 u + c2 u² + c3 u³, u = x − start.
struct CubicPiece {
  double start = 0, c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  bool operator==(const CubicPiece&) const = default;
};
// The pieces of a function: before the second one's start the first holds, after the last one's the last.
using PiecewiseCubic = std::vector<CubicPiece>;
// The derivative of order 0 to 3.
double evaluate(const PiecewiseCubic& pieces, int order, double x);

class OperationGraph {
 public:
  enum class Kind : std::uint8_t {
    constant,
    input,
    // of one operand
    negate,
    sine,
    cosine,
    tangent,
    arcsine,
    arccosine,
    arctangent,
    hyperbolic_sine,
    hyperbolic_cosine,
    hyperbolic_tangent,
    exponential,
    logarithm,
    square_root,
    cube_root,
    floor,
    ceiling,
    round,
    logical_not,
    piecewise,  // b: which, c: the order of its derivative
    // of two
    add,
    subtract,
    multiply,
    divide,
    power,
    arctangent2,
    // 1 if it holds, 0 otherwise
    less,
    less_equal,
    equal,
    // of three: b if a is not zero, c otherwise
    select,
  };

  struct Node {
    Kind kind = Kind::constant;
    int a = -1, b = -1, c = -1;  // operands; of an input, a is its index
    double number = 0;           // of a constant
    bool operator==(const Node&) const = default;
  };

  // How many of a, b, c are operands.
  static int operands(Kind kind);

  int constant(double value);
  int input(int index);
  int make(Kind kind, int a) { return unary(kind, a); }
  int make(Kind kind, int a, int b) { return binary(kind, a, b); }
  int select(int condition, int then, int otherwise);
  int piecewise(const PiecewiseCubic& pieces, int order, int x);
  // The same operation on other operands.
  int make(const Node& like, int a, int b, int c);

  const Node& operator[](int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  int size() const { return static_cast<int>(nodes_.size()); }
  bool is_constant(int node) const { return (*this)[node].kind == Kind::constant; }
  bool is_constant(int node, double value) const {
    return is_constant(node) && (*this)[node].number == value;
  }
  const std::vector<PiecewiseCubic>& tables() const { return tables_; }

 private:
  struct Hash {
    std::size_t operator()(const Node& node) const;
  };

  int unary(Kind kind, int a);
  int binary(Kind kind, int a, int b);
  int add(int a, int b);
  int subtract(int a, int b);
  int multiply(int a, int b);
  int divide(int a, int b);
  int keep(const Node& node);
  bool is_negated(int node) const { return (*this)[node].kind == Kind::negate; }
  // Whether a node is a factor that counts on one side of a condition only: select(c, x, 0) or select(c, 0, x).
  bool is_masked(int node) const;

  std::vector<Node> nodes_;
  std::unordered_map<Node, int, Hash> known_;
  std::vector<PiecewiseCubic> tables_;
};

// A function recorded: the values of inputs 0 to `inputs` − 1 give those of the outputs.
struct RecordedFunction {
  OperationGraph graph;
  int inputs = 0;
  std::vector<int> outputs;
};

// What a node of plain numbers comes to.
double apply(const OperationGraph& graph, const OperationGraph::Node& node, double a, double b, double c);

// The same function with some of its inputs held at numbers; inputs that are not held keep their indices. Nodes that no output
// needs are left out.
RecordedFunction hold_inputs(const RecordedFunction& function, const std::unordered_map<int, double>& held);
// With its inputs in another order: input i becomes to[i]; −1: it must not matter.
RecordedFunction move_inputs(const RecordedFunction& function, std::span<const int> to, int inputs);
// Whether an output needs an input.
bool uses_input(const RecordedFunction& function, int first, int count);

}  // namespace trammel
