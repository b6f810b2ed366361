// Everything a user can choose about a run. Every option has a key under which files, the command line and
// other languages set it. Which keys a method has is said where its formulation and its integrator are
// entered (formulations.cpp, integrators.cpp); option_descriptions() is the list of all.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "trammel/formulation/classical/index_reduction_options.h"
#include "trammel/formulation/geoms/geoms_options.h"
#include "trammel/formulation/penalty/penalty_options.h"
#include "trammel/formulation/projection/coordinate_projection_options.h"
#include "trammel/formulation/projection_control.h"
#include "trammel/formulation/psf/projected_strangeness_free_options.h"
#include "trammel/formulation/splitting/coordinate_splitting_options.h"
#include "trammel/formulation/state_space/coordinate_partitioning_options.h"
#include "trammel/integrator/arkode_options.h"
#include "trammel/integrator/cvodes_options.h"
#include "trammel/integrator/dop853_options.h"
#include "trammel/integrator/ida_options.h"
#include "trammel/integrator/radau_options.h"
#include "trammel/integrator/sdirk_options.h"
#include "trammel/integrator/second_order_options.h"
#include "trammel/motion/assembly.h"

namespace trammel {

struct Options {
  // What to do with initial values that violate the constraints.
  enum class InitialValues {
    correct,  // find the nearest consistent state
    check,    // refuse them
    trust     // use them as they are
  };
  enum class Output { every_step, at_times };

  Tolerances tolerances;
  double h0 = 0;  // first step; 0: chosen by the integrator
  InitialValues initial_values = InitialValues::correct;
  AssemblyOptions assembly;
  // Solve planar mechanisms with three velocities a body (motion/planar_motion.h).
  bool reduce_planar = true;
  // In joint coordinates, solve without those that drivers prescribe (motion/prescribed_motion.h).
  bool eliminate_drivers = false;

  Output output = Output::every_step;
  std::vector<double> output_times;  // ascending
  // Put interpolated output states back on the constraints.
  bool project_output = true;
  // Keep states and step records in the trajectory (callbacks are called either way).
  bool record = true;
  // Keep the states that are put out, too: who takes what they want from the callback does without.
  bool record_states = true;
  // Keep a record of how Newton's iteration of every attempt at a step went.
  bool record_convergence = false;
  // Measure the constraint violation after every step; where it is more than assembly.closure_tolerance
  // allows, the run fails.
  bool watch_constraints = true;

  // Follow the energy of mechanisms; where much appears or vanishes in one step, a note says so.
  bool watch_energy = true;
  // After so many accepted steps a run rests: it begins anew from a copy of where it is, so that whatever goes
  // on from this copy is the same to the last bit (Simulation::on_rest). Codes of SUNDIALS go on as they
  // were. 0: never.
  long rest_steps = 0;
  // Times at which a user's own equations are not smooth; mechanisms know theirs.
  std::vector<MotionCorner> corners;

  RadauOptions radau;
  SdirkOptions sdirk;
  Dop853Options dop853;
  CvodesOptions cvodes;
  ArkodeOptions arkode;
  IdaOptions ida;
  SecondOrderOptions second_order;
  ProjectedStrangenessFreeOptions psf;
  // Its rank tolerance and whether it keeps invariants are those of psf.
  GeomsOptions geoms;
  IndexReductionOptions index_reduction;
  CoordinatePartitioningOptions partitioning;
  // Its rank tolerance and whether it keeps invariants are those of psf.
  CoordinateProjectionOptions projection;
  // When multistep methods project.
  ProjectionControl projection_control;
  // Its rank tolerance is that of psf, its growth that of partitioning.
  CoordinateSplittingOptions splitting;
  // Its rank tolerance is that of psf.
  PenaltyOptions penalty;

  // What set_option() has set, as (key, value), each once: a method must have all of them.
  std::vector<std::pair<std::string, std::string>> named;
  bool is_named(const std::string& key) const;
  // As if it had not been set, for methods that do not have it.
  void forget(const std::string& key);

  // Set to true from outside (a signal handler) to end the run; what was computed is kept.
  const std::atomic<bool>* interrupt = nullptr;
};

struct OptionDescription {
  std::string key;
  std::string also = {};      // another name of it; mostly empty
  std::string values = {};    // "1 .. 1000", "lu | qr | svd"
  std::string standard = {};  // its default
  // Formulations and integrators with another default: (name, default).
  std::vector<std::pair<std::string, std::string>> other_standards = {};
  std::string meaning = {};
  // Who has it, as in "*/radau5, psf/*"; empty: every method.
  std::string methods = {};
  // If it is not set by its key: how it is. "--rtol; rtol: in a file"
  std::string set_by = {};
};
// All there are.
const std::vector<OptionDescription>& option_descriptions();

// Sets one option from text. The failure names the nearest key or says which values are allowed. Whether the
// method has it is told when the run begins, or by check_option() (method.h).
Failure set_option(Options& options, const std::string& key, const std::string& value);

}  // namespace trammel
