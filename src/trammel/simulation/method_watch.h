// Watches how a run gets on with its method, and says when another one would do better: `method: auto`
// (docs/automatic-method.md).
//
// An attempt at a step costs about as much by the explicit method as by the implicit one, so that what counts is how
// far each gets with it. The explicit one is bounded by stability where the equations are stiff; what it can get is told by the
// fastest rate |λ| of the equations (fastest_rate.h). What the implicit one gets is known once it was tried.
// Nothing here depends on the time that anything takes, so that the same run is the same again.
#pragma once

#include <optional>

#include "trammel/numerics/snapshot.h"

namespace trammel {

class MethodWatch {
 public:
  // From here on a method runs, which is implicit or not. `attempts`: at steps, of the run so far.
  void begin(bool is_implicit, double t, long attempts);
  // Takes in an accepted step to t; `stability_used`: as Integrator tells it. True if the fastest rate is wanted: then judge() is to
  // be called.
  bool step(double t, long attempts, double stability_used);
  // Whether the other method would do better, with the fastest rate at the present state.
  bool judge(std::optional<double> rate);

  // Of the last judgement: the mean step, and the longest one for which the explicit method is stable (infinite if
  // nothing bounds it).
  double mean_step() const { return mean_step_; }
  double stable_step() const { return stable_step_; }

  void carry(Carrier& carried) {
    carried(is_implicit_, warming_up_, proven_, from_t_, from_attempts_, steps_, stiff_steps_, window_, gain_,
            mean_step_, stable_step_, implicit_gain_, trials_in_vain_);
  }

 private:
  void begin_window(double t, long attempts);
  bool judge_explicit(double rate);
  bool judge_implicit();

  bool is_implicit_ = false;
  bool warming_up_ = false;  // its first steps say little
  bool proven_ = false;      // the implicit method has been judged before, and kept
  // Where the present window begins, and the accepted steps in it.
  double from_t_ = 0;
  long from_attempts_ = 0, steps_ = 0;
  long stiff_steps_ = 0;  // of them: bounded by stability, as it seems
  long window_ = 0;       // its length
  double gain_ = 0;       // time per attempt in the last window
  double mean_step_ = 0, stable_step_ = 0;
  // What the implicit method gained when it was last tried, more the longer ago that is; 0: it was not.
  double implicit_gain_ = 0;
  long trials_in_vain_ = 0;  // of the implicit method, in a row
};

}  // namespace trammel
