#include "trammel/formulation/classical/index_reduction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace trammel {

IndexReduction::IndexReduction(EquationsOfMotion& motion, IndexReductionOptions options)
    : DenseMotionProblem(motion, false), options_(options) {
  const Layout& l = layout_;
  eta_ = {l.total, options_.form == Form::ggl ? l.lambda.size : 0};
  nu_ = {eta_.end(), l.normalizations};
  total_ = nu_.end();

  index_.assign(static_cast<std::size_t>(total_), 1);
  const auto set_index = [this](const Block& block, int value) {
    std::fill_n(index_.begin() + block.begin, block.size, value);
  };
  // They follow from the others at every point, and no error of theirs is carried on; where one is the force of a
  // stiff spring, it is as inexact as the stiffness times the error of the positions.
  set_index(l.w, 2);
  if (options_.form == Form::index3) {
    set_index(l.v, 2);
    set_index(l.lambda, 3);
    set_index(l.mu, 2);
  } else if (!stands_at_acceleration()) {
    set_index(l.lambda, 2);
    set_index(l.mu, 2);
  }
  set_index(eta_, 2);
  set_index(nu_, 2);
  newton_index_ = index_;
  if (options_.frozen_constraints && options_.form == Form::ggl)
    for (const Block& block : {l.lambda, l.mu, eta_})
      std::fill_n(newton_index_.begin() + block.begin, block.size, 0);
  E_.setZero(total_, total_);
  J_.setZero(total_, total_);
  G_.setZero(l.lambda.size, l.p.size);
}

Outcome IndexReduction::start(double t, VectorIn x) {
  const Layout& l = layout_;
  if (options_.form == Form::ode && l.lambda.size + l.mu.size + l.w.size + l.s.size > 0)
    return give_up(Reason::invalid_options,
                   "formulation 'ode' is for equations without constraints, auxiliary variables and contact "
                   "coordinates; "
                   "use 'psf'");
  const auto motion_x = x.head(l.total);
  Outcome outcome = DenseMotionProblem::start(t, motion_x);
  if (outcome != Outcome::ok) return outcome;
  if (l.lambda.size + l.mu.size == 0) return outcome;
  // dependent constraints leave the multipliers open, which these forms cannot treat
  outcome = differentiate(t, motion_x, part::gI | part::h);
  if (outcome != Outcome::ok) return outcome;
  Matrix C(l.lambda.size + l.mu.size, l.v.size);
  velocity_jacobian(C);
  Matrix rows = C.transpose();
  for (Index j = 0; j < rows.cols(); ++j) rows.col(j).normalize();
  Eigen::ColPivHouseholderQR<Matrix> qr;
  qr.setThreshold(1e-9);
  qr.compute(rows);
  if (qr.rank() == C.rows()) return Outcome::ok;
  std::vector<std::string> names;
  for (Index k = qr.rank(); k < C.rows(); ++k) {
    const Index row = qr.colsPermutation().indices()[k];
    names.push_back(row < l.lambda.size ? motion_.names().g[static_cast<std::size_t>(row)]
                                        : motion_.names().h[static_cast<std::size_t>(row - l.lambda.size)]);
  }
  return give_up(
      Reason::velocity_rank,
      fmt::format("the constraints are redundant ({} depends on the others), which this formulation cannot "
                  "treat. Use 'psf', which can.",
                  fmt::join(names, ", ")));
}

// G = g_p − g_s c_s⁻¹ c_p
void IndexReduction::constraint_jacobian(Matrix& G) {
  const Layout& l = layout_;
  G = derivatives_.g.middleCols(l.p.begin, l.p.size);
  if (l.s.size == 0) return;
  c_s_.compute(derivatives_.c.middleCols(l.s.begin, l.s.size));
  s_p_ = c_s_.solve(derivatives_.c.middleCols(l.p.begin, l.p.size));
  G.noalias() -= derivatives_.g.middleCols(l.s.begin, l.s.size) * s_p_;
}

