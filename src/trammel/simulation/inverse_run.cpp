#include "trammel/simulation/inverse_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <stdexcept>

#include "trammel/analysis/joint_dynamics.h"
#include "trammel/analysis/motor_forces.h"
#include "trammel/mechanism/measured_function.h"
#include "trammel/motion/joint_motion.h"
#include "trammel/numerics/interpolating_spline.h"
#include "trammel/simulation/mechanism_recorder.h"
#include "trammel/simulation/recorded_states.h"
#include "trammel/simulation/table_motion.h"

namespace trammel {

namespace {

// The coordinate that an actuator acts along.
std::string coordinate_of(const Mechanism& mechanism, const Force::Coordinate& along) {
  if (along.joint.empty()) return along.coordinate;
  if (!along.coordinate.empty()) return along.joint + "." + along.coordinate;
  const Joint* joint = mechanism.joint(along.joint);
  return joint == nullptr ? along.joint : along.joint + "." + coordinate_names(joint->type).front();
}

// Letters, digits and underscores only.
std::string plain_name(const std::string& name) {
  std::string result;
  for (const char c : name) result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return result;
}

}  // namespace

InverseRun::InverseRun(const Model& model, const Recording& along, const InverseRequest& request)
    : model_(model),
      along_(along),
      equations_(std::make_unique<JointEquations>(without_motors(model.mechanism))) {
  if (along.times().empty()) throw std::invalid_argument("the motion has no samples");
  choose_motors(request.coordinates);
}

InverseRun::~InverseRun() = default;

std::string InverseRun::free_name(const std::string& wanted) const {
  std::set<std::string> taken;
  const Mechanism& mechanism = equations_->mechanism();
  const auto take = [&](const auto& things) {
    for (const auto& thing : things) taken.insert(thing.name);
  };
  take(mechanism.bodies);
  take(mechanism.markers);
  take(mechanism.joints);
  take(mechanism.couplers);
  take(mechanism.roads);
  take(mechanism.states);
  take(mechanism.measures);
  for (const Force& force : mechanism.forces) taken.insert(force.ends().name);
  for (const auto& [name, value] : mechanism.parameters) taken.insert(name);
  for (const auto& [name, table] : mechanism.tables) taken.insert(name);
  for (const Motor& motor : motors_) taken.insert({motor.name, motor.table});
  std::string name = wanted;
  for (int i = 2; taken.contains(name); ++i) name = fmt::format("{}_{}", wanted, i);
  return name;
}

void InverseRun::choose_motors(const std::vector<std::string>& wanted) {
  const std::vector<JointCoordinate>& coordinates = equations_->elements().coordinates;
  const auto known = [&](const std::string& name) {
    return std::find_if(coordinates.begin(), coordinates.end(),
                        [&](const JointCoordinate& one) { return one.name == name; });
  };
  // who acts along what in the model
  std::vector<std::pair<std::string, std::string>> acting;
  for (const Force& force : model_.mechanism.forces)
    if (const auto* actuator = force.as<Force::Actuator>())
      acting.emplace_back(coordinate_of(model_.mechanism, actuator->along), actuator->name);
  for (const Driver& driver : model_.mechanism.drivers) acting.emplace_back(driver.coordinate, driver.name);

  std::vector<std::string> chosen = wanted;
  if (chosen.empty())
    for (const auto& [coordinate, name] : acting) chosen.push_back(coordinate);
  if (chosen.empty())
    for (const JointCoordinate& coordinate : coordinates)
      if (equations_->tree().contains(static_cast<std::size_t>(coordinate.joint)))
        chosen.push_back(coordinate.name);
  for (const std::string& name : chosen) {
    if (std::any_of(motors_.begin(), motors_.end(), [&](const Motor& one) { return one.coordinate == name; }))
      continue;
    const auto coordinate = known(name);
    if (coordinate == coordinates.end()) {
      std::vector<std::string> names;
      for (const JointCoordinate& one : coordinates) names.push_back(one.name);
      throw std::invalid_argument(
          fmt::format("forces along '{}' are not found: there is no such joint coordinate; there are {}",
                      name, fmt::join(names, ", ")));
    }
    const auto actor =
        std::find_if(acting.begin(), acting.end(), [&](const auto& one) { return one.first == name; });
    Motor motor{.coordinate = name, .is_angle = coordinate->is_angle};
    motor.name = free_name(actor != acting.end() ? actor->second : plain_name(name) + "_motor");
    motors_.push_back(motor);
    motors_.back().table = free_name(plain_name(motor.name) + "_force");
  }
}

Failure InverseRun::run() {
  if (Failure failure = find_motion(along_)) return failure;
  if (Failure failure = find_forces()) return failure;
  record();
  return {};
}

// --- the motion -------------------------------------------------------------------------------------------

Failure InverseRun::find_motion(const Recording& along) {
  for (std::size_t i = 1; i < along.times().size(); ++i)
    if (along.times()[i] <= along.times()[i - 1])
      throw std::invalid_argument(
          fmt::format("the times of the motion must ascend, and {:.10g} s comes after {:.10g} s",
                      along.times()[i], along.times()[i - 1]));
  const Mechanism& mechanism = equations_->mechanism();
  const bool of_bodies =
      mechanism.bodies.size() > 1 && along.find(mechanism.bodies[1].name + ".quaternion.w");
  if (!of_bodies) return take_table(along);
  take_recorded(along);
  return {};
}

void InverseRun::take_recorded(const Recording& along) {
  RecordedStates states(*equations_, along);
  const Layout& l = equations_->layout();
  Matrix velocities(states.samples(), l.v.size);
  for (Index i = 0; i < states.samples(); ++i) {
    Sample sample{.t = states.time(i)};
    states.state(i, sample.x);
    velocities.row(i) = sample.x.segment(l.v.begin, l.v.size).transpose();
    samples_.push_back(std::move(sample));
  }
  const InterpolatingSpline spline(along.times(), velocities);
  for (Sample& sample : samples_) {
    sample.accelerations.resize(l.v.size);
    for (Index k = 0; k < l.v.size; ++k) sample.accelerations[k] = spline(k, sample.t)[1];
  }
  judge_accelerations(velocities);
  source_ = fmt::format(
      "positions and velocities as recorded, accelerations by a spline of degree {} through the "
      "velocities of {} samples",
      spline.degree(), samples_.size());
  if (!states.unknown_states().empty())
    notes_.push_back(fmt::format("the result does not tell {}: initial values are used all along",
                                 fmt::join(states.unknown_states(), ", ")));
}

// A spline through every second sample is off by some 2⁵ times as much, where the motion is smooth between samples.
void InverseRun::judge_accelerations(const Matrix& velocities) {
  std::vector<double> times;
  for (std::size_t i = 0; i < samples_.size(); i += 2) times.push_back(samples_[i].t);
  if (times.size() < 4) return;
  Matrix halved(static_cast<Index>(times.size()), velocities.cols());
  for (Index i = 0; i < halved.rows(); ++i) halved.row(i) = velocities.row(2 * i);
  const InterpolatingSpline coarse(times, halved);
  double largest = 0, difference = 0, when = 0;
  for (std::size_t i = 0; i < samples_.size(); i += 2)
    for (Index k = 0; k < velocities.cols(); ++k) {
      const double exact = samples_[i].accelerations[k],
                   off = std::abs(exact - coarse(k, samples_[i].t)[1]) / 16;
      largest = std::max(largest, std::abs(exact));
      if (off <= difference) continue;
      difference = off;
      when = samples_[i].t;
    }
  if (difference > 1e-3 * largest)
    notes_.push_back(fmt::format(
        "samples are too far apart for what happens at t = {:.6g}: accelerations there are known to "
        "about {:.2g} % only (run with a smaller output interval)",
        when, 100 * difference / largest));
}

Failure InverseRun::take_table(const Recording& table) {
  TableMotion motion(equations_->mechanism(), table);
  source_ = motion.source();
  if (!equations_->names().r.empty())
    notes_.push_back(fmt::format("the table does not tell {}: initial values are used all along",
                                 fmt::join(equations_->names().r, ", ")));
  for (const double t : table.times()) {
    Sample sample{.t = t};
    if (Failure failure = motion.find(t, equations_->layout(), sample.x, sample.accelerations))
      return failure;
    samples_.push_back(std::move(sample));
  }
  return {};
}

// --- the forces -------------------------------------------------------------------------------------------

Failure InverseRun::find_forces() {
  std::vector<std::string> coordinates;
  for (const Motor& motor : motors_) coordinates.push_back(motor.coordinate);
  MotorForces forces(*equations_, coordinates);
  double missing = 0, largest = 0, when = 0;
  std::string along;
  bool ambiguous = false;
  for (Sample& sample : samples_) {
    if (Failure failure = forces.solve(sample.t, sample.x, sample.accelerations, sample.forces))
      return failure;
    if (!sample.forces.allFinite())
      return {Reason::not_finite, fmt::format("the forces at t = {:.10g} are not finite numbers", sample.t)};
    ambiguous = ambiguous || forces.ambiguous();
    largest = std::max(largest, forces.largest_force());
    if (forces.missing() <= missing) continue;
    missing = forces.missing();
    when = sample.t;
    along = forces.missing_along();
  }
  if (ambiguous)
    notes_.push_back("there are more motors than motions: of all forces that do it the smallest are taken");
  // what a spline is off by is not the motors' fault
  if (missing > 1e-3 * largest)
    notes_.push_back(
        fmt::format("these motors cannot do this motion: at t = {:.6g} a force of {:.4g} along {} is missing",
                    when, missing, along));
  return {};
}

Mechanism InverseRun::with_motors() const {
  Mechanism mechanism = equations_->mechanism();
  std::vector<double> times;
  for (const Sample& sample : samples_) times.push_back(sample.t);
  for (std::size_t i = 0; i < motors_.size(); ++i) {
    Force::Actuator actuator;
    actuator.name = motors_[i].name;
    actuator.along.coordinate = motors_[i].coordinate;
    std::vector<double> values;
    for (const Sample& sample : samples_) values.push_back(sample.forces[static_cast<Index>(i)]);
    if (times.size() < 2) {
      actuator.law = Law(values.front());
    } else {
      actuator.law = Law(fmt::format("table({}, t)", motors_[i].table));
      mechanism.tables.insert_or_assign(
          motors_[i].table, Table(times, values, Table::Interpolation::cubic, Table::Outside::hold));
    }
    mechanism.add(actuator);
  }
  return mechanism;
}

void InverseRun::record() {
  JointEquations equations(with_motors());
  MechanismRecorder recorder(equations, recording_);
  for (const Sample& sample : samples_) {
    recorder.follow(sample.t, sample.x);
    recorder.append(sample.t, sample.x);
  }
  recording_.title = model_.mechanism.title;
  recording_.set_metadata("model", model_.file);
  recording_.set_metadata("analysis", "inverse dynamics");
  recording_.set_metadata("motion", source_);
  const std::vector<std::string> sentences = recorder.measures_not_finite();
  notes_.insert(notes_.end(), sentences.begin(), sentences.end());
}

std::vector<std::string> InverseRun::channels() const {
  std::vector<std::string> names;
  for (const Motor& motor : motors_) names.push_back(motor.name + (motor.is_angle ? ".torque" : ".force"));
  return names;
}

Model InverseRun::driven() const {
  if (samples_.empty() || samples_.front().forces.size() == 0)
    throw std::invalid_argument("no forces were found");
  if (samples_.front().t != 0)
    throw std::invalid_argument(
        fmt::format("a model begins at t = 0 and the motion at {:.6g} s", samples_.front().t));
  Model model = model_;
  model.mechanism = with_motors();
  for (std::size_t i = 0; i < motors_.size() && samples_.size() > 1; ++i) {
    TablePoints& points = model.tables[motors_[i].table];
    points.interpolation = Table::Interpolation::cubic;
    for (const Sample& sample : samples_) {
      points.x.push_back(sample.t);
      points.y.push_back(sample.forces[static_cast<Index>(i)]);
    }
  }
  model.simulation.end = samples_.back().t;
  if (samples_.size() > 1)
    model.simulation.output = samples_.back().t / static_cast<double>(samples_.size() - 1);

  // it begins as the motion does
  JointMotion motion(*equations_);
  motion.set_state(0, samples_.front().x, Vector());
  Mechanism& mechanism = model.mechanism;
  for (std::size_t i = 1; i < mechanism.bodies.size(); ++i) {
    Body& body = mechanism.bodies[i];
    const BodyState& state = motion.bodies()[i];
    const Vec3<double> omega = state.R * state.omega, arm = state.R * body.com;
    body.velocity = state.v - cross(omega, arm);
    body.angular_velocity = omega;
  }
  for (Joint& joint : mechanism.joints) joint.initial.clear();
  mechanism.initial.clear();
  for (const JointCoordinate& coordinate : equations_->elements().coordinates) {
    const bool moved = std::any_of(motors_.begin(), motors_.end(),
                                   [&](const Motor& motor) { return motor.coordinate == coordinate.name; });
    const bool open = equations_->layout().lambda.size + equations_->layout().mu.size == 0;
    if (!moved && !open) continue;
    const auto row = at_index(coordinate.row);
    mechanism.initial.push_back({coordinate.name, {}, motion.measured().value[row]});
    mechanism.initial.push_back({coordinate.name + "_rate", {}, motion.measured().rate[row]});
  }
  return model;
}

}  // namespace trammel
