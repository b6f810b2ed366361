#include "trammel/cli/model_state.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "trammel/simulation/mechanism_recorder.h"

namespace trammel {

namespace {

// A report lists so many of each at most.
constexpr std::size_t most_listed = 40;

double value(const Recording& recording, const std::string& name) {
  const Channel* channel = recording.find(name);
  return channel == nullptr || channel->values.empty() ? 0.0 : channel->values.back();
}

std::vector<double> vector(const Recording& recording, const std::string& name) {
  return {value(recording, name + ".x"), value(recording, name + ".y"), value(recording, name + ".z")};
}

std::string vector_text(const std::vector<double>& vector) {
  return fmt::format("[{: .6g}, {: .6g}, {: .6g}]", without_noise(vector[0]), without_noise(vector[1]),
                     without_noise(vector[2]));
}

void add_section(std::string& text, const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  text += title + "\n";
  for (std::size_t i = 0; i < lines.size() && i < most_listed; ++i) text += "  " + lines[i] + "\n";
  if (lines.size() > most_listed) text += fmt::format("  ... and {} more\n", lines.size() - most_listed);
}

}  // namespace

double without_noise(double value) { return std::abs(value) < 1e-12 ? 0.0 : value; }

Recording snapshot(MechanismEquations& equations, double t, const Vector& x) {
  Recording recording;
  MechanismRecorder recorder(equations, recording);
  recorder.append(t, x);
  return recording;
}

nlohmann::ordered_json snapshot_json(const Mechanism& mechanism, const Recording& recording) {
  nlohmann::ordered_json json;
  json["joints"] = json["bodies"] = json["reactions"] = json["forces"] = nlohmann::ordered_json::object();
  for (const Channel& channel : recording.channels())
    for (const char* group : {"joints", "forces"})
      if (channel.group == group) json[group][channel.name] = channel.values.back();
  for (std::size_t i = 1; i < mechanism.bodies.size(); ++i) {
    const std::string& name = mechanism.bodies[i].name;
    std::vector<double> quaternion;
    for (const char* part : {"w", "x", "y", "z"})
      quaternion.push_back(value(recording, name + ".quaternion." + part));
    json["bodies"][name] = {{"position", vector(recording, name + ".position")}, {"quaternion", quaternion}};
  }
  for (const Joint& joint : mechanism.joints)
    json["reactions"][joint.name] = {{"force", vector(recording, joint.name + ".reaction.force")},
                                     {"torque", vector(recording, joint.name + ".reaction.torque")}};
  return json;
}

std::string snapshot_report(const Mechanism& mechanism, const Recording& recording, bool with_reactions) {
  std::vector<std::string> coordinates, bodies, reactions, forces;
  for (const Channel& channel : recording.channels()) {
    const bool is_rate = channel.name.ends_with("_rate");
    if (channel.values.empty() || (channel.group != "joints" && channel.group != "forces")) continue;
    if (channel.group == "joints" && is_rate) continue;
    const double at = without_noise(channel.values.back());
    std::string line = fmt::format("{:<24} {: .9g} {}", channel.name, at, channel.unit);
    if (channel.unit == "rad") line += fmt::format(" ({:.6g} deg)", at * 180 / std::numbers::pi);
    (channel.group == "joints" ? coordinates : forces).push_back(line);
  }
  for (std::size_t i = 1; i < mechanism.bodies.size(); ++i)
    bodies.push_back(fmt::format("{:<24} {}", mechanism.bodies[i].name,
                                 vector_text(vector(recording, mechanism.bodies[i].name + ".position"))));
  for (const Joint& joint : mechanism.joints)
    reactions.push_back(fmt::format("{:<24} force {} N, torque {} N m", joint.name,
                                    vector_text(vector(recording, joint.name + ".reaction.force")),
                                    vector_text(vector(recording, joint.name + ".reaction.torque"))));
  std::string text;
  add_section(text, "joint coordinates", coordinates);
  add_section(text, "origins of the bodies' frames, in m", bodies);
  if (!with_reactions) return text;
  add_section(text, "reactions on the second body, in the joint's frame on the first", reactions);
  add_section(text, "forces", forces);
  return text;
}

std::string model_text_at(const Model& model, MechanismEquations& equations, double t, const Vector& x,
                          bool keep_initial_conditions) {
  Model moved = model;
  const std::unique_ptr<MechanismMotion> motion = equations.mechanism_motion();
  motion->set_state(t, x, Vector());
  std::vector<Frame> frames(moved.mechanism.bodies.size());
  for (std::size_t i = 1; i < frames.size(); ++i) {
    Body& body = moved.mechanism.bodies[i];
    const BodyState& state = motion->bodies()[i];
    const Vec3<double> arm = -(state.R * body.com), omega = state.R * state.omega;
    frames[i] = {state.r + arm, state.R};
    body.velocity = state.v + cross(omega, arm);
    body.angular_velocity = omega;
  }
  const Block& states = equations.layout().r;
  for (std::size_t i = 0; i < moved.mechanism.states.size() && static_cast<Index>(i) < states.size; ++i)
    moved.mechanism.states[i].initial = x[states.begin + static_cast<Index>(i)];
  if (!keep_initial_conditions) {
    moved.mechanism.initial.clear();
    for (Joint& joint : moved.mechanism.joints) joint.initial.clear();
  }
  return write_model(moved, frames);
}

}  // namespace trammel
