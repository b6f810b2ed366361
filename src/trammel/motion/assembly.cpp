#include "trammel/motion/assembly.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "trammel/motion/assembly_stage.h"

namespace trammel {

namespace {

// The conditions of one level, as rows below the constraints.
std::vector<const Condition*> conditions_of(const std::vector<Condition>& all, Condition::Level level) {
  std::vector<const Condition*> found;
  for (const Condition& condition : all)
    if (condition.level() == level) found.push_back(&condition);
  return found;
}

Failure condition_not_finite(const Condition& condition, double t) {
  return {Reason::not_finite,
          fmt::format("the condition '{}' or its derivative is not finite during assembly at t = {}. Give a "
                      "guess where it has one: the direction of a velocity is not told by zeros.",
                      condition.name(), t)};
}

}  // namespace

double Condition::evaluate(const Layout& layout, double t, const VectorIn& x,
                           Eigen::Ref<Eigen::RowVectorXd> gradient) const {
  if (gradient_) {
    gradient.setZero();
    return gradient_(t, x, gradient);
  }
  std::vector<Number> values(x.data(), x.data() + x.size());
  const auto span = [&](const Block& block) {
    return std::span<const Number>(values.data() + block.begin, static_cast<std::size_t>(block.size));
  };
  double result = 0;
  for (Index begin = 0; begin < x.size(); begin += width) {
    const Index end = std::min<Index>(begin + width, x.size());
    for (Index i = begin; i < end; ++i)
      values[static_cast<std::size_t>(i)] = Number::variable(x[i], static_cast<int>(i - begin));
    const Number residual = function_({span(layout.p), span(layout.v), span(layout.r), span(layout.w),
                                       span(layout.s), span(layout.lambda), span(layout.mu), Number(t)});
    for (Index i = begin; i < end; ++i) {
      gradient[i] = residual.derivative[static_cast<std::size_t>(i - begin)];
      values[static_cast<std::size_t>(i)] = Number(x[i]);
    }
    result = residual.value;
  }
  return result;
}

Assembly::Assembly(EquationsOfMotion& equations, AssemblyOptions options)
    : equations_(equations),
      options_(std::move(options)),
      values_(equations.layout()),
      derivatives_(equations.layout()) {}

Failure Assembly::evaluate(double t, const Vector& x, const Vector& a, Parts wanted, bool derivatives) {
  const MotionPoint at{t, x, a};
  equations_.evaluate(at, wanted, values_);
  std::string trouble = describe_non_finite(equations_.names(), wanted, values_);
  if (trouble.empty() && derivatives) {
    equations_.differentiate(at, wanted, derivatives_);
    trouble = describe_non_finite(equations_.names(), wanted, derivatives_);
  }
  if (trouble.empty()) return {};
  return {Reason::not_finite,
          fmt::format("{} is not finite during assembly at t = {}. Check the guess and that a "
                      "function uses only the arguments it may depend on.",
                      trouble, t)};
}

// The state nearest to the guess that satisfies all rows of a stage.
Failure Assembly::newton(double t, Vector& x, Stage& stage, AssemblyReport& report, bool diagnose) {
  const Index n = static_cast<Index>(stage.unknowns.size());
  const Index m = static_cast<Index>(stage.row_names.size());
  stage.residual.setZero(m);
  stage.jacobian.setZero(m, n);
  if (m == 0) return {};
  if (Failure failure = stage.evaluate(x)) return failure;
  stage.start = x(stage.unknowns);
  stage.size = 1 + stage.start.lpNorm<Eigen::Infinity>();
  stage.weight.setOnes(n);
  if (options_.weights.size() == equations_.layout().total)
    stage.weight = options_.weights(stage.unknowns).cwiseMax(1e-8);

  bool contradictory = false;
  if (n > 0 && stage.worst() > options_.tolerance * stage.size) {
    report.changed = true;
    if (Failure failure = stage.approach(options_, x, report.iterations)) return failure;
    if (stage.worst() > 1e3 * options_.tolerance * stage.size) {
      contradictory = stage.compromise(x, report.iterations);
      if (!contradictory)
        if (Failure failure = stage.approach(options_, x, report.iterations)) return failure;
    }
  }
  if (diagnose) stage.diagnose(options_.rank_tolerance, report);
  const double worst = stage.worst();
  if (worst <= 1e3 * options_.tolerance * stage.size) return {};  // round-off of badly scaled rows
  // constraints that depend on others may fit only roughly; conditions may not
  double conditions = 0;
  for (Index row = stage.constraint_rows; row < m; ++row)
    conditions = std::max(conditions, stage.distance(row));
  if (worst <= options_.closure_tolerance * stage.size &&
      conditions <= 1e3 * options_.tolerance * stage.size) {
    report.closed_within = std::max(report.closed_within, worst / stage.size);
    return {};
  }

  std::vector<std::string> culprits;
  for (Index row = 0; row < m && culprits.size() < 6; ++row)
    if (stage.distance(row) > std::min(1e-6 * stage.size, 0.1 * worst))
      culprits.push_back(fmt::format("'{}' (off by {:.3g})", stage.row_names[static_cast<std::size_t>(row)],
                                     stage.residual[row]));
  if (contradictory)
    return {
        Reason::contradictory_conditions,
        fmt::format(
            "no {} can satisfy all of these together at t = {}: {}. Remove or change one of them, or start "
            "from another guess.",
            stage.unknowns_name, t, fmt::join(culprits, ", "))};
  return {
      Reason::assembly_not_converged,
      fmt::format(
          "no consistent {} found from this guess at t = {}; still violated: {}. Give a guess nearer to an "
          "assembled position.",
          stage.unknowns_name, t, fmt::join(culprits, ", "))};
}

Failure Assembly::solve_positions(double t, Vector& x, AssemblyReport& report, bool diagnose) {
  const Layout& layout = equations_.layout();
  const Names& names = equations_.names();
  const auto conditions = diagnose ? conditions_of(options_.conditions, Condition::Level::position)
                                   : std::vector<const Condition*>();
  Stage stage;
  stage.unknowns_name = "positions";
  for (Index i = layout.p.begin; i < layout.p.end(); ++i) stage.unknowns.push_back(i);
  for (Index i = layout.s.begin; i < layout.s.end(); ++i) stage.unknowns.push_back(i);
  stage.row_names = names.c;
  stage.row_names.insert(stage.row_names.end(), names.g.begin(), names.g.end());
  stage.row_names.insert(stage.row_names.end(), names.n.begin(), names.n.end());
  stage.constraint_rows = layout.s.size + layout.lambda.size + layout.normalizations;
  stage.first_condition = static_cast<Index>(stage.row_names.size());
  for (const Condition* condition : conditions) stage.row_names.push_back(condition->name());

  const Vector a = Vector::Zero(layout.v.size);
  Eigen::RowVectorXd gradient(layout.total);
  stage.evaluate = [&, t](const Vector& at) -> Failure {
    if (Failure failure = evaluate(t, at, a, part::position_level, true)) return failure;
    stage.residual.segment(0, layout.s.size) = values_.c;
    stage.residual.segment(layout.s.size, layout.lambda.size) = values_.g;
    stage.residual.segment(layout.s.size + layout.lambda.size, layout.normalizations) = values_.n;
    stage.jacobian.topRows(layout.s.size) = derivatives_.c(Eigen::all, stage.unknowns);
    stage.jacobian.middleRows(layout.s.size, layout.lambda.size) = derivatives_.g(Eigen::all, stage.unknowns);
    stage.jacobian.middleRows(layout.s.size + layout.lambda.size, layout.normalizations) =
        derivatives_.n(Eigen::all, stage.unknowns);
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      const Index row = stage.constraint_rows + static_cast<Index>(i);
      stage.residual[row] = conditions[i]->evaluate(layout, t, at, gradient);
      stage.jacobian.row(row) = gradient(stage.unknowns);
      if (!std::isfinite(stage.residual[row]) || !stage.jacobian.row(row).allFinite())
        return condition_not_finite(*conditions[i], t);
    }
    return {};
  };
  const Failure failure = newton(t, x, stage, report, diagnose);
  report.position_rank = stage.rank - layout.s.size - layout.normalizations;
  return failure;
}

