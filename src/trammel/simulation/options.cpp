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

template <class Value, class Member>
Entry number(OptionDescription description, Member member) {
  return {std::move(description), [member](Options& options, const std::string& text) {
            Value value{};
            std::string wrong = read(text, value);
            if (wrong.empty())
              member(options) = static_cast<std::remove_reference_t<decltype(member(options))>>(value);
            return wrong;
          }};
}

template <class Member>
Entry real(OptionDescription description, Member member) {
  return number<double>(std::move(description), member);
}
template <class Member>
Entry whole(OptionDescription description, Member member) {
  return number<long>(std::move(description), member);
}

// One of several words.
template <class Member, class Choice>
Entry choice(OptionDescription description, Member member,
             std::vector<std::pair<std::string, Choice>> choices) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  description.values = fmt::format("{}", fmt::join(words, " | "));
  return {std::move(description),
          [member, choices, words](Options& options, const std::string& text) -> std::string {
            for (const auto& [word, value] : choices)
              if (word == text) {
                member(options) = value;
                return {};
              }
            return fmt::format("one of {} is expected", fmt::join(words, ", "));
          }};
}

template <class Member>
Entry flag(OptionDescription description, Member member) {
  return choice<Member, bool>(
      std::move(description), member,
      {{"yes", true}, {"no", false}, {"1", true}, {"0", false}, {"true", true}, {"false", false}});
}

const std::vector<Entry>& entries() {
  using Radau = RadauOptions;
  using Psf = ProjectedStrangenessFreeOptions;
  static const std::vector<Entry> all = {
      choice(
          {"initial_values", "", "correct", "what to do with initial values that violate the constraints"},
          [](Options & o) -> auto& { return o.initial_values; },
          std::vector<std::pair<std::string, Options::InitialValues>>{
              {"correct", Options::InitialValues::correct},
              {"check", Options::InitialValues::check},
              {"trust", Options::InitialValues::trust}}),
      choice(
          {"linear_algebra", "", "auto", "dense or sparse matrices for psf; auto: sparse for mechanisms"},
          [](Options & o) -> auto& { return o.linear_algebra; },
          std::vector<std::pair<std::string, Options::LinearAlgebra>>{
              {"auto", Options::LinearAlgebra::automatic},
              {"dense", Options::LinearAlgebra::dense},
              {"sparse", Options::LinearAlgebra::sparse}}),
      flag(
          {"project_output", "", "yes", "put interpolated output back on the constraints"},
          [](Options & o) -> auto& { return o.project_output; }),
      // Radau IIA
      whole(
          {"max_newton_iterations", "1 ..", "10", "Newton iterations per step"},
          [](Options & o) -> auto& { return o.radau.max_newton_iterations; }),
      choice(
          {"starting_values", "", "extrapolated", "stage values to begin Newton's iteration with"},
          [](Options & o) -> auto& { return o.radau.starting_values; },
          std::vector<std::pair<std::string, Radau::StartingValues>>{
              {"extrapolated", Radau::StartingValues::extrapolated}, {"zero", Radau::StartingValues::zero}}),
      whole(
          {"max_steps", "1 ..", "100000", "steps tried at most"},
          [](Options & o) -> auto& { return o.radau.max_steps; }),
      choice(
          {"controller", "", "predictive",
           "step size control: Gustafsson's predictive one, or the classical one"},
          [](Options & o) -> auto& { return o.radau.controller; },
          std::vector<std::pair<std::string, Radau::Controller>>{
              {"predictive", Radau::Controller::predictive}, {"classical", Radau::Controller::classical}}),
      whole(
          {"newton_matrix_at", "0 | 1 | 2 | 3", "0", "Newton matrix at x_k (0) or at an extrapolated stage"},
          [](Options & o) -> auto& { return o.radau.newton_matrix_at; }),
      whole(
          {"newton_matrix_updates", "0 ..", "0", "renewals of the Newton matrix inside one step's iteration"},
          [](Options & o) -> auto& { return o.radau.newton_matrix_updates; }),
      real(
          {"safety", "0.001 .. 1", "0.9", "safety factor of the step size"},
          [](Options & o) -> auto& { return o.radau.safety; }),
      real(
          {"jacobian_reuse", ".. 1", "0.001",
           "keep the Jacobian if Newton converged faster than this; negative: never"},
          [](Options & o) -> auto& { return o.radau.jacobian_reuse; }),
      real(
          {"newton_stop", "0 .. 1", "0",
           "remaining Newton error relative to the tolerance; 0: min(0.03, sqrt(rtol')/4)"},
          [](Options & o) -> auto& { return o.radau.newton_stop; }),
      real(
          {"keep_step_above", "0 .. 1", "1", "keep the step size if the new one is between this ..."},
          [](Options & o) -> auto& { return o.radau.keep_step_above; }),
      real(
          {"keep_step_below", "1 ..", "1.2", "... and this multiple of it"},
          [](Options & o) -> auto& { return o.radau.keep_step_below; }),
      real(
          {"max_step", "0 ..", "0", "largest step size; 0: the whole interval"},
          [](Options & o) -> auto& { return o.radau.max_step; }),
      real(
          {"min_step_factor", "0 .. 1", "0.2", "the step size shrinks at most by this factor"},
          [](Options & o) -> auto& { return o.radau.min_step_factor; }),
      real(
          {"max_step_factor", "1 ..", "8", "the step size grows at most by this factor"},
          [](Options & o) -> auto& { return o.radau.max_step_factor; }),
      flag(
          {"transform_tolerances", "", "yes", "use 0.1 rtol^(2/3) inside, as RADAU5 does"},
          [](Options & o) -> auto& { return o.radau.transform_tolerances; }),
      flag(
          {"fixed_step", "", "no", "every step with h0, whatever the error"},
          [](Options & o) -> auto& { return o.radau.fixed_step; }),
      // projected-strangeness-free form
      choice(
          {"algebraic", "", "lu",
           "decomposition of the constraints: full pivoting, pivoted QR, singular values"},
          [](Options & o) -> auto& { return o.psf.algebraic; },
          std::vector<std::pair<std::string, Decomposition>>{
              {"lu", Decomposition::lu}, {"qr", Decomposition::qr}, {"svd", Decomposition::svd}}),
      flag(
          {"switch_to_svd", "", "yes", "go on with singular values where constraints prove redundant"},
          [](Options & o) -> auto& { return o.psf.switch_to_svd; }),
      choice(
          {"differential", "", "lu", "decomposition of the step-size dependent part"},
          [](Options & o) -> auto& { return o.psf.differential; },
          std::vector<std::pair<std::string, DifferentialDecomposition>>{
              {"lu", DifferentialDecomposition::lu}, {"qr", DifferentialDecomposition::qr}}),
      choice(
          {"selectors", "", "when_needed",
           "choose selectors when pivoting changes or Newton fails, or every step"},
          [](Options & o) -> auto& { return o.psf.selectors; },
          std::vector<std::pair<std::string, Psf::Selectors>>{{"when_needed", Psf::Selectors::when_needed},
                                                              {"every_step", Psf::Selectors::every_step}}),
      choice(
          {"invariants", "", "keep",
           "keep known invariants (energy) exactly, or only watch them (as the built-in problems do unless "
           "said otherwise)"},
          [](Options & o) -> auto& { return o.psf.enforce_invariants; },
          std::vector<std::pair<std::string, bool>>{{"keep", true}, {"watch", false}}),
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
      // classical forms
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
