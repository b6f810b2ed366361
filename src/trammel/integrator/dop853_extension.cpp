// The continuous extension of DOP853, of order 7. The error of a step says nothing about it: where stages cancel at the
// end of a long step, what lies in between may be a thousand times less exact. So it is held against the equations
// there, and replaced by those of smaller steps where it does not satisfy them.
#include <algorithm>
#include <cmath>

#include "trammel/integrator/dop853.h"
#include "trammel/integrator/dop853_coefficients.h"

namespace trammel {

using dop853::stages;

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
  if (!complete_ || options_.fixed_step || is_exact(extension_)) return;
  const Vector rate = k_[0], rate_end = k_[stages];
  if (!refine(extension_, rate, x_, rate_end, 1)) parts_.clear();
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
// down inside the step: a second place is looked at unless the first is beyond doubt.
bool Dop853::is_exact(const Extension& extension) const {
  constexpr double tolerances_allowed = 30, tolerances_without_doubt = 10;
  for (const double s : {0.7, 0.35}) {
    const double off = defect(extension, s);
    if (off > tolerances_allowed) return false;
    if (off < tolerances_without_doubt) return true;
  }
  return true;
}

// h times what its slope differs by from the equations, in tolerances; zero where these cannot be evaluated.
double Dop853::defect(const Extension& extension, double s) const {
  Vector value = Vector::Zero(n_), slope = Vector::Zero(n_), rate = Vector::Zero(stage_.size());
  for (std::size_t i = extension.terms.size(); i-- > 0;) {
    value += extension.terms[i];
    slope = (i % 2 == 0 ? s : 1 - s) * slope + (i % 2 == 0 ? 1 : -1) * value;
    value *= i % 2 == 0 ? s : 1 - s;
  }
  stage_ = extension.x;
  stage_.head(n_) += value;
  if (rates(extension.t + s * extension.h, stage_, rate) != Outcome::ok) return 0;
  Vector off = Vector::Zero(stage_.size());
  off.head(n_) = slope - extension.h * rate.head(n_);
  return size(off);
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
    if (depth < deepest && !is_exact(half)) return refine(half, begins, ends, rate_there, depth + 1);
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
