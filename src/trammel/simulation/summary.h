// How a run went: in one line, or in full; summary_json.h has it as JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trammel/formulation/statistics.h"
#include "trammel/integrator/newton_record.h"
#include "trammel/motion/consistent_state.h"
#include "trammel/simulation/energy_balance.h"

namespace trammel {

// Where a run went on with another method (`method: auto`), and why.
struct MethodChange {
  double t = 0;
  std::string from, to, reason;

  std::string report() const;
  void carry(Carrier& carried) { carried(t, from, to, reason); }
};

enum class Status { finished, stopped, failed };
std::string_view name(Status status);

// All counts of a run with their names.
std::vector<std::pair<const char*, long>> named_counts(const Statistics& statistics);

struct Summary {
  Status status = Status::failed;
  Failure failure;     // why it failed or stopped
  std::string method;  // that it began with
  std::vector<MethodChange> method_changes;
  std::vector<std::pair<std::string, std::string>> options;  // those that were set by their keys
  double t = 0;                                              // reached
  double wall_seconds = 0;
  Statistics statistics;
  Violation violation;   // the largest over all accepted steps
  EnergyBalance energy;  // of mechanisms
  // Forces of stiff elements that errors of the size of the tolerance change by a part worth mentioning.
  struct InexactForce {
    std::string channel;
    double error = 0, largest = 0;
  };
  std::vector<InexactForce> force_accuracy;
  bool has_invariants = false;
  std::vector<std::string> notes;
  std::vector<std::string> names;  // of the final state
  Vector final_state;
  Index degrees_of_freedom = 0;
  std::vector<std::string> redundant;           // constraints that depend on the others
  std::vector<std::string> eliminated_drivers;  // whose coordinates are known, so that they are no equations
  // Every attempt at a step, if the option `convergence` asks for it.
  std::vector<NewtonRecord> convergence;

  bool ok() const { return status != Status::failed; }
  std::string message() const;
  std::string brief_report() const;
  std::string full_report() const;
  // How far states were moved, and what errors were before and after they were projected.
  std::string projection_report() const;
  // "safety=0.8 max_step=0.1"
  std::string options_report() const;
  // Where the energy came from and went; for mechanisms.
  std::string energy_report() const;
  // Empty if all forces are known well.
  std::string accuracy_report() const;
  // A table of `convergence`, empty if there is none.
  std::string convergence_report() const;
};

}  // namespace trammel
