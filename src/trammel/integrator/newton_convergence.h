// When Newton's iteration on the stages of a step has converged. The rule is that of RADAU5 and SDIRK4 (E.
// Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., 1996, section IV.8): with θ the
// ratio of two changes in a row, θ/(1 − θ) times the last change is left of the error.
//
// The originals trust a rate that they have not seen: one change is enough if the step before converged fast,
// two are if the first of them was large in a direction that the matrix knows well, and an attempt that
// diverged leaves the rate of the one before it. A stage that is far from its solution passes, because a
// slow direction, a new force or an inexact matrix shows in the ratio of later changes only. Here a rate that
// was not seen twice is trusted with changes of the size of the tolerance only, of two ratios the worse one
// counts, and what did not converge leaves no rate behind. Where the matrix is known to be inexact a rate
// that was not seen twice is not trusted at all.
#pragma once

#include "trammel/numerics/snapshot.h"

namespace trammel {

class NewtonConvergence {
 public:
  enum class Verdict { go_on, converged, slow, diverged };

  // Round-off that is larger than this, relative to the tolerance, is not taken for convergence: where it is
  // known to be round-off, and where it only may be.
  static constexpr double most_noise = 0.1, most_stagnation = 0.01;

  struct Limits {
    double stop = 0.03;  // what may be left of the error, relative to the tolerance
    // Changes below this are round-off.
    double noise = 0;
    // Changes below this are round-off if they do not become smaller.
    double stagnation = 0;
    int max_iterations = 10;
    // θ as long as none is known.
    double unknown_rate = 0.001;
    // Whether θ is the mean of the last two ratios.
    bool mean_rate = false;
    // Whether the matrix is that of Newton's method, if only at another point.
    bool exact_matrix = true;
  };

  // At the beginning of a run: nothing is known of the rate.
  void forget() { has_converged_ = false; }

  void carry(Carrier& carried) { carried(has_converged_, share_left_); }

  // An iteration begins.
  void begin(const Limits& limits);
  // After each change, by its size relative to the tolerance. The change is to be applied unless the
  // iteration is slow or diverges.
  Verdict judge(double size);

  // θ, and by how much a step that was slow is to be made shorter.
  double rate() const { return rate_; }
  double slow_factor() const { return slow_factor_; }
  int iterations() const { return iterations_; }
  // The size of changes that did not become smaller, if that may have been round-off; otherwise 0.
  double stagnated_at() const { return stagnated_at_; }

 private:
  Limits limits_;
  double rate_ = 0, slow_factor_ = 0.5;
  bool has_converged_ = false;  // the last iteration
  double share_left_ = 1;       // θ/(1 − θ), the one of the last iteration to begin with
  int iterations_ = 0;
  double previous_ = 0, previous_ratio_ = 0, stagnated_at_ = 0;
};

}  // namespace trammel
