// A comparison as JSON and as a CSV table.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "trammel/comparison/comparison.h"
#include "trammel/version.h"

namespace trammel {

namespace {

using Json = nlohmann::ordered_json;

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json reference_json(const Reference& reference) {
  Json json{{"kind", reference.published  ? "published"
                     : reference.usable() ? "computed"
                                          : "none"},
            {"method", reference.trial ? Json(reference.trial->method.label()) : Json(nullptr)},
            {"rtol", reference.trial ? Json(reference.trial->rtol) : Json(nullptr)},
            {"accuracy", optional_json(reference.accuracy)},
            {"accuracy_from", reference.accuracy_from},
            {"sentence", reference.sentence()}};
  json["runs"] = Json::array();
  for (const ReferenceRun& run : reference.runs)
    json["runs"].push_back({{"method", run.trial.method.label()},
                            {"rtol", run.trial.rtol},
                            {"status", name(run.outcome)},
                            {"message", run.message},
                            {"seconds", run.seconds},
                            {"difference", optional_json(run.difference)}});
  return json;
}

Json point_json(const ComparedPoint& point) {
  Json measured = to_json(point.measurement);
  Json json{{"method", point.trial.method.label()},   {"rtol", point.trial.rtol},
            {"atol", point.measurement.atol},         {"status", measured["outcome"]},
            {"message", measured["message"]},         {"t", measured["t"]},
            {"error", optional_json(point.error)},    {"error_at_end", optional_json(point.error_at_end)},
            {"near_reference", point.near_reference}, {"seconds", measured["seconds"]},
            {"repeats", measured["repeats"]},         {"statistics", measured["statistics"]},
            {"violation", measured["violation"]}};
  return json;
}

Json recommendation_json(const Recommendation& recommendation) {
  Json json{{"error", recommendation.wanted}, {"sentence", recommendation.sentence()}};
  json["ranking"] = Json::array();
  for (const auto& [method, cost] : recommendation.ranking)
    json["ranking"].push_back({{"method", method},
                               {"seconds", cost.seconds},
                               {"evaluations", cost.evaluations},
                               {"rtol", cost.rtol},
                               {"position_violation", cost.position_violation},
                               {"at_most", cost.at_most}});
  return json;
}

// A field with what would end it inside quotes.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result + "\"";
}

}  // namespace

nlohmann::ordered_json to_json(const Comparison& comparison) {
  Json json{{"status", comparison.any_finished() ? "finished" : "failed"},
            {"subject", comparison.name},
            {"title", comparison.title},
            {"source", comparison.source},
            {"start", comparison.start},
            {"end", comparison.end},
            {"measure", name(comparison.measure)},
            {"measure_sentence", comparison.measure_sentence()},
            {"methods", comparison.methods}};
  json["reference"] = reference_json(comparison.reference);
  json["points"] = Json::array();
  for (const ComparedPoint& point : comparison.points) json["points"].push_back(point_json(point));
  json["recommendations"] = Json::array();
  for (const Recommendation& recommendation : comparison.recommendations)
    json["recommendations"].push_back(recommendation_json(recommendation));
  json["notes"] = comparison.notes;
  json["version"] = std::string(version);
  return json;
}

std::string csv_table(const Comparison& comparison) {
  std::string text =
      "method,rtol,atol,status,error,error_at_end,near_reference,seconds,repeats,accepted,rejected,"
      "evaluations,jacobians,decompositions,position_violation,velocity_violation,acceleration_violation,"
      "message\n";
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  for (const ComparedPoint& point : comparison.points) {
    const Measurement& m = point.measurement;
    const Statistics& s = m.statistics;
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                    quoted(point.trial.method.label()), point.trial.rtol, m.atol, name(m.outcome),
                    number(point.error), number(point.error_at_end), point.near_reference ? 1 : 0, m.seconds,
                    m.repeats, s.accepted, s.rejected(), s.evaluations, s.jacobians, s.decompositions,
                    m.violation.position, m.violation.velocity, m.violation.acceleration, quoted(m.message));
  }
  return text;
}

}  // namespace trammel
