// What moves random mechanisms: couplers, drivers, and velocities at the start.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tests/random/random_laws.h"

namespace trammel {
namespace {

// Coordinates that are tied or driven already.
std::set<std::string> taken(const Mechanism& mechanism) {
  std::set<std::string> names;
  for (const Coupler& coupler : mechanism.couplers)
    for (const Coupler::Term& term : coupler.terms) names.insert(term.coordinate);
  for (const Driver& driver : mechanism.drivers) names.insert(driver.coordinate);
  return names;
}

std::vector<SketchedCoordinate> free_coordinates(const MechanismSketch& sketch) {
  std::vector<SketchedCoordinate> coordinates = carrier_coordinates(sketch);
  const std::set<std::string> used = taken(sketch.mechanism());
  std::erase_if(coordinates, [&](const SketchedCoordinate& one) { return used.contains(one.name); });
  return coordinates;
}

// The last thing added must take one degree of freedom and leave enough.
bool takes_one(const MechanismSketch& sketch, const SketchedFreedom& before, int least) {
  const SketchedFreedom after = sketched_freedom(sketch.mechanism());
  return after.freedom == before.freedom - 1 && after.freedom >= least && after.redundant == before.redundant;
}

// A motion that begins where the coordinate is.
Law position_law(MechanismSketch& sketch, const SketchedCoordinate& coordinate, double size,
                 RandomNumbers& random) {
  const std::string motion = smooth_time_law(sketch, random);
  // its value at the start is only known once it is evaluated: let it set in smoothly from zero
  return Law(fmt::format("{} + {}*t*t/(0.01 + t*t)*({})", coordinate.start, size, motion));
}

}  // namespace

void add_random_couplers(MechanismSketch& sketch) {
  RandomNumbers random = sketch.random("couplers");
  if (!random.chance(0.15)) return;
  std::vector<SketchedCoordinate> coordinates = free_coordinates(sketch);
  random.shuffle(coordinates);
  if (coordinates.size() < 2 || coordinates[0].joint == coordinates[1].joint) return;
  const SketchedFreedom before = sketched_freedom(sketch.mechanism());
  Coupler coupler;
  coupler.name = "c1";
  coupler.terms.push_back({coordinates[0].name, random.sign() * random.between(0.5, 2), {}});
  coupler.terms.push_back({coordinates[1].name, random.sign() * random.between(0.5, 2), {}});
  sketch.mechanism().couplers.push_back(coupler);
  if (!takes_one(sketch, before, 1)) sketch.mechanism().couplers.pop_back();
}

void add_random_drivers(MechanismSketch& sketch) {
  RandomNumbers random = sketch.random("drivers");
  const int wanted = random.weighted<int>({{0, 5}, {1, 3}, {2, 1}});
  for (int i = 1; i <= wanted; ++i) {
    std::vector<SketchedCoordinate> coordinates = free_coordinates(sketch);
    RandomNumbers numbers = sketch.random(fmt::format("driver {}", i));
    if (coordinates.empty()) return;
    const SketchedCoordinate& coordinate = numbers.one_of(coordinates);
    // in a loop a large motion soon meets its ends
    const double size =
        (coordinate.is_angle ? 1 : 0.4) * (sketch.has_loops ? 0.1 : 1) * numbers.between(0.3, 1);
    Driver driver;
    driver.name = fmt::format("d{}", i);
    driver.coordinate = coordinate.name;
    driver.level = numbers.weighted<Driver::Level>(
        {{Driver::Level::position, 2}, {Driver::Level::velocity, 1}, {Driver::Level::acceleration, 1}});
    if (driver.level == Driver::Level::position)
      driver.motion = position_law(sketch, coordinate, size, numbers);
    else if (driver.level == Driver::Level::velocity)
      driver.motion = Law(fmt::format("{}*({})", size, smooth_time_law(sketch, numbers)));
    else
      driver.motion = Law(fmt::format("{}*({})", 2 * size, time_law(sketch, numbers)));
    const SketchedFreedom before = sketched_freedom(sketch.mechanism());
    sketch.mechanism().drivers.push_back(driver);
    // a mechanism that is driven altogether is a good one too, now and then
    if (!takes_one(sketch, before, numbers.chance(0.2) ? 0 : 1)) sketch.mechanism().drivers.pop_back();
  }
}

void add_random_start(MechanismSketch& sketch) {
  RandomNumbers random = sketch.random("start");
  const bool by_bodies = random.chance(0.4);
  Mechanism& mechanism = sketch.mechanism();
  if (by_bodies || sketch.has_loops) {
    for (std::size_t i = 1; i < mechanism.bodies.size(); ++i) {
      Vec3<double> velocity = random.vector(1), angular_velocity = random.vector(2);
      if (sketch.planar) {
        velocity.z = 0;
        angular_velocity = {0, 0, angular_velocity.z};
      }
      if (!random.chance(0.5)) continue;
      mechanism.bodies[i].velocity += velocity;
      mechanism.bodies[i].angular_velocity += angular_velocity;
    }
    return;
  }
  for (const SketchedCoordinate& coordinate : free_coordinates(sketch)) {
    const double rate = random.between(-2, 2);
    if (!random.chance(0.5)) continue;
    const bool carries_edge =
        std::any_of(mechanism.joints.begin(), mechanism.joints.end(), [&](const Joint& edge) {
          return edge.type == JointType::knife_edge &&
                 edge.body_b == mechanism.joints[coordinate.joint].body_b;
        });
    if (carries_edge) continue;
    mechanism.joints[coordinate.joint].initial.emplace_back(coordinate.coordinate + "_rate", rate);
  }
}

void add_random_states(MechanismSketch& sketch) {
  RandomNumbers random = sketch.random("states");
  if (!random.chance(0.2)) return;
  const std::vector<SketchedCoordinate> coordinates = carrier_coordinates(sketch);
  State state;
  state.name = "command";
  state.initial = random.between(-1, 1);
  std::string aim = time_law(sketch, random);
  if (!coordinates.empty() && random.chance(0.5))
    aim = law_of(sketch, random.one_of(coordinates).name, 1, random);
  state.rate = Law(fmt::format("({} - command)/{}", aim, random.across(0.02, 1)));
  sketch.mechanism().states.push_back(state);
}

}  // namespace trammel
