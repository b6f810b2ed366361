// A run of a published case, by what its source says and what the user asks for.
//
//   trammel::CaseRun run(*trammel::find_problem("andrews"), {}, {.rtol = 1e-8});
//   run.record();
//   run.run();
//   trammel::write_hdf5("andrews.h5", run.recording());
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trammel/published/builtin.h"
#include "trammel/result/recording.h"
#include "trammel/simulation/mechanism_recorder.h"
#include "trammel/simulation/mechanism_run.h"
#include "trammel/simulation/method_choice.h"
#include "trammel/simulation/simulation.h"
#include "trammel/simulation/state_recorder.h"

namespace trammel {

// The options of a run of a case: those of its source, and over them those of the request. Throws
// std::invalid_argument.
Options options_of_case(const ProblemCase& instance, const Method& method, const RunRequest& request);

// The same for `method: auto`, which is chosen by the equations. Throws std::invalid_argument.
MethodChoice automatic_choice(const ProblemCase& instance, const RunRequest& request);

class CaseRun {
 public:
  // Decides on the settings. Without a number of samples there is one for every step. Throws
  // std::invalid_argument for what is wrong in the request or among the parameters.
  CaseRun(const BuiltinProblem& problem, const std::map<std::string, double>& parameters,
          RunRequest request = {});
  ~CaseRun();

  // Keeps a recording, which has its channels now, and samples during the run: of a mechanism those that
  // `trammel run` has, otherwise the unknowns. Before the run; without this there is none, which is cheaper.
  const Recording& record();

  // Once. A run that fails or is interrupted keeps what it computed.
  const Summary& run();

  // Before run(), behind record(): lets it go on from a checkpoint of another run of the same problem and request, as
  // MechanismRun::resume does. A failure if it is a checkpoint of something else.
  Failure resume(const RunCheckpoint& checkpoint, const RecordedRows& rows);

  const BuiltinProblem& problem() const { return problem_; }
  const ProblemCase& instance() const { return instance_; }
  const std::map<std::string, double>& parameters() const { return parameters_; }
  const RunSettings& settings() const { return settings_; }
  const Summary& summary() const { return summary_; }
  const Recording& recording() const { return recording_; }
  const std::vector<EventRecord>& events() const { return simulation_->trajectory().events; }
  // By the criterion of the source, where a reference is known at the time reached.
  std::optional<double> digits() const;
  std::optional<double> error() const;
  std::optional<double> energy_drift() const;

 private:
  void settle_method();
  void describe();
  bool is_recorded() const { return bodies_ || unknowns_; }
  bool has_invariants() const { return instance_.equations->layout().invariants > 0; }
  void connect();
  bool start();
  void append(double t, const Vector& x);
  void take_energies();
  void carry_records(Carrier& carried, std::vector<EventRecord>& events);
  void tell_checkpoint(const RunSnapshot& snapshot);

  const BuiltinProblem& problem_;
  std::map<std::string, double> parameters_;
  RunRequest request_;
  ProblemCase instance_;
  RunSettings settings_;
  std::unique_ptr<Simulation> simulation_;
  Summary summary_;
  Recording recording_;
  // at most one of them
  std::unique_ptr<MechanismRecorder> bodies_;
  std::unique_ptr<StateRecorder> unknowns_;
  EnergyDrift drift_;
  Index energies_taken_ = 0;  // of the samples of the trajectory
  bool started_ = false;
  bool records_ = true;  // not while a run that is resumed begins again
  std::chrono::steady_clock::time_point began_;
  double wall_seconds_before_ = 0;
};

}  // namespace trammel
