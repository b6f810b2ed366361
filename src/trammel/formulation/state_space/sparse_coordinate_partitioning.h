// The state-space form (coordinate_partitioning.h) for mechanisms, with sparse matrices.
//
// Independent are some of the velocities, and the displacements that go with them: with p₀ the positions at
// the beginning of a step, y' = (Z⁺(p₀) p')_independent and w' = v'_independent are what is integrated. All
// positions and velocities count in the norm of the error.
//
// Newton's corrections are found in one of two ways. For few degrees of freedom: by the reduced system Π of
// their number (reduced_system.h), whose matrices are products of sparse ones with the tangents T. For many:
// by one sparse system in all coordinates, where the rows of dependent velocities have unknowns of their own,
// y_p and y_v, that take up what is left there. With N_p, N_v the columns of the dependent ones and δv = σ v̂,
// κ = σ² κ̂:
//
//   q − v̂ + K q/σ − N_p ŷ_p                                                  = b₁/σ
//   G q                                                                      = 0
//   D v̂ + D' q/σ                                                             = 0
//   D v̂ + (gᴵᴵ_q q/σ + gᴵᴵ_v v̂)/σ − D N_v ŷ_v                                 = D b₂/σ²
//   M v̂ − (f_q q/σ + f_v v̂)/σ − M N_v ŷ_v + (Dᵀ − f_λ) κ̂ − f_r r/σ²           = M b₂/σ²
//   r − (b_q q + b_r r)/σ − b_v v̂ − σ b_λ κ̂                                   = b₃/σ
#pragma once

#include "trammel/formulation/shifted_matrix.h"
#include "trammel/formulation/sparse_motion_problem.h"
#include "trammel/formulation/state_space/coordinate_partitioning.h"
#include "trammel/formulation/state_space/reduced_system.h"
#include "trammel/motion/minimal_multipliers.h"
#include "trammel/motion/sparse_kkt.h"
#include "trammel/motion/sparse_motion.h"
#include "trammel/numerics/sparse_partition.h"

namespace trammel {

class SparseCoordinatePartitioning final : public SparseMotionProblem,
                                           public OdeProblem,
                                           public ImplicitProblem {
 public:
  // Only the kind `partition` of the options. `reduced_up_to`: degrees of freedom for which Π is formed;
  // beyond, the one sparse system is faster (chains of bodies).
  SparseCoordinatePartitioning(EquationsOfMotion& motion, CoordinatePartitioningOptions options,
                               Index reduced_up_to = 30);

  Index unknowns() const override { return layout_.total; }
  Index equations() const override {
    return position_partition().size() + velocities_.size() + layout_.r.size;
  }
  Index counted() const override { return layout_.p.size + layout_.v.size + layout_.r.size; }
  const std::vector<int>& variable_index() const override { return index_; }

  bool completes() const override { return true; }

  Outcome start(double t, VectorIn x) override;
  Outcome complete(double t, VectorOut x) override;
  Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) override;
  Outcome rates(double t, VectorIn x, VectorOut xdot) override;
  Outcome multiply_mass(double t, VectorIn x, VectorIn vector, VectorOut out) override;
  Outcome linearize(double t, VectorIn x) override;
  Outcome factor(double shift) override;
  Outcome factor(std::complex<double> shift) override;
  void solve(VectorIn residual, VectorOut x) override;
  void solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) override;
  void amend_error(double t, VectorIn x, VectorIn residual, VectorOut error) override;
  void tidy(VectorOut x) override { to_state(x); }
  Outcome accepted(double t, VectorOut x) override;
  Outcome project(double t, VectorOut x) override;
  bool measure(double t, VectorIn x, Violation& violation) override;
  void present(VectorOut x) override;

  const SparsePartition& velocities() const { return velocities_; }

 private:
  // That of the velocities serves both, unless there are nonholonomic constraints.
  SparsePartition& position_partition() { return constraints_ > holonomic_ ? positions_ : velocities_; }
  const SparsePartition& position_partition() const {
    return constraints_ > holonomic_ ? positions_ : velocities_;
  }
  Outcome take_jacobian(double t, const VectorIn& x);
  Outcome prefer_linear(double t, const VectorIn& x);
  Outcome choose_coordinates(double t, bool careful);
  Outcome renew_coordinates(double t, const VectorIn& x);
  bool rows_left_out_hold(double t, const VectorIn& x);
  Outcome coordinates_singular(double t);
  Outcome complete_guess(double t, VectorOut x);
  Outcome resume_step();
  Outcome solve_positions(double t, Vector& x);
  Outcome solve_velocities(double t, Vector& x);
  Outcome solve_accelerations(double t, const VectorIn& x);
  void take_independent(const VectorIn& position_rates, const VectorIn& accelerations,
                        const VectorIn& state_rates, VectorOut out);
  void to_state(VectorOut x) const;

  // Newton's corrections
  bool uses_reduced_system() const { return velocities_.size() <= reduced_up_to_; }
  void form_reduced_system(const SparseSlopes& slopes);
  void form_full_system(const SparseSlopes& slopes);
  template <class Column>
  Column spread(const Eigen::Ref<const Column>& residual, Column& positions, Column& velocities);
  template <class Scalar>
  void solve_full(Scalar shift, SparseLu<Scalar>& lu,
                  const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& positions,
                  const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& velocities,
                  const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& states,
                  Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& q, Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& v,
                  Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& r);
  template <class Scalar>
  void solve_shifted(Scalar shift, SparseLu<Scalar>& lu,
                     const Eigen::Ref<const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>& residual,
                     Eigen::Ref<Eigen::Matrix<Scalar, Eigen::Dynamic, 1>> x);

  CoordinatePartitioningOptions options_;
  Index reduced_up_to_;
  std::vector<int> index_;
  Index holonomic_, constraints_;

  SparsePartition positions_, velocities_;  // of the rows of g, and of all rows
  Vector preference_;
  Vector reference_;  // p₀
  double jacobian_t_ = 0;
  Vector jacobian_p_;  // where D was taken and factored
  SparseKkt kkt_;      // [M Dᵀ − f_λ; D 0]
  bool coupled_ = false;
  bool driven_ = false;  // constraints depend on time
  PositionForecast forecast_;
  double known_t_ = 0;
  Vector known_x_;  // where a_ and multipliers_ belong to
  Vector multipliers_;
  // where the last step ended, while output is computed elsewhere
  bool disturbed_ = false;
  double resume_t_ = 0;
  Vector resume_x_, resume_a_, resume_multipliers_;

  // of the last linearisation
  Vector linearized_p_;
  bool coordinates_changed_ = false;
  std::vector<Index> linearized_positions_, linearized_velocities_, linearized_rows_;
  SparseMatrix rate_pose_, jacobian_, mass_dependent_;
  Matrix T_position_, T_velocity_, turn_;
  ReducedSystem reduced_;
  ShiftedMatrix system_;
  SparseMatrix real_matrix_;
  ComplexSparseMatrix complex_matrix_;
  SparseLu<double> real_lu_;
  SparseLu<std::complex<double>> complex_lu_;
  double real_shift_ = 0;
  std::complex<double> complex_shift_;
  bool system_wanted_ = true;  // the pattern belongs to other independent velocities

  MinimalMultipliers minimal_;
  Vector work_, state_, change_, rows_, q_;
};

}  // namespace trammel
