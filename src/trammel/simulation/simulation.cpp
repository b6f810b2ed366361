#include "trammel/simulation/simulation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "trammel/motion/force_trouble.h"
#include "trammel/numerics/norms.h"
#include "trammel/simulation/formulations.h"
#include "trammel/simulation/integrators.h"

namespace trammel {

// Who asks for something must know that nothing came of it.
constexpr const char* elimination_without_effect =
    "driver_elimination changed nothing: it takes joint coordinates, a driver of one of them, one "
    "tolerance for all unknowns, and no invariants that are kept";

Simulation::Simulation(EquationsOfMotion& equations, Method method, Options options)
    : equations_(equations),
      methods_{std::move(method)},
      method_(methods_.front()),
      options_(std::move(options)) {}

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
  if (!(options_.h0 >= 0) || !std::isfinite(options_.h0))
    return bad(fmt::format("the initial step size {} must be positive", options_.h0));
  if (Failure failure = check_methods(methods_, options_, equations_)) return failure;
  if (!std::is_sorted(options_.output_times.begin(), options_.output_times.end()))
    return bad("the output times must ascend");
  for (const Event& event : events_) {
    if (!event.function) return bad(fmt::format("event '{}' has no function", event.name));
    if (event.action == Event::Action::change && !event.change)
      return bad(fmt::format("event '{}' is to change the state but has no function for it", event.name));
  }
  return {};
}

// The formulation's own unknowns (η, ν) are zero on the solution.
Vector Simulation::extended(const Vector& x) const {
  Vector result = Vector::Zero(problem_->unknowns());
  result.head(solved().layout().total) = reduced(x);
  return result;
}

Vector Simulation::restored(double t, const VectorIn& x) const {
  const auto motion = x.head(solved().layout().total);
  return reduction_ ? reduction_->restore(t, motion) : Vector(motion);
}

Vector Simulation::completed(double t, const VectorIn& x) {
  Vector result = restored(t, x);
  if (!reduction_ || reduction_->eliminated_drivers().empty()) return result;
  // not those of the formulation, which may be as inexact as its multipliers
  if (shown_ && !shown_->accelerate(t, x.head(solved().layout().total)))
    reduction_->complete(t, shown_->accelerations(), result);
  return result;
}

// Makes the initial state consistent, unless that is known already.
bool Simulation::assemble_start(Vector& x, double t, const AssemblyReport* known) {
  AssemblyOptions assembly = options_.assembly;
  assembly.meet_invariants = options_.psf.enforce_invariants && formulation_->keeps_invariants;
  Vector assembled = x;
  const AssemblyReport report = known != nullptr ? *known : Assembly(*watched_, assembly).run(t, assembled);
  summary_.degrees_of_freedom = report.degrees_of_freedom;
  summary_.redundant = report.redundant;
  redundant_at_start_ = report.redundant;
  if (options_.initial_values == Options::InitialValues::trust) return true;
  if (report.failure) return fail(known != nullptr ? report.failure : named(report.failure, x, t));
  if (options_.initial_values == Options::InitialValues::check) {
    if (report.largest_change.empty()) {
      x = assembled;  // multipliers only
      return true;
    }
    return fail(
        {Reason::inconsistent_initial_values,
         fmt::format("the initial values violate the constraints: the nearest consistent state differs in "
                     "{}. Correct them, or let initial_values be 'correct'.",
                     report.largest_change)});
  }
  note_assembly(report, summary_);
  x = assembled;
  return true;
}

void Simulation::note_assembly(const AssemblyReport& report, Summary& summary) const {
  const auto note = [&](std::string text) { summary.notes.push_back(std::move(text)); };
  if (!report.note.empty()) note(report.note);
  if (!report.largest_change.empty())
    note(fmt::format("the initial state was corrected: largest change {}", report.largest_change));
  if (report.closed_within > 1e-9)
    note(fmt::format("constraints that depend on others fit only to within {:.2g} of the mechanism's size",
                     report.closed_within));
  if (!report.redundant_conditions.empty())
    note(fmt::format("initial conditions that the constraints or other conditions imply: {}",
                     fmt::join(report.redundant_conditions, ", ")));
  if (!report.redundant.empty())
    note(fmt::format("constraints that depend on the others: {}", fmt::join(report.redundant, ", ")));
  // otherwise a formulation that comes across them says so
  const Layout& layout = equations_.layout();
  if (!report.redundant.empty() && report.velocity_rank == layout.lambda.size + layout.mu.size)
    note("constraints are redundant: the reactions shown are those of minimal norm");
}

