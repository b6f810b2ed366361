// SDIRK with five stages, order 4: singly diagonally implicit, stiffly accurate, L-stable, for ODEs and for
// linearly implicit DAEs. Its stages are solved one after the other with one real matrix, so that it asks
// less of a problem than Radau IIA.
//
// The algorithm is that of SDIRK4 (E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed.,
// 1996, section IV.6 for the methods, IV.8 for Newton's iteration and the control of the step size). With z_i
// the increment of stage i and α = I − γ A⁻¹ below the diagonal,
//
//     h x'_i = (z_i − Σ_{j<i} α_ij z_j) / γ,      φ(t + c_i h, x + z_i) − E x'_i = 0,      x_new = x + z_5 .
#pragma once

#include <array>

#include "trammel/integrator/implicit_one_step_method.h"

namespace trammel {

namespace sdirk {
struct Coefficients;
}

struct SdirkOptions {
  enum class Gamma { four_fifteenths, one_quarter };
  using StartingValues = trammel::StartingValues;

  Tolerances tolerances;
  // The diagonal of the method, which decides all its coefficients.
  Gamma gamma = Gamma::four_fifteenths;
  // Newton iterations allowed per stage.
  int max_newton_iterations = 7;
  // What the first stage begins its iteration with: the last step extrapolated, or the old state. The others
  // begin with what the stages before them predict.
  StartingValues starting_values = StartingValues::extrapolated;
  long max_steps = 100000;
  double safety = 0.9;
  // The Jacobian is kept for the next step if Newton converged faster than this; negative: never kept.
  double jacobian_reuse = 0.001;
  // The iteration of a stage stops when the remaining error is below this, relative to the tolerance. 0:
  // min(0.03, √rtol), but not below round-off.
  double newton_stop = 0;
  // The step size is kept, and the factorisation with it, if the proposed one is between these multiples of
  // it.
  double keep_step_above = 1.0, keep_step_below = 1.2;
  // 0: the whole interval.
  double max_step = 0;
  // The step size changes at most by these factors.
  double min_step_factor = 0.25, max_step_factor = 4;
  // Take every step with the initial step size, whatever the error (for convergence studies).
  bool fixed_step = false;
  // Go on from the solution of order 4; otherwise from the embedded one of order 3, to which the estimate of
  // the error belongs.
  bool local_extrapolation = true;

  Failure check(Index n) const;
  StepControl step_control() const;
  NewtonControl newton_control() const;
};

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
  Outcome estimate() override;
  void advance() override;
  void carry(Carrier& carried) override;
  double tolerance() const override { return options_.tolerances.relative_of(0); }

  void set_scale(VectorOut scale, const std::vector<int>& index);
  void predict(int stage);
  Newton iterate(int stage);
  Newton correct(int stage);
  void build_polynomial();

  SdirkOptions options_;
  const sdirk::Coefficients& method_;
  std::array<Vector, 5> z_;
  // The continuous extension of the last step: where it began, its size, the coefficients of s, s², s³, s⁴.
  struct Extension {
    double t = 0, h = 0;
    Vector x;
    std::array<Vector, 4> power;
    bool valid = false;
    void carry(Carrier& carried) { carried(t, h, x, power, valid); }
  } extension_;

  Vector scale_, error_scale_, stage_, base_, rate_, residual_, delta_;
  double size_ = 0;  // of the last correction
};

}  // namespace trammel
