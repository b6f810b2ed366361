#include "trammel/mechanism/joint_elements.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "trammel/mechanism/constraint_kernels.h"
#include "trammel/mechanism/time_function.h"
#include "trammel/mechanism/velocity_kernels.h"

namespace trammel {
namespace {

// Axes for the second shaft of a homokinetic joint, in the frame of its body: z as given, x and y as those of
// the first shaft after the smallest rotation that takes the first z to the second, at the reference
// position. So neither shaft is twisted against the other there, and the frames need only say the shafts.
Mat3<double> untwisted_second_shaft(const Mechanism& mechanism, const Joint& joint) {
  const Mat3<double>& A = mechanism.bodies[static_cast<std::size_t>(joint.body_a)].reference.axes;
  const Mat3<double>& B = mechanism.bodies[static_cast<std::size_t>(joint.body_b)].reference.axes;
  const Mat3<double> first = A * joint.frame_a.axes;
  const Vec3<double> second_z = B * joint.frame_b.axes.column[2];
  const Vec3<double> w = cross(first.column[2], second_z);
  const double one_plus_cosine = 1 + dot(first.column[2], second_z);
  if (one_plus_cosine < 1e-6)
    throw ModelError(joint.place,
                     fmt::format("joint '{}': the shafts of a constant_velocity joint point in opposite "
                                 "directions; turn one of its axes round",
                                 joint.name));
  const auto in_body = [&](const Vec3<double>& a) {
    const Vec3<double> turned = cross(w, a);
    return transposed_times(B, a + turned + cross(w, turned) * (1 / one_plus_cosine));
  };
  return {in_body(first.column[0]), in_body(first.column[1]), joint.frame_b.axes.column[2]};
}

// The rows of one joint.
class JointRowMaker {
 public:
  JointRowMaker(const Mechanism& mechanism, const Joint& joint, Elements& elements,
                QuantityCompiler& compiler, PointRows points)
      : mechanism_(mechanism),
        joint_(joint),
        elements_(elements),
        compiler_(compiler),
        points_(points),
        a_(joint.frame_a.axes),
        b_(joint.frame_b.axes),
        point_a_(from_centre_of_mass(mechanism, joint.body_a, joint.frame_a.origin)),
        point_b_(from_centre_of_mass(mechanism, joint.body_b, joint.frame_b.origin)) {}

  void add_rows() {
    switch (joint_.type) {
      case JointType::fixed:
        add_coincident_points();
        add_common_axis();
        add_locked_rotation();
        break;
      case JointType::revolute:
        add_coincident_points();
        add_common_axis();
        break;
      case JointType::prismatic:
        add_offsets_across();
        add_common_axis();
        add_locked_rotation();
        break;
      case JointType::cylindrical:
        add_offsets_across();
        add_common_axis();
        break;
      case JointType::spherical:
        add_coincident_points();
        break;
      case JointType::universal:
        add_coincident_points();
        add_perpendicular(row("axis"), a_.column[2], b_.column[0]);
        break;
      case JointType::planar:
        add_offset("offset", 2);
        add_common_axis();
        break;
      case JointType::screw:
        add_offsets_across();
        add_pitch();
        add_common_axis();
        break;
      case JointType::translational:
        add_common_axis();
        add_locked_rotation();
        break;
      case JointType::point_on_line:
        add_offsets_across();
        break;
      case JointType::point_in_plane:
        add_offset("offset", 2);
        break;
      case JointType::distance:
        add_distance();
        break;
      case JointType::constant_velocity:
        add_coincident_points();
        add_homokinetic_rotation();
        break;
      case JointType::rolling_disk:
        add_rolling(b_.column[2]);
        break;
      case JointType::rolling_sphere:
        add_rolling({});
        break;
      case JointType::knife_edge:
        add<PointSpeed>(elements_.nonholonomic, velocity_row("slip"), {point_b_, b_.column[1]});
        break;
    }
  }

 private:
  Index row(const char* row_name) {
    return elements_.holonomic.add_row(fmt::format("{}.{}", joint_.name, row_name));
  }
  Index velocity_row(const char* row_name) {
    return elements_.nonholonomic.add_row(fmt::format("{}.{}", joint_.name, row_name));
  }
  template <class Kernel>
  void add(RowSystem& system, Index row, const Kernel& kernel, double factor = 1) {
    system.block<Kernel>().add({joint_.body_a, joint_.body_b, row, factor}, kernel);
  }

