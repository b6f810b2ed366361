#include "binding.h"
#include "trammel/numerics/differentiation/jacobian.h"

namespace trammel::python {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

// By a way that needs no more than values: others would have to see the operations of the function.
py::array_t<double> jacobian(const py::function& function, const Array& x, int outputs,
                             const std::string& way) {
  const Vector at = to_vector(x);
  DifferentiableFunction differentiated{.inputs = static_cast<int>(at.size()), .outputs = outputs};
  differentiated.plain = [&](std::span<const double> inputs, std::span<double> values) {
    const Array result =
        function(Array(static_cast<py::ssize_t>(inputs.size()), inputs.data())).cast<Array>();
    if (static_cast<std::size_t>(result.size()) != values.size())
      throw std::invalid_argument("the function returns another number of values at another point");
    std::copy_n(result.data(), values.size(), values.begin());
  };
  const std::span<const double> point(at.data(), static_cast<std::size_t>(at.size()));
  return to_array(make_jacobian(way, differentiated, point)->dense(point));
}

}  // namespace

void bind_differentiation(py::module_& module) {
  module.def("jacobian", &jacobian, py::arg("function"), py::arg("x"), py::arg("outputs"), py::arg("way"));
}

}  // namespace trammel::python
