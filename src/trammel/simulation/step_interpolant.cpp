#include "trammel/simulation/step_interpolant.h"

#include <cmath>
#include <utility>

namespace trammel {

void StepInterpolant::begin(double t, const VectorIn& x, const VectorIn& a) {
  next_ = {true, false, t, x, a, {}, {}};
  begin_.known = end_.known = has_middle_ = false;
}

void StepInterpolant::end(double t, const VectorIn& x, const VectorIn& a) {
  begin_ = std::move(next_);
  end_ = {true, false, t, x, a, {}, {}};
  next_ = end_;
  has_middle_ = false;
}

// p' = Z(p) v, and its rate along the motion, by a central difference that is exact where Z is linear.
void StepInterpolant::complete(TangentMotion& motion, End& end) const {
  if (end.complete) return;
  const Layout& l = motion.layout();
  MotionValues values(l, false);
  const auto rate_at = [&](const Vector& x) {
    motion.evaluate({end.t, x, end.a}, part::kinematics, values);
    return values.kinematics;
  };
  end.rate = rate_at(end.x);
  constexpr double aside = 1e-3;
  Vector moved = end.x;
  const auto at = [&](double by) {
    moved.segment(l.p.begin, l.p.size) = end.x.segment(l.p.begin, l.p.size) + by * end.rate;
    moved.segment(l.v.begin, l.v.size) = end.x.segment(l.v.begin, l.v.size) + by * end.a;
    return rate_at(moved);
  };
  const Vector ahead = at(aside);
  end.curvature = (ahead - at(-aside)) / (2 * aside);
  end.complete = true;
}

namespace {

// The quintic with value, slope and curvature at u = 0 and 1, and its slope.
struct Quintic {
  double value0, value1, slope0, slope1, curvature0, curvature1;

  explicit Quintic(double u)
      : value0(1 + u * u * u * (-10 + u * (15 - 6 * u))),
        value1(1 - value0),
        slope0(u + u * u * u * (-6 + u * (8 - 3 * u))),
        slope1(u * u * u * (-4 + u * (7 - 3 * u))),
        curvature0(0.5 * u * u * (1 - u) * (1 - u) * (1 - u)),
        curvature1(0.5 * u * u * u * (1 - u) * (1 - u)) {}
};

}  // namespace

bool StepInterpolant::evaluate(TangentMotion& motion, const Integrator& integrator, double t, VectorOut x) {
  const Layout& l = motion.layout();
  if (!begin_.known || !end_.known || !(end_.t > begin_.t) || begin_.a.size() != l.v.size ||
      end_.a.size() != l.v.size)
    return false;
  complete(motion, begin_);
  complete(motion, end_);
  const double h = end_.t - begin_.t, u = (t - begin_.t) / h;
  const auto p0 = begin_.x.segment(l.p.begin, l.p.size), p1 = end_.x.segment(l.p.begin, l.p.size);
  const auto v0 = begin_.x.segment(l.v.begin, l.v.size), v1 = end_.x.segment(l.v.begin, l.v.size);

  const Quintic q(u);
  x.segment(l.p.begin, l.p.size) = q.value0 * p0 + q.value1 * p1 + h * q.slope0 * begin_.rate +
                                   h * q.slope1 * end_.rate + h * h * q.curvature0 * begin_.curvature +
                                   h * h * q.curvature1 * end_.curvature;

  // the cubic of Hermite, and a bubble that makes it right half way
  const double u2 = u * u, u3 = u2 * u;
  Vector v = (1 - 3 * u2 + 2 * u3) * v0 + (3 * u2 - 2 * u3) * v1 + h * (u - 2 * u2 + u3) * begin_.a +
             h * (u3 - u2) * end_.a;
  if (!has_middle_) {
    const Quintic half(0.5);
    const Vector p = half.value0 * p0 + half.value1 * p1 + h * half.slope0 * begin_.rate +
                     h * half.slope1 * end_.rate + h * h * half.curvature0 * begin_.curvature +
                     h * h * half.curvature1 * end_.curvature;
    // slopes of the quintic at u = 1/2
    const Vector rate = 1.875 * (p1 - p0) / h - 0.4375 * (begin_.rate + end_.rate) +
                        h / 32 * (end_.curvature - begin_.curvature);
    middle_.resize(l.v.size);
    motion.rates_to_velocities(p, rate, middle_);
    const Vector cubic = 0.5 * (v0 + v1) + h / 8 * (begin_.a - end_.a);
    middle_ -= cubic;
    Vector own(x.size());
    integrator.interpolate(begin_.t + 0.5 * h, own);
    for (Index i = 0; i < l.v.size; ++i) {
      const double other = own[l.v.begin + i] - cubic[i];
      if (std::abs(other) < 0.2 * std::abs(middle_[i])) middle_[i] = other;
    }
    has_middle_ = true;
  }
  v += 16 * u2 * (1 - u) * (1 - u) * middle_;
  x.segment(l.v.begin, l.v.size) = v;
  return true;
}

}  // namespace trammel
