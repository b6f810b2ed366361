// Runs of models, at once and step by step, and what they leave.
#include <fmt/format.h>

#include <map>

#include "binding.h"
#include "model_handle.h"
#include "trammel/cli/model_output.h"
#include "trammel/numerics/nearest_name.h"
#include "trammel/page/run_page.h"
#include "trammel/page/viewer_page.h"
#include "trammel/result/recording_csv.h"
#include "trammel/result/recording_hdf5.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel::python {

namespace {

struct EventRequest {
  std::string name;
  std::string channel;
  py::object function;  // None if there is a channel
  double level = 0;
  std::string direction, action;
  py::object change;
};

Event::Direction direction_of(const std::string& word) {
  if (word == "either") return Event::Direction::either;
  if (word == "rising") return Event::Direction::rising;
  if (word == "falling") return Event::Direction::falling;
  throw std::invalid_argument(fmt::format("a direction is 'either', 'rising' or 'falling', not '{}'", word));
}

Event::Action action_of(const std::string& word) {
  if (word == "record") return Event::Action::record;
  if (word == "stop") return Event::Action::stop;
  if (word == "change") return Event::Action::change;
  throw std::invalid_argument(fmt::format("an action is 'record', 'stop' or 'change', not '{}'", word));
}

// A run with its model, which must live as long, and what Python functions have raised in it.
class RunHandle {
 public:
  RunHandle(std::shared_ptr<ModelHandle> model, const py::dict& wanted,
            const std::vector<EventRequest>& events)
      : model_(std::move(model)), wanted_(wanted), events_(events), interrupter_(*model_->raised()) {
    run_ = std::make_unique<MechanismRun>(model_->model(), request());
    note_places();
  }

  // All at once.
  void run() {
    interrupter_.reset();
    const py::gil_scoped_release unlocked;
    run_->run();
    over_ = finished_ = true;
  }

  bool start() {
    const py::gil_scoped_release unlocked;
    over_ = !run_->start();
    return !over_;
  }
  bool advance(double t) {
    interrupter_.reset();
    const py::gil_scoped_release unlocked;
    over_ = !run_->advance(t);
    return !over_;
  }
  void finish() {
    const py::gil_scoped_release unlocked;
    run_->finish();
    over_ = finished_ = true;
  }
  bool set_state(const py::array_t<double, py::array::c_style | py::array::forcecast>& x) {
    const Vector state = to_vector(x);
    if (state.size() != run_->state().size())
      throw std::invalid_argument(
          fmt::format("the state has {} entries, not {}", run_->state().size(), state.size()));
    const py::gil_scoped_release unlocked;
    over_ = !run_->set_state(state);
    return !over_;
  }
  // Inputs and other states of the model by name.
  bool set_states(const std::map<std::string, double>& values) {
    Vector state = run_->state();
    const Layout& layout = run_->equations().layout();
    const std::vector<std::string>& names = run_->equations().names().r;
    for (const auto& [name, value] : values) {
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) throw unknown("input or state", name, names);
      state[layout.r.begin + (found - names.begin())] = value;
    }
    const py::gil_scoped_release unlocked;
    over_ = !run_->set_state(state);
    return !over_;
  }
  double state_value(const std::string& name) const {
    const std::vector<std::string>& names = run_->equations().names().r;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw unknown("input or state", name, names);
    return run_->state()[run_->equations().layout().r.begin + (found - names.begin())];
  }
  bool set_parameters(const ModelHandle::Parameters& changes) {
    std::shared_ptr<ModelHandle> changed = model_->with(changes);
    auto other = std::make_unique<MechanismRun>(changed->model(), request());
    {
      const py::gil_scoped_release unlocked;
      over_ = !other->take_over(*run_);
    }
    run_ = std::move(other);
    model_ = std::move(changed);
    return !over_;
  }

  double value(const std::string& channel) {
    const std::size_t place = place_of(channel);
    double value = 0;
    run_->read(std::span(&place, 1), std::span(&value, 1));
    return value;
  }
  py::array_t<double> values(const std::vector<std::string>& channels) {
    std::vector<std::size_t> places;
    for (const std::string& channel : channels) places.push_back(place_of(channel));
    py::array_t<double> result(static_cast<py::ssize_t>(places.size()));
    run_->read(places, std::span(result.mutable_data(), places.size()));
    return result;
  }

