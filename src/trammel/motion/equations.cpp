#include "trammel/motion/equations.h"

#include <fmt/format.h>

#include <stdexcept>

#include "trammel/motion/dense_tangent_motion.h"
#include "trammel/motion/reduced_motion.h"

namespace trammel {

MotionValues::MotionValues(const Layout& layout, bool dense_mass)
    : kinematics(Vector::Zero(layout.p.size)),
      dynamics(Vector::Zero(layout.v.size)),
      M(dense_mass ? Matrix::Zero(layout.v.size, layout.v.size) : Matrix()),
      b(Vector::Zero(layout.r.size)),
      d(Vector::Zero(layout.w.size)),
      c(Vector::Zero(layout.s.size)),
      g(Vector::Zero(layout.lambda.size)),
      gI(g),
      gII(g),
      h(Vector::Zero(layout.mu.size)),
      hI(h),
      e(Vector::Zero(layout.invariants)),
      n(Vector::Zero(layout.normalizations)) {}

MotionDerivatives::MotionDerivatives(const Layout& layout)
    : kinematics(Matrix::Zero(layout.p.size, layout.total)),
      dynamics(Matrix::Zero(layout.v.size, layout.total)),
      b(Matrix::Zero(layout.r.size, layout.total)),
      d(Matrix::Zero(layout.w.size, layout.total)),
      c(Matrix::Zero(layout.s.size, layout.total)),
      g(Matrix::Zero(layout.lambda.size, layout.total)),
      gI(g),
      gII(g),
      h(Matrix::Zero(layout.mu.size, layout.total)),
      hI(h),
      e(Matrix::Zero(layout.invariants, layout.total)),
      n(Matrix::Zero(layout.normalizations, layout.total)) {}

EquationsOfMotion::EquationsOfMotion(const Sizes& sizes, const Structure& structure, Names names)
    : layout_(sizes), structure_(structure), names_(std::move(names)) {
  if (layout_.p.size < layout_.v.size)
    throw std::invalid_argument(fmt::format(
        "there are more velocities ({}) than positions ({}): p' = Z v needs at least as many positions",
        layout_.v.size, layout_.p.size));
  names_.complete(layout_);
}

Vector EquationsOfMotion::displacement_sizes(const VectorIn& x) const {
  const auto p = x.segment(layout_.p.begin, layout_.p.size);
  return Vector::Constant(layout_.v.size, 1 + (p.size() > 0 ? p.lpNorm<Eigen::Infinity>() : 0.0));
}

namespace {

// Rows of a vector or matrix, with what they are called.
template <class Rows>
std::string first_non_finite(const Rows& rows, const std::vector<std::string>& names, std::string_view what) {
  for (Index i = 0; i < rows.rows(); ++i)
    if (!rows.row(i).allFinite()) return fmt::format("{} '{}'", what, names[static_cast<std::size_t>(i)]);
  return {};
}

template <class Bundle>
std::string describe(const Names& names, Parts wanted, const Bundle& bundle, std::string_view prefix) {
  const auto check = [&](Parts which, const auto& rows, const auto& row_names, std::string_view what) {
    return (wanted & which) != 0 ? first_non_finite(rows, row_names, what) : std::string();
  };
  for (const std::string& found :
       {check(part::kinematics, bundle.kinematics, names.p, "the rate Zv of"),
        check(part::dynamics, bundle.dynamics, names.v, "the force on"),
        check(part::b, bundle.b, names.r, "the rate b of"),
        check(part::d, bundle.d, names.d, "the auxiliary equation"),
        check(part::c, bundle.c, names.c, "the contact equation"),
        check(part::g, bundle.g, names.g, "the constraint"),
        check(part::gI, bundle.gI, names.g, "the first time derivative of the constraint"),
        check(part::gII, bundle.gII, names.g, "the second time derivative of the constraint"),
        check(part::h, bundle.h, names.h, "the nonholonomic constraint"),
        check(part::hI, bundle.hI, names.h, "the time derivative of the nonholonomic constraint"),
        check(part::e, bundle.e, names.e, "the invariant"),
        check(part::n, bundle.n, names.n, "the normalization")})
    if (!found.empty()) return std::string(prefix) + found;
  return {};
}

}  // namespace

std::string describe_non_finite(const Names& names, Parts wanted, const MotionValues& values) {
  if ((wanted & part::mass) != 0) {
    const std::string found = first_non_finite(values.M, names.v, "the mass matrix row of");
    if (!found.empty()) return found;
  }
  return describe(names, wanted, values, "");
}

std::string describe_non_finite(const Names& names, Parts wanted, const MotionDerivatives& derivatives) {
  return describe(names, wanted, derivatives, "the derivative of ");
}

std::unique_ptr<TangentMotion> EquationsOfMotion::tangent() {
  return std::make_unique<DenseTangentMotion>(*this);
}

const std::vector<std::string>& ReducedMotion::eliminated_drivers() const {
  static const std::vector<std::string> none;
  return none;
}

std::unique_ptr<ReducedMotion> EquationsOfMotion::reduced(double /*t*/, const VectorIn& /*x*/) {
  return nullptr;
}

}  // namespace trammel
