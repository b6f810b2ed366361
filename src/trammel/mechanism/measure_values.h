// Values of measures, from those that name no other one onwards.
#pragma once

#include <span>
#include <vector>

#include "trammel/mechanism/elements.h"

namespace trammel {

// A measure and those that it needs, each after those that it needs itself: into Elements::measures.
std::vector<int> measures_needed_by(const Elements& elements, int measure);

// Evaluates the measures `which`, in an order as of Elements::measure_order, into their places in `values`.
// `inputs` are those of Elements::inputs; `arguments` is work space. For the number types of expressions.
template <class T>
void evaluate_measures(const Elements& elements, std::span<const int> which, const T& t,
                       std::span<const T> inputs, std::span<T> values, std::vector<T>& arguments) {
  for (const int index : which) {
    const MeasuredExpression& measure = elements.measures[static_cast<std::size_t>(index)];
    arguments.clear();
    arguments.push_back(t);
    for (const int input : measure.inputs) arguments.push_back(inputs[static_cast<std::size_t>(input)]);
    for (const int other : measure.measures) arguments.push_back(values[static_cast<std::size_t>(other)]);
    values[static_cast<std::size_t>(index)] =
        measure.value.template evaluate<T>(std::span<const T>(arguments));
  }
}

}  // namespace trammel
