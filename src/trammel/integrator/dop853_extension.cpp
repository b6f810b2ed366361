// The continuous extension of DOP853, of order 7. The error of a step says nothing about it: where stages cancel at the
// end of a long step, what lies in between may be a thousand times less exact. So it is held against the equations
// there, and where it does not satisfy them it is bent until it does (W. H. Enright, K. R. Jackson, S. P. Nørsett,
// P. G. Thomsen, Interpolants for Runge-Kutta formulas, 1986), or replaced by those of smaller steps.
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "trammel/integrator/dop853.h"
#include "trammel/integrator/dop853_coefficients.h"

namespace trammel {

using dop853::stages;

namespace {

// An error of the slope, times h, in tolerances: that of the extension itself is about a third of it.
constexpr double defect_allowed = 30, defect_without_doubt = 10;

// Where its slopes are asked for to bend it, in the order in which they are, and where the result is judged.
constexpr std::array<double, 5> bent_at{0.7, 0.35, 0.87, 0.52, 0.18};
constexpr std::array<double, 2> judged_at{0.79, 0.62};
constexpr std::size_t first_bent = 3;  // s² (1 − s)²: neither values nor slopes of both ends change

// Slopes at s of s, s (1 − s), s² (1 − s), s² (1 − s)², ...
std::array<double, 8> slopes_of_terms(double s) {
  std::array<double, 8> slopes{};
  double value = 1, slope = 0;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const double factor = i % 2 == 0 ? s : 1 - s;
    slope = slope * factor + value * (i % 2 == 0 ? 1 : -1);
    value *= factor;
    slopes[i] = slope;
  }
  return slopes;
}

using Bend = Eigen::Matrix<double, 5, 5>;

// What the terms must change by for slopes to change by one at each place.
Bend bend_of_slopes() {
  Bend slopes;
  for (std::size_t i = 0; i < bent_at.size(); ++i)
    for (std::size_t j = 0; j < bent_at.size(); ++j)
      slopes(static_cast<Index>(i), static_cast<Index>(j)) = slopes_of_terms(bent_at[i])[first_bent + j];
  return slopes.partialPivLu().inverse();
}

}  // namespace

void Dop853::extend() const {
  extended_ = true;
  judged_ = false;
  parts_.clear();
  extension_.t = t_old_;
  extension_.h = t_ - t_old_;
  extension_.x = x_old_;
  complete_ = extend_over(k_, x_, extension_);
}

void Dop853::judge() const {
  judged_ = true;
  Defects known;
  if (!complete_ || options_.fixed_step || is_exact(extension_, known)) return;
  Extension bent = extension_;
  if (bend(bent, known)) {
    parts_.push_back(std::move(bent));
    return;
  }
  const Vector rate = k_[0], rate_end = k_[stages];
  if (refine(extension_, rate, x_, rate_end, 1)) return;
  parts_.clear();
  if (problem_.completes() || careful_ > 0) return;
  // rates off the constraints may be anything, with loops that are held twice: now with all stages on them
  careful_ = 1;
  if (!refine(extension_, rate, x_, rate_end, 1)) parts_.clear();
  careful_ = 0;
}

// The three stages more that it needs. Where they cannot be evaluated the cubic through both ends is left.
bool Dop853::extend_over(Stages& k, const Vector& x_end, Extension& out) const {
  const double h = out.h;
  for (Vector& term : out.terms) term.setZero(n_);
  const auto head = [&](const Vector& x) { return x.head(n_); };
  out.terms[0] = head(x_end) - head(out.x);
  out.terms[1] = h * head(k[0]) - out.terms[0];
  out.terms[2] = 2 * out.terms[0] - h * (head(k[stages]) + head(k[0]));
  stage_.tail(stage_.size() - n_) = out.x.tail(stage_.size() - n_);
  for (int stage = stages + 1; stage < dop853::extended_stages; ++stage) {
    const auto s = static_cast<std::size_t>(stage);
    add_stages(k, stage, h, out.x, stage_);
    if (rates(out.t + dop853::c[s] * h, stage_, k[s]) != Outcome::ok) return false;
  }
  for (std::size_t term = 0; term < dop853::extension_terms; ++term)
    for (std::size_t j = 0; j < dop853::extended_stages; ++j)
      if (const double weight = h * dop853::extension[term][j]; weight != 0)
        out.terms[3 + term] += weight * head(k[j]);
  return true;
}

// Whether its slopes are what the equations say, as far as an error of so many tolerances goes. Its error goes up and
// down inside the step: a second place is looked at unless the first is beyond doubt. Where its last term is small
// nothing need be looked at: what is left out is no larger.
bool Dop853::is_exact(const Extension& extension, Defects& known) const {
  constexpr double largest_of_term = 0.0084, small = 0.5 * defect_without_doubt;
  Vector last = Vector::Zero(stage_.size());
  last.head(n_) = largest_of_term * extension.terms[6];
  if (size(last) < small) return true;
  for (std::size_t place = 0; place < 2; ++place) {
    known[place] = defect(extension, bent_at[place]);
    const double off = known[place] ? size(*known[place]) : 0;
    if (off > defect_allowed) return false;
    if (off < defect_without_doubt) return true;
  }
  return true;
}

