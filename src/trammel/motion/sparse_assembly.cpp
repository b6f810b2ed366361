#include "trammel/motion/sparse_assembly.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/motion/closure.h"
#include "trammel/motion/sparse_accelerations.h"

namespace trammel {

namespace {

double largest(const Vector& rows) { return rows.size() > 0 ? rows.lpNorm<Eigen::Infinity>() : 0.0; }

}  // namespace

SparseAssembly::SparseAssembly(EquationsOfMotion& equations, AssemblyOptions options)
    : equations_(equations),
      tangent_(equations.tangent()),
      options_(std::move(options)),
      layout_(equations.layout()),
      values_(layout_, false),
      rest_(Vector::Zero(layout_.v.size)) {
  weights_.resize(layout_.v.size, layout_.v.size);
  weights_.setIdentity();
  if (options_.weights.size() == layout_.total)
    for (Index i = 0; i < layout_.v.size; ++i) {
      const double weight = std::max(options_.weights[layout_.v.begin + i], 1e-4);
      weights_.coeffRef(i, i) = weight * weight;
    }
}

void SparseAssembly::evaluate(double t, const Vector& x, Stage& stage) {
  const bool position = stage.level == Condition::Level::position;
  tangent_->evaluate({t, x, rest_}, position ? Parts{part::g | part::n} : Parts{part::velocity_level},
                     values_);
  stage.residual.resize(static_cast<Index>(stage.names.size()));
  Index row = 0;
  const auto put = [&](const Vector& rows) {
    stage.residual.segment(row, rows.size()) = rows;
    row += rows.size();
  };
  put(position ? values_.g : values_.gI);
  if (!position) put(values_.h);
  Eigen::RowVectorXd gradient(layout_.total);
  for (const Condition& condition : options_.conditions)
    if (condition.level() == stage.level) stage.residual[row++] = condition.evaluate(layout_, t, x, gradient);
}

void SparseAssembly::differentiate(double t, const Vector& x, Stage& stage) {
  const bool position = stage.level == Condition::Level::position;
  tangent_->differentiate({t, x, rest_}, TangentMotion::everything);
  const SparseMatrix& D = tangent_->slopes().jacobian;
  const Index constraints = position ? layout_.lambda.size : D.rows();
  const Index rows = static_cast<Index>(stage.names.size());
  if (stage.jacobian.rows() != rows || stage.jacobian.cols() != layout_.v.size)
    stage.jacobian = AssembledMatrix(rows, layout_.v.size);
  stage.jacobian.begin();
  for (int col = 0; col < D.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(D, col); entry; ++entry)
      if (entry.row() < constraints) stage.jacobian.add(entry.row(), col, entry.value());
  Eigen::RowVectorXd gradient(layout_.total);
  Vector by_displacement(layout_.v.size);
  Index row = constraints;
  for (const Condition& condition : options_.conditions) {
    if (condition.level() != stage.level) continue;
    condition.evaluate(layout_, t, x, gradient);
    if (position)
      tangent_->pull_back(x.segment(layout_.p.begin, layout_.p.size),
                          gradient.segment(layout_.p.begin, layout_.p.size).transpose(), by_displacement);
    else
      by_displacement = gradient.segment(layout_.v.begin, layout_.v.size).transpose();
    for (Index col = 0; col < layout_.v.size; ++col) stage.jacobian.add(row, col, by_displacement[col]);
    ++row;
  }
  stage.jacobian.finish();
}

void SparseAssembly::move(const Vector& by, double factor, const Stage& stage, Vector& x) const {
  if (stage.level == Condition::Level::velocity) {
    x.segment(layout_.v.begin, layout_.v.size) += factor * by;
    return;
  }
  Vector change(layout_.p.size);
  auto p = x.segment(layout_.p.begin, layout_.p.size);
  tangent_->displacement_to_positions(p, factor * by, values_.n, change);
  p += change;
}

// Gauss-Newton with damping, and shorter steps where the residual would grow.
Failure SparseAssembly::solve(double t, Vector& x, Stage& stage, AssemblyReport& report) {
  const bool position = stage.level == Condition::Level::position;
  evaluate(t, x, stage);
  double previous = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < options_.max_iterations; ++iteration) {
    if (!stage.residual.allFinite())
      return {Reason::not_finite, fmt::format("a constraint is not finite at t = {}", t)};
    differentiate(t, x, stage);
    if (!stage.kkt.factor(weights_, stage.jacobian.matrix(), {}, 1e-10))
      return {Reason::assembly_not_converged, "the constraints are singular at the initial state"};
    Vector by = Vector::Zero(layout_.v.size), lower = -stage.residual;
    stage.kkt.solve(by, lower);
    const double scale = 1 + largest(x.segment(position ? layout_.p.begin : layout_.v.begin,
                                               position ? layout_.p.size : layout_.v.size));
    const double size = std::max(largest(by), position ? largest(values_.n) : 0.0) / scale;
    // consistent already, or as good as it gets
    if (size <= options_.tolerance * (iteration == 0 ? 1.0 : 1e-2)) return conditions_met(stage);
    if (size <= options_.tolerance && !(size < 0.5 * previous)) return conditions_met(stage);
    previous = size;

    ++report.iterations;
    report.changed = true;
    const double before = stage.residual.norm();
    double factor = position ? std::min(1.0, 0.7 / largest(by)) : 1.0;
    const Vector start = x;
    for (int halving = 0; halving < 8; ++halving, factor /= 2) {
      x = start;
      move(by, factor, stage, x);
      evaluate(t, x, stage);
      if (stage.residual.norm() < before * (1 - 1e-4 * factor) || stage.residual.norm() < 1e-12) break;
    }
    if (factor < 1e-2 && !(stage.residual.norm() < before)) break;
  }
  if (largest(stage.residual) <= 100 * options_.tolerance) return {};
  return explain(stage);
}

