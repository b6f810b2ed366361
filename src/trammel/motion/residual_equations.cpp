#include "trammel/motion/residual_equations.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace trammel {

namespace {

// eight-point central differences
constexpr std::array<double, 4> first_weights{4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
constexpr std::array<double, 4> second_weights{8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};
constexpr double second_centre = -205.0 / 72.0;

Sizes checked(const ResidualFunctions& functions) {
  const Sizes& sizes = functions.sizes;
  const auto check = [](bool counted, bool given, const char* what) {
    if (counted != given)
      throw std::invalid_argument(fmt::format("function {} is {} but its count in sizes is {}", what,
                                              given ? "given" : "not given", counted ? "positive" : "zero"));
  };
  check(sizes.force_states > 0, functions.b != nullptr, "b");
  check(sizes.auxiliaries > 0, functions.d != nullptr, "d");
  check(sizes.contacts > 0, functions.c != nullptr, "c");
  check(sizes.holonomic > 0, functions.g != nullptr, "g");
  check(sizes.nonholonomic > 0, functions.H != nullptr, "H");
  check(sizes.invariants > 0, functions.e != nullptr, "e");
  check(sizes.normalizations > 0, functions.n != nullptr, "n");
  // these may be missing, but not be given in vain
  if (sizes.holonomic == 0) {
    check(false, functions.G != nullptr, "G");
    check(false, functions.gI != nullptr, "gI");
    check(false, functions.gII != nullptr, "gII");
  }
  if (sizes.nonholonomic == 0) {
    check(false, functions.h != nullptr, "h");
    check(false, functions.hI != nullptr, "hI");
  }
  if (functions.Z == nullptr && sizes.velocities != Sizes::same_as_positions &&
      sizes.velocities != sizes.positions)
    throw std::invalid_argument("the numbers of positions and velocities differ, so a function Z is needed");
  if (!(functions.difference_step > 0)) throw std::invalid_argument("difference_step must be positive");
  return sizes;
}

std::span<const double> part_of(const Vector& x, const Block& block) {
  return {x.data() + block.begin, static_cast<std::size_t>(block.size)};
}

}  // namespace

ResidualEquations::ResidualEquations(ResidualFunctions functions)
    : EquationsOfMotion(checked(functions), functions.structure, functions.names),
      functions_(std::move(functions)),
      differences_(layout()),
      x_(Vector::Zero(layout().total)),
      moved_(x_),
      nan_(Vector::Constant(layout().total, std::numeric_limits<double>::quiet_NaN())),
      p_dot_(Vector::Zero(layout().p.size)),
      p_ddot_(p_dot_),
      Z_(layout().p.size, layout().v.size),
      H_(layout().mu.size, layout().p.size),
      G_(layout().lambda.size, layout().p.size),
      g_s_(layout().lambda.size, layout().s.size),
      c_s_(layout().s.size, layout().s.size),
      c_p_(layout().s.size, layout().p.size) {}

Point<double> ResidualEquations::point(const Vector& x, double t) const {
  const Layout& l = layout();
  return {part_of(x, l.p), part_of(x, l.v),      part_of(x, l.r),  part_of(x, l.w),
          part_of(x, l.s), part_of(x, l.lambda), part_of(x, l.mu), t};
}

// g, c, H, h may look at p, s and t only; the rest is NaN
Point<double> ResidualEquations::position_point(const Vector& x, double t) const {
  const Layout& l = layout();
  return {part_of(x, l.p), part_of(nan_, l.v),      part_of(nan_, l.r),  part_of(nan_, l.w),
          part_of(x, l.s), part_of(nan_, l.lambda), part_of(nan_, l.mu), t};
}

// M, Z and n may not look at s either
Point<double> ResidualEquations::position_only(const Vector& x, double t) const {
  Point<double> at = position_point(x, t);
  at.s = part_of(nan_, layout().s);
  return at;
}

void ResidualEquations::call(const ResidualFunctions::Fill& function, const Point<double>& at,
                             Vector& out) const {
  out.setZero();
  if (function) function(at, {out.data(), static_cast<std::size_t>(out.size())});
}

void ResidualEquations::call(const ResidualFunctions::FillMatrix& function, const Point<double>& at,
                             Matrix& out) const {
  out.setZero();
  if (function)
    function(at, MatrixView<double>(out.data(), out.rows(), out.cols()));
  else
    out.setIdentity();
}

void ResidualEquations::position_derivative(const ResidualFunctions::Fill& function, const Block& by,
                                            Matrix& out) {
  out.setZero();
  moved_ = x_;
  plus_.resize(out.rows());
  minus_.resize(out.rows());
  for (Index j = 0; j < by.size; ++j) {
    const Index column = by.begin + j;
    const double h = functions_.difference_step * (1 + std::abs(x_[column]));
    for (std::size_t k = 0; k < first_weights.size(); ++k) {
      const double distance = h * static_cast<double>(k + 1);
      moved_[column] = x_[column] + distance;
      call(function, position_point(moved_, t_), plus_);
      moved_[column] = x_[column] - distance;
      call(function, position_point(moved_, t_), minus_);
      out.col(j) += first_weights[k] / h * (plus_ - minus_);
    }
    moved_[column] = x_[column];
  }
}

void ResidualEquations::constraint_jacobian(const MotionPoint& at) {
  const Layout& l = layout();
  if (l.lambda.size == 0) return;
  if (functions_.G) {
    call(functions_.G, position_point(x_, at.t), G_);
    return;
  }
  position_derivative(functions_.g, l.p, G_);
  if (l.s.size == 0) return;
  position_derivative(functions_.g, l.s, g_s_);
  position_derivative(functions_.c, l.s, c_s_);
  position_derivative(functions_.c, l.p, c_p_);
  G_ -= g_s_ * c_s_.partialPivLu().solve(c_p_);
}

// The contact coordinates that go with the positions in x, by Newton from where they are: c keeps the value
// it has.
void ResidualEquations::solve_contacts(double t, const Vector& c_kept, Vector& x) {
  const Layout& l = layout();
  Vector residual(l.s.size);
  for (int iteration = 0; iteration < 20; ++iteration) {
    call(functions_.c, position_point(x, t), residual);
    residual -= c_kept;
    const Vector step = c_s_.partialPivLu().solve(residual);
    x.segment(l.s.begin, l.s.size) -= step;
    if (step.lpNorm<Eigen::Infinity>() <=
        1e-15 * (1 + x.segment(l.s.begin, l.s.size).lpNorm<Eigen::Infinity>()))
      return;
  }
}

// g, gᴵ, gᴵᴵ and h, hᴵ by differences along the motion p(τ) = p + p'τ + p''τ²/2.
void ResidualEquations::levels(const MotionPoint& at, Parts wanted, MotionValues& out) {
  const Layout& l = layout();
  const auto a_span = std::span<const double>(at.a.data(), static_cast<std::size_t>(at.a.size()));
  const auto given = [&](const ResidualFunctions::FillLevel& function, Vector& to) {
    to.setZero();
    function(point(x_, at.t), a_span, {to.data(), static_cast<std::size_t>(to.size())});
  };
  if (wanted & part::g) call(functions_.g, position_point(x_, at.t), out.g);
  call(functions_.Z, position_only(x_, at.t), Z_);
  const auto v = at.x.segment(l.v.begin, l.v.size);
  p_dot_.noalias() = Z_ * v;
  if (wanted & part::h) {
    call(functions_.h, position_point(x_, at.t), out.h);
    call(functions_.H, position_point(x_, at.t), H_);
    out.h.noalias() += H_ * p_dot_;
  }
  const bool gI = (wanted & part::gI) && l.lambda.size > 0, gII = (wanted & part::gII) && l.lambda.size > 0;
  const bool hI = (wanted & part::hI) && l.mu.size > 0;
  if (gI && functions_.gI) given(functions_.gI, out.gI);
  if (gII && functions_.gII) given(functions_.gII, out.gII);
  if (hI && functions_.hI) given(functions_.hI, out.hI);
  const bool difference_gI = gI && !functions_.gI, difference_gII = gII && !functions_.gII;
  const bool difference_hI = hI && !functions_.hI;
  if (!difference_gI && !difference_gII && !difference_hI) return;

  // p'' = Z a + (dZ/dτ) v; the rate of Z along p' by differences
  const double size = 1 + (l.p.size > 0 ? at.x.head(l.p.size).lpNorm<Eigen::Infinity>() : 0.0);
  Vector moved = x_;
  Vector rate(l.p.size);
  Matrix Z_moved(l.p.size, l.v.size);
  const double speed = std::max(p_dot_.size() > 0 ? p_dot_.lpNorm<Eigen::Infinity>() : 0.0, 1e-3);
  p_ddot_.noalias() = Z_ * at.a;
  if (functions_.Z) {
    const double tau = functions_.difference_step * size / speed;
    for (std::size_t k = 0; k < first_weights.size(); ++k)
      for (const double sign : {1.0, -1.0}) {
        moved.head(l.p.size) = x_.head(l.p.size) + sign * tau * static_cast<double>(k + 1) * p_dot_;
        call(functions_.Z, position_only(moved, at.t), Z_moved);
        p_ddot_ += sign * first_weights[k] / tau * (Z_moved * v);
      }
  }
  // one step in time small enough for positions, their curvature and t alike
  const double bend = std::sqrt(p_ddot_.size() > 0 ? p_ddot_.lpNorm<Eigen::Infinity>() : 0.0);
  const double tau = functions_.difference_step * size / std::max({speed, bend, 1.0});
  Vector c_kept(l.s.size);
  if (l.s.size > 0) {
    position_derivative(functions_.c, l.s, c_s_);
    call(functions_.c, position_point(x_, at.t), c_kept);
  }

  Vector first = Vector::Zero(l.lambda.size), second = first, h_first = Vector::Zero(l.mu.size);
  Vector value(l.lambda.size), h_value(l.mu.size);
  const auto move_to = [&](double time) {
    moved = x_;
    moved.head(l.p.size) += time * p_dot_ + 0.5 * time * time * p_ddot_;
    if (l.s.size > 0) solve_contacts(at.t + time, c_kept, moved);
  };
  const auto evaluate_at = [&](double time) {
    move_to(time);
    if (difference_gI || difference_gII) call(functions_.g, position_point(moved, at.t + time), value);
    if (difference_hI) {
      call(functions_.h, position_point(moved, at.t + time), h_value);
      call(functions_.H, position_point(moved, at.t + time), H_);
      h_value.noalias() += H_ * (p_dot_ + time * p_ddot_);
    }
  };
  evaluate_at(0);
  second = second_centre / (tau * tau) * value;
  for (std::size_t k = 0; k < first_weights.size(); ++k)
    for (const double sign : {1.0, -1.0}) {
      evaluate_at(sign * tau * static_cast<double>(k + 1));
      if (difference_gI || difference_gII) {
        first += sign * first_weights[k] / tau * value;
        second += second_weights[k] / (tau * tau) * value;
      }
      if (difference_hI) h_first += sign * first_weights[k] / tau * h_value;
    }
  if (difference_gI) out.gI = first;
  if (difference_gII) out.gII = second;
  if (difference_hI) out.hI = h_first;
}

void ResidualEquations::evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) {
  const Layout& l = layout();
  x_ = at.x;
  t_ = at.t;
  if (wanted & (part::kinematics | part::dynamics)) call(functions_.Z, position_only(x_, at.t), Z_);
  if (wanted & part::kinematics) out.kinematics = Z_ * at.x.segment(l.v.begin, l.v.size);
  if (wanted & part::mass) call(functions_.M, position_only(x_, at.t), out.M);
  if (wanted & part::b) call(functions_.b, point(x_, at.t), out.b);
  if (wanted & part::d) call(functions_.d, point(x_, at.t), out.d);
  if (wanted & part::c) call(functions_.c, position_point(x_, at.t), out.c);
  if (wanted & part::n) call(functions_.n, position_only(x_, at.t), out.n);
  if (wanted & part::e) {
    Point<double> with_velocity = position_point(x_, at.t);
    with_velocity.v = part_of(x_, l.v);
    call(functions_.e, with_velocity, out.e);
  }
  if (wanted & part::dynamics) {
    call(functions_.f, point(x_, at.t), out.dynamics);
    Vector force = Vector::Zero(l.p.size);
    if (l.lambda.size > 0) {
      constraint_jacobian(at);
      force += G_.transpose() * at.x.segment(l.lambda.begin, l.lambda.size);
    }
    if (l.mu.size > 0) {
      call(functions_.H, position_point(x_, at.t), H_);
      force += H_.transpose() * at.x.segment(l.mu.begin, l.mu.size);
    }
    out.dynamics -= Z_.transpose() * force;
  }
  if (wanted & (part::g | part::gI | part::gII | part::h | part::hI)) levels(at, wanted, out);
}

void ResidualEquations::differentiate(const MotionPoint& at, Parts wanted, MotionDerivatives& out) {
  differences_.compute(*this, at, wanted, out);
}

}  // namespace trammel