// h times what the equations say beyond its slope; nothing where they cannot be evaluated.
std::optional<Vector> Dop853::defect(const Extension& extension, double s) const {
  Vector value = Vector::Zero(n_), slope = Vector::Zero(n_), rate = Vector::Zero(stage_.size());
  for (std::size_t i = extension.terms.size(); i-- > 0;) {
    value += extension.terms[i];
    slope = (i % 2 == 0 ? s : 1 - s) * slope + (i % 2 == 0 ? 1 : -1) * value;
    value *= i % 2 == 0 ? s : 1 - s;
  }
  stage_ = extension.x;
  stage_.head(n_) += value;
  if (rates(extension.t + s * extension.h, stage_, rate) != Outcome::ok) return std::nullopt;
  Vector off = Vector::Zero(stage_.size());
  off.head(n_) = extension.h * rate.head(n_) - slope;
  return off;
}

// Gives it the slopes that the equations have at five places. That is no use where the step is as long as stability
// allows: rates there magnify the errors of states; false if it did not help.
bool Dop853::bend(Extension& extension, Defects& known) const {
  constexpr double stability_left = 0.5;
  if (stability_used_ > stability_left) return false;
  static const Bend bend = bend_of_slopes();
  for (std::size_t i = 0; i < bent_at.size(); ++i) {
    if (!known[i]) known[i] = defect(extension, bent_at[i]);
    if (!known[i]) return false;
  }
  for (std::size_t i = 0; i < bent_at.size(); ++i)
    for (std::size_t j = 0; j < bent_at.size(); ++j)
      extension.terms[first_bent + i] +=
          bend(static_cast<Index>(i), static_cast<Index>(j)) * known[j]->head(n_);
  for (const double s : judged_at)
    if (const std::optional<Vector> left = defect(extension, s); !left || size(*left) > defect_without_doubt)
      return false;
  return true;
}

// Whether a step with these stages ends where it should, as well as an accepted one does. It does not where stages
// that are not on the constraints have rates of any size, beside singular positions.
bool Dop853::ends_at(const Stages& k, const Extension& step, const Vector& x_end) const {
  constexpr double tolerances_allowed = 10;
  Vector end = step.x, off = Vector::Zero(stage_.size());
  add_stages(k, stages, step.h, step.x, end);
  off.head(n_) = end.head(n_) - x_end.head(n_);
  return size(off) <= tolerances_allowed;
}

// Two steps of half the length, and halves of those where need be; false where these do not lead to the same end.
bool Dop853::refine(const Extension& whole, const Vector& rate, const Vector& x_end, const Vector& rate_end,
                    int depth) const {
  constexpr int deepest = 4;
  Stages k;
  for (Vector& stage : k) stage.setZero(stage_.size());
  const auto take = [&](const Vector& from, const Vector& rate_there, double t, double h) {
    k[0] = rate_there;
    for (int stage = 1; stage < stages; ++stage) {
      const auto s = static_cast<std::size_t>(stage);
      stage_ = from;
      add_stages(k, stage, h, from, stage_);
      if (rates(t + dop853::c[s] * h, stage_, k[s]) != Outcome::ok) return false;
    }
    return true;
  };
  const auto keep = [&](const Extension& half, const Vector& begins, const Vector& ends,
                        const Vector& rate_there) {
    Defects known;
    if (depth < deepest && !is_exact(half, known)) return refine(half, begins, ends, rate_there, depth + 1);
    parts_.push_back(half);
    return true;
  };

  Extension half;
  half.h = 0.5 * whole.h;
  half.t = whole.t;
  half.x = whole.x;
  if (!take(half.x, rate, half.t, half.h)) return false;
  Vector middle = half.x;
  add_stages(k, stages, half.h, half.x, middle);
  const double t_middle = half.t + half.h;
  if (!problem_.completes() && problem_.put_back(t_middle, middle) != Outcome::ok) return false;
  if (rates(t_middle, middle, k[stages]) != Outcome::ok) return false;
  const Vector rate_middle = k[stages];
  if (!extend_over(k, middle, half) || !keep(half, rate, middle, rate_middle)) return false;

  half.t = t_middle;
  half.x = middle;
  if (!take(half.x, rate_middle, half.t, half.h)) return false;
  if (!ends_at(k, half, x_end)) return false;
  k[stages] = rate_end;
  return extend_over(k, x_end, half) && keep(half, rate_middle, x_end, rate_end);
}

void Dop853::evaluate(const Extension& extension, double t, VectorOut x) const {
  const double s = std::clamp((t - extension.t) / extension.h, 0.0, 1.0);
  auto sum = x.head(n_);
  sum.setZero();
  for (std::size_t i = extension.terms.size(); i-- > 0;) {
    sum += extension.terms[i];
    sum *= i % 2 == 0 ? s : 1 - s;
  }
  sum += extension.x.head(n_);
}

void Dop853::interpolate(double t, VectorOut x) const {
  x = x_;
  if (t_ - t_old_ <= 0) return;
  if (!extended_) extend();
  evaluate(extension_, t, x);
}

void Dop853::sample(double t, VectorOut x) const {
  interpolate(t, x);
  if (t_ - t_old_ <= 0) return;
  if (!judged_) judge();
  if (parts_.empty()) return;
  const auto part =
      std::find_if(parts_.begin(), parts_.end(), [&](const Extension& each) { return t <= each.t + each.h; });
  evaluate(part == parts_.end() ? parts_.back() : *part, t, x);
}

}  // namespace trammel
