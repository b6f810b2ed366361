#include "trammel/mechanism/tree_quantities.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "trammel/numerics/nearest_name.h"

namespace trammel {

bool TreeQuantities::knows(const std::string& name) {
  return name == "gravity_torque" || name == "gravity_force" || name == "inverse_dynamics";
}

ExpressionSymbol TreeQuantities::find(const ExpressionReference& reference, const RateInput& input) const {
  return reference.name == "inverse_dynamics" ? inverse_dynamics(reference, input)
                                              : gravity_torque(reference, input);
}

// "A" with one coordinate, or "A.angle".
TreeQuantities::Coordinate TreeQuantities::coordinate(const ExpressionReference& reference) const {
  const std::string& text = reference.arguments[0];
  int joint = functions_.joint(text);
  std::string member;
  if (const std::size_t dot = text.rfind('.'); joint < 0 && dot != std::string::npos) {
    joint = functions_.joint(text.substr(0, dot));
    member = text.substr(dot + 1);
  }
  if (joint < 0) {
    std::vector<std::string> joints;
    for (const Joint& one : mechanism_.joints) joints.push_back(one.name);
    throw ExpressionError(fmt::format("there is no joint '{}'{}", text, hint(text, joints)),
                          reference.column);
  }
  // the displacement of a screw is its angle
  const JointType type = mechanism_.joints[static_cast<std::size_t>(joint)].type;
  const std::vector<std::string>& names = coordinate_names(type);
  if (member.empty() && (names.size() == 1 || type == JointType::screw)) member = names[0];
  const auto found = std::find(names.begin(), names.end(), member);
  if (found == names.end() || (type == JointType::screw && member != names[0]))
    throw ExpressionError(
        fmt::format(
            "{}({}, ...): a {} joint has {}", reference.name, text, name(type),
            names.empty() ? "no coordinates" : fmt::format("the coordinates {}", fmt::join(names, ", "))),
        reference.column);
  return {joint, static_cast<int>(found - names.begin())};
}

ExpressionSymbol TreeQuantities::gravity_torque(const ExpressionReference& reference,
                                                const RateInput& input) const {
  if (reference.arguments.size() != 1)
    throw ExpressionError(fmt::format("{}(A) is of a coordinate of a joint", reference.name),
                          reference.column);
  const Coordinate along = coordinate(reference);
  if (const std::string fault = forces_.fault(along.joint, false); !fault.empty())
    throw ExpressionError(fault, reference.column);
  return input(fmt::format("gravity_torque({}, {})", along.joint, along.place),
               [&](Index row) { forces_.add_gravity(row, along); });
}

// M times the accelerations that are wanted, and the bias.
ExpressionSymbol TreeQuantities::inverse_dynamics(const ExpressionReference& reference,
                                                  const RateInput& input) const {
  if (reference.arguments.size() != 2)
    throw ExpressionError(
        "inverse_dynamics(A, wanted) is of a coordinate of a joint and of accelerations: measures wanted_A, "
        "wanted_B, ...",
        reference.column);
  const Coordinate along = coordinate(reference);
  if (const std::string fault = forces_.fault(along.joint, true); !fault.empty())
    throw ExpressionError(fault, reference.column);
  ExpressionProgram sum =
      ExpressionProgram::input(input(fmt::format("bias({}, {})", along.joint, along.place),
                                     [&](Index row) { forces_.add_bias(row, along); }));
  std::vector<std::string> missing;
  for (const Coordinate& other : forces_.related(along.joint)) {
    const std::string measure = wanted_measure(reference.arguments[1], other);
    const int index = measures_.find(measure);
    if (index < 0) {
      missing.push_back(measure);
      continue;
    }
    const Law& law = mechanism_.measures[static_cast<std::size_t>(index)].value;
    if (law.is_constant() && law.value == 0) continue;
    const ExpressionProgram wanted = law.is_constant()
                                         ? ExpressionProgram::constant(law.value)
                                         : ExpressionProgram::input(first_measure_input + index);
    ExpressionProgram mass = ExpressionProgram::input(
        input(fmt::format("mass({}, {}, {}, {})", along.joint, along.place, other.joint, other.place),
              [&](Index row) { forces_.add_mass(row, along, other); }));
    if (const double rotor = other == along ? forces_.rotor_inertia(along) : 0; rotor != 0)
      mass = combine(Operation::add, {mass, ExpressionProgram::constant(rotor)});
    sum = combine(Operation::add, {sum, combine(Operation::multiply, {mass, wanted})});
  }
  if (!missing.empty())
    throw ExpressionError(fmt::format("inverse_dynamics needs to know which acceleration every joint is to "
                                      "have; there is no measure {}",
                                      fmt::join(missing, ", ")),
                          reference.column);
  return Expression(sum);
}

std::string TreeQuantities::wanted_measure(const std::string& prefix, const Coordinate& of) const {
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(of.joint)];
  const std::vector<std::string>& names = coordinate_names(joint.type);
  const bool several = joint.type == JointType::cylindrical;
  return prefix + "_" + joint.name + (several ? "_" + names[static_cast<std::size_t>(of.place)] : "");
}

}  // namespace trammel
