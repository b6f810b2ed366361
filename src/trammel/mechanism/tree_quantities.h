// The quantities of laws of computed torque: gravity_torque(A) and inverse_dynamics(A, wanted), made from functions of trees
// of bodies (tree_forces.h).
#pragma once

#include <functional>
#include <optional>

#include "trammel/mechanism/compiled_measures.h"
#include "trammel/mechanism/expression_parser.h"
#include "trammel/mechanism/measured_function.h"
#include "trammel/mechanism/tree_forces.h"

namespace trammel {

class TreeQuantities {
 public:
  // The input of a law with the rate of the row of this name; `add` makes the row's function if it is new.
  using RateInput = std::function<int(const std::string& name, const std::function<void(Index row)>& add)>;

  // All of these must outlive this.
  TreeQuantities(const Mechanism& mechanism, const MeasuredFunctions& functions,
                 const CompiledMeasures& measures, TreeForces& forces)
      : mechanism_(mechanism), functions_(functions), measures_(measures), forces_(forces) {}

  static bool knows(const std::string& name);
  // What a call of one of them means in a law. Throws ExpressionError.
  ExpressionSymbol find(const ExpressionReference& reference, const RateInput& input) const;

 private:
  using Coordinate = TreeForces::Coordinate;

  Coordinate coordinate(const ExpressionReference& reference) const;
  ExpressionSymbol gravity_torque(const ExpressionReference& reference, const RateInput& input) const;
  ExpressionSymbol inverse_dynamics(const ExpressionReference& reference, const RateInput& input) const;
  // "wanted_A", or of joints with two coordinates "wanted_A_angle".
  std::string wanted_measure(const std::string& prefix, const Coordinate& of) const;

  const Mechanism& mechanism_;
  const MeasuredFunctions& functions_;
  const CompiledMeasures& measures_;
  TreeForces& forces_;
};

}  // namespace trammel
