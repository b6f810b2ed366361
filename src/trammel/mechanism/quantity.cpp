#include "trammel/mechanism/quantity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numbers>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "trammel/mechanism/compiled_measures.h"
#include "trammel/mechanism/expression_parser.h"
#include "trammel/mechanism/joint_elements.h"
#include "trammel/mechanism/tree_quantities.h"
#include "trammel/numerics/nearest_name.h"

namespace trammel {
namespace {

// √(a² + b² + ...) of inputs.
Expression magnitude(const std::vector<int>& inputs) {
  if (inputs.size() == 1)
    return Expression(combine(Operation::absolute, {ExpressionProgram::input(inputs[0])}));
  ExpressionProgram sum = ExpressionProgram::constant(0);
  for (const int input : inputs) {
    const ExpressionProgram value = ExpressionProgram::input(input);
    ExpressionProgram square = combine(Operation::multiply, {value, value});
    sum = sum.is_constant() ? square : combine(Operation::add, {sum, square});
  }
  return Expression(combine(Operation::square_root, {sum}));
}

// Does what makes an expression of a law, and puts what goes wrong at the place where the law was written.
template <class Make>
Expression at_place_of(const Law& law, const Make& make) {
  const auto fail = [&law](const std::string& message, std::size_t column) {
    SourcePlace place = law.place;
    if (place.line <= 0) throw ModelError(place, fmt::format("in '{}': {}", law.text, message));
    place.column += static_cast<int>(column);
    throw ModelError(place, message);
  };
  try {
    return make();
  } catch (const ExpressionError& error) {
    fail(error.what(), error.column);
  } catch (const std::length_error& error) {
    fail(error.what(), 0);
  }
  return {};
}

// Takes whatever a text refers to for input 0, and remembers it.
class ReferenceScope final : public ExpressionScope {
 public:
  std::optional<ExpressionSymbol> find(const ExpressionReference& found) const override {
    reference = found;
    return ExpressionSymbol(0);
  }
  std::vector<std::string> names() const override { return {}; }

  mutable ExpressionReference reference;
};

// The reference that a text consists of: `A.angle`, `'left-hinge'.angle`, `distance(P, Q)`.
std::optional<ExpressionReference> single_reference(const std::string& text) {
  const ReferenceScope scope;
  try {
    const Expression expression = parse_expression(text, scope);
    const std::vector<Instruction>& code = expression.program().code;
    if (code.size() == 1 && code[0].operation == Operation::input) return scope.reference;
  } catch (const ExpressionError&) {
    // whatever it is, it is not a reference
  }
  return std::nullopt;
}

}  // namespace

struct QuantityCompiler::Implementation {
  class Scope;

  Implementation(const Mechanism& the_mechanism, Elements& the_elements)
      : mechanism(the_mechanism),
        elements(the_elements),
        functions(the_mechanism),
        measures(the_mechanism.measures) {
    for (std::size_t i = 0; i < mechanism.states.size(); ++i)
      states.emplace(mechanism.states[i].name, static_cast<Index>(i));
    // what another compiler has made already
    for (Index i = 0; i < elements.measured.size(); ++i)
      rows.emplace(elements.measured.names[static_cast<std::size_t>(i)], i);
    for (std::size_t i = 0; i < elements.inputs.size(); ++i)
      inputs.emplace(std::pair(elements.inputs[i].kind, elements.inputs[i].index), static_cast<int>(i));
  }

  int input(Input::Kind kind, Index index);
  Row row(const MeasuredFunction& function);
  // With measures as inputs from first_measure_input on.
  Expression compile(const Law& law, std::vector<int>& law_inputs, const std::vector<std::string>& own,
                     bool of_time);
  Expression compile_whole(const Law& law, std::vector<int>& law_inputs, const std::vector<std::string>& own,
                           bool of_time);
  void require_measures(const std::vector<int>& wanted);
  std::optional<MeasuredFunction> find_function(const ExpressionReference& reference) const;
  // The functions of trees of bodies, made when they are first asked for.
  TreeForces& tree_forces();
  // The row of one of them, which `add` adds to the block if there is none of this name.
  Index tree_row(const std::string& name, const std::function<void(Index row)>& add);
  std::vector<std::string> names() const;

