#include "trammel/simulation/mechanism_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "trammel/mechanism/measure_values.h"

namespace trammel {

namespace {

constexpr std::array<const char*, 3> axis_names{"x", "y", "z"};

// Three channels of a vector.
void add_vector(std::vector<Channel>& channels, const std::string& name, ChannelText group, ChannelText unit,
                ChannelText description) {
  for (const char* axis : axis_names)
    channels.push_back({.name = name + "." + axis, .group = group, .unit = unit, .description = description});
}

void set_vector(const Vec3<double>& vector, std::span<double> values, std::size_t first) {
  for (int i = 0; i < 3; ++i) values[first + static_cast<std::size_t>(i)] = vector[i];
}

// The unit of something that a force element shows, told by its name.
std::string unit_of_output(const std::string& name, bool rotates) {
  if (name.find("torque") != std::string::npos) return "N m";
  if (name.find("force") != std::string::npos) return "N";
  if (name == "angle") return "rad";
  if (name == "rate") return rotates ? "rad/s" : "m/s";
  if (name == "length" || name == "displacement" || name == "depth" || name == "deflection") return "m";
  return "";
}

}  // namespace

MechanismRecorder::MechanismRecorder(MechanismEquations& equations, Recording& recording)
    : equations_(equations), motion_(equations.mechanism_motion()), recording_(recording) {
  const Mechanism& mechanism = equations.mechanism();
  const Elements& elements = equations.elements();
  quaternions_.resize(mechanism.bodies.size());
  recording_.samples.reserve(13 * (mechanism.bodies.size() - 1) + 2 * elements.coordinates.size() +
                             6 * mechanism.joints.size() + 16);
  for (std::size_t i = 1; i < mechanism.bodies.size(); ++i) add_body(i);
  add_coordinates();
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i) add_reaction(i);
  add_efforts();
  for (const std::unique_ptr<ForceBlock>& block : elements.forces)
    for (std::size_t i = 0; i < block->elements().size(); ++i) add_force(*block, static_cast<Index>(i));
  add_states();
  add_energies();
  add_measures();
  row_.resize(recording_.channels().size());
}

void MechanismRecorder::append(double t, const Vector& x) {
  motion_->set_state(t, x, no_accelerations_);
  for (const Part& part : parts_) part.source(t, x, values_of(part));
  recording_.append(t, row_);
  watch(t);
}

void MechanismRecorder::append(double t, const Vector& x, const SampleLimit& limit) {
  std::vector<double> sum(row_.size(), 0);
  for (std::size_t i = 0; i < SampleLimit::count; ++i) {
    motion_->set_state(limit.t[i], limit.states[i], no_accelerations_);
    for (const Part& part : parts_) {
      if (!part.is_reaction) continue;
      part.source(limit.t[i], limit.states[i], values_of(part));
      for (std::size_t k = part.first; k < part.first + part.count; ++k) sum[k] += limit.weights[i] * row_[k];
    }
  }
  motion_->set_state(t, x, no_accelerations_);
  for (const Part& part : parts_)
    if (part.is_reaction)
      std::copy_n(sum.begin() + static_cast<std::ptrdiff_t>(part.first), part.count, values_of(part).begin());
    else
      part.source(t, x, values_of(part));
  recording_.append(t, row_);
  watch(t);
}

void MechanismRecorder::read(double t, const Vector& x, std::span<const std::size_t> channels,
                             std::span<double> values) {
  motion_->set_state(t, x, no_accelerations_);
  const Part* last = nullptr;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    // the last part that does not begin behind the channel
    const auto after =
        std::upper_bound(parts_.begin(), parts_.end(), channels[i],
                         [](std::size_t channel, const Part& part) { return channel < part.first; });
    const Part& part = *std::prev(after);
    if (&part != last) part.source(t, x, values_of(part));
    last = &part;
    values[i] = row_[channels[i]];
  }
}

void MechanismRecorder::carry(Carrier& carried) {
  motion_->carry(carried);
  carried(not_finite_);
  for (Quaternion<double>& e : quaternions_) carried(e.w, e.x, e.y, e.z);
}

