#include "trammel/motion/closure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "trammel/motion/sparse_kkt.h"
#include "trammel/numerics/norms.h"
#include "trammel/numerics/sparse_rank.h"

namespace trammel {

namespace {

const char* word(Closure::Level level) {
  switch (level) {
    case Closure::Level::position:
      return "positions";
    case Closure::Level::velocity:
      return "velocities";
    case Closure::Level::acceleration:
      break;
  }
  return "accelerations";
}

// "A.x" belongs to "A".
std::string owner(const std::string& row) { return row.substr(0, row.rfind('.')); }

}  // namespace

Closure::Closure(TangentMotion& motion, double tolerance)
    : motion_(motion), tolerance_(tolerance), values_(motion.layout(), false) {}

void Closure::take_jacobian(double t, const VectorIn& x) {
  const Layout& l = motion_.layout();
  const Vector at_rest = Vector::Zero(l.v.size);
  motion_.differentiate({t, x, at_rest}, TangentMotion::jacobian);
  scaled_ = motion_.slopes().jacobian;
  const Vector sizes = motion_.equations().displacement_sizes(x);
  row_size_ = Vector::Zero(scaled_.rows());
  for (int col = 0; col < scaled_.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(scaled_, col); entry; ++entry) {
      entry.valueRef() *= sizes[col];
      row_size_[entry.row()] = std::max(row_size_[entry.row()], std::abs(entry.value()));
    }
  // a row that nothing can move is met or not, whatever its units
  for (double& size : row_size_)
    if (!(size > 0)) size = 1;
  for (int col = 0; col < scaled_.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(scaled_, col); entry; ++entry)
      entry.valueRef() /= row_size_[entry.row()];
}

// What of a residual no displacement can cure: its part in the left kernel of the Jacobian.
Vector Closure::against_others(const Vector& residual) const {
  constexpr double regularization = 1e-10;
  SparseMatrix identity(scaled_.cols(), scaled_.cols());
  identity.setIdentity();
  const SparseMatrix rows = scaled_.topRows(residual.size());
  SparseKkt system;
  if (!system.factor(identity, rows, {}, regularization)) return residual;
  Vector upper = Vector::Zero(scaled_.cols()), lower = -residual;
  system.solve(upper, lower);
  return residual + rows * upper;
}

const std::string& Closure::row_name(Index row) const {
  const auto holonomic = static_cast<std::size_t>(motion_.layout().lambda.size);
  const auto i = static_cast<std::size_t>(row);
  return i < holonomic ? motion_.names().g[i] : motion_.names().h[i - holonomic];
}

Failure Closure::check(Level level, double t, const VectorIn& x, const VectorIn& a) {
  const Layout& l = motion_.layout();
  worst_ = 0;
  Vector rows;
  switch (level) {
    case Level::position:
      motion_.evaluate({t, x, a}, part::g, values_);
      rows = values_.g;
      break;
    case Level::velocity:
      motion_.evaluate({t, x, a}, part::velocity_level, values_);
      rows.resize(l.lambda.size + l.mu.size);
      rows << values_.gI, values_.h;
      break;
    case Level::acceleration:
      motion_.evaluate({t, x, a}, part::acceleration_level, values_);
      rows.resize(l.lambda.size + l.mu.size);
      rows << values_.gII, values_.hI;
      break;
  }
  if (largest(rows) == 0) return {};
  take_jacobian(t, x);
  const Vector relative = rows.cwiseQuotient(row_size_.head(rows.size()));
  worst_ = largest(relative);

  // velocities and accelerations against those of the motion, or one a second
  double allowed = tolerance_;
  if (level != Level::position) {
    const Vector sizes = motion_.equations().displacement_sizes(x);
    const double rate = 1 + largest(x.segment(l.v.begin, l.v.size).cwiseQuotient(sizes));
    allowed *= level == Level::velocity
                   ? rate
                   : rate * rate + (a.size() > 0 ? largest(a.cwiseQuotient(sizes)) : 0.0);
  }
  return worst_ > allowed ? explain(level, t, rows, relative, allowed) : Failure{};
}

std::vector<std::string> Closure::dependent(double t, const VectorIn& x, double nearly) {
  take_jacobian(t, x);
  SparseRank rank;
  std::vector<std::string> rows;
  if (!rank.factor(scaled_, nearly)) return rows;
  for (const Index row : rank.redundant_rows()) rows.push_back(row_name(row));
  return rows;
}

Failure Closure::explain(Level level, double t, const Vector& rows, const Vector& relative,
                         double allowed) const {
  std::vector<Index> order;
  for (Index row = 0; row < rows.size(); ++row)
    if (std::abs(relative[row]) > std::max(allowed, 1e-3 * worst_)) order.push_back(row);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index i, Index j) { return std::abs(relative[i]) > std::abs(relative[j]); });
  std::vector<std::string> off, named;
  for (const Index row : order) {
    if (off.size() == 6) break;
    off.push_back(fmt::format("'{}' (off by {:.3g})", row_name(row), std::abs(rows[row])));
    named.push_back(owner(row_name(row)));
  }

  const Vector left = against_others(relative);
  const bool contradictory = left.norm() > 0.1 * relative.norm();
  std::vector<std::string> others;
  for (Index row = 0; contradictory && row < left.size(); ++row) {
    if (std::abs(left[row]) <= 1e-3 * largest(left)) continue;
    const std::string name = owner(row_name(row));
    if (std::find(named.begin(), named.end(), name) == named.end()) {
      named.push_back(name);
      others.push_back(name);
    }
  }
  const std::string with =
      others.empty()
          ? std::string()
          : fmt::format(", against {}{}",
                        fmt::join(others.begin(),
                                  others.begin() +
                                      static_cast<std::ptrdiff_t>(std::min<std::size_t>(others.size(), 8)),
                                  ", "),
                        others.size() > 8 ? ", ..." : "");
  const std::string limit = fmt::format(
      "If parts are to fit only roughly, raise closure_tolerance (now {:.3g}, relative to the size of the "
      "mechanism).",
      tolerance_);
  if (contradictory)
    return {Reason::contradictory_conditions,
            fmt::format("constraints contradict each other at t = {:.10g}: no {} satisfy {}{}. Remove or "
                        "change one of them. {}",
                        t, word(level), fmt::join(off, ", "), with, limit)};
  return {Reason::constraints_violated,
          fmt::format("constraints are not met at t = {:.10g}: the {} do not satisfy {}. {}", t, word(level),
                      fmt::join(off, ", "), limit)};
}

}  // namespace trammel