// Makes a state consistent on the way. Conditions are for the start, and an impact may change what is
// conserved.
Failure Simulation::reassemble(Vector& x, double t) {
  AssemblyOptions assembly = options_.assembly;
  assembly.conditions.clear();
  assembly.guess_velocities = nullptr;
  assembly.meet_invariants = false;
  Vector assembled = x;
  const AssemblyReport report = Assembly(*watched_, assembly).run(t, assembled);
  if (!report.failure) x = assembled;
  return report.failure ? named(report.failure, x, t) : Failure{};
}

// A state that cannot be assembled, told by the names of all constraints that take part.
Failure Simulation::named(const Failure& failure, const Vector& x, double t) {
  auto [motion, state] = watched_->with_every_constraint(t, x);
  if (!motion) return failure;
  AssemblyOptions assembly;
  assembly.closure_tolerance = options_.assembly.closure_tolerance;
  assembly.meet_invariants = false;
  const AssemblyReport report = Assembly(*motion, assembly).run(t, state);
  return report.failure ? report.failure : failure;
}

Summary Simulation::run(const Vector& x0, double t_start, double t_end) {
  return run(x0, t_start, t_end, nullptr);
}

Summary Simulation::run(const Vector& x0, double t_start, double t_end, const AssemblyReport& assembled) {
  return run(x0, t_start, t_end, &assembled);
}

Summary Simulation::run(const Vector& x0, double t_start, double t_end, const AssemblyReport* assembled) {
  if (start(x0, t_start, t_end, assembled)) advance(t_end);
  return finish();
}

Failure Simulation::check_state(const Vector& x) const {
  if (x.size() == equations_.layout().total) return {};
  return {Reason::invalid_model,
          fmt::format("the initial state has {} entries, the equations have {} unknowns", x.size(),
                      equations_.layout().total)};
}

bool Simulation::start(const Vector& x0, double t_start, double t_end) {
  return start(x0, t_start, t_end, nullptr);
}

bool Simulation::start(const Vector& x0, double t_start, double t_end, const AssemblyReport& assembled) {
  return start(x0, t_start, t_end, &assembled);
}

bool Simulation::start(const Vector& x0, double t_start, double t_end, const AssemblyReport* assembled) {
  began_ = std::chrono::steady_clock::now();
  summary_ = {};
  present_ = 0;
  method_ = methods_.front();
  summary_.method = method_.name();
  summary_.options = options_.named;
  const Layout& layout = equations_.layout();
  summary_.has_invariants = layout.invariants > 0;
  for (Index i = 0; i < layout.total; ++i) summary_.names.push_back(equations_.names().variable(layout, i));
  trajectory_ = Trajectory(summary_.names);
  state_ = x0;
  t_ = t_start;
  t_end_ = t_end;
  tiny_steps_ = 0;
  largest_step_ = 0;
  singular_samples_.clear();
  singular_rows_.clear();
  no_limits_ = false;
  steps_since_switch_ = 1000;
  unbelievable_steps_ = 0;
  doubts_.clear();
  switched_at_ = -std::numeric_limits<double>::infinity();
  balanced_.reset();
  largest_positions_.resize(0);
  way_from_.resize(0);
  way_.resize(0);
  before_.resize(0);
  integrator_.reset();
  shown_.reset();
  problem_.reset();
  reduction_.reset();
  steps_since_rest_ = 0;
  Carrier followed = Carrier::saving(followed_before_);
  equations_.carry(followed);

  gave_up_at_ = -std::numeric_limits<double>::infinity();
  formulation_ = find_formulation(method_.formulation);
  summary_.failure = check(t_start, t_end);
  if (!summary_.failure) summary_.failure = check_state(x0);
  return !summary_.failure && prepare(state_, t_start, assembled) && begin_run() && t_ < t_end_;
}

