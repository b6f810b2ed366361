#include "trammel/numerics/failure.h"

namespace trammel {

std::string_view name(Reason reason) {
  switch (reason) {
    case Reason::none:
      return "none";
    case Reason::invalid_options:
      return "invalid_options";
    case Reason::invalid_model:
      return "invalid_model";
    case Reason::end_before_start:
      return "end_before_start";
    case Reason::stopped_by_callback:
      return "stopped_by_callback";
    case Reason::stopped_by_event:
      return "stopped_by_event";
    case Reason::interrupted:
      return "interrupted";
    case Reason::user_function_failed:
      return "user_function_failed";
    case Reason::not_finite:
      return "not_finite";
    case Reason::inconsistent_initial_values:
      return "inconsistent_initial_values";
    case Reason::contradictory_conditions:
      return "contradictory_conditions";
    case Reason::constraints_violated:
      return "constraints_violated";
    case Reason::assembly_not_converged:
      return "assembly_not_converged";
    case Reason::mass_singular:
      return "mass_singular";
    case Reason::auxiliary_singular:
      return "auxiliary_singular";
    case Reason::contact_singular:
      return "contact_singular";
    case Reason::position_rank:
      return "position_rank";
    case Reason::velocity_rank:
      return "velocity_rank";
    case Reason::acceleration_rank:
      return "acceleration_rank";
    case Reason::rank_changed:
      return "rank_changed";
    case Reason::rank_not_uniform:
      return "rank_not_uniform";
    case Reason::differential_singular:
      return "differential_singular";
    case Reason::newton_failed:
      return "newton_failed";
    case Reason::too_many_steps:
      return "too_many_steps";
    case Reason::step_too_small:
      return "step_too_small";
    case Reason::event_repeats:
      return "event_repeats";
  }
  return "unknown";
}

}  // namespace trammel