// No displacement improves anything any more. Constraints that are not met then are looked at by Closure; of
// the conditions, none may be left.
Failure SparseAssembly::conditions_met(const Stage& stage) const {
  const Index first =
      stage.level == Condition::Level::position ? layout_.lambda.size : layout_.lambda.size + layout_.mu.size;
  std::vector<std::string> unmet;
  for (Index row = first; row < stage.residual.size(); ++row)
    if (std::abs(stage.residual[row]) > 1e-6)
      unmet.push_back(fmt::format("'{}' (off by {:.3g})", stage.names[static_cast<std::size_t>(row)],
                                  std::abs(stage.residual[row])));
  if (unmet.empty()) return {};
  return {Reason::contradictory_conditions,
          fmt::format("the joints and these initial values cannot hold together: {}. Remove or change one of "
                      "them, or start from another position.",
                      fmt::join(unmet, ", "))};
}

// Where rows that depend on others fit only roughly, the compromise meets none of them. Formulations leave
// those out that depend: the others are met here, so that a first step need not jump there.
void SparseAssembly::meet_independent_rows(double t, Vector& x) {
  Stage stage{Condition::Level::position, equations_.names().g, {}, {}, {}};
  std::vector<Condition> conditions;
  conditions.swap(options_.conditions);
  for (int iteration = 0; iteration < 10; ++iteration) {
    evaluate(t, x, stage);
    differentiate(t, x, stage);
    SparseRank rank;
    rank.factor(stage.jacobian.matrix(), options_.rank_tolerance);
    std::vector<char> active(static_cast<std::size_t>(stage.residual.size()), 0);
    for (const Index row : rank.independent_rows()) active[static_cast<std::size_t>(row)] = 1;
    Vector by = Vector::Zero(layout_.v.size), lower = -stage.residual;
    for (Index row = 0; row < lower.size(); ++row)
      if (!active[static_cast<std::size_t>(row)]) lower[row] = 0;
    if (!stage.kkt.factor(weights_, stage.jacobian.matrix(), active, 0)) break;
    stage.kkt.solve(by, lower);
    if (!by.allFinite() || largest(by) > 1) break;
    move(by, 1, stage, x);
    if (largest(by) <= 1e-15 * (1 + largest(x.segment(layout_.p.begin, layout_.p.size)))) break;
  }
  conditions.swap(options_.conditions);
}

Failure SparseAssembly::explain(const Stage& stage) const {
  std::vector<Index> order(static_cast<std::size_t>(stage.residual.size()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::abs(stage.residual[a]) > std::abs(stage.residual[b]);
  });
  std::vector<std::string> worst;
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 4); ++i)
    if (std::abs(stage.residual[order[i]]) > 0.1 * std::abs(stage.residual[order[0]]))
      worst.push_back(fmt::format("{} (by {:.3g})", stage.names[static_cast<std::size_t>(order[i])],
                                  stage.residual[order[i]]));
  const char* what = stage.level == Condition::Level::position ? "positions" : "velocities";
  return {Reason::assembly_not_converged,
          fmt::format("no consistent {} were found near the initial state. Not met: {}. The joints may "
                      "contradict each other, or the initial position is too far from one that fits.",
                      what, fmt::join(worst, ", "))};
}

