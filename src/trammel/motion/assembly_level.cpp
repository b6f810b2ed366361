#include "trammel/motion/assembly_level.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/numerics/norms.h"
#include "trammel/numerics/sparse_rank.h"

namespace trammel {

namespace {

// Damping of least squares, relative to rows of length one. Steps are refined: only what is nearly dependent
// is damped.
constexpr double damping = 1e-12;
constexpr int refinements = 2;
// The longest step, in parts of the size of the whole.
constexpr double longest_step = 0.7;
// What counts as met, in tolerances: round-off of badly scaled rows.
constexpr double round_off = 1e3;

void set_identity(Index size, SparseMatrix& matrix) {
  matrix.resize(size, size);
  matrix.setIdentity();
}

Failure not_finite(const std::string& what, double t) {
  return {Reason::not_finite,
          fmt::format("{} is not finite during assembly at t = {}. Check the guess and that a "
                      "function uses only the arguments it may depend on.",
                      what, t)};
}

}  // namespace

AssemblyLevel::AssemblyLevel(TangentMotion& motion, const AssemblyOptions& options, Level level,
                             bool for_start)
    : motion_(motion),
      options_(options),
      layout_(motion.layout()),
      level_(level),
      values_(layout_, false),
      rest_(Vector::Zero(layout_.v.size)),
      gradient_(layout_.total) {
  if (for_start)
    for (const Condition& condition : options.conditions)
      if (condition.level() == level) conditions_.push_back(&condition);
  condition_slopes_.resize(conditions_.size());
  constraints_ = layout_.lambda.size + (is_position() ? 0 : layout_.mu.size);
  first_condition_ = constraints_;
  parts_ = is_position() ? Parts{part::g | part::n} : Parts{part::velocity_level};
  if (!is_position() && options.meet_invariants && layout_.invariants > 0) {
    parts_ |= part::e;
    first_condition_ += layout_.invariants;
  }
  residual_.setZero(first_condition_ + static_cast<Index>(conditions_.size()));
  normalizations_.setZero(layout_.normalizations);
  jacobian_ = AssembledMatrix(rows(), layout_.v.size);
  weights_ = options.weights.size() == layout_.total ? Vector(options.weights.cwiseMax(1e-8))
                                                     : Vector(Vector::Ones(layout_.total));
}

const std::string& AssemblyLevel::row_name(Index row) const {
  const Names& names = motion_.names();
  const auto at = [](const auto& list, Index i) -> const std::string& {
    return list[static_cast<std::size_t>(i)];
  };
  if (row < layout_.lambda.size) return at(names.g, row);
  if (row < constraints_) return at(names.h, row - layout_.lambda.size);
  if (row < first_condition_) return at(names.e, row - constraints_);
  return conditions_[static_cast<std::size_t>(row - first_condition_)]->name();
}

// --- rows

Failure AssemblyLevel::evaluate(const Vector& x) {
  motion_.evaluate({t_, x, rest_}, parts_, values_);
  const std::string trouble = describe_non_finite(motion_.names(), parts_, values_);
  if (!trouble.empty()) return not_finite(trouble, t_);
  if (is_position()) {
    residual_.head(constraints_) = values_.g;
    unnormalized_ = 0;
    if (largest(values_.n) > 4e-16) {
      Vector change(layout_.p.size);
      motion_.displacement_to_positions(x.segment(layout_.p.begin, layout_.p.size), rest_, values_.n, change);
      unnormalized_ = largest(change);
    }
    normalizations_ = values_.n;
  } else {
    residual_.head(layout_.lambda.size) = values_.gI;
    residual_.segment(layout_.lambda.size, layout_.mu.size) = values_.h;
    if ((parts_ & part::e) != 0) residual_.segment(constraints_, layout_.invariants) = values_.e;
  }
  return take_conditions(x, false);
}

Failure AssemblyLevel::take_conditions(const Vector& x, bool slopes) {
  if (conditions_.empty()) return {};
  Vector at = x;
  if (layout_.s.size > 0) motion_.settle(t_, at);
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    const double residual = conditions_[i]->evaluate(layout_, t_, at, gradient_);
    residual_[first_condition_ + static_cast<Index>(i)] = residual;
    bool finite = std::isfinite(residual);
    if (finite && slopes) {
      ConditionSlope& slope = condition_slopes_[i];
      slope.values.resize(layout_.v.size);
      if (is_position()) {
        motion_.pull_back(at.segment(layout_.p.begin, layout_.p.size),
                          gradient_.segment(layout_.p.begin, layout_.p.size).transpose(), slope.values);
        motion_.pull_back_contacts(t_, at, gradient_.segment(layout_.s.begin, layout_.s.size).transpose(),
                                   slope.values);
      } else {
        slope.values = gradient_.segment(layout_.v.begin, layout_.v.size).transpose();
      }
      finite = slope.values.allFinite();
    }
    if (!finite)
      return {
          Reason::not_finite,
          fmt::format("the condition '{}' or its derivative is not finite during assembly at t = {}. Give a "
                      "guess where it has one: the direction of a velocity is not told by zeros.",
                      conditions_[i]->name(), t_)};
  }
  return {};
}

