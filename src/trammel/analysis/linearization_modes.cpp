// The modes of a linearised system: eigenvalues and eigenvectors of A.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "trammel/analysis/linearization.h"
#include "trammel/numerics/eigen_rare_instances.h"

namespace trammel {

namespace {

// Scales of the states that make rows and columns of A alike in size (B. N. Parlett, C. Reinsch, Numer. Math.
// 13, 1969): units differ, and eigenvalues are lost in round-off otherwise. Powers of two.
Vector balancing_scales(Matrix& A) {
  const Index n = A.rows();
  Vector scale = Vector::Ones(n);
  for (int sweep = 0; sweep < 40; ++sweep) {
    bool changed = false;
    for (Index i = 0; i < n; ++i) {
      const double column = A.col(i).lpNorm<1>() - std::abs(A(i, i));
      const double row = A.row(i).lpNorm<1>() - std::abs(A(i, i));
      if (!(column > 0 && row > 0)) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (factor == 1 || column * factor + row / factor > 0.95 * (column + row)) continue;
      A.col(i) *= factor;
      A.row(i) /= factor;
      scale[i] *= factor;
      changed = true;
    }
    if (!changed) break;
  }
  return scale;
}

// Names by their share, largest first, those that hardly count left out.
std::string largest_shares(const Vector& share, const std::vector<std::string>& names) {
  std::vector<Index> order(static_cast<std::size_t>(share.size()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return share[a] > share[b]; });
  std::vector<std::string> chosen;
  for (const Index i : order)
    if (chosen.size() < 3 && share[i] > 0.2 * share[order[0]])
      chosen.push_back(names[static_cast<std::size_t>(i)]);
  return fmt::format("{}", fmt::join(chosen, ", "));
}

// By kinetic energy; a mode that hardly moves anything is one of force states.
std::string describe(const Linearization& linearization, const ComplexVector& z, const ComplexVector& q) {
  const Index mechanical = linearization.positions + linearization.velocities;
  const Index force_states = z.size() - mechanical;
  const double moved = mechanical > 0 ? z.head(mechanical).norm() : 0.0;
  if (force_states > 0 && z.tail(force_states).norm() > 10 * moved)
    return largest_shares(z.tail(force_states).cwiseAbs(),
                          {linearization.states.begin() + mechanical, linearization.states.end()});
  if (q.size() == 0) return {};
  const ComplexVector momentum = linearization.mass * q;
  const Vector energy = (q.conjugate().array() * momentum.array()).real().max(0.0).matrix();
  return largest_shares(energy, linearization.directions);
}

Mode make_mode(const Linearization& linearization, std::complex<double> eigenvalue, const ComplexVector& z,
               const ComplexVector& balanced) {
  Mode mode;
  mode.eigenvalue = eigenvalue;
  const double size = std::abs(eigenvalue);
  mode.frequency_hz = std::abs(eigenvalue.imag()) / (2 * std::numbers::pi);
  mode.natural_frequency_hz = size / (2 * std::numbers::pi);
  mode.damping_ratio = size > 0 ? 0.0 - eigenvalue.real() / size : 0;
  mode.time_constant =
      eigenvalue.real() != 0 ? 1 / std::abs(eigenvalue.real()) : std::numeric_limits<double>::infinity();
  mode.shape = linearization.displacement * z;
  Index where = 0;
  if (mode.shape.size() > 0 && mode.shape.cwiseAbs().maxCoeff(&where) > 0)
    mode.shape /= std::complex<double>(mode.shape[where]);
  mode.description = describe(linearization, balanced, mode.shape);
  return mode;
}

}  // namespace

std::vector<Mode> modes(const Linearization& linearization) {
  std::vector<Mode> result;
  Matrix A = linearization.A;
  if (A.rows() == 0) return result;
  const Vector scale = balancing_scales(A);
  const Eigen::EigenSolver<Matrix> solver(A);
  if (solver.info() != Eigen::Success) return result;
  const ComplexVector& eigenvalues = solver.eigenvalues();
  const ComplexMatrix vectors = solver.eigenvectors();
  // two zeros that share one direction (a body that drifts) come out as ± the root of round-off
  const double zero = 5e-8 * A.norm() / std::sqrt(static_cast<double>(A.rows()));
  const double round_off = 1e-13 * A.norm();
  for (Index i = 0; i < eigenvalues.size(); ++i) {
    std::complex<double> eigenvalue = eigenvalues[i];
    if (std::abs(eigenvalue) <= zero) eigenvalue = 0;
    if (std::abs(eigenvalue.real()) <= round_off) eigenvalue = {0, eigenvalue.imag()};
    if (std::abs(eigenvalue.imag()) <= round_off) eigenvalue = {eigenvalue.real(), 0};
    if (eigenvalue.imag() < 0) continue;
    const ComplexVector balanced = vectors.col(i);
    result.push_back(make_mode(linearization, eigenvalue, scale.asDiagonal() * balanced, balanced));
  }
  std::stable_sort(result.begin(), result.end(), [](const Mode& a, const Mode& b) {
    return std::abs(a.eigenvalue) < std::abs(b.eigenvalue);
  });
  return result;
}

}  // namespace trammel