  void add_coincident_points() {
    const Index first = row("x");
    row("y");
    row("z");
    if (points_ == PointRows::in_world)
      add<CoincidentPoints>(elements_.holonomic, first, {point_a_, point_b_});
    else
      add<PointInFrame>(elements_.holonomic, first, {a_, point_a_, point_b_});
  }
  void add_perpendicular(Index row, const Vec3<double>& a, const Vec3<double>& b, double factor = 1) {
    add<Perpendicular>(elements_.holonomic, row, {a, b}, factor);
  }
  void add_common_axis() {
    add_perpendicular(row("axis-1"), a_.column[0], b_.column[2]);
    add_perpendicular(row("axis-2"), a_.column[1], b_.column[2]);
  }
  void add_locked_rotation() { add_perpendicular(row("rotation"), a_.column[1], b_.column[0]); }
  void add_offset(const char* row_name, std::size_t direction) {
    add<Offset>(elements_.holonomic, row(row_name), {a_.column[direction], point_a_, point_b_});
  }
  void add_offsets_across() {
    add_offset("offset-1", 0);
    add_offset("offset-2", 1);
  }

  void add_pitch() {
    const Index tie = row("pitch");
    const MeasuredFunctions& functions = compiler_.functions();
    add_to_row(functions.coordinate(joint_, "displacement"), elements_.holonomic, tie);
    add_to_row(functions.coordinate(joint_, "angle"), elements_.holonomic, tie,
               -joint_.pitch / (2 * std::numbers::pi));
  }

  void add_distance() {
    const double rod = joint_.length == 0 ? reference_distance(mechanism_, joint_) : joint_.length;
    add<Distance>(elements_.holonomic, row("distance"), {point_a_, point_b_, rod});
  }

  // In the frame of A, x_A · y_B − y_A · x_B is (1 + cos bend) sin twist: it vanishes exactly if the second
  // shaft is bent, in whatever direction, but not twisted.
  void add_homokinetic_rotation() {
    const Mat3<double> b = untwisted_second_shaft(mechanism_, joint_);
    const Index rotation = row("rotation");
    add_perpendicular(rotation, a_.column[0], b.column[1]);
    add_perpendicular(rotation, a_.column[1], b.column[0], -1);
  }

  void add_rolling(const Vec3<double>& axis_b) {
    add<DiskHeight>(elements_.holonomic, row("height"),
                    {a_.column[2], point_a_, point_b_, axis_b, joint_.radius});
    const Index first = velocity_row("roll-1");
    velocity_row("roll-2");
    add<Rolling>(elements_.nonholonomic, first, {a_, point_b_, axis_b, joint_.radius});
  }

  const Mechanism& mechanism_;
  const Joint& joint_;
  Elements& elements_;
  QuantityCompiler& compiler_;
  const PointRows points_;
  const Mat3<double>&a_, &b_;
  const Vec3<double> point_a_, point_b_;
};

Elements::JointRows rows_before(const Elements& elements) {
  return {elements.holonomic.size(), 0, elements.nonholonomic.size(), 0};
}

Elements::JointRows rows_since(const Elements::JointRows& before, const Elements& elements) {
  Elements::JointRows rows = before;
  rows.count = elements.holonomic.size() - before.first;
  rows.count_nonholonomic = elements.nonholonomic.size() - before.first_nonholonomic;
  return rows;
}

// Couplers and drivers work between two bodies, on what is not a rate.
void check_can_be_constrained(const MeasuredFunction& function, const std::string& who,
                              const SourcePlace& place) {
  if (function.rate && !function.is_velocity())
    throw ModelError(place,
                     fmt::format("{} is on a rate; name the coordinate itself, '{}'", who, function.name));
  if (function.body_a == function.body_b)
    throw ModelError(place, fmt::format("{} is on '{}', which cannot change", who, function.name));
}

// The rate that the model gives for the start, or zero.
double initial_rate(const Elements& elements, Index measured_row) {
  for (const InitialCondition& initial : elements.initial)
    if (initial.on_rate && initial.row == measured_row) return initial.value;
  return 0;
}

}  // namespace

void add_joints(const Mechanism& mechanism, Elements& elements, QuantityCompiler& compiler,
                PointRows points) {
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i) {
    const Joint& joint = mechanism.joints[i];
    const Elements::JointRows before = rows_before(elements);
    JointRowMaker(mechanism, joint, elements, compiler, points).add_rows();
    elements.joint_rows.push_back(rows_since(before, elements));

    for (const std::string& coordinate : coordinate_names(joint.type)) {
      const std::string name = joint.name + "." + coordinate;
      const MeasuredFunction function = compiler.functions().coordinate(joint, coordinate);
      elements.coordinates.push_back({name, static_cast<int>(i), compiler.measured_row(name, joint.place).row,
                                      std::holds_alternative<Angle>(function.kernel)});
    }
  }
}

