#include "tests/random/random_laws.h"

#include <fmt/format.h>

#include "trammel/mechanism/measured_function.h"

namespace trammel {
namespace {

// A table over x from 0 to `range` with values from −1 to 1; returns its name.
std::string add_table(MechanismSketch& sketch, double start, double range, Table::Interpolation interpolation,
                      RandomNumbers& random) {
  TablePoints points;
  points.interpolation = interpolation;
  const int count = random.from_to(4, 7);
  for (int i = 0; i < count; ++i) {
    points.x.push_back(start + range * (i + random.between(-0.3, 0.3)) / (count - 1));
    points.y.push_back(random.between(-1, 1));
  }
  const std::string name = fmt::format("table{}", sketch.model.tables.size() + 1);
  sketch.mechanism().tables.emplace(name, Table(points.x, points.y, points.interpolation, points.outside));
  sketch.model.tables.emplace(name, points);
  return name;
}

}  // namespace

std::string smooth_time_law(MechanismSketch& sketch, RandomNumbers& random) {
  const double rate = random.across(1, 20), phase = random.between(0, 6);
  const double from = sketch.end * random.between(0.05, 0.5),
               to = from + sketch.end * random.between(0.1, 0.5);
  switch (random.below(6)) {
    case 0:
      return fmt::format("{}", random.between(0.3, 1));
    case 1:
      return fmt::format("sin({}*t + {})", rate, phase);
    case 2:
      return fmt::format("step(t, {}, 0, {}, 1)", from, to);
    case 3:
      return fmt::format("exp(-{}*t)*cos({}*t)", rate / 4, rate);
    case 4:
      // beyond its ends a natural spline that holds its value has a corner: it must not get there
      return fmt::format("table({}, t)", add_table(sketch, -0.5 * sketch.end, 2 * sketch.end,
                                                   Table::Interpolation::cubic, random));
    default:
      return fmt::format("t/{}", sketch.end);
  }
}

std::string time_law(MechanismSketch& sketch, RandomNumbers& random) {
  const bool has_corner = random.chance(0.35);
  const std::string smooth = smooth_time_law(sketch, random);
  const double rate = random.across(2, 12), phase = random.between(0, 6);
  const double from = sketch.end * random.between(0.05, 0.6),
               to = from + sketch.end * random.across(0.01, 0.4);
  const std::size_t kind = random.below(6);
  if (!has_corner || !sketch.features.corners) return smooth;
  switch (kind) {
    case 0:
      return fmt::format("if(t > {} and t < {}, 1, 0)", from, to);
    case 1:
      return fmt::format("ramp(t, {}, {})", from, to);
    case 2:
      return fmt::format("abs(sin({}*t + {}))", rate, phase);
    case 3:
      return fmt::format("max(0, sin({}*t + {}))", rate, phase);
    case 4:
      return fmt::format("sign(sin({}*t + {}))", rate, phase);
    default:
      return fmt::format("table({}, t)", add_table(sketch, from, to, Table::Interpolation::linear, random));
  }
}

std::string law_of(MechanismSketch& sketch, const std::string& quantity, double range,
                   RandomNumbers& random) {
  const double middle = random.between(-0.5, 0.5) * range;
  const bool has_corner = random.chance(0.3) && sketch.features.corners;
  const std::string scaled = fmt::format("(({} - {})/{})", quantity, middle, range);
  const std::size_t kind = random.below(4);
  if (has_corner) {
    switch (kind) {
      case 0:
        return fmt::format("max(0, {})", scaled);
      case 1:
        return fmt::format("clamp({}, -1, 1)", scaled);
      case 2:
        return fmt::format("abs({})", scaled);
      default:
        return fmt::format("table({}, {})",
                           add_table(sketch, middle - range, 2 * range, Table::Interpolation::linear, random),
                           quantity);
    }
  }
  switch (kind) {
    case 0:
      return fmt::format("tanh({})", scaled);
    case 1:
      return fmt::format("sin({})", scaled);
    case 2:
      return fmt::format("{}/(1 + {}^2)", scaled, scaled);
    default:
      return scaled;
  }
}

std::vector<SketchedCoordinate> carrier_coordinates(const MechanismSketch& sketch) {
  std::vector<SketchedCoordinate> all;
  const Mechanism& mechanism = sketch.mechanism();
  const MeasuredFunctions functions(mechanism);
  const auto pose = [&](int body) -> Pose<double> {
    const Frame& frame = sketch.world_frame(body);
    return {frame.origin - frame.axes * from_centre_of_mass(mechanism, body, {}), frame.axes};
  };
  for (const int carrier : sketch.carriers) {
    if (carrier < 0) continue;
    const Joint& joint = mechanism.joints[static_cast<std::size_t>(carrier)];
    for (const std::string& coordinate : coordinate_names(joint.type)) {
      // a screw's displacement goes with its angle, and the place of a point that is kept by little else is
      // anywhere soon
      if (joint.type == JointType::screw && coordinate == "displacement") continue;
      const MeasuredFunction function = functions.coordinate(joint, coordinate);
      SketchedCoordinate found{static_cast<std::size_t>(carrier), coordinate, function.name, false, 0};
      const Pose<double> a = pose(function.body_a), b = pose(function.body_b);
      if (const Angle* angle = std::get_if<Angle>(&function.kernel)) {
        found.is_angle = true;
        found.start = (*angle)(a, b)[0];
      } else if (const Offset* offset = std::get_if<Offset>(&function.kernel)) {
        found.start = (*offset)(a, b)[0];
      }
      all.push_back(found);
    }
  }
  return all;
}

}  // namespace trammel
