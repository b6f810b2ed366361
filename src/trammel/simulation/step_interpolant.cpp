#include "trammel/simulation/step_interpolant.h"

#include <cmath>
#include <utility>

namespace trammel {

void StepInterpolant::begin(double t, const VectorIn& x, const VectorIn& a) {
  next_ = {true, false, t, x, a, {}, {}, {}};
  begin_.known = end_.known = has_middle_ = has_states_ = false;
}

void StepInterpolant::end(double t, const VectorIn& x, const VectorIn& a) {
  begin_ = std::move(next_);
  end_ = {true, false, t, x, a, {}, {}, {}};
  next_ = end_;
  has_middle_ = has_states_ = false;
}

// p' = Z(p) v, and its rate along the motion, by a central difference that is exact where Z is linear.
void StepInterpolant::complete(TangentMotion& motion, End& end, double inside) const {
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
  if (l.r.size == 0) return;
  // a law of time may jump at the end itself: what counts is what it is in the step
  motion.evaluate({inside, end.x, end.a}, part::b, values);
  end.states_rate = values.b;
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
  const double h = end_.t - begin_.t, u = (t - begin_.t) / h;
  complete(motion, begin_, begin_.t + 1e-9 * h);
  complete(motion, end_, end_.t - 1e-9 * h);
  set_motion(motion, integrator, u, x);
  if (l.r.size == 0) return true;

  if (!has_states_) look_at_states(motion, integrator);
  const double u2 = u * u, u3 = u2 * u, bubble = u2 * (1 - u) * (1 - u);
  const auto r0 = begin_.x.segment(l.r.begin, l.r.size), r1 = end_.x.segment(l.r.begin, l.r.size);
  x.segment(l.r.begin, l.r.size) = (1 - 3 * u2 + 2 * u3) * r0 + (3 * u2 - 2 * u3) * r1 +
                                   h * (u - 2 * u2 + u3) * begin_.states_rate +
                                   h * (u3 - u2) * end_.states_rate + bubble * (even_ + (2 * u - 1) * odd_);
  return true;
}

// Positions and velocities at a part of the step.
void StepInterpolant::set_motion(TangentMotion& motion, const Integrator& integrator, double u, VectorOut x) {
  const Layout& l = motion.layout();
  const double h = end_.t - begin_.t;
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
}

// The slopes of r at quarters of the step, where the motion is as above and r itself is the integrator's: of one
// order less, which the step size makes up for.
void StepInterpolant::look_at_states(TangentMotion& motion, const Integrator& integrator) {
  const Layout& l = motion.layout();
  const double h = end_.t - begin_.t;
  const auto r0 = begin_.x.segment(l.r.begin, l.r.size), r1 = end_.x.segment(l.r.begin, l.r.size);
  MotionValues values(l, false);
  Vector own(integrator.x().size());
  const auto beyond_cubic = [&](double u) {
    integrator.interpolate(begin_.t + u * h, own);
    set_motion(motion, integrator, u, own);
    motion.evaluate({begin_.t + u * h, own.head(l.total), begin_.a}, part::b, values);
    const Vector cubic = 6 * u * (1 - u) * (r1 - r0) + h * (1 - u) * (1 - 3 * u) * begin_.states_rate +
                         h * u * (3 * u - 2) * end_.states_rate;
    return Vector(h * values.b - cubic);
  };
  const Vector first = beyond_cubic(0.25), last = beyond_cubic(0.75);
  // slopes at a quarter and at three quarters: ±3/16 of the even part, −3/128 of the odd one
  even_ = (first - last) * (8.0 / 3);
  odd_ = (first + last) * (-64.0 / 3);
  has_states_ = true;
}

}  // namespace trammel
