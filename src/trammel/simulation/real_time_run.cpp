#include "trammel/simulation/real_time_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "trammel/mechanism/time_corners.h"
#include "trammel/simulation/formulations.h"
#include "trammel/simulation/integrators.h"

namespace trammel {

namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Options real_time_options(const MechanismRun& run, const RealTimeOptions& wanted) {
  const Method& method = run.settings().method;
  if (!(wanted.rate > 0) || !std::isfinite(wanted.rate))
    throw std::invalid_argument(fmt::format("the rate must be positive, but is {}", wanted.rate));
  if (!find_integrator(method.integrator)->needs_second_order) {
    std::vector<std::string> names;
    for (const MethodDescription& other : methods())
      if (other.integrator.needs_second_order) names.push_back(other.method.name());
    throw std::invalid_argument(
        fmt::format("'{}' cannot run in real time: its steps take as long as they take. Methods that can: {}",
                    method.name(), fmt::join(names, ", ")));
  }
  if (run.seeks_events())
    throw std::invalid_argument(
        "events are not looked for in real time: read channels after each step instead, or leave the events "
        "out");
  Options options = run.settings().options;
  if (options.is_named("step"))
    throw std::invalid_argument("in real time the step follows from the rate: leave out the option 'step'");
  if (!options.is_named("max_newton_iterations"))
    options.second_order.max_newton_iterations = wanted.iterations;
  options.second_order.step = 1 / wanted.rate;
  options.second_order.keep_unconverged = true;
  options.second_order.max_steps = std::numeric_limits<long>::max();
  return options;
}

}  // namespace

RealTimeRun::RealTimeRun(MechanismRun& run, RealTimeOptions options)
    : run_(run),
      options_(real_time_options(run, options)),
      step_(options_.second_order.step),
      end_(run.settings().end),
      branches_(run.equations()) {
  const Method& chosen = run.settings().method;
  const MethodDescription& method = *find_method(chosen);
  const auto& make = method.pairing.make ? method.pairing.make : method.formulation.make;
  problem_ = make(run.equations(), options_);
  integrator_ = method.integrator.make(*problem_, options_);
  method_ = dynamic_cast<SecondOrderMethod*>(integrator_.get());
  reader_ = std::make_unique<MechanismRecorder>(run.equations(), recording_);
}

RealTimeRun::~RealTimeRun() = default;

bool RealTimeRun::fail(Failure failure) {
  failure_ = std::move(failure);
  return false;
}

// Times at which forces or prescribed motions are known to jump.
Failure RealTimeRun::count_corners() {
  std::vector<MotionCorner> corners = options_.corners;
  for (double from = 0; from < end_;) {
    const std::vector<MotionCorner> next = run_.equations().corners(from, end_);
    corners.insert(corners.end(), next.begin(), next.end());
    from = !next.empty() && next.back().order == ask_again ? next.back().t : end_;
  }
  corners_ = 0;
  long last = -1;
  for (const MotionCorner& corner : corners) {
    if (corner.order <= 1)
      return {Reason::invalid_model,
              fmt::format("the {} that '{}' prescribes jumps at t = {:.10g}, which a run in real time cannot "
                          "follow. Let it change over some time: with step() or ramp().",
                          corner.order == 0 ? "position" : "velocity", corner.name, corner.t)};
    if (corner.order > 2) continue;
    if (const long step = std::lround(std::floor(corner.t / step_)); step != last) {
      ++corners_;
      last = step;
    }
  }
  return {};
}

bool RealTimeRun::start() {
  const std::optional<AssemblyReport>& assembly = run_.assembly();
  if (assembly && assembly->failure) return fail(assembly->failure);
  if (Failure failure = count_corners()) return fail(std::move(failure));
  const Vector& x = run_.start_state();
  problem_->follow(0, x);
  branches_.start(0, x);
  reader_->follow(0, x);
  steps_ = unconverged_ = 0;
  if (integrator_->start(0, x, end_, 0) != Outcome::ok) return fail(integrator_->failure());
  shown_ = x;
  watched_ = run_.equations().tangent();
  watch_ = std::make_unique<ConsistentState>(*watched_);
  violation_ = {};
  if (Failure failure = watch_->start(0, x)) return fail(std::move(failure));
  return end_ > 0;
}

