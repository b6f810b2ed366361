// The motion inside steps of DOP853. The continuous extension of order 6 comes from the stages of a step and costs
// nothing. The error of a step says little about it, so where it is put out it is held against the equations, and where
// it does not satisfy them it is bent until it does: with the slopes that they have at four places it is of order 7
// (W. H. Enright, K. R. Jackson, S. P. Nørsett, P. G. Thomsen, Interpolants for Runge-Kutta formulas, 1986). The extension of
// order 7 that is known of DOP853 takes three stages more, with weights of up to 500 that make it a thousand times less
// exact than the ends of long steps.
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "trammel/integrator/dop853.h"
#include "trammel/integrator/dop853_coefficients.h"

namespace trammel {

using dop853::stages;

namespace {

// An error of the slope, times h, in tolerances: the extension itself is off by a fifth of it or less.
constexpr double defect_allowed = 10;

// Where slopes are asked for, in this order: for the smallest sum of weights and the smallest remainder. It is largest
// at the first. Where the result is judged.
constexpr std::array<double, 4> bent_at{0.717, 0.284, 0.902, 0.098};
constexpr double judged_at = 0.5;
constexpr std::size_t first_bent = 3;  // s² (1 − s)²: neither values nor slopes of both ends change

// Slopes at s of s, s (1 − s), s² (1 − s), s² (1 − s)², ...
std::array<double, 7> slopes_of_terms(double s) {
  std::array<double, 7> slopes{};
  double value = 1, slope = 0;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const double factor = i % 2 == 0 ? s : 1 - s;
    slope = slope * factor + value * (i % 2 == 0 ? 1 : -1);
    value *= factor;
    slopes[i] = slope;
  }
  return slopes;
}

// What the terms must change by for slopes to change by one at each place.
Eigen::Matrix4d bend_of_slopes() {
  Eigen::Matrix4d slopes;
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
  extend_over(k_, x_, extension_);
}

void Dop853::judge() const {
  judged_ = true;
  Extension bent = extension_;
  if (make_exact(bent)) {
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

// The cubic through both ends, and what the stages say beyond it.
void Dop853::extend_over(const Stages& k, const Vector& x_end, Extension& out) const {
  const double h = out.h;
  for (Vector& term : out.terms) term.setZero(n_);
  const auto head = [&](const Vector& x) { return x.head(n_); };
  out.terms[0] = head(x_end) - head(out.x);
  out.terms[1] = h * head(k[0]) - out.terms[0];
  out.terms[2] = 2 * out.terms[0] - h * (head(k[stages]) + head(k[0]));
  for (std::size_t term = 0; term < dop853::extension_terms; ++term)
    for (std::size_t j = 0; j < dop853::all_stages; ++j)
      if (const double weight = h * dop853::extension[term][j]; weight != 0)
        out.terms[first_bent + term] += weight * head(k[j]);
}

// Bends it unless its slope is what the equations say, as far as an error of so many tolerances goes; false if that did
// not help. Where the equations cannot be evaluated it stays as it is.
bool Dop853::make_exact(Extension& extension) const {
  Defects defects;
  defects[0] = defect(extension, bent_at[0]);
  if (!defects[0] || (!options_.fixed_step && size(*defects[0]) <= defect_allowed)) return true;
  for (std::size_t i = 1; i < bent_at.size(); ++i) {
    defects[i] = defect(extension, bent_at[i]);
    if (!defects[i]) return true;
  }
  const double moved = bend(extension, defects);
  // What is left is a part of what it was bent by, unless the step is as long as stability allows: there rates magnify
  // the errors of states.
  constexpr double stability_left = 0.5;
  if (options_.fixed_step || (moved <= defect_allowed && stability_used_ < stability_left)) return true;
  const std::optional<Vector> left = defect(extension, judged_at);
  return !left || size(*left) <= defect_allowed;
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

// Gives it the slopes that the equations have at all places; by how much that changed it half way, about its most.
double Dop853::bend(Extension& extension, const Defects& defects) const {
  static const Eigen::Matrix4d bend = bend_of_slopes();
  Vector change = Vector::Zero(stage_.size());
  double at_half = 1.0 / 16;
  for (std::size_t i = 0; i < bent_at.size(); ++i) {
    Vector term = Vector::Zero(n_);
    for (std::size_t j = 0; j < bent_at.size(); ++j)
      term += bend(static_cast<Index>(i), static_cast<Index>(j)) * defects[j]->head(n_);
    extension.terms[first_bent + i] += term;
    change.head(n_) += at_half * term;
    at_half *= 0.5;
  }
  return size(change);
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
    Extension bent = half;
    if (!make_exact(bent) && depth < deepest) return refine(half, begins, ends, rate_there, depth + 1);
    parts_.push_back(std::move(bent));
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
  extend_over(k, middle, half);
  if (!keep(half, rate, middle, rate_middle)) return false;

  half.t = t_middle;
  half.x = middle;
  if (!take(half.x, rate_middle, half.t, half.h)) return false;
  if (!ends_at(k, half, x_end)) return false;
  k[stages] = rate_end;
  extend_over(k, x_end, half);
  return keep(half, rate_middle, x_end, rate_end);
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
