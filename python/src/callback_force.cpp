#include "callback_force.h"

#include <fmt/format.h>

#include <cmath>
#include <variant>

#include "trammel/mechanism/joint_force_kernels.h"
#include "trammel/mechanism/quantity.h"
#include "trammel/mechanism/user_elements.h"
#include "trammel/numerics/nearest_name.h"

namespace trammel::python {

namespace {

constexpr std::size_t most_components = 3;

// A Python function with as many results as components, and its derivatives.
struct Callback {
  std::shared_ptr<CallbackForce> force;
  std::shared_ptr<Raised> raised;
  std::size_t components = 1;

  using Values = std::array<double, most_components>;

  Values call(const py::object& function, double t, std::span<const double> quantities) const {
    return raised->guard([&] {
      py::tuple arguments(quantities.size() + 1);
      arguments[0] = py::float_(t);
      for (std::size_t i = 0; i < quantities.size(); ++i) arguments[i + 1] = py::float_(quantities[i]);
      const py::object result = function(*arguments);
      Values values{};
      if (components == 1) {
        values[0] = result.cast<double>();
        return values;
      }
      const auto list = result.cast<std::vector<double>>();
      if (list.size() != components)
        throw py::value_error(fmt::format("force '{}' has {} components, its function returned {}",
                                          force->name, components, list.size()));
      std::copy(list.begin(), list.end(), values.begin());
      return values;
    });
  }

  // By each quantity; the gradient of the user's has one row for each component.
  std::vector<Values> slopes(double t, std::span<const double> quantities) const {
    std::vector<Values> result(quantities.size());
    if (!force->gradient.is_none()) {
      raised->guard([&] {
        py::tuple arguments(quantities.size() + 1);
        arguments[0] = py::float_(t);
        for (std::size_t i = 0; i < quantities.size(); ++i) arguments[i + 1] = py::float_(quantities[i]);
        const py::array_t<double, py::array::c_style | py::array::forcecast> rows =
            force->gradient(*arguments);
        if (static_cast<std::size_t>(rows.size()) != components * quantities.size())
          throw py::value_error(
              fmt::format("force '{}': its gradient has {} entries, not {} for each of {} quantities",
                          force->name, rows.size(), components, quantities.size()));
        for (std::size_t c = 0; c < components; ++c)
          for (std::size_t i = 0; i < quantities.size(); ++i)
            result[i][c] = rows.data()[c * quantities.size() + i];
        return 0;
      });
      return result;
    }
    std::vector<double> moved(quantities.begin(), quantities.end());
    for (std::size_t i = 0; i < quantities.size(); ++i) {
      // the cube root of the precision balances truncation and round-off of a central difference
      const double step = 6e-6 * (1 + std::abs(quantities[i]));
      moved[i] = quantities[i] + step;
      const Values plus = call(force->function, t, moved);
      moved[i] = quantities[i] - step;
      const Values minus = call(force->function, t, moved);
      for (std::size_t c = 0; c < components; ++c) result[i][c] = (plus[c] - minus[c]) / (2 * step);
      moved[i] = quantities[i];
    }
    return result;
  }

  template <class T>
  std::array<T, most_components> operator()(const ForceInputs<T>& inputs) const {
    std::array<T, most_components> result{};
    if constexpr (std::is_same_v<T, double>) {
      return call(force->function, inputs.t, inputs.values);
    } else {
      std::vector<double> plain_values;
      for (const T& value : inputs.values) plain_values.push_back(value.value);
      const Values values = call(force->function, inputs.t, plain_values);
      const std::vector<Values> by = slopes(inputs.t, plain_values);
      for (std::size_t c = 0; c < components; ++c) {
        result[c] = T(values[c]);
        for (std::size_t i = 0; i < by.size(); ++i)
          result[c] += (inputs.values[i] - plain_values[i]) * by[i][c];
      }
      return result;
    }
  }
};

template <class Coordinate>
struct CallbackActuator {
  JointDirection<Coordinate> direction;
  Callback callback;

  template <class T>
  void operator()(const BodyMotion<T>& A, const BodyMotion<T>& B, const ForceInputs<T>& inputs,
                  Wrench<T>& on_a, Wrench<T>& on_b) const {
    direction.apply(A, B, callback(inputs)[0], on_a, on_b);
  }
  std::vector<std::string> output_names() const { return {direction.force_name()}; }
  void outputs(const BodyMotion<double>&, const BodyMotion<double>&, const ForceInputs<double>& inputs,
               std::span<double> values) const {
    values[0] = callback(inputs)[0];
  }
};

// In world axes, at a point of B.
struct CallbackPointForce {
  Vec3<double> point;  // from the centre of mass
  Callback callback;

