#include <fmt/format.h>

#include <algorithm>

#include "binding.h"
#include "model_handle.h"
#include "trammel/analysis/equilibrium.h"
#include "trammel/analysis/linearization.h"
#include "trammel/analysis/linearization_inputs.h"
#include "trammel/cli/model_reports.h"
#include "trammel/cli/model_state.h"
#include "trammel/simulation/mechanism_run.h"
#include "trammel/simulation/method.h"
#include "trammel/simulation/options.h"

namespace trammel::python {

std::shared_ptr<ModelHandle> ModelHandle::read(const std::string& path, const Parameters& parameters) {
  auto handle = std::make_shared<ModelHandle>();
  handle->model_ = read_model(path, {parameters});
  handle->from_file_ = true;
  handle->source_ = path;
  handle->parameters_ = parameters;
  return handle;
}

std::shared_ptr<ModelHandle> ModelHandle::parse(const std::string& text, const std::string& name,
                                                const Parameters& parameters) {
  auto handle = std::make_shared<ModelHandle>();
  handle->model_ = read_model_text(text, name, {parameters});
  handle->source_ = text;
  handle->name_ = name;
  handle->parameters_ = parameters;
  return handle;
}

std::shared_ptr<ModelHandle> ModelHandle::with(const Parameters& changes) const {
  Parameters all = parameters_;
  for (const auto& change : changes) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& known) { return known.first == change.first; });
    if (found != all.end())
      found->second = change.second;
    else
      all.push_back(change);
  }
  std::shared_ptr<ModelHandle> other = from_file_ ? read(source_, all) : parse(source_, name_, all);
  other->raised_ = raised_;
  if (!coordinates_.empty()) other->set_coordinates(coordinates_);
  for (const std::shared_ptr<CallbackForce>& force : forces_) {
    add_callback_force(other->model_.mechanism, force, raised_);
    other->forces_.push_back(force);
  }
  return other;
}

void ModelHandle::add_force(CallbackForce force) {
  forces_.push_back(std::make_shared<CallbackForce>(std::move(force)));
  add_callback_force(model_.mechanism, forces_.back(), raised_);
}

void ModelHandle::set_coordinates(const std::string& coordinates) {
  check_coordinates(coordinates);
  coordinates_ = coordinates;
  model_.simulation.coordinates = coordinates;
}

namespace {

// What a failure of an analysis is in Python.
[[noreturn]] void raise_failure(const Failure& failure) {
  if (failure.reason == Reason::invalid_options) throw std::invalid_argument(failure.message);
  const py::object type = py::module_::import("trammel._errors").attr("AnalysisError");
  const py::object error = type(failure.message, std::string(name(failure.reason)));
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

// Assembled, and at its equilibrium if that is wanted.
Vector state_at(MechanismEquations& equations, const std::string& at) {
  Vector x = equations.initial_state();
  if (const AssemblyReport report = assemble_mechanism(equations, 0.0, x); report.failure)
    raise_failure(report.failure);
  if (at == "start") return x;
  if (at != "equilibrium" && at != "unstable equilibrium")
    throw std::invalid_argument(
        fmt::format("'at' is 'equilibrium', 'unstable equilibrium' or 'start', not '{}'", at));
  EquilibriumOptions options;
  options.seek_stable = at == "equilibrium";
  const EquilibriumResult rest = find_equilibrium(equations, 0.0, x, options);
  if (rest.failure) raise_failure(rest.failure);
  equations.follow(0.0, rest.x);
  return rest.x;
}

py::dict linearize_model(const ModelHandle& handle, const std::string& at,
                         const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  const std::unique_ptr<MechanismEquations> equations = make_equations(handle.model());
  const Vector x = state_at(*equations, at);
  const Linearization linear = linearize(*equations, 0.0, x, {.inputs = inputs, .outputs = outputs});
  if (linear.failure) raise_failure(linear.failure);
  py::dict result;
  result["A"] = to_array(linear.A);
  result["B"] = to_array(linear.B);
  result["C"] = to_array(linear.C);
  result["D"] = to_array(linear.D);
  result["states"] = linear.states;
  result["inputs"] = linear.inputs;
  result["outputs"] = linear.outputs;
  result["at_rest"] = linear.at_rest;
  result["notes"] = linear.notes;
  py::list found;
  for (const Mode& mode : modes(linear)) {
    py::dict entry;
    entry["eigenvalue"] = mode.eigenvalue;
    entry["frequency_hz"] = mode.frequency_hz;
    entry["natural_frequency_hz"] = mode.natural_frequency_hz;
    entry["damping_ratio"] = mode.damping_ratio;
    entry["time_constant"] = mode.time_constant;
    entry["stable"] = mode.is_stable();
    entry["moves"] = mode.description;
    found.append(entry);
  }
  result["modes"] = found;
  return result;
}

}  // namespace

void register_errors(py::module_&) {
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const ModelError& error) {
      const py::object type = py::module_::import("trammel._errors").attr("ModelError");
      const py::object raised =
          type(error.message(), error.place().file, error.place().line, error.place().column);
      PyErr_SetObject(type.ptr(), raised.ptr());
    }
  });
}

