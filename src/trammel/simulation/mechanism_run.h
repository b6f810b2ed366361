// A run of a model: its equations, the initial state that its joints and conditions ask for, a method, the
// simulation, and what it leaves behind as a recording.
//
//   const trammel::Model model = trammel::read_model("four-bar.yaml");
//   trammel::MechanismRun run(model, {.end = 5.0});
//   run.run();
//   trammel::write_hdf5("four-bar.h5", run.recording());
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trammel/mechanism/model.h"
#include "trammel/motion/mechanism_assembly.h"
#include "trammel/motion/mechanism_motion.h"
#include "trammel/result/recorded_rows.h"
#include "trammel/result/recording.h"
#include "trammel/simulation/event.h"
#include "trammel/simulation/force_accuracy.h"
#include "trammel/simulation/mechanism_recorder.h"
#include "trammel/simulation/method.h"
#include "trammel/simulation/options.h"
#include "trammel/simulation/run_snapshot.h"
#include "trammel/simulation/summary.h"

namespace trammel {

// Accepted steps between two checkpoints of a run that can be resumed; beginning anew there costs about as much as
// a few steps. Where a run rests decides on its last digits, so whoever wants the same result as `trammel run` asks
// for as many.
inline constexpr long default_checkpoint_steps = 500;

// The end of a run for which nobody has said one.
inline constexpr double default_end = 10;  // s

// Something to be found while a run goes on: a channel of the recording, or a function of the state, passes a
// level.
struct RunEvent {
  std::string name;
  std::string channel;  // empty: the function
  std::function<double(double t, const Vector& x)> function = {};
  double level = 0;
  Event::Direction direction = Event::Direction::either;
  Event::Action action = Event::Action::record;
  std::function<void(double t, Vector& x)> change = {};  // for Action::change
};

// What the user asks for, besides the model. What is absent is as the model says; what it does not say either
// has the default given here.
struct RunRequest {
  std::optional<double> end;              // s; 10
  std::optional<double> output_interval;  // s, between two samples; a thousandth of the run
  std::optional<int> samples;             // instead of the interval: so many, and one at the start
  std::optional<std::string> method;      // "psf/radau5", ...; auto
  std::optional<double> rtol;             // 1e-6
  std::optional<double> atol;             // a hundredth of rtol
  // Of single bodies, joints, states or unknowns, beside and over those of the model.
  std::vector<SimulationSettings::NamedTolerance> tolerances;
  std::optional<double> h0;                                  // chosen by the integrator
  std::vector<std::pair<std::string, std::string>> options;  // of the method, as (key, value)

  std::vector<RunEvent> events;

  const std::atomic<bool>* interrupt = nullptr;
  // Called after every accepted step with the time reached and the step size; false ends the run.
  std::function<bool(double t, double h)> on_step;

  // Accepted steps between two checkpoints (Options::rest_steps), each of which this is told; 0: none.
  long checkpoint_steps = 0;
  std::function<void(RunCheckpoint checkpoint)> on_checkpoint;
};

// What a run goes by, when all has been decided.
struct RunSettings {
  double end = 0;
  double output_interval = 0;
  Method method;  // that it begins with
  // What it changes to where the motion is stiff, and back from: `method: auto`.
  std::optional<Method> method_when_stiff;
  std::string why_method;  // a sentence, if the method was chosen by the program
  std::string coordinates;
  std::string why_coordinates;  // likewise
  Options options;
  // Of the options those that came with the choice of the method, as (key, value).
  std::vector<std::pair<std::string, std::string>> options_of_choice;
  // What was asked for and could not be done; sentences.
  std::vector<std::string> notes;