  const Mechanism& mechanism;
  Elements& elements;
  MeasuredFunctions functions;
  CompiledMeasures measures;
  std::unordered_map<std::string, Index> states;
  std::map<std::string, Index> rows;                    // of Elements::measured
  std::map<std::pair<Input::Kind, Index>, int> inputs;  // of Elements::inputs
};

// What names mean in one law; adds the inputs that they need to it.
class QuantityCompiler::Implementation::Scope final : public ExpressionScope {
 public:
  Scope(Implementation& compiler, std::vector<int>& inputs, const std::vector<std::string>& own, bool of_time)
      : compiler_(compiler), inputs_(inputs), own_(own), of_time_(of_time) {
    for (std::size_t i = 0; i < inputs.size(); ++i) places_.emplace(inputs[i], static_cast<int>(i));
  }

  std::optional<ExpressionSymbol> find(const ExpressionReference& reference) const override {
    const std::optional<ExpressionSymbol> symbol = reference.is_call ? call(reference) : named(reference);
    if (symbol && of_time_ && depends_on_motion(*symbol))
      throw ExpressionError(
          fmt::format("only time and parameters may be used here, and '{}' depends on the motion",
                      reference.name),
          reference.column);
    return symbol;
  }

  std::vector<std::string> names() const override {
    std::vector<std::string> all = compiler_.names();
    all.insert(all.end(), own_.begin(), own_.end());
    return all;
  }

  const Table* table(const std::string& name) const override {
    const auto found = compiler_.mechanism.tables.find(name);
    return found == compiler_.mechanism.tables.end() ? nullptr : &found->second;
  }

 private:
  bool depends_on_motion(const ExpressionSymbol& symbol) const {
    if (const Expression* expression = std::get_if<Expression>(&symbol)) return expression->inputs() > 1;
    const int* input = std::get_if<int>(&symbol);
    if (!input || *input == 0) return false;
    if (*input < first_measure_input) return true;
    const int measure = *input - first_measure_input;
    compiler_.require_measures({measure});
    return compiler_.measures[measure].depends_on_motion;
  }

  // The index of an input in the law.
  int input(Input::Kind kind, Index index) const {
    const int wanted = compiler_.input(kind, index);
    const auto [place, is_new] = places_.emplace(wanted, static_cast<int>(inputs_.size()));
    if (is_new) inputs_.push_back(wanted);
    return 1 + static_cast<int>(own_.size()) + place->second;
  }
  int input(const MeasuredFunction& function) const {
    const Row row = compiler_.row(function);
    return input(row.rate ? Input::Kind::rate : Input::Kind::value, row.row);
  }

  std::optional<ExpressionSymbol> named(const ExpressionReference& reference) const {
    const std::string& name = reference.name;
    for (std::size_t i = 0; i < own_.size(); ++i)
      if (own_[i] == name) return ExpressionSymbol(1 + static_cast<int>(i));
    if (name == "t" || name == "time") return ExpressionSymbol(0);
    const auto& parameters = compiler_.mechanism.parameters;
    if (const auto found = parameters.find(name); found != parameters.end())
      return ExpressionSymbol(found->second);
    if (const auto found = compiler_.states.find(name); found != compiler_.states.end())
      return ExpressionSymbol(input(Input::Kind::state, found->second));
    if (const int measure = compiler_.measures.find(name); measure >= 0) {
      const Law& law = compiler_.mechanism.measures[static_cast<std::size_t>(measure)].value;
      return law.is_constant() ? ExpressionSymbol(law.value)
                               : ExpressionSymbol(first_measure_input + measure);
    }
    if (const auto function = compiler_.functions.find(name)) return ExpressionSymbol(input(*function));
    if (name.ends_with(".speed")) return speed(name.substr(0, name.size() - 6));
    if (name.ends_with(".reaction")) return reaction(name.substr(0, name.size() - 9), reference.column);
    return std::nullopt;
  }

  std::optional<ExpressionSymbol> speed(const std::string& owner) const {
    if (!compiler_.functions.has_point(owner)) return std::nullopt;
    std::vector<int> components;
    for (const char* axis : {".velocity.x", ".velocity.y", ".velocity.z"})
      components.push_back(input(*compiler_.functions.find(owner + axis)));
    return ExpressionSymbol(magnitude(components));
  }

  std::optional<ExpressionSymbol> reaction(const std::string& owner, std::size_t column) const {
    const int index = compiler_.functions.joint(owner);
    if (index < 0) return std::nullopt;
    const auto i = static_cast<std::size_t>(index);
    const Joint& joint = compiler_.mechanism.joints[i];
    if (i >= compiler_.elements.joint_rows.size())
      throw ExpressionError(fmt::format("'{}.reaction' cannot be used here", owner), column);
    std::vector<int> components;
    for (const Input& part : reaction_force(joint.type, compiler_.elements.joint_rows[i]))
      components.push_back(input(part.kind, part.index));
    if (components.empty())
      throw ExpressionError(
          fmt::format("'{}' is a {} joint, which carries no force", owner, name(joint.type)), column);
    return ExpressionSymbol(magnitude(components));
  }