Failure AssemblyLevel::differentiate(const Vector& x) {
  const bool invariants = (parts_ & part::e) != 0;
  const std::string trouble = motion_.differentiate(
      {t_, x, rest_}, invariants ? TangentMotion::everything : unsigned{TangentMotion::jacobian});
  if (!trouble.empty()) return not_finite(trouble, t_);
  if (Failure failure = take_conditions(x, true)) return failure;
  fill_jacobian();
  return {};
}

void AssemblyLevel::fill_jacobian() {
  // what was made for a smaller pattern is void
  bool grows = pattern_ != motion_.pattern();
  for (ConditionSlope& slope : condition_slopes_) {
    std::vector<Index> columns;
    for (Index col = 0; col < slope.values.size(); ++col)
      if (slope.values[col] != 0) columns.push_back(col);
    if (std::includes(slope.columns.begin(), slope.columns.end(), columns.begin(), columns.end())) continue;
    std::vector<Index> all;
    std::set_union(slope.columns.begin(), slope.columns.end(), columns.begin(), columns.end(),
                   std::back_inserter(all));
    slope.columns = std::move(all);
    grows = true;
  }
  if (grows) {
    pattern_ = motion_.pattern();
    jacobian_ = AssembledMatrix(rows(), layout_.v.size);
    step_.forget_patterns();
    damped_step_.forget_patterns();
  }

  const TangentSlopes slopes = motion_.slopes();
  jacobian_.begin();
  const auto add = [&](const SparseMatrix& from, Index count, Index first) {
    for (int col = 0; col < from.outerSize(); ++col)
      for (SparseMatrix::InnerIterator entry(from, col); entry; ++entry)
        if (entry.row() < count) jacobian_.add(first + entry.row(), col, entry.value());
  };
  add(slopes.jacobian, constraints_, 0);
  if (first_condition_ > constraints_) add(slopes.invariant_twist, layout_.invariants, constraints_);
  for (std::size_t i = 0; i < condition_slopes_.size(); ++i)
    for (const Index col : condition_slopes_[i].columns)
      jacobian_.add(first_condition_ + static_cast<Index>(i), col, condition_slopes_[i].values[col]);
  jacobian_.finish();

  slope_.setZero(rows());
  const SparseMatrix& J = jacobian_.matrix();
  for (int col = 0; col < J.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(J, col); entry; ++entry)
      slope_[entry.row()] += entry.value() * entry.value();
  slope_ = slope_.cwiseSqrt();
}

