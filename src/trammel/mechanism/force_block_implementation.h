// The members of Forces<Kernel>. Included where a kernel is instantiated: by force_block.cpp for those of the
// library, by a user's own source for theirs.
#pragma once

#include <algorithm>
#include <utility>

#include "trammel/mechanism/argument_list.h"
#include "trammel/mechanism/force_block.h"

namespace trammel {

namespace detail {

// How many inputs are differentiated by at a time.
inline constexpr int input_directions = 8;
using InputSlope = Dual<double, twist_directions + input_directions>;

inline BodyMotion<double> motion(const BodyState& body) { return {body.r, body.R, body.v, body.omega}; }

// The inputs of one element, in its own order.
inline void gather(const ForceBlock::Element& element, std::span<const double> inputs,
                   ArgumentList<double>& list) {
  for (const int input : element.inputs) list.push(inputs[static_cast<std::size_t>(input)]);
}

// Derivatives of (force, torque) on A, then on B: 12 rows by as many columns as `to` has, from direction
// `first` on.
template <class T>
void store_slopes(const Wrench<T>& on_a, const Wrench<T>& on_b, int first, int count, double* to,
                  std::size_t columns) {
  const std::array<const Vec3<T>*, 4> vectors{&on_a.force, &on_a.torque, &on_b.force, &on_b.torque};
  for (std::size_t row = 0; row < 12; ++row) {
    const double* from = (*vectors[row / 3])[static_cast<int>(row % 3)].derivative.data() + first;
    std::copy(from, from + count, to + row * columns);
  }
}

// Whether a kernel has slopes in closed form, for elements without inputs.
template <class Kernel>
concept has_force_slopes = requires(const Kernel& kernel, const BodyState& body,
                                    const ForceInputs<double>& inputs, std::span<double> slopes) {
  kernel.slopes(body, body, inputs, slopes);
};

// Whether it is a number, of inputs alone, along the derivative of a function of two poses.
template <class Kernel>
concept acts_along = requires(const Kernel& kernel, const ForceInputs<double>& inputs) {
  kernel.direction.function;
  kernel.along(inputs);
};

// Slopes of such a one: the direction varies with the poses, the number with the inputs.
template <class Kernel>
void slopes_along(const Kernel& kernel, const BodyState& a, const BodyState& b,
                  const ForceBlock::Element& element, double t, std::span<const double> inputs,
                  const Switches& switches, double* slopes, double* input_slopes) {
  const double one = 1;
  Wrench<PoseSlope> unit_a, unit_b;
  kernel.direction.function.reaction(varied_pose<pose_directions>(Pose<double>{a.r, a.R}, 0),
                                     varied_pose<pose_directions>(Pose<double>{b.r, b.R}, 6), &one, unit_a,
                                     unit_b);
  const std::array<const Vec3<PoseSlope>*, 4> vectors{&unit_a.force, &unit_a.torque, &unit_b.force,
                                                      &unit_b.torque};
  const auto unit = [&](std::size_t row) -> const PoseSlope& {
    return (*vectors[row / 3])[static_cast<int>(row % 3)];
  };
  const std::size_t count = element.inputs.size();
  double force = 0;
  if (count == 0) force = kernel.along(ForceInputs<double>{t, {}, switches});
  for (std::size_t first = 0; first < count; first += input_directions) {
    ArgumentList<InputSlope> values(count);
    for (std::size_t k = 0; k < count; ++k) {
      const double value = inputs[static_cast<std::size_t>(element.inputs[k])];
      const bool varies = k >= first && k < first + input_directions;
      values.push(varies ? InputSlope::variable(value, twist_directions + static_cast<int>(k - first))
                         : InputSlope(value));
    }
    const InputSlope along = kernel.along(ForceInputs<InputSlope>{t, values.values(), switches});
    force = along.value;
    for (std::size_t k = first; k < std::min(count, first + input_directions); ++k)
      for (std::size_t row = 0; row < 12; ++row)
        input_slopes[row * count + k] =
            unit(row).value * along.derivative[static_cast<std::size_t>(twist_directions) + k - first];
  }
  for (std::size_t row = 0; row < 12; ++row) {
    double* to = slopes + row * twist_directions;
    for (std::size_t k = 0; k < pose_directions; ++k) to[k] = unit(row).derivative[k] * force;
    std::fill(to + pose_directions, to + twist_directions, 0.0);
  }
}

}  // namespace detail

template <class Kernel>
void Forces<Kernel>::add(Element element, const Kernel& kernel) {
  const std::size_t before = input_slopes_.size() / 12;
  first_input_.push_back(before);
  input_slopes_.resize(12 * (before + element.inputs.size()));
  first_switch_.push_back(switch_count_);
  if constexpr (requires { Kernel::switch_count; }) element.switches += Kernel::switch_count;
  switch_count_ += element.switches;
  elements_.push_back(std::move(element));
  kernels_.push_back(kernel);
  slopes_.resize(elements_.size() * 12 * twist_directions);
}

template <class Kernel>
void Forces<Kernel>::evaluate(std::size_t i, std::span<const BodyState> bodies, double t,
                              std::span<const double> inputs, const Switches& switches, Wrench<double>& on_a,
                              Wrench<double>& on_b) const {
  const Element& element = elements_[i];
  ArgumentList<double> values(element.inputs.size());
  detail::gather(element, inputs, values);
  kernels_[i](detail::motion(bodies[static_cast<std::size_t>(element.body_a)]),
              detail::motion(bodies[static_cast<std::size_t>(element.body_b)]),
              ForceInputs<double>{t, values.values(), switches}, on_a, on_b);
}

template <class Kernel>
void Forces<Kernel>::evaluate(std::span<const BodyState> bodies, double t, std::span<const double> inputs,
                              std::span<Wrench<double>> wrenches) const {
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    Wrench<double> on_a, on_b;
    evaluate(i, bodies, t, inputs, switches(i), on_a, on_b);
    wrenches[static_cast<std::size_t>(elements_[i].body_a)] += on_a;
    wrenches[static_cast<std::size_t>(elements_[i].body_b)] += on_b;
  }
}

