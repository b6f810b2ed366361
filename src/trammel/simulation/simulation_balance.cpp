// Whether steps can be right, by what no integrator looks at: the balance of the energy, and forces inside a step. Also how
// well the forces of stiff elements are known.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

// On the constraints, as samples are, if the continuous extension is not exact enough.
bool Simulation::energy_at(double t, bool on_constraints, EnergyState& state) {
  sample_.resize(problem_->unknowns());
  if (on_constraints) {
    integrator_->sample(t, sample_);
    if (shown_->complete(t, sample_.head(solved().layout().total))) return false;
  } else {
    integrator_->interpolate(t, sample_);
    if (!problem_->interpolates_multipliers() && multipliers_do_work(equations_))
      shown_->find_multipliers(t, sample_.head(solved().layout().total));
  }
  return watched_->energy(t, completed(t, sample_), state);
}

// Takes the last step into a balance, in parts of equal length.
bool Simulation::balance_parts(int parts, bool on_constraints, const EnergyState& end,
                               EnergyBalance& balance) {
  const double from = integrator_->previous_t(), h = (integrator_->t() - from) / parts;
  for (int i = 0; i < parts; ++i) {
    const double begin = from + i * h;
    EnergyState first, second, last = end;
    if (!energy_at(begin + EnergyBalance::nodes[0] * h, on_constraints, first) ||
        !energy_at(begin + EnergyBalance::nodes[1] * h, on_constraints, second) ||
        (i + 1 < parts && !energy_at(begin + h, on_constraints, last)))
      return false;
    balance.add(integrator_->t(), h, first, second, last);
  }
  return true;
}

// How many times the estimated error of a step the state may be off by. Implicit methods of one step, whose estimates are those of
// a lower order, are better than that. Errors of methods whose estimate is that of the method itself point the same way in many
// small steps: in some tens of them as far as what is stiff is damped, in ever more as far as it is not.
double Simulation::errors_that_add_up() const {
  const IntegratorEntry& integrator = *find_integrator(method_.integrator);
  const auto steps = static_cast<double>(std::min(problem_->statistics().accepted, steps_since_switch_));
  if (integrator.is_multistep) return std::clamp(steps / 15, 10.0, 200.0);
  if (integrator.needs_second_order) return std::clamp(steps / 5, 10.0, 2000.0);
  return is_bounded_by_stability() ? 10 : 1;
}

// Explicit methods: what stiff elements make of disturbances is as large as the tolerance allows.
bool Simulation::is_bounded_by_stability() const { return integrator_->stability_used() > 0.5; }

// At the first steps, those behind a switch, and then at every fourth, of explicit methods, whose steps are cheap, at every
// eighth unless stability bounds them, where errors come in bursts.
void Simulation::show_estimate() {
  constexpr long some = 16;
  if (!estimate_) return;
  const Layout& l = solved().layout();
  if (largest_positions_.size() != l.p.size) largest_positions_.setZero(l.p.size);
  largest_positions_ = largest_positions_.cwiseMax(integrator_->x().segment(l.p.begin, l.p.size).cwiseAbs());
  const long step = problem_->statistics().accepted;
  const long every = is_bounded_by_stability() ? 1 : integrator_->error_estimate() != nullptr ? 4 : 8;
  if (step > some && step % every != 0 && steps_since_switch_ > some) return;
  const bool is_multistep = find_integrator(method_.integrator)->is_multistep;
  sample_ = integrator_->x();
  const Vector* error = integrator_->local_error();
  if (error != nullptr && error->size() == sample_.size()) {
    sample_ += errors_that_add_up() * *error;
    if (sample_.allFinite()) estimate_(t_, state_, restored(t_, sample_));
  }
  if (!is_multistep && steps_since_switch_ > some) return;
  // What a contact has made of the velocity delays the next one. Methods whose errors point the same way do so in every contact. Five
  // times as much is what is said (force_accuracy.cpp).
  const auto contacts = static_cast<double>(problem_->statistics().switches) / 2;
  if (looks_at_ends_only())
    show_delay((is_multistep ? 6 : 12) * std::clamp(contacts, 1.0, 20.0));
  else
    show_delay(std::clamp(contacts / 2, 1.0, 10.0));
}