void AssemblyLevel::move(const Vector& from, const Vector& by, Vector& x) {
  x = from;
  if (!is_position()) {
    x.segment(layout_.v.begin, layout_.v.size) += by;
    return;
  }
  auto p = x.segment(layout_.p.begin, layout_.p.size);
  Vector change(layout_.p.size);
  motion_.displacement_to_positions(p, by, normalizations_, change);
  p += change;
}

// --- how far

// A slope up to here is lost in the round-off of the other rows' slopes.
double AssemblyLevel::flat() const { return 1e-14 * largest(slope_); }

// For rows that have no slope of their own to divide by. An energy has nearly none close to rest, where its
// round-off would count for a large distance.
double AssemblyLevel::ordinary_slope() const { return 1e-3 * std::max(1.0, slope_.norm()); }

// How far the unknowns would have to move to cure a row.
double AssemblyLevel::distance(Index row) const {
  const double violation = std::abs(residual_[row]);
  if (violation <= 4e-16) return 0;  // round-off of numbers of size one
  double slope = slope_[row];
  if (slope == 0 || is_invariant(row)) slope = std::max(slope, ordinary_slope());
  return violation / slope;
}

double AssemblyLevel::worst() const {
  double result = unnormalized_;
  for (Index row = 0; row < rows(); ++row) result = std::max(result, distance(row));
  return result;
}

double AssemblyLevel::moved(const Vector& x) const {
  const auto change = [&](const Block& block) {
    return largest((x - start_).segment(block.begin, block.size));
  };
  return change(is_position() ? layout_.p : layout_.v);
}

// Downhill in half the square of the weighted distance from the guess.
Vector AssemblyLevel::pull_to_start(const Vector& x) {
  Vector at = x, result(layout_.v.size);
  if (is_position() && layout_.s.size > 0) motion_.settle(t_, at);
  const Vector pull = weights_.cwiseAbs2().cwiseProduct(start_ - at);
  if (!is_position()) return pull.segment(layout_.v.begin, layout_.v.size);
  motion_.pull_back(at.segment(layout_.p.begin, layout_.p.size),
                    pull.segment(layout_.p.begin, layout_.p.size), result);
  motion_.pull_back_contacts(t_, at, pull.segment(layout_.s.begin, layout_.s.size), result);
  return result;
}

void AssemblyLevel::take_metric(const Vector& x) {
  if (is_position())
    motion_.displacement_metric(t_, x, weights_, metric_);
  else
    metric_ = SparseMatrix(weights_.segment(layout_.v.begin, layout_.v.size).cwiseAbs2().asDiagonal());
  column_scale_ = metric_.diagonal();
  for (double& scale : column_scale_) scale = scale > 0 ? 1 / std::sqrt(scale) : 1;
  for (int col = 0; col < metric_.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(metric_, col); entry; ++entry)
      entry.valueRef() *= column_scale_[entry.row()] * column_scale_[col];
}

// The rows in scaled displacements, of length one.
void AssemblyLevel::normalize() {
  scaled_ = jacobian_.matrix();
  Vector squares = Vector::Zero(rows());
  for (int col = 0; col < scaled_.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(scaled_, col); entry; ++entry) {
      entry.valueRef() *= column_scale_[col];
      squares[entry.row()] += entry.value() * entry.value();
    }
  row_scale_.setZero(rows());
  const double none = flat(), ordinary = ordinary_slope();
  for (Index row = 0; row < rows(); ++row) {
    if (slope_[row] > none) row_scale_[row] = 1 / std::sqrt(squares[row]);
    if (is_invariant(row)) row_scale_[row] *= std::min(1.0, slope_[row] / ordinary);
  }
  for (int col = 0; col < scaled_.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(scaled_, col); entry; ++entry)
      entry.valueRef() *= row_scale_[entry.row()];
}

// --- the nearest state

