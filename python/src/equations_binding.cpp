// Equations of motion written as Python functions, and their runs.
#include <fmt/format.h>

#include "binding.h"
#include "trammel/motion/residual_equations.h"
#include "trammel/simulation/simulation.h"
#include "trammel/simulation/summary_json.h"

namespace trammel::python {

namespace {

// A Python function and the names of the arguments it takes, in their order: p, v, r, w, s, lam, mu, a, t.
struct Function {
  py::object call;
  std::vector<std::string> arguments;
};

class EquationsHandle {
 public:
  EquationsHandle(const std::map<std::string, Index>& sizes, const std::map<std::string, Function>& functions,
                  const std::map<std::string, std::vector<std::string>>& names, bool constant_mass,
                  bool autonomous, double difference_step)
      : raised_(std::make_shared<Raised>()) {
    ResidualFunctions all;
    const auto size = [&](const char* key, Index otherwise) {
      const auto found = sizes.find(key);
      return found == sizes.end() ? otherwise : found->second;
    };
    all.sizes = {.positions = size("positions", 0),
                 .velocities = size("velocities", Sizes::same_as_positions),
                 .force_states = size("force_states", 0),
                 .auxiliaries = size("auxiliaries", 0),
                 .contacts = size("contacts", 0),
                 .holonomic = size("holonomic", 0),
                 .nonholonomic = size("nonholonomic", 0),
                 .invariants = size("invariants", 0),
                 .normalizations = size("normalizations", 0)};
    all.structure.constant_mass = constant_mass;
    all.structure.autonomous = autonomous;
    const std::pair<const char*, std::vector<std::string>*> name_lists[] = {
        {"p", &all.names.p}, {"v", &all.names.v}, {"r", &all.names.r}, {"g", &all.names.g}};
    for (const auto& [key, list] : name_lists)
      if (const auto found = names.find(key); found != names.end()) *list = found->second;
    const std::pair<const char*, ResidualFunctions::Fill*> fills[] = {
        {"f", &all.f}, {"b", &all.b}, {"d", &all.d}, {"c", &all.c},
        {"g", &all.g}, {"h", &all.h}, {"e", &all.e}, {"n", &all.n}};
    for (const auto& [key, fill] : fills)
      if (const auto found = functions.find(key); found != functions.end())
        *fill = vector_function(key, found->second);
    const std::pair<const char*, ResidualFunctions::FillMatrix*> matrices[] = {
        {"M", &all.M}, {"Z", &all.Z}, {"H", &all.H}, {"G", &all.G}};
    for (const auto& [key, fill] : matrices)
      if (const auto found = functions.find(key); found != functions.end())
        *fill = matrix_function(key, found->second);
    const std::pair<const char*, ResidualFunctions::FillLevel*> levels[] = {
        {"gI", &all.gI}, {"gII", &all.gII}, {"hI", &all.hI}};
    for (const auto& [key, fill] : levels)
      if (const auto found = functions.find(key); found != functions.end())
        *fill = level_function(key, found->second);
    if (difference_step > 0) all.difference_step = difference_step;
    equations_ = std::make_unique<ResidualEquations>(std::move(all));
  }

  EquationsOfMotion& equations() { return *equations_; }
  Raised& raised() { return *raised_; }

 private:
  using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

  // Only what the function asks for, as copies that it may keep.
  static Array call(const Function& function, const Point<double>& x, std::span<const double> a) {
    py::tuple arguments(function.arguments.size());
    for (std::size_t i = 0; i < function.arguments.size(); ++i) {
      const std::string& name = function.arguments[i];
      if (name == "t") {
        arguments[i] = py::float_(x.t);
        continue;
      }
      const std::span<const double> block = name == "p"     ? x.p
                                            : name == "v"   ? x.v
                                            : name == "r"   ? x.r
                                            : name == "w"   ? x.w
                                            : name == "s"   ? x.s
                                            : name == "lam" ? x.lambda
                                            : name == "mu"  ? x.mu
                                                            : a;
      arguments[i] = py::array_t<double>(static_cast<py::ssize_t>(block.size()), block.data());
    }
    return function.call(*arguments);
  }

  static void check_size(const std::string& name, const Array& result, std::size_t size) {
    if (static_cast<std::size_t>(result.size()) != size)
      throw py::value_error(
          fmt::format("function '{}' returned {} numbers, and {} were expected", name, result.size(), size));
  }

  ResidualFunctions::Fill vector_function(const std::string& name, const Function& function) {
    return [name, function, raised = raised_](const Point<double>& x, std::span<double> out) {
      raised->guard([&] {
        const Array result = call(function, x, {});
        check_size(name, result, out.size());
        std::copy(result.data(), result.data() + result.size(), out.begin());
        return 0;
      });
    };
  }
  ResidualFunctions::FillMatrix matrix_function(const std::string& name, const Function& function) {
    return [name, function, raised = raised_](const Point<double>& x, MatrixView<double> out) {
      raised->guard([&] {
        const Array result = call(function, x, {});
        check_size(name, result, static_cast<std::size_t>(out.rows() * out.cols()));
        for (Index i = 0; i < out.rows(); ++i)
          for (Index j = 0; j < out.cols(); ++j) out(i, j) = result.data()[i * out.cols() + j];
        return 0;
      });
    };
  }
  ResidualFunctions::FillLevel level_function(const std::string& name, const Function& function) {
    return [name, function, raised = raised_](const Point<double>& x, std::span<const double> a,
                                              std::span<double> out) {
      raised->guard([&] {
        const Array result = call(function, x, a);
        check_size(name, result, out.size());
        std::copy(result.data(), result.data() + result.size(), out.begin());
        return 0;
      });
    };
  }

