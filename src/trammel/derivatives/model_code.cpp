#include "trammel/derivatives/model_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "trammel/derivatives/recorded_elements.h"
#include "trammel/motion/joint_equations.h"
#include "trammel/numerics/differentiation/c_code.h"
#include "trammel/numerics/differentiation/graph_jacobian.h"
#include "trammel/numerics/differentiation/jacobian.h"
#include "trammel/numerics/differentiation/traced.h"
#include "trammel/version.h"

namespace trammel {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string c_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + '"';
}

std::string comment_text(std::string text) {
  for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;) text.replace(at, 2, "* /");
  return text;
}

// p' of positions p and velocities v: quaternions turn, everything else moves as it says.
RecordedFunction position_rates(const MechanismEquations& equations, const RecordedInputs& places) {
  std::vector<std::pair<Index, Index>> turning;  // first of a quaternion, of its angular velocity
  std::vector<Index> velocity_of(at_index(equations.layout().p.size), -1);
  if (const auto* joint = dynamic_cast<const JointEquations*>(&equations)) {
    for (const JointTree::Node& node : joint->tree().nodes()) {
      if (node.is_ball())
        turning.emplace_back(node.p, node.v);
      else
        velocity_of[at_index(node.p)] = node.v;
    }
  } else {
    for (Index i = 0; 7 * i < equations.layout().p.size; ++i) {
      for (Index k = 0; k < 3; ++k) velocity_of[at_index(7 * i + k)] = 6 * i + k;
      turning.emplace_back(7 * i + 3, 6 * i + 3);
    }
  }
  return record(
      places.count, static_cast<int>(velocity_of.size()),
      [&](std::span<const Traced> in, std::span<Traced> out) {
        const auto p = [&](Index i) { return in[static_cast<std::size_t>(places.positions) + at_index(i)]; };
        const auto v = [&](Index i) { return in[static_cast<std::size_t>(places.v) + at_index(i)]; };
        for (std::size_t i = 0; i < velocity_of.size(); ++i)
          if (velocity_of[i] >= 0) out[i] = v(velocity_of[i]);
        for (const auto& [e, w] : turning) {
          // e' = e ∘ (0, ω) / 2, ω in the axes that turn
          const Traced a = p(e), x = p(e + 1), y = p(e + 2), z = p(e + 3), wx = v(w), wy = v(w + 1),
                       wz = v(w + 2);
          out[at_index(e)] = -0.5 * (x * wx + y * wy + z * wz);
          out[at_index(e + 1)] = 0.5 * (a * wx + y * wz - z * wy);
          out[at_index(e + 2)] = 0.5 * (a * wy + z * wx - x * wz);
          out[at_index(e + 3)] = 0.5 * (a * wz + x * wy - y * wx);
        }
      });
}

class ModelWriter {
 public:
  ModelWriter(const MechanismEquations& equations, std::string name, double t, const VectorIn& x);
  GeneratedModel model();

 private:
  struct Pattern {
    std::string name, comment;
    const JacobianPattern* pattern;
  };

  void add(const std::string& name, const std::string& comment, const RecordedFunction& function,
           const std::string& result, int size);
  RecordedFunction in_order(const RecordedFunction& function) const;
  std::vector<CFunction::Array> arguments() const;
  std::string head() const;
  std::string header() const;
  std::string source() const;
  std::string program() const;
  std::string cmake() const;
  std::string call(std::size_t function) const;

  const MechanismEquations& equations_;
  std::string name_, prefix_, macro_;
  double t_;
  Vector x_;
  RecordedMechanism recorded_;
  SymbolicJacobian forces_by_, constraints_by_;
  bool uses_multipliers_ = false;
  std::vector<RecordedFunction> graphs_;
  std::vector<CFunction> functions_;
  std::vector<Pattern> patterns_;
};

