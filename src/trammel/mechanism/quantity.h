// The quantities that expressions may use by name, and how a law with such names is compiled.
//
//   t, time                      the time
//   <joint>.angle                and the other coordinates of a joint; <joint>.angle_rate its rate
//   <marker or body>.position.x  in the world; .velocity.x, .angular_velocity.x likewise
//   distance(P, Q)               of two markers or bodies; distance_rate(P, Q)
//   <marker or body>.speed       the magnitude of its velocity
//   <state>, <measure>           by their names
//   <joint>.reaction             the magnitude of the joint's reaction force
//
// Parameters are constants, tables are called: table(name, x).
#pragma once

#include "trammel/mechanism/elements.h"
#include "trammel/mechanism/measured_function.h"

namespace trammel {

// A law as a function: of t, of what the element itself offers (length and rate, say), and of inputs.
struct CompiledLaw {
  Expression expression;    // inputs: t, the element's own, then `inputs`
  std::vector<int> inputs;  // into Elements::inputs
  int own = 0;

  bool is_constant() const { return expression.is_constant(); }
};

class QuantityCompiler {
 public:
  QuantityCompiler(const Mechanism& mechanism, Elements& elements);
  ~QuantityCompiler();

  // `own` are names that only this law knows: "length", "rate". Throws ModelError at the law's place.
  CompiledLaw compile(const Law& law, const std::vector<std::string>& own = {});

  // All measures, in the order of Mechanism::measures, without name and unit; and an order in which they can
  // be evaluated. Throws ModelError at the place of one.
  std::vector<MeasuredExpression> compile_measures(std::vector<int>& order);

  // A law of time alone.
  Expression compile_of_time(const Law& law);

  // The row of Elements::measured of a joint coordinate, distance, ... and whether its rate is meant. Throws
  // ModelError at `place`.
  struct Row {
    Index row = 0;
    bool rate = false;
  };
  Row measured_row(const std::string& reference, const SourcePlace& place);

  // The same as a function, which can be added to other rows. Throws ModelError at `place`.
  MeasuredFunction function(const std::string& reference, const SourcePlace& place) const;
  const MeasuredFunctions& functions() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel
