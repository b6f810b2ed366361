#include "trammel/sweep/sweep.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "trammel/model/model.h"
#include "trammel/result/checksum.h"
#include "trammel/sweep/channel_statistics.h"
#include "trammel/version.h"

namespace trammel {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 4> statistics{"final", "min", "max", "rms"};

double statistic_of(const ChannelStatistics& all, const std::string& name) {
  if (name == "final") return all.final;
  if (name == "min") return all.minimum;
  return name == "max" ? all.maximum : all.rms;
}

// Members that are the same in JSON and here.
template <class Request, class Function>
void for_each_member(Request& request, const Function& function) {
  function("model", request.model);
  function("text", request.text);
  function("set", request.set);
  function("vary", request.vary);
  function("count", request.sampling.count);
  function("seed", request.sampling.seed);
  function("measures", request.measures);
  function("coordinates", request.coordinates);
  function("end", request.end);
  function("output_interval", request.output_interval);
  function("samples", request.samples);
  function("method", request.method);
  function("rtol", request.rtol);
  function("atol", request.atol);
  function("h0", request.h0);
  function("options", request.options);
}

template <class Value>
Json json_of(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}
template <class Value>
Json json_of(const Value& value) {
  return value;
}
template <class Value>
void read(const Json& json, std::optional<Value>& value) {
  if (!json.is_null()) value = json.get<Value>();
}
template <class Value>
void read(const Json& json, Value& value) {
  json.get_to(value);
}

std::string checksum_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::invalid_argument(fmt::format("'{}' cannot be read any more", path));
  Checksum checksum;
  checksum.add(std::string{std::istreambuf_iterator<char>(file), {}});
  return fmt::format("{:016x}", checksum.value());
}

std::string in_one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

}  // namespace

Json SweepRequest::to_json() const {
  Json json{{"points", name(sampling.kind)}};
  for_each_member(*this, [&](const char* key, const auto& value) { json[key] = json_of(value); });
  return json;
}

SweepRequest SweepRequest::from_json(const Json& json) {
  SweepRequest request;
  request.sampling.kind = sampling_kind(json.at("points").get<std::string>());
  for_each_member(request, [&](const char* key, auto& value) { read(json.at(key), value); });
  return request;
}

Json SweepRow::to_json() const {
  Json json{{"run", run}, {"status", status}, {"message", message}};
  if (has_values()) json["values"] = values;  // what is not finite becomes null
  return json;
}

SweepRow SweepRow::from_json(const Json& json, std::size_t columns) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  SweepRow row{json.at("run").get<long>(), json.at("status").get<std::string>(),
               json.at("message").get<std::string>()};
  if (row.has_values())
    for (const Json& value : json.at("values"))
      row.values.push_back(value.is_null() ? nan : value.get<double>());
  row.values.resize(columns, nan);
  return row;
}

Sweep::Sweep(SweepRequest request) : request_(std::move(request)) {
  for (const std::string& text : request_.vary) variations_.push_back(parse_variation(text));
  points_ = sweep_points(variations_, request_.sampling);
  const Model first = model(parameters(0));
  title_ = first.mechanism.title.empty() ? first.file : first.mechanism.title;
  if (request_.text.empty()) files_ = first.files;
  for (const Variation& variation : variations_)
    if (!first.mechanism.parameters.contains(variation.parameter))
      throw std::invalid_argument(fmt::format("the model has no parameter '{}'", variation.parameter));
  choose_columns(MechanismRun(first, run_request()).recording());
}

std::vector<std::pair<std::string, std::string>> Sweep::parameters(long run) const {
  std::vector<std::pair<std::string, std::string>> all = request_.set;
  for (std::size_t i = 0; i < variations_.size(); ++i)
    all.emplace_back(variations_[i].parameter, fmt::format("{}", point(run)[i]));
  return all;
}

Model Sweep::model(const std::vector<std::pair<std::string, std::string>>& parameters) const {
  Model model = request_.text.empty() ? read_model(request_.model, {parameters})
                                      : read_model_text(request_.text, request_.model, {parameters});
  if (!request_.coordinates.empty()) {
    check_coordinates(request_.coordinates);
    model.simulation.coordinates = request_.coordinates;
  }
  return model;
}

RunRequest Sweep::run_request() const {
  RunRequest request;
  request.end = request_.end;
  request.output_interval = request_.output_interval;
  request.samples = request_.samples;
  request.method = request_.method;
  request.rtol = request_.rtol;
  request.atol = request_.atol;
  request.h0 = request_.h0;
  request.options = request_.options;
  // as `trammel run`, bit for bit
  request.checkpoint_steps = default_checkpoint_steps;
  return request;
}

