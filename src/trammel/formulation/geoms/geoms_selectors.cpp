// The choice of selectors: which differential equations are kept beside the constraints.

#include <algorithm>

#include "trammel/formulation/geoms/geoms.h"

namespace trammel {

// B: how (p', v') and, in the incomplete form, the multipliers times M⁻¹ move along the directions that the
// constraints leave free. Any S with S diag(I, M) B regular is a selector.
void Geoms::build_directions() {
  const Layout& l = layout_;
  const Matrix& position = solver_.own_kernel(position_group_);
  const Matrix& velocity = solver_.own_kernel(velocity_group_);
  const bool joint = position_group_ == velocity_group_;
  const Index k_p = position.cols(), k_v = joint ? 0 : velocity.cols();
  const Index k_m = is_complete() ? 0 : free_multipliers_.cols();
  B_.setZero(l.p.size + l.v.size, k_p + k_v + k_m);
  B_.topLeftCorner(l.p.size, k_p) = position.topRows(l.p.size);
  if (joint)
    B_.block(l.p.size, 0, l.v.size, k_p) = position.bottomRows(l.v.size);
  else
    B_.block(l.p.size, k_p, l.v.size, k_v) = velocity;
  if (k_m > 0) {
    velocity_jacobian(C_);
    force_directions_.noalias() = C_.transpose() * free_multipliers_;
    solve_mass(force_directions_);
    B_.bottomRightCorner(l.v.size, k_m) = force_directions_;
    for (Index j = k_p + k_v; j < B_.cols(); ++j) B_.col(j).normalize();
  }
}

// Which coordinates the selectors pick. The choice is kept until the pivoting changes.
void Geoms::compute_selectors() {
  const Layout& l = layout_;
  const std::vector<Index>& position_pivots = solver_.decomposition(position_group_).dependent();
  const std::vector<Index>& velocity_pivots = solver_.decomposition(velocity_group_).dependent();
  selected_.clear();
  if (algebraic_ != Decomposition::svd) {
    if (is_complete() && l.s.size == 0) {
      // the independent coordinates
      const auto independent = [&](const std::vector<Index>& dependent, Index first, Index count) {
        for (Index i = 0; i < count; ++i)
          if (!std::binary_search(dependent.begin(), dependent.end(), i)) selected_.push_back(first + i);
      };
      if (position_group_ == velocity_group_) {
        independent(position_pivots, 0, l.p.size + l.v.size);
      } else {
        independent(position_pivots, 0, l.p.size);
        independent(velocity_pivots, l.p.size, l.v.size);
      }
    } else {
      // contact coordinates have no differential equation, multipliers no coordinate: eliminate to see which
      // rows serve
      build_directions();
      B_transposed_ = B_.transpose();
      selection_.factor(B_transposed_, 0.0);
      for (Index k = 0; k < selection_.rank(); ++k) selected_.push_back(selection_.pivot_column(k));
      std::sort(selected_.begin(), selected_.end());
    }
  }
  pivots_.resize(2);
  pivots_[0] = position_pivots;
  pivots_[1] = velocity_pivots;
  selectors_wanted_ = false;
  ++statistics().selectors;
}

// S for the present mass matrix: p_i' = (Zv)_i for a selected position; for a selected velocity the row of
// M⁻¹ that gives v_i' = a_i. With singular values Bᵀ itself is taken, anew at every linearisation: then S
// diag(I, M) B is positive definite.
void Geoms::build_selectors() {
  const Layout& l = layout_;
  if (algebraic_ == Decomposition::svd) {
    build_directions();
    S_ = B_.transpose();
    return;
  }
  S_.setZero(static_cast<Index>(selected_.size()), l.p.size + l.v.size);
  for (std::size_t row = 0; row < selected_.size(); ++row) S_(static_cast<Index>(row), selected_[row]) = 1;
  S_v_transposed_ = S_.rightCols(l.v.size).transpose();
  solve_mass(S_v_transposed_);
  S_.rightCols(l.v.size) = S_v_transposed_.transpose();
}

void Geoms::apply_selectors() {
  const Layout& l = layout_;
  build_selectors();
  differential_rows_ = S_.rows() + l.r.size;
  E_d_.setZero(differential_rows_, l.total);
  J_d_.resize(differential_rows_, l.total);
  // internal columns of p and v
  const Index v_column = l.p.size + l.s.size;
  E_d_.topLeftCorner(S_.rows(), l.p.size) = S_.leftCols(l.p.size);
  E_d_.block(0, v_column, S_.rows(), l.v.size).noalias() = S_.rightCols(l.v.size) * mass_;
  E_d_.block(S_.rows(), v_column + l.v.size, l.r.size, l.r.size).setIdentity();
  J_d_.topRows(S_.rows()).noalias() = S_ * motion_J_;
  for (Index j = 0; j < l.total; ++j)
    J_d_.col(j).tail(l.r.size) = derivatives_.b.col(order_[static_cast<std::size_t>(j)]);
  solver_.set_differential(E_d_, J_d_);
}

}  // namespace trammel
