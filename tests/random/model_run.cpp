#include "tests/random/model_run.h"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace trammel {
namespace {

constexpr const char* axis_names[] = {"x", "y", "z"};

// Turns the three channels of a vector.
void turn_vector(const std::string& name, const Mat3<double>& by, const Vec3<double>& shift,
                 Samples& samples) {
  std::array<std::vector<double>*, 3> parts{};
  for (std::size_t i = 0; i < 3; ++i) parts[i] = &samples.series.at(name + "." + axis_names[i]).values;
  for (std::size_t k = 0; k < samples.times.size(); ++k) {
    const Vec3<double> turned = by * Vec3<double>{(*parts[0])[k], (*parts[1])[k], (*parts[2])[k]} + shift;
    for (int i = 0; i < 3; ++i) (*parts[static_cast<std::size_t>(i)])[k] = turned[i];
  }
}

std::array<std::vector<double>*, 4> quaternion_parts(const std::string& body, Samples& samples) {
  std::array<std::vector<double>*, 4> parts{};
  const char* names[] = {"w", "x", "y", "z"};
  for (std::size_t i = 0; i < 4; ++i) parts[i] = &samples.series.at(body + ".quaternion." + names[i]).values;
  return parts;
}

void turn_quaternion(const std::string& body, const Mat3<double>& by, Samples& samples) {
  const std::array<std::vector<double>*, 4> parts = quaternion_parts(body, samples);
  for (std::size_t k = 0; k < samples.times.size(); ++k) {
    const Quaternion<double> before{(*parts[0])[k], (*parts[1])[k], (*parts[2])[k], (*parts[3])[k]};
    const Quaternion<double> after = quaternion(by * rotation_matrix(before));
    (*parts[0])[k] = after.w;
    (*parts[1])[k] = after.x;
    (*parts[2])[k] = after.y;
    (*parts[3])[k] = after.z;
  }
}

}  // namespace

ModelRun run_model(const Model& model, const ModelRunRequest& request) {
  // of the processor, so that a busy machine makes no difference
  const std::clock_t begin = std::clock();
  ModelRun result;
  result.request = request;
  RunRequest asked;
  asked.end = request.end;
  asked.output_interval = request.output;
  const std::size_t in = request.method.find(" in ");
  asked.method = request.method.substr(0, in);
  asked.rtol = request.rtol;
  asked.on_step = [&](double, double) {
    result.out_of_time = static_cast<double>(std::clock() - begin) > request.time_limit * CLOCKS_PER_SEC;
    return !result.out_of_time;
  };
  Model as_asked = model;
  if (in != std::string::npos) as_asked.simulation.coordinates = request.method.substr(in + 4);
  MechanismRun run(as_asked, asked);
  result.start = run.equations().initial_state();
  const AssemblyReport assembly = assemble_mechanism(run.equations(), 0.0, result.start);
  const Summary& summary = run.run();
  result.finished = summary.status == Status::finished && !assembly.failure;
  result.message = summary.message();
  result.violation = summary.violation;
  result.degrees_of_freedom = summary.degrees_of_freedom;
  result.redundant = summary.redundant;
  result.final_state = summary.final_state;
  result.recording = run.recording();
  return result;
}

std::map<std::string, double> Samples::sizes() const {
  std::map<std::string, double> sizes;
  for (const auto& [name, one] : series)
    for (const double value : one.values) sizes[one.kind] = std::max(sizes[one.kind], std::abs(value));
  return sizes;
}

Samples samples_of(const Recording& recording) {
  Samples samples;
  samples.times = recording.times();
  for (const Channel& channel : recording.channels())
    samples.series[channel.name] = {
        channel.group.text() + (channel.unit.empty() ? "" : " in " + channel.unit.text()), channel.values};
  return samples;
}

Samples moved_samples(const Samples& samples, const Model& model, const Frame& by) {
  Samples moved = samples;
  for (std::size_t i = 1; i < model.mechanism.bodies.size(); ++i) {
    const std::string& name = model.mechanism.bodies[i].name;
    turn_vector(name + ".position", by.axes, by.origin, moved);
    turn_vector(name + ".velocity", by.axes, {}, moved);
    turn_vector(name + ".angular_velocity", by.axes, {}, moved);
    turn_quaternion(name, by.axes, moved);
  }
  // the potential of gravity has another zero
  moved.series.erase("energy.potential");
  moved.series.erase("energy.total");
  for (const Force& force : model.mechanism.forces)
    if (force.applied() != nullptr)
      std::erase_if(moved.series,
                    [&](const auto& entry) { return entry.first.starts_with(force.ends().name + "."); });
  return moved;
}

Samples heavier_samples(const Samples& samples, double factor) {
  Samples heavier = samples;
  for (auto& [name, series] : heavier.series) {
    const bool is_force = series.kind.ends_with(" N") || series.kind.ends_with(" N m") ||
                          series.kind.ends_with(" J") || name.ends_with(".effort");
    if (is_force)
      for (double& value : series.values) value *= factor;
  }
  return heavier;
}

Disagreement disagreement(const Samples& a, const Samples& b) {
  Disagreement result;
  std::vector<std::pair<std::size_t, std::size_t>> common;
  std::size_t j = 0;
  const double tolerance = a.times.size() > 1 ? 1e-6 * (a.times[1] - a.times[0]) : 0;
  for (std::size_t i = 0; i < a.times.size(); ++i) {
    while (j < b.times.size() && b.times[j] < a.times[i] - tolerance) ++j;
    if (j == b.times.size()) break;
    if (b.times[j] > a.times[i] + tolerance) continue;
    common.emplace_back(i, j);
    result.times.push_back(a.times[i]);
  }
  for (const auto& [name, series] : a.series) {
    const auto other = b.series.find(name);
    if (other == b.series.end()) continue;
    Disagreement::Apart& apart = result.kinds[series.kind];
    apart.values.resize(common.size());
    apart.channels.resize(common.size());
    for (std::size_t k = 0; k < common.size(); ++k) {
      const double first = series.values[common[k].first], second = other->second.values[common[k].second];
      double value = std::abs(first - second);
      // a quaternion and its opposite are the same orientation
      if (series.kind == "orientations") value = std::min(value, std::abs(first + second));
      // what is not a number is not near to anything
      if (value <= apart.values[k] && !apart.channels[k].empty()) continue;
      apart.values[k] = std::isnan(value) ? HUGE_VAL : value;
      apart.channels[k] = name;
    }
  }
  return result;
}

}  // namespace trammel
