#include "trammel/simulation/formulations.h"

#include <fmt/format.h>

#include <algorithm>

#include "trammel/formulation/classical/index_reduction.h"
#include "trammel/formulation/geoms/geoms.h"
#include "trammel/formulation/penalty/penalty_motion.h"
#include "trammel/formulation/projection/coordinate_projection.h"
#include "trammel/formulation/projection/projected_index1.h"
#include "trammel/formulation/projection/projected_stages.h"
#include "trammel/formulation/psf/projected_strangeness_free.h"
#include "trammel/formulation/splitting/coordinate_splitting.h"
#include "trammel/formulation/state_space/coordinate_partitioning.h"

namespace trammel {

namespace {

using Form = ProjectedStrangenessFreeOptions::Form;
using enum SystemKind;

constexpr HeldLevels held_exactly{true, true, true}, held_to_tolerance{true, true, false};

std::function<HeldLevels(const Options&)> always(HeldLevels levels) {
  return [levels](const Options&) { return levels; };
}

Failure bad(std::string message) { return {Reason::invalid_options, std::move(message)}; }

Failure check_rank_tolerance(const Options& options) {
  const double tolerance = options.psf.rank_tolerance;
  return tolerance > 0 && tolerance < 1 ? Failure{} : bad("rank_tolerance must be between 0 and 1");
}

Failure check_coordinates(const Options& options) {
  if (!(options.partitioning.growth >= 0)) return bad("repartition_growth must not be negative");
  return check_rank_tolerance(options);
}

OptionMember rank_tolerance() {
  return option<&Options::psf, &ProjectedStrangenessFreeOptions::rank_tolerance>("rank_tolerance");
}
OptionMember invariants() {
  return option<&Options::psf, &ProjectedStrangenessFreeOptions::enforce_invariants>("invariants");
}
OptionMember planar_reduction() { return option<&Options::reduce_planar>("planar_reduction"); }
OptionMember driver_elimination() { return option<&Options::eliminate_drivers>("driver_elimination"); }
OptionMember repartition_growth() {
  return option<&Options::partitioning, &CoordinatePartitioningOptions::growth>("repartition_growth");
}

// --- projected-strangeness-free forms

FormulationEntry psf(std::string name, Form form, std::string what_it_is, std::vector<Pairing> pairings) {
  return {
      .name = std::move(name),
      .what_it_is = std::move(what_it_is),
      .has_more_equations = true,
      .index = form == Form::complete ? 1 : 2,
      .keeps_invariants = true,
      .options = {planar_reduction(), driver_elimination(), rank_tolerance(), invariants()},
      .pairings = std::move(pairings),
      .held = always(held_exactly),
      .check = check_rank_tolerance,
      .make = [form](EquationsOfMotion& equations, const Options& options) -> std::unique_ptr<MotionProblem> {
        ProjectedStrangenessFreeOptions own = options.psf;
        own.form = form;
        return std::make_unique<ProjectedStrangenessFree>(equations, own);
      }};
}

FormulationEntry psf() {
  return psf("psf", Form::complete,
             "projected-strangeness-free form: positions, velocities and accelerations constrained",
             {{.integrator = "radau5",
               .when_to_use = "stiff: what auto takes there; constraints at all three levels held to "
                              "round-off, redundant constraints and invariants welcome",
               .compared_on = {ordinary, unconstrained, constrained},
               .checks_references = true,
               .automatic_when_stiff_for = {unconstrained, constrained},
               .automatic_options = {{"newton_matrix_at", "2"}}},
              {.integrator = "sdirk4",
               .when_to_use = "psf with one real matrix instead of a real and a complex one; order 4"}});
}

FormulationEntry psf1() {
  return psf("psf1", Form::incomplete, "psf without the acceleration level",
             {{.integrator = "radau5",
               .when_to_use = "psf without the acceleration level: positions and velocities held, "
                              "fewer derivatives, multipliers one order lower"}});
}

std::unique_ptr<MotionProblem> make_geoms(GeomsOptions::Form form, EquationsOfMotion& equations,
                                          const Options& options) {
  GeomsOptions own = options.geoms;
  own.form = form;
  own.rank_tolerance = options.psf.rank_tolerance;
  own.enforce_invariants = options.psf.enforce_invariants;
  return std::make_unique<Geoms>(equations, own);
}

// The published procedure, step by step, with all its options.
FormulationEntry geoms(std::string name, GeomsOptions::Form form, std::string what_it_is,
                       std::string when_to_use) {
  constexpr auto own = &Options::geoms;
  return {.name = std::move(name),
          .what_it_is = std::move(what_it_is),
          .has_more_equations = true,
          .index = form == GeomsOptions::Form::complete ? 1 : 2,
          .is_dense = true,
          .keeps_invariants = true,
          .options = {option<own, &GeomsOptions::algebraic>("algebraic"),
                      option<own, &GeomsOptions::switch_to_svd>("switch_to_svd"),
                      option<own, &GeomsOptions::differential>("differential"),
                      option<own, &GeomsOptions::selectors>("selectors"), invariants(),
                      option<own, &GeomsOptions::close_constraints>("close_constraints"), rank_tolerance(),
                      option<own, &GeomsOptions::rank_patience>("rank_patience")},
          .pairings = {{.integrator = "radau5", .when_to_use = std::move(when_to_use)}},
          .held =
              [](const Options& options) {
                return HeldLevels{true, true, options.geoms.close_constraints};
              },
          .check =
              [](const Options& options) {
                return options.geoms.rank_patience >= 1 ? check_rank_tolerance(options)
                                                        : bad("rank_patience must be at least 1");
              },
          .make = std::bind_front(make_geoms, form)};
}

// --- forms of second order

std::unique_ptr<MotionProblem> make_penalty(PenaltyOptions::Form form, EquationsOfMotion& equations,
                                            const Options& options) {
  PenaltyOptions own = options.penalty;
  own.form = form;
  own.rank_tolerance = options.psf.rank_tolerance;
  return std::make_unique<PenaltyMotion>(equations, own);
}

OptionMember jacobian_iterations() {
  return option<&Options::penalty, &PenaltyOptions::jacobian_iterations>("jacobian_iterations");
}

Failure check_penalty(const Options& options) {
  const PenaltyOptions& own = options.penalty;
  if (!(own.factor > 0)) return bad("penalty_factor must be positive");
  if (!(own.level > 0 && own.level < 1)) return bad("constraint_level must be between 0 and 1");
  if (own.jacobian_iterations < 1) return bad("jacobian_iterations must be at least 1");
  return check_rank_tolerance(options);
}

FormulationEntry penalties(std::string name, PenaltyOptions::Form form, std::string what_it_is,
                           std::vector<Pairing> pairings) {
  return {.name = std::move(name),
          .what_it_is = std::move(what_it_is),
          .gives_solves = false,
          .gives_second_order = true,
          .index = 3,
          .options = {jacobian_iterations(), rank_tolerance(), planar_reduction(), driver_elimination()},
          .pairings = std::move(pairings),
          .held = always(held_to_tolerance),
          .check = check_penalty,
          .make = std::bind_front(make_penalty, form)};
}

FormulationEntry penalty() {
  FormulationEntry entry =
      penalties("penalty", PenaltyOptions::Form::penalty,
                "constraint forces in proportion to the violation, velocities and accelerations projected",
                {{.integrator = "trapezoidal",
                  .when_to_use = "semi-recursive penalty form (with coordinates: joint): real time, few "
                                 "operations a step"},
                 {.integrator = "hht", .when_to_use = "penalty form with damping of fast oscillations"},
                 {.integrator = "alpha", .when_to_use = "penalty form with damping of fast oscillations"}});
  constexpr auto own = &Options::penalty;
  entry.options.push_back(option<own, &PenaltyOptions::factor>("penalty_factor"));
  entry.options.push_back(option<own, &PenaltyOptions::scaled>("penalty_scaling"));
  entry.held = always({false, false, false});
  return entry;
}

FormulationEntry augmented() {
  FormulationEntry entry = penalties(
      "augmented", PenaltyOptions::Form::augmented,
      "penalties with multipliers on top, until constraints are met to constraint_level",
      {{.integrator = "trapezoidal",
        .when_to_use = "augmented Lagrangian: constraints met to a set level at all levels, real time"},
       {.integrator = "hht", .when_to_use = "augmented Lagrangian with damping of fast oscillations"},
       {.integrator = "alpha", .when_to_use = "augmented Lagrangian with damping of fast oscillations"}});
  entry.options.push_back(option<&Options::penalty, &PenaltyOptions::level>("constraint_level"));
  return entry;
}

// Integrators of second order beside those of the classical form of the same name; redundant constraints are welcome.
// Positions alone and the trapezoidal rule are not stable together.
void add_second_order(FormulationEntry& entry, PenaltyOptions::Form form, const std::string& what) {
  entry.gives_second_order = true;
  for (const char* integrator : {"trapezoidal", "hht", "alpha"}) {
    if (form == PenaltyOptions::Form::index3 && integrator == std::string("trapezoidal")) continue;
    entry.pairings.push_back({.integrator = integrator,
                              .when_to_use = what + (integrator == std::string("trapezoidal")
                                                         ? ", trapezoidal rule: multipliers oscillate"
                                                         : ", damping of fast oscillations (rho); redundant "
                                                           "constraints welcome"),
                              .options = {jacobian_iterations()},
                              .make = std::bind_front(make_penalty, form)});
  }
}

// --- classical forms

FormulationEntry classical(std::string name, IndexReductionOptions::Form form, std::string what_it_is) {
  return {
      .name = std::move(name),
      .what_it_is = std::move(what_it_is),
      .refuses = {{Trait::redundant_constraints,
                   "redundant constraints leave its multipliers open; use 'psf', which can treat them"}},
      .is_dense = true,
      .pairings = {},
      .held = always(held_to_tolerance),
      .check = [](const Options&) { return Failure{}; },
      .make = [form](EquationsOfMotion& equations, const Options& options) -> std::unique_ptr<MotionProblem> {
        IndexReductionOptions own = options.index_reduction;
        own.form = form;
        return std::make_unique<IndexReduction>(equations, own);
      }};
}

FormulationEntry ggl() {
  FormulationEntry entry =
      classical("ggl", IndexReductionOptions::Form::ggl, "form of Gear, Gupta and Leimkuhler");
  entry.index = 2;
  // of the classical form, not of the one that methods of second order are given
  const std::vector<OptionMember> options = {
      option<&Options::index_reduction, &IndexReductionOptions::frozen_constraints>("ggl_iteration")};
  entry.pairings = {
      {.integrator = "radau5",
       .when_to_use = "Gear-Gupta-Leimkuhler, index 2: positions and velocities held to the tolerance; no "
                      "redundancy",
       .compared_on = {constrained},
       .checks_references = true,
       .options = options},
      {.integrator = "ida",
       .when_to_use = "Gear-Gupta-Leimkuhler with IDAS (BDF), a descendant of DASSL; no redundancy",
       .options = options}};
  add_second_order(entry, PenaltyOptions::Form::ggl, "positions and velocities constrained");
  return entry;
}

FormulationEntry index3() {
  FormulationEntry entry =
      classical("index3", IndexReductionOptions::Form::index3, "the equations as they are");
  entry.index = 3;
  entry.held = always({true, false, false});
  entry.pairings = {{.integrator = "radau5",
                     .when_to_use =
                         "the equations as they are: positions held, velocities and multipliers of lower "
                         "accuracy"}};
  add_second_order(entry, PenaltyOptions::Form::index3, "positions constrained");
  return entry;
}

FormulationEntry index2() {
  FormulationEntry entry =
      classical("index2", IndexReductionOptions::Form::index2, "velocity constraints only");
  entry.index = 2;
  entry.held = always({false, true, false});
  entry.pairings = {{.integrator = "radau5",
                     .when_to_use = "velocity constraints only: positions drift linearly; to compare with"}};
  return entry;
}

FormulationEntry index1() {
  FormulationEntry entry =
      classical("index1", IndexReductionOptions::Form::index1, "acceleration constraints only");
  entry.held = always({false, false, false});
  entry.pairings = {
      {.integrator = "radau5",
       .when_to_use = "acceleration constraints only: positions drift quadratically; to compare with",
       .compared_on = {constrained}},
      {.integrator = "ida",
       .when_to_use = "acceleration constraints only, IDAS: positions drift; to compare with"}};
  return entry;
}

FormulationEntry baumgarte() {
  using Own = IndexReductionOptions;
  FormulationEntry entry = classical("baumgarte", Own::Form::baumgarte,
                                     "acceleration constraints with feedback of their violation");
  entry.held = always({false, false, false});
  entry.options = {option<&Options::index_reduction, &Own::baumgarte_alpha>("baumgarte_alpha"),
                   option<&Options::index_reduction, &Own::baumgarte_beta>("baumgarte_beta")};
  entry.pairings = {{.integrator = "radau5",
                     .when_to_use = "index 1 with feedback of the violation (baumgarte_alpha, "
                                    "baumgarte_beta); to compare with"}};
  return entry;
}

FormulationEntry ode() {
  FormulationEntry entry = classical("ode", IndexReductionOptions::Form::ode,
                                     "the equations themselves, where nothing is constrained");
  const std::string only =
      "it is for equations without constraints, auxiliary unknowns and contact "
      "coordinates; use 'psf'";
  entry.gives_rates = true;
  entry.refuses = {
      {Trait::constraints, only}, {Trait::auxiliary_unknowns, only}, {Trait::contact_coordinates, only}};
  entry.rates_refuse = {{Trait::normalizations,
                         "normalisations (Euler parameters of length one) get multipliers, and then it is no "
                         "ordinary differential equation; use 'ode/radau5' or 'partitioned'"}};
  entry.pairings = {
      {.integrator = "radau5",
       .when_to_use = "equations without constraints: plain (stiff) ODEs",
       .compared_on = {ordinary, unconstrained},
       .checks_references = true,
       .automatic_when_stiff_for = {ordinary},
       .automatic_options = {{"newton_matrix_at", "2"}}},
      {.integrator = "sdirk4",
       .when_to_use = "equations without constraints: stiff, mild tolerances",
       .compared_on = {ordinary, unconstrained}},
      {.integrator = "bdf",
       .when_to_use = "equations without constraints: stiff, CVODES BDF",
       .compared_on = {ordinary}},
      {.integrator = "adams",
       .when_to_use = "equations without constraints: not stiff, CVODES Adams",
       .compared_on = {ordinary}},
      {.integrator = "dirk",
       .when_to_use = "equations without constraints: stiff, ARKODE diagonally implicit Runge-Kutta"},
      {.integrator = "dop853",
       .when_to_use = "equations without constraints: not stiff, explicit Runge-Kutta of order 8",
       .compared_on = {ordinary},
       .automatic_for = {ordinary}},
      {.integrator = "erk",
       .when_to_use = "equations without constraints: not stiff, ARKODE explicit Runge-Kutta",
       .compared_on = {ordinary}}};
  return entry;
}

// --- state-space form

std::unique_ptr<MotionProblem> make_partitioned(EquationsOfMotion& equations, const Options& options) {
  CoordinatePartitioningOptions own = options.partitioning;
  own.rank_tolerance = options.psf.rank_tolerance;
  return std::make_unique<CoordinatePartitioning>(equations, own);
}

FormulationEntry partitioned() {
  return {
      .name = "partitioned",
      .what_it_is = "state-space form: only independent coordinates are integrated",
      .gives_rates = true,
      .options = {option<&Options::partitioning, &CoordinatePartitioningOptions::kind>("parametrization"),
                  repartition_growth(), rank_tolerance(), planar_reduction(), driver_elimination()},
      .pairings =
          {{.integrator = "sdirk4",
            .when_to_use = "state-space form: only independent coordinates are integrated, the others follow "
                           "exactly; stiff vehicles at mild tolerances",
            .compared_on = {unconstrained, constrained}},
           {.integrator = "radau5",
            .when_to_use = "state-space form, with order 5: tight tolerances",
            .compared_on = {constrained},
            .checks_references = true},
           {.integrator = "bdf",
            .when_to_use = "state-space form, CVODES BDF: smooth stiff motion, few evaluations a step",
            .compared_on = {unconstrained, constrained}},
           {.integrator = "adams",
            .when_to_use =
                "state-space form, CVODES Adams, explicit in the mechanism: not stiff, evaluations "
                "dear",
            .compared_on = {unconstrained, constrained}},
           {.integrator = "dirk", .when_to_use = "state-space form, ARKODE diagonally implicit Runge-Kutta"},
           {.integrator = "erk", .when_to_use = "state-space form, ARKODE explicit Runge-Kutta: not stiff"}},
      .held = always(held_exactly),
      .check = check_coordinates,
      .make = make_partitioned};
}

// --- coordinate projection

Failure check_projection(const Options& options) {
  if (!(options.projection.tolerance >= 0)) return bad("projection_tolerance must not be negative");
  if (options.projection_control.frequency < 1) return bad("projection_frequency must be at least 1");
  return check_rank_tolerance(options);
}

std::unique_ptr<MotionProblem> make_projection(bool projects, EquationsOfMotion& equations,
                                               const Options& options) {
  CoordinateProjectionOptions own = options.projection;
  own.projects = projects;
  own.rank_tolerance = options.psf.rank_tolerance;
  return std::make_unique<CoordinateProjection>(equations, own);
}

std::unique_ptr<MotionProblem> make_projected_stages(EquationsOfMotion& equations, const Options& options) {
  CoordinateProjectionOptions own = options.projection;
  own.rank_tolerance = options.psf.rank_tolerance;
  return std::make_unique<ProjectedStages>(equations, own);
}

// Of methods that project inside a step.
std::vector<OptionMember> options_inside_steps() {
  using Own = CoordinateProjectionOptions;
  return {
      option<&Options::projection_control, &ProjectionControl::constraint_tolerance>("constraint_tolerance"),
      option<&Options::projection_control, &ProjectionControl::frequency>("projection_frequency"),
      option<&Options::projection_control, &ProjectionControl::project_error>("project_error"),
      option<&Options::projection, &Own::scales>("constraint_scales"),
      option<&Options::projection, &Own::keeps_invariants>("invariants")};
}

// Of those that choose the norm.
std::vector<OptionMember> options_with_norm() {
  std::vector<OptionMember> options = options_inside_steps();
  options.push_back(option<&Options::projection, &CoordinateProjectionOptions::norm>("projection_norm"));
  return options;
}

FormulationEntry projected() {
  return {
      .name = "projected",
      .what_it_is =
          "ordinary differential equation in all coordinates, put back on the constraints "
          "in every step",
      .gives_rates = true,
      .options = {rank_tolerance(), planar_reduction(), driver_elimination()},
      .pairings = {{.integrator = "dop853",
                    .when_to_use = "coordinate projection, explicit Runge-Kutta of order 8: the fastest "
                                   "where nothing is stiff; what auto begins with",
                    .compared_on = {unconstrained, constrained},
                    .automatic_for = {unconstrained, constrained},
                    .options = {option<&Options::projection, &CoordinateProjectionOptions::tolerance>(
                        "projection_tolerance")}},
                   {.integrator = "adams",
                    .when_to_use = "coordinate projection inside the step, Adams with projected errors: "
                                   "not stiff, evaluations dear",
                    .holds_to_tolerance = true,
                    .options = options_with_norm()},
                   {.integrator = "bdf",
                    .when_to_use = "coordinate projection inside the step, BDF with projected errors: "
                                   "smooth stiff motion",
                    .holds_to_tolerance = true,
                    .options = options_with_norm()},
                   {.integrator = "radau5",
                    .when_to_use = "coordinate projection at the end of implicit steps of order 5: stiff, "
                                   "tight tolerances, vibrations without damping",
                    .holds_to_tolerance = true,
                    .options = options_with_norm(),
                    .make = make_projected_stages},
                   {.integrator = "sdirk4",
                    .when_to_use = "coordinate projection at the end of implicit steps of order 4: stiff, "
                                   "mild tolerances, one real matrix a step",
                    .holds_to_tolerance = true,
                    .options = options_with_norm(),
                    .make = make_projected_stages}},
      .held = always(held_exactly),
      .check = check_projection,
      .make = std::bind_front(make_projection, true)};
}

FormulationEntry projected_index1() {
  return {.name = "projected-index1",
          .what_it_is = "the semi-explicit form of index 1, put back on the constraints in every step",
          .options = {rank_tolerance(), planar_reduction(), driver_elimination()},
          .pairings = {{.integrator = "ida",
                        .when_to_use =
                            "coordinate projection inside the step, IDAS with projected errors, multipliers "
                            "among the unknowns: smooth stiff motion, large mechanisms",
                        .options = options_inside_steps()}},
          .held = always(held_to_tolerance),
          .check = check_projection,
          .make = [](EquationsOfMotion& equations, const Options& options) -> std::unique_ptr<MotionProblem> {
            CoordinateProjectionOptions own = options.projection;
            own.rank_tolerance = options.psf.rank_tolerance;
            return std::make_unique<ProjectedIndex1>(equations, own);
          }};
}

FormulationEntry unprojected() {
  return {.name = "unprojected",
          .what_it_is = "the same ordinary differential equation without projection, to compare with",
          .gives_rates = true,
          .options = {rank_tolerance(), planar_reduction(), driver_elimination()},
          .pairings = {{.integrator = "dop853",
                        .when_to_use = "all coordinates without projection, explicit Runge-Kutta: positions "
                                       "drift; to compare with"},
                       {.integrator = "adams",
                        .when_to_use = "all coordinates without projection, Adams: positions drift; to "
                                       "compare with"},
                       {.integrator = "bdf",
                        .when_to_use =
                            "all coordinates without projection, BDF: positions drift; to compare with"}},
          .held = always({false, false, false}),
          .check = check_rank_tolerance,
          .make = std::bind_front(make_projection, false)};
}

// --- coordinate splitting

FormulationEntry splitting(std::string name, CoordinateSplittingOptions::Iteration iteration,
                           std::string what_it_is, std::vector<Pairing> pairings) {
  return {
      .name = std::move(name),
      .what_it_is = std::move(what_it_is),
      .refuses = {{Trait::reaction_dependent_forces,
                   "coordinate splitting has no multipliers, so forces must not depend on reactions "
                   "(friction); use 'psf' or 'partitioned'"}},
      .options = {driver_elimination(),
                  option<&Options::splitting, &CoordinateSplittingOptions::velocity_index>("velocity_index"),
                  repartition_growth(), rank_tolerance()},
      .pairings = std::move(pairings),
      .held = always(held_to_tolerance),
      .check = check_coordinates,
      .make = [iteration](EquationsOfMotion& equations,
                          const Options& options) -> std::unique_ptr<MotionProblem> {
        CoordinateSplittingOptions own = options.splitting;
        own.iteration = iteration;
        own.growth = options.partitioning.growth;
        own.rank_tolerance = options.psf.rank_tolerance;
        return std::make_unique<CoordinateSplitting>(equations, own);
      }};
}

FormulationEntry csm() {
  return splitting(
      "csm", CoordinateSplittingOptions::Iteration::csm,
      "coordinate splitting: cm, and cs where that does not converge",
      {{.integrator = "radau5",
        .when_to_use = "coordinate splitting, without multipliers: cm, and cs where that does not converge; "
                       "stiff, oscillatory"},
       {.integrator = "ida",
        .when_to_use = "coordinate splitting, IDAS: variable order, cm and cs in turn",
        .compared_on = {constrained}}});
}

FormulationEntry cm() {
  return splitting(
      "cm", CoordinateSplittingOptions::Iteration::cm,
      "coordinate splitting with the projector frozen in Newton's matrix",
      {{.integrator = "radau5",
        .when_to_use = "coordinate splitting with the projector frozen in Newton's matrix"},
       {.integrator = "ida",
        .when_to_use = "coordinate splitting, IDAS: highly oscillatory systems followed smoothly"}});
}

FormulationEntry cs() {
  return splitting("cs", CoordinateSplittingOptions::Iteration::cs,
                   "coordinate splitting with the exact Newton matrix",
                   {{.integrator = "radau5",
                     .when_to_use = "coordinate splitting with the exact Newton matrix; to compare with cm"},
                    {.integrator = "ida",
                     .when_to_use = "coordinate splitting, IDAS, exact Newton matrix; to compare with cm"}});
}

}  // namespace

const std::vector<FormulationEntry>& formulations() {
  static const std::vector<FormulationEntry> all = {
      psf(),
      psf1(),
      geoms("geoms", GeomsOptions::Form::complete, "psf by the published procedure of GEOMS, dense",
            "psf as GEOMS computes it, with its decompositions, selectors and counters"),
      geoms("geoms1", GeomsOptions::Form::incomplete, "psf1 by the published procedure of GEOMS, dense",
            "psf1 as GEOMS computes it: without the acceleration level"),
      ggl(),
      index3(),
      index2(),
      index1(),
      baumgarte(),
      partitioned(),
      projected(),
      projected_index1(),
      unprojected(),
      csm(),
      cm(),
      cs(),
      penalty(),
      augmented(),
      ode(),
  };
  return all;
}

const FormulationEntry* find_formulation(const std::string& name) {
  for (const FormulationEntry& entry : formulations())
    if (entry.name == name) return &entry;
  return nullptr;
}

bool FormulationEntry::refuses_trait(Trait trait) const {
  return std::any_of(refuses.begin(), refuses.end(),
                     [&](const Refusal& refusal) { return refusal.trait == trait; });
}

std::string FormulationEntry::holds() const {
  if (refuses_trait(Trait::constraints)) return "there are none";
  const HeldLevels levels = held({});
  const char* how = levels.exactly ? "to round-off" : "to the tolerance";
  if (levels.position && levels.velocity) return fmt::format("positions and velocities {}", how);
  if (levels.position) return fmt::format("positions {}", how);
  if (levels.velocity) return fmt::format("velocities {}; positions drift", how);
  return "accelerations; positions and velocities drift";
}

}  // namespace trammel
