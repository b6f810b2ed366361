#include "trammel/simulation/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "trammel/numerics/nearest_name.h"
#include "trammel/simulation/formulations.h"
#include "trammel/simulation/integrators.h"
#include "trammel/simulation/method.h"
#include "trammel/simulation/option_member.h"

namespace trammel {

namespace {

// A key, the values it takes, and what they mean. Where it stands in Options is said by those that have it.
struct Entry {
  enum class Kind { real, whole, words };

  std::string key;
  Kind kind;
  std::string values;  // of numbers
  std::string meaning;
  std::vector<std::pair<std::string, double>> words = {};  // the first of equal ones is shown
  std::string also = {};
  std::string set_by = {}, standard = {};
};

template <class Choice>
Entry choice(std::string key, std::string meaning, std::vector<std::pair<std::string, Choice>> choices) {
  Entry entry{std::move(key), Entry::Kind::words, {}, std::move(meaning)};
  for (const auto& [word, value] : choices) entry.words.emplace_back(word, static_cast<double>(value));
  return entry;
}

Entry flag(std::string key, std::string meaning) {
  return choice<bool>(
      std::move(key), std::move(meaning),
      {{"yes", true}, {"no", false}, {"1", true}, {"0", false}, {"true", true}, {"false", false}});
}

Entry real(std::string key, std::string values, std::string meaning) {
  return {std::move(key), Entry::Kind::real, std::move(values), std::move(meaning)};
}
Entry whole(std::string key, std::string values, std::string meaning) {
  return {std::move(key), Entry::Kind::whole, std::move(values), std::move(meaning)};
}
Entry also(Entry entry, std::string other_name) {
  entry.also = std::move(other_name);
  return entry;
}
Entry set_by(Entry entry, std::string how, std::string standard) {
  entry.set_by = std::move(how);
  entry.standard = std::move(standard);
  return entry;
}

std::vector<Entry> entries_of_runs() {
  using InitialValues = Options::InitialValues;
  return {
      set_by(real("rtol", "0 .. 1", "relative tolerance"), "--rtol, in a file rtol: beside options:", "1e-6"),
      set_by(real("atol", "0 ..", "absolute tolerance"),
             "--atol, in a file atol: beside options:", "a hundredth of rtol; of built-in problems rtol"),
      set_by(real("h0", "0 ..", "first step; 0: chosen by the integrator"),
             "--h0, in a file h0: beside options:", "0"),
      choice<InitialValues>("initial_values", "what to do with initial values that violate the constraints",
                            {{"correct", InitialValues::correct},
                             {"check", InitialValues::check},
                             {"trust", InitialValues::trust}}),
      real("closure_tolerance", "0 ..",
           "what constraints may be off by, relative to the size of the mechanism"),
      flag("project_output", "put interpolated output back on the constraints"),
  };
}

std::vector<Entry> entries_of_integrators() {
  using Controller = RadauOptions::Controller;
  using Gamma = SdirkOptions::Gamma;
  using MatrixPlace = SdirkOptions::MatrixPlace;
  return {
      whole("max_steps", "1 ..", "steps tried at most"),
      real("max_step", "0 ..", "largest step size; 0: the whole interval"),
      also(whole("max_newton_iterations", "1 ..", "iterations per step (sdirk4, dirk: per stage)"),
           "max_iterations"),
      flag("convergence", "record how Newton's iteration of every attempt at a step went"),
      choice<StartingValues>(
          "starting_values", "stage values to begin Newton's iteration with",
          {{"extrapolated", StartingValues::extrapolated}, {"zero", StartingValues::zero}}),
      choice<Controller>("controller", "step size control: Gustafsson's predictive one, or the classical one",
                         {{"predictive", Controller::predictive}, {"classical", Controller::classical}}),
      whole("newton_matrix_at", "0 | 1 | 2 | 3", "Newton matrix at x_k (0) or at an extrapolated stage"),
      whole("newton_matrix_updates", "0 ..", "renewals of the Newton matrix inside one step's iteration"),
      real("safety", "0.001 .. 1", "safety factor of the step size"),
      real("jacobian_reuse", ".. 1",
           "keep the Jacobian if Newton converged faster than this; negative: never"),
      real("newton_stop", "0 .. 1",
           "remaining Newton error relative to the tolerance; 0: min(0.03, sqrt(rtol')/4), sdirk4: "
           "min(0.03, sqrt(rtol)), ida: 0.03; not 0 with trapezoidal, hht, alpha"),
      real("keep_step_above", "0 .. 1", "keep the step size if the new one is between this ..."),
      real("keep_step_below", "1 ..", "... and this multiple of it"),
      real("min_step_factor", "0 .. 1", "the step size shrinks at most by this factor"),
      real("max_step_factor", "1 ..", "the step size grows at most by this factor"),
      flag("transform_tolerances", "use 0.1 rtol^(2/3) inside, as RADAU5 does"),
      flag("leap_over_singular", "leap over singular positions by extrapolation within the tolerance"),
      flag("fixed_step",
           "every step with h0, whatever the error (ida: shorter ones where Newton does not converge)"),
      choice<MatrixPlace>(
          "matrix_midway",
          "take Newton's matrix midway through the step, where the last one leads, not at its "
          "begin; auto: with partitioned",
          {{"auto", MatrixPlace::automatic}, {"yes", MatrixPlace::midway}, {"no", MatrixPlace::begin}}),
      choice<Gamma>("sdirk_gamma", "the diagonal of sdirk4",
                    {{"4/15", Gamma::four_fifteenths}, {"1/4", Gamma::one_quarter}}),
      flag("local_extrapolation",
           "sdirk4 goes on from the solution of order 4; no: from the embedded one of order 3"),
      whole("max_order", "0 .. 12",
            "highest order of bdf and ida (1 .. 5) and adams (1 .. 12); 0: all orders"),
      whole("order", "2 .. 8", "order of dirk (3 .. 5) and erk (2 .. 8)"),
      real("step", "0 ..", "size of every step, whatever the error; 0: as the error allows"),
      real("rho", "0 .. 1",
           "what a step leaves of fast oscillations (hht: 0.5 .. 1); 1 is the trapezoidal rule"),
  };
}

std::vector<Entry> entries_of_formulations() {
  using Selectors = GeomsOptions::Selectors;
  using Parameters = CoordinatePartitioningOptions::Kind;
  using Norm = CoordinateProjectionOptions::Norm;
  return {
      flag("planar_reduction", "solve planar mechanisms with three velocities a body"),
      flag("driver_elimination",
           "in joint coordinates: solve without those that drivers prescribe, in place of an equation for "
           "each"),
      real("rank_tolerance", "0 .. 1", "singular values below this, relative to the largest, count as zero"),
      choice<bool>("invariants",
                   "keep known invariants (energy), or only watch them (as the built-in problems do unless "
                   "said otherwise); projected methods: among what is projected, the energy of mechanisms "
                   "that keep it too",
                   {{"keep", true}, {"watch", false}}),
      choice<Decomposition>(
          "algebraic", "decomposition of the constraints: full pivoting, pivoted QR, singular values",
          {{"lu", Decomposition::lu}, {"qr", Decomposition::qr}, {"svd", Decomposition::svd}}),
      flag("switch_to_svd", "go on with singular values where constraints prove redundant"),
      choice<DifferentialDecomposition>(
          "differential", "decomposition of the step-size dependent part",
          {{"lu", DifferentialDecomposition::lu}, {"qr", DifferentialDecomposition::qr}}),
      choice<Selectors>("selectors", "choose selectors when pivoting changes or Newton fails, or every step",
                        {{"when_needed", Selectors::when_needed}, {"every_step", Selectors::every_step}}),
      flag("close_constraints", "close the constraints to round-off at the end of every step"),
      whole("rank_patience", "1 ..", "points in a row that must find another rank before it is believed"),
      choice<Parameters>(
          "parametrization",
          "what is integrated: some of the mechanism's own coordinates, a tangent plane, or a basis carried "
          "along",
          {{"partition", Parameters::partition},
           {"tangent", Parameters::tangent},
           {"nullspace", Parameters::nullspace}}),
      real("repartition_growth", "0 ..",
           "choose other independent coordinates when the condition has grown by this part"),
      real("projection_tolerance", "0 ..",
           "a state is put back on the constraints if their residuals are larger"),
      real("constraint_tolerance", "0 .. 1",
           "what constraints may be violated by, as a fraction of an error that is just tolerated"),
      whole("projection_frequency", "1 ..", "states are projected in every so many steps"),
      flag("project_error",
           "the error test is one of projected errors: what the projection takes away does not count"),
      choice<Norm>("projection_norm",
                   "what a projection keeps small: changes relative to the tolerances, or to the masses",
                   {{"error", Norm::error}, {"mass", Norm::mass}}),
      choice<CoordinateProjectionOptions::Scales>(
          "constraint_scales",
          "how violations are measured: by the tolerances of the unknowns, or in the constraints' own units",
          {{"automatic", CoordinateProjectionOptions::Scales::automatic},
           {"as_written", CoordinateProjectionOptions::Scales::as_written}}),
      choice<int>("velocity_index",
                  "how velocities count in the error: 2: with the factor h (ida: not at all), for smooth "
                  "motion on stiff springs",
                  {{"1", 1}, {"2", 2}}),
      choice<bool>("ggl_iteration",
                   "Newton's matrix: with the derivatives of the constraint forces, or without (as cm)",
                   {{"exact", false}, {"frozen", true}}),
      real("baumgarte_alpha", "0 ..", "damping of the violation"),
      real("baumgarte_beta", "0 ..", "stiffness of the violation"),
      real("penalty_factor", "0 ..",
           "stiffness of the penalties: 1/s² of the mass that a constraint moves, or N/m if not scaled"),
      flag("penalty_scaling", "penalties in proportion to the mass that each constraint moves at the start"),
      real("constraint_level", "0 .. 1",
           "what constraints may be violated by at the end of a step, relative to one unit or the largest "
           "velocity or acceleration"),
      whole("jacobian_iterations", "1 ..", "iterations that the derivatives of forces serve"),
  };
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> result = entries_of_runs();
    for (Entry& entry : entries_of_integrators()) result.push_back(std::move(entry));
    for (Entry& entry : entries_of_formulations()) result.push_back(std::move(entry));
    return result;
  }();
  return all;
}

const Entry* find(const std::string& key) {
  for (const Entry& entry : entries())
    if (entry.key == key || (!entry.also.empty() && entry.also == key)) return &entry;
  return nullptr;
}

std::vector<std::string> words_of(const Entry& entry) {
  std::vector<std::string> words;
  for (const auto& [word, value] : entry.words) words.push_back(word);
  return words;
}

// What is wrong with it, or nothing.
std::string read(const Entry& entry, const std::string& text, double& value) {
  const char* end = text.data() + text.size();
  if (entry.kind == Entry::Kind::words) {
    for (const auto& [word, number] : entry.words) {
      if (word != text) continue;
      value = number;
      return {};
    }
    return fmt::format("one of {} is expected", fmt::join(words_of(entry), ", "));
  }
  if (entry.kind == Entry::Kind::whole) {
    long parsed = 0;
    const auto [last, error] = std::from_chars(text.data(), end, parsed);
    if (error != std::errc() || last != end) return "a whole number is expected";
    value = static_cast<double>(parsed);
    return {};
  }
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || !std::isfinite(value)) return "a number is expected";
  return {};
}

