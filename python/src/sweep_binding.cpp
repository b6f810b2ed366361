// Sweeps. What is asked for and what comes of a run go as JSON: so they go through a cluster, too.
#include <atomic>

#include "binding.h"
#include "trammel/page/sweep_page.h"
#include "trammel/sweep/sweep_processes.h"

namespace trammel::python {

namespace {

using Json = nlohmann::ordered_json;

void demand(const Failure& failure) {
  if (failure) throw std::runtime_error(failure.message);
}

// A table with its sweep.
class TableHandle {
 public:
  TableHandle(std::shared_ptr<Sweep> sweep, SweepTable table)
      : sweep_(std::move(sweep)), table_(std::move(table)) {}

  SweepTable& table() { return table_; }
  const Sweep& sweep() const { return *sweep_; }

  // The runs that are missing, on this machine. Ctrl-C ends them.
  void run(int jobs, double timeout) {
    Raised raised;
    Interrupter interrupter(raised);
    {
      const py::gil_scoped_release unlocked;
      demand(run_in_processes(
          table_, {.jobs = jobs, .timeout = timeout, .interrupt = interrupter.flag(), .on_wait = [&](long) {
                     interrupter.step();
                   }}));
    }
    if (raised.any()) {
      const py::object error = raised.take();
      PyErr_SetObject(py::type::of(error).ptr(), error.ptr());
      throw py::error_already_set();
    }
  }

  // Columns by their names, in the order of the runs.
  py::dict columns() const {
    const auto rows = static_cast<py::ssize_t>(table_.rows().size());
    py::dict all;
    py::array_t<std::int64_t> runs(rows);
    py::list status, messages;
    py::ssize_t i = 0;
    for (const auto& [run, row] : table_.rows()) {
      runs.mutable_at(i++) = run;
      status.append(row.status);
      messages.append(row.message);
    }
    all["run"] = runs;
    all["status"] = status;
    const auto add = [&](const std::string& name, const auto& value) {
      py::array_t<double> column(rows);
      py::ssize_t k = 0;
      for (const auto& [run, row] : table_.rows()) column.mutable_at(k++) = value(row);
      all[py::str(name)] = column;
    };
    for (std::size_t p = 0; p < sweep_->variations().size(); ++p)
      add(sweep_->variations()[p].parameter, [&](const SweepRow& row) { return sweep_->point(row.run)[p]; });
    for (std::size_t c = 0; c < sweep_->columns().size(); ++c)
      add(sweep_->columns()[c].name(), [&](const SweepRow& row) { return row.values[c]; });
    all["message"] = messages;
    return all;
  }

 private:
  std::shared_ptr<Sweep> sweep_;
  SweepTable table_;
};

}  // namespace

void bind_sweep(py::module_& module) {
  py::class_<Sweep, std::shared_ptr<Sweep>>(module, "Sweep")
      .def(py::init([](const std::string& request) {
             return std::make_shared<Sweep>(SweepRequest::from_json(Json::parse(request)));
           }),
           py::arg("request"))
      .def("__len__", &Sweep::size)
      .def("facts", [](const Sweep& sweep) { return sweep.facts().dump(); })
      .def("check_same",
           [](const Sweep& sweep, const std::string& facts) { sweep.check_same(Json::parse(facts)); })
      .def("point", &Sweep::point, py::arg("run"))
      .def("parameters", &Sweep::parameters, py::arg("run"))
      .def(
          "run",
          [](const Sweep& sweep, long run, double timeout) {
            const py::gil_scoped_release unlocked;
            return run_in_process(sweep, run, timeout).to_json().dump();
          },
          py::arg("run"), py::arg("timeout"));
  module.def("sweep_request", [](const std::string& changes) {
    Json request = SweepRequest().to_json();
    request.update(Json::parse(changes));
    return request.dump();
  });
  module.def("sweep_request_in",
             [](const std::string& folder) { return SweepTable::request_in(folder).to_json().dump(); });

  py::class_<TableHandle>(module, "SweepTable")
      .def_static("begin",
                  [](const std::string& folder, std::shared_ptr<Sweep> sweep) {
                    SweepTable table = SweepTable::begin(folder, *sweep);
                    return std::make_unique<TableHandle>(std::move(sweep), std::move(table));
                  })
      .def_static("go_on",
                  [](const std::string& folder, std::shared_ptr<Sweep> sweep) {
                    SweepTable table = SweepTable::go_on(folder, *sweep);
                    return std::make_unique<TableHandle>(std::move(sweep), std::move(table));
                  })
      .def("missing", [](TableHandle& handle) { return handle.table().missing(); })
      .def("add",
           [](TableHandle& handle, const std::string& row) {
             demand(
                 handle.table().add(SweepRow::from_json(Json::parse(row), handle.sweep().columns().size())));
           })
      .def("run", &TableHandle::run, py::arg("jobs"), py::arg("timeout"))
      .def("columns", &TableHandle::columns)
      .def("complete", [](TableHandle& handle) { return handle.table().complete(); })
      .def("finish", [](TableHandle& handle) { demand(handle.table().finish()); })
      .def("page", [](TableHandle& handle, const std::string& ranked) {
        return sweep_page(handle.table(), ranked.empty() ? default_ranking(handle.sweep()) : ranked, {});
      });
}

}  // namespace trammel::python
