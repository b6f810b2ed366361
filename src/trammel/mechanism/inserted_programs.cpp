#include "trammel/mechanism/inserted_programs.h"

#include <algorithm>
#include <stdexcept>

namespace trammel {
namespace {

// A program that is being copied, with a list instead of recursion: chains of them may be long.
struct Copy {
  int index = 0;
  const std::vector<Instruction>* code = nullptr;
  std::size_t next = 0;
  int first_table = 0;
  int height = 0;                 // of the stack before the next instruction
  std::vector<int> heights;       // where jumps lead to; −1 elsewhere
  std::vector<int> new_position;  // of its instructions
  std::vector<std::size_t> jumps;
};

class Inserter {
 public:
  Inserter(const ProgramSource& source, std::size_t largest) : source_(source), largest_(largest) {}

  ExpressionProgram insert(int index) {
    begin(index, 0);
    while (!copies_.empty()) {
      if (copies_.back().next == copies_.back().code->size())
        end();
      else
        copy_instruction();
    }
    return std::move(result_);
  }

 private:
  void begin(int index, int height) {
    const ExpressionProgram& program = source_.program(index);
    Copy copy;
    copy.index = index;
    copy.code = &program.code;
    copy.first_table = static_cast<int>(result_.tables.size());
    copy.height = height;
    copy.heights.assign(program.code.size() + 1, -1);
    copy.new_position.resize(program.code.size() + 1);
    result_.tables.insert(result_.tables.end(), program.tables.begin(), program.tables.end());
    copies_.push_back(std::move(copy));
  }

  // What was put in has moved the ends of jumps.
  void end() {
    Copy& copy = copies_.back();
    copy.new_position.back() = static_cast<int>(result_.code.size());
    for (const std::size_t i : copy.jumps) {
      const int from = copy.new_position[i];
      const std::size_t target = i + 1 + static_cast<std::size_t>((*copy.code)[i].argument);
      result_.code[static_cast<std::size_t>(from)].argument = copy.new_position[target] - from - 1;
    }
    copies_.pop_back();
  }

  void copy_instruction() {
    Copy& copy = copies_.back();
    const std::size_t i = copy.next++;
    if (copy.heights[i] >= 0) copy.height = copy.heights[i];
    copy.new_position[i] = static_cast<int>(result_.code.size());
    Instruction instruction = (*copy.code)[i];
    const std::size_t target = i + 1 + static_cast<std::size_t>(std::max(instruction.argument, 0));
    const int before = copy.height;
    copy.height += 1 - operand_count(instruction.operation);
    switch (instruction.operation) {
      case Operation::input: {
        const ProgramSource::Meaning meaning = source_.meaning(copy.index, instruction.argument);
        if (meaning.is_program) return begin(meaning.index, before);
        instruction.argument = meaning.index;
        break;
      }
      case Operation::jump:
      case Operation::jump_if_false:
        // they leave nothing on the stack
        copy.heights[target] = --copy.height;
        copy.jumps.push_back(i);
        break;
      case Operation::table:
        instruction.argument += copy.first_table;
        break;
      default:
        break;
    }
    result_.depth = std::max(result_.depth, copy.height);
    result_.code.push_back(instruction);
    if (result_.code.size() > largest_)
      throw std::length_error("the expression is too long once the measures it names are put in");
  }

  const ProgramSource& source_;
  std::size_t largest_;
  std::vector<Copy> copies_;
  ExpressionProgram result_;
};

}  // namespace

ExpressionProgram with_programs_inserted(const ProgramSource& source, int index, std::size_t largest) {
  return Inserter(source, largest).insert(index);
}

}  // namespace trammel
