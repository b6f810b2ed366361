// What is known of a run before it begins: times at which forces and drivers are not smooth. Steps end there,
// so that no region of a law is stepped over, and go on behind it with what is then in force. Also the
// balance of the energy, which would show if something was.
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

// The energy that may appear or vanish in one step, relative to what is in motion; more at mild tolerances.
constexpr double unexplained_share = 0.01;

// What moves with less than this does not move: heat gives more to a single molecule, and a weight that is lifted by the
// round-off of its position, which adds up, has more.
double stillness(EquationsOfMotion& equations, const Vector& x) {
  double weight = 0, size = 1;
  if (const MechanismEquations* const of_mechanism = equations.of_mechanism()) {
    const Mechanism& mechanism = of_mechanism->mechanism();
    for (const Body& body : mechanism.bodies) weight += body.mass * length(mechanism.gravity);
    if (const Vector sizes = equations.displacement_sizes(x); sizes.size() > 0) size = sizes.maxCoeff();
  }
  return std::max(1e-24, 1e3 * std::numeric_limits<double>::epsilon() * weight * size);  // J
}

constexpr int nothing_jumps = 9;

// Whether multipliers have a part in the power of forces and drivers: then they must be known wherever that is asked
// for. They have none where nothing drives, and forces are of kinds that do not look at reactions.
bool multipliers_do_work(EquationsOfMotion& equations) {
  const MechanismEquations* const of_mechanism = equations.of_mechanism();
  if (of_mechanism == nullptr) return true;
  const Mechanism& mechanism = of_mechanism->mechanism();
  const auto looks_at_reactions = [](const Force& force) {
    const auto* spring = force.as<Force::SpringDamper>();
    const auto* torsion = force.as<Force::TorsionSpring>();
    return !(spring != nullptr && !spring->law) && !(torsion != nullptr && !torsion->law);
  };
  return !mechanism.drivers.empty() || !mechanism.extensions.empty() ||
         std::any_of(mechanism.forces.begin(), mechanism.forces.end(), looks_at_reactions);
}

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

// --- energy
// -----------------------------------------------------------------------------------------------------

bool Simulation::energy_at(double t, EnergyState& state) {
  sample_.resize(problem_->unknowns());
  integrator_->interpolate(t, sample_);
  if (!problem_->interpolates_multipliers() && multipliers_do_work(equations_))
    shown_->find_multipliers(t, sample_.head(solved().layout().total));
  return watched_->energy(t, completed(t, sample_), state);
}

// Takes the last step into a balance, in parts of equal length.
bool Simulation::balance_parts(int parts, const EnergyState& end, EnergyBalance& balance) {
  const double from = integrator_->previous_t(), h = (integrator_->t() - from) / parts;
  for (int i = 0; i < parts; ++i) {
    const double begin = from + i * h;
    EnergyState first, second, last = end;
    if (!energy_at(begin + EnergyBalance::nodes[0] * h, first) ||
        !energy_at(begin + EnergyBalance::nodes[1] * h, second) ||
        (i + 1 < parts && !energy_at(begin + h, last)))
      return false;
    balance.add(t_, h, first, second, last);
  }
  return true;
}

// At the first steps, those behind a switch, and then at every fourth, of explicit methods, whose steps are cheap, at every
// eighth. Methods of several steps take many small ones with errors that point the same way: those of the last few count
// together.
void Simulation::show_estimate() {
  constexpr long some = 16;
  if (!estimate_) return;
  const Layout& l = solved().layout();
  if (largest_positions_.size() != l.p.size) largest_positions_.setZero(l.p.size);
  largest_positions_ = largest_positions_.cwiseMax(integrator_->x().segment(l.p.begin, l.p.size).cwiseAbs());
  const long step = problem_->statistics().accepted;
  const long every = integrator_->error_estimate() != nullptr ? 4 : 8;
  if (step > some && step % every != 0 && steps_since_switch_ > some) return;
  const bool is_multistep = find_integrator(method_.integrator)->is_multistep;
  const double add_up = is_multistep ? 10 : 1;
  sample_ = integrator_->x();
  const Vector* error = integrator_->local_error();
  if (error != nullptr && error->size() == sample_.size()) {
    sample_ += add_up * *error;
    if (sample_.allFinite()) estimate_(t_, state_, restored(t_, sample_));
  }
  // three times as much is what is said (force_accuracy.cpp)
  if (is_multistep || steps_since_switch_ <= some) show_delay(is_multistep ? 10 : 1.0 / 3);
}

// Whatever the errors were before: a motion whose positions are known to their tolerance may be as much too early or too late. What
// begins in its course, as a contact does, is late with it.
void Simulation::show_delay(double tolerances) {
  const Layout& l = solved().layout();
  const double from = integrator_->previous_t(), h = integrator_->t() - from;
  if (!(h > 0) || l.p.size == 0) return;
  sample_.resize(problem_->unknowns());
  integrator_->interpolate(from, sample_);
  const Vector scale = (options_.tolerances.relative_in_general() * largest_positions_).array() +
                       options_.tolerances.absolute_of(0);
  const double way =
      ((integrator_->x() - sample_).segment(l.p.begin, l.p.size).cwiseAbs().cwiseQuotient(scale)).maxCoeff();
  if (!(way > 0)) return;
  integrator_->interpolate(integrator_->t() - h * std::min(1.0, tolerances / way), sample_);
  if (sample_.allFinite()) estimate_(t_, state_, restored(t_, sample_));
}

// Three nodes a step; where they leave something over and the continuous extension is as good as the steps, the
// same in halves, quarters and eighths. Of implicit methods the three nodes are the stages.
void Simulation::balance_step() {
  if (!balance_.is_known()) return;
  EnergyState end;
  EnergyBalance with_step = balance_;
  if (!watched_->energy(t_, state_, end) || !balance_parts(1, end, with_step)) return;
  const double small = 0.1 * options_.tolerances.relative_in_general() * with_step.in_motion();
  const bool extension_is_exact = integrator_->error_estimate() == nullptr;
  for (int parts = 2; extension_is_exact && parts <= 8; parts *= 2) {
    if (!(std::abs(with_step.unexplained() - balance_.unexplained()) > small)) break;
    EnergyBalance finer = balance_;
    if (!balance_parts(parts, end, finer)) break;
    with_step = finer;
  }
  balance_ = with_step;
}

void Simulation::note_energy(Summary& summary) const {
  if (!balance_.is_known()) return;
  summary.energy = balance_;
  const double allowed = std::max(unexplained_share, 30 * options_.tolerances.relative_in_general());
  if (std::abs(balance_.worst_step()) > allowed * balance_.in_motion() &&
      balance_.in_motion() > stillness(equations_, state_))
    summary.notes.push_back(fmt::format(
        "ENERGY: {:.3g} J {} in the step to t = {:.10g} that no force explains (in motion: {:.3g} J). "
        "Something happens there that the steps do not resolve: tighten rtol, or set max_step.",
        std::abs(balance_.worst_step()), balance_.worst_step() > 0 ? "appear" : "vanish", balance_.worst_t(),
        balance_.in_motion()));
}

}  // namespace trammel