// A shorter step where a full one leads away. False with a failure if nothing can be computed even near by.
bool AssemblyLevel::try_step(Vector& step, double allowed, Vector& x, double& now, double& shortened,
                             Failure& failure) {
  constexpr int attempts = 12;
  const Vector before = x, normalizations = normalizations_;
  for (int attempt = 0;; ++attempt) {
    normalizations_ = normalizations;
    move(before, step, x);
    failure = evaluate(x);
    now = failure ? std::numeric_limits<double>::infinity() : worst();
    if (now <= allowed || attempt == attempts) {
      if (!failure) failure = differentiate(x);
      if (!failure) {
        now = worst();
        return true;
      }
      if (attempt == attempts) return false;
    }
    step *= 0.5;
    shortened *= 0.5;
  }
}

// Gauss-Newton steps of minimal weighted change; once close to the constraints, also along them towards the
// point nearest to the guess. Ends where the rows are met, or where no progress is made.
Failure AssemblyLevel::approach(Vector& x, int& iterations) {
  Vector along_before;
  double previous = worst();
  double reach = 1;   // how far to go along
  bool slid = false;  // at least once
  // or no longer looked for, to leave steps for the constraints; where these are linear, the first step ends
  // there
  bool nearest = !is_position() && rows() == constraints_;
  bool met = false;  // once more for the last digits
  int stalled = 0;
  for (int iteration = 0; iteration < options_.max_iterations; ++iteration) {
    ++iterations;
    take_metric(x);
    normalize();
    if (!step_.factor(metric_, scaled_, damping)) return not_converged();
    Vector step = Vector::Zero(layout_.v.size), multipliers = -row_scale_.cwiseProduct(residual_);
    step_.solve(step, multipliers, refinements);
    bool slide = false;
    if (3 * iteration >= 2 * options_.max_iterations) nearest = true;
    if (!nearest && !met && previous <= 1e-6 * size_) {
      Vector along = column_scale_.cwiseProduct(pull_to_start(x)), unused = Vector::Zero(rows());
      step_.solve(along, unused, refinements);
      slide = largest(along.cwiseProduct(column_scale_)) > 1e-9 * size_;
      nearest = !slide;
      if (slide) {
        // the constraints are curved: what the last slide did tells how long the next one should be
        const double ratio = slid ? along.dot(along_before) / along_before.squaredNorm() : 0.0;
        if (ratio < 1) reach = std::clamp(reach / (1 - ratio), 0.01, 10.0);
        step += reach * along;
        along_before = along;
        slid = true;
      }
    }
    step = step.cwiseProduct(column_scale_);
    const double length = is_position() ? largest(step.cwiseQuotient(sizes_)) : 0.0;
    if (length > longest_step) step *= longest_step / length;

    const Vector before = x;
    double now = 0, shortened = 1;
    Failure failure;
    if (!try_step(step, slide ? 0.25 * size_ : previous, x, now, shortened, failure)) return failure;
    if (slide) reach *= shortened;
    if (met && now > previous) {  // no better any more
      x = before;
      if ((failure = evaluate(x))) return failure;
      return differentiate(x);
    }
    // a short way is as good as straight
    const bool arrived = now <= options_.tolerance * size_ && !slide && (nearest || moved(x) <= 1e-5 * size_);
    if (arrived && (met || now <= 1e-2 * options_.tolerance * size_)) return {};
    met = arrived;
    stalled = now > 0.9 * previous && !slide && !met ? stalled + 1 : 0;
    previous = now;
    const bool still = step.norm() <= 1e-15 * size_ && unnormalized_ <= options_.tolerance * size_;
    if (stalled >= 6 || (still && !slide)) return {};
  }
  return {};
}

