#include "trammel/motion/assembly_accelerations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/motion/acceleration_system.h"
#include "trammel/motion/mechanism_motion.h"
#include "trammel/motion/multipliers_in_laws.h"
#include "trammel/numerics/norms.h"

namespace trammel {

namespace {

// A pivot below this, relative to the largest, is round-off: all of them are of size one where nothing is
// singular.
constexpr double no_pivot = 1e-13;

// The entries of `from`, scaled by row and column.
void scale(const SparseMatrix& from, const Vector& rows, const Vector& columns, SparseMatrix& to) {
  to = from;
  for (int col = 0; col < to.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(to, col); entry; ++entry)
      entry.valueRef() *= rows[entry.row()] * columns[col];
}

}  // namespace

AssemblyAccelerations::AssemblyAccelerations(TangentMotion& motion, const AssemblyOptions& options)
    : motion_(motion),
      options_(options),
      layout_(motion.layout()),
      multipliers_{layout_.lambda.begin, layout_.lambda.size + layout_.mu.size},
      values_(layout_, false) {}

Failure AssemblyAccelerations::evaluate(const Vector& x, const Vector& a) {
  constexpr Parts parts = part::dynamics | part::acceleration_level;
  motion_.evaluate({t_, x, a}, parts, values_);
  const std::string trouble = describe_non_finite(motion_.names(), parts, values_);
  if (trouble.empty()) return {};
  return {Reason::not_finite,
          fmt::format("{} is not finite during assembly at t = {}. Check the guess and that a "
                      "function uses only the arguments it may depend on.",
                      trouble, t_)};
}

// Slopes of forces of large mechanisms take more room than all else; what they depend on is known beforehand.
bool AssemblyAccelerations::forces_may_depend_on_multipliers() const {
  const MechanismEquations* mechanism = motion_.equations().of_mechanism();
  return mechanism == nullptr || MultipliersInLaws(mechanism->elements()).any();
}

Failure AssemblyAccelerations::linearize(const Vector& x, const Vector& a) {
  const bool coupled = forces_may_depend_on_multipliers();
  const std::string trouble = motion_.differentiate(
      {t_, x, a}, TangentMotion::jacobian | (coupled ? unsigned{TangentMotion::forces} : 0u));
  if (!trouble.empty())
    return {Reason::not_finite, fmt::format("{} is not finite during assembly at t = {}", trouble, t_)};
  if (pattern_ != motion_.pattern()) {
    pattern_ = motion_.pattern();
    kkt_ = SparseKkt();
    minimal_ = MinimalMultipliers();
  }
  const TangentSlopes slopes = motion_.slopes();
  column_scale_ = slopes.mass.diagonal().cwiseAbs();
  const double most = largest(column_scale_);
  for (double& mass : column_scale_) mass = 1 / std::sqrt(mass > 0 ? mass : most > 0 ? 1e-6 * most : 1.0);
  row_scale_.setZero(multipliers_.size);
  for (int col = 0; col < slopes.jacobian.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(slopes.jacobian, col); entry; ++entry)
      row_scale_[entry.row()] = std::hypot(row_scale_[entry.row()], entry.value() * column_scale_[col]);
  for (double& length : row_scale_) length = length > 0 ? 1 / length : 1;

  scale(slopes.mass, column_scale_, column_scale_, mass_);
  scale(slopes.jacobian, row_scale_, column_scale_, jacobian_);
  if (coupled)
    scale(slopes.force_multiplier, column_scale_, row_scale_, coupling_);
  else
    coupling_ = SparseMatrix(layout_.v.size, multipliers_.size);
  if (kkt_.factor(mass_, jacobian_, active_, 0, &coupling_) && kkt_.smallest_pivot_ratio() > no_pivot)
    return {};
  return undetermined();
}

// After evaluate(): upper_ and lower_ are what a and the multipliers lack.
void AssemblyAccelerations::correct(const Vector& a) {
  upper_ = values_.dynamics - motion_.slopes().mass * a;
  lower_.resize(multipliers_.size);
  lower_ << -values_.gII, -values_.hI;
  upper_ = upper_.cwiseProduct(column_scale_);
  lower_ = lower_.cwiseProduct(row_scale_);
  kkt_.solve(upper_, lower_);
  upper_ = upper_.cwiseProduct(column_scale_);
  lower_ = lower_.cwiseProduct(row_scale_);
}

// Whether what the multipliers lack is lost in the round-off of the forces.
bool AssemblyAccelerations::multipliers_serve(const Vector& x) const {
  const SparseMatrix& D = motion_.slopes().jacobian;
  const auto lambda = x.segment(multipliers_.begin, multipliers_.size);
  const Vector lacking = D.cwiseAbs().transpose() * lower_.cwiseAbs();
  const Vector acting = D.cwiseAbs().transpose() * lambda.cwiseAbs();
  return largest(lacking) <= 10 * options_.tolerance * (1 + largest(acting) + largest(values_.dynamics));
}

bool AssemblyAccelerations::forces_depend_on_multipliers() const {
  return coupling_.nonZeros() > 0 && coupling_.coeffs().cwiseAbs().maxCoeff() > 0;
}

// After evaluate(): by recursion, where that is offered and nothing is constrained. The matrices of a long tree are full.
bool AssemblyAccelerations::solve_tree(const Vector& x, Vector& a) {
  if (!motion_.equations().accelerates_by_recursion()) return false;
  const std::unique_ptr<AccelerationSystem> system = motion_.acceleration_system(options_.rank_tolerance);
  const Vector rest = Vector::Zero(layout_.v.size);
  system->take({t_, x, rest});
  if (!system->factor()) return false;
  Vector found = values_.dynamics, no_rows;
  system->solve(found, no_rows, 1e-15);
  if (!found.allFinite()) return false;
  a = found;
  return true;
}

Failure AssemblyAccelerations::solve(double t, const std::vector<Index>& dependent, Vector& x,
                                     AssemblyReport& report) {
  t_ = t;
  Vector& a = report.accelerations;
  a.setZero(layout_.v.size);
  if (layout_.v.size == 0) return {};
  active_.assign(static_cast<std::size_t>(multipliers_.size), 1);
  for (const Index row : dependent) active_[static_cast<std::size_t>(row)] = 0;
  if (Failure failure = evaluate(x, a)) return failure;
  if (solve_tree(x, a)) return {};
  if (Failure failure = linearize(x, a)) return failure;
  correct(a);
  if (!multipliers_serve(x)) return iterate(!dependent.empty(), x, report);
  a += upper_;
  if (Failure failure = evaluate(x, a)) return failure;
  correct(a);
  a += upper_;
  return {};
}

Failure AssemblyAccelerations::iterate(bool redundant, Vector& x, AssemblyReport& report) {
  Vector& a = report.accelerations;
  auto multipliers = x.segment(multipliers_.begin, multipliers_.size);
  report.changed = true;
  if (redundant) multipliers.setZero();  // minimal norm, whatever the guess was
  double previous = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < options_.max_iterations; ++iteration) {
    ++report.iterations;
    if (Failure failure = evaluate(x, a)) return failure;
    correct(a);
    const double size =
        std::max(largest(upper_) / (1 + largest(a)), largest(lower_) / (1 + largest(multipliers)));
    if (!std::isfinite(size)) break;
    if (previous <= 1e-8 && !(size < 0.5 * previous)) return {};  // as good as it gets
    a += upper_;
    multipliers += lower_;
    if (redundant) minimize(multipliers);
    const bool slow = size > 0.1 * previous;
    previous = size;
    if (size <= 4e-15) return {};
    if (slow && forces_depend_on_multipliers())
      if (Failure failure = linearize(x, a)) return failure;
  }
  const std::string why =
      forces_depend_on_multipliers()
          ? "the forces depend on them so strongly that Newton's iteration does not converge (friction that "
            "jams)"
          : fmt::format(
                "corrections stay at {:.1g} of the values, so nearly do constraints depend on each other, or "
                "so "
                "far apart are masses. Remove constraints that say nothing new, or try other coordinates",
                previous);
  return {Reason::assembly_not_converged,
          fmt::format("no consistent accelerations and multipliers found at t = {}: {}", t_, why)};
}

