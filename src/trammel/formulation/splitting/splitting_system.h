// Newton's corrections of coordinate splitting (coordinate_splitting.h), sparse. With σ the shift, what is
// left of the equations on all velocities, b₁ and b₂ zero for the dependent ones, and multipliers η and κ for
// what the projectors take out,
//
//   (σ + K + C) q − v + D₀ᵀη                  = b₁        C = ∂(D₀ᵀs₁)/∂q, part of cs only
//   −D₀ q                                     = b₃
//   σM v − f_v v − f_q q − f_r r + Dᵀκ        = b₂        f_q with −∂(Dᵀs₂)/∂q for cs
//   −D v − D' q                               = b₄
//   σ r − b_q q − b_v v − b_r r               = b₅
//
// where D₀ are the rows of g and D those of g and h. Which velocities are independent shows in b₁ and b₂ only,
// so the matrix outlives another choice of them. The first row gives v, and with K' = K + C there is left, for
// q, r, κ/σ² and η/σ,
//
//   [ M + (MK' − f_v)/σ − (f_v K' + f_q)/σ²    −f_r/σ²     Dᵀ   M D₀ᵀ − f_v D₀ᵀ/σ ]
//   [ −b_v − (b_q + b_v K')/σ                  1 − b_r/σ   0    −b_v D₀ᵀ          ]
//   [ D₀                                       0           0    0                 ]
//   [ D + (D K' + D')/σ                        0           0    D D₀ᵀ             ]
//
// factored by KLU with a kept analysis for the real and the complex shift. For three stages of a step, each
// with derivatives of its own, 3 × 3 weights take the place of σ. Rows that do not count, and their
// multipliers, are met by ones.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "trammel/formulation/shifted_factors.h"
#include "trammel/motion/tangent_motion.h"

namespace trammel {

class SplittingSystem {
 public:
  // The derivatives at one point.
  struct Point {
    SparseMatrix mass, jacobian, rate_pose;
    SparseMatrix kinematics;  // K'
    SparseMatrix force_pose, force_twist, force_state, state_pose, state_twist, state_state;
  };
  // Which of all rows of the constraints count, for positions and for velocities.
  struct Rows {
    std::vector<char> positions, velocities;
    bool operator==(const Rows&) const = default;
  };
  // b₁ … b₅ of the equations above, with all rows of the constraints. `positions`, `velocities` and `states`
  // become q, v and r.
  template <class Scalar>
  struct Columns {
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> positions, position_rows, velocities, velocity_rows, states;
  };

  explicit SplittingSystem(const Layout& layout);

  // Matrices of other patterns come next.
  void forget_patterns();

  // A linearisation at one point, and one for each stage.
  Point& here() { return here_; }
  Point& stage(int i) { return stages_[static_cast<std::size_t>(i)]; }
  void take(const TangentSlopes& slopes, Point& point);
  // C, from the slopes at the same point with s₁ added to the multipliers.
  void turn(const TangentSlopes& slopes, Point& point);

  // Of here().
  void form(Rows rows);
  const Rows& rows() const { return rows_; }
  // False where the matrix is singular.
  bool factor(double shift) { return real_.factor(system_, shift); }
  bool factor(std::complex<double> shift) { return complex_.factor(system_, shift); }
  void solve(Columns<double>& columns) { solve_shifted(real_, columns); }
  void solve(Columns<std::complex<double>>& columns) { solve_shifted(complex_, columns); }

  // Of the stages, after form().
  bool factor_stages(const Rows& rows, const Eigen::Matrix3d& weights);
  void solve_stages(std::array<Columns<double>, 3>& columns);

 private:
  template <class Scalar>
  using Column = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  // An entry of C, and where it is in ∂f/∂q.
  struct Turning {
    Index row, col;
    int slot;
  };

  void find_turning(const TangentSlopes& slopes);
  Index velocity_row(Index i) const { return i < holonomic_ ? eta_ + i : kappa_ + i; }
  template <class Put>
  void put_shifted(const Point& at, const Point& rates, const Rows& rows, const Put& put) const;
  template <class Put>
  void put_unshifted(const Point& at, const Rows& rows, const Put& put) const;
  template <class Scalar>
  void solve_shifted(ShiftedFactors<Scalar>& at, Columns<Scalar>& columns);
  template <class Scalar>
  void fill(const Point& at, const Rows& rows, Scalar shift, const Columns<Scalar>& columns,
            const Column<Scalar>& rates, Eigen::Ref<Column<Scalar>> out) const;
  template <class Scalar>
  void read(const Point& at, Scalar shift, const Eigen::Ref<const Column<Scalar>>& solution,
            const Column<Scalar>& rates, Columns<Scalar>& columns) const;

  Index velocities_, states_, constraints_, holonomic_;
  Index r_, kappa_, eta_, size_;  // where unknowns begin
  Point here_;
  std::array<Point, 3> stages_;
  std::vector<Turning> turning_;
  AssembledMatrix kinematics_;
  Rows rows_, stage_rows_;
  ShiftedMatrix system_;
  ShiftedFactors<double> real_;
  ShiftedFactors<std::complex<double>> complex_;
  Eigen::Matrix3d weights_;
  AssembledMatrix stage_system_;
  SparseLu<double> stage_lu_;
};

}  // namespace trammel
