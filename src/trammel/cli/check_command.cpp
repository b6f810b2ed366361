// trammel check: what a model can do, and what may be wrong with it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "trammel/analysis/mobility.h"
#include "trammel/cli/commands.h"
#include "trammel/cli/mass_warnings.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/model_arguments.h"
#include "trammel/cli/model_reports.h"
#include "trammel/motion/coordinate_choice.h"
#include "trammel/motion/reduced_motion.h"
#include "trammel/simulation/mechanism_run.h"
#include "trammel/simulation/method_choice.h"

namespace trammel {

namespace {

// All that was found out. Mobility and method are those of the assembled position, if there is one.
struct Findings {
  AssemblyReport assembly;
  Index grubler = 0;
  Mobility mobility;
  MethodChoice choice;
  std::optional<EigenvalueSummary> eigenvalues;
  std::string why_method;
  CoordinateChoice coordinates;
  std::vector<std::string> eliminable_drivers;
  std::vector<std::string> warnings;

  bool assembled() const { return !assembly.failure; }
  std::string message() const {
    if (!assembled()) return assembly.failure.message;
    if (assembly.largest_change.empty()) return "consistent as it is";
    return "bodies were moved; largest change: " + assembly.largest_change;
  }
};

Findings examine(const Model& model) {
  Findings findings;
  findings.warnings = mass_warnings(model.mechanism);
  const std::unique_ptr<MechanismEquations> made = make_equations(model);
  MechanismEquations& equations = *made;
  const Elements& elements = equations.elements();
  findings.grubler = 6 * (static_cast<Index>(elements.bodies.size()) - 1) - elements.holonomic.size() -
                     elements.nonholonomic.size();
  Vector x = equations.initial_state();
  findings.assembly = assemble_mechanism(equations, 0.0, x);
  if (!findings.assembled()) return findings;

  findings.mobility = find_mobility(equations, 0.0, x);
  if (findings.mobility.failure) findings.warnings.push_back(findings.mobility.failure.message);
  findings.warnings.insert(findings.warnings.end(), findings.mobility.warnings.begin(),
                           findings.mobility.warnings.end());
  if (const std::unique_ptr<ReducedMotion> reduction = equations.reduced(0.0, x))
    findings.eliminable_drivers = reduction->eliminated_drivers();
  findings.choice = choose_method(equations);
  findings.why_method = findings.choice.reason;
  findings.eigenvalues = eigenvalue_summary(equations, 0.0, x);
  if (findings.eigenvalues)
    findings.why_method +=
        "; " + describe_speed(*findings.eigenvalues, model.simulation.end.value_or(default_end));
  findings.coordinates =
      choose_coordinates(model.mechanism, model.simulation.method.value_or(automatic_method));
  // those of the file are for the method that the file names
  Method method = findings.choice.method;
  if (const auto& named = model.simulation.method; named && *named != automatic_method)
    if (Failure failure = parse_method(*named, method))
      throw ModelError(model.simulation.place, failure.message);
  check_simulation_options(model.simulation, method);
  return findings;
}

nlohmann::ordered_json eigenvalues_json(const EigenvalueSummary& eigenvalues) {
  return {{"fastest", eigenvalues.fastest},
          {"fastest_moves", eigenvalues.fastest_is},
          {"slowest", eigenvalues.slowest},
          {"slowest_moves", eigenvalues.slowest_is},
          {"fastest_decay", eigenvalues.fastest_decay},
          {"fastest_growth", eigenvalues.fastest_growth},
          {"highest_frequency_hz", eigenvalues.highest_frequency_hz},
          {"least_damping", eigenvalues.least_damping},
          {"spread", eigenvalues.spread()},
          {"oscillating", eigenvalues.oscillating},
          {"decaying", eigenvalues.decaying},
          {"growing", eigenvalues.growing},
          {"free", eigenvalues.zero}};
}

nlohmann::ordered_json findings_json(const Model& model, const Findings& findings) {
  nlohmann::ordered_json json{{"status", findings.assembled() ? "assembled" : "failed"},
                              {"assembled", findings.assembled()},
                              {"message", findings.message()}};
  if (!findings.assembled()) json["reason"] = name(findings.assembly.failure.reason);
  json["model"] = model.file;
  json["title"] = model.mechanism.title;
  json["grubler"] = findings.grubler;
  const Mobility& mobility = findings.mobility;
  json["degrees_of_freedom"] = nullptr;
  json["recommended_method"] = nullptr;
  json["redundant"] = mobility.redundant;
  if (!model.notes.empty()) json["notes"] = model.notes;
  json["warnings"] = model.warnings;
  for (const std::string& warning : findings.warnings) json["warnings"].push_back(warning);
  if (!findings.assembled()) return json;

  json["degrees_of_freedom"] = mobility.degrees_of_freedom;
  json["recommended_method"] = findings.choice.method.name();
  if (findings.choice.when_stiff) json["recommended_when_stiff"] = findings.choice.when_stiff->name();
  json["recommended_options"] = nlohmann::ordered_json::object();
  for (const auto& [key, value] : findings.choice.options_set) json["recommended_options"][key] = value;
  json["why_method"] = findings.why_method;
  json["recommended_coordinates"] = findings.coordinates.coordinates;
  json["why_coordinates"] = findings.coordinates.reason;
  if (!findings.eliminable_drivers.empty()) json["eliminable_drivers"] = findings.eliminable_drivers;
  json["redundant_joints"] = mobility.redundant_joints;
  json["dependencies"] = nlohmann::ordered_json::array();
  for (const RedundantEquation& dependent : mobility.dependencies)
    json["dependencies"].push_back({{"equation", dependent.equation}, {"implied_by", dependent.implied_by}});
  json["dependencies_left_out"] = mobility.dependencies_left_out;
  json["redundant_conditions"] = findings.assembly.redundant_conditions;
  json["largest_change"] = findings.assembly.largest_change;
  json["singular"] = mobility.singular;
  json["free_coordinates"] = mobility.free_coordinates;
  json["locked"] = mobility.locked;
  json["bodies"] = model.mechanism.bodies.size() - 1;
  json["constraints"] = nlohmann::ordered_json::array();
  for (const ConstraintOwner& owner : mobility.owners)
    json["constraints"].push_back({{"name", owner.name},
                                   {"kind", owner.kind},
                                   {"equations", owner.equations},
                                   {"redundant", owner.redundant}});
  json["eigenvalues"] =
      findings.eigenvalues ? eigenvalues_json(*findings.eigenvalues) : nlohmann::ordered_json();
  return json;
}

void print_findings(const Model& model, const Findings& findings) {
  fmt::print("{}{}\n", model.mechanism.title.empty() ? "" : model.mechanism.title + ": ", model.file);
  if (findings.assembled()) {
    fmt::print("assembly: {}\n", findings.message());
    if (!findings.assembly.redundant_conditions.empty())
      fmt::print("initial conditions that follow from others: {}\n",
                 fmt::join(findings.assembly.redundant_conditions, ", "));
    fmt::print("{}", findings.mobility.report());
    if (findings.eigenvalues) fmt::print("{}", findings.eigenvalues->report());
    fmt::print("recommended method: {}, {}\n", findings.choice.method.name(), findings.why_method);
    for (const auto& [key, value] : findings.choice.options_set)
      fmt::print("with the option {}={}{}\n", key, value,
                 findings.choice.when_stiff ? fmt::format(" of {}", findings.choice.when_stiff->name())
                                            : std::string());
    fmt::print("recommended coordinates: {}, {}\n", findings.coordinates.coordinates,
               findings.coordinates.reason);
    if (!findings.eliminable_drivers.empty())
      fmt::print("drivers of coordinates of the tree, which driver_elimination=yes would eliminate: {}\n",
                 fmt::join(findings.eliminable_drivers, ", "));
  } else {
    fmt::print("degrees of freedom, counted after Grübler: {}\n", findings.grubler);
    print_error(findings.message());
  }
  for (const std::string& note : model.notes) fmt::print("{}\n", note);
  // those of the mobility are part of its report
  for (const std::string& warning : findings.warnings)
    if (std::find(findings.mobility.warnings.begin(), findings.mobility.warnings.end(), warning) ==
        findings.mobility.warnings.end())
      fmt::print("warning: {}\n", warning);
}

}  // namespace

nlohmann::ordered_json check_report(const Model& model) { return findings_json(model, examine(model)); }

void add_check_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "check", "Degrees of freedom, redundant constraints, assembly, stiffness, a method.");
  auto arguments = std::make_shared<ModelArguments>();
  add_model_arguments(*command, *arguments);
  command->callback([arguments, &exit_code] {
    complete_model_arguments(*arguments);
    exit_code = with_model(*arguments, [&](Model& model) {
      const Findings findings = examine(model);
      if (arguments->json)
        print_json(findings_json(model, findings));
      else
        print_findings(model, findings);
      return findings.assembled() ? 0 : run_failed;
    });
  });
}

}  // namespace trammel
