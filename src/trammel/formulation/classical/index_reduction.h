// The classical forms of the equations of motion, for comparison and for those who want them:
//
//   index3     the equations as they are: 0 = g
//   index2     0 = gᴵ instead of g: positions drift linearly
//   index1     0 = gᴵᴵ instead of g: positions drift quadratically
//   baumgarte  0 = gᴵᴵ + 2α gᴵ + β² g (J. Baumgarte, 1972), and hᴵ + α h for nonholonomic constraints
//   ggl        p' = Zv − Gᵀη, 0 = gᴵ, 0 = g (C. W. Gear, B. Leimkuhler, G. K. Gupta, 1985)
//   ode        no constraints at all
//
// Nonholonomic constraints stand at velocity level, except in index1 and baumgarte. Normalisations n(p) = 0
// get a multiplier of their own, p' = Zv − n_pᵀν, in every form. Solved densely; redundant constraints are
// refused.
#pragma once

#include "trammel/formulation/classical/index_reduction_options.h"
#include "trammel/formulation/dense_motion_problem.h"
#include "trammel/formulation/implicit_problem.h"
#include "trammel/formulation/ode_problem.h"

namespace trammel {

class IndexReduction final : public DenseMotionProblem, public OdeProblem, public ImplicitProblem {
 public:
  IndexReduction(EquationsOfMotion& motion, IndexReductionOptions options);

  // The motion's unknowns first, then η and ν.
  Index unknowns() const override { return total_; }
  const std::vector<int>& variable_index() const override { return index_; }
  const std::vector<int>& newton_index() const override { return newton_index_; }

  Outcome start(double t, VectorIn x) override;
  Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) override;
  OdeProblem* ode() override { return options_.form == Form::ode && nu_.size == 0 ? this : nullptr; }
  Outcome rates(double t, VectorIn x, VectorOut xdot) override;
  Outcome multiply_mass(double t, VectorIn x, VectorIn vector, VectorOut out) override;
  Outcome linearize(double t, VectorIn x) override;
  Outcome factor(double shift) override;
  Outcome factor(std::complex<double> shift) override;
  bool has_exact_matrix() const override {
    return !options_.frozen_constraints || options_.form != Form::ggl;
  }
  void solve(VectorIn residual, VectorOut x) override;
  void solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) override;

 private:
  using Form = IndexReductionOptions::Form;
  bool stands_at_acceleration() const {
    return options_.form == Form::index1 || options_.form == Form::baumgarte;
  }
  void constraint_jacobian(Matrix& G);

  IndexReductionOptions options_;
  Block eta_, nu_;
  Index total_ = 0;
  std::vector<int> index_, newton_index_;
  Matrix E_, J_, G_, small_;
  ComplexMatrix complex_small_;
  Eigen::PartialPivLU<Matrix> lu_, c_s_;
  Matrix s_p_;
  Eigen::PartialPivLU<ComplexMatrix> complex_lu_;
};

}  // namespace trammel
