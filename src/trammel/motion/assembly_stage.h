// One level of the assembly as a problem of its own: unknowns to move as little as possible, rows that must
// vanish. For the sources of the assembly only.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/motion/assembly.h"

namespace trammel {

// One level: which unknowns move, which rows must vanish, and how to compute them.
struct Assembly::Stage {
  std::string_view unknowns_name;
  std::vector<Index> unknowns;         // indices into x
  std::vector<std::string> row_names;  // constraints first, then invariants, then conditions
  Index constraint_rows = 0;
  Index first_condition = 0;
  std::function<Failure(const Vector& x)> evaluate;  // fills residual and jacobian
  Vector residual;
  Matrix jacobian;       // rows × unknowns
  Vector start, weight;  // the guess, and how firmly to keep it
  double size = 1;       // of the unknowns
  Index rank = 0;        // of the constraint rows, set by the diagnosis

  bool is_invariant(Index row) const { return row >= constraint_rows && row < first_condition; }

  // A slope up to here is lost in the round-off of the other rows' slopes.
  double flat() const { return 1e-14 * jacobian.rowwise().norm().maxCoeff(); }

  // For rows that have no slope of their own to divide by. An energy has nearly none close to rest, where its
  // round-off would count for a large distance.
  double ordinary_slope() const { return 1e-3 * std::max(1.0, jacobian.norm()); }

  // How far the unknowns would have to move to cure a row.
  double distance(Index row) const {
    const double violation = std::abs(residual[row]);
    if (violation <= 4e-16) return 0;  // round-off of numbers of size one
    double slope = jacobian.row(row).norm();
    if (slope == 0 || is_invariant(row)) slope = std::max(slope, ordinary_slope());
    return violation / slope;
  }
  double worst() const {
    double largest = 0;
    for (Index row = 0; row < residual.size(); ++row) largest = std::max(largest, distance(row));
    return largest;
  }
  double moved(const Vector& x) const { return (x(unknowns) - start).lpNorm<Eigen::Infinity>(); }

  void normalize(Matrix& A, Vector& r) const;
  void diagnose(double rank_tolerance, AssemblyReport& report);
  Failure approach(const AssemblyOptions& options, Vector& x, int& iterations);
  bool compromise(Vector& x, int& iterations);
};

}  // namespace trammel