void MechanismRecorder::watch(double t) {
  // zero only if all are finite
  double sum = 0;
  for (const double value : row_) sum += 0 * value;
  if (sum == 0) return;
  for (std::size_t i = 0; i < row_.size(); ++i) {
    if (std::isfinite(row_[i])) continue;
    auto found = std::find_if(not_finite_.begin(), not_finite_.end(),
                              [&](const NotFinite& known) { return known.channel == i; });
    if (found == not_finite_.end())
      found = not_finite_.insert(not_finite_.end(), {.channel = i, .t = t, .value = row_[i]});
    ++found->samples;
  }
}

std::vector<std::string> MechanismRecorder::measures_not_finite() const {
  std::vector<std::string> sentences;
  for (const NotFinite& found : not_finite_) {
    const Channel& channel = recording_.channels()[found.channel];
    if (channel.group != "measures") continue;
    sentences.push_back(
        fmt::format("the measure '{}' is not a finite number in {} of {} samples, first at t = {:.10g} ({}): "
                    "does its expression divide by zero, or take the root of a negative number?",
                    channel.name, found.samples, recording_.times().size(), found.t,
                    std::isnan(found.value) ? "nan"
                    : found.value > 0       ? "inf"
                                            : "-inf"));
  }
  return sentences;
}

void MechanismRecorder::judge(Summary& summary) const {
  const std::vector<std::string> sentences = measures_not_finite();
  summary.notes.insert(summary.notes.begin(), sentences.begin(), sentences.end());
  const std::size_t others = not_finite_.size() - sentences.size();
  if (!summary.ok() || others == 0) return;
  const auto first = std::find_if(not_finite_.begin(), not_finite_.end(), [&](const NotFinite& found) {
    return recording_.channels()[found.channel].group != "measures";
  });
  summary.status = Status::failed;
  summary.failure = {
      Reason::not_finite,
      fmt::format("'{}' is not a finite number at t = {:.10g}{}: what was computed from there on is not the "
                  "motion. Another method may show it (trammel methods), or a smaller --rtol",
                  recording_.channels()[first->channel].name, first->t,
                  others == 1 ? "" : fmt::format(", nor are {} other channels there or later", others - 1))};
}

std::string MechanismRecorder::free_name(const std::string& name) const {
  if (recording_.find(name) == nullptr) return name;
  for (int i = 2;; ++i) {
    const std::string other = fmt::format("{}_{}", name, i);
    if (recording_.find(other) == nullptr) return other;
  }
}

void MechanismRecorder::add(Source source, std::vector<Channel> channels) {
  if (channels.empty()) return;
  parts_.push_back({std::move(source), recording_.channels().size(), channels.size()});
  for (Channel& channel : channels) {
    channel.name = free_name(channel.name);
    recording_.add_channel(std::move(channel));
  }
}

void MechanismRecorder::add_body(std::size_t body) {
  const std::string& name = equations_.mechanism().bodies[body].name;
  std::vector<Channel> channels;
  add_vector(channels, name + ".position", "positions", "m", "origin of the body's frame, in the world");
  for (const char* part : {"w", "x", "y", "z"})
    channels.push_back({.name = name + ".quaternion." + part,
                        .group = "orientations",
                        .unit = "",
                        .description = "turns the body's axes into the world's; w is the scalar part"});
  add_vector(channels, name + ".velocity", "velocities", "m/s",
             "of the origin of the body's frame, in world axes");
  add_vector(channels, name + ".angular_velocity", "velocities", "rad/s", "in world axes");

  add(
      [this, body](double, const Vector&, std::span<double> values) {
        const BodyState& state = motion_->bodies()[body];
        const Vec3<double> arm = -(state.R * equations_.mechanism().bodies[body].com);
        const Vec3<double> omega = state.R * state.omega;
        set_vector(state.r + arm, values, 0);

        Quaternion<double> e = quaternion(state.R);
        const Quaternion<double>& last = quaternions_[body];
        const double along = e.w * last.w + e.x * last.x + e.y * last.y + e.z * last.z;
        // half a turn away from the last one round-off must not decide
        const double lead = std::abs(e.x) > 0.5   ? e.x
                            : std::abs(e.y) > 0.5 ? e.y
                            : std::abs(e.z) > 0.5 ? e.z
                                                  : e.w;
        if (std::abs(along) < 1e-9 ? lead < 0 : along < 0) e = {-e.w, -e.x, -e.y, -e.z};
        quaternions_[body] = e;
        values[3] = e.w;
        values[4] = e.x;
        values[5] = e.y;
        values[6] = e.z;

        set_vector(state.v + cross(omega, arm), values, 7);
        set_vector(omega, values, 10);
      },
      std::move(channels));
}

