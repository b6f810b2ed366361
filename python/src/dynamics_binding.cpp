// The terms of the equations of motion in joint coordinates: mass matrix, bias, inverse and forward dynamics, Jacobians.
#include <fmt/format.h>

#include "binding.h"
#include "model_handle.h"
#include "trammel/analysis/chosen_state.h"
#include "trammel/analysis/joint_dynamics.h"

namespace trammel::python {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

class DynamicsHandle {
 public:
  explicit DynamicsHandle(std::shared_ptr<ModelHandle> model)
      : model_(std::move(model)), dynamics_(model_->model().mechanism) {
    set_named({}, 0);
  }

  // The state with these coordinates and rates, assembled as that of a run.
  void set_named(const std::map<std::string, double>& values, double t) {
    ChosenValues chosen;
    for (const auto& [name, value] : values) chosen.emplace_back(name, value);
    Vector x;
    if (const Failure failure =
            find_chosen_state(model_->model().mechanism, dynamics_.equations(), t, chosen, x))
      throw std::invalid_argument(failure.message);
    dynamics_.set_state(t, x);
  }
  // As they are.
  void set_state(const Array& q, const Array& u, double t) {
    const Layout& layout = dynamics_.equations().layout();
    Vector x = dynamics_.state();
    x.segment(layout.p.begin, layout.p.size) = sized(q, layout.p.size, "coordinates");
    x.segment(layout.v.begin, layout.v.size) = sized(u, layout.v.size, "velocities");
    dynamics_.set_state(t, x);
  }

  py::array_t<double> inverse(const Array& accelerations) {
    Vector forces(dynamics_.velocities());
    dynamics_.inverse_dynamics(sized(accelerations, dynamics_.velocities(), "accelerations"), forces);
    return to_array(forces);
  }
  py::tuple forward(const Array& forces) {
    Vector accelerations(dynamics_.velocities()), loops(dynamics_.loop_rows());
    if (!dynamics_.forward_dynamics(sized(forces, dynamics_.velocities(), "forces"), accelerations, loops))
      throw std::runtime_error("the masses do not determine the accelerations in this position");
    return py::make_tuple(to_array(accelerations), to_array(loops));
  }
  py::array_t<double> jacobian(const std::string& point) {
    Matrix J(6, dynamics_.velocities());
    dynamics_.jacobian(dynamics_.point(point), J);
    return to_array(J);
  }

  py::array_t<double> part_of_state(bool positions) {
    const Layout& layout = dynamics_.equations().layout();
    const Block& block = positions ? layout.p : layout.v;
    return to_array(Vector(dynamics_.state().segment(block.begin, block.size)));
  }
  JointDynamics& dynamics() { return dynamics_; }

 private:
  static Vector sized(const Array& array, Index size, const char* what) {
    if (array.size() != size)
      throw std::invalid_argument(fmt::format("there are {} {}, not {}", size, what, array.size()));
    return to_vector(array);
  }

  std::shared_ptr<ModelHandle> model_;
  JointDynamics dynamics_;
};

}  // namespace

void bind_dynamics(py::module_& module) {
  py::class_<DynamicsHandle>(module, "Dynamics")
      .def(py::init<std::shared_ptr<ModelHandle>>(), py::arg("model"))
      .def("set_named", &DynamicsHandle::set_named, py::arg("values"), py::arg("t"))
      .def("set_state", &DynamicsHandle::set_state, py::arg("q"), py::arg("u"), py::arg("t"))
      .def("inverse", &DynamicsHandle::inverse, py::arg("accelerations"))
      .def("forward", &DynamicsHandle::forward, py::arg("forces"))
      .def("jacobian", &DynamicsHandle::jacobian, py::arg("point"))
      .def_property_readonly("q", [](DynamicsHandle& handle) { return handle.part_of_state(true); })
      .def_property_readonly("u", [](DynamicsHandle& handle) { return handle.part_of_state(false); })
      .def_property_readonly("coordinates",
                             [](DynamicsHandle& handle) { return handle.dynamics().equations().names().p; })
      .def_property_readonly("velocities",
                             [](DynamicsHandle& handle) { return handle.dynamics().equations().names().v; })
      .def("mass", [](DynamicsHandle& handle) { return to_array(Matrix(handle.dynamics().mass())); })
      .def("bias", [](DynamicsHandle& handle) { return to_array(handle.dynamics().bias()); })
      .def("gravity", [](DynamicsHandle& handle) { return to_array(handle.dynamics().gravity()); })
      .def("own_forces", [](DynamicsHandle& handle) { return to_array(handle.dynamics().own_forces()); })
      .def("loop_jacobian",
           [](DynamicsHandle& handle) { return to_array(Matrix(handle.dynamics().loop_jacobian())); })
      .def("loop_drift", [](DynamicsHandle& handle) { return to_array(handle.dynamics().loop_drift()); });
}

}  // namespace trammel::python
