// Switches of a run (mechanism/switches.h): every law stays on its branch inside a step, the end of a branch is
// located on the step's continuous extension, the step is taken again so that it ends there, and the next one
// begins on the next branch. So no step runs over a corner, and Newton's iteration and the estimates of the
// error see smooth functions only.
//
// Two branches that push against each other (dry friction written with sign(), a relay) are a sliding mode: the
// switch is let go, and a jump is rounded off.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "trammel/numerics/norms.h"
#include "trammel/simulation/integrators.h"
#include "trammel/simulation/simulation.h"

namespace trammel {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
// A jump that slides is rounded off over this part of the largest value that what is compared has had.
constexpr double sliding_share = 1e-6;
// A step may run over the jump of a value by this part of its length. What a corner makes of it goes with a higher power of that
// part, so that a step may run farther over it and nothing more is left of it.
constexpr double at_the_end = 1e-10;
double negligible_part(SwitchReading::Order order) {
  switch (order) {
    case SwitchReading::value_jumps:
      break;
    case SwitchReading::slope_jumps:
      return std::sqrt(at_the_end);
    case SwitchReading::nothing_jumps:
      return std::cbrt(at_the_end);
  }
  return at_the_end;
}

// How often a step is begun again because it cannot be right, with what is gone through again for the same reason.
constexpr std::size_t most_doubts = 4;

// The cubic through (0, m[0]), (1/3, m[1]), (2/3, m[2]), (1, m[3]): where it is lowest inside, and how low.
struct Lowest {
  double at = 0, value = 0;
};
Lowest lowest(const std::array<double, 4>& m) {
  const double d1 = m[1] - m[0], d2 = m[2] - 2 * m[1] + m[0], d3 = m[3] - 3 * m[2] + 3 * m[1] - m[0];
  const auto value = [&](double s) { return m[0] + s * (d1 + (s - 1) / 2 * (d2 + (s - 2) / 3 * d3)); };
  // its derivative, a + b s + c s²
  const double a = d1 - d2 / 2 + d3 / 3, b = d2 - d3, c = d3 / 2;
  Lowest result{0, std::min({m[0], m[1], m[2], m[3]})};
  const double root = b * b - 4 * a * c;
  if (root < 0) return result;
  const double q = -0.5 * (b + std::copysign(std::sqrt(root), b));
  for (const double s : {c != 0 ? q / c : -1.0, q != 0 ? a / q : -1.0})
    if (s > 0 && s < 3 && value(s) < result.value) result = {s / 3, value(s)};
  return result;
}

// The same cubic, s thirds from its begin.
double cubic(const std::array<double, 4>& m, double s) {
  const double d1 = m[1] - m[0], d2 = m[2] - 2 * m[1] + m[0], d3 = m[3] - 3 * m[2] + 3 * m[1] - m[0];
  return m[0] + s * (d1 + (s - 1) / 2 * (d2 + (s - 2) / 3 * d3));
}

}  // namespace

SwitchReading::Order Simulation::Crossing::order() const {
  auto lowest = SwitchReading::nothing_jumps;
  for (const Change& change : changes) lowest = std::min(lowest, change.order);
  return lowest;
}

void Simulation::begin_switches(double t, const Vector& x) {
  const std::size_t count = at_index(watched_->switch_count());
  held_.assign(count, {});
  switched_.assign(count, {});
  at_begin_.assign(count, {});
  pending_.reset();
  if (count > 0) hold_branches(t, x, nullptr);
}