  // "safety=0.8 newton_matrix_at=2 (by auto)"
  std::string options_report() const;
  // "projected/dop853 or psf/radau5"
  std::string methods_report() const;
  std::vector<Method> methods() const;
};

// Whether a file's options are ones of this method. Throws ModelError.
void check_simulation_options(const SimulationSettings& settings, const Method& method);

// The equations of a model in the coordinates that it asks for. Throws ModelError.
std::unique_ptr<MechanismEquations> make_equations(const Model& model);

class Simulation;

class MechanismRun {
 public:
  // Compiles the model and decides on the settings. Throws ModelError for what is wrong in the model, and
  // std::invalid_argument for what is wrong in the request. The recording has its channels, but no samples.
  explicit MechanismRun(const Model& model, RunRequest request = {});
  MechanismRun(MechanismRun&& other) noexcept;
  ~MechanismRun();

  // Once. A run that fails or is interrupted keeps what it computed, and its last state as the last sample.
  const Summary& run();

  // --- step by step: what run() does at once, as of a Simulation (docs/stepping.md). Not to be moved between
  // start() and finish(). What is recorded is as much as the run has come to.
  bool start();
  bool advance(double t);
  double t() const;
  const Vector& state() const;
  bool set_state(const Vector& x);
  // A copy of where the run is, and back to it; what was recorded after it is taken away.
  bool save(RunCheckpoint& checkpoint);
  bool restore(const RunCheckpoint& checkpoint);
  // The values that channels, by their places, have now.
  void read(std::span<const std::size_t> channels, std::span<double> values);
  const Summary& finish();

  // Of a run that somebody else steps (real_time_run.h): a sample, and what has come of it at the end.
  void record(double t, const Vector& x);
  const Summary& conclude(Summary summary);

  // Instead of start(): goes on from where another run is, which may have other parameters, with what that has
  // recorded. Throws std::invalid_argument if they do not have the same unknowns and channels.
  bool take_over(MechanismRun& before);

  // Before run(): lets it go on from a checkpoint of another run of the same model and request, which has left
  // these rows. What comes of it is what that run would have come to: to the last bit with integrators of ours,
  // right to the tolerance with those of SUNDIALS. A failure if it is a checkpoint of something else.
  Failure resume(const RunCheckpoint& checkpoint, const RecordedRows& rows);

  MechanismEquations& equations() { return *equations_; }
  const RunSettings& settings() const { return settings_; }
  // What the run begins with, and how it was assembled: nothing if the initial values are not to be corrected.
  const Vector& start_state() const { return start_; }
  const std::optional<AssemblyReport>& assembly() const { return assembly_; }
  const Summary& summary() const { return summary_; }
  // While the run goes on, what it has computed so far.
  const Recording& recording() const { return *recording_; }
  const MechanismRecorder& recorder() const { return *recorder_; }
  const std::vector<StepRecord>& steps() const { return steps_; }
  const std::vector<EventRecord>& events() const { return events_; }
  // Whether there are any to be looked for.
  bool seeks_events() const { return !request_.events.empty(); }

 private:
  void assemble();
  void settle_method(const Model& model);
  void check_options(const Model& model);
  void describe(const Model& model);
  void state_accuracy();
  bool begin();
  void connect();
  void add_events();
  MechanismRecorder& looker();
  RunCheckpoint checkpoint_of(const RunSnapshot& snapshot);
  void carry_records(Carrier& carried, std::vector<EventRecord>& events);
  void tell_checkpoint(const RunSnapshot& snapshot);

  RunRequest request_;
  RunSettings settings_;
  std::unique_ptr<MechanismEquations> equations_;
  std::unique_ptr<Recording> recording_;
  std::unique_ptr<MechanismRecorder> recorder_;
  std::unique_ptr<ForceAccuracy> accuracy_;
  // Looks at states that are not recorded; made when first asked for.
  std::unique_ptr<Recording> looked_at_;
  std::unique_ptr<MechanismRecorder> looker_;
  std::unique_ptr<Simulation> simulation_;
  Vector start_;  // what the simulation begins with
  double start_time_ = 0;
  std::optional<AssemblyReport> assembly_;
  Summary summary_;
  std::vector<StepRecord> steps_;
  std::vector<EventRecord> events_;
  bool records_ = true;  // not while a run that is resumed begins again
  std::chrono::steady_clock::time_point began_;
  double wall_seconds_before_ = 0;
};

}  // namespace trammel
