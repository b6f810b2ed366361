// A recorded function as C: C99 and <math.h>, no other dependency, no memory taken, no state kept.
#pragma once

#include <string>
#include <vector>

#include "trammel/numerics/differentiation/operation_graph.h"

namespace trammel {

// One function: void NAME(const double *IN0, double IN1, ..., double *OUT0, double *OUT1, ...).
struct CFunction {
  std::string name;
  std::string comment{};
  // The inputs in their order, cut into arrays; likewise the outputs.
  struct Array {
    std::string name;
    int size = 0;
    bool is_number = false;  // one, given by its value
  };
  std::vector<Array> inputs, outputs;
  const RecordedFunction* recorded = nullptr;
};

// Its declaration, without the semicolon.
std::string c_declaration(const CFunction& function);
// The definitions of all of them with the tables they share. Long ones are cut into parts, so that a compiler's time grows in
// proportion to their lengths.
std::string c_definitions(const std::vector<CFunction>& functions);
// How many operations a function comes to.
std::size_t operation_count(const RecordedFunction& recorded);

}  // namespace trammel
