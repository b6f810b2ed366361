#include "trammel/comparison/trial.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "trammel/comparison/number_text.h"

namespace trammel {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array all_outcomes{Measurement::Outcome::finished, Measurement::Outcome::failed,
                                  Measurement::Outcome::crashed, Measurement::Outcome::timed_out,
                                  Measurement::Outcome::not_run};

// The counters that a comparison shows.
struct Counter {
  const char* name;
  long Statistics::*member;
};
constexpr std::array counters{Counter{"accepted", &Statistics::accepted},
                              Counter{"steps", &Statistics::steps},
                              Counter{"rejected_error", &Statistics::rejected_error},
                              Counter{"rejected_convergence", &Statistics::rejected_convergence},
                              Counter{"rejected_projection", &Statistics::rejected_projection},
                              Counter{"evaluations", &Statistics::evaluations},
                              Counter{"jacobians", &Statistics::jacobians},
                              Counter{"decompositions", &Statistics::decompositions},
                              Counter{"newton_iterations", &Statistics::newton_iterations}};

Json samples_json(const PositionSamples& samples) {
  Json json{{"names", samples.names}, {"of_bodies", samples.of_bodies}, {"times", samples.times}};
  json["positions"] = Json::array();
  for (const Vector& p : samples.positions)
    json["positions"].push_back(std::vector<double>(p.data(), p.data() + p.size()));
  return json;
}

PositionSamples samples_from_json(const Json& json) {
  PositionSamples samples;
  json.at("names").get_to(samples.names);
  json.at("of_bodies").get_to(samples.of_bodies);
  json.at("times").get_to(samples.times);
  for (const Json& entry : json.at("positions")) {
    const auto values = entry.get<std::vector<double>>();
    if (values.size() != samples.names.size()) throw std::invalid_argument("positions without names");
    samples.positions.push_back(Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())));
  }
  if (samples.positions.size() != samples.times.size())
    throw std::invalid_argument("positions without times");
  return samples;
}

}  // namespace

std::string Trial::label() const {
  return fmt::format("{} at rtol {}", method.label(), scientific_text(rtol, 3));
}

std::string_view name(Measurement::Outcome outcome) {
  switch (outcome) {
    case Measurement::Outcome::finished:
      return "finished";
    case Measurement::Outcome::failed:
      return "failed";
    case Measurement::Outcome::crashed:
      return "crashed";
    case Measurement::Outcome::timed_out:
      return "timed out";
    case Measurement::Outcome::not_run:
      return "not run";
  }
  return "unknown";
}

Json to_json(const Measurement& measurement) {
  Json json{{"outcome", name(measurement.outcome)},
            {"message", measurement.message},
            {"t", measurement.t},
            {"atol", measurement.atol},
            {"seconds", measurement.seconds},
            {"repeats", measurement.repeats}};
  for (const Counter& counter : counters)
    json["statistics"][counter.name] = measurement.statistics.*counter.member;
  json["violation"] = {{"position", measurement.violation.position},
                       {"velocity", measurement.violation.velocity},
                       {"acceleration", measurement.violation.acceleration}};
  if (measurement.digits) json["digits"] = *measurement.digits;
  if (!measurement.samples.times.empty()) json["samples"] = samples_json(measurement.samples);
  return json;
}

Measurement measurement_from_json(const Json& json) try {
  // a violation that is not finite has become null on its way
  const auto number = [](const Json& value) { return value.is_null() ? std::nan("") : value.get<double>(); };
  Measurement result;
  const auto outcome = json.at("outcome").get<std::string>();
  bool known = false;
  for (const Measurement::Outcome candidate : all_outcomes) {
    if (name(candidate) != outcome) continue;
    result.outcome = candidate;
    known = true;
  }
  if (!known) throw std::invalid_argument("there is no outcome '" + outcome + "'");
  json.at("message").get_to(result.message);
  result.t = number(json.at("t"));
  result.atol = number(json.at("atol"));
  result.seconds = number(json.at("seconds"));
  json.at("repeats").get_to(result.repeats);
  for (const Counter& counter : counters)
    json.at("statistics").at(counter.name).get_to(result.statistics.*counter.member);
  const Json& violation = json.at("violation");
  result.violation.position = number(violation.at("position"));
  result.violation.velocity = number(violation.at("velocity"));
  result.violation.acceleration = number(violation.at("acceleration"));
  if (json.contains("digits")) result.digits = number(json["digits"]);
  if (json.contains("samples")) result.samples = samples_from_json(json["samples"]);
  return result;
} catch (const nlohmann::json::exception& error) {
  throw std::invalid_argument(error.what());
}

}  // namespace trammel
