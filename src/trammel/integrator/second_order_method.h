// One-step methods for problems of second order: the trapezoidal rule, HHT, generalised-α, of order 2. With ã an average of the
// accelerations,
//
//     (1 − α_m) ã₁ + α_m ã = (1 − α_f) a₁ + α_f a
//     q = h v + h² ((1/2 − β) ã + β ã₁)          the displacement, from positions p to p ∘ q
//     v₁ = v + h ((1 − γ) ã + γ ã₁)
//
// and the equations hold at the end of the step: M a₁ = f₁ (J. Chung, G. Hulbert, A time integration algorithm for structural
// dynamics with improved numerical dissipation, 1993; M. Arnold, O. Brüls, Convergence of the generalized-α scheme for
// constrained mechanical systems, 2007). ã is nearly a at t + (α_m − α_f) h. What is kept from step to step is (ã − a)/h, so that
// a step may be of another size than the one before it. States r go like velocities.
#pragma once

#include "trammel/formulation/second_order_problem.h"
#include "trammel/integrator/one_step_method.h"
#include "trammel/integrator/second_order_options.h"

namespace trammel {

class SecondOrderMethod final : public OneStepMethod {
 public:
  struct Coefficients {
    double alpha_m = 0, alpha_f = 0, beta = 0.25, gamma = 0.5;

    static Coefficients of(SecondOrderOptions::Kind kind, double rho);
    // ã is a at t + shift h.
    double shift() const { return alpha_m - alpha_f; }
    // Of the third derivative of what is integrated twice, times h³; and once.
    double displacement_error() const { return 1.0 / 6 - beta - shift() / 2; }
    double velocity_error() const { return 1.0 / 12 + shift() * (alpha_m - 0.5) - shift() * shift(); }
  };

  SecondOrderMethod(SecondOrderProblem& problem, SecondOrderOptions options);

  void interpolate(double t, VectorOut x) const override;
  const Vector* error_estimate() const override { return options_.step > 0 ? nullptr : &error_; }

  // Another value of a state r, between two steps: it holds from there on.
  void set_state(Index i, double value) { x_[layout_.states.begin + i] = value; }

  // Whether the iteration of the last step did not converge, and how far it came: the last residual relative to the forces.
  bool unconverged() const { return unconverged_; }
  double residual() const { return problem_.relative_residual(); }
  int iterations() const { return iterations_; }

 private:
  enum class Newton { converged, slow, diverged, retry, fail };

  // What belongs to a kind of unknowns besides themselves: velocities and their derivatives, or states and theirs.
  struct Rates {
    Vector now, before, next;  // derivatives at the ends of steps; `before` of the step before the last
    Vector drift;              // (average − now)/h
    Vector slope;              // the rate of `now`, as long as there is no history
    Vector average, next_average;
    // The same derivatives for the estimate of the error.
    Vector smooth_now, smooth_before, smooth_next;

    void resize(Index n);
    void carry(Carrier& carried) { carried(now, before, drift, smooth_now, smooth_before); }
  };

  Failure check() const override { return options_.check(problem_.unknowns()); }
  void resize() override;
  Outcome begin(double h0) override;
  Outcome attempt() override;
  Outcome estimate() override;
  void propose() override;
  double factor_after_error() override;
  void rejected() override { problem_.forget_matrices(); }
  void advance() override;
  void carry(Carrier& carried) override;
  void went_back() override;

  void find_slope(double h);
  void add_turning();
  static void go_on(Rates& rates, Rates& old, double h);
  static void go_back(Rates& rates, const Rates& old);
  void predict();
  void set_guess();
  Newton iterate();
  Outcome hop();
  Outcome obstructed(Newton how);
  void set_scale(const std::vector<int>& index);

  SecondOrderProblem& problem_;
  SecondOrderOptions options_;
  Coefficients method_;
  SecondOrderLayout layout_;
  bool has_history_ = false;  // `before` is known
  bool has_slope_ = false;
  double h_past_ = 0;  // the step since then
  Rates accelerations_, states_;
  Vector q_, aside_, change_q_, change_aside_, change_states_;
  Vector x_new_, x_guess_, scale_, error_, work_;
  // What an iteration leaves relative to its change, as seen last: with derivatives at its guess, and with older ones.
  double eta_ = 1, eta_of_old_ = 1;
  bool hopped_ = false;  // the step was too short for an iteration
  bool unconverged_ = false;
  int iterations_ = 0;
  // For the continuous extension and for going back: as it was at the beginning of the last step.
  struct Before {
    Rates accelerations, states;
    bool has_history = false;
    double h_past = 0;
    void carry(Carrier& carried) { carried(accelerations, states, has_history, h_past); }
  } before_;
  mutable Vector rate_0_, rate_1_;
};

}  // namespace trammel