void MechanismRecorder::add_coordinates() {
  for (const JointCoordinate& coordinate : equations_.elements().coordinates) {
    const auto row = static_cast<std::size_t>(coordinate.row);
    const std::string unit = coordinate.is_angle ? "rad" : "m";
    add(
        [this, row](double, const Vector&, std::span<double> values) {
          values[0] = motion_->measured().value[row];
          values[1] = motion_->measured().rate[row];
        },
        {{.name = coordinate.name, .group = "joints", .unit = unit, .description = "joint coordinate"},
         {.name = coordinate.name + "_rate",
          .group = "joints",
          .unit = unit + "/s",
          .description = "rate of a joint coordinate"}});
  }
}

void MechanismRecorder::add_reaction(std::size_t joint) {
  const std::string& name = equations_.mechanism().joints[joint].name;
  std::vector<Channel> channels;
  add_vector(channels, name + ".reaction.force", "reactions", "N",
             "on the second body, in the axes of the joint's frame on the first");
  add_vector(
      channels, name + ".reaction.torque", "reactions", "N m",
      "on the second body about the origin of the joint's frame on it, in the axes of the frame on the "
      "first");
  add(
      [this, joint](double, const Vector&, std::span<double> values) {
        const Mechanism& mechanism = equations_.mechanism();
        const Joint& description = mechanism.joints[joint];
        const auto b = static_cast<std::size_t>(description.body_b);
        const BodyState& first = motion_->bodies()[static_cast<std::size_t>(description.body_a)];
        const BodyState& second = motion_->bodies()[b];
        const Vec3<double> point =
            second.r + second.R * (description.frame_b.origin - mechanism.bodies[b].com);
        const Wrench<double> reaction =
            motion_->reaction(equations_.elements().joint_rows[joint], description.body_b, point);
        const Mat3<double> axes = first.R * description.frame_a.axes;
        set_vector(transposed_times(axes, reaction.force), values, 0);
        set_vector(transposed_times(axes, reaction.torque), values, 3);
      },
      std::move(channels));
  parts_.back().is_reaction = true;
}

// What drivers and couplers need for their work: the generalised force along the driven coordinate; along a
// coordinate of a coupler it is this times the coordinate's factor.
void MechanismRecorder::add_efforts() {
  const Mechanism& mechanism = equations_.mechanism();
  const Elements& elements = equations_.elements();
  const auto unit_along = [&](const std::string& coordinate) -> std::string {
    for (const JointCoordinate& known : elements.coordinates)
      if (known.name == coordinate) return known.is_angle ? "N m" : "N";
    return coordinate.find("angular_velocity") != std::string::npos ? "N m" : "N";
  };
  const auto add_effort = [&](const std::string& name, const Elements::JointRows& rows,
                              const std::string& unit, const std::string& description) {
    add([this, &rows](double, const Vector&,
                      std::span<double> values) { values[0] = -motion_->multiplier(rows); },
        {{.name = name + ".effort", .group = "forces", .unit = unit, .description = description}});
    parts_.back().is_reaction = true;
  };
  for (std::size_t i = 0; i < mechanism.drivers.size(); ++i)
    add_effort(mechanism.drivers[i].name, elements.driver_rows[i],
               unit_along(mechanism.drivers[i].coordinate),
               "force or torque of the driver along " + mechanism.drivers[i].coordinate);
  for (std::size_t i = 0; i < mechanism.couplers.size(); ++i) {
    std::string unit = unit_along(mechanism.couplers[i].terms[0].coordinate);
    for (const Coupler::Term& term : mechanism.couplers[i].terms)
      if (unit_along(term.coordinate) != unit) unit = "";
    add_effort(mechanism.couplers[i].name, elements.coupler_rows[i], unit,
               "times the factor of a coordinate, the force or torque along it");
  }
}

