// Programs of expressions put in the place of inputs of others, to any depth: laws name measures, which name
// measures.
#pragma once

#include "trammel/mechanism/expression.h"

namespace trammel {

class ProgramSource {
 public:
  // An input of a program: one of the result, or the result of another program.
  struct Meaning {
    bool is_program = false;
    int index = 0;
  };

  virtual ~ProgramSource() = default;
  virtual const ExpressionProgram& program(int index) const = 0;
  virtual Meaning meaning(int program, int input) const = 0;
};

// The program with this index, complete. Programs must not contain themselves. Throws std::length_error if
// the result has more than `largest` instructions.
ExpressionProgram with_programs_inserted(const ProgramSource& source, int index, std::size_t largest);

}  // namespace trammel
