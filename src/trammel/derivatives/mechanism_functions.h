// Functions of a mechanism that can be differentiated in every way, beside the slopes that the library has of them anyway.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "trammel/derivatives/recorded_mechanism.h"
#include "trammel/numerics/differentiation/jacobian.h"

namespace trammel {

enum class MechanismFunction { forces, mass, constraints };
// "Q", "M", "Phi". Throws std::invalid_argument if there is none of this name.
MechanismFunction mechanism_function(const std::string& name);
std::string name(MechanismFunction function);

// One function at states of the equations, by (q, v), or by q alone where it does not depend on v.
class FunctionOfMechanism {
 public:
  // The equations must outlive this. Throws as record_mechanism() does.
  FunctionOfMechanism(MechanismEquations& equations, MechanismFunction function);

  const RecordedMechanism& recorded() const { return recorded_; }
  const RecordedFunction& graph() const;
  int columns() const { return columns_; }
  // (q, v), and what is held: with multipliers of zero.
  std::vector<double> point(double t, const VectorIn& x) const;

  // As a recording.
  DifferentiableFunction by_recording() const { return differentiable(graph(), columns_); }
  // The library's own evaluation, in doubles; M is none of those. The pattern is that of the recording.
  std::optional<DifferentiableFunction> by_library() const;

  // The library's own slopes, exact; none of M.
  bool has_slopes() const { return function_ != MechanismFunction::mass; }
  void compute_slopes(std::span<const double> point);
  Matrix slopes() const;

 private:
  struct Evaluation;

  MechanismEquations& equations_;
  MechanismFunction function_;
  RecordedMechanism recorded_;
  int columns_ = 0;
  std::shared_ptr<Evaluation> slopes_;
};

}  // namespace trammel
