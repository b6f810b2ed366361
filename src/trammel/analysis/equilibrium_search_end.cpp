// Where the search for an equilibrium ends: is it stable, what is free, and if there is none, why.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "trammel/analysis/equilibrium_search.h"
#include "trammel/numerics/eigen_rare_instances.h"
#include "trammel/numerics/norms.h"

namespace trammel {

void EquilibriumSearch::classify(EquilibriumResult& result) {
  const Index freedom = kernel_.freedom();
  result.free_to_move.clear();
  result.stability = Stability::stable;
  if (freedom == 0) return;
  const Matrix stiffness = 0.5 * (stiffness_ + stiffness_.transpose());
  constexpr Index largest_problem = 1500;
  if (freedom > largest_problem) {
    if (Eigen::LLT<Matrix>(stiffness).info() != Eigen::Success) result.stability = Stability::unknown;
    return;
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> eigen(stiffness, inertia_);
  const Vector& values = eigen.eigenvalues();
  result.softest = values[0];
  // slower than a quarter of an hour counts as not at all
  const double negligible = std::max(5e-5, 1e-11 * values.cwiseAbs().maxCoeff());
  for (Index i = 0; i < freedom; ++i) {
    if (std::abs(values[i]) > negligible) continue;
    result.stability = Stability::neutral;
    const Vector q = kernel_.basis() * eigen.eigenvectors().col(i);
    Index most = 0;
    q.cwiseProduct(motion_.slopes().mass * q).cwiseAbs().maxCoeff(&most);
    const std::string& direction = directions_[static_cast<std::size_t>(most)];
    const std::string who = rotations_known_ ? owner_of(direction) : direction;
    if (std::find(result.free_to_move.begin(), result.free_to_move.end(), who) == result.free_to_move.end())
      result.free_to_move.push_back(who);
  }
  if (values[0] < -negligible) result.stability = Stability::unstable;
  unstable_direction_ = kernel_.basis() * eigen.eigenvectors().col(0);
}

// From an unstable equilibrium in the direction in which it is most unstable.
Failure EquilibriumSearch::push_off(Vector& x) {
  Index most = 0;
  unstable_direction_.cwiseAbs().maxCoeff(&most);
  const bool turns = rotations_known_ && most % 6 >= 3;
  const double size = turns ? 0.2 : 0.1 * std::max(largest(x.head(layout_.p.end())), 1e-3);
  Vector step = unstable_direction_ * (size / unstable_direction_[most]);
  for (int halving = 0; halving < 10; ++halving, step /= 2) {
    Vector trial = x;
    double correction = 0;
    if (motion_.move(t_, step, trial) || !project(trial, correction)) continue;
    x = trial;
    last_step_ = -1;
    sigma_ = 0;
    motion_.follow(t_, x);
    return {};
  }
  return not_found();
}

// Of redundant constraints those multipliers that are smallest together: min |λ| with Dᵀλ given.
void EquilibriumSearch::spread_multipliers(Vector& x) {
  if (kernel_.rank() == motion_.constraints()) return;
  const SparseMatrix& D = motion_.slopes().jacobian;
  const std::vector<Index>& pivots = kernel_.decision().pivot_columns();
  std::vector<Eigen::Triplet<double, int>> entries;
  for (std::size_t i = 0; i < pivots.size(); ++i)
    for (SparseMatrix::InnerIterator entry(D, static_cast<int>(pivots[i])); entry; ++entry)
      entries.emplace_back(static_cast<int>(i), static_cast<int>(entry.row()), entry.value());
  SparseMatrix rows(static_cast<Index>(pivots.size()), D.rows()), one(D.rows(), D.rows());
  rows.setFromTriplets(entries.begin(), entries.end());
  one.setIdentity();
  SparseKkt kkt;
  if (!kkt.factor(one, rows, {})) return;
  auto kept = x.segment(layout_.lambda.begin, D.rows());
  Vector lambda = Vector::Zero(D.rows()), force = rows * Vector(kept);
  kkt.solve(lambda, force);
  if (lambda.allFinite()) kept = lambda;
}

Failure EquilibriumSearch::runs_away() const {
  Index most = 0;
  acceleration_.cwiseAbs().maxCoeff(&most);
  const std::string& direction = directions_[static_cast<std::size_t>(most)];
  return {
      Reason::newton_failed,
      fmt::format("there is no equilibrium: nothing holds '{}', it moves off with an acceleration of {:.3g} "
                  "({}). Is a joint, a spring or the ground missing?",
                  rotations_known_ ? owner_of(direction) : direction, acceleration_[most], direction)};
}

Failure EquilibriumSearch::not_found() const {
  Index most = 0;
  if (largest(state_rate_) > 1e-9) {
    state_rate_.cwiseAbs().maxCoeff(&most);
    return {
        Reason::newton_failed,
        fmt::format("no equilibrium was found at t = {}: the state '{}' does not come to rest (its rate is "
                    "{:.3g})",
                    t_, motion_.names().r[static_cast<std::size_t>(most)], state_rate_[most])};
  }
  unbalanced_.cwiseAbs().maxCoeff(&most);
  return {Reason::newton_failed,
          fmt::format("no equilibrium was found from this position at t = {}: a force of {:.3g} on {} is not "
                      "in balance. Start nearer to one, or look whether forces push round in a circle{}.",
                      t_, unbalanced_[most], directions_[static_cast<std::size_t>(most)],
                      options_.seek_stable ? ", or whether unstable equilibria would do" : "")};
}

}  // namespace trammel