  template <class T>
  void operator()(const BodyMotion<T>&, const BodyMotion<T>& B, const ForceInputs<T>& inputs, Wrench<T>&,
                  Wrench<T>& on_b) const {
    const std::array<T, most_components> f = callback(inputs);
    add_force_at(B.R, point, Vec3<T>{f[0], f[1], f[2]}, on_b);
  }
  std::vector<std::string> output_names() const { return {"force.x", "force.y", "force.z"}; }
  void outputs(const BodyMotion<double>&, const BodyMotion<double>&, const ForceInputs<double>& inputs,
               std::span<double> values) const {
    const auto f = callback(inputs);
    std::copy(f.begin(), f.end(), values.begin());
  }
};

// What an expression would call each of them, as inputs of an element.
std::vector<int> inputs_of(QuantityCompiler& compiler, const CallbackForce& force) {
  std::vector<int> inputs;
  for (const std::string& quantity : force.quantities) {
    CompiledLaw law;
    try {
      law = compiler.compile(Law(quantity));
    } catch (const ModelError& error) {
      throw ModelError({}, fmt::format("force '{}': {}", force.name, error.message()));
    }
    const std::vector<Instruction>& code = law.expression.program().code;
    if (code.size() != 1 || code[0].operation != Operation::input || law.inputs.size() != 1)
      throw ModelError(
          {}, fmt::format("force '{}': '{}' is not a quantity of the motion alone; a Python function takes "
                          "joint coordinates, positions, velocities and states by their names",
                          force.name, quantity));
    inputs.push_back(law.inputs[0]);
  }
  return inputs;
}

}  // namespace

void add_callback_force(Mechanism& mechanism, std::shared_ptr<CallbackForce> force,
                        std::shared_ptr<Raised> raised) {
  for (const Force& other : mechanism.forces)
    if (other.ends().name == force->name)
      throw ModelError({}, fmt::format("there is another force '{}'", force->name));
  if (force->coordinate.empty() == force->on.empty())
    throw ModelError({},
                     fmt::format("force '{}' acts along a coordinate of a joint, or on a body", force->name));
  // compilers want the mechanism as it is described
  auto described = std::make_shared<Mechanism>(mechanism);
  described->extensions.clear();
  if (!force->on.empty()) {
    const int body = mechanism.body(force->on);
    if (body < 0) {
      std::vector<std::string> names;
      for (const Body& known : mechanism.bodies) names.push_back(known.name);
      const std::string near = nearest_name(force->on, names);
      throw ModelError({}, fmt::format("force '{}': there is no body '{}'{}", force->name, force->on,
                                       near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
    }
    const Callback callback{force, std::move(raised), most_components};
    mechanism.extensions.push_back([described, force, body, callback](Elements& elements) {
      QuantityCompiler compiler(*described, elements);
      const Vec3<double> point =
          from_centre_of_mass(*described, body, {force->at[0], force->at[1], force->at[2]});
      elements.force_block<CallbackPointForce>().add({force->name, 0, body, inputs_of(compiler, *force)},
                                                     CallbackPointForce{point, callback});
    });
    return;
  }
  const Callback callback{force, std::move(raised), 1};
  {
    Elements unused;
    QuantityCompiler(*described, unused).function(force->coordinate, {});
  }
  mechanism.extensions.push_back([described, force, callback](Elements& elements) {
    QuantityCompiler compiler(*described, elements);
    const MeasuredFunction function = compiler.function(force->coordinate, {});
    const auto add = [&]<class Coordinate>(const Coordinate& kernel) {
      using Kernel = CallbackActuator<Coordinate>;
      elements.force_block<Kernel>().add(
          {force->name, function.body_a, function.body_b, inputs_of(compiler, *force)},
          Kernel{{kernel}, callback});
    };
    if (const auto* angle = std::get_if<Angle>(&function.kernel))
      add(*angle);
    else if (const auto* offset = std::get_if<Offset>(&function.kernel))
      add(*offset);
    else
      throw ModelError({}, fmt::format("force '{}' cannot act along '{}'", force->name, force->coordinate));
  });
}

}  // namespace trammel::python
