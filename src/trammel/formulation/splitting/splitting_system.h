// Newton's corrections of coordinate splitting (coordinate_splitting.h) where velocities are the rates of the
// positions, reduced to as many equations as there are degrees of freedom. With σ the shift, T = Pᵀ:
//
//   P ((σ − K) Δq − Δv)                    = b₁
//   −G Δq                                  = b₂
//   P ((σM − f_v) Δv − f_q Δq − f_r Δr)    = b₃
//   −G Δv − G' Δq                          = b₄
//   (σ − b_r) Δr − b_q Δq − b_v Δv         = b₅
//
// The second and fourth rows give what depends, Δq = T a + Y c and Δv = T w + Y d. What is left of the first
// is a solve with [P; G], the paper's (19): H w = P ((σ − K) Δq − Y d) − b₁ with H = P T = I + QᵀQ, or by
// H⁻¹ = I − Qᵀ (I + QQᵀ)⁻¹ Q, whichever is smaller. Then the third is a system in a alone whose matrix is a
// polynomial in σ,
//
//   A₂ σ² + A₁ σ + A₀,   A₂ = PMT, A₁ = PMV − P f_v T, A₀ = −P f_v V − P f_q T,   Δv = (σT + V) a + …
//
// This is exact, and cheaper than the paper's two stages, which factor a matrix of twice the number of
// coordinates and neglect that P does not commute with it.
#pragma once

#include <complex>
#include <vector>

#include "trammel/numerics/linear_algebra.h"

namespace trammel {

class SplittingSystem {
 public:
  // What the rows consist of, at the point of linearisation. All have the coordinates as columns, but
  // `by_state`.
  struct Rows {
    Matrix kinematics;  // K
    Matrix mass;        // M
    Matrix force_by_position, force_by_velocity, force_by_state;
    Matrix rate;  // G', all rows of the constraints
    Matrix state_by_position, state_by_velocity, state_by_state;
  };

  // T has the independent coordinates `independent` as they are; `closing` is Y (GY)⁻¹, a column for each of
  // the rows `active` of the constraints.
  void form(const Rows& rows, const Matrix& T, const Matrix& closing, const std::vector<Index>& independent,
            const std::vector<Index>& active);

  // False where the matrix is singular.
  bool factor(double shift) { return factor_shifted(shift, real_); }
  bool factor(std::complex<double> shift) { return factor_shifted(shift, complex_); }

  // (b₁, …, b₅) in one vector gives (Δq, Δv, Δr) in one.
  void solve(const Eigen::Ref<const Vector>& b, Eigen::Ref<Vector> x) const { solve_shifted(real_, b, x); }
  void solve(const Eigen::Ref<const ComplexVector>& b, Eigen::Ref<ComplexVector> x) const {
    solve_shifted(complex_, b, x);
  }

 private:
  template <class Scalar>
  using Numbers = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  template <class Scalar>
  using Column = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  template <class Scalar>
  struct Shifted {
    Scalar shift{};
    Numbers<Scalar> matrix;
    Eigen::PartialPivLU<Numbers<Scalar>> lu;
  };

  template <class Scalar>
  Numbers<Scalar> divided_by_H(const Numbers<Scalar>& b) const;
  template <class Scalar>
  bool factor_shifted(Scalar shift, Shifted<Scalar>& out) const;
  template <class Scalar>
  void solve_shifted(const Shifted<Scalar>& at, const Eigen::Ref<const Column<Scalar>>& b,
                     Eigen::Ref<Column<Scalar>> x) const;

  Rows rows_;
  Matrix T_, closing_, active_rate_;  // active_rate_: the rows of G' that count
  Matrix V_, A0_, A1_, A2_, state0_, state1_;
  Matrix PM_, Pv_, Pq_, Pr_, PK_;
  Matrix Q_;
  bool by_rows_ = false;  // I + QQᵀ is the smaller one
  Eigen::LLT<Matrix> H_;
  Shifted<double> real_;
  Shifted<std::complex<double>> complex_;
};

}  // namespace trammel
