#include "trammel/simulation/integrators.h"

#include <fmt/format.h>

#include "trammel/integrator/arkode.h"
#include "trammel/integrator/cvodes.h"
#include "trammel/integrator/dop853.h"
#include "trammel/integrator/ida.h"
#include "trammel/integrator/multistep.h"
#include "trammel/integrator/radau.h"
#include "trammel/integrator/sdirk.h"
#include "trammel/integrator/second_order_method.h"

namespace trammel {

namespace {

template <class OptionsOfOne>
OptionsOfOne with_tolerances(OptionsOfOne own, const Options& options) {
  own.tolerances = options.tolerances;
  if constexpr (requires { own.projection = options.projection_control; })
    own.projection = options.projection_control;
  return own;
}

// Options of their own kind stand in one member of Options; `adjust` makes them those of this integrator.
template <class Kind, auto Member, class Adjust>
void set_functions(IntegratorEntry& entry, Adjust adjust) {
  const auto own = [adjust](const Options& options) {
    auto result = with_tolerances(options.*Member, options);
    adjust(result);
    return result;
  };
  entry.check = [own](const Options& options, Index n) -> Failure {
    const auto mine = own(options);
    if constexpr (requires { mine.fixed_step; })
      if (mine.fixed_step && !(options.h0 > 0))
        return {Reason::invalid_options, "fixed_step needs an initial step size h0"};
    return mine.check(n);
  };
  entry.make = [own](Problem& problem, const Options& options) -> std::unique_ptr<Integrator> {
    if constexpr (std::is_constructible_v<Kind, OdeProblem&, decltype(own(options))>) {
      if (OdeProblem* const ode = problem.ode()) return std::make_unique<Kind>(*ode, own(options));
    } else if constexpr (std::is_constructible_v<Kind, SecondOrderProblem&, decltype(own(options))>) {
      if (SecondOrderProblem* const second = problem.second_order())
        return std::make_unique<Kind>(*second, own(options));
    } else {
      if (ImplicitProblem* const implicit = problem.implicit())
        return std::make_unique<Kind>(*implicit, own(options));
    }
    return nullptr;
  };
}

template <class Kind, auto Member>
void set_functions(IntegratorEntry& entry) {
  set_functions<Kind, Member>(entry, [](auto&) {});
}

std::vector<OptionMember> operator+(std::vector<OptionMember> first, const std::vector<OptionMember>& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

// Options that several kinds have under one name, which stand in a member of Options.
template <auto Member, class Own>
std::vector<OptionMember> bounds_of_steps() {
  return {option<Member, &Own::max_steps>("max_steps"), option<Member, &Own::max_step>("max_step")};
}

template <auto Member, class Own>
std::vector<OptionMember> iteration() {
  return {option<Member, &Own::max_newton_iterations>("max_newton_iterations")};
}

template <auto Member, class Own>
std::vector<OptionMember> step_control() {
  return {option<Member, &Own::safety>("safety"), option<Member, &Own::min_step_factor>("min_step_factor"),
          option<Member, &Own::max_step_factor>("max_step_factor")};
}

std::vector<OptionMember> convergence() { return {option<&Options::record_convergence>("convergence")}; }

// Of one-step methods with Newton's iteration.
template <auto Member, class Own>
std::vector<OptionMember> implicit_options() {
  return bounds_of_steps<Member, Own>() + iteration<Member, Own>() + convergence() +
         step_control<Member, Own>() +
         std::vector{option<Member, &Own::starting_values>("starting_values"),
                     option<Member, &Own::jacobian_reuse>("jacobian_reuse"),
                     option<Member, &Own::newton_stop>("newton_stop"),
                     option<Member, &Own::keep_step_above>("keep_step_above"),
                     option<Member, &Own::keep_step_below>("keep_step_below"),
                     option<Member, &Own::fixed_step>("fixed_step")};
}

IntegratorEntry radau5() {
  using Own = RadauOptions;
  constexpr auto own = &Options::radau;
  IntegratorEntry entry{
      .name = "radau5",
      .what_it_is = "Radau IIA with three stages, order 5, L-stable",
      .when_to_use = "stiff or not, mild to tight tolerances, any index up to 3",
      .options = implicit_options<own, Own>() +
                 std::vector{option<own, &Own::controller>("controller"),
                             option<own, &Own::newton_matrix_at>("newton_matrix_at"),
                             option<own, &Own::newton_matrix_updates>("newton_matrix_updates"),
                             option<own, &Own::transform_tolerances>("transform_tolerances"),
                             option<own, &Own::leap_over_singular>("leap_over_singular")}};
  set_functions<Radau, own>(entry);
  return entry;
}

IntegratorEntry sdirk4() {
  using Own = SdirkOptions;
  constexpr auto own = &Options::sdirk;
  IntegratorEntry entry{
      .name = "sdirk4",
      .what_it_is = "singly diagonally implicit Runge-Kutta with five stages, order 4, L-stable",
      .when_to_use = "stiff, mild tolerances: one real matrix a step",
      .highest_index = 1,
      .options = implicit_options<own, Own>() +
                 std::vector{option<own, &Own::matrix_place>("matrix_midway"),
                             option<own, &Own::gamma>("sdirk_gamma"),
                             option<own, &Own::local_extrapolation>("local_extrapolation")}};
  set_functions<Sdirk, own>(entry);
  return entry;
}

IntegratorEntry dop853() {
  using Own = Dop853Options;
  constexpr auto own = &Options::dop853;
  IntegratorEntry entry{.name = "dop853",
                        .what_it_is = "explicit Runge-Kutta of Dormand and Prince, order 8",
                        .when_to_use = "not stiff: the fastest there",
                        .needs_rates = true,
                        .needs_solves = false,
                        .options = bounds_of_steps<own, Own>() + step_control<own, Own>() +
                                   std::vector{option<own, &Own::fixed_step>("fixed_step")}};
  set_functions<Dop853, own>(entry);
  return entry;
}

std::vector<OptionMember> cvodes_options() {
  using Own = CvodesOptions;
  constexpr auto own = &Options::cvodes;
  return bounds_of_steps<own, Own>() + iteration<own, Own>() +
         std::vector{option<own, &Own::max_order>("max_order")};
}

// With invariants to be kept inside the step the multistep method is ours: CVODES projects with bdf only, and does
// not let go of its history.
template <MultistepFamily family>
std::unique_ptr<Integrator> make_multistep(Problem& problem, const Options& options) {
  OdeProblem* const ode = problem.ode();
  if (ode == nullptr) return nullptr;
  CvodesOptions own = with_tolerances(options.cvodes, options);
  if (ode->steps_project())
    return std::make_unique<Multistep>(*ode, MultistepOptions{.tolerances = own.tolerances,
                                                              .family = family,
                                                              .max_order = own.max_order,
                                                              .max_iterations = own.max_newton_iterations,
                                                              .max_steps = own.max_steps,
                                                              .max_step = own.max_step,
                                                              .projection = options.projection_control});
  own.family = family == MultistepFamily::bdf ? CvodesOptions::Family::bdf : CvodesOptions::Family::adams;
  return std::make_unique<Cvodes>(*ode, own);
}

IntegratorEntry bdf() {
  IntegratorEntry entry{
      .name = "bdf",
      .what_it_is = "backward differentiation, orders 1 to 5: CVODES, or ours with projection",
      .when_to_use = "stiff and smooth, evaluations dear",
      .needs_rates = true,
      .is_multistep = true,
      .options = cvodes_options() + convergence()};
  set_functions<Cvodes, &Options::cvodes>(
      entry, [](CvodesOptions& own) { own.family = CvodesOptions::Family::bdf; });
  entry.make = make_multistep<MultistepFamily::bdf>;
  return entry;
}

IntegratorEntry adams() {
  IntegratorEntry entry{
      .name = "adams",
      .what_it_is = "Adams-Moulton by fixed-point iteration, orders 1 to 12: CVODES, or ours with projection",
      .when_to_use = "not stiff, evaluations dear, tight tolerances",
      .needs_rates = true,
      .needs_solves = false,
      .is_multistep = true,
      .options = cvodes_options()};
  set_functions<Cvodes, &Options::cvodes>(
      entry, [](CvodesOptions& own) { own.family = CvodesOptions::Family::adams; });
  entry.make = make_multistep<MultistepFamily::adams>;
  return entry;
}

std::vector<OptionMember> arkode_options() {
  using Own = ArkodeOptions;
  constexpr auto own = &Options::arkode;
  return bounds_of_steps<own, Own>() + std::vector{option<own, &Own::order>("order")};
}

IntegratorEntry dirk() {
  IntegratorEntry entry{.name = "dirk",
                        .what_it_is = "diagonally implicit Runge-Kutta of ARKODE, orders 3 to 5, L-stable",
                        .when_to_use = "stiff; Jacobians are kept long",
                        .needs_rates = true,
                        .options = arkode_options() + iteration<&Options::arkode, ArkodeOptions>()};
  set_functions<Arkode, &Options::arkode>(
      entry, [](ArkodeOptions& own) { own.family = ArkodeOptions::Family::dirk; });
  return entry;
}

IntegratorEntry erk() {
  IntegratorEntry entry{.name = "erk",
                        .what_it_is = "explicit Runge-Kutta of ARKODE, orders 2 to 8",
                        .when_to_use = "not stiff, mild tolerances",
                        .needs_rates = true,
                        .needs_solves = false,
                        .options = arkode_options()};
  set_functions<Arkode, &Options::arkode>(
      entry, [](ArkodeOptions& own) { own.family = ArkodeOptions::Family::erk; });
  return entry;
}

IntegratorEntry ida() {
  using Own = IdaOptions;
  constexpr auto own = &Options::ida;
  IntegratorEntry entry{
      .name = "ida",
      .what_it_is = "backward differentiation of IDAS for implicit equations, orders 1 to 5",
      .when_to_use = "stiff or oscillatory, evaluations dear",
      .needs_square_systems = true,
      .highest_index = 2,
      .is_multistep = true,
      .options = bounds_of_steps<own, Own>() + iteration<own, Own>() + convergence() +
                 std::vector{option<own, &Own::newton_stop>("newton_stop"),
                             option<own, &Own::fixed_step>("fixed_step"),
                             option<own, &Own::max_order>("max_order")}};
  set_functions<Ida, own>(entry, [](IdaOptions& mine) {
    if (mine.max_order == 0) mine.max_order = 5;
  });
  return entry;
}

IntegratorEntry second_order(SecondOrderOptions::Kind kind, std::string name, std::string what_it_is,
                             std::string when_to_use) {
  using Own = SecondOrderOptions;
  constexpr auto own = &Options::second_order;
  IntegratorEntry entry{
      .name = std::move(name),
      .what_it_is = std::move(what_it_is),
      .when_to_use = std::move(when_to_use),
      .needs_second_order = true,
      .options = bounds_of_steps<own, Own>() + iteration<own, Own>() + step_control<own, Own>() +
                 std::vector{option<own, &Own::step>("step"), option<own, &Own::newton_stop>("newton_stop")}};
  if (kind != Own::Kind::trapezoidal) entry.options.push_back(option<own, &Own::rho>("rho"));
  set_functions<SecondOrderMethod, own>(entry, [kind](Own& mine) { mine.kind = kind; });
  return entry;
}

IntegratorEntry trapezoidal() {
  return second_order(SecondOrderOptions::Kind::trapezoidal, "trapezoidal",
                      "trapezoidal rule for equations of second order, order 2, no damping",
                      "real time, fixed steps, energy kept; multipliers of constraints oscillate");
}

IntegratorEntry hht() {
  return second_order(SecondOrderOptions::Kind::hht, "hht",
                      "method of Hilber, Hughes and Taylor for equations of second order, order 2",
                      "real time, fixed steps, with damping of fast oscillations (rho)");
}

IntegratorEntry alpha() {
  return second_order(SecondOrderOptions::Kind::alpha, "alpha",
                      "generalised-α for equations of second order, order 2",
                      "as hht, with less damping of slow oscillations for the same of fast ones");
}

}  // namespace

const std::vector<IntegratorEntry>& integrators() {
  static const std::vector<IntegratorEntry> all = {radau5(), sdirk4(), dop853(),      bdf(), adams(), dirk(),
                                                   erk(),    ida(),    trapezoidal(), hht(), alpha()};
  return all;
}

const IntegratorEntry* find_integrator(const std::string& name) {
  for (const IntegratorEntry& entry : integrators())
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace trammel
