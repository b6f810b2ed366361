// Which instructions of an expression are switches (switches.h): those that branch by something that depends on
// more than the time.
#include "trammel/mechanism/expression.h"

namespace trammel {
namespace {

bool branches(Operation operation) {
  switch (operation) {
    case Operation::absolute:
    case Operation::sign:
    case Operation::floor:
    case Operation::ceiling:
    case Operation::round:
    case Operation::table:
    case Operation::modulo:
    case Operation::minimum:
    case Operation::maximum:
    case Operation::less:
    case Operation::less_equal:
    case Operation::greater:
    case Operation::greater_equal:
    case Operation::ramp:
    case Operation::step:
      return true;
    default:
      // two numbers that vary are equal at isolated times only, which nothing depends on
      return false;
  }
}

class SwitchCounter {
 public:
  explicit SwitchCounter(ExpressionProgram& program) : program_(program) {}

  int count() const { return count_; }

  // Of the instructions from `begin` to `end`, which leave one number on the stack: whether that depends on more
  // than the time.
  bool walk(std::size_t begin, std::size_t end) {
    std::vector<char> stack;
    for (std::size_t i = begin; i < end;) {
      Instruction& instruction = program_.code[i];
      if (instruction.operation == Operation::jump_if_false) {
        // condition, jump_if_false, then ..., jump, otherwise ...
        const std::size_t jump = i + static_cast<std::size_t>(instruction.argument);
        const std::size_t last = jump + 1 + static_cast<std::size_t>(program_.code[jump].argument);
        const bool then = walk(i + 1, jump), otherwise = walk(jump + 1, last);
        if (then || otherwise) stack.back() = true;
        i = last;
        continue;
      }
      const auto operands = static_cast<std::size_t>(operand_count(instruction.operation));
      bool varies = instruction.operation == Operation::input && instruction.argument != 0;
      for (std::size_t k = 0; k < operands; ++k) {
        varies = varies || stack.back();
        stack.pop_back();
      }
      instruction.switch_index = varies && branches(instruction.operation) ? count_++ : -1;
      stack.push_back(varies);
      ++i;
    }
    return stack.back() != 0;
  }

 private:
  ExpressionProgram& program_;
  int count_ = 0;
};

}  // namespace

int number_switches(ExpressionProgram& program) {
  SwitchCounter counter(program);
  counter.walk(0, program.code.size());
  return counter.count();
}

}  // namespace trammel
