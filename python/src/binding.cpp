#include "binding.h"

namespace trammel::python {

py::object to_python(const nlohmann::ordered_json& json) {
  switch (json.type()) {
    case nlohmann::ordered_json::value_t::null:
      return py::none();
    case nlohmann::ordered_json::value_t::boolean:
      return py::bool_(json.get<bool>());
    case nlohmann::ordered_json::value_t::number_integer:
    case nlohmann::ordered_json::value_t::number_unsigned:
      return py::int_(json.get<long long>());
    case nlohmann::ordered_json::value_t::number_float:
      return py::float_(json.get<double>());
    case nlohmann::ordered_json::value_t::array: {
      py::list list;
      for (const auto& item : json) list.append(to_python(item));
      return list;
    }
    case nlohmann::ordered_json::value_t::object: {
      py::dict dict;
      for (const auto& [key, value] : json.items()) dict[py::str(key)] = to_python(value);
      return dict;
    }
    default:
      return py::str(json.get<std::string>());
  }
}

py::array_t<double> to_array(const Matrix& matrix) {
  py::array_t<double> array({matrix.rows(), matrix.cols()});
  auto entries = array.mutable_unchecked<2>();
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j) entries(i, j) = matrix(i, j);
  return array;
}

py::array_t<double> to_array(const Vector& vector) {
  return py::array_t<double>(static_cast<py::ssize_t>(vector.size()), vector.data());
}

py::array_t<double> view_of(const double* values, std::size_t count, const py::object& owner) {
  py::array_t<double> view(static_cast<py::ssize_t>(count), values, owner);
  view.attr("flags").attr("writeable") = false;
  return view;
}

Vector to_vector(const py::array_t<double, py::array::c_style | py::array::forcecast>& array) {
  return Eigen::Map<const Vector>(array.data(), static_cast<Index>(array.size()));
}

py::object Raised::take() {
  if (!first_) return py::none();
  py::object value = first_->value();
  if (first_->trace()) value.attr("__traceback__") = first_->trace();
  first_.reset();
  return value;
}

void Interrupter::step() {
  constexpr std::chrono::milliseconds pause(20);
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + pause;
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() == 0) return;
  raised_.keep(py::error_already_set());
  flag_ = true;
}

}  // namespace trammel::python
