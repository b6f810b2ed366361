// A law of a force element as a function: of the time, of what the element itself offers (its length and
// rate, say), and of the element's inputs.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "trammel/mechanism/force_block.h"
#include "trammel/mechanism/quantity.h"

namespace trammel {

class LawFunction {
 public:
  // Zero.
  LawFunction() = default;
  LawFunction(double constant) : constant_(constant) {}  // NOLINT: a number is a law
  // `element_inputs` is the list of the element that the law belongs to: what the law needs and is not in it
  // yet is added. The law's switches are those of the element from `first_switch` on.
  LawFunction(const CompiledLaw& law, std::vector<int>& element_inputs, int first_switch = 0);

  // `own` in the order of the names with which the law was compiled. T is one of those of force_block.h.
  template <class T, class... Own>
  T operator()(const ForceInputs<T>& inputs, const Own&... own) const {
    if (form_ == Form::constant) return T(constant_);
    const std::array<T, sizeof...(Own)> values{own...};
    return evaluate(inputs, std::span<const T>(values));
  }

  bool is_zero() const { return form_ == Form::constant && constant_ == 0; }
  // Whether it uses the element's own value of this number.
  bool uses_own(int i) const;

 private:
  enum class Form { constant, of_time, input, general };

  template <class T>
  T evaluate(const ForceInputs<T>& inputs, std::span<const T> own) const;

  Form form_ = Form::constant;
  double constant_ = 0;
  Expression expression_;               // of t, own, inputs
  int own_ = 0;                         // how many
  std::vector<std::size_t> positions_;  // of the inputs, in the element's list
  std::size_t input_ = 0;               // the only one, if it is nothing else
  int first_switch_ = 0;                // of those of the element
};

extern template double LawFunction::evaluate(const ForceInputs<double>&, std::span<const double>) const;
extern template Dual<double, 24> LawFunction::evaluate(const ForceInputs<Dual<double, 24>>&,
                                                       std::span<const Dual<double, 24>>) const;
extern template Dual<double, 32> LawFunction::evaluate(const ForceInputs<Dual<double, 32>>&,
                                                       std::span<const Dual<double, 32>>) const;

}  // namespace trammel
