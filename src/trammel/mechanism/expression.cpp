// How programs of expressions are put together.
#include "trammel/mechanism/expression.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "trammel/mechanism/expression_bumps.h"

namespace trammel {
namespace {

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
  return fold ? ExpressionProgram::constant(Expression(result).evaluate<double>({})) : result;
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

}  // namespace trammel