Failure Assembly::solve_velocities(double t, Vector& x, AssemblyReport& report, bool diagnose) {
  const Layout& layout = equations_.layout();
  const Names& names = equations_.names();
  const bool invariants = options_.meet_invariants && layout.invariants > 0;
  const auto conditions = diagnose ? conditions_of(options_.conditions, Condition::Level::velocity)
                                   : std::vector<const Condition*>();
  Stage stage;
  stage.unknowns_name = "velocities";
  for (Index i = layout.v.begin; i < layout.v.end(); ++i) stage.unknowns.push_back(i);
  stage.row_names = names.g;
  stage.row_names.insert(stage.row_names.end(), names.h.begin(), names.h.end());
  stage.constraint_rows = layout.lambda.size + layout.mu.size;
  if (invariants) stage.row_names.insert(stage.row_names.end(), names.e.begin(), names.e.end());
  stage.first_condition = static_cast<Index>(stage.row_names.size());
  for (const Condition* condition : conditions) stage.row_names.push_back(condition->name());

  const Vector a = Vector::Zero(layout.v.size);
  Eigen::RowVectorXd gradient(layout.total);
  const Parts wanted = part::gI | part::h | (invariants ? Parts{part::e} : 0u);
  stage.evaluate = [&, t, wanted](const Vector& at) -> Failure {
    if (Failure failure = evaluate(t, at, a, wanted, true)) return failure;
    const auto v = Eigen::seqN(layout.v.begin, layout.v.size);
    stage.residual.segment(0, layout.lambda.size) = values_.gI;
    stage.residual.segment(layout.lambda.size, layout.mu.size) = values_.h;
    stage.jacobian.topRows(layout.lambda.size) = derivatives_.gI(Eigen::all, v);
    stage.jacobian.middleRows(layout.lambda.size, layout.mu.size) = derivatives_.h(Eigen::all, v);
    Index row = stage.constraint_rows;
    if (invariants) {
      stage.residual.segment(row, layout.invariants) = values_.e;
      stage.jacobian.middleRows(row, layout.invariants) = derivatives_.e(Eigen::all, v);
      row += layout.invariants;
    }
    for (const Condition* condition : conditions) {
      stage.residual[row] = condition->evaluate(layout, t, at, gradient);
      stage.jacobian.row(row) = gradient(v);
      if (!std::isfinite(stage.residual[row]) || !stage.jacobian.row(row).allFinite())
        return condition_not_finite(*condition, t);
      ++row;
    }
    return {};
  };
  const Failure failure = newton(t, x, stage, report, diagnose);
  report.velocity_rank = stage.rank;
  return failure;
}