bool Simulation::advance(double t) {
  return problem_ && !summary_.failure && proceed(std::min(t, t_end_)) && t_ < t_end_;
}

bool Simulation::set_state(const Vector& x) {
  if (!problem_ || summary_.failure) return false;
  summary_.failure = check_state(x);
  if (summary_.failure) return false;
  follow(t_, x);
  return restart(t_, x, integrator_->next_step());
}

bool Simulation::prepare(Vector& x, double t, const AssemblyReport* assembled) {
  watched_ = equations_.tangent();
  if (!assemble_start(x, t, assembled)) return false;
  t_start_ = t;
  start_ = x;
  return make_solver(x, t);
}

// The formulation and the integrator of one of the methods.
bool Simulation::make_method(std::size_t method) {
  present_ = method;
  method_ = methods_[method];
  formulation_ = find_formulation(method_.formulation);
  const Pairing& pairing = find_method(method_)->pairing;
  problem_ = (pairing.make ? pairing.make : formulation_->make)(solved(), options_);
  integrator_ = find_integrator(method_.integrator)->make(*problem_, options_);
  if (!integrator_) {
    return fail({Reason::invalid_options,
                 fmt::format("in the form '{}' these equations are not of the kind that {} integrates",
                             method_.formulation, method_.integrator)});
  }
  integrator_->record_newton(options_.record_convergence);
  return true;
}

// Everything that steps and what is shown beside them need, at the assembled start.
bool Simulation::make_solver(const Vector& x, double t) {
  reduction_.reset();
  if (options_.tolerances.is_one_for_all() && options_.projection.is_for_all_rows() &&
      !options_.projection.keeps_invariants && !formulation_->is_dense)
    reduction_ = equations_.reduced(t, x);
  if (reduction_ &&
      !(reduction_->eliminated_drivers().empty() ? options_.reduce_planar : options_.eliminate_drivers))
    reduction_.reset();
  if (reduction_) summary_.eliminated_drivers = reduction_->eliminated_drivers();
  if (!make_method(present_)) return false;
  between_ = solved().tangent();
  shown_ = std::make_unique<ConsistentState>(
      *between_, ConsistentStateOptions{.rank_tolerance = options_.psf.rank_tolerance});
  follow_inside(t, x);
  begin_switches(t, x);
  summary_.failure = shown_->start(t, reduced(x));
  if (summary_.failure) return false;
  // formulations that let Newton's iteration keep the constraints keep them as well as the tolerance
  const bool exactly =
      formulation_->held(options_).exactly && !find_method(method_)->pairing.holds_to_tolerance;
  const double tolerance = std::max(options_.assembly.closure_tolerance,
                                    exactly ? 0.0 : 100 * options_.tolerances.largest_relative());
  closure_ = std::make_unique<Closure>(*watched_, tolerance);
  const Vector sizes = equations_.displacement_sizes(x);
  smallest_size_ = sizes.size() > 0 ? std::min(1.0, sizes.minCoeff()) : 1.0;
  suspicious_ = 1e-2 * tolerance * smallest_size_;
  if (integrator_->start(t, extended(x), t_end_, options_.h0) != Outcome::ok)
    return fail(integrator_->failure());
  return true;
}

void Simulation::follow(double t, const Vector& x) {
  follow_inside(t, x);
  if (follow_) follow_(t, x);
}

void Simulation::follow_inside(double t, const Vector& x) {
  equations_.follow(t, x);
  watched_->follow(t, x);
  if (reduction_) reduction_->equations().follow(t, reduced(x));
  between_->follow(t, reduced(x));
  problem_->follow(t, reduced(x));
}