// The branches that a state asks for; after a crossing, the others are still the same, but for those that were not
// passed: two wheels meet the same edge one after the other, within the same instant.
void Simulation::hold_branches(double t, const Vector& x, const Crossing* crossing) {
  std::vector<SwitchReading> before(crossing != nullptr ? held_.size() : 0);
  if (crossing != nullptr) watched_->read_switches(t, x, before);
  for (std::size_t i = 0; i < held_.size(); ++i)
    if (crossing == nullptr || held_[i].is_free() || !(at_begin_[i].margin < SwitchReading::unknown))
      held_[i] = {HeldBranch::free, HeldBranch::free, switched_[i].width};
  if (crossing != nullptr)
    for (const Crossing::Change& change : crossing->changes) {
      const double width = switched_[change.index].width;
      held_[change.index] = width == 0 ? change.to : HeldBranch{HeldBranch::free, HeldBranch::free, width};
    }
  const double negligible = negligible_corner();
  watched_->hold_switches(held_, negligible);
  watched_->read_switches(t, x, at_begin_);
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const SwitchReading& reading = at_begin_[i];
    // what slid is held again when it is well off
    if (switched_[i].width > 0 && reading.margin < SwitchReading::unknown &&
        reading.margin > 100 * switched_[i].width)
      switched_[i].let_go();
    if (held_[i].is_free() && switched_[i].width == 0) held_[i] = reading.natural;
  }
  pass_on_branches();
  watched_->read_switches(t, x, at_begin_);
  if (crossing != nullptr && follow_jumps(before, *crossing)) {
    pass_on_branches();
    watched_->read_switches(t, x, at_begin_);
  }
  at_begin_t_ = t;
}

// A switch of what has jumped with another one, as mod(x, 1) does, is on another branch without having passed its end.
// Those that are crossed are none of these: a step that ends just before the end of a branch leaves them just before the
// next one.
bool Simulation::follow_jumps(const std::vector<SwitchReading>& before, const Crossing& crossing) {
  bool any = false;
  const auto is_crossed = [&](std::size_t i) {
    return std::any_of(crossing.changes.begin(), crossing.changes.end(),
                       [&](const Crossing::Change& change) { return change.index == i; });
  };
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const double inside = 1e-9 * std::max(switched_[i].largest, 1e-9);
    if (held_[i].is_free() || switched_[i].width > 0 || !(before[i].margin < SwitchReading::unknown))
      continue;
    if (!(before[i].margin > inside && at_begin_[i].margin < -inside) || is_crossed(i)) continue;
    held_[i] = at_begin_[i].natural;
    any = true;
  }
  return any;
}

void Simulation::pass_on_branches() {
  const double negligible = negligible_corner();
  equations_.hold_switches(held_, negligible);
  watched_->hold_switches(held_, negligible);
  if (reduction_) reduction_->equations().hold_switches(held_, negligible);
  between_->hold_switches(held_, negligible);
  problem_->hold_switches(held_, negligible);
  if (shown_) shown_->forget();
  renew_branches_ = false;
}

// Corners of tables that the estimate of the error can take care of.
double Simulation::negligible_corner() const {
  return std::min(1e-2, 30 * options_.tolerances.relative_in_general());
}

void Simulation::read_inside(double t, std::vector<SwitchReading>& readings) {
  sample_.resize(problem_->unknowns());
  if (t >= integrator_->t())
    sample_ = integrator_->x();
  else
    integrator_->interpolate(t, sample_);
  watched_->read_switches(t, restored(t, sample_), readings);
}

// Where the branch of a switch ends, between two times of the last step; afterwards reading_ belongs to the end of
// what is left of them, just behind it (Illinois method).
double Simulation::locate_switch(std::size_t i, double low, double low_margin, double high,
                                 double high_margin) {
  int side = 0;
  const double resolution =
      std::max(4 * epsilon * std::max(std::abs(low), std::abs(high)), 1e-15 * (high - low));
  for (int iteration = 0; iteration < 100 && high - low > resolution; ++iteration) {
    double t = (low_margin * high - high_margin * low) / (low_margin - high_margin);
    if (!(t > low && t < high)) t = 0.5 * (low + high);
    read_inside(t, reading_);
    const double margin = reading_[i].margin;
    if (margin >= 0) {
      low = t;
      low_margin = margin;
      if (side == -1) high_margin *= 0.5;
      side = -1;
    } else {
      high = t;
      high_margin = margin;
      if (side == 1) low_margin *= 0.5;
      side = 1;
    }
    // the next try would be below the resolution
    if (high - low <= 2 * resolution) break;
  }
  read_inside(high, reading_);
  return high;
}