ModelWriter::ModelWriter(const MechanismEquations& equations, std::string name, double t, const VectorIn& x)
    : equations_(equations),
      name_(std::move(name)),
      prefix_(c_identifier(name_)),
      macro_(upper(prefix_)),
      t_(t),
      x_(x),
      recorded_(record_mechanism(equations)) {
  const RecordedInputs& in = recorded_.inputs;
  const int n = in.velocities;
  for (const RecordedFunction* function : {&recorded_.forces, &recorded_.constraints, &recorded_.state_rates})
    uses_multipliers_ |= uses_input(*function, in.multipliers, in.motions - in.multipliers);
  forces_by_ = symbolic_jacobian(recorded_.forces, 2 * n, WithValues::no);
  constraints_by_ = symbolic_jacobian(recorded_.constraints, 2 * n, WithValues::no);

  graphs_.reserve(7);  // functions point at them
  functions_.reserve(7);
  add("forces", "Q: forces along the velocities, M z'' = Q without constraints", recorded_.forces, "Q", n);
  add("mass", fmt::format("M: mass matrix, entries by {}_mass_begin and {}_mass_column", prefix_, prefix_),
      recorded_.mass, "M", static_cast<int>(recorded_.mass.outputs.size()));
  add("constraints", "Phi: constraints, those of positions first, then those of velocities",
      recorded_.constraints, "Phi", static_cast<int>(recorded_.constraints.outputs.size()));
  add("state_rates", "rates of the states r", recorded_.state_rates, "r_rate",
      static_cast<int>(recorded_.state_rates.outputs.size()));
  add("position_rates", "rates of the positions", position_rates(equations, in), "p_rate",
      static_cast<int>(recorded_.position_names.size()));
  add("force_jacobian",
      fmt::format("of Q by displacements (columns 0 to {}) and velocities ({} to {})", n - 1, n, 2 * n - 1),
      forces_by_.function, "J", static_cast<int>(forces_by_.pattern.entries()));
  add("constraint_jacobian", "of Phi, with the same columns", constraints_by_.function, "J",
      static_cast<int>(constraints_by_.pattern.entries()));
  patterns_ = {{"mass", "M", &recorded_.mass_pattern},
               {"force_jacobian", "the Jacobian of Q", &forces_by_.pattern},
               {"constraint_jacobian", "the Jacobian of Phi", &constraints_by_.pattern}};
}

// Arguments as a person would have them: t, positions, velocities, states, multipliers; no displacements.
RecordedFunction ModelWriter::in_order(const RecordedFunction& function) const {
  const RecordedInputs& in = recorded_.inputs;
  const int positions = in.states - in.positions, n = in.velocities;
  std::vector<int> to(static_cast<std::size_t>(in.count), -1);
  const auto put = [&](int from, int count, int first) {
    for (int i = 0; i < count; ++i) to[static_cast<std::size_t>(from + i)] = first + i;
  };
  put(in.t, 1, 0);
  put(in.positions, positions, 1);
  put(in.v, n, 1 + positions);
  const int states = in.multipliers - in.states, motions = in.count - in.motions;
  put(in.states, states, 1 + positions + n);
  put(in.motions, motions, 1 + positions + n + states);
  if (uses_multipliers_)
    put(in.multipliers, in.motions - in.multipliers, 1 + positions + n + states + motions);
  return move_inputs(without_displacements(function, in), to, in.count - n);
}

std::vector<CFunction::Array> ModelWriter::arguments() const {
  const RecordedInputs& in = recorded_.inputs;
  std::vector<CFunction::Array> arrays{{"t", 1, true},
                                       {"p", in.states - in.positions, false},
                                       {"v", in.velocities, false},
                                       {"r", in.multipliers - in.states, false},
                                       {"u", in.count - in.motions, false}};
  if (uses_multipliers_) {
    arrays.push_back({"lambda", in.nonholonomic_multipliers - in.multipliers, false});
    arrays.push_back({"mu", in.motions - in.nonholonomic_multipliers, false});
  }
  return arrays;
}

void ModelWriter::add(const std::string& name, const std::string& comment, const RecordedFunction& function,
                      const std::string& result, int size) {
  if (size == 0) return;
  graphs_.push_back(in_order(function));
  const std::size_t operations = operation_count(graphs_.back());
  if (operations > most_generated_operations)
    throw RecordingError(
        fmt::format("its function '{}' would be of {} operations, more than the {} that a compiler "
                    "takes in reasonable time",
                    name, operations, most_generated_operations));
  functions_.push_back({.name = prefix_ + "_" + name,
                        .comment = comment,
                        .inputs = arguments(),
                        .outputs = {{result, size, false}},
                        .recorded = &graphs_.back()});
}

std::string ModelWriter::head() const {
  return fmt::format("Generated by Trammel {} from the model '{}', in {} coordinates.", version,
                     comment_text(name_), recorded_.coordinates);
}

