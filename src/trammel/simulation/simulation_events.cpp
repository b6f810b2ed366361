// Events of a run: finding the zeros of event functions inside a step, stepping onto them, changing the
// state.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "trammel/simulation/simulation.h"

namespace trammel {

namespace {

constexpr long max_event_repeats = 200;  // of one event without time going on

bool crosses(Event::Direction direction, double before, double after) {
  const bool rising = before < 0 && after >= 0, falling = before > 0 && after <= 0;
  switch (direction) {
    case Event::Direction::rising:
      return rising;
    case Event::Direction::falling:
      return falling;
    case Event::Direction::either:
      return rising || falling;
  }
  return false;
}

}  // namespace

bool Simulation::evaluate_events(double t, const Vector& x, std::vector<double>& values) {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    try {
      values[i] = events_[i].function(point(t, x));
    } catch (const std::exception& error) {
      return fail(
          {Reason::user_function_failed,
           fmt::format("the function of event '{}' failed at t = {}: {}", events_[i].name, t, error.what())});
    }
    if (!std::isfinite(values[i])) {
      return fail({Reason::not_finite,
                   fmt::format("the function of event '{}' is not finite at t = {}", events_[i].name, t)});
    }
  }
  return true;
}

// The zero of an event function on the interpolant, which is as exact as steps are, between two times at which its signs differ (Illinois
// method).
double Simulation::locate(std::size_t event, double low, double low_value, double high, double high_value) {
  Vector full(problem_->unknowns()), x;
  int side = 0;
  for (int iteration = 0; iteration < 100; ++iteration) {
    if (high - low <= 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(high), 1e-300)) break;
    double t = (low_value * high - high_value * low) / (low_value - high_value);
    if (!(t > low && t < high)) t = 0.5 * (low + high);
    integrator_->sample(t, full);
    x = completed(t, full);
    const double value = events_[event].function(point(t, x));
    if (value == 0 || !std::isfinite(value)) return t;
    if ((value < 0) == (low_value < 0)) {
      low = t;
      low_value = value;
      if (side == -1) high_value *= 0.5;
      side = -1;
    } else {
      high = t;
      high_value = value;
      if (side == 1) low_value *= 0.5;
      side = 1;
    }
  }
  return high;
}

// Every crossing inside the last step, in the order of time. The interpolant is sampled inside the step as
// well, so that a function that dips through zero and back is seen; the first sample, close to the beginning,
// tells to which side a function goes that starts at a root.
bool Simulation::find_roots(std::vector<Root>& roots) {
  roots.clear();
  const double t_old = integrator_->previous_t(), t_new = integrator_->t();
  constexpr std::array<double, 5> samples{1e-6, 0.25, 0.5, 0.75, 1.0};
  std::vector<double> before = event_values_;
  std::vector<char> at_root = event_at_root_;
  Vector full(problem_->unknowns()), x;
  double low = t_old;
  for (const double sample : samples) {
    const double high = sample == 1.0 ? t_new : t_old + (t_new - t_old) * sample;
    if (sample == 1.0) {
      x = completed(high, integrator_->x());
    } else {
      integrator_->interpolate(high, full);
      x = completed(high, full);
    }
    if (!evaluate_events(high, x, event_new_)) return false;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (at_root[i]) {
        // it leaves the root in the direction of the event: it happens again at once
        const bool again = (events_[i].direction == Event::Direction::falling && event_new_[i] < 0) ||
                           (events_[i].direction == Event::Direction::rising && event_new_[i] > 0);
        if (again) roots.push_back({low, i});
        at_root[i] = event_new_[i] == 0;
      } else if (crosses(events_[i].direction, before[i], event_new_[i])) {
        roots.push_back({event_new_[i] == 0 ? high : locate(i, low, before[i], high, event_new_[i]), i});
        at_root[i] = event_new_[i] == 0;
      }
      before[i] = event_new_[i];
    }
    low = high;
  }
  std::stable_sort(roots.begin(), roots.end(), [](const Root& a, const Root& b) { return a.t < b.t; });
  return true;
}

// Goes back and takes a step that ends on the root, so that the state there has the accuracy of a step and
// not of the interpolant.
bool Simulation::step_onto(const Root& root) {
  const double t_old = integrator_->previous_t();
  if (root.t >= integrator_->t()) return true;
  integrator_->retreat();
  if (root.t <= t_old) return true;
  while (integrator_->t() < root.t) {
    if (integrator_->step(root.t) != Outcome::ok) return fail(integrator_->failure());
  }
  return true;
}