// From a time in the last step at which a margin is small to where it is negative, or as small as can be: down the
// parabola through three readings, a few times. What is narrow is missed by the cubic through those of the whole
// step.
double Simulation::find_dip(std::size_t i, double& t) {
  const double from = integrator_->previous_t(), to = integrator_->t();
  const auto margin_at = [&](double time) {
    read_inside(time, reading_);
    return reading_[i].margin;
  };
  double aside = (to - from) / 16, margin = margin_at(t);
  for (int iteration = 0; iteration < 4 && !(margin < 0); ++iteration) {
    const double middle = std::clamp(t, from + aside, to - aside);
    const double left = margin_at(middle - aside), here = margin_at(middle),
                 right = margin_at(middle + aside);
    const double bend = left - 2 * here + right;
    if (!(bend > 0) || !std::isfinite(bend)) break;
    const double next = std::clamp(middle + 0.5 * aside * (left - right) / bend, from, to);
    const double there = margin_at(next);
    if (!(there < margin)) break;
    aside = std::clamp(std::abs(next - t), 1e-6 * (to - from), 0.25 * aside);
    t = next;
    margin = there;
  }
  return margin;
}

// What is not later is too close to the beginning of the last step for a step that ends there.
double Simulation::first_moment() const {
  const double from = integrator_->previous_t(), h = integrator_->t() - from;
  const double instant = 1e-3 * options_.tolerances.relative_in_general() * largest_step_;
  return from + std::max({at_the_end * h, 256 * epsilon * std::abs(from), instant});
}

// Of a switch: at the begin of a piece, at its thirds, at its end.
std::array<double, 4> Simulation::margins(const Piece& piece, std::size_t i) const {
  return {(*piece.begin)[i].margin, inside_[0][i].margin, inside_[1][i].margin, inside_[2][i].margin};
}

// Whether margins go as the cubics through four of their values.
bool Simulation::is_resolved(const Piece& piece) {
  const auto is_known = [](double margin) { return std::abs(margin) < SwitchReading::unknown; };
  for (const double part : {0.137, 0.53}) {
    read_inside(piece.from + part * piece.length(), reading_);
    for (std::size_t i = 0; i < held_.size(); ++i) {
      const std::array<double, 4> m = margins(piece, i);
      const double there = reading_[i].margin;
      if (held_[i].is_free() || !std::all_of(m.begin(), m.end(), is_known) || !is_known(there)) continue;
      double size = std::abs(there);
      for (const double margin : m) size = std::max(size, std::abs(margin));
      if (std::abs(there - cubic(m, 3 * part)) > 0.02 * size) return false;
    }
  }
  return true;
}