const Vector* Simulation::accelerations(double t, const Vector& x) {
  if (const Vector* known = problem_->accelerations_at(t, x)) return known;
  return shown_->accelerate(t, x) ? nullptr : &shown_->accelerations();
}

// The initial state is there: everything before the first step.
bool Simulation::begin_run() {
  if (follow_) follow_(t_, state_);
  next_output_ = 0;
  const std::size_t n = events_.size();
  event_values_.assign(n, 0);
  event_new_.assign(n, 0);
  event_at_root_.assign(n, 0);
  event_repeats_.assign(n, 0);
  event_last_t_.assign(n, -std::numeric_limits<double>::infinity());
  if (!constraints_hold(t_, state_)) return false;
  if (options_.record) {
    record_step(t_, 0);
    if (options_.output == Options::Output::every_step) put_out(t_, state_);
    record_output(-std::numeric_limits<double>::infinity(), t_);
  }
  if (!evaluate_events(t_, state_, event_values_)) return false;
  for (std::size_t i = 0; i < n; ++i) event_at_root_[i] = event_values_[i] == 0;
  if (!after_step()) return false;
  begin_step();
  find_corners(t_);
  balance_ = {};
  if (EnergyState energy; options_.watch_energy && watched_->energy(t_, state_, energy))
    balance_.begin(energy);
  watch_ = {};
  watch_.begin(find_integrator(method_.integrator)->needs_solves, t_, problem_->statistics().steps);
  return true;
}

bool Simulation::proceed(double t) {
  while (t_ < t) {
    if (!cross_corners()) return false;
    const double corner = next_corner_ < corners_.size() ? corners_[next_corner_].before : corners_until_;
    if (!take_step(std::min(corner, t))) return false;
    const bool advanced = integrator_->t() > t_;
    if (advanced && !(handle_events() && gets_on())) return false;
    if (pending_ && t_ >= pending_->t && !(cross_switch() && !is_interrupted())) return false;
    if (advanced && !watch_method()) return false;
    if (advanced && options_.rest_steps > 0 && ++steps_since_rest_ >= options_.rest_steps && t_ < t_end_)
      rest();
  }
  return true;
}

// Steps so small, one after the other, that the end will not be reached. Those that a corner or an event cuts
// short are few.
bool Simulation::gets_on() {
  constexpr double tiny = 1e-6;  // of the largest step
  constexpr long patience = 1000;
  largest_step_ = std::max(largest_step_, integrator_->last_step());
  if (!doubts_.empty()) return true;  // what is gone through in shorter steps has an end
  tiny_steps_ = integrator_->last_step() < tiny * largest_step_ ? tiny_steps_ + 1 : 0;
  if (tiny_steps_ < patience) return true;
  if (takes_other_method({Reason::step_too_small, ""})) {
    tiny_steps_ = 0;
    return true;
  }
  return fail(explained(
      {Reason::step_too_small,
       fmt::format(
           "the steps have become so small at t = {:.10g}, {:.2g} s a thousand times in a row, that the end "
           "would take {:.0e} of them. The solution may be singular there, or nearly so, or too stiff for "
           "'{}': try {}.",
           t_, integrator_->last_step(), (t_end_ - t_) / integrator_->last_step(), method_.name(),
           method_.formulation == "psf" ? "projected/dop853, or another tolerance"
                                        : "psf/radau5, or another tolerance")}));
}

// Takes over the integrator's state; tells callback and interrupt.
bool Simulation::after_step() {
  if (callback_) {
    bool go_on = true;
    try {
      go_on = callback_(point(t_, state_), integrator_->last_step());
    } catch (const std::exception& error) {
      return fail(
          {Reason::user_function_failed, fmt::format("the callback failed at t = {}: {}", t_, error.what())});
    }
    if (!go_on) {
      return fail({Reason::stopped_by_callback, fmt::format("stopped by the callback at t = {:.10g}", t_)});
    }
  }
  return !is_interrupted();
}

bool Simulation::is_interrupted() {
  if (options_.interrupt == nullptr || !options_.interrupt->load()) return false;
  summary_.failure = {Reason::interrupted, fmt::format("interrupted at t = {:.10g}", t_)};
  return true;
}