// Who has an option: the name of a formulation or integrator (empty: every method), and where.
struct Owner {
  std::string name, pattern;
  const OptionMember* member;
};

std::vector<Owner> owners_of(const std::string& key) {
  std::vector<Owner> owners;
  const auto add = [&](const std::string& name, const std::string& pattern,
                       const std::vector<OptionMember>& members) {
    for (const OptionMember& member : members)
      if (member.key == key) owners.push_back({name, pattern, &member});
  };
  add("", "", general_options());
  for (const FormulationEntry& entry : formulations()) {
    add(entry.name, entry.name + "/*", entry.options);
    for (const Pairing& pairing : entry.pairings) {
      const std::string name = entry.name + "/" + pairing.integrator;
      add(name, name, pairing.options);
    }
  }
  for (const IntegratorEntry& entry : integrators()) add(entry.name, "*/" + entry.name, entry.options);
  return owners;
}

// The default of the first, and those of the others where they differ.
void describe_standards(const std::vector<Owner>& owners, OptionDescription& description) {
  const Options options;
  for (const Owner& owner : owners) {
    const std::string text = option_text(description.key, owner.member->get(options));
    if (description.standard.empty()) description.standard = text;
    if (text != description.standard) description.other_standards.emplace_back(owner.name, text);
  }
}

