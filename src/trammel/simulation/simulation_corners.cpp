// What is known of a run before it begins: times at which forces and drivers are not smooth. Steps end there,
// so that no region of a law is stepped over, and go on behind it with what is then in force.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/mechanism/time_corners.h"
#include "trammel/motion/impulse.h"
#include "trammel/motion/mechanism_motion.h"
#include "trammel/simulation/integrators.h"
#include "trammel/simulation/simulation.h"

namespace trammel {

namespace {

constexpr int nothing_jumps = 9;

}  // namespace

// As many as the equations tell at once; steps go no further until the next are known.
void Simulation::find_corners(double t) {
  const double run = t_end_ - t_start_;
  corners_from_ = listed_from_ = t;
  corners_until_ = t_end_;
  std::vector<MotionCorner> found = equations_.corners(t, t_end_);
  if (!found.empty() && found.back().order == ask_again) {
    corners_until_ = found.back().t;
    found.pop_back();
  }
  for (const MotionCorner& corner : options_.corners)
    if (corner.t > t && corner.t < corners_until_) found.push_back(corner);
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.t < b.t; });

  // methods of several steps and those of second order look at the ends of their steps only: they get some inside
  // short regions
  const IntegratorEntry& integrator = *find_integrator(method_.integrator);
  if (integrator.is_multistep || integrator.needs_second_order) {
    std::vector<MotionCorner> inside;
    for (std::size_t i = 1; i < found.size(); ++i) {
      const double length = found[i].t - found[i - 1].t;
      if (length < 0.05 * run)
        for (const double part : {0.29, 0.62})
          inside.push_back({found[i - 1].t + part * length, nothing_jumps, found[i].name});
    }
    found.insert(found.end(), inside.begin(), inside.end());
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.t < b.t; });
  }

  corners_.clear();
  next_corner_ = 0;
  for (const MotionCorner& corner : found) {
    // a jump is left out: a step ends so close before it, and the next begins so close behind it, that the
    // laws are in force which belong there
    const double aside = corner.order <= 2 ? 64 * std::numeric_limits<double>::epsilon() *
                                                 std::max(std::abs(corner.t), 1e-3 * run)
                                           : 0.0;
    const Corner next{corner.t - aside, corner.t + aside, corner.order, corner.name};
    if (!(next.before > t && next.after < corners_until_)) continue;
    const double too_short =
        256 * std::numeric_limits<double>::epsilon() * std::max(std::abs(corner.t), 1e-3 * run);
    if (!corners_.empty() && next.before - corners_.back().after <= too_short) {
      corners_.back().after = std::max(corners_.back().after, next.after);
      if (next.order < corners_.back().order) {
        corners_.back().order = next.order;
        corners_.back().name = next.name;
      }
      continue;
    }
    corners_.push_back(next);
  }
}

bool Simulation::cross_corners() {
  if (t_ >= corners_until_ && t_ < t_end_) find_corners(t_);
  while (next_corner_ < corners_.size() && t_ >= corners_[next_corner_].before)
    if (!cross_corner(next_corner_++)) return false;
  return true;
}

bool Simulation::cross_corner(std::size_t i) {
  const Corner& corner = corners_[i];
  // those of second order go on with the rate at which accelerations have changed, over a step of any length
  const bool remembers = find_integrator(method_.integrator)->needs_second_order;
  if (corner.order > (remembers ? nothing_jumps - 1 : 2)) return true;
  const double middle = 0.5 * (corner.before + corner.after);
  if (corner.order == 0) {
    return fail({Reason::invalid_model,
                 fmt::format("the position that '{}' prescribes jumps at t = {:.10g}, which nothing can "
                             "follow. Let it change over some time: with step() or ramp().",
                             corner.name, middle)});
  }
  const double h = integrator_->next_step();
  Vector x = state_;
  if (corner.order == 1) {
    if (!apply_impulse(*watched_, corner.after, x)) {
      return fail({Reason::mass_singular,
                   fmt::format("the velocity that '{}' prescribes jumps at t = {:.10g}, and the masses "
                               "do not determine the impulse",
                               corner.name, middle)});
    }
    summary_.notes.push_back(fmt::format(
        "the velocity that '{}' prescribes jumps at t = {:.10g}: taken as an impulse", corner.name, middle));
  }
  const double before = t_;
  follow(corner.after, x);
  if (!restart(corner.after, std::move(x), h)) return false;
  // samples at the jump itself have what is in force behind it
  if (options_.record && options_.output == Options::Output::at_times)
    while (next_output_ < options_.output_times.size() && options_.output_times[next_output_] <= t_) {
      const double wanted = options_.output_times[next_output_++];
      if (wanted > before) put_out(wanted, state_);
    }
  return true;
}

}  // namespace trammel