// Says what accelerations, auxiliary variables and multipliers together leave open. `scaled` is the
// equilibrated jacobian.
Failure Assembly::undetermined(double t, const Matrix& jacobian, const Matrix& scaled, Index rank,
                               bool regular_mass) const {
  const Names& names = equations_.names();
  const Index nv = equations_.layout().v.size, nw = equations_.layout().w.size;
  if (nw > 0) {
    const Eigen::JacobiSVD<Matrix> d_w(jacobian.block(nv, nv, nw, nw), Eigen::ComputeFullV);
    if (!(d_w.singularValues()[nw - 1] > 1e-11 * d_w.singularValues()[0])) {
      Index culprit = 0;
      d_w.matrixV().col(nw - 1).cwiseAbs().maxCoeff(&culprit);
      return {Reason::auxiliary_singular,
              fmt::format("the auxiliary equations do not determine '{}' (∂d/∂w is singular at t = {})",
                          names.w[static_cast<std::size_t>(culprit)], t)};
    }
  }
  if (nv > 0 && !regular_mass) {
    // multipliers of redundant constraints are in the kernel, too; only its part in the accelerations counts
    const Eigen::JacobiSVD<Matrix> svd(scaled, Eigen::ComputeFullV);
    const Vector share = svd.matrixV().rightCols(scaled.cols() - rank).topRows(nv).rowwise().norm();
    Index culprit = 0;
    if (share.maxCoeff(&culprit) > 1e-6)
      return {Reason::mass_singular,
              fmt::format("the mass matrix gives no inertia to a motion of '{}' that the constraints leave "
                          "free (t = {}). Give it a mass, or constrain it.",
                          names.v[static_cast<std::size_t>(culprit)], t)};
  }
  return {
      Reason::acceleration_rank,
      fmt::format("the multipliers are not determined at t = {}: the forces depend on them so that any or "
                  "none would do (friction that jams)",
                  t)};
}

