#include "trammel/motion/assembly_stage.h"

#include <limits>

namespace trammel {

// The linearised rows A y = −r in the weighted unknowns y, in rows of length one: a step, and the rank it
// takes for granted, are not a question of units.
void Assembly::Stage::normalize(Matrix& A, Vector& r) const {
  A = jacobian * weight.cwiseInverse().asDiagonal();
  r = residual;
  const double none = flat();
  for (Index row = 0; row < A.rows(); ++row) {
    const double slope = jacobian.row(row).norm();
    double scale = slope > none ? 1 / A.row(row).norm() : 0.0;
    if (is_invariant(row)) scale *= std::min(1.0, slope / ordinary_slope());
    A.row(row) *= scale;
    r[row] *= scale;
  }
}

// Which rows depend on the others: the rank of the constraints, and what is to be told to the user.
void Assembly::Stage::diagnose(double rank_tolerance, AssemblyReport& report) {
  // pivoted QR of the transposed rows: what is not pivoted depends on what is
  Matrix normalized = jacobian.transpose();
  for (const double none = flat(); auto&& row : normalized.colwise())
    row *= row.norm() > none ? 1 / row.norm() : 0.0;
  const auto dependent_rows = [&](Index count) {
    std::vector<Index> dependent;
    if (count == 0) return dependent;
    Eigen::ColPivHouseholderQR<Matrix> qr;
    qr.setThreshold(rank_tolerance);
    qr.compute(normalized.leftCols(count));
    for (Index k = qr.rank(); k < count; ++k) dependent.push_back(qr.colsPermutation().indices()[k]);
    std::sort(dependent.begin(), dependent.end());
    return dependent;
  };
  const std::vector<Index> constraints = dependent_rows(constraint_rows);
  rank = constraint_rows - static_cast<Index>(constraints.size());
  for (const Index row : constraints) {
    const std::string& name = row_names[static_cast<std::size_t>(row)];
    if (std::find(report.redundant.begin(), report.redundant.end(), name) == report.redundant.end())
      report.redundant.push_back(name);
  }
  for (Index count = first_condition + 1; count <= residual.size(); ++count)
    if (dependent_rows(count).size() > dependent_rows(count - 1).size())
      report.redundant_conditions.push_back(row_names[static_cast<std::size_t>(count - 1)]);
}

// Gauss-Newton steps of minimal weighted change; once close to the constraints, also along them towards the
// point nearest to the guess. Ends where the rows are met, or where no progress is made.
Failure Assembly::Stage::approach(const AssemblyOptions& options, Vector& x, int& iterations) {
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
  decomposition.setThreshold(options.rank_tolerance);
  Matrix A;
  Vector r, along_before;
  double previous = worst();
  double reach = 1;      // how far to go along
  bool slid = false;     // at least once
  bool nearest = false;  // or no longer looked for, to leave steps for the constraints
  int stalled = 0;
  for (int iteration = 0; iteration < options.max_iterations; ++iteration) {
    ++iterations;
    normalize(A, r);
    decomposition.compute(A);
    Vector step = decomposition.solve(r);
    step *= -1;
    bool slide = false;
    if (3 * iteration >= 2 * options.max_iterations) nearest = true;
    if (!nearest && previous <= 1e-6 * size) {
      const Vector away = weight.asDiagonal() * (start - x(unknowns));
      const Vector across = A * away;
      const Vector along = away - Vector(decomposition.solve(across));
      slide = along.cwiseQuotient(weight).lpNorm<Eigen::Infinity>() > 1e-9 * size;
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
    // a shorter step where a full one leads away
    step = step.cwiseQuotient(weight);
    const Vector before = x(unknowns);
    const double allowed = slide ? 0.25 * size : previous;
    double now = 0;
    for (int attempt = 0;; ++attempt) {
      x(unknowns) = before + step;
      const Failure failure = evaluate(x);
      now = failure ? std::numeric_limits<double>::infinity() : worst();
      if (now <= allowed) break;
      if (attempt == 12) {
        if (failure) return failure;
        break;
      }
      step *= 0.5;
      if (slide) reach *= 0.5;
    }
    // a short way is as good as straight
    if (now <= options.tolerance * size && !slide && (nearest || moved(x) <= 1e-5 * size)) return {};
    stalled = now > 0.9 * previous && !slide ? stalled + 1 : 0;
    previous = now;
    if (stalled >= 6 || (step.norm() <= 1e-15 * size && !slide)) return {};
  }
  return {};
}

// From the guess to the state that violates the rows least, by the method of Levenberg and Marquardt: slower
// than Newton's, but it arrives. True if it cannot be improved any more, and the rows contradict each other.
bool Assembly::Stage::compromise(Vector& x, int& iterations) {
  x(unknowns) = start;
  if (evaluate(x)) return false;
  Vector scale = jacobian.rowwise().norm();
  for (const double none = flat(); double& slope : scale)
    slope = 1 / (slope > none ? slope : ordinary_slope());
  Matrix A = scale.asDiagonal() * jacobian;
  Vector r = scale.asDiagonal() * residual;
  double damping = 1e-2 * A.squaredNorm();
  const auto steepness = [&] { return (A.transpose() * r).norm() / (A.norm() * r.norm()); };
  for (int iteration = 0; iteration < 300 && A.norm() > 0; ++iteration) {
    if (r.lpNorm<Eigen::Infinity>() <= 1e-8 * size || steepness() <= 1e-8) break;
    if (damping > 1e16 * A.squaredNorm()) break;
    ++iterations;
    Matrix normal = A.transpose() * A;
    normal.diagonal().array() += damping;
    const Vector before = x(unknowns);
    const Vector gradient = A.transpose() * r;
    x(unknowns) = before - Vector(normal.ldlt().solve(gradient));
    const bool better = !evaluate(x) && (scale.asDiagonal() * residual).norm() < r.norm();
    if (better) {
      A = scale.asDiagonal() * jacobian;
      r = scale.asDiagonal() * residual;
      damping *= 0.2;
    } else {
      x(unknowns) = before;
      damping *= 4;
    }
  }
  if (evaluate(x)) return false;
  return worst() > 1e-6 * size && (A.norm() == 0 || steepness() <= 1e-3);
}

}  // namespace trammel
