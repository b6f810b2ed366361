// Where a mechanism should be at a time, going on as in the last step: the cubic through the positions and
// their rates at both ends of it. What comes otherwise is a surprise, and too large a one a sign that a step
// was too long to tell which way a driven mechanism goes.
#pragma once

#include "trammel/numerics/linear_algebra.h"

namespace trammel {

class PositionForecast {
 public:
  void forget() { known_ = 0; }

  // At the beginning and after every accepted step.
  void remember(double t, const VectorIn& p, const VectorIn& rates) {
    std::swap(before_, last_);
    last_ = {t, p, rates};
    known_ = known_ > 0 && t > before_.t ? 2 : 1;
  }

  // Adds to the error of positions p at t a hundredth of the surprise: the error of extrapolation is that much larger than
  // that of a step. Nothing where nothing is known yet.
  void add_surprise(double t, const VectorIn& p, VectorOut error) const {
    if (known_ < 2) return;
    const double h = last_.t - before_.t, s = (t - before_.t) / h, r = 1 - s;
    error += 0.01 * (p - r * r * (1 + 2 * s) * before_.p - s * s * (3 - 2 * s) * last_.p -
                     (h * s * r) * (r * before_.rates - s * last_.rates));
  }

 private:
  struct Place {
    double t = 0;
    Vector p, rates;
  };
  Place before_, last_;
  int known_ = 0;
};

}  // namespace trammel