  std::optional<ExpressionSymbol> call(const ExpressionReference& reference) const {
    if (TreeQuantities::knows(reference.name)) {
      const TreeQuantities quantities(compiler_.mechanism, compiler_.functions, compiler_.measures,
                                      compiler_.tree_forces());
      return quantities.find(reference,
                             [this](const std::string& name, const std::function<void(Index)>& add) {
                               return input(Input::Kind::rate, compiler_.tree_row(name, add));
                             });
    }
    if (reference.name != "distance" && reference.name != "distance_rate") return std::nullopt;
    if (reference.arguments.size() != 2)
      throw ExpressionError(fmt::format("{}(P, Q) is of two markers or bodies", reference.name),
                            reference.column);
    if (const auto function = compiler_.find_function(reference)) return ExpressionSymbol(input(*function));
    const std::string& unknown = reference.arguments[compiler_.functions.has_point(reference.arguments[0])];
    std::vector<std::string> points;
    for (const Marker& marker : compiler_.mechanism.markers) points.push_back(marker.name);
    for (const Body& body : compiler_.mechanism.bodies) points.push_back(body.name);
    throw ExpressionError(fmt::format("there is no marker or body '{}'{}", unknown, hint(unknown, points)),
                          reference.column);
  }

  Implementation& compiler_;
  std::vector<int>& inputs_;                     // of the law, into Elements::inputs
  mutable std::unordered_map<int, int> places_;  // in inputs_
  const std::vector<std::string>& own_;
  bool of_time_;
};

Expression QuantityCompiler::Implementation::compile(const Law& law, std::vector<int>& law_inputs,
                                                     const std::vector<std::string>& own, bool of_time) {
  if (law.is_constant()) return Expression::constant(law.value);
  return at_place_of(law, [&] { return parse_expression(law.text, Scope(*this, law_inputs, own, of_time)); });
}

void QuantityCompiler::Implementation::require_measures(const std::vector<int>& wanted) {
  // what a law offers of its own is unknown in measures
  measures.require(wanted, [this](const Measure& measure, CompiledMeasures::Entry& entry) {
    entry.expression = compile(measure.value, entry.inputs, {}, false);
  });
}

Expression QuantityCompiler::Implementation::compile_whole(const Law& law, std::vector<int>& law_inputs,
                                                           const std::vector<std::string>& own,
                                                           bool of_time) {
  const Expression expression = compile(law, law_inputs, own, of_time);
  const std::vector<int> named = measures_in(expression);
  if (named.empty()) return expression;
  require_measures(named);
  return at_place_of(law, [&] {
    return with_measures_inserted(expression, measures, static_cast<int>(own.size()), law_inputs);
  });
}

int QuantityCompiler::Implementation::input(Input::Kind kind, Index index) {
  const auto [place, is_new] =
      inputs.emplace(std::pair(kind, index), static_cast<int>(elements.inputs.size()));
  if (is_new) elements.inputs.push_back({kind, index});
  return place->second;
}

QuantityCompiler::Row QuantityCompiler::Implementation::row(const MeasuredFunction& function) {
  auto found = rows.find(function.name);
  if (found == rows.end()) {
    const Index row = elements.measured.add_row(function.name);
    add_to_row(function, elements.measured, row);
    found = rows.emplace(function.name, row).first;
  }
  return {found->second, function.rate};
}

TreeForces& QuantityCompiler::Implementation::tree_forces() {
  for (const std::unique_ptr<ConstraintBlock>& block : elements.measured.blocks)
    if (auto* found = dynamic_cast<TreeForces*>(block.get())) return *found;
  elements.measured.blocks.push_back(std::make_unique<TreeForces>(mechanism));
  return static_cast<TreeForces&>(*elements.measured.blocks.back());
}

Index QuantityCompiler::Implementation::tree_row(const std::string& name,
                                                 const std::function<void(Index row)>& add) {
  auto found = rows.find(name);
  if (found == rows.end()) {
    found = rows.emplace(name, elements.measured.add_row(name)).first;
    add(found->second);
  }
  return found->second;
}

std::optional<MeasuredFunction> QuantityCompiler::Implementation::find_function(
    const ExpressionReference& reference) const {
  if (!reference.is_call) return functions.find(reference.name);
  if ((reference.name != "distance" && reference.name != "distance_rate") || reference.arguments.size() != 2)
    return std::nullopt;
  auto function = functions.distance(reference.arguments[0], reference.arguments[1]);
  if (function) function->rate = reference.name == "distance_rate";
  return function;
}

std::vector<std::string> QuantityCompiler::Implementation::names() const {
  std::vector<std::string> all = functions.names();
  for (const auto& [name, value] : mechanism.parameters) all.push_back(name);
  for (const auto& [name, table] : mechanism.tables) all.push_back(name);
  for (const State& state : mechanism.states) all.push_back(state.name);
  for (const Measure& measure : mechanism.measures) all.push_back(measure.name);
  for (const Marker& marker : mechanism.markers) all.push_back(marker.name + ".speed");
  for (const Body& body : mechanism.bodies) all.push_back(body.name + ".speed");
  for (const Joint& joint : mechanism.joints) all.push_back(joint.name + ".reaction");
  all.insert(all.end(), {"t", "time", "distance", "distance_rate", "gravity_torque", "gravity_force",
                         "inverse_dynamics"});
  return all;
}

QuantityCompiler::QuantityCompiler(const Mechanism& mechanism, Elements& elements)
    : implementation_(std::make_unique<Implementation>(mechanism, elements)) {
  // Angles start on the turn where initial values and drivers say.
  const auto start = [this](const std::string& name, double value) {
    implementation_->functions.start_angle_at(name, value);
  };
  for (const Joint& joint : mechanism.joints)
    for (const auto& [coordinate, value] : joint.initial) {
      if (joint.type == JointType::screw && coordinate == "displacement")
        start(joint.name + ".angle", 2 * std::numbers::pi * value / joint.pitch);
      else
        start(joint.name + "." + coordinate, value);
    }
  for (const InitialValue& initial : mechanism.initial)
    if (const MeasuredFunction found = function(initial.quantity, initial.place); !found.rate)
      start(found.name, initial.value);
  for (const Driver& driver : mechanism.drivers) {
    if (driver.level != Driver::Level::position) continue;
    const double time[] = {0.0};
    start(function(driver.coordinate, driver.place).name,
          compile_of_time(driver.motion).evaluate<double>(time));
  }
}

QuantityCompiler::~QuantityCompiler() = default;

CompiledLaw QuantityCompiler::compile(const Law& law, const std::vector<std::string>& own) {
  CompiledLaw result;
  result.own = static_cast<int>(own.size());
  result.expression = implementation_->compile_whole(law, result.inputs, own, false);
  return result;
}

std::vector<MeasuredExpression> QuantityCompiler::compile_measures(std::vector<int>& order) {
  std::vector<int> all(implementation_->mechanism.measures.size());
  std::iota(all.begin(), all.end(), 0);
  implementation_->require_measures(all);
  order = implementation_->measures.order();
  std::vector<MeasuredExpression> result;
  for (const int i : all) {
    const CompiledMeasures::Entry& entry = implementation_->measures[i];
    ExpressionProgram program = entry.expression.program();
    for (Instruction& instruction : program.code) {
      const int measure = instruction.argument - first_measure_input;
      if (instruction.operation != Operation::input || measure < 0) continue;
      const auto place = std::lower_bound(entry.needs.begin(), entry.needs.end(), measure);
      instruction.argument =
          1 + static_cast<int>(entry.inputs.size()) + static_cast<int>(place - entry.needs.begin());
    }
    result.push_back({{}, {}, Expression(std::move(program)), entry.inputs, entry.needs});
  }
  return result;
}

Expression QuantityCompiler::compile_of_time(const Law& law) {
  std::vector<int> unused;
  return implementation_->compile_whole(law, unused, {}, true);
}

QuantityCompiler::Row QuantityCompiler::measured_row(const std::string& reference, const SourcePlace& place) {
  return implementation_->row(function(reference, place));
}

MeasuredFunction QuantityCompiler::function(const std::string& reference, const SourcePlace& place) const {
  // as it stands, so that names need no quotes here whatever they consist of
  if (auto found = implementation_->functions.find(reference)) return *found;
  if (const auto parsed = single_reference(reference))
    if (auto found = implementation_->find_function(*parsed)) return *found;
  throw ModelError(place, fmt::format("there is no quantity '{}'{}", reference,
                                      hint(reference, implementation_->functions.names())));
}

const MeasuredFunctions& QuantityCompiler::functions() const { return implementation_->functions; }

}  // namespace trammel