Outcome IndexReduction::residual(double t, VectorIn x, VectorIn xdot, VectorOut out) {
  const Layout& l = layout_;
  ++statistics().evaluations;
  const auto motion_x = x.head(l.total);
  Parts first = part::kinematics | part::dynamics | part::b | part::d | part::c | part::n;
  Parts second = 0;
  switch (options_.form) {
    case Form::index3:
      second = part::g | part::h;
      break;
    case Form::index2:
      second = part::gI | part::h;
      break;
    case Form::index1:
      second = part::gII | part::hI;
      break;
    case Form::baumgarte:
      second = part::g | part::gI | part::gII | part::h | part::hI;
      break;
    case Form::ggl:
      second = part::g | part::gI | part::h;
      break;
    case Form::ode:
      break;
  }
  Outcome outcome = Outcome::ok;
  if (stands_at_acceleration()) {
    outcome = accelerate(t, motion_x, first);
  } else {
    if (!motion_.structure().constant_mass) {
      first |= part::mass;
      ++statistics().mass_evaluations;
    }
    outcome = evaluate(t, motion_x, first);
  }
  if (outcome == Outcome::ok && second != 0) outcome = evaluate(t, motion_x, second);
  // the multipliers of the kinematics act along G and n_p
  if (outcome == Outcome::ok && eta_.size > 0) outcome = differentiate(t, motion_x, part::c | part::g);
  if (outcome == Outcome::ok && nu_.size > 0) outcome = differentiate(t, motion_x, part::n);
  if (outcome != Outcome::ok) return outcome;

  auto p_rows = out.segment(l.p.begin, l.p.size);
  p_rows = values_.kinematics - xdot.segment(l.p.begin, l.p.size);
  if (eta_.size > 0) {
    constraint_jacobian(G_);
    p_rows.noalias() -= G_.transpose() * x.segment(eta_.begin, eta_.size);
    out.segment(eta_.begin, eta_.size) = values_.g;
  }
  if (nu_.size > 0) {
    p_rows.noalias() -=
        derivatives_.n.middleCols(l.p.begin, l.p.size).transpose() * x.segment(nu_.begin, nu_.size);
    out.segment(nu_.begin, nu_.size) = values_.n;
  }
  auto v_rows = out.segment(l.v.begin, l.v.size);
  v_rows = values_.dynamics;
  v_rows.noalias() -= values_.M * xdot.segment(l.v.begin, l.v.size);
  out.segment(l.r.begin, l.r.size) = values_.b - xdot.segment(l.r.begin, l.r.size);
  out.segment(l.w.begin, l.w.size) = values_.d;
  out.segment(l.s.begin, l.s.size) = values_.c;
  auto g_rows = out.segment(l.lambda.begin, l.lambda.size);
  auto h_rows = out.segment(l.mu.begin, l.mu.size);
  const double alpha = options_.baumgarte_alpha, beta = options_.baumgarte_beta;
  switch (options_.form) {
    case Form::index3:
      g_rows = values_.g;
      h_rows = values_.h;
      break;
    case Form::index2:
    case Form::ggl:
      g_rows = values_.gI;
      h_rows = values_.h;
      break;
    case Form::index1:
      g_rows = values_.gII;
      h_rows = values_.hI;
      break;
    case Form::baumgarte:
      g_rows = values_.gII + 2 * alpha * values_.gI + beta * beta * values_.g;
      h_rows = values_.hI + alpha * values_.h;
      break;
    case Form::ode:
      break;
  }
  return Outcome::ok;
}

// With the matrix of the last linearisation, near by.
Outcome IndexReduction::multiply_mass(double t, VectorIn x, VectorIn vector, VectorOut out) {
  if (ode() == nullptr) return ImplicitProblem::multiply_mass(t, x, vector, out);
  out.noalias() = E_ * vector;
  return Outcome::ok;
}

Outcome IndexReduction::rates(double t, VectorIn x, VectorOut xdot) {
  if (ode() == nullptr)
    return give_up(Reason::invalid_options, "this form is not an ordinary differential equation");
  const Layout& l = layout_;
  ++statistics().evaluations;
  const Outcome outcome = accelerate(t, x, part::kinematics | part::b, Mass::not_needed);
  if (outcome != Outcome::ok) return outcome;
  xdot.segment(l.p.begin, l.p.size) = values_.kinematics;
  xdot.segment(l.v.begin, l.v.size) = a_;
  xdot.segment(l.r.begin, l.r.size) = values_.b;
  return outcome;
}