std::string ModelWriter::header() const {
  const RecordedInputs& in = recorded_.inputs;
  std::string text = fmt::format(
      "/* {}\n\n"
      "   C99, no dependency but <math.h>, no memory taken, no state kept. All numbers in SI units.\n\n"
      "   t       the time\n"
      "   p       positions{}\n"
      "   v       velocities; displacements have the same directions\n"
      "   r       states of the model's own, if it has any\n"
      "   u       values of prescribed motions that are no formulas, or rates where those count, if there "
      "are any\n"
      "   lambda, mu  multipliers of the constraints, if forces depend on them\n\n"
      "   Equations of motion: M(p) v' = Q - D' lambda, D the Jacobian of Phi by displacements; p' = "
      "position_rates. */\n"
      "#ifndef {}_H\n#define {}_H\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
      head(),
      equations_.layout().normalizations > 0 ? "; quaternions (w, x, y, z) of any length but zero" : "",
      macro_, macro_);
  const auto define = [&](const std::string& what, std::size_t count) {
    text += fmt::format("#define {}_{} {}\n", macro_, what, count);
  };
  define("POSITIONS", recorded_.position_names.size());
  define("VELOCITIES", static_cast<std::size_t>(in.velocities));
  define("STATES", recorded_.state_names.size());
  define("CONSTRAINTS", recorded_.constraint_names.size());
  for (const Pattern& pattern : patterns_)
    define(upper(pattern.name) + "_ENTRIES", pattern.pattern->entries());
  text += '\n';
  for (const CFunction& function : functions_)
    text += fmt::format("/* {} */\n{};\n\n", function.comment, c_declaration(function));
  text +=
      "/* Patterns: entries of row i are those from begin[i] to begin[i + 1] - 1, in the columns column[]. "
      "*/\n";
  for (const Pattern& pattern : patterns_)
    if (pattern.pattern->entries() > 0)
      text += fmt::format("extern const int {0}_{1}_begin[{2}];\nextern const int {0}_{1}_column[{3}];\n",
                          prefix_, pattern.name, pattern.pattern->begin.size(), pattern.pattern->entries());
  const auto names = [&](const char* what, const std::vector<std::string>& list) {
    if (!list.empty())
      text += fmt::format("extern const char *const {}_{}_names[{}];\n", prefix_, what, list.size());
  };
  text += '\n';
  names("position", recorded_.position_names);
  names("velocity", recorded_.velocity_names);
  names("constraint", recorded_.constraint_names);
  names("state", recorded_.state_names);
  names("motion", recorded_.motion_names);
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

std::string int_list(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += fmt::format("{}{},", i % 20 == 0 ? "\n  " : " ", numbers[i]);
  return text + "\n";
}

std::string ModelWriter::source() const {
  std::string text = fmt::format("/* {} */\n#include \"{}.h\"\n\n#include <math.h>\n\n", head(), prefix_);
  for (const Pattern& pattern : patterns_)
    if (pattern.pattern->entries() > 0)
      text +=
          fmt::format("const int {0}_{1}_begin[{2}] = {{{3}}};\nconst int {0}_{1}_column[{4}] = {{{5}}};\n\n",
                      prefix_, pattern.name, pattern.pattern->begin.size(), int_list(pattern.pattern->begin),
                      pattern.pattern->entries(), int_list(pattern.pattern->column));
  const auto names = [&](const char* what, const std::vector<std::string>& list) {
    if (list.empty()) return;
    text += fmt::format("const char *const {}_{}_names[{}] = {{\n", prefix_, what, list.size());
    for (const std::string& one : list) text += fmt::format("  {},\n", c_string(one));
    text += "};\n\n";
  };
  names("position", recorded_.position_names);
  names("velocity", recorded_.velocity_names);
  names("constraint", recorded_.constraint_names);
  names("state", recorded_.state_names);
  names("motion", recorded_.motion_names);
  return text + c_definitions(functions_);
}

std::string ModelWriter::call(std::size_t index) const {
  const CFunction& function = functions_[index];
  std::vector<std::string> list;
  for (const CFunction::Array& array : function.inputs)
    if (array.size > 0) list.push_back(array.name);
  return fmt::format("  {}({}, result);\n  print(\"{}\", result, {});\n", function.name,
                     fmt::join(list, ", "), function.name.substr(prefix_.size() + 1),
                     function.outputs[0].size);
}

// Prints everything at a state, for checking.
std::string ModelWriter::program() const {
  int largest = 1;
  for (const CFunction& function : functions_) largest = std::max(largest, function.outputs[0].size);
  const std::vector<GivenMotion> given = given_motions(equations_.elements());
  const Layout& l = equations_.layout();
  const auto block = [&](const std::string& name) {
    return name == "p" ? l.p : name == "v" ? l.v : name == "r" ? l.r : name == "lambda" ? l.lambda : l.mu;
  };
  std::string text = fmt::format(
      "/* {}\n\n"
      "   Prints Q, M, Phi and their Jacobians at a state, for checking: the one it was generated at, or "
      "numbers from\n"
      "   standard input in the order of the arguments, if there is any argument. */\n"
      "#include <stdio.h>\n\n#include \"{}.h\"\n\n"
      "static void print(const char *name, const double *values, int count) {{\n"
      "  int i;\n"
      "  for (i = 0; i < count; ++i) printf(\"%s %d %.17g\\n\", name, i, values[i]);\n"
      "}}\n\n"
      "static int read_numbers(double *values, int count) {{\n"
      "  int i;\n"
      "  for (i = 0; i < count; ++i)\n"
      "    if (scanf(\"%lf\", &values[i]) != 1) return 0;\n"
      "  return 1;\n"
      "}}\n\n"
      "int main(int argc, char **argv) {{\n",
      head(), prefix_);
  std::string wanted;
  for (const CFunction::Array& array : arguments()) {
    if (array.size == 0) continue;
    wanted += fmt::format("{}!read_numbers({}{}, {})", wanted.empty() ? "" : " ||\n        ",
                          array.is_number ? "&" : "", array.name, array.size);
    if (array.is_number) {
      text += fmt::format("  double {} = {:.17g};\n", array.name, t_);
      continue;
    }
    std::vector<std::string> numbers;
    for (int i = 0; i < array.size; ++i)
      numbers.push_back(fmt::format("{:.17g}", array.name == "u" ? given[static_cast<std::size_t>(i)].at(t_)
                                                                 : x_[block(array.name).begin + i]));
    text += fmt::format("  double {}[{}] = {{{}}};\n", array.name, array.size, fmt::join(numbers, ", "));
  }
  text += fmt::format(
      "  static double result[{}];\n"
      "  (void)argv;\n"
      "  if (argc > 1) {{\n"
      "    if ({}) {{\n"
      "      fprintf(stderr, \"there are too few numbers\\n\");\n"
      "      return 1;\n"
      "    }}\n"
      "  }}\n",
      largest, wanted);
  for (std::size_t i = 0; i < functions_.size(); ++i) text += call(i);
  return text + "  return 0;\n}\n";
}

std::string ModelWriter::cmake() const {
  return fmt::format(
      "cmake_minimum_required(VERSION 3.10)\n"
      "project({0} C)\n"
      "if(NOT CMAKE_BUILD_TYPE)\n  set(CMAKE_BUILD_TYPE Release)\nendif()\n\n"
      "# the functions of the model, for your own program\n"
      "add_library({0} STATIC {0}.c)\n"
      "set_target_properties({0} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)\n"
      "# straight lines gain nothing by more than this, and take twice as long to compile\n"
      "if(CMAKE_C_COMPILER_ID MATCHES \"GNU|Clang\")\n  target_compile_options({0} PRIVATE -O1)\nendif()\n"
      "target_include_directories({0} PUBLIC \"${{CMAKE_CURRENT_SOURCE_DIR}}\")\n"
      "target_link_libraries({0} PUBLIC m)\n\n"
      "# prints all of them at a state\n"
      "add_executable({0}_check {0}_check.c)\n"
      "set_target_properties({0}_check PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)\n"
      "target_link_libraries({0}_check PRIVATE {0})\n",
      prefix_);
}

GeneratedModel ModelWriter::model() {
  GeneratedModel model;
  model.prefix = prefix_;
  model.positions = static_cast<int>(recorded_.position_names.size());
  model.velocities = recorded_.inputs.velocities;
  model.states = static_cast<int>(recorded_.state_names.size());
  model.constraints = static_cast<int>(recorded_.constraint_names.size());
  for (const CFunction& function : functions_)
    model.functions.push_back(
        {function.name, operation_count(*function.recorded), function.recorded->outputs.size()});
  model.files = {{prefix_ + ".h", header()},
                 {prefix_ + ".c", source()},
                 {prefix_ + "_check.c", program()},
                 {"CMakeLists.txt", cmake()}};
  return model;
}

}  // namespace

std::string c_identifier(const std::string& name) {
  std::string result;
  for (const unsigned char c : name) result += std::isalnum(c) != 0 && c < 128 ? static_cast<char>(c) : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])) != 0) result = "model_" + result;
  return result;
}

GeneratedModel generate_model(const MechanismEquations& equations, const std::string& name, double t,
                              const VectorIn& x) {
  return ModelWriter(equations, name, t, x).model();
}

}  // namespace trammel