// Where the branch of a switch ends inside of a piece, if it does; reading_ then belongs to what is just behind.
std::optional<double> Simulation::end_in(const Piece& piece, std::size_t i) {
  const std::array<double, 4> m = margins(piece, i);
  const double from = piece.from, h = piece.length();
  const auto time = [&](std::size_t k) { return k == 3 ? piece.to : from + h * static_cast<double>(k) / 3; };
  std::size_t behind = 1;
  while (behind < 4 && !(m[behind] < 0)) ++behind;
  if (behind < 4) {
    double low = time(behind - 1), low_margin = m[behind - 1];
    const double round_off = 16 * epsilon * std::max(switched_[i].largest, std::abs(m[3]));
    const double high = time(behind), high_margin = m[behind];
    if (behind == 1 && !(low_margin > round_off)) {
      // it begins where its branch ends, or just before or behind that by round-off: does it go on into it? Not at first, perhaps,
      // if it turns round soon
      for (const double part : {1e-3, 1e-6}) {
        low = from + part * (high - from);
        read_inside(low, reading_);
        low_margin = reading_[i].margin;
        if (low_margin > round_off) break;
      }
      if (low_margin < 0) return low_margin <= m[0] ? std::optional(from) : std::nullopt;
    }
    if (!(low_margin < SwitchReading::unknown)) low_margin = -high_margin;
    return locate_switch(i, low, low_margin, high, high_margin);
  }
  // out and back again between two of the times?
  if (!std::all_of(m.begin(), m.end(), [](double margin) { return margin < SwitchReading::unknown; }))
    return {};
  const Lowest dip = lowest(m);
  if (dip.at == 0 || dip.value > 0.02 * *std::max_element(m.begin(), m.end())) return {};
  double high = from + dip.at * h;
  const double high_margin = find_dip(i, high);
  if (!(high_margin < 0) || !(m[0] > 0)) return {};
  return locate_switch(i, from, m[0], high, high_margin);
}

// The first end of a branch inside the last step, with those that are as good as at the same time. Where a margin does not go
// as a cubic, as that of sin(20 x) > 0 in a long step, half of the way is looked at first.
bool Simulation::find_crossing(Crossing& found) {
  const double last = integrator_->t(), h = last - integrator_->previous_t();
  if (!(h > 0)) return false;
  for (std::vector<SwitchReading>* readings : {&inside_[0], &inside_[1], &inside_[2], &reading_})
    readings->resize(held_.size());
  Piece piece{integrator_->previous_t(), last, &at_begin_};
  std::vector<SwitchReading> beginning;
  std::vector<Crossing::End> ends;
  for (;;) {
    for (std::size_t k = 0; k < 3; ++k)
      read_inside(k == 2 ? piece.to : piece.from + piece.length() * static_cast<double>(k + 1) / 3,
                  inside_[k]);
    if (piece.length() > h / 256 && !is_resolved(piece)) {
      piece.to = piece.from + 0.5 * piece.length();
      continue;
    }
    for (std::size_t i = 0; i < held_.size(); ++i) {
      const double margin = (*piece.begin)[i].margin;
      if (margin < SwitchReading::unknown)
        switched_[i].largest = std::max(switched_[i].largest, std::abs(margin));
      if (held_[i].is_free()) continue;
      if (const std::optional<double> t = end_in(piece, i))
        ends.push_back({*t, {i, reading_[i].natural, reading_[i].order}});
    }
    if (!ends.empty()) break;
    if (piece.to >= last) return false;
    beginning = inside_[2];
    const double length = piece.length();
    piece = {piece.to, last - piece.to > 3 * length ? piece.to + 2 * length : last, &beginning};
  }
  // as many as one step can end on: two wheels that meet the same edge
  std::stable_sort(ends.begin(), ends.end(),
                   [](const Crossing::End& a, const Crossing::End& b) { return a.t < b.t; });
  found.latest = last + h;
  found.changes.clear();
  for (const Crossing::End& end : ends) {
    if (end.t > std::max(found.latest, ends.front().t + 1e-12 * h)) break;
    if (end.t > first_moment() && ends.front().t <= first_moment()) break;
    found.t = end.t;
    found.latest = std::min(found.latest, end.t + negligible_part(end.change.order) * h);
    found.changes.push_back(end.change);
  }
  return true;
}

