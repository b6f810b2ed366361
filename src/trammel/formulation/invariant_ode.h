// An ordinary differential equation with invariants, y' = F(t,y) with c(t,y) = 0 along every solution, as three
// operations: the derivative, the projection, the projection of an error; and a norm that tells how far a state is
// off. No matrix is needed. Whoever has a simulator of their own derives from InvariantOde and gets variable order,
// error control and projection inside every step:
//
//   InvariantOdeProblem problem(my_simulator);
//   Multistep steps(problem, {.family = MultistepFamily::adams});
//   steps.start(0, y, t_end, 0);
//   while (steps.t() < t_end && steps.step(t_end) == Outcome::ok) use(steps.t(), steps.x());
//
// M. Sherman, R. Serban, Coordinate projection for CVODES, Stanford and LLNL, 2006; E. Eich, SIAM J. Numer. Anal. 30, 1993.
#pragma once

#include <Eigen/LU>

#include "trammel/formulation/implicit_problem.h"
#include "trammel/formulation/ode_problem.h"

namespace trammel {

class InvariantOde {
 public:
  virtual ~InvariantOde() = default;

  virtual Index unknowns() const = 0;

  // In all that follows `retry` says "not here": the step is repeated, a smaller one. `fail` ends the run. `scale`
  // has the error that counts as one for each unknown.
  virtual Outcome derivative(double t, VectorIn y, VectorOut rates) = 0;
  // Moves y to a nearby state whose violation is at most `tolerance`; the nearest one in the norm of y_i / scale_i, as
  // far as that is convenient.
  virtual Outcome project(double t, VectorIn scale, double tolerance, VectorOut y) = 0;
  // Takes from an error of y what lies across the invariants: what is left is tangential, c_y error = 0.
  virtual Outcome project_error(double t, VectorIn y, VectorIn scale, VectorOut error) = 0;
  // How far y is from the invariants; 1 is as far as an error that is just tolerated.
  virtual double violation(double t, VectorIn y, VectorIn scale) = 0;

  // ∂F/∂y, for `bdf`. False: it is found by differences.
  virtual bool jacobian(double /*t*/, VectorIn /*y*/, Matrix& /*F_y*/) { return false; }
};

// What an integrator sees of it.
class InvariantOdeProblem final : public OdeProblem, public ImplicitProblem {
 public:
  // Kept by reference.
  explicit InvariantOdeProblem(InvariantOde& ode);

  Index unknowns() const override { return ode_.unknowns(); }
  const std::vector<int>& variable_index() const override { return index_; }
  Outcome start(double t, VectorIn y) override;

  Outcome rates(double t, VectorIn y, VectorOut rates) override;
  Outcome put_back(double t, VectorOut y) override;
  bool has_invariants() const override { return true; }
  Outcome violation(double t, VectorIn y, VectorIn scale, double& size) override;
  Outcome project(double t, VectorIn scale, double tolerance, VectorOut y) override;
  Outcome project_error(double t, VectorIn y, VectorIn scale, VectorOut error) override;

  // y' = F as an implicit equation: E is the identity.
  Outcome residual(double t, VectorIn y, VectorIn rates, VectorOut out) override;
  Outcome linearize(double t, VectorIn y) override;
  Outcome factor(double shift) override;
  Outcome factor(std::complex<double> shift) override;
  void solve(VectorIn residual, VectorOut y) override;
  void solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> y) override;
  Outcome multiply_mass(double t, VectorIn y, VectorIn vector, VectorOut out) override;

 private:
  template <class Operation>
  Outcome call(double t, const char* name, const Operation& operation);
  Outcome difference(double t, VectorIn y);

  InvariantOde& ode_;
  std::vector<int> index_;
  Matrix jacobian_;
  Vector rates_, shifted_, other_, unit_;
  Eigen::PartialPivLU<Matrix> lu_;
  Eigen::PartialPivLU<ComplexMatrix> complex_lu_;
};

}  // namespace trammel