void Sweep::choose_columns(const Recording& recording) {
  const auto add = [&](const Channel& channel, const std::string& statistic) {
    columns_.push_back({channel.name, statistic, channel.unit});
  };
  for (const std::string& wanted : request_.measures) {
    std::string name = wanted, statistic;
    if (const std::size_t colon = wanted.rfind(':'); colon != std::string::npos) {
      name = wanted.substr(0, colon);
      statistic = wanted.substr(colon + 1);
      if (std::find(statistics.begin(), statistics.end(), statistic) == statistics.end())
        throw std::invalid_argument(
            fmt::format("'{}': of a channel there are final, min, max and rms, not '{}'", wanted, statistic));
    }
    std::vector<const Channel*> chosen;
    if (const Failure failure = recording.select({name}, chosen))
      throw std::invalid_argument(failure.message);
    for (const Channel* channel : chosen)
      for (const char* each : statistics)
        if (statistic.empty() || statistic == each) add(*channel, each);
  }
  if (!request_.measures.empty()) return;
  for (const char* group : {"measures", "joints"}) {
    for (const Channel& channel : recording.channels())
      if (channel.group == group)
        for (const char* statistic : statistics) add(channel, statistic);
    if (!columns_.empty()) return;
  }
  throw std::invalid_argument(
      "the model has neither measures nor joint coordinates: say what to keep by --measure");
}

SweepRow Sweep::run(long run, const std::atomic<bool>* interrupt) const {
  try {
    const Model at_point = model(parameters(run));
    RunRequest request = run_request();
    request.interrupt = interrupt;
    MechanismRun mechanism_run(at_point, request);
    mechanism_run.run();
    return computed(run, mechanism_run);
  } catch (const std::exception& error) {
    return lost(run, "failed", error.what());
  }
}

SweepRow Sweep::computed(long run, const MechanismRun& finished) const {
  const Summary& summary = finished.summary();
  if (!summary.ok()) return lost(run, "failed", summary.message());
  SweepRow row{run, std::string(name(summary.status)),
               summary.status == Status::finished ? "" : in_one_line(summary.message())};
  const Recording& recording = finished.recording();
  std::string known;
  ChannelStatistics all;
  for (const SweepColumn& column : columns_) {
    if (column.channel != known) {
      const Channel* channel = recording.find(column.channel);
      if (channel == nullptr)
        return lost(run, "failed",
                    fmt::format("at this point the model has no channel '{}'", column.channel));
      all = channel_statistics(recording.times(), channel->values);
      known = column.channel;
    }
    row.values.push_back(statistic_of(all, column.statistic));
  }
  return row;
}

SweepRow Sweep::lost(long run, const std::string& status, const std::string& message) const {
  return {run, status, in_one_line(message),
          std::vector<double>(columns_.size(), std::numeric_limits<double>::quiet_NaN())};
}

Json Sweep::facts() const {
  Json files = Json::array(), names = Json::array();
  for (const std::string& path : files_) files.push_back({{"file", path}, {"checksum", checksum_of(path)}});
  for (const SweepColumn& column : columns_) names.push_back(column.name());
  return {{"version", std::string(version)},
          {"request", request_.to_json()},
          {"runs", size()},
          {"columns", names},
          {"files", files}};
}

void Sweep::check_same(const Json& facts) const {
  const Json now = this->facts();
  const std::string remedy = "A sweep goes on as it was begun: bring that back, or begin another sweep";
  if (facts.at("version") != now.at("version"))
    throw std::invalid_argument(
        fmt::format("the sweep was begun with version {} of the program, and this is {}",
                    facts.at("version").dump(), now.at("version").dump()));
  const Json &were = facts.at("files"), &are = now.at("files");
  if (were.size() != are.size())
    throw std::invalid_argument(
        fmt::format("the model consists of {} files, and of {} when the sweep was begun. {}", are.size(),
                    were.size(), remedy));
  for (std::size_t i = 0; i < are.size(); ++i)
    if (were[i].at("checksum") != are[i].at("checksum"))
      throw std::invalid_argument(fmt::format("'{}' is not what it was when the sweep was begun. {}",
                                              are[i].at("file").get<std::string>(), remedy));
  if (facts.at("columns") != now.at("columns") || facts.at("runs") != now.at("runs"))
    throw std::invalid_argument("the sweep was begun with other points or columns. " + remedy);
}

}  // namespace trammel
