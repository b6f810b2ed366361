#include "trammel/analysis/linearization_inputs.h"

#include <algorithm>

namespace trammel {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Matrix columns(const Matrix& matrix, const std::vector<Index>& chosen) {
  Matrix result(matrix.rows(), static_cast<Index>(chosen.size()));
  for (std::size_t i = 0; i < chosen.size(); ++i) result.col(static_cast<Index>(i)) = matrix.col(chosen[i]);
  return result;
}

Matrix rows(const Matrix& matrix, const std::vector<Index>& chosen) {
  return columns(matrix.transpose(), chosen).transpose();
}

// [first second], where the second may not have been asked for.
Matrix beside(const Matrix& first, const Matrix& second, Index height) {
  Matrix result(height, first.cols() + second.cols());
  result << first, second;
  return result;
}

}  // namespace

std::vector<std::string> input_names(const Elements& elements) {
  std::vector<std::string> names;
  for (const StateEquation& state : elements.states)
    if (state.rate.is_constant() && state.rate.program().code[0].number == 0) names.push_back(state.name);
  return names;
}

std::vector<std::string> take_inputs(const Elements& elements, std::vector<std::string>& wanted) {
  const std::vector<std::string> all = input_names(elements);
  if (wanted.empty()) return all;
  std::vector<std::string> taken;
  for (const std::string& name : wanted)
    if (contains(all, name)) taken.push_back(name);
  std::erase_if(wanted, [&](const std::string& name) { return contains(all, name); });
  return taken;
}

void set_inputs_apart(const Elements& elements, const std::vector<std::string>& chosen,
                      Linearization& linear) {
  const std::vector<std::string> all = input_names(elements);
  if (all.empty()) return;
  std::vector<Index> kept, taken;
  const Index first = linear.positions + linear.velocities;
  for (Index i = 0; i < linear.A.cols(); ++i)
    if (i < first || !contains(all, linear.states[static_cast<std::size_t>(i)])) kept.push_back(i);
  for (const std::string& name : chosen) {
    const auto place = std::find(linear.states.begin() + first, linear.states.end(), name);
    taken.push_back(static_cast<Index>(place - linear.states.begin()));
  }

  if (linear.C.size() > 0 || linear.B.size() > 0 || !chosen.empty()) {
    linear.B = beside(columns(linear.A, taken), linear.B, linear.A.rows());
    linear.D = beside(columns(linear.C, taken), linear.D, linear.C.rows());
    linear.B = rows(linear.B, kept);
    linear.C = columns(linear.C, kept);
    linear.inputs.insert(linear.inputs.begin(), chosen.begin(), chosen.end());
  }
  linear.A = columns(rows(linear.A, kept), kept);
  linear.displacement = columns(linear.displacement, kept);
  Vector rate(static_cast<Index>(kept.size()));
  std::vector<std::string> states;
  for (const Index i : kept) {
    if (linear.rate.size() > i) rate[static_cast<Index>(states.size())] = linear.rate[i];
    states.push_back(linear.states[static_cast<std::size_t>(i)]);
  }
  linear.rate = rate;
  linear.states = std::move(states);
}

}  // namespace trammel