// Whether a failed step may have failed because a law is not defined beyond the end of its branch, which is near.
bool Simulation::ends_at_branch(Crossing& found) {
  if (held_.empty() || before_.size() == 0) return false;
  watched_->read_switches(t_, state_, at_begin_);
  const double aside = 1e-6 * std::max(largest_step_, epsilon * std::abs(t_));
  std::vector<SwitchReading> earlier(held_.size());
  watched_->read_switches(integrator_->previous_t(), restored(integrator_->previous_t(), before_), earlier);
  const double h = t_ - integrator_->previous_t();
  found.t = found.latest = t_;
  found.changes.clear();
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const double margin = at_begin_[i].margin, rate = (margin - earlier[i].margin) / h;
    const bool is_near = margin <= 1e-12 * switched_[i].largest || (rate < 0 && margin < -rate * aside);
    if (held_[i].is_free() || !is_near) continue;
    // of two branches the other one: pieces of tables and whole numbers go on for ever
    if (held_[i].branch != 0 && held_[i].branch != 1) continue;
    const int other = 1 - held_[i].branch;
    found.changes.push_back({i, {other, other, 0}, at_begin_[i].order});
  }
  return !found.changes.empty();
}

// One step, which ends where the first branch does. At the end of it pending_ is set if it does, or if it cannot
// be taken because one ends at its very beginning.
bool Simulation::take_step(double bound) {
  pending_.reset();
  if (renew_branches_) pass_on_branches();
  if (at_begin_t_ != t_ && !held_.empty()) {
    watched_->read_switches(t_, state_, at_begin_);
    at_begin_t_ = t_;
  }
  const double wanted = integrator_->next_step();
  if (!crossed_ || wanted > wanted_step_) wanted_step_ = wanted;
  crossed_ = false;
  Crossing found;
  bool aimed = false;  // the step is to end at found.t
  while (!doubts_.empty() && t_ >= doubts_.back().until) doubts_.pop_back();
  for (int attempt = 0;; ++attempt) {
    if (!doubts_.empty()) bound = std::min(bound, t_ + doubts_.back().step);
    if (integrator_->step(bound) != Outcome::ok) {
      Crossing near;
      if (ends_at_branch(near)) {
        pending_ = std::move(near);
        return true;
      }
      if (takes_other_method(integrator_->failure())) return true;
      return fail(explained(integrator_->failure()));
    }
    const double h = integrator_->t() - integrator_->previous_t();
    Crossing next;
    const bool crosses = !held_.empty() && find_crossing(next);
    if (crosses && next.t <= first_moment()) {
      integrator_->retreat();
      pending_ = std::move(next);
      pending_->t = t_;
      return true;
    }
    const bool ends_there = crosses && (integrator_->t() <= next.latest || attempt >= 8);
    if (!crosses || ends_there) {
      if (!is_believable()) {
        if (doubts_.size() < most_doubts) {
          if (!go_back()) return false;
          aimed = false;
          continue;
        }
        ++unbelievable_steps_;
      }
      if (held_.empty()) return true;
      if (ends_there) {
        pending_ = std::move(next);
        pending_->t = integrator_->t();
        read_inside(integrator_->t(), inside_[2]);
      } else if (aimed && integrator_->t() >= found.t &&
                 is_at_end(found, h)) {  // within round-off of where it should be
        pending_ = std::move(found);
      }
      break;
    }
    integrator_->retreat();
    bound = next.t;
    found = std::move(next);
    aimed = true;
  }
  hold_new_branches();
  return true;
}

// To the beginning of a step that cannot be right, to go through what it went over in shorter ones.
bool Simulation::go_back() {
  constexpr double shorter = 0.25;
  const double h = integrator_->t() - integrator_->previous_t();
  doubts_.push_back({integrator_->t(), shorter * h, balance_.unexplained()});
  integrator_->retreat();
  // codes of several steps would show the same step again
  if (!find_integrator(method_.integrator)->is_multistep) return true;
  const Statistics so_far = problem_->statistics();
  if (integrator_->start(t_, extended(state_), t_end_, shorter * h) != Outcome::ok)
    return fail(integrator_->failure());
  problem_->statistics() = so_far;
  return true;
}

// Whether the branches that were to end at the end of the last step are as good as ended.
bool Simulation::is_at_end(const Crossing& crossing, double h) const {
  return std::all_of(crossing.changes.begin(), crossing.changes.end(), [&](const Crossing::Change& change) {
    const double end = inside_[2][change.index].margin, earlier = inside_[1][change.index].margin;
    const double rate = (end - earlier) / (h / 3);
    return end <= -rate * 1e-6 * h;
  });
}