OptionDescription describe(const Entry& entry) {
  const std::vector<Owner> owners = owners_of(entry.key);
  OptionDescription description{.key = entry.key,
                                .also = entry.also,
                                .values = entry.kind == Entry::Kind::words
                                              ? fmt::format("{}", fmt::join(words_of(entry), " | "))
                                              : entry.values,
                                .meaning = entry.meaning,
                                .set_by = entry.set_by};
  describe_standards(owners, description);
  if (!entry.standard.empty()) description.standard = entry.standard;
  const bool all = std::all_of(methods().begin(), methods().end(), [&](const MethodDescription& method) {
    return has_option(method.method, entry.key);
  });
  if (all) return description;
  std::vector<std::string> patterns;
  for (const Owner& owner : owners) patterns.push_back(owner.pattern);
  description.methods = fmt::format("{}", fmt::join(patterns, ", "));
  return description;
}

}  // namespace

const std::vector<OptionMember>& general_options() {
  static const std::vector<OptionMember> all = {
      option<&Options::tolerances, &Tolerances::relative>("rtol"),
      option<&Options::tolerances, &Tolerances::absolute>("atol"),
      option<&Options::h0>("h0"),
      option<&Options::initial_values>("initial_values"),
      option<&Options::assembly, &AssemblyOptions::closure_tolerance>("closure_tolerance"),
      option<&Options::project_output>("project_output"),
  };
  return all;
}

