#include "trammel/mechanism/law_function.h"

#include <algorithm>

#include "trammel/mechanism/argument_list.h"
#include "trammel/mechanism/recorded_laws.h"

namespace trammel {

LawFunction::LawFunction(const CompiledLaw& law, std::vector<int>& element_inputs, int first_switch)
    : expression_(law.expression), own_(law.own), first_switch_(first_switch) {
  const std::vector<Instruction>& code = expression_.program().code;
  if (expression_.is_constant()) {
    constant_ = code[0].number;
    return;
  }
  for (const int input : law.inputs) {
    const auto found = std::find(element_inputs.begin(), element_inputs.end(), input);
    positions_.push_back(static_cast<std::size_t>(found - element_inputs.begin()));
    if (found == element_inputs.end()) element_inputs.push_back(input);
  }
  if (expression_.inputs() <= 1) {
    form_ = Form::of_time;
  } else if (code.size() == 1 && code[0].argument > own_) {
    form_ = Form::input;
    input_ = static_cast<std::size_t>(code[0].argument - own_ - 1);
  } else {
    form_ = Form::general;
  }
}

bool LawFunction::uses_own(int i) const { return form_ == Form::general && expression_.depends_on(1 + i); }

template <class T>
T LawFunction::evaluate(const ForceInputs<T>& inputs, std::span<const T> own) const {
  switch (form_) {
    case Form::constant:
      return T(constant_);
    case Form::of_time:
      return T(expression_.evaluate(std::span(&inputs.t, 1)));
    case Form::input:
      return inputs.values[positions_[input_]];
    case Form::general:
      break;
  }
  ArgumentList<T> arguments(1 + own.size() + positions_.size());
  arguments.push(T(inputs.t));
  for (const T& value : own) arguments.push(value);
  for (const std::size_t position : positions_) arguments.push(inputs.values[position]);
  return expression_.evaluate(arguments.values(), inputs.switches.from(first_switch_));
}

template double LawFunction::evaluate(const ForceInputs<double>&, std::span<const double>) const;
template Dual<double, 24> LawFunction::evaluate(const ForceInputs<Dual<double, 24>>&,
                                                std::span<const Dual<double, 24>>) const;
template Dual<double, 32> LawFunction::evaluate(const ForceInputs<Dual<double, 32>>&,
                                                std::span<const Dual<double, 32>>) const;
template Traced LawFunction::evaluate(const ForceInputs<Traced>&, std::span<const Traced>) const;

}  // namespace trammel
