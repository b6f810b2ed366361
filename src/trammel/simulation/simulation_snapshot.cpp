// Where a run is, as a copy: saved and restored by whoever steps it, and taken by the run itself where it
// rests.
//
// A run that rests begins anew: all that remembers the way to here (factors and the pivots they chose, patterns
// of matrices that have grown, projections that are near) is thrown away, made as it was made at the start, and
// restored from the copy. Another program does nothing else with the same copy. So both go on to the last bit
// alike, whatever there is to be remembered, and nobody has to know it all. Where a run rests depends on its
// steps only, and not on the time it takes.
#include <algorithm>
#include <utility>

#include "trammel/simulation/simulation.h"

namespace trammel {

namespace {

// The method of a copy is the first that it has of the motion.
std::size_t method_of(const RunSnapshot& snapshot) {
  return snapshot.motion.is_empty() ? 0 : static_cast<std::size_t>(snapshot.motion.numbers().front());
}

}  // namespace

void Simulation::carry_motion(Carrier& carried) {
  carried.expect(static_cast<double>(present_));
  carried.expect(static_cast<double>(equations_.layout().total));
  equations_.carry(carried);
  if (reduction_) reduction_->carry(carried);
  watched_->carry(carried);
  between_->carry(carried);
  shown_->carry(carried);
  problem_->carry_motion(carried);
}

void Simulation::carry_progress(Carrier& carried) {
  carried.expect(static_cast<double>(equations_.layout().total));
  carried.expect(static_cast<double>(events_.size()));
  carried.expect(t_start_);
  carried.expect(t_end_);
  std::apply([&](auto&... members) { carried(members...); }, progress());
}

bool Simulation::save(RunSnapshot& snapshot) {
  if (!problem_ || summary_.failure) return false;
  if (integrator_->save(snapshot.integrator) != Outcome::ok) return fail(integrator_->failure());
  shown_->forget();
  Carrier motion = Carrier::saving(snapshot.motion), progress = Carrier::saving(snapshot.progress);
  carry_motion(motion);
  carry_progress(progress);
  return true;
}

bool Simulation::restore(const RunSnapshot& snapshot) {
  if (!problem_ || method_of(snapshot) >= methods_.size()) return false;
  // the run may have changed its method since
  const std::size_t present = present_;
  auto before_change = std::tuple(std::unique_ptr<Integrator>(), std::unique_ptr<MotionProblem>());
  if (method_of(snapshot) != present_) {
    before_change = std::tuple(std::move(integrator_), std::move(problem_));
    if (!make_method(method_of(snapshot))) return false;
  }
  // not before all of it is known to fit
  Snapshot before;
  Carrier as_it_was = Carrier::saving(before);
  carry_progress(as_it_was);
  Carrier progress = Carrier::restoring(snapshot.progress);
  carry_progress(progress);
  Carrier motion = Carrier::restoring(snapshot.motion);
  if (progress.fits() && progress.is_at_end()) carry_motion(motion);
  if (!progress.fits() || !progress.is_at_end() || !motion.fits() || !motion.is_at_end()) {
    Carrier back = Carrier::restoring(before);
    carry_progress(back);
    if (present_ != present) {
      make_method(present);
      std::tie(integrator_, problem_) = std::move(before_change);
    }
    return false;
  }
  summary_.failure = {};
  if (corners_from_ != listed_from_) {
    const std::size_t next = next_corner_;
    find_corners(corners_from_);
    next_corner_ = next;
  }
  pass_on_branches();
  limit_sizes();
  if (integrator_->restore(snapshot.integrator) != Outcome::ok) return fail(integrator_->failure());
  shown_->forget();
  steps_since_rest_ = 0;
  trajectory_.forget_after(t_);
  return true;
}

bool Simulation::copy(RunSnapshot& snapshot) {
  if (integrator_->copy(snapshot.integrator) != Outcome::ok) return false;
  Carrier motion = Carrier::copying(snapshot.motion), progress = Carrier::copying(snapshot.progress);
  carry_motion(motion);
  carry_progress(progress);
  return true;
}

// With nothing remembered but what the copy has.
bool Simulation::begin_anew(const RunSnapshot& snapshot) {
  Carrier followed = Carrier::restoring(followed_before_);
  equations_.carry(followed);
  watched_ = equations_.tangent();
  if (method_of(snapshot) >= methods_.size()) return false;
  present_ = method_of(snapshot);
  if (make_solver(start_, t_start_)) return restore(snapshot);
  summary_.failure = {};  // nothing that the run itself has come to
  return false;
}

void Simulation::rest() {
  steps_since_rest_ = 0;
  RunSnapshot snapshot;
  if (!copy(snapshot)) return;
  if (integrator_->goes_on_exactly()) {
    auto kept = std::apply([](auto&... part) { return std::tuple(std::move(part)...); }, solver());
    if (!begin_anew(snapshot)) {
      // a position in which one cannot begin, as a singular one may be: there is no rest here
      solver() = std::move(kept);
      Carrier motion = Carrier::restoring(snapshot.motion), progress = Carrier::restoring(snapshot.progress);
      carry_motion(motion);
      carry_progress(progress);
      summary_.failure = {};
      pass_on_branches();
      return;
    }
  }
  if (rest_) rest_(snapshot);
}

void Simulation::take_up(std::vector<StepRecord> steps, std::vector<EventRecord> events) {
  trajectory_.steps = std::move(steps);
  trajectory_.events = std::move(events);
}

bool Simulation::resume(const RunSnapshot& snapshot, Trajectory so_far) {
  if (!problem_ || summary_.failure || !begin_anew(snapshot)) return false;
  trajectory_ = std::move(so_far);
  return true;
}

}  // namespace trammel