// From the guess to the state that violates the rows least, by the method of Levenberg and Marquardt: slower
// than Newton's, but it arrives. True if it cannot be improved any more, and the rows contradict each other.
bool AssemblyLevel::compromise(Vector& x, int& iterations) {
  x = start_;
  if (evaluate(x) || differentiate(x)) return false;
  Vector scale = slope_;
  for (const double none = flat(); double& slope : scale)
    slope = 1 / (slope > none ? slope : ordinary_slope());
  set_identity(layout_.v.size, metric_);
  Vector r;
  const auto linearize = [&] {
    scaled_ = jacobian_.matrix();
    for (int col = 0; col < scaled_.outerSize(); ++col)
      for (SparseMatrix::InnerIterator entry(scaled_, col); entry; ++entry)
        entry.valueRef() *= scale[entry.row()];
    r = scale.cwiseProduct(residual_);
  };
  linearize();
  const auto steepness = [&] { return (scaled_.transpose() * r).norm() / (scaled_.norm() * r.norm()); };
  double damped = 1e-2 * scaled_.squaredNorm();
  for (int iteration = 0; iteration < 300 && scaled_.norm() > 0; ++iteration) {
    if (largest(r) <= 1e-8 * size_ || steepness() <= 1e-8) break;
    if (damped > 1e16 * scaled_.squaredNorm()) break;
    ++iterations;
    Vector step = Vector::Zero(layout_.v.size), multipliers = -r;
    if (!damped_step_.factor(metric_, scaled_, damped)) break;
    damped_step_.solve(step, multipliers, 0);
    const Vector before = x, normalizations = normalizations_;
    move(before, step, x);
    const bool better = !evaluate(x) && scale.cwiseProduct(residual_).norm() < r.norm() && !differentiate(x);
    if (better) {
      linearize();
      damped *= 0.2;
    } else {
      x = before;
      normalizations_ = normalizations;
      damped *= 4;
    }
  }
  if (evaluate(x) || differentiate(x)) return false;
  return worst() > 1e-6 * size_ && (scaled_.norm() == 0 || steepness() <= 1e-3);
}

Failure AssemblyLevel::solve(double t, Vector& x, AssemblyReport& report) {
  t_ = t;
  met_ = true;
  if (rows() == 0 && !(is_position() && layout_.normalizations > 0)) return {};
  if (Failure failure = evaluate(x)) return failure;
  if (Failure failure = differentiate(x)) return failure;
  start_ = x;
  const Block& unknowns = is_position() ? layout_.p : layout_.v;
  size_ = 1 + largest(x.segment(unknowns.begin, unknowns.size));
  if (is_position()) size_ = std::max(size_, 1 + largest(x.segment(layout_.s.begin, layout_.s.size)));

  bool contradictory = false;
  if (layout_.v.size > 0 && worst() > options_.tolerance * size_) {
    report.changed = true;
    if (is_position()) sizes_ = motion_.equations().displacement_sizes(x);
    if (Failure failure = approach(x, report.iterations)) return failure;
    if (worst() > std::max(round_off * options_.tolerance, 0.1 * options_.closure_tolerance) * size_) {
      contradictory = compromise(x, report.iterations);
      if (!contradictory)
        if (Failure failure = approach(x, report.iterations)) return failure;
    }
  }
  return judge(contradictory);
}

Failure AssemblyLevel::judge(bool contradictory) {
  const double allowed = round_off * options_.tolerance * size_;
  met_ = worst() <= allowed;
  if (met_) return {};
  // constraints that depend on others may fit only roughly; conditions may not, nor may what nothing can move be far off
  bool only_constraints = unnormalized_ <= allowed;
  for (Index row = 0; row < rows(); ++row) {
    const bool stuck = slope_[row] <= flat() && std::abs(residual_[row]) > options_.closure_tolerance * size_;
    if (distance(row) > allowed && (row >= constraints_ || stuck)) only_constraints = false;
  }
  if (only_constraints) return {};
  if (!contradictory) return not_converged();
  return {Reason::contradictory_conditions,
          fmt::format(
              "no {} can satisfy all of these together at t = {}: {}. Remove or change one of them, or start "
              "from another guess.",
              unknowns_name(), t_, fmt::join(culprits(), ", "))};
}

