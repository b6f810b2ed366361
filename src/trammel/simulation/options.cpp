#include "trammel/simulation/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <functional>
#include <map>

#include "trammel/numerics/nearest_name.h"

namespace trammel {

namespace {

struct Entry {
  OptionDescription description;
  std::function<std::string(Options&, const std::string&)> set;  // returns what is wrong, or nothing
};

std::string read(const std::string& text, double& value) {
  const char* end = text.data() + text.size();
  double parsed = 0;
  const auto [last, error] = std::from_chars(text.data(), end, parsed);
  if (error != std::errc() || last != end || !std::isfinite(parsed)) return "a number is expected";
  value = parsed;
  return {};
}

std::string read(const std::string& text, long& value) {
  const char* end = text.data() + text.size();
  long parsed = 0;
  const auto [last, error] = std::from_chars(text.data(), end, parsed);
  if (error != std::errc() || last != end) return "a whole number is expected";
  value = parsed;
  return {};
}

// An option may be shared by several integrators.
template <class Value, class... Members>
Entry number(OptionDescription description, Members... members) {
  return {std::move(description), [members...](Options& options, const std::string& text) {
            Value value{};
            std::string wrong = read(text, value);
            if (wrong.empty())
              ((members(options) = static_cast<std::remove_reference_t<decltype(members(options))>>(value)),
               ...);
            return wrong;
          }};
}

template <class... Members>
Entry real(OptionDescription description, Members... members) {
  return number<double>(std::move(description), members...);
}
template <class... Members>
Entry whole(OptionDescription description, Members... members) {
  return number<long>(std::move(description), members...);
}

// One of several words.
template <class Choice, class... Members>
Entry choice(OptionDescription description, std::vector<std::pair<std::string, Choice>> choices,
             Members... members) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  description.values = fmt::format("{}", fmt::join(words, " | "));
  return {std::move(description),
          [members..., choices, words](Options& options, const std::string& text) -> std::string {
            for (const auto& [word, value] : choices)
              if (word == text) {
                ((members(options) = value), ...);
                return {};
              }
            return fmt::format("one of {} is expected", fmt::join(words, ", "));
          }};
}

template <class... Members>
Entry flag(OptionDescription description, Members... members) {
  description.values = "yes | no | 1 | 0 | true | false";
  return {std::move(description), [members...](Options& options, const std::string& text) -> std::string {
            const bool yes = text == "yes" || text == "1" || text == "true";
            if (!yes && text != "no" && text != "0" && text != "false")
              return "one of yes, no, 1, 0, true, false is expected";
            ((members(options) = yes), ...);
            return {};
          }};
}

const std::vector<Entry>& entries() {
  using Radau = RadauOptions;
  using Psf = ProjectedStrangenessFreeOptions;
  static const std::vector<Entry> all = {
      choice(
          {"initial_values", "", "correct", "what to do with initial values that violate the constraints"},
          std::vector<std::pair<std::string, Options::InitialValues>>{
              {"correct", Options::InitialValues::correct},
              {"check", Options::InitialValues::check},
              {"trust", Options::InitialValues::trust}},
          [](Options & o) -> auto& { return o.initial_values; }),
      choice(
          {"linear_algebra", "", "auto",
           "dense or sparse matrices for psf, partitioned and projected; auto: sparse for mechanisms"},
          std::vector<std::pair<std::string, Options::LinearAlgebra>>{
              {"auto", Options::LinearAlgebra::automatic},
              {"dense", Options::LinearAlgebra::dense},
              {"sparse", Options::LinearAlgebra::sparse}},
          [](Options & o) -> auto& { return o.linear_algebra; }),
      flag(
          {"planar_reduction", "", "yes",
           "solve planar mechanisms with three velocities a body (psf, partitioned, projected)"},
          [](Options & o) -> auto& { return o.reduce_planar; }),
      real(
          {"projection_tolerance", "0 ..", "1e-12",
           "projected: a state is put back on the constraints if their residuals are larger"},
          [](Options & o) -> auto& { return o.projection_tolerance; }),
      real(
          {"closure_tolerance", "0 ..", "1e-5",
           "what constraints may be off by, relative to the size of the mechanism"},
          [](Options & o) -> auto& { return o.assembly.closure_tolerance; }),
      flag(
          {"project_output", "", "yes", "put interpolated output back on the constraints"},
          [](Options & o) -> auto& { return o.project_output; }),
      // Radau IIA and SDIRK
      whole(
          {"max_newton_iterations", "1 ..", "10",
           "Newton iterations per step (radau5); sdirk4: 7 per stage; bdf: 3, dirk: 7, ida: 4"},
          [](Options & o) -> auto& { return o.radau.max_newton_iterations; },
          [](Options & o) -> auto& { return o.sdirk.max_newton_iterations; },
          [](Options & o) -> auto& { return o.cvodes.max_newton_iterations; },
          [](Options & o) -> auto& { return o.arkode.max_newton_iterations; },
          [](Options & o) -> auto& { return o.ida.max_newton_iterations; }),
      whole(
          {"max_iterations", "1 ..", "10", "another name of max_newton_iterations"},
          [](Options & o) -> auto& { return o.radau.max_newton_iterations; },
          [](Options & o) -> auto& { return o.sdirk.max_newton_iterations; },
          [](Options & o) -> auto& { return o.cvodes.max_newton_iterations; },
          [](Options & o) -> auto& { return o.arkode.max_newton_iterations; },
          [](Options & o) -> auto& { return o.ida.max_newton_iterations; }),
      flag(
          {"convergence", "", "no",
           "record how Newton's iteration of every attempt at a step went (radau5, sdirk4, ida, bdf)"},
          [](Options & o) -> auto& { return o.record_convergence; }),
      choice(
          {"starting_values", "", "extrapolated", "stage values to begin Newton's iteration with"},
          std::vector<std::pair<std::string, StartingValues>>{{"extrapolated", StartingValues::extrapolated},
                                                              {"zero", StartingValues::zero}},
          [](Options & o) -> auto& { return o.radau.starting_values; },
          [](Options & o) -> auto& { return o.sdirk.starting_values; }),
      whole(
          {"max_steps", "1 ..", "100000", "steps tried at most"},
          [](Options & o) -> auto& { return o.radau.max_steps; },
          [](Options & o) -> auto& { return o.sdirk.max_steps; },
          [](Options & o) -> auto& { return o.dop853.max_steps; },
          [](Options & o) -> auto& { return o.cvodes.max_steps; },
          [](Options & o) -> auto& { return o.arkode.max_steps; },
          [](Options & o) -> auto& { return o.ida.max_steps; }),
      choice(
          {"controller", "", "predictive",
           "step size control: Gustafsson's predictive one, or the classical one"},
          std::vector<std::pair<std::string, Radau::Controller>>{
              {"predictive", Radau::Controller::predictive}, {"classical", Radau::Controller::classical}},
          [](Options & o) -> auto& { return o.radau.controller; }),
      whole(
          {"newton_matrix_at", "0 | 1 | 2 | 3", "0", "Newton matrix at x_k (0) or at an extrapolated stage"},
          [](Options & o) -> auto& { return o.radau.newton_matrix_at; }),
      whole(
          {"newton_matrix_updates", "0 ..", "0", "renewals of the Newton matrix inside one step's iteration"},
          [](Options & o) -> auto& { return o.radau.newton_matrix_updates; }),
      real(
          {"safety", "0.001 .. 1", "0.9", "safety factor of the step size"},
          [](Options & o) -> auto& { return o.radau.safety; },
          [](Options & o) -> auto& { return o.sdirk.safety; },
          [](Options & o) -> auto& { return o.dop853.safety; }),
      real(
          {"jacobian_reuse", ".. 1", "0.001",
           "keep the Jacobian if Newton converged faster than this; negative: never"},
          [](Options & o) -> auto& { return o.radau.jacobian_reuse; },
          [](Options & o) -> auto& { return o.sdirk.jacobian_reuse; }),
      real(
          {"newton_stop", "0 .. 1", "0",
           "remaining Newton error relative to the tolerance; 0: min(0.03, sqrt(rtol')/4), sdirk4: "
           "min(0.03, sqrt(rtol)), ida: 0.03"},
          [](Options & o) -> auto& { return o.radau.newton_stop; },
          [](Options & o) -> auto& { return o.sdirk.newton_stop; },
          [](Options & o) -> auto& { return o.ida.newton_stop; }),
      real(
          {"keep_step_above", "0 .. 1", "1", "keep the step size if the new one is between this ..."},
          [](Options & o) -> auto& { return o.radau.keep_step_above; },
          [](Options & o) -> auto& { return o.sdirk.keep_step_above; }),
      real(
          {"keep_step_below", "1 ..", "1.2", "... and this multiple of it"},
          [](Options & o) -> auto& { return o.radau.keep_step_below; },
          [](Options & o) -> auto& { return o.sdirk.keep_step_below; }),
      real(
          {"max_step", "0 ..", "0", "largest step size; 0: the whole interval"},
          [](Options & o) -> auto& { return o.radau.max_step; },
          [](Options & o) -> auto& { return o.sdirk.max_step; },
          [](Options & o) -> auto& { return o.dop853.max_step; },
          [](Options & o) -> auto& { return o.cvodes.max_step; },
          [](Options & o) -> auto& { return o.arkode.max_step; },
          [](Options & o) -> auto& { return o.ida.max_step; }),
      real(
          {"min_step_factor", "0 .. 1", "0.2",
           "the step size shrinks at most by this factor; sdirk4: 0.25, dop853: 1/3"},
          [](Options & o) -> auto& { return o.radau.min_step_factor; },
          [](Options & o) -> auto& { return o.sdirk.min_step_factor; },
          [](Options & o) -> auto& { return o.dop853.min_step_factor; }),
      real(
          {"max_step_factor", "1 ..", "8",
           "the step size grows at most by this factor; sdirk4: 4, dop853: 6"},
          [](Options & o) -> auto& { return o.radau.max_step_factor; },
          [](Options & o) -> auto& { return o.sdirk.max_step_factor; },
          [](Options & o) -> auto& { return o.dop853.max_step_factor; }),
      flag(
          {"transform_tolerances", "", "yes", "use 0.1 rtol^(2/3) inside, as RADAU5 does"},
          [](Options & o) -> auto& { return o.radau.transform_tolerances; }),
      flag(
          {"fixed_step", "", "no",
           "every step with h0, whatever the error (ida: shorter ones where Newton does not converge)"},
          [](Options & o) -> auto& { return o.radau.fixed_step; },
          [](Options & o) -> auto& { return o.sdirk.fixed_step; },
          [](Options & o) -> auto& { return o.dop853.fixed_step; },
          [](Options & o) -> auto& { return o.ida.fixed_step; }),
      choice(
          {"sdirk_gamma", "", "4/15", "the diagonal of sdirk4"},
          std::vector<std::pair<std::string, SdirkOptions::Gamma>>{
              {"4/15", SdirkOptions::Gamma::four_fifteenths}, {"1/4", SdirkOptions::Gamma::one_quarter}},
          [](Options & o) -> auto& { return o.sdirk.gamma; }),
      flag(
          {"local_extrapolation", "", "yes",
           "sdirk4 goes on from the solution of order 4; no: from the embedded one of order 3"},
          [](Options & o) -> auto& { return o.sdirk.local_extrapolation; }),
      // SUNDIALS
      whole(
          {"max_order", "0 .. 12", "0",
           "highest order of bdf and ida (1 .. 5) and adams (1 .. 12); 0: all orders"},
          [](Options & o) -> auto& { return o.cvodes.max_order; },
          [](Options & o) -> auto& { return o.ida.max_order; }),
      whole(
          {"order", "2 .. 8", "4", "order of dirk (3 .. 5) and erk (2 .. 8)"},
          [](Options & o) -> auto& { return o.arkode.order; }),
      // projected-strangeness-free form
      choice(
          {"algebraic", "", "lu",
           "decomposition of the constraints: full pivoting, pivoted QR, singular values"},
          std::vector<std::pair<std::string, Decomposition>>{
              {"lu", Decomposition::lu}, {"qr", Decomposition::qr}, {"svd", Decomposition::svd}},
          [](Options & o) -> auto& { return o.psf.algebraic; }),
      flag(
          {"switch_to_svd", "", "yes", "go on with singular values where constraints prove redundant"},
          [](Options & o) -> auto& { return o.psf.switch_to_svd; }),
      choice(
          {"differential", "", "lu", "decomposition of the step-size dependent part"},
          std::vector<std::pair<std::string, DifferentialDecomposition>>{
              {"lu", DifferentialDecomposition::lu}, {"qr", DifferentialDecomposition::qr}},
          [](Options & o) -> auto& { return o.psf.differential; }),
      choice(
          {"selectors", "", "when_needed",
           "choose selectors when pivoting changes or Newton fails, or every step"},
          std::vector<std::pair<std::string, Psf::Selectors>>{{"when_needed", Psf::Selectors::when_needed},
                                                              {"every_step", Psf::Selectors::every_step}},
          [](Options & o) -> auto& { return o.psf.selectors; }),
      choice(
          {"invariants", "", "keep",
           "keep known invariants (energy) exactly, or only watch them (as the built-in problems do unless "
           "said otherwise)"},
          std::vector<std::pair<std::string, bool>>{{"keep", true}, {"watch", false}},
          [](Options & o) -> auto& { return o.psf.enforce_invariants; }),
      flag(
          {"close_constraints", "", "yes", "close the constraints to round-off at the end of every step"},
          [](Options & o) -> auto& { return o.psf.close_constraints; }),
      real(
          {"rank_tolerance", "0 .. 1", "1e-9",
           "singular values below this, relative to the largest, count as zero"},
          [](Options & o) -> auto& { return o.psf.rank_tolerance; }),
      whole(
          {"rank_patience", "1 ..", "3", "points in a row that must find another rank before it is believed"},
          [](Options & o) -> auto& { return o.psf.rank_patience; }),
      flag(
          {"leap_over_singular", "", "yes",
           "leap over singular positions by extrapolation within the tolerance"},
          [](Options & o) -> auto& { return o.radau.leap_over_singular; }),
      // state-space form
      choice(
          {"parametrization", "", "partition",
           "coordinates of partitioned: some of the mechanism's own, a tangent plane, or a basis carried "
           "along"},
          std::vector<std::pair<std::string, IndependentCoordinates::Kind>>{
              {"partition", IndependentCoordinates::Kind::partition},
              {"tangent", IndependentCoordinates::Kind::tangent},
              {"nullspace", IndependentCoordinates::Kind::nullspace}},
          [](Options & o) -> auto& { return o.partitioning.kind; }),
      real(
          {"repartition_growth", "0 ..", "0.25",
           "choose other independent coordinates when the condition has grown by this part"},
          [](Options & o) -> auto& { return o.partitioning.growth; }),
      // coordinate splitting
      choice(
          {"velocity_index", "", "1",
           "how velocities count in the error of cs, cm, csm: 2: with the factor h (ida: not at all), for "
           "smooth motion on stiff springs"},
          std::vector<std::pair<std::string, int>>{{"1", 1}, {"2", 2}},
          [](Options & o) -> auto& { return o.splitting.velocity_index; }),
      // classical forms
      choice(
          {"ggl_iteration", "", "exact",
           "Newton's matrix of ggl: with the derivatives of the constraint forces, or without (as cm)"},
          std::vector<std::pair<std::string, bool>>{{"exact", false}, {"frozen", true}},
          [](Options & o) -> auto& { return o.index_reduction.frozen_constraints; }),
      real(
          {"baumgarte_alpha", "0 ..", "10", "damping of the violation in formulation 'baumgarte'"},
          [](Options & o) -> auto& { return o.index_reduction.baumgarte_alpha; }),
      real(
          {"baumgarte_beta", "0 ..", "10", "stiffness of the violation in formulation 'baumgarte'"},
          [](Options & o) -> auto& { return o.index_reduction.baumgarte_beta; }),
  };
  return all;
}

}  // namespace

const std::vector<OptionDescription>& option_descriptions() {
  static const std::vector<OptionDescription> descriptions = [] {
    std::vector<OptionDescription> result;
    for (const Entry& entry : entries()) result.push_back(entry.description);
    return result;
  }();
  return descriptions;
}

Failure set_option(Options& options, const std::string& key, const std::string& value) {
  std::vector<std::string> keys;
  for (const Entry& entry : entries()) {
    keys.push_back(entry.description.key);
    if (key != entry.description.key) continue;
    const std::string wrong = entry.set(options, value);
    if (wrong.empty()) return {};
    return {Reason::invalid_options, fmt::format("option '{}' cannot be '{}': {}", key, value, wrong)};
  }
  const std::string near = nearest_name(key, keys);
  return {Reason::invalid_options,
          fmt::format("there is no option '{}'{}. Options: {}", key,
                      near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near), fmt::join(keys, ", "))};
}

}  // namespace trammel