// Switches that were passed for the first time are held from the end of the step on.
void Simulation::hold_new_branches() {
  bool any = false;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (!held_[i].is_free() || switched_[i].width > 0 || inside_[2][i].natural.is_free()) continue;
    held_[i] = inside_[2][i].natural;
    any = true;
  }
  // what slides may have come off
  for (std::size_t i = 0; i < held_.size(); ++i)
    if (switched_[i].width > 0 && inside_[2][i].margin > 100 * switched_[i].width &&
        inside_[2][i].margin < SwitchReading::unknown) {
      switched_[i].let_go();
      held_[i] = inside_[2][i].natural;
      any = true;
    }
  // what is put out inside the step is still on the branches that it was taken on
  renew_branches_ = any;
  at_begin_ = inside_[2];
  at_begin_t_ = integrator_->t();
}

// The next step begins on other branches.
bool Simulation::cross_switch() {
  const Crossing crossing = std::move(*pending_);
  pending_.reset();
  ++problem_->statistics().switches;
  steps_since_switch_ = 0;
  switched_at_ = t_;
  if (is_idle()) return fail(switches_without_end(crossing));
  for (const Crossing::Change& change : crossing.changes) note_switch(change);
  const std::vector<HeldBranch> before = held_;
  hold_branches(t_, state_, &crossing);
  // a step that was cut, or could not be taken at all, says little about the next
  crossed_ = true;
  const double h = step_on(before, std::max({integrator_->next_step(), wanted_step_, 1e-3 * largest_step_}));
  const bool is_multistep = find_integrator(method_.integrator)->is_multistep;
  if (crossing.order() == SwitchReading::nothing_jumps && !is_multistep) {
    integrator_->set_next_step(h);
    return true;
  }
  if (is_multistep) begin_way();
  return restart(t_, state_, h, &crossing);
}

// Methods of several steps begin anew on other branches, at order one, and each of these beginnings errs to the same side. A law
// that acts for a short way only, as a contact does, makes of an error what it is of that way, however far off the origin is: of
// the state no more counts than how far it has come since.
void Simulation::begin_way() {
  way_from_ = reduced(state_).head(integrated());
  way_.setZero(way_from_.size());
  limit_sizes();
}

void Simulation::go_way() {
  if (way_from_.size() == 0) return;
  way_ = way_.cwiseMax((reduced(state_).head(way_.size()) - way_from_).cwiseAbs());
  limit_sizes();
}

// Positions, velocities and states, which stand in front.
Index Simulation::integrated() const { return solved().layout().w.begin; }

void Simulation::limit_sizes() {
  if (way_from_.size() == 0) return;
  Vector most = Vector::Constant(solved().layout().total, std::numeric_limits<double>::infinity());
  const Vector& general = options_.tolerances.most_each;
  most.head(general.size()) = general;
  // numbers have no more digits
  const double digits = 100 * epsilon / options_.tolerances.relative_in_general();
  const Index n = way_.size();
  most.head(n) = most.head(n).cwiseMin(way_.cwiseMax(digits * way_from_.cwiseAbs()));
  integrator_->limit_sizes(most);
}

// Branches that change a thousand times in one instant would do so for ever.
bool Simulation::is_idle() {
  constexpr long most = 1000;
  const double instant = 1e-12 * std::max(std::abs(t_), t_end_ - t_);
  if (!(std::abs(t_ - idle_since_) <= instant)) {
    idle_crossings_ = 0;
    idle_since_ = t_;
  }
  return ++idle_crossings_ > most;
}

