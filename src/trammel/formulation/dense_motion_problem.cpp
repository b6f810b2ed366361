#include "trammel/formulation/dense_motion_problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "trammel/numerics/norms.h"

namespace trammel {

DenseMotionProblem::DenseMotionProblem(EquationsOfMotion& motion, bool enforce_invariants)
    : MotionProblem(motion),
      values_(layout_),
      derivatives_(layout_),
      gII_x_(derivatives_.gII),
      hI_x_(derivatives_.hI),
      enforce_invariants_(enforce_invariants && layout_.invariants > 0),
      C_(layout_.lambda.size + layout_.mu.size, layout_.v.size),
      a_x_(layout_.v.size, layout_.total),
      gamma_(layout_.lambda.size + layout_.mu.size),
      invariant_base_(Vector::Zero(layout_.invariants)) {}

Outcome DenseMotionProblem::evaluate(double t, VectorIn x, Parts wanted) {
  return guarded(t, [&, parts = wanted] {
    motion_.evaluate({t, x, a_}, parts, values_);
    if ((parts & part::e) != 0) values_.e -= invariant_base_;
    // one sum tells whether any value is not finite; the search for which one is for the bad case
    double sum = 0;
    const auto add = [&](Parts which, const auto& part_values) {
      if ((parts & which) != 0 && part_values.size() > 0) sum += part_values.sum();
    };
    add(part::kinematics, values_.kinematics);
    add(part::dynamics, values_.dynamics);
    add(part::mass, values_.M);
    add(part::b, values_.b);
    add(part::d, values_.d);
    add(part::c, values_.c);
    add(part::g, values_.g);
    add(part::gI, values_.gI);
    add(part::gII, values_.gII);
    add(part::h, values_.h);
    add(part::hI, values_.hI);
    add(part::e, values_.e);
    add(part::n, values_.n);
    return std::isfinite(sum) ? std::string() : describe_non_finite(motion_.names(), parts, values_);
  });
}

Outcome DenseMotionProblem::differentiate(double t, VectorIn x, Parts wanted) {
  return guarded(t, [&, parts = wanted] {
    motion_.differentiate({t, x, a_}, parts, derivatives_);
    return describe_non_finite(motion_.names(), parts, derivatives_);
  });
}

void DenseMotionProblem::velocity_jacobian(Matrix& C) const {
  C.topRows(layout_.lambda.size) = derivatives_.gI.middleCols(layout_.v.begin, layout_.v.size);
  C.bottomRows(layout_.mu.size) = derivatives_.h.middleCols(layout_.v.begin, layout_.v.size);
}

Outcome DenseMotionProblem::accelerate(double t, VectorIn x, Parts also, Mass mass) {
  Parts wanted = also | part::dynamics;
  if (mass == Mass::not_needed && motion_.accelerates_by_recursion()) {
    if (const Outcome outcome = evaluate(t, x, wanted); outcome != Outcome::ok) return outcome;
    if (motion_.accelerate(t, x, values_.dynamics, a_)) return Outcome::ok;
  }
  if (!mass_known_) {
    wanted |= part::mass;
    ++statistics().mass_evaluations;
  }
  if (const Outcome outcome = evaluate(t, x, wanted); outcome != Outcome::ok) return outcome;
  const bool constant = motion_.structure().constant_mass;

  if (!mass_singular_) {
    if (!mass_known_) {
      if (!mass_.factor(values_.M, motion_.structure().diagonal_mass)) mass_singular_ = true;
      mass_known_ = constant && !mass_singular_;
    }
    if (!mass_singular_) {
      a_ = values_.dynamics;
      mass_.solve_in_place(a_);
      return Outcome::ok;
    }
  }

  // M is singular: M + CᵀWC has the same accelerations on the constraints C a + γ = 0
  a_.setZero();
  Outcome outcome = evaluate(t, x, part::acceleration_level);
  if (outcome == Outcome::ok) outcome = differentiate(t, x, part::gI | part::h);
  if (outcome != Outcome::ok) return outcome;
  velocity_jacobian(C_);
  if (!mass_.factor_on_kernel(values_.M, C_)) {
    Index weakest = 0;
    values_.M.diagonal().minCoeff(&weakest);
    return give_up(
        Reason::mass_singular,
        fmt::format("the mass matrix is singular in a direction that the constraints leave free at t = {}; "
                    "the smallest inertia is that of '{}'. Give it a mass, or constrain it.",
                    t, motion_.names().v[static_cast<std::size_t>(weakest)]));
  }
  gamma_ << values_.gII, values_.hI;
  a_ = values_.dynamics;
  a_.noalias() -= mass_.weight() * (C_.transpose() * gamma_);
  mass_.solve_in_place(a_);
  return Outcome::ok;
}

void DenseMotionProblem::follow_accelerations() {
  if (layout_.lambda.size + layout_.mu.size == 0) return;
  velocity_jacobian(C_);
  a_x_ = derivatives_.dynamics;
  if (mass_singular_) {
    a_x_.noalias() -= mass_.weight() * (C_.topRows(layout_.lambda.size).transpose() * derivatives_.gII);
    a_x_.noalias() -= mass_.weight() * (C_.bottomRows(layout_.mu.size).transpose() * derivatives_.hI);
  }
  mass_.solve_in_place(a_x_);
  gII_x_ = derivatives_.gII;
  gII_x_.noalias() += C_.topRows(layout_.lambda.size) * a_x_;
  hI_x_ = derivatives_.hI;
  hI_x_.noalias() += C_.bottomRows(layout_.mu.size) * a_x_;
}

Outcome DenseMotionProblem::start(double t, VectorIn x) {
  mass_known_ = false;
  mass_singular_ = false;
  if (layout_.s.size > 0) {
    // everything else divides by c_s
    if (const Outcome outcome = differentiate(t, x, part::c); outcome != Outcome::ok) return outcome;
    if (const Outcome outcome = check_contacts(t); outcome != Outcome::ok) return outcome;
  }
  const Outcome outcome = accelerate(t, x, 0);
  if (outcome == Outcome::ok && mass_singular_)
    note("the mass matrix is singular; the constraints make up for it");
  return outcome;
}

// An impact may have changed what the invariants are measured from.
Outcome DenseMotionProblem::resume(double t, VectorIn x, Carrier& carried) {
  carried(invariant_base_);
  return MotionProblem::resume(t, x, carried);
}

// After differentiate(c): the contact coordinates must follow from the positions.
Outcome DenseMotionProblem::check_contacts(double t) {
  const Matrix c_s = derivatives_.c.middleCols(layout_.s.begin, layout_.s.size);
  if (c_s.size() == 0 || Eigen::FullPivLU<Matrix>(c_s).setThreshold(1e-12).rank() == c_s.rows())
    return Outcome::ok;
  return give_up(
      Reason::contact_singular,
      fmt::format("the contact equations ({}) do not determine the contact coordinates ({}) at t = {}: "
                  "∂c/∂s is singular",
                  fmt::join(motion_.names().c, ", "), fmt::join(motion_.names().s, ", "), t));
}

Outcome DenseMotionProblem::rebase_invariants(double t, VectorIn x) {
  if (layout_.invariants == 0) return Outcome::ok;
  const Outcome outcome = evaluate(t, x, part::e);
  if (outcome == Outcome::ok) invariant_base_ += values_.e;
  return outcome;
}

const Vector* DenseMotionProblem::accelerations_at(double t, VectorIn x) {
  const Statistics before = statistics();
  const bool found = accelerate(t, x.head(layout_.total), 0, Mass::not_needed) == Outcome::ok;
  statistics() = before;
  return found ? &a_ : nullptr;
}

}  // namespace trammel
