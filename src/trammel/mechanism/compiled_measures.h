// The measures of a mechanism as expressions, each compiled once, and in an order in which they can be
// evaluated: a measure may name others.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "trammel/mechanism/inserted_programs.h"
#include "trammel/mechanism/mechanism.h"

namespace trammel {

// Inputs of an expression from this one on stand for measures, in the order of Mechanism::measures.
inline constexpr int first_measure_input = 1 << 24;

// The measures that an expression names, ascending.
std::vector<int> measures_in(const Expression& expression);

class CompiledMeasures {
 public:
  struct Entry {
    Expression expression;    // of t, `inputs`, and measures from first_measure_input on
    std::vector<int> inputs;  // into Elements::inputs
    std::vector<int> needs;   // other measures
    bool depends_on_motion = false;
  };
  // Compiles one, with names of measures as inputs; fills expression and inputs. May throw.
  using Compile = std::function<void(const Measure& measure, Entry& entry)>;

  explicit CompiledMeasures(const std::vector<Measure>& measures);

  // −1 if there is none of this name.
  int find(const std::string& name) const;
  // Compiles these and all that they need. Throws ModelError if one needs itself.
  void require(const std::vector<int>& measures, const Compile& compile);

  const Entry& operator[](int measure) const { return entries_[static_cast<std::size_t>(measure)]; }
  // All that were compiled, each after those it needs.
  const std::vector<int>& order() const { return order_; }

 private:
  enum class Progress { none, begun, done };

  const std::vector<Measure>& measures_;
  std::unordered_map<std::string, int> names_;
  std::vector<Entry> entries_;
  std::vector<Progress> progress_;
  std::vector<int> order_;
};

// An expression that names measures as one of t, its own and `inputs` alone, to which those of the measures
// are added. `own`: how many inputs it has between t and `inputs`. Throws std::length_error if it becomes too
// long.
Expression with_measures_inserted(const Expression& expression, const CompiledMeasures& measures, int own,
                                  std::vector<int>& inputs);

}  // namespace trammel
