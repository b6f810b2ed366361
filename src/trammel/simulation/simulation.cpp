#include "trammel/simulation/simulation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "trammel/formulation/coordinate_projection.h"
#include "trammel/formulation/coordinate_splitting.h"
#include "trammel/formulation/sparse_coordinate_partitioning.h"
#include "trammel/formulation/sparse_projected_strangeness_free.h"
#include "trammel/motion/sparse_assembly.h"

namespace trammel {

Simulation::Simulation(EquationsOfMotion& equations, Method method, Options options)
    : equations_(equations), method_(std::move(method)), options_(std::move(options)) {}

Simulation::~Simulation() = default;

Point<double> Simulation::point(double t, const Vector& x) const {
  const Layout& l = equations_.layout();
  const auto span = [&](const Block& block) {
    return std::span<const double>(x.data() + block.begin, static_cast<std::size_t>(block.size));
  };
  return {span(l.p), span(l.v), span(l.r), span(l.w), span(l.s), span(l.lambda), span(l.mu), t};
}

Failure Simulation::check(double t_start, double t_end) const {
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  if (!std::isfinite(t_start) || !std::isfinite(t_end))
    return bad("the start or end time is not a finite number");
  if (t_end < t_start)
    return {Reason::end_before_start,
            fmt::format("the end time {} is before the start time {}", t_end, t_start)};
  Method valid;
  if (Failure failure = parse_method(method_.name(), valid)) return failure;
  RadauOptions radau = options_.radau;
  radau.tolerances = options_.tolerances;
  if (Failure failure = radau.check(equations_.layout().total)) return failure;
  if (!(options_.h0 >= 0) || !std::isfinite(options_.h0))
    return bad(fmt::format("the initial step size {} must be positive", options_.h0));
  if (radau.fixed_step && !(options_.h0 > 0)) return bad("fixed_step needs an initial step size h0");
  if (!(options_.partitioning.growth >= 0))
    return bad(fmt::format("repartition_growth {} must not be negative", options_.partitioning.growth));
  if (!(options_.psf.rank_tolerance > 0 && options_.psf.rank_tolerance < 1))
    return bad("rank_tolerance must be between 0 and 1");
  if (!(options_.projection_tolerance >= 0)) return bad("projection_tolerance must not be negative");
  if (!std::is_sorted(options_.output_times.begin(), options_.output_times.end()))
    return bad("the output times must ascend");
  for (const Event& event : events_) {
    if (!event.function) return bad(fmt::format("event '{}' has no function", event.name));
    if (event.action == Event::Action::change && !event.change)
      return bad(fmt::format("event '{}' is to change the state but has no function for it", event.name));
  }
  return {};
}

// Sparse matrices are faster from three bodies on (benchmarks/scaling), and pass singular positions
// better.
bool Simulation::uses_sparse_matrices() const {
  if (options_.linear_algebra == Options::LinearAlgebra::dense) return false;
  if (method_.formulation == "psf") return SparseProjectedStrangenessFree::fits(equations_);
  if (method_.formulation == "projected") return SparseMotionProblem::fits(equations_);
  return method_.formulation == "partitioned" && SparseCoordinatePartitioning::fits(equations_) &&
         options_.partitioning.kind == Parametrization::Kind::partition;
}

void Simulation::make_formulation() {
  const std::string& name = method_.formulation;
  CoordinatePartitioningOptions partitioning = options_.partitioning;
  partitioning.rank_tolerance = options_.psf.rank_tolerance;
  if (name == "projected") {
    problem_ = std::make_unique<CoordinateProjection>(
        solved(), CoordinateProjectionOptions{.rank_tolerance = options_.psf.rank_tolerance,
                                              .tolerance = options_.projection_tolerance,
                                              .sparse = uses_sparse_matrices()});
  } else if (name == "partitioned" && uses_sparse_matrices()) {
    problem_ = std::make_unique<SparseCoordinatePartitioning>(solved(), partitioning);
  } else if (uses_sparse_matrices()) {
    problem_ = std::make_unique<SparseProjectedStrangenessFree>(
        solved(), SparseProjectedStrangenessFreeOptions{options_.psf.rank_tolerance});
  } else if (name == "psf" || name == "psf1") {
    ProjectedStrangenessFreeOptions psf = options_.psf;
    psf.form = name == "psf" ? ProjectedStrangenessFreeOptions::Form::complete
                             : ProjectedStrangenessFreeOptions::Form::incomplete;
    problem_ = std::make_unique<ProjectedStrangenessFree>(solved(), psf);
  } else if (name == "cs" || name == "cm" || name == "csm") {
    using Iteration = CoordinateSplittingOptions::Iteration;
    const Iteration iteration = name == "cs" ? Iteration::cs : name == "cm" ? Iteration::cm : Iteration::csm;
    CoordinateSplittingOptions splitting = options_.splitting;
    splitting.iteration = iteration;
    splitting.growth = options_.partitioning.growth;
    splitting.rank_tolerance = options_.psf.rank_tolerance;
    problem_ = std::make_unique<CoordinateSplitting>(solved(), splitting);
  } else if (name == "partitioned") {
    problem_ = std::make_unique<CoordinatePartitioning>(solved(), partitioning);
  } else {
    using Form = IndexReductionOptions::Form;
    IndexReductionOptions reduction = options_.index_reduction;
    reduction.form = name == "index3"      ? Form::index3
                     : name == "index2"    ? Form::index2
                     : name == "index1"    ? Form::index1
                     : name == "baumgarte" ? Form::baumgarte
                     : name == "ode"       ? Form::ode
                                           : Form::ggl;
    problem_ = std::make_unique<IndexReduction>(solved(), reduction);
  }
}

void Simulation::make_integrator() {
  const std::string& name = method_.integrator;
  const auto with_tolerances = [&](auto options) {
    options.tolerances = options_.tolerances;
    return options;
  };
  if (name == "sdirk4") {
    integrator_ = std::make_unique<Sdirk>(*problem_, with_tolerances(options_.sdirk));
  } else if (name == "dop853") {
    integrator_ = std::make_unique<Dop853>(*problem_, with_tolerances(options_.dop853));
  } else if (name == "bdf" || name == "adams") {
    CvodesOptions cvodes = with_tolerances(options_.cvodes);
    cvodes.family = name == "bdf" ? CvodesOptions::Family::bdf : CvodesOptions::Family::adams;
    integrator_ = std::make_unique<Cvodes>(*problem_, cvodes);
  } else if (name == "ida") {
    IdaOptions ida = with_tolerances(options_.ida);
    if (ida.max_order == 0) ida.max_order = 5;
    integrator_ = std::make_unique<Ida>(*problem_, ida);
  } else if (name == "dirk" || name == "erk") {
    ArkodeOptions arkode = with_tolerances(options_.arkode);
    arkode.family = name == "dirk" ? ArkodeOptions::Family::dirk : ArkodeOptions::Family::erk;
    integrator_ = std::make_unique<Arkode>(*problem_, arkode);
  } else {
    integrator_ = std::make_unique<Radau>(*problem_, with_tolerances(options_.radau));
  }
  integrator_->record_newton(options_.record_convergence);
}

// The formulation's own unknowns (η, ν) are zero on the solution.
Vector Simulation::extended(const Vector& x) const {
  Vector result = Vector::Zero(problem_->unknowns());
  result.head(solved().layout().total) = reduced(x);
  return result;
}

Vector Simulation::restored(const VectorIn& x) const {
  const auto motion = x.head(solved().layout().total);
  return reduction_ ? reduction_->restore(motion) : Vector(motion);
}

bool Simulation::assemble(Vector& x, double t, bool first, Summary& summary) {
  AssemblyOptions assembly = options_.assembly;
  assembly.meet_invariants = options_.psf.enforce_invariants && method_.formulation.starts_with("psf");
  if (!first) {
    // conditions are for the start, and an impact may change what is conserved
    assembly.conditions.clear();
    assembly.meet_invariants = false;
  }
  Vector assembled = x;
  const AssemblyReport report = uses_sparse_matrices()
                                    ? SparseAssembly(equations_, assembly).run(t, assembled)
                                    : Assembly(equations_, assembly).run(t, assembled);
  if (first) {
    summary.degrees_of_freedom = report.degrees_of_freedom;
    summary.redundant = report.redundant;
  }
  if (first && options_.initial_values == Options::InitialValues::trust) return true;
  if (report.failure) {
    summary.failure = report.failure;
    return false;
  }
  if (first && options_.initial_values == Options::InitialValues::check) {
    if (report.largest_change.empty()) {
      x = assembled;  // multipliers only
      return true;
    }
    summary.failure = {
        Reason::inconsistent_initial_values,
        fmt::format("the initial values violate the constraints: the nearest consistent state differs in "
                    "{}. Correct them, or let initial_values be 'correct'.",
                    report.largest_change)};
    return false;
  }
  if (first && !report.largest_change.empty())
    summary.notes.push_back(
        fmt::format("the initial state was corrected: largest change {}", report.largest_change));
  if (first && !report.redundant_conditions.empty())
    summary.notes.push_back(
        fmt::format("initial conditions that the constraints or other conditions imply: {}",
                    fmt::join(report.redundant_conditions, ", ")));
  if (first && !report.redundant.empty())
    summary.notes.push_back(
        fmt::format("constraints that depend on the others: {}", fmt::join(report.redundant, ", ")));
  x = assembled;
  return true;
}

Summary Simulation::run(const Vector& x0, double t_start, double t_end) {
  const auto begin = std::chrono::steady_clock::now();
  Summary summary;
  summary.method = method_.name();
  summary.t = t_start;
  const Layout& layout = equations_.layout();
  summary.has_invariants = layout.invariants > 0;
  for (Index i = 0; i < layout.total; ++i) summary.names.push_back(equations_.names().variable(layout, i));
  trajectory_ = Trajectory(summary.names);
  state_ = x0;
  t_ = t_start;
  t_end_ = t_end;
  integrator_.reset();
  problem_.reset();
  reduction_.reset();

  summary.failure = check(t_start, t_end);
  if (!summary.failure && x0.size() != layout.total)
    summary.failure = {Reason::invalid_model,
                       fmt::format("the initial state has {} entries, the equations have {} unknowns",
                                   x0.size(), layout.total)};
  if (!summary.failure && prepare(state_, t_start, summary)) advance(t_end, summary);
  summary.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  finish(summary);
  return summary;
}

bool Simulation::prepare(Vector& x, double t, Summary& summary) {
  if (!assemble(x, t, true, summary)) return false;
  equations_.follow(t, x);
  const bool one_tolerance =
      options_.tolerances.relative_each.size() + options_.tolerances.absolute_each.size() == 0;
  if (options_.reduce_planar && one_tolerance && uses_sparse_matrices())
    reduction_ = equations_.reduced(t, x);
  make_formulation();
  make_integrator();
  if (integrator_->start(t, extended(x), t_end_, options_.h0) != Outcome::ok) {
    summary.failure = integrator_->failure();
    return false;
  }
  return true;
}

void Simulation::advance(double t_end, Summary& summary) {
  next_output_ = 0;
  const std::size_t n = events_.size();
  event_values_.assign(n, 0);
  event_new_.assign(n, 0);
  event_at_root_.assign(n, 0);
  event_repeats_.assign(n, 0);
  event_last_t_.assign(n, -std::numeric_limits<double>::infinity());
  if (options_.record) {
    record_step(t_, 0, summary);
    if (options_.output == Options::Output::every_step) put_out(t_, state_);
    record_output(-std::numeric_limits<double>::infinity(), t_);
  }
  if (!evaluate_events(t_, state_, event_values_, summary)) return;
  for (std::size_t i = 0; i < n; ++i) event_at_root_[i] = event_values_[i] == 0;
  if (!after_step(summary)) return;

  while (t_ < t_end) {
    if (integrator_->step(t_end) != Outcome::ok) {
      summary.failure = integrator_->failure();
      return;
    }
    if (!handle_events(t_end, summary)) return;
  }
}

// Takes over the integrator's state; tells callback and interrupt.
bool Simulation::after_step(Summary& summary) {
  if (callback_) {
    bool go_on = true;
    try {
      go_on = callback_(point(t_, state_), integrator_->last_step());
    } catch (const std::exception& error) {
      summary.failure = {Reason::user_function_failed,
                         fmt::format("the callback failed at t = {}: {}", t_, error.what())};
      return false;
    }
    if (!go_on) {
      summary.failure = {Reason::stopped_by_callback,
                         fmt::format("stopped by the callback at t = {:.10g}", t_)};
      return false;
    }
  }
  if (options_.interrupt != nullptr && options_.interrupt->load()) {
    summary.failure = {Reason::interrupted, fmt::format("interrupted at t = {:.10g}", t_)};
    return false;
  }
  return true;
}

void Simulation::record_step(double t, double h, Summary& summary) {
  if (!options_.watch_constraints) return;
  Violation violation;
  if (!problem_->measure(t, reduced(state_), violation)) return;
  if (h > 0) summary.violation.include(violation);
  if (options_.record)
    trajectory_.steps.push_back(
        {t, h, violation.position, violation.velocity, violation.acceleration, violation.invariant});
}

Vector Simulation::shown(double t, const Vector& x) const {
  if (!problem_) return x;
  Vector result = reduced(x);
  problem_->present(result);
  if (!reduction_) return result;
  result = reduction_->restore(result);
  reduction_->present(t, result);
  return result;
}

void Simulation::put_out(double t, const Vector& x) {
  const Vector state = shown(t, x);
  trajectory_.append(t, state);
  if (output_) output_(t, state);
}

void Simulation::interpolate(double t, Vector& x) {
  Vector full(problem_->unknowns());
  integrator_->interpolate(t, full);
  if (options_.project_output)
    problem_->project(t, full);  // a projection that fails leaves the interpolated state
  x = restored(full);
}

// Output times in (t_old, t].
void Simulation::record_output(double t_old, double t) {
  if (options_.output != Options::Output::at_times) return;
  Vector x;
  while (next_output_ < options_.output_times.size() && options_.output_times[next_output_] <= t) {
    const double wanted = options_.output_times[next_output_++];
    if (wanted <= t_old) continue;
    if (wanted == t)
      put_out(t, state_);
    else if (integrator_->last_step() > 0) {
      interpolate(wanted, x);
      put_out(wanted, x);
    }
  }
}

void Simulation::finish(Summary& summary) {
  summary.t = t_;
  summary.final_state = shown(t_, state_);
  if (problem_) {
    summary.statistics = problem_->statistics();
    for (const std::string& note : problem_->notes()) summary.notes.push_back(note);
  }
  if (integrator_) summary.convergence = integrator_->newton_records();
  switch (summary.failure.reason) {
    case Reason::none:
      summary.status = Status::finished;
      break;
    case Reason::stopped_by_callback:
    case Reason::stopped_by_event:
    case Reason::interrupted:
      summary.status = Status::stopped;
      break;
    default:
      summary.status = Status::failed;
  }
}

}  // namespace trammel