// Of all multipliers with the same effect, the shortest; in units in which D has size one.
void AssemblyAccelerations::minimize(VectorOut multipliers) {
  SparseMatrix D = motion_.slopes().jacobian;
  const double size = D.nonZeros() > 0 ? D.coeffs().cwiseAbs().maxCoeff() : 0.0;
  if (!(size > 0)) return;
  D /= size;
  minimal_.reduce(D, multipliers);
}

// Says what masses and constraints leave open.
Failure AssemblyAccelerations::undetermined() {
  SparseLu<double> lu;
  lu.analyze(mass_);
  const bool regular_mass = lu.factor(mass_) && lu.smallest_pivot_ratio() > 1e-14;
  if (!regular_mass) {
    // the direction in which the system is singular, by inverse iteration next to it. Only its part in the
    // accelerations counts
    constexpr double aside = 1e-9;
    SparseMatrix some(mass_.rows(), mass_.cols());
    some.setIdentity();
    const SparseMatrix more = mass_ + aside * some;
    SparseKkt near;
    Vector upper(layout_.v.size), lower(multipliers_.size);
    for (Index i = 0; i < upper.size(); ++i) upper[i] = std::cos(2.4 * static_cast<double>(i + 1));
    for (Index i = 0; i < lower.size(); ++i) lower[i] = std::sin(1.7 * static_cast<double>(i + 1));
    const bool found = near.factor(more, jacobian_, active_, aside, &coupling_);
    for (int iteration = 0; found && iteration < 3; ++iteration) {
      near.solve(upper, lower);
      const double length = std::hypot(upper.norm(), lower.norm());
      upper /= length;
      lower /= length;
    }
    Index culprit = 0;
    if (found && upper.allFinite() && upper.cwiseAbs().maxCoeff(&culprit) > 1e-6)
      return {Reason::mass_singular,
              fmt::format("the mass matrix gives no inertia to a motion of '{}' that the constraints leave "
                          "free (t = {}). Give it a mass, or constrain it.",
                          motion_.names().v[static_cast<std::size_t>(culprit)], t_)};
  }
  return {
      Reason::acceleration_rank,
      fmt::format("the multipliers are not determined at t = {}: the forces depend on them so that any or "
                  "none would do (friction that jams)",
                  t_)};
}

}  // namespace trammel
