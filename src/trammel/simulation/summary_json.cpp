#include "trammel/simulation/summary_json.h"

#include <nlohmann/json.hpp>

namespace trammel {

nlohmann::ordered_json to_json(const Summary& summary) {
  nlohmann::ordered_json json;
  json["status"] = name(summary.status);
  json["message"] = summary.message();
  if (summary.failure) json["reason"] = name(summary.failure.reason);
  json["method"] = summary.method;
  json["method_changes"] = nlohmann::ordered_json::array();
  for (const MethodChange& change : summary.method_changes)
    json["method_changes"].push_back(
        {{"t", change.t}, {"from", change.from}, {"to", change.to}, {"reason", change.reason}});
  json["options"] = nlohmann::ordered_json::object();
  for (const auto& [key, value] : summary.options) json["options"][key] = value;
  json["t"] = summary.t;
  json["wall_seconds"] = summary.wall_seconds;
  for (const auto& [key, value] : named_counts(summary.statistics)) json["statistics"][key] = value;
  if (const Statistics& s = summary.statistics; s.projections + s.projections_skipped > 0)
    json["projection"] = {{"largest_move", s.largest_projection},
                          {"mean_error_before", s.error_before_projection / static_cast<double>(s.accepted)},
                          {"mean_error_after", s.error_after_projection / static_cast<double>(s.accepted)}};
  json["violation"] = {{"position", summary.violation.position},
                       {"velocity", summary.violation.velocity},
                       {"acceleration", summary.violation.acceleration}};
  if (summary.energy.is_known())
    json["energy"] = {{"initial", summary.energy.initial()},
                      {"work_of_drivers", summary.energy.work_of_drivers()},
                      {"work_of_forces", summary.energy.work_of_forces()},
                      {"impacts", summary.energy.impacts()},
                      {"final", summary.energy.final()},
                      {"unexplained", summary.energy.unexplained()},
                      {"largest_unexplained_step", summary.energy.worst_step()},
                      {"largest_unexplained_t", summary.energy.worst_t()}};
  for (const Summary::InexactForce& force : summary.force_accuracy)
    json["force_accuracy"].push_back(
        {{"channel", force.channel}, {"error", force.error}, {"largest", force.largest}});
  if (summary.has_invariants)
    json["invariant_error"] = summary.violation.invariant;
  else
    json["invariant_error"] = nullptr;
  json["degrees_of_freedom"] = summary.degrees_of_freedom;
  json["redundant"] = summary.redundant;
  if (!summary.eliminated_drivers.empty()) json["eliminated_drivers"] = summary.eliminated_drivers;
  json["notes"] = summary.notes;
  for (const NewtonRecord& record : summary.convergence)
    json["convergence"].push_back({{"t", record.t},
                                   {"h", record.h},
                                   {"iterations", record.iterations},
                                   {"rate", record.rate},
                                   {"converged", record.converged}});
  // names differ, and looking each up would cost the square of their number
  nlohmann::ordered_json::object_t last;
  for (std::size_t i = 0; i < summary.names.size() && static_cast<Index>(i) < summary.final_state.size(); ++i)
    last.emplace_back(summary.names[i], summary.final_state[static_cast<Index>(i)]);
  json["final"] = std::move(last);
  return json;
}

}  // namespace trammel