Outcome IndexReduction::linearize(double t, VectorIn x) {
  const Layout& l = layout_;
  const auto motion_x = x.head(l.total);
  Outcome outcome = accelerate(t, motion_x, 0);
  if (outcome != Outcome::ok) return outcome;
  ++statistics().jacobians;
  outcome = differentiate(t, motion_x, part::all & ~Parts{part::mass | part::e});
  if (outcome != Outcome::ok) return outcome;
  if (stands_at_acceleration()) follow_accelerations();

  const Index n = l.total;
  J_.setZero();
  J_.block(l.p.begin, 0, l.p.size, n) = derivatives_.kinematics;
  J_.block(l.v.begin, 0, l.v.size, n) = derivatives_.dynamics;
  if (options_.frozen_constraints && options_.form == Form::ggl) {
    const MotionDerivatives kept = derivatives_;
    Vector without_reactions = motion_x;
    without_reactions.segment(l.lambda.begin, l.lambda.size).setZero();
    without_reactions.segment(l.mu.begin, l.mu.size).setZero();
    outcome = differentiate(t, without_reactions, part::dynamics);
    if (outcome != Outcome::ok) return outcome;
    J_.block(l.v.begin, l.p.begin, l.v.size, l.p.size) =
        derivatives_.dynamics.middleCols(l.p.begin, l.p.size);
    derivatives_ = kept;
  }
  J_.block(l.r.begin, 0, l.r.size, n) = derivatives_.b;
  J_.block(l.w.begin, 0, l.w.size, n) = derivatives_.d;
  J_.block(l.s.begin, 0, l.s.size, n) = derivatives_.c;
  auto g_rows = J_.block(l.lambda.begin, 0, l.lambda.size, n);
  auto h_rows = J_.block(l.mu.begin, 0, l.mu.size, n);
  const double alpha = options_.baumgarte_alpha, beta = options_.baumgarte_beta;
  switch (options_.form) {
    case Form::index3:
      g_rows = derivatives_.g;
      h_rows = derivatives_.h;
      break;
    case Form::index2:
    case Form::ggl:
      g_rows = derivatives_.gI;
      h_rows = derivatives_.h;
      break;
    case Form::index1:
      g_rows = gII_x_;
      h_rows = hI_x_;
      break;
    case Form::baumgarte:
      g_rows = gII_x_ + 2 * alpha * derivatives_.gI + beta * beta * derivatives_.g;
      h_rows = hI_x_ + alpha * derivatives_.h;
      break;
    case Form::ode:
      break;
  }
  if (eta_.size > 0) {
    constraint_jacobian(G_);
    J_.block(l.p.begin, eta_.begin, l.p.size, eta_.size) = -G_.transpose();
    J_.block(eta_.begin, 0, eta_.size, n) = derivatives_.g;
  }
  if (nu_.size > 0) {
    J_.block(l.p.begin, nu_.begin, l.p.size, nu_.size) =
        -derivatives_.n.middleCols(l.p.begin, l.p.size).transpose();
    J_.block(nu_.begin, 0, nu_.size, n) = derivatives_.n;
  }
  E_.block(l.p.begin, l.p.begin, l.p.size, l.p.size).setIdentity();
  E_.block(l.v.begin, l.v.begin, l.v.size, l.v.size) = values_.M;
  E_.block(l.r.begin, l.r.begin, l.r.size, l.r.size).setIdentity();
  return Outcome::ok;
}

Outcome IndexReduction::factor(double shift) {
  ++statistics().decompositions;
  small_ = shift * E_ - J_;
  lu_.compute(small_);
  if (lu_.matrixLU().diagonal().cwiseAbs().minCoeff() > 0 && lu_.matrixLU().diagonal().allFinite())
    return Outcome::ok;
  return try_again(
      Reason::differential_singular,
      "the Newton matrix is singular: the constraints may be redundant or the position singular; 'psf' can "
      "treat both");
}

Outcome IndexReduction::factor(std::complex<double> shift) {
  complex_small_ = shift * E_ - J_;
  complex_lu_.compute(complex_small_);
  return Outcome::ok;
}

void IndexReduction::solve(VectorIn residual, VectorOut x) { x = lu_.solve(residual); }

void IndexReduction::solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) {
  x = complex_lu_.solve(residual);
}

}  // namespace trammel
