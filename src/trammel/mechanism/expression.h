// A formula of a model file, compiled: it can be evaluated with every number type that carries derivatives,
// without touching the heap. docs/expressions.md is its manual, expression_parser.h makes one from text.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trammel/mechanism/switches.h"
#include "trammel/mechanism/table.h"

namespace trammel {

// What one instruction does to the stack. Operands are taken from the top, the result is put there.
enum class Operation : int {
  // put a number or an input on top
  number,
  input,
  // of one operand; those that say so also take the instruction's number
  negate,
  logical_not,
  add_number,
  multiply_number,
  divide_by_number,
  number_minus,
  number_divided,
  power_number,
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
  logarithm10,
  square_root,
  cube_root,
  absolute,
  sign,
  floor,
  ceiling,
  round,
  table,  // by the table with the index `argument`
  // of two operands
  add,
  subtract,
  multiply,
  divide,
  power,
  arctangent2,
  hypotenuse,
  modulo,
  minimum,
  maximum,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  // of more operands
  ramp,  // x, x0, x1
  step,  // x, x0, y0, x1, y1
  // forward, over `argument` instructions; the condition is taken away
  jump_if_false,
  jump,
};

// How many numbers it takes from the stack.
int operand_count(Operation operation);

struct Instruction {
  Operation operation = Operation::number;
  int argument = 0;
  double number = 0;
  int switch_index = -1;  // of those of the expression, if what it compares depends on more than the time
};

// Instructions in postfix order; they leave one number on the stack. Jumps are relative, so programs can be
// strung together.
struct ExpressionProgram {
  static constexpr int largest_depth = 64;

  std::vector<Instruction> code;
  std::vector<Table> tables;
  int depth = 1;  // of the stack

  static ExpressionProgram constant(double value);
  static ExpressionProgram input(int index);
  bool is_constant() const { return code.size() == 1 && code[0].operation == Operation::number; }
};

// The program of an operation on the results of programs; it is a constant if they are. Of `table`, the
// operand's result is looked up in `tables`.
ExpressionProgram combine(Operation operation, std::vector<ExpressionProgram> operands,
                          std::vector<Table> tables = {});
// The program that computes one of two, as the condition's result is zero or not, and leaves the other alone.
ExpressionProgram choose(ExpressionProgram condition, ExpressionProgram then, ExpressionProgram otherwise);

// Numbers the switches of a program (expression_switches.cpp) and returns how many there are.
int number_switches(ExpressionProgram& program);

// Immutable, and cheap to copy: copies share the program.
class Expression {
 public:
  Expression();  // zero
  // Throws std::length_error if the program needs a deeper stack than there is.
  explicit Expression(ExpressionProgram program);
  static Expression constant(double value) { return Expression(ExpressionProgram::constant(value)); }
  static Expression input(int index) { return Expression(ExpressionProgram::input(index)); }

  // For the number types listed at the end of this file. Throws std::invalid_argument if there are fewer than
  // inputs().
  template <class T>
  T evaluate(std::span<const T> inputs, const Switches& switches = {}) const;

  // How many switches it has. Input 0 is the time: what depends on that alone is none.
  int switches() const { return switches_; }

  // One more than the largest index of an input it depends on.
  int inputs() const;
  bool depends_on(int input) const;
  bool is_constant() const { return program_->is_constant(); }
  const ExpressionProgram& program() const { return *program_; }

 private:
  std::shared_ptr<const ExpressionProgram> program_;
  std::shared_ptr<const std::vector<int>> dependencies_;  // ascending
  int switches_ = 0;
};

extern template double Expression::evaluate(std::span<const double>, const Switches&) const;
extern template Taylor<double> Expression::evaluate(std::span<const Taylor<double>>, const Switches&) const;
extern template Dual<double, 8> Expression::evaluate(std::span<const Dual<double, 8>>, const Switches&) const;
extern template Dual<double, 12> Expression::evaluate(std::span<const Dual<double, 12>>,
                                                      const Switches&) const;
extern template Dual<double, 24> Expression::evaluate(std::span<const Dual<double, 24>>,
                                                      const Switches&) const;
extern template Dual<double, 32> Expression::evaluate(std::span<const Dual<double, 32>>,
                                                      const Switches&) const;
extern template Dual<Dual<double, 8>, 4> Expression::evaluate(std::span<const Dual<Dual<double, 8>, 4>>,
                                                              const Switches&) const;
extern template Taylor<Dual<double, 8>> Expression::evaluate(std::span<const Taylor<Dual<double, 8>>>,
                                                             const Switches&) const;
extern template Taylor<Dual<double, 24>> Expression::evaluate(std::span<const Taylor<Dual<double, 24>>>,
                                                              const Switches&) const;

}  // namespace trammel
