// The Jacobian of a recorded function in symbols: each of its entries becomes an output of a recorded function.
//
// Slopes of single operations are put on the edges of the graph. Then nodes are taken out of it one after the other, each time
// the one that costs the fewest products (Markowitz; A. Griewank, A. Walther, Evaluating Derivatives, 2008, chapters 9 and 10):
// what leads to a node is connected to what it leads to. This is neither forward nor reverse, and needs fewer operations than
// both where a function narrows in its middle, as mechanisms do at their joints.
#pragma once

#include "trammel/numerics/differentiation/jacobian_pattern.h"
#include "trammel/numerics/differentiation/operation_graph.h"

namespace trammel {

struct SymbolicJacobian {
  JacobianPattern pattern;
  // Outputs: the entries of the pattern, row by row; before them the function's own, if that was wanted.
  RecordedFunction function;
};

enum class WithValues { no, yes };
// By the first `columns` inputs.
SymbolicJacobian symbolic_jacobian(const RecordedFunction& function, int columns, WithValues values);

}  // namespace trammel