  std::shared_ptr<Raised> raised_;
  std::unique_ptr<ResidualEquations> equations_;
};

class SimulationHandle {
 public:
  SimulationHandle(std::shared_ptr<EquationsHandle> equations, const std::string& method, double rtol,
                   double atol, double h0, const std::vector<double>& output_times,
                   const std::vector<std::pair<std::string, std::string>>& options)
      : equations_(std::move(equations)), interrupter_(equations_->raised()) {
    Method parsed;
    if (const Failure failure = parse_method(method, parsed)) throw std::invalid_argument(failure.message);
    Options all;
    all.tolerances.relative = rtol;
    all.tolerances.absolute = atol;
    all.h0 = h0;
    for (const auto& [key, value] : options)
      if (const Failure failure = set_option(all, key, value)) throw std::invalid_argument(failure.message);
    if (!output_times.empty()) {
      all.output = Options::Output::at_times;
      all.output_times = output_times;
    }
    all.interrupt = interrupter_.flag();
    simulation_ = std::make_unique<Simulation>(equations_->equations(), parsed, all);
    simulation_->on_step([this](const Point<double>&, double) {
      interrupter_.step();
      return true;
    });
  }

  bool start(const py::array_t<double, py::array::c_style | py::array::forcecast>& x0, double from,
             double to) {
    const Vector x = to_vector(x0);
    interrupter_.reset();
    const py::gil_scoped_release unlocked;
    return simulation_->start(x, from, to);
  }
  bool advance(double t) {
    interrupter_.reset();
    const py::gil_scoped_release unlocked;
    return simulation_->advance(t);
  }
  bool set_state(const py::array_t<double, py::array::c_style | py::array::forcecast>& x) {
    const Vector state = to_vector(x);
    const py::gil_scoped_release unlocked;
    return simulation_->set_state(state);
  }
  py::tuple finish() {
    Summary summary;
    {
      const py::gil_scoped_release unlocked;
      summary = simulation_->finish();
    }
    return py::make_tuple(to_python(to_json(summary)), summary.full_report(),
                          std::string(name(summary.failure.reason)));
  }

  Simulation& simulation() { return *simulation_; }
  EquationsHandle& equations() { return *equations_; }

 private:
  std::shared_ptr<EquationsHandle> equations_;
  Interrupter interrupter_;
  std::unique_ptr<Simulation> simulation_;
};

}  // namespace

void bind_equations(py::module_& module) {
  py::class_<Function>(module, "Function")
      .def(py::init([](py::object call, std::vector<std::string> arguments) {
             return Function{std::move(call), std::move(arguments)};
           }),
           py::arg("call"), py::arg("arguments"));
  py::class_<EquationsHandle, std::shared_ptr<EquationsHandle>>(module, "Equations")
      .def(py::init<const std::map<std::string, Index>&, const std::map<std::string, Function>&,
                    const std::map<std::string, std::vector<std::string>>&, bool, bool, double>(),
           py::arg("sizes"), py::arg("functions"), py::arg("names"), py::arg("constant_mass"),
           py::arg("autonomous"), py::arg("difference_step"))
      .def_property_readonly("unknowns", [](EquationsHandle& handle) {
        const EquationsOfMotion& equations = handle.equations();
        std::vector<std::string> names;
        for (Index i = 0; i < equations.layout().total; ++i)
          names.push_back(equations.names().variable(equations.layout(), i));
        return names;
      });
  py::class_<RunSnapshot>(module, "SimulationSnapshot");
  py::class_<SimulationHandle, std::shared_ptr<SimulationHandle>>(module, "Simulation")
      .def(py::init<std::shared_ptr<EquationsHandle>, const std::string&, double, double, double,
                    const std::vector<double>&, const std::vector<std::pair<std::string, std::string>>&>(),
           py::arg("equations"), py::arg("method"), py::arg("rtol"), py::arg("atol"), py::arg("h0"),
           py::arg("output_times"), py::arg("options"))
      .def("start", &SimulationHandle::start, py::arg("x0"), py::arg("start"), py::arg("end"))
      .def("advance", &SimulationHandle::advance, py::arg("t"))
      .def("set_state", &SimulationHandle::set_state, py::arg("x"))
      .def("finish", &SimulationHandle::finish)
      .def("raised", [](SimulationHandle& handle) { return handle.equations().raised().take(); })
      .def("save",
           [](SimulationHandle& handle) {
             RunSnapshot snapshot;
             if (!handle.simulation().save(snapshot))
               throw std::runtime_error("a run that is over cannot be saved");
             return snapshot;
           })
      .def("restore",
           [](SimulationHandle& handle, const RunSnapshot& snapshot) {
             if (!handle.simulation().restore(snapshot))
               throw std::invalid_argument(
                   "this was not saved by a run of the same equations, options and times");
           })
      .def_property_readonly("t", [](SimulationHandle& handle) { return handle.simulation().t(); })
      .def_property_readonly("state",
                             [](SimulationHandle& handle) { return to_array(handle.simulation().state()); })
      .def("times",
           [](const py::object& self) {
             const std::vector<double>& times =
                 self.cast<SimulationHandle&>().simulation().trajectory().times();
             return view_of(times.data(), times.size(), self);
           })
      // one row for each time
      .def("states", [](const py::object& self) {
        const Trajectory& trajectory = self.cast<SimulationHandle&>().simulation().trajectory();
        if (trajectory.samples() == 0)
          return py::array_t<double>(std::vector<py::ssize_t>{0, trajectory.columns()});
        py::array_t<double> view({trajectory.samples(), trajectory.columns()}, trajectory.state(0).data(),
                                 self);
        view.attr("flags").attr("writeable") = false;
        return view;
      });
}

}  // namespace trammel::python