// At multiples of the step, so that no rounding adds up.
bool RealTimeRun::step() {
  if (failure_ || !(t() < end_)) return false;
  const double before = thread_seconds();
  const double to = std::min(static_cast<double>(steps_ + 1) * step_, end_);
  const Outcome outcome = integrator_->step(to);
  if (outcome == Outcome::ok) {
    problem_->follow(integrator_->t(), integrator_->x());
    branches_.step(integrator_->t(), integrator_->x());
    ++steps_;
    if (method_->unconverged()) {
      ++unconverged_;
      largest_residual_ = std::max(largest_residual_, method_->residual());
    }
  }
  times_.add(thread_seconds() - before);
  if (outcome != Outcome::ok) return fail(integrator_->failure());
  return t() < end_;
}

double RealTimeRun::t() const { return integrator_->t(); }
const Vector& RealTimeRun::state() const { return integrator_->x(); }

void RealTimeRun::watch(double t, const Vector& x) {
  Violation violation;
  watched_->follow(t, x);
  if (watch_->accelerate(t, x) || watch_->measure(t, x, watch_->accelerations(), violation)) return;
  violation_.include(violation);
}

std::size_t RealTimeRun::input(const std::string& name) const {
  const std::vector<std::string>& names = run_.equations().names().r;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw std::invalid_argument(
        fmt::format("the model has no input '{}'. Inputs and states: {}", name,
                    names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", "))));
  return static_cast<std::size_t>(found - names.begin());
}

void RealTimeRun::set_input(std::size_t place, double value) {
  method_->set_state(static_cast<Index>(place), value);
}

void RealTimeRun::read(std::span<const std::size_t> channels, std::span<double> values) {
  shown_ = integrator_->x();
  reader_->follow(t(), shown_);
  reader_->read(t(), shown_, channels, values);
}

std::string RealTimeRun::report() const {
  std::string text = fmt::format(
      "{} steps of {:.4g} s; CPU time of a step: mean {:.3g} ms, 99.9 % below {:.3g} ms, worst {:.3g} ms",
      steps_, step_, 1e3 * times_.mean(), 1e3 * times_.quantile(0.999), 1e3 * times_.worst());
  if (unconverged_ > 0)
    text += fmt::format(
        "; in {} of them the iteration did not converge, with residuals up to {:.2g} of the forces",
        unconverged_, largest_residual_);
  return text;
}

void RealTimeRun::tell_jumps(std::vector<std::string>& notes) const {
  if (switched() > 0) {
    std::vector<std::string> names = branches_.names();
    const std::size_t count = names.size();
    names.resize(std::min<std::size_t>(count, 3));
    notes.push_back(fmt::format(
        "in {} of the steps a law changed from one branch to another ('{}'{}): it was not found out where, "
        "so that it acted up to one step early or late",
        switched(), fmt::join(names, "', '"),
        count > names.size() ? fmt::format(" and {} more", count - names.size()) : ""));
  }
  if (corners_ > 0)
    notes.push_back(fmt::format(
        "in {} of the steps a law of time makes forces jump: they acted up to one step early or late",
        corners_));
}

Summary RealTimeRun::summary() const {
  Summary summary;
  summary.method = run_.settings().method.name();
  summary.options = options_.named;
  summary.t = t();
  summary.final_state = state();
  const Layout& layout = run_.equations().layout();
  for (Index i = 0; i < layout.total; ++i)
    summary.names.push_back(run_.equations().names().variable(layout, i));
  summary.statistics = problem_->statistics();
  summary.violation = violation_;
  summary.notes = problem_->notes();
  summary.notes.push_back("in real time: " + report());
  tell_jumps(summary.notes);
  summary.statistics.switches = switched();
  summary.failure = failure_;
  summary.status = failure_ ? Status::failed : Status::finished;
  if (const auto& assembly = run_.assembly()) {
    summary.degrees_of_freedom = assembly->degrees_of_freedom;
    summary.redundant = assembly->redundant;
  }
  return summary;
}

}  // namespace trammel
