#include "trammel/analysis/equilibrium_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/numerics/eigen_rare_instances.h"
#include "trammel/numerics/norms.h"

namespace trammel {

EquilibriumSearch::EquilibriumSearch(EquationsOfMotion& equations, double t,
                                     const EquilibriumOptions& options)
    : motion_(equations),
      t_(t),
      options_(options),
      layout_(equations.layout()),
      directions_(displacement_names(equations)),
      rest_(Vector::Zero(layout_.v.size)),
      rotations_known_(rotates_bodies(equations)) {}

Failure EquilibriumSearch::run(Vector& x, EquilibriumResult& result) {
  const Vector start = x;
  const double reach = options_.farthest * (1 + largest(start.head(layout_.p.end())));
  int pushes = 0;
  double previous_merit = std::numeric_limits<double>::infinity();
  Failure failure = look(x);
  while (!failure) {
    result.residual = largest(unbalanced_);
    result.acceleration = largest(acceleration_);
    if (in_balance()) {
      classify(result);
      const bool leave = options_.seek_stable && result.stability == Stability::unstable;
      if (!leave || ++pushes > 5) break;
      failure = push_off(x);
    } else if (largest((x - start).head(layout_.p.end())) > reach) {
      failure = runs_away();
    } else if (++result.iterations > options_.max_iterations) {
      --result.iterations;
      failure = not_found();
    } else {
      failure = advance(x);
      // where only residuals tell whether a step was good, they must get smaller
      constexpr int patience = 30;
      if (!goes_downhill() && result.iterations % patience == 0) {
        if (merit() > 0.9 * previous_merit) failure = not_found();
        previous_merit = merit();
      }
    }
    if (!failure) failure = look(x);
  }
  if (!failure) spread_multipliers(x);
  return failure;
}

// --- one position ---------------------------------------------------------------------------------------

Failure EquilibriumSearch::look(Vector& x) {
  if (Failure failure = motion_.settle(t_, x)) return failure;
  states_settle_ = settle_states(x);
  if (Failure failure = motion_.differentiate(t_, x, rest_, DisplacedMotion::Wanted::jacobian))
    return failure;
  if (!kernel_.factor(motion_.slopes().jacobian, options_.rank_tolerance))
    return {Reason::position_rank, fmt::format("the constraints cannot be decomposed at t = {}", t_)};
  const Matrix& N = kernel_.basis();
  inertia_ = N.transpose() * (motion_.slopes().mass * N);
  if (inertia_.rows() > 0) {
    // something without mass may be held by springs alone
    const double mean = inertia_.diagonal().mean();
    if (inertia_.llt().info() != Eigen::Success || !(inertia_.diagonal().minCoeff() > 1e-12 * mean))
      inertia_.diagonal().array() += mean > 0 ? 1e-6 * mean : 1.0;
  }
  if (Failure failure = find_multipliers(x)) return failure;
  if (Failure failure = motion_.differentiate(t_, x, rest_)) return failure;
  if (Failure failure = motion_.evaluate(t_, x, rest_, part::b)) return failure;
  reduce();
  return {};
}

// f at these multipliers.
Failure EquilibriumSearch::apply_forces(Vector& x, Vector& force) {
  if (Failure failure = motion_.evaluate(t_, x, rest_, part::dynamics)) return failure;
  force = motion_.values().dynamics;
  if (motion_.constraints() > 0)
    force += motion_.slopes().jacobian.transpose() * x.segment(layout_.lambda.begin, motion_.constraints());
  return {};
}

// The forces of the constraints are those that leave the least acceleration. Where f depends on them
// (friction), again until they agree.
Failure EquilibriumSearch::find_multipliers(Vector& x) {
  const Matrix& N = kernel_.basis();
  const Index constraints = motion_.constraints();
  const Eigen::LLT<Matrix> inertia(inertia_);
  for (int round = 0; round < 30; ++round) {
    if (Failure failure = apply_forces(x, force_)) return failure;
    acceleration_.setZero(layout_.v.size);
    if (N.cols() > 0) {
      Vector along = N.transpose() * force_;
      inertia.solveInPlace(along);
      acceleration_ = N * along;
    }
    unbalanced_ = motion_.slopes().mass * acceleration_;
    if (constraints == 0) break;
    const Vector multipliers = kernel_.multipliers(force_ - unbalanced_);
    auto kept = x.segment(layout_.lambda.begin, constraints);
    const double change = largest(multipliers - kept);
    kept = multipliers;
    if (change <= 1e-14 * (1 + largest(multipliers))) break;
  }
  reduced_force_ = N.transpose() * force_;
  held_ = largest(force_ - unbalanced_);
  most_held_ = std::max(most_held_, std::max(held_, largest(unbalanced_)));
  return {};
}

// r with b = 0 at these positions; false if b does not determine it alone.
bool EquilibriumSearch::settle_states(Vector& x) {
  if (layout_.r.size == 0) return true;
  const Vector start = x;
  auto r = x.segment(layout_.r.begin, layout_.r.size);
  for (int iteration = 0; iteration < 30; ++iteration) {
    if (motion_.evaluate(t_, x, rest_, part::b) || motion_.differentiate(t_, x, rest_)) break;
    const Eigen::FullPivLU<Matrix> slope(Matrix(motion_.slopes().state_state));
    if (!slope.isInvertible()) break;
    Vector change = slope.solve(motion_.values().b);
    change *= -1;
    if (!change.allFinite()) break;
    r += change;
    if (largest(change) <= 1e-12 * (1 + largest(r))) return true;
  }
  x = start;
  return false;
}

void EquilibriumSearch::reduce() {
  const TangentSlopes slopes = motion_.slopes();
  const Matrix& N = kernel_.basis();
  stiffness_ = -(N.transpose() * (slopes.force_pose * N));
  state_rate_ = states_settle_ ? Vector(0) : motion_.values().b;
  if (layout_.r.size > 0) {
    // force states follow the positions; integrators, which do not, nearly so
    Matrix state = slopes.state_state;
    if (!states_settle_) state.diagonal().array() -= 1e-6 * (1 + state.cwiseAbs().maxCoeff());
    state_slope_.compute(state);
    if (N.cols() > 0) {
      const Matrix states = state_slope_.solve(Matrix(slopes.state_pose * N));
      const Matrix forces = slopes.force_state * states;
      stiffness_ += N.transpose() * forces;
    }
    if (!states_settle_)
      reduced_force_ -= N.transpose() * (slopes.force_state * state_slope_.solve(state_rate_));
  }
  scale_ = 0;
  for (Index i = 0; i < stiffness_.rows(); ++i)
    scale_ = std::max(scale_, stiffness_.row(i).lpNorm<1>() / inertia_(i, i));
}

bool EquilibriumSearch::in_balance() const {
  const double unbalanced = largest(unbalanced_);
  if (largest(state_rate_) > 1e-9) return false;
  if (unbalanced <= options_.tolerance * held_ || unbalanced <= 1e-3 * options_.tolerance * most_held_)
    return true;
  if (is_round_off()) return true;
  return last_step_ >= 0 && last_step_ <= 1e-12;
}

// Whether what is left of the forces is no more than the last digits of the positions make: where no constraint carries
// anything, as in joint coordinates without loops, nothing else tells how large forces are.
bool EquilibriumSearch::is_round_off() const {
  constexpr double last_digits = 8 * std::numeric_limits<double>::epsilon();
  for (Index i = 0; i < reduced_force_.size(); ++i)
    if (!(std::abs(reduced_force_[i]) <= last_digits * stiffness_.row(i).lpNorm<1>())) return false;
  return reduced_force_.size() > 0;
}

// --- one step -------------------------------------------------------------------------------------------

bool EquilibriumSearch::factor_newton(double sigma) {
  // where nothing holds the mechanism, its stiffness is round-off, and so is the force: let it rest
  constexpr double nothing = 1e-14;
  const Matrix matrix = stiffness_ + std::max(sigma, nothing * scale_) * inertia_;
  if (matrix.rows() == 0) return true;
  if (options_.seek_stable) {
    const Eigen::LLT<Matrix> positive(Matrix(0.5 * (matrix + matrix.transpose())));
    if (positive.info() != Eigen::Success) return false;
  }
  newton_.compute(matrix);
  return true;
}

double EquilibriumSearch::step_limit(const Vector& step, const Vector& x) const {
  constexpr double turn = 0.7;
  const double reach = 1 + largest(x.head(layout_.p.end()));
  double factor = 1;
  for (Index i = 0; i < step.size(); ++i) {
    const double limit = rotations_known_ && i % 6 >= 3 ? turn : reach;
    if (std::abs(step[i]) * factor > limit) factor = limit / std::abs(step[i]);
  }
  return factor;
}

// What force states that do not settle by themselves do in a step.
Vector EquilibriumSearch::state_change(const Vector& step) const {
  if (states_settle_) return Vector::Zero(layout_.r.size);
  return -state_slope_.solve(Vector(state_rate_ + motion_.slopes().state_pose * step));
}

Failure EquilibriumSearch::advance(Vector& x) {
  if (kernel_.freedom() == 0 && states_settle_) return not_found();
  const double least = std::max(1e-12 * scale_, 1e-9);
  double trust = sigma_ / 10;
  if (trust < least) trust = 0;
  double sigma = trust;
  const int attempts = goes_downhill() ? 80 : 3;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const bool downhill = factor_newton(sigma);
    Vector step;
    if (downhill)
      step = kernel_.freedom() > 0 ? Vector(kernel_.basis() * newton_.solve(reduced_force_)) : rest_;
    if (downhill && step.allFinite()) {
      double factor = step_limit(step, x);
      const bool full = factor == 1;
      bool accepted = false;
      const double size = largest(step) / (1 + largest(x.head(layout_.p.end())));
      if (Failure failure = try_step(x, step, factor, accepted)) return failure;
      if (accepted) {
        last_step_ = full && factor == 1 && trust <= least ? size : -1;
        sigma_ = trust;
        motion_.follow(t_, x);
        return {};
      }
      trust = std::max(4 * sigma, least);
      sigma = trust;
      continue;
    }
    sigma = std::max(4 * sigma, least);
  }
  return not_found();
}