void MechanismRecorder::add_force(const ForceBlock& block, Index element) {
  const std::vector<std::string> names = block.output_names(element);
  const auto has = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const bool rotates = has("angle") || has("torque");
  std::vector<Channel> channels;
  for (const std::string& name : names)
    channels.push_back({.name = block.elements()[static_cast<std::size_t>(element)].name + "." + name,
                        .group = "forces",
                        .unit = unit_of_output(name, rotates),
                        .description = "of a force element"});
  add(
      [this, &block, element](double t, const Vector&, std::span<double> values) {
        block.outputs(motion_->bodies(), t, motion_->input_values(), element, values);
      },
      std::move(channels));
}

void MechanismRecorder::add_states() {
  const std::vector<StateEquation>& states = equations_.elements().states;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Index column = equations_.layout().r.begin + static_cast<Index>(i);
    add([column](double, const Vector& x, std::span<double> values) { values[0] = x[column]; },
        {{.name = states[i].name, .group = "states", .unit = "", .description = "state of the model"}});
  }
}

void MechanismRecorder::add_energies() {
  add(
      [this](double, const Vector&, std::span<double> values) {
        values[0] = motion_->kinetic_energy();
        values[1] = motion_->potential_energy();
        values[2] = values[0] + values[1];
      },
      {{.name = "energy.kinetic", .group = "energies", .unit = "J", .description = "kinetic energy"},
       {.name = "energy.potential",
        .group = "energies",
        .unit = "J",
        .description = "of gravity, zero at the world's origin, and of springs"},
       {.name = "energy.total", .group = "energies", .unit = "J", .description = "kinetic and potential"}});
}

void MechanismRecorder::add_measures() {
  const Elements& elements = equations_.elements();
  if (elements.measures.empty()) return;
  std::vector<Channel> channels;
  for (const MeasuredExpression& measure : elements.measures)
    channels.push_back(
        {.name = measure.name, .group = "measures", .unit = measure.unit, .description = "measure"});
  add(
      [this, &elements, arguments = std::vector<double>()](double t, const Vector&,
                                                           std::span<double> values) mutable {
        evaluate_measures<double>(elements, elements.measure_order, t, motion_->input_values(), values,
                                  arguments);
      },
      std::move(channels));
}

void add_steps(const std::vector<StepRecord>& steps, Recording& recording, bool with_invariants) {
  if (recording.steps.channels().empty()) {
    recording.add_step_channel(
        {.name = "h", .group = "steps", .unit = "s", .description = "size of the step"});
    for (const char* level : {"position", "velocity", "acceleration"})
      recording.add_step_channel({.name = std::string(level) + "_violation",
                                  .group = "steps",
                                  .unit = "",
                                  .description = "largest residual of the constraints at this level"});
    if (with_invariants)
      recording.add_step_channel({.name = "invariant_error",
                                  .group = "steps",
                                  .unit = "",
                                  .description = "largest residual of the invariants"});
  }
  for (auto i = static_cast<std::size_t>(recording.steps.samples()); i < steps.size(); ++i) {
    const std::array row{steps[i].h, steps[i].position_violation, steps[i].velocity_violation,
                         steps[i].acceleration_violation, steps[i].invariant_error};
    recording.append_step(steps[i].t, std::span(row).first(with_invariants ? 5 : 4));
  }
}

std::vector<StepRecord> steps_of(const Recording& recording) {
  const std::vector<Channel>& channels = recording.steps.channels();
  std::vector<StepRecord> steps;
  for (std::size_t i = 0; i < recording.steps.times().size(); ++i) {
    const auto value = [&](std::size_t channel) {
      return channel < channels.size() ? channels[channel].values[i] : 0.0;
    };
    steps.push_back({recording.steps.times()[i], value(0), value(1), value(2), value(3), value(4)});
  }
  return steps;
}

}  // namespace trammel