void bind_model(py::module_& module) {
  register_errors(module);
  py::class_<ModelHandle, std::shared_ptr<ModelHandle>>(module, "Model")
      .def_static("read", &ModelHandle::read, py::arg("path"), py::arg("parameters"))
      .def_static("parse", &ModelHandle::parse, py::arg("text"), py::arg("name"), py::arg("parameters"))
      .def("with_parameters", &ModelHandle::with, py::arg("changes"))
      .def("set_coordinates", &ModelHandle::set_coordinates, py::arg("coordinates"))
      .def(
          "add_force",
          [](ModelHandle& handle, std::string name, py::object function, std::vector<std::string> quantities,
             std::string coordinate, std::string on, std::array<double, 3> at, py::object gradient) {
            handle.add_force({std::move(name), std::move(quantities), std::move(function),
                              std::move(gradient), std::move(coordinate), std::move(on), at});
          },
          py::arg("name"), py::arg("function"), py::arg("quantities"), py::arg("coordinate"), py::arg("on"),
          py::arg("at"), py::arg("gradient"))
      .def_property_readonly("title",
                             [](const ModelHandle& handle) { return handle.model().mechanism.title; })
      .def_property_readonly("file", [](const ModelHandle& handle) { return handle.model().file; })
      .def_property_readonly("files", [](const ModelHandle& handle) { return handle.model().files; })
      .def_property_readonly("warnings", [](const ModelHandle& handle) { return handle.model().warnings; })
      .def_property_readonly("parameters",
                             [](const ModelHandle& handle) { return handle.model().mechanism.parameters; })
      .def_property_readonly("bodies",
                             [](const ModelHandle& handle) {
                               std::vector<std::string> names;
                               for (const Body& body : handle.model().mechanism.bodies)
                                 names.push_back(body.name);
                               names.erase(names.begin());
                               return names;
                             })
      .def_property_readonly("joints",
                             [](const ModelHandle& handle) {
                               std::vector<std::string> names;
                               for (const Joint& joint : handle.model().mechanism.joints)
                                 names.push_back(joint.name);
                               return names;
                             })
      .def_property_readonly("inputs",
                             [](const ModelHandle& handle) {
                               std::vector<std::string> names;
                               for (const State& state : handle.model().mechanism.states)
                                 if (state.rate.is_constant() && state.rate.value == 0)
                                   names.push_back(state.name);
                               return names;
                             })
      .def("text", [](const ModelHandle& handle) { return write_model(handle.model()); })
      .def("check", [](const ModelHandle& handle) { return to_python(check_report(handle.model())); })
      .def("assemble", [](const ModelHandle& handle) { return to_python(assembly_report(handle.model())); })
      .def(
          "equilibrium",
          [](const ModelHandle& handle, double time, bool allow_unstable) {
            return to_python(equilibrium_report(handle.model(), time, allow_unstable));
          },
          py::arg("time"), py::arg("allow_unstable"))
      .def("linearize", &linearize_model, py::arg("at"), py::arg("inputs"), py::arg("outputs"));

  module.def("methods", [] {
    py::list list;
    for (const MethodDescription& known : methods()) list.append(known.method.name());
    return list;
  });
  module.def("options", [] {
    py::list list;
    for (const OptionDescription& option : option_descriptions()) {
      py::dict entry;
      entry["key"] = option.key;
      entry["values"] = option.values;
      entry["default"] = option.standard;
      entry["meaning"] = option.meaning;
      entry["methods"] = option.methods;
      list.append(entry);
    }
    return list;
  });
}

}  // namespace trammel::python
