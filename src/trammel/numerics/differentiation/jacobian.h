// Jacobians of a function, in several ways chosen by name (differentiation_ways()).
//
//   auto f = differentiable(2, 2, [](auto x, auto y) {       // templated on the number type: spans of T
//     using std::sin;
//     y[0] = x[0] * sin(x[1]);
//     y[1] = x[0];
//   });
//   auto jacobian = make_jacobian("sparse", f);
//   std::vector<double> entries(jacobian->pattern().entries());
//   jacobian->compute(x, entries);                            // in the order of the pattern, row by row
//
// A function of doubles alone, DifferentiableFunction{.inputs, .outputs, .plain}, can be differentiated by differences.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trammel/numerics/differentiation/jacobian_pattern.h"
#include "trammel/numerics/differentiation/traced.h"
#include "trammel/numerics/dual.h"
#include "trammel/numerics/linear_algebra.h"

namespace trammel {

struct DifferentiableFunction {
  using Wide = Dual<double, 8>;

  int inputs = 0;      // by which it is differentiated
  int parameters = 0;  // further inputs, which come after them and are held
  int outputs = 0;
  PlainFunction plain{};
  std::function<void(std::span<const Wide>, std::span<Wide>)> dual{};
  // The function as a graph; called when a way needs it.
  std::function<RecordedFunction()> record{};
  // Where entries may be, if that is known; otherwise it is found from the graph, or by probing where `plain` is all there is.
  std::optional<JacobianPattern> pattern{};
};

// From a function object f(x, y) with std::span<const T> x and std::span<T> y, T any of double, Dual<double, 8> and Traced.
template <class F>
DifferentiableFunction differentiable(int inputs, int outputs, F f) {
  using Wide = DifferentiableFunction::Wide;
  DifferentiableFunction function{.inputs = inputs, .outputs = outputs};
  function.plain = [f](std::span<const double> x, std::span<double> y) { f(x, y); };
  function.dual = [f](std::span<const Wide> x, std::span<Wide> y) { f(x, y); };
  function.record = [=] {
    return trammel::record(inputs, outputs, [f](std::span<const Traced> x, std::span<Traced> y) { f(x, y); });
  };
  return function;
}
// From a recording: evaluated by its instructions.
DifferentiableFunction differentiable(const RecordedFunction& recorded, int inputs);

// Work space of one way.
class Jacobian {
 public:
  virtual ~Jacobian() = default;

  const JacobianPattern& pattern() const { return pattern_; }
  // x: inputs and parameters. The entries in the order of the pattern.
  virtual void compute(std::span<const double> x, std::span<double> entries) = 0;
  // Directions in which the function is differentiated: colours of its columns, or as many as there are columns or rows.
  int directions() const { return directions_; }
  // What is kept for it: work space, programs, tapes, machine code.
  virtual std::size_t bytes() const = 0;
  Matrix dense(std::span<const double> x);

 protected:
  JacobianPattern pattern_;
  int directions_ = 0;
};

struct DifferentiationWay {
  std::string name;
  std::string description;
  bool is_exact = true;         // to round-off
  bool is_available = true;     // in this build
  bool needs_recording = true;  // a function of doubles alone cannot be treated
};
const std::vector<DifferentiationWay>& differentiation_ways();

// Why a way is not available, and what to do about it.
std::string what_is_missing(const DifferentiationWay& way);

// Throws std::invalid_argument if there is no such way, it is not in this build, or the function does not offer what it needs;
// RecordingError if the function cannot be recorded; std::runtime_error if generated code cannot be compiled. `x` is a point
// like those at which it will be asked for.
std::unique_ptr<Jacobian> make_jacobian(const std::string& way, const DifferentiableFunction& function,
                                        std::span<const double> x = {});

// Generated code of more operations than this is refused: a compiler would be at it for minutes.
inline constexpr std::size_t most_generated_operations = 400000;

}  // namespace trammel
