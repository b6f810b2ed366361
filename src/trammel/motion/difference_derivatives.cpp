#include "trammel/motion/difference_derivatives.h"

#include <algorithm>
#include <cmath>

namespace trammel {

DifferenceDerivatives::DifferenceDerivatives(const Layout& layout)
    : x_(Vector::Zero(layout.total)), plus_(layout), minus_(layout) {}

void DifferenceDerivatives::compute(EquationsOfMotion& equations, const MotionPoint& at, Parts wanted,
                                    MotionDerivatives& out) {
  const Parts parts = wanted | ((wanted & part::dynamics) != 0 ? Parts{part::mass} : 0u);
  x_ = at.x;
  for (Index j = 0; j < x_.size(); ++j) {
    const double h = step * std::max(1.0, std::abs(at.x[j]));
    x_[j] = at.x[j] + h;
    equations.evaluate({at.t, x_, at.a}, parts, plus_);
    x_[j] = at.x[j] - h;
    equations.evaluate({at.t, x_, at.a}, parts, minus_);
    x_[j] = at.x[j];
    const auto column = [&](Parts which, const Vector& plus, const Vector& minus, Matrix& to) {
      if ((wanted & which) != 0) to.col(j) = (plus - minus) / (2 * h);
    };
    column(part::kinematics, plus_.kinematics, minus_.kinematics, out.kinematics);
    if ((wanted & part::dynamics) != 0)
      out.dynamics.col(j) = (plus_.dynamics - minus_.dynamics - (plus_.M - minus_.M) * at.a) / (2 * h);
    column(part::b, plus_.b, minus_.b, out.b);
    column(part::d, plus_.d, minus_.d, out.d);
    column(part::c, plus_.c, minus_.c, out.c);
    column(part::g, plus_.g, minus_.g, out.g);
    column(part::gI, plus_.gI, minus_.gI, out.gI);
    column(part::gII, plus_.gII, minus_.gII, out.gII);
    column(part::h, plus_.h, minus_.h, out.h);
    column(part::hI, plus_.hI, minus_.hI, out.hI);
    column(part::e, plus_.e, minus_.e, out.e);
    column(part::n, plus_.n, minus_.n, out.n);
  }
}

}  // namespace trammel