void add_couplers(const Mechanism& mechanism, Elements& elements, QuantityCompiler& compiler) {
  for (const Coupler& coupler : mechanism.couplers) {
    const Elements::JointRows before = rows_before(elements);
    const std::string who = fmt::format("coupler '{}'", coupler.name);
    const Index row = elements.holonomic.add_row(coupler.name + ".tie", coupler.offset.value_or(0));
    if (!coupler.offset) elements.offsets_from_assembly.push_back(row);
    for (const Coupler::Term& term : coupler.terms) {
      const SourcePlace& place = term.place.line > 0 ? term.place : coupler.place;
      const MeasuredFunction function = compiler.function(term.coordinate, place);
      check_can_be_constrained(function, who, place);
      if (function.is_velocity())
        throw ModelError(place, fmt::format("{} is on '{}', which is a velocity; it can only tie coordinates",
                                            who, function.name));
      add_to_row(function, elements.holonomic, row, term.factor);
    }
    elements.coupler_rows.push_back(rows_since(before, elements));
  }
}

void add_drivers(const Mechanism& mechanism, Elements& elements, QuantityCompiler& compiler) {
  std::map<std::string, std::string> driven;
  for (const Driver& driver : mechanism.drivers) {
    const Elements::JointRows before = rows_before(elements);
    const std::string who = fmt::format("driver '{}'", driver.name);
    const MeasuredFunction function = compiler.function(driver.coordinate, driver.place);
    check_can_be_constrained(function, who, driver.place);
    const auto [first, is_first] = driven.emplace(function.name, driver.name);
    if (!is_first)
      throw ModelError(driver.place, fmt::format("{} is on '{}', which driver '{}' moves already", who,
                                                 function.name, first->second));

    const bool has_position = driver.level == Driver::Level::position;
    if (has_position && function.is_velocity())
      throw ModelError(driver.place, fmt::format("{} is on '{}', which has no position; give its velocity",
                                                 who, function.name));
    RowSystem& system = has_position ? elements.holonomic : elements.nonholonomic;
    const Index row = system.add_row(driver.name + ".driver");
    add_to_row(function, system, row);
    const double rate = initial_rate(elements, compiler.measured_row(driver.coordinate, driver.place).row);
    const Expression law = compiler.compile_of_time(driver.motion);
    const int order = has_position ? 0 : driver.level == Driver::Level::velocity ? 1 : 2;
    elements.laws.push_back({driver.name, law, order});
    auto motion = make_time_function(driver.level, law, rate);
    const Taylor<double> start = (*motion)(0.0);
    if (!std::isfinite(start.value) || !std::isfinite(start.first) || !std::isfinite(start.second))
      throw ModelError(driver.motion.place.line > 0 ? driver.motion.place : driver.place,
                       fmt::format("{}: its motion, or a derivative of it, is not finite at the start", who));
    system.driven.push_back({row, std::move(motion)});
    elements.driver_rows.push_back(rows_since(before, elements));
  }
}

std::vector<Input> reaction_force(JointType type, const Elements::JointRows& rows) {
  Index forces = 0;
  switch (type) {
    case JointType::fixed:
    case JointType::revolute:
    case JointType::spherical:
    case JointType::universal:
    case JointType::constant_velocity:
    case JointType::screw:
      forces = 3;
      break;
    case JointType::prismatic:
    case JointType::cylindrical:
    case JointType::point_on_line:
      forces = 2;
      break;
    case JointType::planar:
    case JointType::point_in_plane:
    case JointType::distance:
    case JointType::rolling_disk:
    case JointType::rolling_sphere:
      forces = 1;
      break;
    case JointType::translational:
    case JointType::knife_edge:
      break;
  }
  std::vector<Input> components;
  for (Index i = 0; i < forces; ++i) components.push_back({Input::Kind::multiplier, rows.first + i});
  for (Index i = 0; i < rows.count_nonholonomic; ++i)
    components.push_back({Input::Kind::nonholonomic_multiplier, rows.first_nonholonomic + i});
  return components;
}

double reference_distance(const Mechanism& mechanism, const Joint& joint) {
  const auto origin = [&](int body, const Frame& frame) {
    return compose(mechanism.bodies[static_cast<std::size_t>(body)].reference, frame).origin;
  };
  return length(origin(joint.body_b, joint.frame_b) - origin(joint.body_a, joint.frame_a));
}

}  // namespace trammel