// Events that are only recorded, up to the first that interrupts, if there is one.
std::optional<Simulation::Root> Simulation::record_events(const std::vector<Root>& roots) {
  const auto interrupts = [&](const Root& root) {
    return events_[root.event].action != Event::Action::record;
  };
  const auto first = std::find_if(roots.begin(), roots.end(), interrupts);
  for (const Root& root : roots) {
    if (first != roots.end() && (root.t > first->t || interrupts(root))) continue;
    ++problem_->statistics().events;
    trajectory_.events.push_back({root.t, events_[root.event].name});
  }
  return first != roots.end() ? std::optional(*first) : std::nullopt;
}

// The run is where the integrator is: everything that belongs to a step that was taken.
bool Simulation::take_over() {
  const double t_old = t_;
  const Vector reached = completed(integrator_->t(), integrator_->x());
  if (!constraints_hold(integrator_->t(), reached)) return false;
  t_ = integrator_->t();
  before_ = reduced(state_);
  state_ = reached;
  follow(t_, state_);
  if (!(t_ > t_old)) return true;
  if (between_steps_) {
    step_.end(t_, reduced(state_), accelerations_);
    judge_accelerations();
  }
  balance_step();
  ++steps_since_switch_;
  show_estimate();
  go_way();
  record_step(t_, integrator_->last_step());
  if (options_.record) {
    if (options_.output == Options::Output::every_step) put_out(t_, state_);
    record_output(t_old, t_);
  }
  return true;
}

bool Simulation::handle_events() {
  std::vector<Root> roots;
  try {
    if (!events_.empty() && !find_roots(roots)) return false;
  } catch (const std::exception& error) {
    return fail({Reason::user_function_failed,
                 fmt::format("an event function failed near t = {}: {}", integrator_->t(), error.what())});
  }
  const std::optional<Root> halt = record_events(roots);
  if (halt && !step_onto(*halt)) return false;
  if (!take_over()) return false;
  if (halt) return happen(halt->event) && after_step();
  event_values_ = event_new_;
  for (std::size_t i = 0; i < events_.size(); ++i) event_at_root_[i] = event_values_[i] == 0;
  return after_step();
}

// An event that interrupts, where the run is.
bool Simulation::happen(std::size_t index) {
  const Event& event = events_[index];
  ++problem_->statistics().events;
  trajectory_.events.push_back({t_, event.name});
  if (event.action == Event::Action::stop)
    return fail(
        {Reason::stopped_by_event, fmt::format("stopped by event '{}' at t = {:.10g}", event.name, t_)});
  const bool stuck = t_ - event_last_t_[index] <= 1e-9 * std::max(1e-3, std::abs(t_end_));
  event_repeats_[index] = stuck ? event_repeats_[index] + 1 : 0;
  event_last_t_[index] = t_;
  if (event_repeats_[index] > max_event_repeats)
    return fail(
        {Reason::event_repeats,
         fmt::format("event '{}' happens again and again at t = {:.10g} without time going on. If the motion "
                     "comes to rest there, let the event stop the run or change the model.",
                     event.name, t_)});
  Vector changed = state_;
  try {
    event.change(t_, equations_.layout(), changed);
  } catch (const std::exception& error) {
    return fail({Reason::user_function_failed,
                 fmt::format("the change of event '{}' failed at t = {}: {}", event.name, t_, error.what())});
  }
  if (changed.size() != equations_.layout().total)
    return fail({Reason::invalid_model, fmt::format("event '{}' changed the size of the state", event.name)});
  if (!restart(t_, std::move(changed), integrator_->next_step())) return false;
  event_at_root_[index] = 1;
  return true;
}

bool Simulation::restart(double t, Vector x, double h, const Crossing* crossing) {
  pending_.reset();
  const bool accelerations_jump = crossing == nullptr || crossing->order() == SwitchReading::value_jumps;
  if (!held_.empty()) hold_branches(t, x, crossing);
  if (accelerations_jump && (summary_.failure = reassemble(x, t))) return false;
  t_ = t;
  state_ = std::move(x);
  if (reduction_) reduction_->rebase(t_, state_);
  if (problem_->rebase_invariants(t_, reduced(state_)) != Outcome::ok) return fail(problem_->failure());
  if (Failure failure = shown_->rebase_invariants(t_, reduced(state_))) return fail(failure);
  const Statistics so_far = problem_->statistics();
  if (integrator_->start(t_, extended(state_), t_end_, std::min(h, std::max(t_end_ - t_, 0.0))) !=
      Outcome::ok)
    return fail(integrator_->failure());
  problem_->statistics() = so_far;
  begin_step();
  if (EnergyState energy; balance_.is_known() && watched_->energy(t_, state_, energy)) balance_.begin(energy);
  if (accelerations_jump && options_.record && options_.output == Options::Output::every_step)
    put_out(t_, state_);
  if (!evaluate_events(t_, state_, event_values_)) return false;
  for (std::size_t i = 0; i < events_.size(); ++i) event_at_root_[i] = event_values_[i] == 0;
  return true;
}

}  // namespace trammel