// M a = f − ZᵀGᵀλ − ZᵀHᵀμ,  gᴵᴵ = 0,  hᴵ = 0,  d = 0 for a, λ, μ, w. Multipliers of redundant constraints
// come out with minimal norm.
Failure Assembly::solve_accelerations(double t, Vector& x, AssemblyReport& report) {
  const Layout& layout = equations_.layout();
  const Index nv = layout.v.size, nw = layout.w.size, nl = layout.lambda.size, nm = layout.mu.size;
  const Index n = nv + nw + nl + nm;
  Vector& a = report.accelerations;
  if (a.size() != nv) a.setZero(nv);
  if (n == 0) return {};
  const Parts wanted = part::dynamics | part::mass | part::d | part::gII | part::hI;

  std::vector<Index> columns;  // of w, λ, μ in x
  for (const Block* block : {&layout.w, &layout.lambda, &layout.mu})
    for (Index i = block->begin; i < block->end(); ++i) columns.push_back(i);

  Vector residual(n);
  Matrix jacobian(n, n);
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
  decomposition.setThreshold(1e-11);
  const auto fill = [&]() -> Failure {
    if (Failure failure = evaluate(t, x, a, wanted | part::gI | part::h, true)) return failure;
    const auto v = Eigen::seqN(layout.v.begin, nv);
    residual << values_.dynamics - values_.M * a, values_.d, values_.gII, values_.hI;
    jacobian.setZero();
    jacobian.topLeftCorner(nv, nv) = -values_.M;
    jacobian.topRightCorner(nv, n - nv) = derivatives_.dynamics(Eigen::all, columns);
    jacobian.block(nv, nv, nw, n - nv) = derivatives_.d(Eigen::all, columns);
    jacobian.block(nv + nw, 0, nl, nv) = derivatives_.gI(Eigen::all, v);
    jacobian.block(nv + nw + nl, 0, nm, nv) = derivatives_.h(Eigen::all, v);
    return {};
  };

  // the accelerations that belong to the given multipliers: if they satisfy everything, the multipliers stay
  Failure failure = fill();
  if (failure) return failure;
  const Eigen::LDLT<Matrix> mass(values_.M);
  const bool regular = nv == 0 || (mass.info() == Eigen::Success && mass.isPositive() &&
                                   mass.vectorD().minCoeff() > 1e-14 * mass.vectorD().maxCoeff());
  bool determined = regular;
  if (nv > 0 && regular) {
    a = mass.solve(values_.dynamics);
  } else if (nv > 0) {
    // where M has no inertia, the constraints tell
    Vector row = jacobian.leftCols(nv).rowwise().norm();
    for (double& value : row) value = value > 0 ? 1 / value : 1;
    decomposition.compute(row.asDiagonal() * jacobian.leftCols(nv));
    determined = decomposition.rank() == nv;
    if (determined) a -= decomposition.solve((row.asDiagonal() * residual).eval());
  }
  if (determined) {
    if ((failure = fill())) return failure;
    Vector unknowns(n);
    unknowns << a, x(columns);
    const Vector scale = jacobian.cwiseAbs() * (unknowns.cwiseAbs().array() + 1).matrix();
    if ((residual.array().abs() <= 10 * options_.tolerance * scale.array()).all()) return {};
  }

  const Index expected = nv + nw + report.velocity_rank;
  const bool redundant = report.velocity_rank < nl + nm;
  for (int iteration = 0; iteration < options_.max_iterations; ++iteration) {
    ++report.iterations;
    // equilibrate rows and columns: accelerations and multipliers have unlike units
    Vector row = jacobian.cwiseAbs().rowwise().maxCoeff();
    for (double& value : row) value = value > 0 ? 1 / value : 1;
    Matrix scaled = row.asDiagonal() * jacobian;
    Vector column = Vector::Ones(n);
    double multiplier_scale = 0;
    for (Index j = 0; j < n; ++j) {
      const double largest = scaled.col(j).cwiseAbs().maxCoeff();
      if (j < nv + nw || !redundant)
        column[j] = largest > 0 ? 1 / largest : 1;
      else
        multiplier_scale = std::max(multiplier_scale, largest);
    }
    // one scale for all multipliers that are not unique, so that minimal norm means what it says
    if (multiplier_scale > 0) column.tail(nl + nm).setConstant(1 / multiplier_scale);
    scaled = scaled * column.asDiagonal();
    decomposition.compute(scaled);
    if (decomposition.rank() < expected) {
      return undetermined(t, jacobian, scaled, decomposition.rank(), regular);
    }
    Vector step = column.asDiagonal() * decomposition.solve(-(row.asDiagonal() * residual).eval());
    if (redundant && iteration == 0) {
      // start the multipliers from zero: minimal norm, whatever the guess was
      Vector from_zero = residual;
      from_zero -= jacobian.rightCols(nl + nm) * x(columns).tail(nl + nm);
      step = column.asDiagonal() * decomposition.solve(-(row.asDiagonal() * from_zero).eval());
      step.tail(nl + nm) -= x(columns).tail(nl + nm);
    }
    a += step.head(nv);
    x(columns) += step.tail(n - nv);
    report.changed = true;
    if ((failure = fill())) return failure;
    const double size =
        1 + a.lpNorm<Eigen::Infinity>() + (columns.empty() ? 0.0 : x(columns).lpNorm<Eigen::Infinity>());
    if (step.lpNorm<Eigen::Infinity>() <= 1e3 * options_.tolerance * size) return {};
  }
  return {
      Reason::assembly_not_converged,
      fmt::format("no consistent accelerations and multipliers found at t = {}: the forces depend on them so "
                  "strongly that Newton's iteration does not converge",
                  t)};
}

