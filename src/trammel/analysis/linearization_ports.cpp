#include "trammel/analysis/linearization_ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trammel/mechanism/measure_values.h"
#include "trammel/numerics/nearest_name.h"

namespace trammel {

namespace {

using Triplets = std::vector<Eigen::Triplet<double, int>>;

Failure unknown(const char* what, const std::string& name, const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  return {Reason::invalid_options,
          fmt::format("there is no {} '{}'{}", what, name,
                      near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near))};
}

Index place_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<Index>(found - names.begin());
}

// "crank.angle" of an actuator; the coordinate may be left to the joint if it has only one.
std::string actuated_coordinate(const Force::Coordinate& along,
                                const std::vector<JointCoordinate>& coordinates) {
  if (along.joint.empty()) return along.coordinate;
  if (!along.coordinate.empty()) return along.joint + "." + along.coordinate;
  for (const JointCoordinate& coordinate : coordinates)
    if (owner_of(coordinate.name) == along.joint) return coordinate.name;
  return {};
}

const JointCoordinate* find(const std::vector<JointCoordinate>& coordinates, const std::string& name) {
  for (const JointCoordinate& coordinate : coordinates)
    if (coordinate.name == name) return &coordinate;
  return nullptr;
}

// Collects the derivatives of one output after the other.
class OutputMaker {
 public:
  explicit OutputMaker(const Ports& ports) : ports_(ports), layout_(ports.equations.layout()) {
    if (ports.mechanism == nullptr) return;
    jacobian_ = ports.measured.jacobian.transpose();
    rate_pose_ = ports.measured.rate_pose.transpose();
  }

  bool add(const std::string& name) {
    if (!add_row(name)) return false;
    names_.push_back(name);
    ++row_;
    return true;
  }

  void finish(OutputRows& rows) const {
    const auto made = [&](Index cols, const Triplets& triplets) {
      SparseMatrix matrix(row_, cols);
      matrix.setFromTriplets(triplets.begin(), triplets.end());
      return matrix;
    };
    rows.names = names_;
    rows.pose = made(layout_.v.size, pose_);
    rows.twist = made(layout_.v.size, twist_);
    rows.state = made(layout_.r.size, state_);
    rows.multiplier = made(layout_.lambda.size + layout_.mu.size, multiplier_);
  }

 private:
  bool add_row(const std::string& name) {
    if (ports_.mechanism != nullptr && add_measured(name)) return true;
    const Names& names = ports_.equations.names();
    if (const Index i = place_of(names.r, name); i >= 0) {
      put(state_, i, 1);
      return true;
    }
    if (const Index i = place_of(names.v, name); i >= 0) {
      put(twist_, i, 1);
      return true;
    }
    if (ports_.mechanism != nullptr) {
      // centres of mass; rotations are seen through joints and measures
      const Index i = place_of(displacement_names(ports_.equations), name);
      if (i >= 0 && i % 6 < 3) put(pose_, i, 1);
      return i >= 0 && i % 6 < 3;
    }
    const Index i = place_of(names.p, name);
    if (i < 0) return false;
    const SparseMatrix by_pose = ports_.own_positions.pose.transpose();
    put(pose_, by_pose, i, 1);
    return true;
  }

  bool add_measured(const std::string& name) {
    const Elements& elements = ports_.mechanism->elements();
    for (std::size_t i = 0; i < elements.measures.size(); ++i)
      if (elements.measures[i].name == name) {
        add_measure(static_cast<int>(i));
        return true;
      }
    for (const JointCoordinate& coordinate : elements.coordinates) {
      if (name == coordinate.name) put(pose_, jacobian_, coordinate.row, 1);
      if (name == coordinate.name + "_rate") add_rate(coordinate.row, 1);
      if (name == coordinate.name || name == coordinate.name + "_rate") return true;
    }
    return false;
  }

  void add_rate(Index measured_row, double factor) {
    put(pose_, rate_pose_, measured_row, factor);
    put(twist_, jacobian_, measured_row, factor);
  }

  // The chain rule over the inputs of the measure and of those that it names, some at a time.
  void add_measure(int measure) {
    constexpr int width = 32;
    using Number = Dual<double, width>;
    const Elements& elements = ports_.mechanism->elements();
    const std::vector<int> needed = measures_needed_by(elements, measure);
    std::vector<int> inputs;
    for (const int other : needed) {
      const std::vector<int>& own = elements.measures[static_cast<std::size_t>(other)].inputs;
      inputs.insert(inputs.end(), own.begin(), own.end());
    }
    std::sort(inputs.begin(), inputs.end());
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());

