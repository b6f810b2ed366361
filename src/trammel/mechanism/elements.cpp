#include "trammel/mechanism/elements.h"

#include <fmt/format.h>

#include <utility>

#include "trammel/mechanism/force_elements.h"
#include "trammel/mechanism/joint_elements.h"
#include "trammel/mechanism/quantity.h"
#include "trammel/numerics/nearest_name.h"

namespace trammel {
namespace {

void add_initial(Elements& elements, const std::string& name, const QuantityCompiler::Row& row, double value,
                 const SourcePlace& place) {
  for (const InitialCondition& other : elements.initial)
    if (other.row == row.row && other.on_rate == row.rate)
      throw ModelError(place, fmt::format("the initial value of '{}' is given twice", name));
  elements.initial.push_back({name, row.row, row.rate, value, place});
}

[[noreturn]] void fail_unknown_coordinate(const Joint& joint, const std::string& coordinate) {
  std::vector<std::string> known;
  for (const std::string& name : coordinate_names(joint.type)) {
    known.push_back(name);
    known.push_back(name + "_rate");
  }
  std::string reason;
  if (known.empty()) reason = fmt::format("; a {} joint has no coordinates", name(joint.type));
  const std::string near = nearest_name(coordinate, known);
  if (!near.empty()) reason = fmt::format(" (did you mean '{}'?)", near);
  throw ModelError(joint.place,
                   fmt::format("joint '{}' has no coordinate '{}'{}", joint.name, coordinate, reason));
}

void add_initial_conditions(const Mechanism& mechanism, Elements& elements, QuantityCompiler& compiler) {
  for (const Joint& joint : mechanism.joints)
    for (const auto& [coordinate, value] : joint.initial) {
      const std::string name = joint.name + "." + coordinate;
      if (!compiler.functions().find(name)) fail_unknown_coordinate(joint, coordinate);
      add_initial(elements, name, compiler.measured_row(name, joint.place), value, joint.place);
    }
  for (const InitialValue& initial : mechanism.initial)
    add_initial(elements, initial.quantity, compiler.measured_row(initial.quantity, initial.place),
                initial.value, initial.place);
}

void add_rotors(const Mechanism& mechanism, Elements& elements, const QuantityCompiler& compiler) {
  for (const Joint& joint : mechanism.joints)
    for (const Rotor& rotor : joint.rotors) {
      if (rotor.reflected() == 0) continue;
      const MeasuredFunction function = compiler.functions().coordinate(joint, rotor.coordinate);
      add_to_row(function, elements.rotors, elements.rotors.add_row(function.name));
      elements.rotor_inertias.push_back(rotor.reflected());
    }
}

void add_states(const Mechanism& mechanism, Elements& elements, QuantityCompiler& compiler) {
  int switches = 0;
  for (const State& state : mechanism.states) {
    CompiledLaw rate = compiler.compile(state.rate);
    // a state is as smooth as velocities are: what jumps is its rate
    elements.laws.push_back({state.name, rate.expression, 2});
    const int first_switch = std::exchange(switches, switches + rate.expression.switches());
    elements.states.push_back(
        {state.name, state.initial, std::move(rate.expression), std::move(rate.inputs), first_switch});
  }
}

void add_measures(const Mechanism& mechanism, Elements& elements, QuantityCompiler& compiler) {
  elements.measures = compiler.compile_measures(elements.measure_order);
  for (std::size_t i = 0; i < mechanism.measures.size(); ++i) {
    elements.measures[i].name = mechanism.measures[i].name;
    elements.measures[i].unit = mechanism.measures[i].unit;
  }
}

}  // namespace

Index RowSystem::add_row(std::string name, double offset) {
  names.push_back(std::move(name));
  offsets.push_back(offset);
  return size() - 1;
}

std::unique_ptr<Elements> make_elements(const Mechanism& mechanism, PointRows points) {
  mechanism.check();
  auto elements = std::make_unique<Elements>();
  elements->gravity = mechanism.gravity;
  for (const Body& body : mechanism.bodies) elements->bodies.push_back({body.mass, body.inertia});
  elements->bodies[0] = {};

  QuantityCompiler compiler(mechanism, *elements);
  add_joints(mechanism, *elements, compiler, points);
  add_rotors(mechanism, *elements, compiler);
  add_couplers(mechanism, *elements, compiler);
  add_initial_conditions(mechanism, *elements, compiler);
  add_drivers(mechanism, *elements, compiler);
  add_forces(mechanism, *elements, compiler);
  add_states(mechanism, *elements, compiler);
  add_measures(mechanism, *elements, compiler);
  for (const auto& extend : mechanism.extensions) extend(*elements);
  return elements;
}

}  // namespace trammel
