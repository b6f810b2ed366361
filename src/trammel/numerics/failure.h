// Why a run, an assembly or an evaluation failed: a reason a program can test and a sentence a person can
// read.
#pragma once

#include <string>
#include <string_view>

namespace trammel {

enum class Reason {
  none,
  invalid_options,              // an option or a tolerance is out of range
  invalid_model,                // sizes, structure or dependencies of the equations do not fit together
  end_before_start,             // t_end < t_start
  stopped_by_callback,          // the user's callback asked to stop
  stopped_by_event,             // a terminal event was reached
  interrupted,                  // the program was asked to stop
  user_function_failed,         // a user function threw
  not_finite,                   // a function returned NaN or infinity
  inconsistent_initial_values,  // the initial values violate the constraints and were only to be checked
  contradictory_conditions,     // constraints and initial conditions cannot hold together
  constraints_violated,         // an accepted state does not satisfy the constraints
  assembly_not_converged,       // no consistent state found from this guess
  mass_singular,                // no inertia in a direction that the constraints leave free
  auxiliary_singular,           // d_w singular
  contact_singular,             // c_s singular
  position_rank,                // position constraints redundant under a decomposition that cannot treat it
  velocity_rank,                // velocity constraints or invariants redundant, likewise
  acceleration_rank,            // the multipliers are not determined, likewise
  rank_changed,                 // the rank of the constraints changes along the motion
  rank_not_uniform,             // the levels of the constraints have different rank
  differential_singular,        // the h-dependent matrix is singular again and again
  newton_failed,                // Newton's iteration does not converge at any step size tried
  too_many_steps,
  step_too_small,
  event_repeats,  // the same event fires without time going on
};

// The reason as a word, as it stands in JSON and in the documentation.
std::string_view name(Reason reason);

struct Failure {
  Reason reason = Reason::none;
  std::string message;

  explicit operator bool() const { return reason != Reason::none; }
};

}  // namespace trammel
