// The collocation polynomial of Radau IIA: dense output, starting values, and the leap over a singular
// position.
#include <utility>

#include "trammel/integrator/radau.h"
#include "trammel/integrator/radau_coefficients.h"

namespace trammel {

using radau::method;

// Divided differences of the collocation polynomial through x_k and the stages.
void Radau::build_polynomial() {
  std::swap(poly_, poly_before_);
  poly_.t = t_ + h_;
  poly_.h = h_;
  poly_.x = x_ + Z_[2];
  for (Index i = 0; i < n_; ++i) {
    const double z1 = Z_[0][i], z2 = Z_[1][i], z3 = Z_[2][i];
    const double first = (z2 - z3) / method.c2m1;
    const double ak = (z1 - z2) / method.c1mc2;
    const double second = (ak - first) / method.c1m1;
    poly_.difference[0][i] = first;
    poly_.difference[1][i] = second;
    poly_.difference[2][i] = second - (ak - z1 / method.c1) / method.c2;
  }
  poly_.valid = true;
}

void Radau::Collocation::evaluate(double time, VectorOut out) const {
  const double s = (time - t) / h;
  out = x + s * (difference[0] + (s - method.c2m1) * (difference[1] + (s - method.c1m1) * difference[2]));
}

void Radau::interpolate(double t, VectorOut x) const {
  if (poly_.valid)
    poly_.evaluate(t, x);
  else
    x = x_;
}

// The steps shrink in front of a singular position: a pivot of the constraints goes to zero and changes its
// sign there, so that no Newton matrix serves both sides. The motion itself is smooth. It is extrapolated to
// as far behind the position as it is in front of it now and put back on the constraints there. Two things
// must be within the tolerance: the difference to the extrapolation from one step earlier, and the
// correction.
bool Radau::leap(double bound, double& t, Vector& x) {
  if (!options_.leap_over_singular || !poly_.valid || !poly_before_.valid) return false;
  const double slope = (regularity_ - previous_regularity_) / (regularity_t_ - previous_regularity_t_);
  if (!(regularity_ < 0.3) || !(slope < 0)) return false;
  const double t_new = t_ + 2 * (regularity_t_ - regularity_ / slope - t_);
  if (!(t_new > t_) || t_new - t_ > 40 * poly_.h || t_new > bound) return false;

  set_scale(error_scale_, x_, problem_.newton_index());
  const auto size = [&](Vector& difference) {
    // what is computed anew (multipliers) does not count
    for (Index i = 0; i < n_; ++i)
      if (problem_.newton_index()[static_cast<std::size_t>(i)] > 1) difference[i] = 0;
    return weighted_norm(difference, error_scale_);
  };
  poly_.evaluate(t_new, stage_);
  poly_before_.evaluate(t_new, work_);
  error_ = work_ - stage_;
  if (!(size(error_) < 1)) return false;
  work_ = stage_;
  if (problem_.land(t_new, work_) != Outcome::ok) return false;
  error_ = work_ - stage_;
  if (!(size(error_) < 1)) return false;

  ++problem_.statistics().singular_positions;
  t = t_new;
  x = work_;
  h_ = poly_.h;
  h_accepted_ = 0;
  need_jacobian_ = true;
  jacobian_fresh_ = false;
  extrapolate_ = false;  // the polynomial has served
  regularity_ = previous_regularity_ = 1;
  return true;
}

}  // namespace trammel