// What the user asked for first, then the constraints that are violated most.
std::vector<std::string> AssemblyLevel::culprits() const {
  constexpr std::size_t most_conditions = 6, most_constraints = 6;
  const double least = std::min(1e-6 * size_, 0.1 * worst());
  std::vector<Index> conditions, constraints;
  for (Index row = 0; row < rows(); ++row)
    if (distance(row) > least) (row < constraints_ ? constraints : conditions).push_back(row);
  std::stable_sort(constraints.begin(), constraints.end(),
                   [&](Index i, Index j) { return distance(i) > distance(j); });
  conditions.resize(std::min(conditions.size(), most_conditions));
  constraints.resize(std::min(constraints.size(), most_constraints));
  conditions.insert(conditions.end(), constraints.begin(), constraints.end());
  std::vector<std::string> names;
  for (const Index row : conditions)
    names.push_back(fmt::format("'{}' (off by {:.3g})", row_name(row), residual_[row]));
  return names;
}

Failure AssemblyLevel::not_converged() const {
  return {
      Reason::assembly_not_converged,
      fmt::format("no consistent {} found from this guess at t = {}; still violated: {}. They may contradict "
                  "each other, or the guess is too far away: give one nearer to an assembled position.",
                  unknowns_name(), t_, fmt::join(culprits(), ", "))};
}

// Where rows that depend on others fit only roughly, the compromise meets none of them. Formulations leave
// those out that depend: the others are met here, so that a first step need not jump there.
void AssemblyLevel::meet_independent(double t, Vector& x) {
  t_ = t;
  for (int iteration = 0; iteration < 10; ++iteration) {
    if (evaluate(x) || differentiate(x)) return;
    take_metric(x);
    normalize();
    row_scale_.tail(rows() - constraints_).setZero();
    for (const Index row : dependent_constraints()) row_scale_[row] = 0;
    for (int col = 0; col < scaled_.outerSize(); ++col)
      for (SparseMatrix::InnerIterator entry(scaled_, col); entry; ++entry)
        if (row_scale_[entry.row()] == 0) entry.valueRef() = 0;
    Vector by = Vector::Zero(layout_.v.size), lower = -row_scale_.cwiseProduct(residual_);
    if (!step_.factor(metric_, scaled_, damping)) return;
    step_.solve(by, lower, refinements);
    by = by.cwiseProduct(column_scale_);
    if (!by.allFinite() || largest(by.cwiseQuotient(sizes_)) > 1) return;
    const Vector before = x;
    move(before, by, x);
    if (largest(by) <= 1e-15 * size_) return;
  }
}

// --- what depends on what

// Of the first rows, in ascending order.
std::vector<Index> AssemblyLevel::dependent_rows(Index count) const {
  if (count == 0) return {};
  SparseMatrix first = jacobian_.matrix().topRows(count);
  const double none = flat();
  for (int col = 0; col < first.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(first, col); entry; ++entry)
      if (slope_[entry.row()] <= none) entry.valueRef() = 0;
  SparseRank rank;
  rank.factor(first, options_.rank_tolerance);
  return rank.redundant_rows();
}

std::vector<Index> AssemblyLevel::dependent_constraints() const { return dependent_rows(constraints_); }

std::vector<std::string> AssemblyLevel::implied_conditions(Index dependent_constraints) const {
  std::vector<std::string> implied;
  if (conditions_.empty()) return implied;
  const auto dependents = [&](Index count) { return static_cast<Index>(dependent_rows(count).size()); };
  const Index all = dependents(rows());
  Index known = first_condition_,
        before = first_condition_ > constraints_ ? dependents(first_condition_) : dependent_constraints;
  // the next row that depends on those before it, by bisection
  while (before < all) {
    Index low = known, high = rows();
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      (dependents(middle) > before ? high : low) = middle;
    }
    implied.push_back(row_name(high - 1));
    known = high;
    ++before;
  }
  return implied;
}

}  // namespace trammel