// A formulation leaves out what depends on the rest. It must hold all the same, or the constraints contradict
// each other and the motion is wrong.
bool Simulation::constraints_hold(double t, const Vector& x) {
  if (!options_.watch_constraints) return true;
  violation_ = {};
  const Vector state = reduced(x), *found = accelerations(t, state);
  accelerations_ = found != nullptr ? *found : Vector();
  if (found == nullptr || shown_->measure(t, state, accelerations_, violation_)) return true;
  const HeldLevels held = formulation_->held(options_);
  const auto check = [&](Closure::Level level, double violation, bool is_held) {
    if (summary_.failure || !(violation > suspicious_)) return;
    // what drifts can be put right again, what contradicts cannot; rates of what drifts say little
    if (!is_held && level != Closure::Level::position) return;
    const Failure off = closure_->check(level, t, x, Vector());
    if (!off || (!is_held && off.reason != Reason::contradictory_conditions)) return;
    summary_.failure = off;
    if (auto [motion, whole] = watched_->with_every_constraint(t, x); motion)
      summary_.failure = Closure(*motion, closure_->tolerance()).check(level, t, whole, Vector());
  };
  check(Closure::Level::position, violation_.position, held.position);
  check(Closure::Level::velocity, violation_.velocity, held.velocity);
  if (summary_.failure) return false;
  summary_.violation.include(violation_);
  return true;
}

// What a formulation does not hold, it lets drift: the user must know how far.
void Simulation::note_drift(Summary& summary) const {
  if (!problem_ || !options_.watch_constraints) return;
  const HeldLevels held = formulation_->held(options_);
  if (!held.position && summary.violation.position > options_.assembly.closure_tolerance * smallest_size_)
    summary.notes.push_back(
        fmt::format("position constraints are violated by up to {:.2g}: the formulation '{}' lets them drift",
                    summary.violation.position, method_.formulation));
}

namespace {

// What is not finite a little later, by the names of forces.
Failure with_force(const Failure& failure, MechanismEquations& mechanism, double t, const Vector& x,
                   double longest) {
  try {
    const std::string forces = forces_not_finite_ahead(mechanism, t, x, longest);
    if (!forces.empty())
      return {failure.reason,
              fmt::format("{}. It comes from {}: is there a division by zero, or a root or a logarithm of a "
                          "negative number?",
                          failure.message, forces)};
  } catch (const std::exception&) {
    // the failure itself will do
  }
  return failure;
}

}  // namespace

// Constraints that contradict each other, positions where they become dependent, and laws that slide look to an
// integrator like any other trouble.
Failure Simulation::explained(const Failure& failure) {
  if (MechanismEquations* mechanism = equations_.of_mechanism();
      mechanism != nullptr && failure.reason == Reason::not_finite) {
    const double left = t_end_ - t_,
                 longest = std::min(left, std::max(integrator_->last_step(), 1e-3 * left));
    return with_force(failure, *mechanism, t_, state_, longest);
  }
  switch (failure.reason) {
    case Reason::newton_failed:
    case Reason::step_too_small:
    case Reason::differential_singular:
    case Reason::rank_changed:
    case Reason::position_rank:
    case Reason::velocity_rank:
    case Reason::acceleration_rank:
    case Reason::too_many_steps:
      break;
    default:
      return failure;
  }
  try {
    Vector x = state_;
    Failure found = reassemble(x, t_);
    if (!found) found = named({}, x, t_);
    if (found.reason == Reason::contradictory_conditions) return found;
    if (std::string why = why_singular(); !why.empty()) return {failure.reason, std::move(why)};
    // an iteration that insists on the constraints ends before they are off by more than is allowed: a little later
    // they are, as long as the state is still a good guess there
    const Layout& l = equations_.layout();
    const double speed = largest(state_.segment(l.v.begin, l.v.size));
    const double ahead = std::min({0.01 * (t_end_ - t_), 0.01 * smallest_size_ / std::max(speed, 1e-300)});
    x = state_;
    if (Failure later = reassemble(x, t_ + std::max(ahead, 0.0));
        later.reason == Reason::contradictory_conditions)
      return later;
  } catch (const std::exception&) {
    // the failure itself will do
  }
  const std::string stiff = why_stiff();
  if (stiff.empty() || failure.reason == Reason::newton_failed) return failure;
  return {failure.reason, fmt::format("{} {}", failure.message, stiff)};
}

