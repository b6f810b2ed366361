// DOP853: the explicit Runge-Kutta method of order 8 by Dormand and Prince, for problems that are ordinary
// differential equations and not stiff.
//
// The algorithm is that of E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I
// (1993), section II.10. A step ends with what its problem asks for: the state is put on the constraints, and
// how far that moved it counts as error.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "trammel/formulation/ode_problem.h"
#include "trammel/integrator/dop853_options.h"
#include "trammel/integrator/one_step_method.h"

namespace trammel {

class Dop853 final : public OneStepMethod {
 public:
  Dop853(OdeProblem& problem, Dop853Options options);

  void interpolate(double t, VectorOut x) const override;
  const Vector* local_error() const override { return options_.fixed_step ? nullptr : &local_error_; }
  double stability_used() const override { return stability_used_; }
  void sample(double t, VectorOut x) const override;

 private:
  Failure check() const override;
  void resize() override;
  Outcome begin(double h0) override;
  Outcome attempt() override;
  Outcome estimate() override { return Outcome::ok; }  // the attempt knows
  void propose() override;
  double factor_after_error() override;
  void advance() override;
  void carry(Carrier& carried) override;
  Outcome settle() override;
  void went_back() override { rate_ = k_[0]; }

  // The derivatives of the stages of a step, and at its end.
  using Stages = std::array<Vector, 13>;
  // A continuous extension over a step, or over a part of one.
  struct Extension {
    double t = 0, h = 0;
    Vector x;                     // at its begin
    std::array<Vector, 7> terms;  // the last only where it was bent
  };
  // What it does not satisfy the equations by, at those places that were looked at.
  using Defects = std::array<std::optional<Vector>, 4>;

  Outcome rates(double t, Vector& x, Vector& out) const;
  Outcome try_rates(double t, Vector& x, Vector& out) const;
  Outcome choose_first_step();
  void add_stages(const Stages& k, int row, double h, const Vector& x, Vector& out) const;
  Outcome take_stages();
  double error_of_stages();
  double combine_errors();
  Outcome find_error_along_constraints();
  Outcome finish_stages();
  bool suspects_stages();
  double used_stability();
  void set_scale(const Vector& x);
  double size(const VectorIn& values) const;
  void extend() const;
  void judge() const;
  void extend_over(const Stages& k, const Vector& x_end, Extension& out) const;
  bool make_exact(Extension& extension) const;
  std::optional<Vector> defect(const Extension& extension, double s) const;
  double bend(Extension& extension, const Defects& defects) const;
  bool ends_at(const Stages& k, const Extension& step, const Vector& x_end) const;
  bool refine(const Extension& whole, const Vector& rate, const Vector& x_end, const Vector& rate_end,
              int depth) const;
  void evaluate(const Extension& extension, double t, VectorOut x) const;

  OdeProblem& problem_;
  Dop853Options options_;
  Index n_ = 0;  // unknowns that are integrated: the others are computed anew at the end of a step
  mutable int careful_ = 0;  // for so many steps, stages are put on the constraints
  Vector x_new_, scale_, other_scale_, error_, error_3_, local_error_;
  Vector rate_;  // at x_
  double stability_used_ = 0;
  bool moved_far_ = false;  // the end of the present attempt, by its projection

  mutable Stages k_;
  mutable Vector stage_;
  mutable Failure rate_failure_;
  mutable Extension extension_;           // of the last step, once it is asked for
  mutable std::vector<Extension> parts_;  // in its place, where it is not exact enough
  mutable bool extended_ = false, judged_ = false;
};

}  // namespace trammel
