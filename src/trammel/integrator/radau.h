// Radau IIA with three stages, order 5: stiffly accurate, L-stable, for ODEs and for linearly implicit DAEs
// up to index 3.
//
// The algorithm is that of RADAU5 (E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed.,
// 1996, section IV.8) with the options of GEOMS (A. Steinbrecher, 2007, section 3): simplified Newton
// iteration on the transformed stages, error estimate filtered by the real factor, predictive step size
// control.
#pragma once

#include <array>

#include "trammel/integrator/implicit_one_step_method.h"

namespace trammel {

struct RadauOptions {
  using StartingValues = trammel::StartingValues;
  enum class Controller { predictive, classical };

  Tolerances tolerances;
  // Newton iterations allowed per step.
  int max_newton_iterations = 10;
  // Stage values to begin the iteration with: the last collocation polynomial extrapolated, or none.
  StartingValues starting_values = StartingValues::extrapolated;
  long max_steps = 100000;
  Controller controller = Controller::predictive;
  // Where the Newton matrix is taken: 0 = at x_k; 1, 2, 3 = at that stage as extrapolated (2 is often
  // fastest).
  int newton_matrix_at = 0;
  // How often the Newton matrix may be renewed inside one step's iteration before the step is given up.
  int newton_matrix_updates = 0;
  double safety = 0.9;
  // The Jacobian is kept for the next step if Newton converged faster than this; negative: never kept.
  double jacobian_reuse = 0.001;
  // The iteration stops when the remaining error is below this, relative to the tolerance. 0: min(0.03,
  // √rtol'/4), rtol' being the tolerance used inside. (The manual of GEOMS prints MIN(0.03D0,RTOL(1))*0.5D0,
  // which costs twice the iterations that its own tables count; with an exponent as in RADAU5, **0.5D0, the
  // tables come out.)
  double newton_stop = 0;
  // The step size is kept if the proposed one is between these multiples of it.
  double keep_step_above = 1.0, keep_step_below = 1.2;
  // 0: the whole interval.
  double max_step = 0;
  // The step size changes at most by these factors.
  double min_step_factor = 0.2, max_step_factor = 8;
  // Use 0.1·rtol^(2/3) inside, as RADAU5 does: the estimate is of order 3, the solution of order 5.
  bool transform_tolerances = true;
  // Leap over a singular position, where Newton's iteration cannot step across, if the extrapolated state is
  // within the tolerance there.
  bool leap_over_singular = true;
  // Take every step with the initial step size, whatever the error (for convergence studies).
  bool fixed_step = false;

  Failure check(Index n) const;
  StepControl step_control() const;
  NewtonControl newton_control() const;
};

class Radau final : public ImplicitOneStepMethod {
 public:
  Radau(ImplicitProblem& problem, RadauOptions options);

  void interpolate(double t, VectorOut x) const override;

 private:
  Failure check() const override { return options_.check(problem_.unknowns()); }
  void resize() override;
  Outcome linearize() override;
  Outcome factor() override;
  Newton solve_stages() override;
  Outcome estimate() override;
  bool leap(double bound, double& t, Vector& x) override;
  void advance() override;
  void carry(Carrier& carried) override;
  bool keeps_fresh_jacobian() const override { return options_.newton_matrix_at == 0; }
  double tolerance() const override { return options_.tolerances.relative_of(0); }
  double power_of_round_off() const override { return options_.transform_tolerances ? 1.5 : 1; }

  void set_scale(VectorOut scale, VectorIn other, const std::vector<int>& index);
  double internal_rtol(Index i) const;
  Outcome linearize_at(int stage);
  Newton iterate();
  Newton iterate_with_updates();
  void predict_stages();
  Outcome complete_stages();
  void transform_stages();
  bool iterate_stages();
  Outcome estimate_with_matrix();
  Outcome solve_for_error(VectorIn x);
  bool departs();
  void predict_step();
  void build_polynomial();

  RadauOptions options_;
  double h_accepted_ = 0, err_accepted_ = 0;  // of the last step, for the predictive controller
  std::array<Vector, 3> Z_, W_;
  // The cubic through x_k and the stages: right end, step size, state there, divided differences.
  struct Collocation {
    double t = 0, h = 0;
    Vector x;
    std::array<Vector, 3> difference;
    bool valid = false;
    void evaluate(double time, VectorOut out) const;
    void carry(Carrier& carried) { carried(t, h, x, difference, valid); }
  };
  Collocation poly_, poly_before_;  // of the last step and of the one before

  Vector relative_, absolute_;  // tolerances used inside
  Vector scale_, error_scale_, stage_, rate_, rhs_real_, work_;
  std::array<Vector, 3> residual_;
  ComplexVector rhs_complex_, delta_complex_;
  Vector delta_real_;
  std::array<Vector, 3> delta_;

  // Relative to the way of a step; see departs().
  static constexpr double departure_limit = 0.3;
  Vector expected_;         // Z_[2] as extrapolated
  bool predicted_ = false;  // it is an extrapolation
  int matrix_at_ = 0;       // the stage where the Newton matrix was taken

  // of the constraints at the last two points of linearisation
  double regularity_t_ = 0, previous_regularity_ = 1, previous_regularity_t_ = 0;
  bool extrapolate_ = true;
};

}  // namespace trammel
