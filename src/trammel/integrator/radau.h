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
#include "trammel/integrator/radau_options.h"

namespace trammel {

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
  Outcome find_end(Vector& end) override {
    end = x_ + Z_[2];
    return Outcome::ok;
  }
  Outcome estimate() override;
  bool leap(double bound, double& t, Vector& x) override;
  void advance() override;
  void carry(Carrier& carried) override;
  bool keeps_fresh_jacobian() const override { return options_.newton_matrix_at == 0; }
  const Tolerances& tolerances() const override { return options_.tolerances; }
  double power_of_round_off() const override { return options_.transform_tolerances ? 1.5 : 1; }

  void set_scale(VectorOut scale, VectorIn other, const std::vector<int>& index);
  double internal(double rtol) const;
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

  Tolerances inside_;  // those that are kept to
  Vector tightening_;  // of what is given
  Vector size_;        // of unknowns in a step
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