  RunCheckpoint save() {
    RunCheckpoint checkpoint;
    if (!run_->save(checkpoint)) throw std::runtime_error("a run that is over cannot be saved");
    return checkpoint;
  }
  void restore(const RunCheckpoint& checkpoint) {
    if (!run_->restore(checkpoint))
      throw std::invalid_argument(
          "this was not saved by the run, or by one of the same model, options and times that has come so "
          "far");
    over_ = false;
  }

  MechanismRun& run_of() { return *run_; }
  const ModelHandle& model() const { return *model_; }
  bool over() const { return over_; }
  bool finished() const { return finished_; }
  py::object raised() { return model_->raised()->take(); }

 private:
  static std::invalid_argument unknown(const char* what, const std::string& name,
                                       const std::vector<std::string>& names) {
    const std::string near = nearest_name(name, names);
    return std::invalid_argument(fmt::format("there is no {} '{}'{}", what, name,
                                             near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
  }

  std::size_t place_of(const std::string& channel) const {
    const auto found = places_.find(channel);
    if (found != places_.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [name, place] : places_) names.push_back(name);
    throw unknown("channel", channel, names);
  }
  void note_places() {
    const std::vector<Channel>& channels = run_->recording().channels();
    for (std::size_t i = 0; i < channels.size(); ++i) places_.emplace(channels[i].name, i);
  }

  template <class Value>
  void take(const char* key, std::optional<Value>& value) const {
    if (wanted_.contains(key) && !wanted_[key].is_none()) value = wanted_[key].cast<Value>();
  }

  RunRequest request() {
    RunRequest request;
    take("end", request.end);
    take("output_interval", request.output_interval);
    take("samples", request.samples);
    take("method", request.method);
    take("rtol", request.rtol);
    take("atol", request.atol);
    take("h0", request.h0);
    if (wanted_.contains("options"))
      for (const auto& [key, value] : wanted_["options"].cast<py::dict>())
        request.options.emplace_back(py::str(key).cast<std::string>(), py::str(value).cast<std::string>());
    // as the command line, bit for bit
    request.checkpoint_steps = default_checkpoint_steps;
    request.interrupt = interrupter_.flag();
    request.on_step = [this](double, double) {
      interrupter_.step();
      return true;
    };
    for (const EventRequest& event : events_) request.events.push_back(event_of(event));
    return request;
  }

  RunEvent event_of(const EventRequest& event) {
    RunEvent result{.name = event.name,
                    .channel = event.channel,
                    .level = event.level,
                    .direction = direction_of(event.direction),
                    .action = action_of(event.action)};
    const std::shared_ptr<Raised> raised = model_->raised();
    if (!event.function.is_none())
      result.function = [raised, function = event.function](double t, const Vector& x) {
        return raised->guard([&] { return function(t, to_array(x)).cast<double>(); });
      };
    if (!event.change.is_none())
      result.change = [raised, function = event.change](double t, Vector& x) {
        raised->guard([&] {
          py::array_t<double> state = to_array(x);
          const py::object changed = function(t, state);
          const py::array_t<double, py::array::c_style | py::array::forcecast> taken =
              changed.is_none() ? py::object(state) : changed;
          if (taken.size() != x.size())
            throw py::value_error(fmt::format("the state has {} entries, not {}", x.size(), taken.size()));
          x = to_vector(taken);
          return 0;
        });
      };
    return result;
  }

  std::shared_ptr<ModelHandle> model_;
  py::dict wanted_;
  std::vector<EventRequest> events_;
  Interrupter interrupter_;
  std::unique_ptr<MechanismRun> run_;
  std::map<std::string, std::size_t> places_;
  bool over_ = false, finished_ = false;
};

// Channels of a table as views of their numbers, by name. They belong to the run, which must have ended.
py::dict arrays(const ChannelTable& table, const py::object& owner) {
  py::dict all;
  all["t"] = view_of(table.times().data(), table.times().size(), owner);
  for (const Channel& channel : table.channels())
    all[py::str(channel.name)] = view_of(channel.values.data(), channel.values.size(), owner);
  return all;
}

void check(const Failure& failure) {
  if (failure) throw std::invalid_argument(failure.message);
}

void bind_results(py::class_<RunHandle, std::shared_ptr<RunHandle>>& run) {
  run.def("arrays",
          [](const py::object& self) {
            return arrays(self.cast<RunHandle&>().run_of().recording().samples, self);
          })
      .def("step_arrays",
           [](const py::object& self) {
             return arrays(self.cast<RunHandle&>().run_of().recording().steps, self);
           })
      .def("channels",
           [](RunHandle& handle) {
             py::list list;
             for (const Channel& channel : handle.run_of().recording().channels()) {
               py::dict entry;
               entry["name"] = channel.name;
               entry["group"] = channel.group.text();
               entry["unit"] = channel.unit.text();
               entry["description"] = channel.description.text();
               list.append(entry);
             }
             return list;
           })
      .def("metadata",
           [](RunHandle& handle) {
             py::dict all;
             for (const auto& [key, value] : handle.run_of().recording().metadata())
               all[py::str(key)] = value;
             return all;
           })
      .def("events",
           [](RunHandle& handle) {
             py::list list;
             for (const EventRecord& event : handle.run_of().events())
               list.append(py::make_tuple(event.t, event.name));
             return list;
           })
      .def("summary",
           [](RunHandle& handle) { return to_python(run_json(handle.model().model(), handle.run_of())); })
      .def("report", [](RunHandle& handle) { return run_report(handle.model().model(), handle.run_of()); })
      .def("reason",
           [](RunHandle& handle) { return std::string(name(handle.run_of().summary().failure.reason)); })
      .def("page",
           [](RunHandle& handle) {
             if (!has_viewer())
               throw std::runtime_error(
                   "there is no page: Trammel was built without the viewer, for which it needs npm");
             return viewer_page(handle.run_of().recording().title,
                                viewer_data(handle.model().model(), handle.run_of()));
           })
      .def("write_csv",
           [](RunHandle& handle, const std::string& path, const std::vector<std::string>& selection) {
             check(write_csv(std::filesystem::path(path), handle.run_of().recording(), selection));
           })
      .def("write_steps_csv",
           [](RunHandle& handle, const std::string& path) {
             check(write_steps_csv(std::filesystem::path(path), handle.run_of().recording()));
           })
      .def("write_hdf5", [](RunHandle& handle, const std::string& path) {
        check(write_hdf5(path, handle.run_of().recording()));
      });
}

}  // namespace

void bind_run(py::module_& module) {
  py::class_<RunCheckpoint>(module, "Snapshot")
      .def_property_readonly("t", [](const RunCheckpoint& checkpoint) { return checkpoint.t; });
  py::class_<EventRequest>(module, "Event")
      .def(py::init([](std::string name, std::string channel, py::object function, double level,
                       std::string direction, std::string action, py::object change) {
             direction_of(direction);
             action_of(action);
             return EventRequest{std::move(name),      std::move(channel), std::move(function), level,
                                 std::move(direction), std::move(action),  std::move(change)};
           }),
           py::arg("name"), py::arg("channel"), py::arg("function"), py::arg("level"), py::arg("direction"),
           py::arg("action"), py::arg("change"));
  py::class_<RunHandle, std::shared_ptr<RunHandle>> run(module, "Run");
  run.def(py::init<std::shared_ptr<ModelHandle>, const py::dict&, const std::vector<EventRequest>&>(),
          py::arg("model"), py::arg("wanted"), py::arg("events"))
      .def("run", &RunHandle::run)
      .def("start", &RunHandle::start)
      .def("advance", &RunHandle::advance, py::arg("t"))
      .def("finish", &RunHandle::finish)
      .def("set_state", &RunHandle::set_state, py::arg("x"))
      .def("set_states", &RunHandle::set_states, py::arg("values"))
      .def("state_value", &RunHandle::state_value, py::arg("name"))
      .def("set_parameters", &RunHandle::set_parameters, py::arg("changes"))
      .def("value", &RunHandle::value, py::arg("channel"))
      .def("values", &RunHandle::values, py::arg("channels"))
      .def("save", &RunHandle::save)
      .def("restore", &RunHandle::restore, py::arg("snapshot"))
      .def("raised", &RunHandle::raised)
      .def_property_readonly("t", [](RunHandle& handle) { return handle.run_of().t(); })
      .def_property_readonly("state", [](RunHandle& handle) { return to_array(handle.run_of().state()); })
      .def_property_readonly("state_names",
                             [](RunHandle& handle) {
                               const EquationsOfMotion& equations = handle.run_of().equations();
                               std::vector<std::string> names;
                               for (Index i = 0; i < equations.layout().total; ++i)
                                 names.push_back(equations.names().variable(equations.layout(), i));
                               return names;
                             })
      .def_property_readonly("over", &RunHandle::over)
      .def_property_readonly("finished", &RunHandle::finished)
      .def_property_readonly("end", [](RunHandle& handle) { return handle.run_of().settings().end; })
      .def_property_readonly("method",
                             [](RunHandle& handle) { return handle.run_of().settings().method.name(); });
  bind_results(run);
}

}  // namespace trammel::python