// The constraints that are nearly dependent at a state and were not at the start; none if it is not singular.
std::vector<std::string> Simulation::dependent_rows(double t, const Vector& x) {
  constexpr double nearly = 1e-3;
  const auto [motion, state] = watched_->with_every_constraint(t, x);
  std::vector<std::string> rows = motion ? Closure(*motion, closure_->tolerance()).dependent(t, state, nearly)
                                         : closure_->dependent(t, x, nearly);
  const std::size_t dependent = rows.size();
  std::erase_if(rows, [&](const std::string& row) {
    return std::find(redundant_at_start_.begin(), redundant_at_start_.end(), row) !=
           redundant_at_start_.end();
  });
  // which of them depend on the others is a matter of choice, how many is not
  if (dependent <= redundant_at_start_.size()) rows.clear();
  return rows;
}

// If constraints are nearly dependent here that were not at the start: which, and what can be done.
std::string Simulation::why_singular() {
  std::vector<std::string> rows = dependent_rows(t_, state_);
  if (rows.empty()) return {};
  const char* rest = rows.size() > 6 ? ", ..." : "";
  rows.resize(std::min<std::size_t>(rows.size(), 6));
  const char* other = method_.formulation == "projected" ? "psf/radau5" : "projected/dop853";
  return fmt::format(
      "the position at t = {:.10g} is singular, or nearly so: there {}{} depend{} on the other constraints "
      "(a "
      "linkage at a dead centre, or flat), and {}, another tolerance, or let "
      "the motion avoid it: by another start, or lengths that differ a little.",
      t_, fmt::join(rows, ", "), rest, rows.size() == 1 ? "s" : "",
      methods_.size() > 1 ? fmt::format("neither '{}' nor '{}' gets past it. Try projected/adams",
                                        methods_[0].name(), methods_[1].name())
                          : fmt::format("'{}' does not get past it. Try {}", method_.name(), other));
}

// If a law slides between two branches, or the method cannot take stiffness at all.
std::string Simulation::why_stiff() const {
  const bool is_explicit = !find_integrator(method_.integrator)->needs_solves;
  const char* advice = "Take a method that is made for stiff equations, such as psf/radau5.";
  for (std::size_t i = 0; i < switched_.size(); ++i) {
    if (!(switched_[i].width > 0)) continue;
    return fmt::format(
        "'{}' slides between two of its branches, as dry friction does at rest; its jump is rounded off over "
        "{:.2g} "
        "of what it compares, which makes the equations stiff. {}",
        watched_->switch_name(static_cast<Index>(i)), switched_[i].width,
        is_explicit ? advice
                    : "Write the law without a jump, with tanh(v/small) for sign(v), or let an event change "
                      "the motion.");
  }
  return is_explicit
             ? fmt::format("If the motion itself is slow, the equations are stiff, and '{}' is explicit. {}",
                           method_.integrator, advice)
             : std::string();
}

Summary Simulation::finish() {
  Summary summary = summary_;
  summary.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  summary.t = t_;
  summary.final_state = shown(t_, state_);
  if (problem_) {
    summary.statistics = problem_->statistics();
    for (const std::string& note : problem_->notes())
      if (std::find(summary.notes.begin(), summary.notes.end(), note) == summary.notes.end())
        summary.notes.push_back(note);
    note_drift(summary);
    if (options_.eliminate_drivers && summary.eliminated_drivers.empty())
      summary.notes.push_back(elimination_without_effect);
    note_energy(summary);
    if (!singular_samples_.empty()) summary.notes.push_back(singular_note());
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
  return summary;
}

}  // namespace trammel
