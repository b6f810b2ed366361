// Shifted solves for a system of differential and algebraic equations,
//
//     (σ E_d − J_d) Δ = ρ_d,     −J_a Δ = ρ_a,
//
// in two stages. The algebraic part does not depend on σ: its decomposition gives a particular solution Δ⁰
// and a basis K of its kernel. What remains is the small matrix σ (E_d K) − (J_d K), one row for each
// differential equation; only this depends on the step size. J_a is block triangular: each group of unknowns
// is determined by its own rows once the groups before it are known (positions, velocities, ...,
// multipliers).
//
// A. Steinbrecher, GEOMS (2007), section 3: separate decomposition of the algebraic and the differential
// part.
#pragma once

#include <vector>

#include "trammel/formulation/geoms/geoms_options.h"
#include "trammel/formulation/problem.h"
#include "trammel/numerics/constraint_decomposition.h"

namespace trammel {

class TwoStageSolve {
 public:
  // A group of consecutive unknowns with the rows of J_a that determine it. No rows: the group is free.
  struct Group {
    Index column = 0, columns = 0;
    Index row = 0, rows = 0;
    // Directions that the rows leave undetermined are not degrees of freedom but kept at zero (multipliers of
    // redundant constraints).
    bool minimal_norm = false;
    bool scale_columns = false;
  };

  void configure(Index unknowns, Index algebraic_rows, std::vector<Group> groups);

  // First stage: hand over J_a (algebraic_rows × unknowns), decompose every group, build the kernel.
  void set_algebraic(const Matrix& J_a) { J_a_ = J_a; }
  // A prescribed rank (singular values only) overrules the tolerance.
  void decompose(std::size_t group, Decomposition kind, double rank_tolerance, Index prescribed_rank = -1);
  const ConstraintDecomposition& decomposition(std::size_t group) const { return decompositions_[group]; }
  // The kernel of a group's own rows (columns × free directions).
  const Matrix& own_kernel(std::size_t group) const { return kernels_[group]; }
  // Replaces the kernel of a free group by given directions.
  void set_free_directions(std::size_t group, const Matrix& directions);
  void build_kernel();
  Index directions() const { return K_.cols(); }

  // Second stage.
  void set_differential(const Matrix& E_d, const Matrix& J_d);
  bool factor(double shift, DifferentialDecomposition kind);
  bool factor(std::complex<double> shift, DifferentialDecomposition kind);

  // residual = (ρ_d, ρ_a)
  void solve(VectorIn residual, VectorOut x);
  void solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x);
  // The particular solution of the algebraic rows alone: −J_a Δ = ρ_a.
  void solve_algebraic(VectorIn rho_a, VectorOut x);

 private:
  void particular(const Eigen::Ref<const Matrix>& rho_a);

  std::vector<Group> groups_;
  std::vector<ConstraintDecomposition> decompositions_;
  std::vector<Matrix> kernels_;
  Matrix J_a_, K_, E_d_, J_d_, EK_, JK_;
  // work space, one for each group: right-hand side and solution of a solve, and of the kernel
  std::vector<Matrix> rhs_, solution_, kernel_rhs_, kernel_solution_;
  Matrix rho_a_, delta_, E_delta_, J_delta_;
  double shift_ = 0;
  std::complex<double> complex_shift_;
  DifferentialDecomposition kind_ = DifferentialDecomposition::lu;
  Matrix small_;
  ComplexMatrix complex_small_;
  Eigen::PartialPivLU<Matrix> lu_;
  Eigen::PartialPivLU<ComplexMatrix> complex_lu_;
  Eigen::HouseholderQR<Matrix> qr_;
  Eigen::HouseholderQR<Matrix> complex_qr_;  // of [Re −Im; Im Re]
  Matrix doubled_;
  Vector doubled_rhs_, doubled_y_;
  Vector row_scale_, column_scale_, complex_row_scale_, complex_column_scale_;
  Vector y_, y_rhs_;
  ComplexVector complex_y_, complex_rhs_;
};

}  // namespace trammel