Failure Simulation::switches_without_end(const Crossing& crossing) const {
  std::vector<std::string> names;
  for (const Crossing::Change& change : crossing.changes) {
    std::string name = fmt::format("'{}'", watched_->switch_name(static_cast<Index>(change.index)));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return {Reason::event_repeats,
          fmt::format(
              "{} changes from one branch to another without end at t = {:.10g}, while time does not go on. "
              "Let the law change over some distance or time instead of all at once: with step() or ramp()",
              fmt::join(names, ", "), t_)};
}

// A switch that goes back and forth at one instant slides.
void Simulation::note_switch(const Crossing::Change& change) {
  Switched& switched = switched_[change.index];
  const double moment = 1e-12 * std::max(std::abs(t_), t_end_ - t_) + 1e-6 * integrator_->next_step();
  const bool again = t_ - switched.t <= moment;
  switched.repeats = again ? switched.repeats + 1 : 0;
  if (!again) switched.slid = 0;
  switched.t = t_;
  if (switched.repeats < 3) return;
  const bool jumps = change.order == SwitchReading::value_jumps;
  switched.width = (jumps ? sliding_share : 1e-3 * sliding_share) * std::max(switched.largest, 1e-9);
  // what was let go too soon
  switched.width = std::max(switched.width, 10 * switched.slid);
  switched.repeats = 0;
  const std::string name = watched_->switch_name(static_cast<Index>(change.index));
  if (!jumps) return;
  const std::string what = fmt::format("'{}' switches back and forth", name);
  const auto told = [&](const std::string& note) { return note.starts_with(what); };
  if (std::none_of(summary_.notes.begin(), summary_.notes.end(), told))
    summary_.notes.push_back(fmt::format(
        "{} at t = {:.6g}: its jump is rounded off there, over {:.2g} on both sides of what it compares",
        what, t_, switched.width));
}

// A size for the first step on other branches, at most h: so long that what is new changes velocities by a small
// part of themselves. Estimates of the error cannot be trusted with that: those of implicit methods are damped by
// the very stiffness that a contact brings.
double Simulation::step_on(const std::vector<HeldBranch>& before, double h) {
  constexpr double small = 0.1;
  const Layout& l = solved().layout();
  const Vector start = reduced(state_);
  const double negligible = negligible_corner();
  Vector x = start, change(l.p.size);
  const Vector no_residual = Vector::Zero(l.normalizations);
  const auto accelerate = [&](const std::vector<HeldBranch>& held, const Vector& at, double t, Vector& a) {
    between_->hold_switches(held, negligible);
    shown_->forget();
    if (shown_->accelerate(t, at)) return false;
    a = shown_->accelerations();
    return true;
  };
  Vector old_first, new_first, old_later, new_later;
  if (accelerate(before, start, t_, old_first) && accelerate(held_, start, t_, new_first)) {
    const auto v = start.segment(l.v.begin, l.v.size);
    for (int halving = 0; halving < 60; ++halving, h *= 0.5) {
      const Vector displacement = h * v + 0.5 * h * h * new_first;
      between_->displacement_to_positions(start.segment(l.p.begin, l.p.size), displacement, no_residual,
                                          change);
      x.segment(l.p.begin, l.p.size) = start.segment(l.p.begin, l.p.size) + change;
      x.segment(l.v.begin, l.v.size) = v + h * new_first;
      if (!accelerate(held_, x, t_, new_later)) continue;
      // the old law may not be defined here
      if (!accelerate(before, x, t_, old_later)) old_later = old_first;
      const Vector brought = (new_later - old_later) - (new_first - old_first);
      const double along = std::abs(brought.dot(x.segment(l.v.begin, l.v.size)));
      const double turned = 0.5 * h * brought.squaredNorm();
      if (!(turned > small * along)) break;
      if (brought.norm() <= 1e-6 * (new_first.norm() + old_first.norm())) break;
      // where what is new grows with the way, the change goes with the square of the time
      if (turned > 100 * small * along) h *= 0.25;
    }
  }
  between_->hold_switches(held_, negligible);
  shown_->forget();
  return h;
}

}  // namespace trammel