Failure SparseAssembly::solve_accelerations_and_rank(double t, Vector& x, AssemblyReport& report) {
  tangent_->differentiate({t, x, rest_}, TangentMotion::everything);
  const TangentSlopes slopes = tangent_->slopes();
  SparseRank rank;
  rank.factor(slopes.jacobian.topRows(layout_.lambda.size), options_.rank_tolerance);
  report.position_rank = rank.rank();
  rank.factor(slopes.jacobian, options_.rank_tolerance);
  report.velocity_rank = rank.rank();
  report.degrees_of_freedom = layout_.v.size - rank.rank();
  for (const Index row : rank.redundant_rows())
    report.redundant.push_back(
        row < layout_.lambda.size
            ? equations_.names().g[static_cast<std::size_t>(row)]
            : equations_.names().h[static_cast<std::size_t>(row - layout_.lambda.size)]);
  std::vector<char> active(static_cast<std::size_t>(slopes.jacobian.rows()), 0);
  for (const Index row : rank.independent_rows()) active[static_cast<std::size_t>(row)] = 1;
  SparseKkt kkt;
  if (!kkt.factor(slopes.mass, slopes.jacobian, active, 0, &slopes.force_multiplier)) {
    Index weakest = 0;
    Vector(slopes.mass.diagonal()).minCoeff(&weakest);
    return {Reason::mass_singular,
            fmt::format("the mass matrix is singular in a direction that the constraints leave free; the "
                        "smallest inertia is that of '{}'. Give it a mass, or constrain it.",
                        equations_.names().v[static_cast<std::size_t>(weakest)])};
  }
  report.accelerations = Vector::Zero(layout_.v.size);
  const bool found = solve_accelerations(
      layout_, slopes.mass, active, kkt, values_, x, report.accelerations, [&](const Vector& state) {
        tangent_->evaluate({t, state, report.accelerations}, part::dynamics | part::acceleration_level,
                           values_);
        return values_.dynamics.allFinite();
      });
  if (!values_.dynamics.allFinite() || !x.allFinite())
    return {Reason::not_finite,
            fmt::format("{} is not finite at t = {}",
                        describe_non_finite(equations_.names(), part::dynamics, values_), t)};
  if (!found)
    return {
        Reason::acceleration_rank,
        fmt::format("the accelerations cannot be found at t = {}: forces depend too strongly on reactions "
                    "(friction that jams)",
                    t)};
  return {};
}

AssemblyReport SparseAssembly::run(double t, Vector& x) {
  AssemblyReport report;
  Vector guess = x;
  try {
    Stage positions{Condition::Level::position, equations_.names().g, {}, {}, {}};
    Stage velocities{Condition::Level::velocity, equations_.names().g, {}, {}, {}};
    velocities.names.insert(velocities.names.end(), equations_.names().h.begin(), equations_.names().h.end());
    for (const Condition& condition : options_.conditions)
      (condition.level() == Condition::Level::position ? positions : velocities)
          .names.push_back(condition.name());
    Closure closure(*tangent_, options_.closure_tolerance);
    // what could not be met may contradict, or be met well enough; true if it is met
    const auto close = [&](Closure::Level level) {
      if (report.failure && report.failure.reason != Reason::assembly_not_converged) return false;
      const Failure failure = closure.check(level, t, x, report.accelerations);
      report.closed_within = std::max(report.closed_within, closure.worst());
      if (!report.failure || !failure || failure.reason == Reason::contradictory_conditions)
        report.failure = failure;
      return !report.failure;
    };
    report.accelerations = Vector::Zero(layout_.v.size);
    report.failure = solve(t, x, positions, report);
    if (close(Closure::Level::position)) {
      if (report.closed_within > 1e-10) meet_independent_rows(t, x);
      if (options_.guess_velocities) {
        report.note = options_.guess_velocities(t, x);
        guess.segment(layout_.v.begin, layout_.v.size) = x.segment(layout_.v.begin, layout_.v.size);
      }
      report.failure = solve(t, x, velocities, report);
      if (close(Closure::Level::velocity)) {
        report.failure = solve_accelerations_and_rank(t, x, report);
        const double closed_within = report.closed_within;
        if (!report.failure) close(Closure::Level::acceleration);
        report.closed_within = closed_within;  // accelerations are known to round-off of the forces only
      }
    }
  } catch (const std::exception& error) {
    report.failure = {Reason::user_function_failed,
                      fmt::format("a function of the equations failed at t = {}: {}", t, error.what())};
  }
  Index where = 0;
  const Index motion = layout_.p.size + layout_.v.size;
  if (motion > 0) {
    const double change = (x - guess).head(motion).cwiseAbs().maxCoeff(&where);
    if (change > 0)
      report.largest_change =
          fmt::format("{} by {:.3g}", equations_.names().variable(layout_, where), change);
  }
  return report;
}

}  // namespace trammel
