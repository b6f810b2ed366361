// The projected-strangeness-free form (A. Steinbrecher, GEOMS, 2007; its published procedure step by step is
// formulation/geoms) of any equations of motion, on the tangent motion.
//
// Selectors are written with multipliers: "Sp p' = Sp Z v" for a selector Sp that annihilates Z M⁻¹Dᵀ is the
// same as p' = Z (v − M⁻¹Dᵀ η) with η free, and "Sv M v' = Sv (f − Dᵀλ)" for one that annihilates Dᵀ the same
// as M v' = f − Dᵀ κ with κ free; D = [GZ; HZ], η for the rows of g only. So
//
//   Z⁺p' = v − M⁻¹D₀ᵀ η,  M v' = f − Dᵀ κ,  r' = b,  0 = g,  0 = gᴵ,  0 = HZv + h,  0 = n,
//   M a = f − Dᵀ λ,  0 = gᴵᴵ,  0 = hᴵ
//
// has the solutions of the original system (η = 0, κ = λ). The last line is not coupled back: λ and a are
// computed at the end of a step, where κ is replaced by λ, so that all three levels hold to round-off. The
// selectors are the kernel of D at the point of linearisation, D₀, the best-conditioned choice at every
// position: nothing has to be partitioned anew. The incomplete form leaves the last line out: λ is κ.
//
// Newton's corrections are reduced to velocity size. With a displacement q of the positions,
//
//   v = (σ + K) q + M⁻¹D₀ᵀ η − …   (K from the Euler parameters),
//
// η follows from a system [M Dᵀ; D 0] without shift, and q and κ from
//
//   [ M + (MK − F_v)/σ − (F_v K + F_q)/σ²   Dᵀ ] [ q    ]
//   [ D                                     0  ] [ κ/σ² ]
//
// factored by KLU with a kept analysis for the real and the complex shift. Redundant rows of D are found by a
// sparse rank-revealing elimination and left out; they are watched, and the multipliers shown to a user are
// those of minimal norm.
//
// Invariants e = 0 take the place of further differential rows, again with a multiplier ν that vanishes on the
// solution: Z⁺p' = … − M⁻¹e_qᵀ ν, M v' = … − e_vᵀ ν. Both, because at a turning point the energy determines the
// position and not the velocity. They are few: the system above is bordered.
//
// Where the rank of D drops for an instant (flat parallelograms) its smallest singular value goes through
// zero and no single Newton matrix serves stages on both sides: there the stages are solved together, each
// with the matrices of its own point.
#pragma once

#include "trammel/formulation/position_forecast.h"
#include "trammel/formulation/psf/projected_strangeness_free_options.h"
#include "trammel/formulation/shifted_factors.h"
#include "trammel/formulation/shifted_solves.h"
#include "trammel/formulation/stage_newton.h"
#include "trammel/formulation/tangent_problem.h"
#include "trammel/motion/sparse_kkt.h"
#include "trammel/numerics/patterned_product.h"
#include "trammel/numerics/sparse_rank.h"

namespace trammel {

class ProjectedStrangenessFree final : public TangentProblem,
                                       public ShiftedSolves<ProjectedStrangenessFree>,
                                       public StageNewton {
 public:
  explicit ProjectedStrangenessFree(EquationsOfMotion& motion, ProjectedStrangenessFreeOptions options = {});

  // The motion's unknowns first, then η, then ν.
  Index unknowns() const override { return layout_.total + layout_.lambda.size + invariants_; }
  Index equations() const override {
    return 2 * velocities_ + normalizations_ + holonomic_ + constraints_ + states_ + invariants_;
  }
  const std::vector<int>& variable_index() const override { return index_; }
  const std::vector<int>& newton_index() const override { return newton_index_; }

  Outcome start(double t, VectorIn x) override;
  Outcome resume(double t, VectorIn x, Carrier& carried) override;
  Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) override;
  Outcome linearize(double t, VectorIn x) override;
  void improve_rates(double t, VectorIn x, VectorOut rates) override;
  void amend_error(double t, VectorIn x, VectorIn residual, VectorOut error) override;
  StageNewton* stage_newton() override { return invariants_ == 0 ? this : nullptr; }
  Outcome linearize_stage(int stage, double t, VectorIn x, VectorIn xdot) override;
  Outcome factor_stages(const Eigen::Matrix3d& weights) override;
  void solve_stages(const std::array<Vector, 3>& residuals, std::array<Vector, 3>& changes) override;
  Outcome guess_multipliers(double t, VectorOut x) override;
  double regularity() const override { return regularity_; }
  Outcome land(double t, VectorOut x) override { return close(t, x); }
  void newton_failed() override { rows_wanted_ = rows_.redundant; }
  void tidy(VectorOut x) override;
  Outcome accepted(double t, VectorOut x) override;
  const Vector* accelerations_at(double t, VectorIn x) override;
  Outcome rebase_invariants(double t, VectorIn x) override;

 protected:
  void patterns_grown() override;

 private:
  void add_error_across(VectorIn residual, VectorOut error);
  void remember_position(double t, const VectorIn& x);
  // Which rows of (g, h) are active. Rows of g are preferred to those of h, so that the same rows of g serve
  // at position and velocity level.
  struct Rows {
    std::vector<char> active;
    bool redundant = false;
    bool operator[](Index row) const { return active[static_cast<std::size_t>(row)] != 0; }
  };

