// DOP853: the explicit Runge-Kutta method of order 8 by Dormand and Prince, for problems that are ordinary
// differential equations and not stiff.
//
// The algorithm is that of E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I
// (1993), section II.10. A step ends with what its problem asks for: the state is put on the constraints, and
// how far that moved it counts as error.
#pragma once

#include <array>

#include "trammel/formulation/ode_problem.h"
#include "trammel/integrator/integrator.h"

namespace trammel {

struct Dop853Options {
  Tolerances tolerances;
  long max_steps = 100000;
  // 0: the whole interval.
  double max_step = 0;
  double safety = 0.9;
  // The step size changes at most by these factors.
  double min_step_factor = 1.0 / 3, max_step_factor = 6;
  // Take every step with the initial step size, whatever the error (for convergence studies).
  bool fixed_step = false;

  Failure check(Index n) const;
};

class Dop853 final : public Integrator {
 public:
  Dop853(OdeProblem& problem, Dop853Options options);

  Outcome start(double t, VectorIn x, double t_end, double h0) override;
  Outcome step(double bound) override;
  void retreat() override;
  void interpolate(double t, VectorOut x) const override;

  double t() const override { return t_; }
  double previous_t() const override { return t_old_; }
  const Vector& x() const override { return x_; }
  double last_step() const override { return h_last_; }
  double next_step() const override { return h_; }

 private:
  Outcome rates(double t, Vector& x, Vector& out) const;
  Outcome choose_first_step();
  void add_stages(int row, double h, const Vector& x, Vector& out) const;
  Outcome take_stages();
  double error_of_stages();
  Outcome finish_stages();
  Outcome give_way();
  Outcome reject(double factor);
  bool suspects_stages();
  void set_scale(const Vector& x);
  double size(const VectorIn& values) const;
  void extend() const;

  OdeProblem& problem_;
  Dop853Options options_;
  Index n_ = 0;  // unknowns that are integrated: the others are computed anew at the end of a step
  double t_ = 0, t_old_ = 0, t_end_ = 0;
  double h_ = 0, h_last_ = 0, err_ = 0;
  bool rejected_ = false;
  int careful_ = 0;  // for so many steps, stages are put on the constraints
  Vector x_, x_old_, x_new_, scale_, error_, error_3_;
  Vector rate_;  // at x_
  Failure trouble_;

  // Derivatives of the stages of the last step; those of the continuous extension once it is asked for.
  mutable std::array<Vector, 16> k_;
  mutable Vector stage_;
  mutable Failure rate_failure_;
  mutable std::array<Vector, 7> extension_;
  mutable bool extended_ = false;
};

}  // namespace trammel
