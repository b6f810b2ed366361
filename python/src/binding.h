// What the sources of the Python module share: conversions, and calls that go on without Python's lock.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "trammel/numerics/linear_algebra.h"

namespace trammel::python {

namespace py = pybind11;

// Objects of Python with the same content.
py::object to_python(const nlohmann::ordered_json& json);
// A copy, rows by columns.
py::array_t<double> to_array(const Matrix& matrix);
py::array_t<double> to_array(const Vector& vector);
// A view that keeps `owner` alive and cannot be written to.
py::array_t<double> view_of(const double* values, std::size_t count, const py::object& owner);
Vector to_vector(const py::array_t<double, py::array::c_style | py::array::forcecast>& array);

// What Python functions that C++ calls have raised: the first of them is kept, and is raised again when the call from
// Python returns. C++ only learns that a function failed, and its words.
class Raised {
 public:
  // Calls with the lock; throws std::runtime_error if Python raises.
  template <class Function>
  auto guard(const Function& function) {
    const py::gil_scoped_acquire lock;
    try {
      return function();
    } catch (py::error_already_set& error) {
      const std::string words = error.what();
      if (!first_) first_.emplace(std::move(error));
      throw std::runtime_error(words);
    }
  }
  bool any() const { return first_.has_value(); }
  // With the lock: the exception, or None.
  py::object take();
  void keep(py::error_already_set error) {
    if (!first_) first_.emplace(std::move(error));
  }

 private:
  std::optional<py::error_already_set> first_;
};

// Lets Ctrl-C end a run that C++ makes without the lock: to be called after every step.
class Interrupter {
 public:
  explicit Interrupter(Raised& raised) : raised_(raised) {}
  void step();
  const std::atomic<bool>* flag() const { return &flag_; }
  // For the next piece.
  void reset() { flag_ = false; }

 private:
  Raised& raised_;
  std::atomic<bool> flag_{false};
  std::chrono::steady_clock::time_point next_{};
};

void bind_model(py::module_& module);
void bind_run(py::module_& module);
void bind_real_time(py::module_& module);
void bind_equations(py::module_& module);
void bind_dynamics(py::module_& module);
void bind_sweep(py::module_& module);
void bind_differentiation(py::module_& module);

}  // namespace trammel::python