// Shorter and shorter, until the forces have done work along the way. `factor` becomes the one accepted.
Failure EquilibriumSearch::try_step(Vector& x, const Vector& step, double& factor, bool& accepted) {
  const double slope = force_.dot(step);
  const Vector states = state_change(step);
  // work that is lost in the round-off of the positions cannot be compared
  const double negligible = 1e-13 * force_.lpNorm<1>() * (1 + largest(x.head(layout_.p.end())));
  const int halvings = goes_downhill() ? 14 : 8;
  for (int halving = 0; halving < halvings; ++halving, factor /= 2) {
    Vector trial = x;
    trial.segment(layout_.r.begin, layout_.r.size) += factor * states;
    double correction = 0;
    if (motion_.move(t_, factor * step, trial) || !project(trial, correction)) continue;
    if (correction > 0.5 * factor * largest(step) + 1e-12 * largest(trial.head(layout_.p.end()))) continue;
    if (motion_.settle(t_, trial)) continue;
    const bool settled = settle_states(trial);
    if (options_.seek_stable && settled) {
      Vector force;
      if (motion_.differentiate(t_, trial, rest_, DisplacedMotion::Wanted::jacobian) ||
          apply_forces(trial, force))
        continue;
      const double work = 0.5 * (force_ + force).dot(motion_.displacement(x, trial));
      accepted = work >= 1e-4 * factor * slope || std::abs(slope) <= negligible;
    } else {
      // Newton's method: less acceleration than before
      EquilibriumSearch there(motion_.equations(), t_, options_);
      if (there.look(trial)) continue;
      accepted = there.merit() <= (1 - 1e-4 * factor) * merit() || there.in_balance();
    }
    if (!accepted) continue;
    x = trial;
    return {};
  }
  return {};
}