std::string option_text(const std::string& key, double value) {
  if (const Entry* entry = find(key))
    for (const auto& [word, number] : entry->words)
      if (number == value) return word;
  return fmt::format("{:g}", value);
}

const std::vector<OptionDescription>& option_descriptions() {
  static const std::vector<OptionDescription> descriptions = [] {
    std::vector<OptionDescription> result;
    for (const Entry& entry : entries()) result.push_back(describe(entry));
    return result;
  }();
  return descriptions;
}

bool Options::is_named(const std::string& key) const {
  return std::any_of(named.begin(), named.end(), [&](const auto& other) { return other.first == key; });
}

void Options::forget(const std::string& key) {
  std::erase_if(named, [&](const auto& other) { return other.first == key; });
}

Failure set_option(Options& options, const std::string& key, const std::string& value) {
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  const Entry* entry = find(key);
  if (entry == nullptr) {
    std::vector<std::string> keys;
    for (const Entry& other : entries()) {
      keys.push_back(other.key);
      if (!other.also.empty()) keys.push_back(other.also);
    }
    const std::string near = nearest_name(key, keys);
    return bad(fmt::format("there is no option '{}'{}. Options: {}", key,
                           near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near),
                           fmt::join(keys, ", ")));
  }
  if (!entry->set_by.empty())
    return bad(fmt::format("'{}' is no option of a method, it is set by {}", key, entry->set_by));
  double number = 0;
  if (const std::string wrong = read(*entry, value, number); !wrong.empty())
    return bad(fmt::format("option '{}' cannot be '{}': {}", key, value, wrong));
  for (const Owner& owner : owners_of(entry->key)) owner.member->set(options, number);
  options.forget(entry->key);
  options.named.emplace_back(entry->key, value);
  return {};
}

}  // namespace trammel