    std::vector<Number> arguments, results(elements.measures.size()), values;
    for (const double value : ports_.motion->input_values()) values.emplace_back(value);
    const int count = static_cast<int>(inputs.size());
    for (int first = 0; first < count; first += width) {
      const int last = std::min(count, first + width);
      const auto value_of = [&](int k) -> Number& {
        return values[static_cast<std::size_t>(inputs[static_cast<std::size_t>(k)])];
      };
      for (int k = first; k < last; ++k) value_of(k) = Number::variable(value_of(k).value, k - first);
      evaluate_measures<Number>(elements, needed, Number(ports_.t), values, results, arguments);
      const Number& result = results[static_cast<std::size_t>(measure)];
      for (int k = first; k < last; ++k) {
        add_input(inputs[static_cast<std::size_t>(k)],
                  result.derivative[static_cast<std::size_t>(k - first)]);
        value_of(k) = Number(value_of(k).value);
      }
    }
  }

  void add_input(int index, double factor) {
    const Input& input = ports_.mechanism->elements().inputs[static_cast<std::size_t>(index)];
    switch (input.kind) {
      case Input::Kind::value:
        put(pose_, jacobian_, input.index, factor);
        break;
      case Input::Kind::rate:
        add_rate(input.index, factor);
        break;
      case Input::Kind::state:
        put(state_, input.index, factor);
        break;
      case Input::Kind::multiplier:
        put(multiplier_, input.index, factor);
        break;
      case Input::Kind::nonholonomic_multiplier:
        put(multiplier_, layout_.lambda.size + input.index, factor);
        break;
    }
  }

  void put(Triplets& triplets, Index col, double value) const {
    triplets.emplace_back(static_cast<int>(row_), static_cast<int>(col), value);
  }
  void put(Triplets& triplets, const SparseMatrix& transposed, Index row, double factor) const {
    for (SparseMatrix::InnerIterator entry(transposed, static_cast<int>(row)); entry; ++entry)
      put(triplets, entry.row(), factor * entry.value());
  }

  const Ports& ports_;
  const Layout& layout_;
  SparseMatrix jacobian_, rate_pose_;  // transposed
  std::vector<std::string> names_;
  Triplets pose_, twist_, state_, multiplier_;
  Index row_ = 0;
};

}  // namespace

Failure Ports::inputs(const std::vector<std::string>& wanted, InputColumns& columns) const {
  const Index velocities = equations.layout().v.size;
  if (mechanism == nullptr) {
    columns.names = wanted;
    columns.force.setZero(velocities, static_cast<Index>(wanted.size()));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Index place = place_of(equations.names().v, wanted[i]);
      if (place < 0) return unknown("velocity", wanted[i], equations.names().v);
      columns.force(place, static_cast<Index>(i)) = 1;
    }
    return {};
  }

  const std::vector<JointCoordinate>& coordinates = mechanism->elements().coordinates;
  std::vector<std::string> known;
  for (const Force& force : mechanism->mechanism().forces)
    if (const auto* actuator = force.as<Force::Actuator>()) known.push_back(actuator->name);
  columns.names = wanted.empty() ? known : wanted;
  columns.force.setZero(velocities, static_cast<Index>(columns.names.size()));
  const SparseMatrix jacobian = measured.jacobian.transpose();
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    const std::string& name = columns.names[i];
    const JointCoordinate* coordinate = find(coordinates, name);
    for (const Force& force : mechanism->mechanism().forces)
      if (const auto* actuator = force.as<Force::Actuator>(); actuator && actuator->name == name)
        coordinate = find(coordinates, actuated_coordinate(actuator->along, coordinates));
    if (coordinate == nullptr) {
      for (const JointCoordinate& other : coordinates) known.push_back(other.name);
      return unknown("actuator or joint coordinate", name, known);
    }
    columns.force.col(static_cast<Index>(i)) = Vector(jacobian.col(coordinate->row));
  }
  return {};
}

Failure Ports::outputs(const std::vector<std::string>& wanted, OutputRows& rows) const {
  std::vector<std::string> names = wanted, known;
  if (mechanism != nullptr) {
    for (const MeasuredExpression& measure : mechanism->elements().measures) known.push_back(measure.name);
    for (const JointCoordinate& coordinate : mechanism->elements().coordinates)
      known.push_back(coordinate.name);
  } else {
    known = equations.names().p;
  }
  if (names.empty()) names = known;
  OutputMaker maker(*this);
  for (const std::string& name : names)
    if (!maker.add(name)) return unknown("output", name, known);
  maker.finish(rows);
  return {};
}

}  // namespace trammel