// Back onto g = 0, n = 0 by the shortest way, as mass measures it. `correction`: how long it was.
bool EquilibriumSearch::project(Vector& x, double& correction) {
  const Vector start = x;
  double previous = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 20; ++iteration) {
    if (motion_.settle(t_, x) || motion_.evaluate(t_, x, rest_, part::g | part::n)) return false;
    Vector multipliers = Vector::Zero(motion_.constraints());
    multipliers.head(layout_.lambda.size) = -motion_.values().g;
    const double normal = largest(motion_.values().n);
    Vector by = Vector::Zero(layout_.v.size);
    if (motion_.constraints() > 0) {
      if (motion_.differentiate(t_, x, rest_, DisplacedMotion::Wanted::jacobian)) return false;
      // where there is no mass, a little of it
      const SparseMatrix& mass = motion_.slopes().mass;
      SparseMatrix weight(mass.rows(), mass.cols());
      weight.setIdentity();
      weight = mass + 1e-3 * Vector(mass.diagonal()).mean() * weight;
      if (motion_.tangent().pattern() != pattern_) projection_ = SparseKkt();
      pattern_ = motion_.tangent().pattern();
      if (!projection_.factor(weight, motion_.slopes().jacobian, kernel_.active())) return false;
      projection_.solve(by, multipliers);
    }
    const double size = std::max(largest(by), normal) / (1 + largest(x.head(layout_.p.end())));
    if (!std::isfinite(size) || (iteration > 3 && size > 2 * previous)) return false;
    const bool close = size <= 1e-14 || (size <= 1e-11 && !(size < 0.5 * previous));
    if (size > 1e-15 && motion_.move(t_, by, x)) return false;
    if (close) {
      correction = largest((x - start).head(layout_.p.end()));
      return true;
    }
    previous = size;
  }
  return false;
}

}  // namespace trammel
