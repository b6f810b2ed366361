// SDIRK with five stages, order 4: singly diagonally implicit, stiffly accurate, L-stable, for ODEs and for
// linearly implicit DAEs. Its stages are solved one after the other with one real matrix, so that it asks
// less of a problem than Radau IIA.
//
// The algorithm is that of SDIRK4 (E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed.,
// 1996, section IV.6 for the methods, IV.8 for Newton's iteration and the control of the step size). With z_i
// the increment of stage i and α = I − γ A⁻¹ below the diagonal,
//
//     h x'_i = (z_i − Σ_{j<i} α_ij z_j) / γ,      φ(t + c_i h, x + z_i) − E x'_i = 0,      x_new = x + z_5 .
//
// A problem of index 2 puts x + z_i on its constraints by forces that are none of the motion; x'_i has these in it,
// and the order would be 2. If such a problem knows x' at a stage (ImplicitProblem::improve_rates), Σ_{j<i} goes over
// u_j = Σ_{l<=j} a_jl h x'(x + z_l) in place of z_j: that is the method for the differential equation x' = f(π(x)), π
// the projection onto the constraints, and of order 4 again.
#pragma once

#include <array>

#include "trammel/integrator/implicit_one_step_method.h"
#include "trammel/integrator/sdirk_options.h"

namespace trammel {

namespace sdirk {
struct Coefficients;
}

class Sdirk final : public ImplicitOneStepMethod {
 public:
  Sdirk(ImplicitProblem& problem, SdirkOptions options);

  void interpolate(double t, VectorOut x) const override;

 private:
  Failure check() const override { return options_.check(problem_.unknowns()); }
  void resize() override;
  Outcome linearize() override;
  Outcome factor() override;
  Newton solve_stages() override;
  Outcome find_end(Vector& end) override;
  Outcome estimate() override;
  void advance() override;
  void carry(Carrier& carried) override;
  const Tolerances& tolerances() const override { return options_.tolerances; }

  bool wants_matrix_ahead() const;
  Outcome find_error();
  void set_scale(VectorOut scale, const std::vector<int>& index);
  void predict(int stage);
  void keep_increment(int stage);
  Newton iterate(int stage);
  Newton correct(int stage);
  double rate_at(int stage, Index l) const;
  double unseen_at_begin();
  void build_polynomial();

  SdirkOptions options_;
  const sdirk::Coefficients& method_;
  std::array<Vector, 5> z_;
  std::array<Vector, 4> u_;  // the increments that the derivatives at the stages make
  // The continuous extension of the last step: where it began, its size, the coefficients of s, s², s³, s⁴.
  struct Extension {
    double t = 0, h = 0;
    Vector x;
    std::array<Vector, 4> power;
    bool valid = false;
    void carry(Carrier& carried) { carried(t, h, x, power, valid); }
  } extension_;

  Vector end_rate_;  // h x' at the end of the last step, of that step
  Vector scale_, error_scale_, stage_, base_, rate_, residual_, delta_;
  double size_ = 0;               // of the last correction
  bool matrix_is_ahead_ = false;  // taken in the middle of a step
  int middle_failures_ = 0;       // of attempts at the present step
};

}  // namespace trammel
