// Models stepped in real time.
#include <fmt/format.h>

#include "binding.h"
#include "model_handle.h"
#include "trammel/numerics/nearest_name.h"
#include "trammel/simulation/real_time_run.h"

namespace trammel::python {

namespace {

class RealTimeHandle {
 public:
  RealTimeHandle(const std::shared_ptr<ModelHandle>& model, double rate, int iterations,
                 std::optional<double> end, const std::optional<std::string>& method,
                 std::optional<double> rtol, const std::map<std::string, std::string>& options)
      : handle_(model), model_(model->model()) {
    if (!model_.simulation.coordinates) model_.simulation.coordinates = "auto";
    RunRequest request;
    request.end = end;
    request.rtol = rtol;
    request.method = method;
    if (!method && !model_.simulation.method) request.method = RealTimeRun::standard_method;
    request.options.assign(options.begin(), options.end());
    run_ = std::make_unique<MechanismRun>(model_, request);
    steps_ = std::make_unique<RealTimeRun>(*run_, RealTimeOptions{.rate = rate, .iterations = iterations});
    const std::vector<Channel>& channels = run_->recording().channels();
    for (std::size_t i = 0; i < channels.size(); ++i) places_.emplace(channels[i].name, i);
    on_ = steps_->start();
    check();
  }

  bool step() {
    if (!on_) return false;
    {
      const py::gil_scoped_release unlocked;
      on_ = steps_->step();
    }
    check();
    return on_;
  }
  void set_input(const std::string& name, double value) { steps_->set_input(steps_->input(name), value); }
  double input(const std::string& name) const {
    return steps_->state()[run_->equations().layout().r.begin + static_cast<Index>(steps_->input(name))];
  }
  double value(const std::string& channel) { return values({channel}).at(0); }
  py::array_t<double> values(const std::vector<std::string>& channels) {
    std::vector<std::size_t> places;
    for (const std::string& channel : channels) places.push_back(place_of(channel));
    py::array_t<double> result(static_cast<py::ssize_t>(places.size()));
    steps_->read(places, std::span(result.mutable_data(), places.size()));
    return result;
  }
  const RealTimeRun& steps() const { return *steps_; }
  bool over() const { return !on_; }
  std::vector<std::string> inputs() const { return run_->equations().names().r; }
  std::string method() const { return run_->settings().method.name(); }

 private:
  std::size_t place_of(const std::string& channel) const {
    const auto found = places_.find(channel);
    if (found != places_.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [name, place] : places_) names.push_back(name);
    throw std::invalid_argument(fmt::format("there is no channel '{}'{}", channel, hint(channel, names)));
  }
  // What a function of Python has raised, or the failure of a step.
  void check() {
    const py::object raised = handle_->raised()->take();
    if (!raised.is_none()) {
      PyErr_SetObject(py::type::handle_of(raised).ptr(), raised.ptr());
      throw py::error_already_set();
    }
    if (on_) return;
    if (const Summary summary = steps_->summary(); summary.failure)
      throw std::runtime_error(summary.failure.message);
  }

  std::shared_ptr<ModelHandle> handle_;
  Model model_;
  std::unique_ptr<MechanismRun> run_;
  std::unique_ptr<RealTimeRun> steps_;
  std::map<std::string, std::size_t> places_;
  bool on_ = false;
};

}  // namespace

void bind_real_time(py::module_& module) {
  py::class_<RealTimeHandle>(module, "RealTime")
      .def(py::init<const std::shared_ptr<ModelHandle>&, double, int, std::optional<double>,
                    const std::optional<std::string>&, std::optional<double>,
                    const std::map<std::string, std::string>&>(),
           py::arg("model"), py::arg("rate"), py::arg("iterations"), py::arg("end"), py::arg("method"),
           py::arg("rtol"), py::arg("options"))
      .def("step", &RealTimeHandle::step)
      .def("set_input", &RealTimeHandle::set_input, py::arg("name"), py::arg("value"))
      .def("input", &RealTimeHandle::input, py::arg("name"))
      .def("value", &RealTimeHandle::value, py::arg("channel"))
      .def("values", &RealTimeHandle::values, py::arg("channels"))
      .def_property_readonly("t", [](const RealTimeHandle& run) { return run.steps().t(); })
      .def_property_readonly("over", &RealTimeHandle::over)
      .def_property_readonly("method", &RealTimeHandle::method)
      .def_property_readonly("input_names", &RealTimeHandle::inputs)
      .def_property_readonly("step_size", [](const RealTimeHandle& run) { return run.steps().step_size(); })
      .def_property_readonly("converged",
                             [](const RealTimeHandle& run) { return run.steps().is_converged(); })
      .def_property_readonly("residual", [](const RealTimeHandle& run) { return run.steps().residual(); })
      .def_property_readonly("unconverged",
                             [](const RealTimeHandle& run) { return run.steps().unconverged(); })
      .def_property_readonly("switched", [](const RealTimeHandle& run) { return run.steps().switched(); })
      .def_property_readonly("notes", [](const RealTimeHandle& run) { return run.steps().summary().notes; })
      .def_property_readonly("times", [](const RealTimeHandle& run) {
        const StepTimes& times = run.steps().times();
        return py::dict(py::arg("steps") = times.count(), py::arg("mean") = times.mean(),
                        py::arg("below_999") = times.quantile(0.999), py::arg("worst") = times.worst());
      });
}

}  // namespace trammel::python