AssemblyReport Assembly::run(double t, Vector& x) {
  const Layout& layout = equations_.layout();
  AssemblyReport report;
  const auto fail = [&](Reason reason, std::string message) {
    report.failure = {reason, std::move(message)};
    return report;
  };
  if (x.size() != layout.total)
    return fail(Reason::invalid_model,
                fmt::format("the initial state has {} entries, the equations have {} unknowns", x.size(),
                            layout.total));
  if (options_.weights.size() != 0 && options_.weights.size() != layout.total)
    return fail(Reason::invalid_options, fmt::format("{} assembly weights are given for {} unknowns",
                                                     options_.weights.size(), layout.total));
  if (options_.weights.size() != 0 &&
      !((options_.weights.array() >= 0).all() && options_.weights.allFinite()))
    return fail(Reason::invalid_options, "an assembly weight is negative or not finite");
  for (Index i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i]))
      return fail(Reason::not_finite, fmt::format("the initial value of '{}' is not finite",
                                                  equations_.names().variable(layout, i)));
  Vector before = x;
  try {
    if ((report.failure = solve_positions(t, x, report, true))) return report;
    if (options_.guess_velocities) {
      report.note = options_.guess_velocities(t, x);
      before.segment(layout.v.begin, layout.v.size) = x.segment(layout.v.begin, layout.v.size);
    }
    if ((report.failure = solve_velocities(t, x, report, true))) return report;
    report.degrees_of_freedom = layout.v.size - report.velocity_rank;
    if ((report.failure = solve_accelerations(t, x, report))) return report;
  } catch (const std::exception& error) {
    return fail(Reason::user_function_failed,
                fmt::format("a function of the equations failed: {}", error.what()));
  }
  // what counts as a change to the user: positions, velocities and contact coordinates
  Vector moved = x - before;
  for (const Block* computed : {&layout.w, &layout.lambda, &layout.mu})
    moved.segment(computed->begin, computed->size).setZero();
  if (moved.size() > 0) {
    Index i = 0;
    const double change = moved.cwiseAbs().maxCoeff(&i);
    if (change > 0)
      report.largest_change =
          fmt::format("'{}' by {:.3g}", equations_.names().variable(layout, i), x[i] - before[i]);
  }
  return report;
}

Failure Assembly::project(double t, VectorOut x) {
  AssemblyReport report;
  Vector state = x;
  try {
    if (Failure failure = solve_positions(t, state, report, false)) return failure;
    if (Failure failure = solve_velocities(t, state, report, false)) return failure;
    // redundant multipliers are told by the rank, which only a diagnosis computes
    report.velocity_rank = 0;
    if (equations_.layout().lambda.size + equations_.layout().mu.size > 0) {
      const auto v = Eigen::seqN(equations_.layout().v.begin, equations_.layout().v.size);
      Matrix rows(equations_.layout().lambda.size + equations_.layout().mu.size, equations_.layout().v.size);
      rows << derivatives_.gI(Eigen::all, v), derivatives_.h(Eigen::all, v);
      rows.rowwise().normalize();
      Eigen::ColPivHouseholderQR<Matrix> qr;
      qr.setThreshold(options_.rank_tolerance);
      qr.compute(rows);
      report.velocity_rank = qr.rank();
    }
    if (Failure failure = solve_accelerations(t, state, report)) return failure;
  } catch (const std::exception& error) {
    return {Reason::user_function_failed,
            fmt::format("a function of the equations failed: {}", error.what())};
  }
  x = state;
  return {};
}

}  // namespace trammel