template <class Kernel>
void Forces<Kernel>::read_switches(std::span<const BodyState> bodies, double t,
                                   std::span<const double> inputs, std::span<SwitchReading> readings) const {
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (elements_[i].switches == 0) continue;
    Wrench<double> on_a, on_b;
    evaluate(i, bodies, t, inputs, switches(i, readings.data()), on_a, on_b);
  }
}

template <class Kernel>
void Forces<Kernel>::differentiate(std::span<const BodyState> bodies, double t,
                                   std::span<const double> inputs) {
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    const Element& element = elements_[i];
    const BodyState& a = bodies[static_cast<std::size_t>(element.body_a)];
    const BodyState& b = bodies[static_cast<std::size_t>(element.body_b)];
    double* slopes = slopes_.data() + i * 12 * twist_directions;
    const int input_count = static_cast<int>(element.inputs.size());

    if constexpr (detail::acts_along<Kernel>) {
      detail::slopes_along(kernels_[i], a, b, element, t, inputs, switches(i), slopes,
                           input_slopes_.data() + 12 * first_input_[i]);
      continue;
    }
    if constexpr (detail::has_force_slopes<Kernel>)
      if (input_count == 0) {
        kernels_[i].slopes(a, b, ForceInputs<double>{t, {}, switches(i)},
                           std::span(slopes, 12 * twist_directions));
        continue;
      }
    if (input_count == 0) {
      Wrench<Slope> on_a, on_b;
      kernels_[i](varied_motion<twist_directions>(a, 0), varied_motion<twist_directions>(b, 6),
                  ForceInputs<Slope>{t, {}, switches(i)}, on_a, on_b);
      detail::store_slopes(on_a, on_b, 0, twist_directions, slopes, twist_directions);
      continue;
    }

    using detail::InputSlope;
    constexpr int directions = InputSlope::directions;
    const BodyMotion<InputSlope> A = varied_motion<directions>(a, 0), B = varied_motion<directions>(b, 6);
    double* input_slopes = input_slopes_.data() + 12 * first_input_[i];
    for (int first = 0; first < input_count; first += detail::input_directions) {
      const int count = std::min(detail::input_directions, input_count - first);
      ArgumentList<InputSlope> values(element.inputs.size());
      for (int k = 0; k < input_count; ++k) {
        const double value = inputs[static_cast<std::size_t>(element.inputs[static_cast<std::size_t>(k)])];
        const bool varies = k >= first && k < first + count;
        values.push(varies ? InputSlope::variable(value, twist_directions + k - first) : InputSlope(value));
      }
      Wrench<InputSlope> on_a, on_b;
      kernels_[i](A, B, ForceInputs<InputSlope>{t, values.values(), switches(i)}, on_a, on_b);
      if (first == 0) detail::store_slopes(on_a, on_b, 0, twist_directions, slopes, twist_directions);
      detail::store_slopes(on_a, on_b, twist_directions, count, input_slopes + first, element.inputs.size());
    }
  }
}

template <class Kernel>
double Forces<Kernel>::potential([[maybe_unused]] std::span<const BodyState> bodies,
                                 [[maybe_unused]] double t,
                                 [[maybe_unused]] std::span<const double> inputs) const {
  double sum = 0;
  if constexpr (requires(const Kernel& kernel, const BodyMotion<double>& body,
                         const ForceInputs<double>& values) { kernel.potential(body, body, values); }) {
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      const Element& element = elements_[i];
      ArgumentList<double> values(element.inputs.size());
      detail::gather(element, inputs, values);
      sum += kernels_[i].potential(detail::motion(bodies[static_cast<std::size_t>(element.body_a)]),
                                   detail::motion(bodies[static_cast<std::size_t>(element.body_b)]),
                                   ForceInputs<double>{t, values.values()});
    }
  }
  return sum;
}

template <class Kernel>
std::vector<std::string> Forces<Kernel>::output_names([[maybe_unused]] Index element) const {
  if constexpr (requires(const Kernel& kernel) { kernel.output_names(); })
    return kernels_[static_cast<std::size_t>(element)].output_names();
  else
    return {};
}

template <class Kernel>
void Forces<Kernel>::outputs([[maybe_unused]] std::span<const BodyState> bodies, [[maybe_unused]] double t,
                             [[maybe_unused]] std::span<const double> inputs, [[maybe_unused]] Index index,
                             [[maybe_unused]] std::span<double> values) const {
  if constexpr (requires(const Kernel& kernel) { kernel.output_names(); }) {
    const auto i = static_cast<std::size_t>(index);
    const Element& element = elements_[i];
    ArgumentList<double> list(element.inputs.size());
    detail::gather(element, inputs, list);
    kernels_[i].outputs(detail::motion(bodies[static_cast<std::size_t>(element.body_a)]),
                        detail::motion(bodies[static_cast<std::size_t>(element.body_b)]),
                        ForceInputs<double>{t, list.values()}, values);
  }
}

}  // namespace trammel