// Whatever the errors were before: a motion whose positions are known to some tolerances may be as much too early or too late. What
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
// same in halves, quarters and eighths. Of implicit methods the three nodes are the stages, or as good: there it is
// asked for when what is left over is much, of states on the constraints. Nothing if the balance is not known.
std::optional<EnergyBalance> Simulation::balance_with_step(const Vector& reached) {
  EnergyState end;
  EnergyBalance with_step = balance_;
  if (!balance_.is_known() || !watched_->energy(integrator_->t(), reached, end) ||
      !balance_parts(1, false, end, with_step))
    return {};
  const double small = 0.1 * options_.tolerances.relative_in_general() * with_step.in_motion();
  const auto left = [&] { return std::abs(with_step.unexplained() - balance_.unexplained()); };
  const bool extension_is_exact = integrator_->error_estimate() == nullptr;
  for (int parts = 2; parts <= 8; parts *= 2) {
    if (extension_is_exact ? !(left() > small) : explains(with_step)) break;
    EnergyBalance finer = balance_;
    if (!balance_parts(parts, !extension_is_exact, end, finer)) break;
    with_step = finer;
  }
  return with_step;
}

void Simulation::balance_step() {
  if (balanced_ && balanced_->first == t_)
    balance_ = balanced_->second;
  else if (const std::optional<EnergyBalance> balance = balance_with_step(state_))
    balance_ = *balance;
  balanced_.reset();
  // what was gone through in shorter steps counts together
  for (const Doubt& doubt : doubts_) balance_.judge(t_, balance_.unexplained() - doubt.unexplained);
}

// Whether the last step, which nobody has taken over yet, may be as it is. What a step runs over without having looked at it shows
// in the balance of the energy; methods that look at the ends of their steps only are asked for the forces inside.
bool Simulation::is_believable() {
  constexpr long in_vain = 20;
  balanced_.reset();
  if (!balance_.is_known() && !looks_at_ends_only()) return true;
  const double t = integrator_->t();
  const Vector reached = completed(t, integrator_->x());
  watched_->follow(t, reached);
  if (const std::optional<EnergyBalance> balance = balance_with_step(reached)) balanced_ = {t, *balance};
  const bool is_explained = !balanced_ || explains(balanced_->second);
  // steps of fixed size are as they are
  const bool is_fixed = integrator_->local_error() == nullptr || options_.is_named("fixed_step");
  const bool may_ask = !is_fixed && unbelievable_steps_ < in_vain;
  if (!may_ask || (is_explained && !misses_forces())) return true;
  watched_->follow(t_, state_);
  return false;
}

// Whether what no force explains in the last step is little. Much of it, and the step is better taken again in parts: it was
// too long for what happens in it, or for the balance. Methods of second order know velocities only as well as positions over
// a step.
bool Simulation::explains(const EnergyBalance& with_step) const {
  constexpr double few = 300;
  const double rtol = options_.tolerances.relative_in_general(), motion = with_step.in_motion();
  const double allowed = std::max(0.1 * unexplained_share, 30 * rtol);
  const double left = std::abs(with_step.unexplained() - balance_.unexplained());
  if (!(left > allowed * motion) || !(motion > stillness(equations_, state_))) return true;
  const MechanismEquations* const of_mechanism = equations_.of_mechanism();
  if (!find_integrator(method_.integrator)->needs_second_order || of_mechanism == nullptr) return false;
  double mass = 0;
  for (const Body& body : of_mechanism->mechanism().bodies) mass += body.mass;
  const double speed = few * (options_.tolerances.absolute_of(0) + rtol * smallest_size_) /
                       (integrator_->t() - integrator_->previous_t());
  return !(motion > 0.5 * mass * speed * speed);
}

bool Simulation::looks_at_ends_only() const {
  const IntegratorEntry& integrator = *find_integrator(method_.integrator);
  return integrator.is_multistep || integrator.needs_second_order;
}

// Methods that look at the ends of their steps only see nothing of a force that comes and goes within one. In the first steps on
// other branches, which are begun without a history, accelerations inside the step must be those that velocities have there.
bool Simulation::misses_forces() {
  constexpr double first = 0.2;  // of the time since then
  constexpr double many = 300;   // tolerances
  const double from = integrator_->previous_t(), h = integrator_->t() - from, aside = 0.01 * h;
  if (!looks_at_ends_only() || h < first * (integrator_->t() - switched_at_)) return false;
  const Layout& l = solved().layout();
  const auto velocities = [&](double t) {
    sample_.resize(problem_->unknowns());
    integrator_->interpolate(t, sample_);
    return Vector(sample_.segment(l.v.begin, l.v.size));
  };
  for (const double part : {0.29, 0.62}) {
    const double t = from + part * h;
    const Vector rates = (velocities(t + aside) - velocities(t - aside)) / (2 * aside), v = velocities(t);
    if (shown_->accelerate(t, sample_.head(l.total))) continue;
    const Vector scale = options_.tolerances.relative_in_general() * v.cwiseAbs().array() +
                         options_.tolerances.absolute_of(l.v.begin);
    const double missed = (h * (shown_->accelerations() - rates)).cwiseQuotient(scale).cwiseAbs().maxCoeff();
    shown_->forget();
    if (missed > many) return true;
  }
  return false;
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