  // The derivatives at one point, as Newton's corrections need them.
  struct Linearization {
    Vector p;
    SparseMatrix mass;
    SparseMatrix jacobian;       // D with rows left out set to zero
    PatternedProduct curvature;  // D K + D', likewise
    SparseMatrix kinematics, force_twist, force_pose, force_state, force_multiplier;
    SparseMatrix state_pose, state_twist, state_state, state_multiplier;
    PatternedProduct mass_kinematics, force_kinematics, state_kinematics;  // products with K
    SparseKkt selector;                                                    // [M D₀ᵀ; D₀ 0], rows of g
    Matrix invariant_pose, invariant_twist;
  };

  // Invariants as a border of the shifted system: what a unit of ν does to the solution, and how the
  // invariants answer.
  template <class Scalar>
  struct Border {
    Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> solution, displacement;
    Eigen::PartialPivLU<Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>> answer;
  };

  // A shift with its factors, and what a solve needs on its way.
  template <class Scalar>
  struct Shifted : ShiftedFactors<Scalar> {
    Border<Scalar> border;
    ColumnOf<Scalar> residual, x, q, normalizations, eta, y, known, solution, momentum, force, along, more,
        more_y, states;
  };
  template <class Scalar>
  Shifted<Scalar>& shifted() {
    if constexpr (std::is_same_v<Scalar, double>)
      return real_;
    else
      return complex_;
  }

  void choose_rows();
  void improve_rows();
  bool take(const VectorIn& x, Linearization& out);
  void prepare_metric();
  void weigh(Eigen::Ref<Vector> dynamics);
  Outcome mass_singular(double t);
  template <class Put>
  void put_system(const Linearization& at, const Put& put) const;
  void assemble_system();
  friend class ShiftedSolves<ProjectedStrangenessFree>;
  template <class Scalar>
  bool factor_shifted(Scalar shift);
  template <class Scalar>
  void solve_shifted(const Eigen::Ref<const ColumnOf<Scalar>>& residual, Eigen::Ref<ColumnOf<Scalar>> x);
  // x, and the displacement q of its positions, without invariants.
  template <class Scalar>
  void correct(Shifted<Scalar>& at, const ColumnOf<Scalar>& residual);
  template <class Scalar>
  bool find_border(Shifted<Scalar>& at);
  void normal_velocity(Linearization& at, Vector& excess, Vector& y);
  void normal_velocity(Linearization& at, ComplexVector& excess, ComplexVector& y);
  const std::vector<char>& position_rows();
  Outcome close_positions(double t, Vector& x);
  Outcome close_velocities(double t, Vector& x);
  Outcome close_invariants(double t, Vector& x);
  Outcome close_accelerations(double t, Vector& x);
  bool is_complete() const { return options_.form == ProjectedStrangenessFreeOptions::Form::complete; }
  bool is_known(double t, const VectorIn& x) const;
  Outcome close(double t, VectorOut x);

  ProjectedStrangenessFreeOptions options_;
  std::vector<int> index_, newton_index_;
  Index positions_, velocities_, states_, holonomic_, constraints_, normalizations_;
  Index followers_;   // s and w
  Index invariants_;  // that are kept
  bool constant_mass_;
  Vector invariant_base_;  // subtracted from e

  Rows rows_;
  // Drivers determine the motion: no error tells which way it goes.
  bool determined_ = false;
  PositionForecast forecast_;
  bool rows_wanted_ = true;
  bool rows_changed_ = false;  // since the last step: multipliers at hand belong to other rows
  double linearized_t_ = 0;
  SparseRank rank_;

  SparseMatrix metric_;  // the mass matrix, with ones for what has no mass
  SparseLu<double> metric_lu_;
  SparseLu<double> own_mass_lu_;  // of the point of a residual
  Index own_mass_entries_ = -1;   // with which it was analysed
  Linearization here_;            // the point of linearisation
  const Linearization* selector_ = &here_;
  ShiftedMatrix system_;
  Shifted<double> real_;
  Shifted<std::complex<double>> complex_;
  bool patterns_are_old_ = false;  // of what is made at a linearisation

  std::array<Linearization, 3> stages_;
  Eigen::Matrix3d stage_weights_;
  AssembledMatrix stage_system_;
  SparseLu<double> stage_lu_;
  bool stage_analyzed_ = false;

  SparseKkt kkt_;           // [M Dᵀ; D 0] at the end of a step
  SparseKkt position_kkt_;  // the same with the rows of g only, where they differ
  double regularity_ = 1, regular_ = 0;
  double known_t_ = 0;
  Vector known_x_;  // where a_ belongs to
  Vector held_;     // s and w at the end of the last step
  Vector own_accelerations_, stage_accelerations_;

  Vector work_, upper_, lower_, q_, change_;
  Vector part_, part_y_;  // of complex vectors
  struct StageWork {
    std::array<Vector, 3> y, eta, known, q;
    Vector all, velocity, momentum, along, states;
  } stage_work_;
  std::vector<char> position_rows_;
};

extern template class ShiftedSolves<ProjectedStrangenessFree>;

}  // namespace trammel
