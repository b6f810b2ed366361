// Changes of the method while a run goes on (`method: auto`): where it turns out to be stiff, where it is no longer,
// and where a method cannot go on. Methods of one step begin anew wherever they are, so nothing of the order or of
// the accuracy is lost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/simulation/fastest_rate.h"
#include "trammel/simulation/integrators.h"
#include "trammel/simulation/simulation.h"

namespace trammel {

namespace {

// Whether another method may get past this.
bool is_of_the_method(Reason reason) {
  switch (reason) {
    case Reason::newton_failed:
    case Reason::step_too_small:
    case Reason::not_finite:
    case Reason::differential_singular:
    case Reason::rank_changed:
    case Reason::rank_not_uniform:
    case Reason::position_rank:
    case Reason::velocity_rank:
    case Reason::acceleration_rank:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Simulation::may_change_to(Method stiff) {
  methods_.resize(1);
  methods_.push_back(std::move(stiff));
}

bool Simulation::watch_method() {
  if (methods_.size() < 2 || t_ >= t_end_) return true;
  if (!watch_.step(t_, problem_->statistics().steps, integrator_->stability_used())) return true;
  const std::optional<double> rate = fastest_rate(*shown_, *between_, t_, reduced(state_));
  if (!watch_.judge(rate)) return true;
  if (present_ == 0) {
    change_method(
        integrator_->next_step(),
        fmt::format("stiff: steps of {:.2g} s are bounded by the fastest rate, {:.3g} 1/s, and not by the "
                    "accuracy",
                    watch_.mean_step(), *rate));
  } else {
    change_method(std::min(integrator_->next_step(), 0.5 * watch_.stable_step()),
                  fmt::format("no longer stiff: steps of {:.2g} s, and the fastest rate is {:.3g} 1/s",
                              watch_.mean_step(), *rate));
  }
  return !summary_.failure;
}

// True if the run goes on from where it is with the other one.
bool Simulation::takes_other_method(const Failure& failure) {
  if (methods_.size() < 2 || !is_of_the_method(failure.reason) || gave_up_at_ == t_) return false;
  gave_up_at_ = t_;
  return change_method(std::max(1e-3 * largest_step_, integrator_->last_step()),
                       fmt::format("{} could not go on ({})", method_.name(), name(failure.reason)));
}

// False, with the run as it was, if the other method cannot begin here.
bool Simulation::change_method(double h, std::string reason) {
  const std::size_t before = present_;
  const Statistics so_far = problem_->statistics();
  Snapshot followed;
  Carrier saving = Carrier::copying(followed);
  problem_->carry_motion(saving);
  auto kept = std::tuple(std::move(integrator_), std::move(problem_));

  const auto begins = [&] {
    if (!make_method(1 - before)) return false;
    Carrier restoring = Carrier::restoring(followed);
    problem_->carry_motion(restoring);
    problem_->follow(t_, reduced(state_));
    problem_->hold_switches(held_, negligible_corner());
    return problem_->rebase_invariants(t_, reduced(state_)) == Outcome::ok &&
           integrator_->start(t_, extended(state_), t_end_, std::min(h, t_end_ - t_)) == Outcome::ok;
  };
  if (!begins()) {
    summary_.failure = {};
    make_method(before);
    std::tie(integrator_, problem_) = std::move(kept);
    return false;
  }
  for (const std::string& note : std::get<1>(kept)->notes())
    if (std::find(summary_.notes.begin(), summary_.notes.end(), note) == summary_.notes.end())
      summary_.notes.push_back(note);
  problem_->statistics() = so_far;
  summary_.method_changes.push_back({t_, methods_[before].name(), method_.name(), std::move(reason)});
  watch_.begin(present_ == 1, t_, so_far.steps);
  crossed_ = false;
  begin_step();
  return true;
}

}  // namespace trammel
