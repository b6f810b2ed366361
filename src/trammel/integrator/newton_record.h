// How Newton's iteration goes, attempt by attempt: for studies of convergence, and for problems that choose
// their matrix by it.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "trammel/formulation/implicit_problem.h"
#include "trammel/numerics/snapshot.h"

namespace trammel {

// One attempt at a step.
struct NewtonRecord {
  double t = 0, h = 0;  // where it was to end, and its size
  int iterations = 0;   // of the stage that took most of them
  // The mean ratio of two changes in a row, in the norm of the tolerances, of the slowest stage; 0 if none
  // was left after the first.
  double rate = 0;
  bool converged = false;

  void carry(Carrier& carried) { carried(t, h, iterations, rate, converged); }
};

class NewtonLog {
 public:
  // Whether records are kept; otherwise the problem alone is told.
  void keep(bool wanted) { keep_ = wanted; }
  const std::vector<NewtonRecord>& records() const { return records_; }
  // Between two attempts.
  void carry(Carrier& carried) { carried(records_); }

  // An attempt to step to t by h begins.
  void begin(double t, double h) {
    present_ = {t, h};
    iterations_ = 0;
  }
  // The changes of a stage, counted from 1; again from 1 where the iteration begins anew.
  void change(int iteration, double size) {
    if (iteration == 1) {
      end_stage();
      first_ = size;
    }
    iterations_ = iteration;
    last_ = size;
  }
  // The attempt is over.
  void end(bool converged, ImplicitProblem& problem) {
    end_stage();
    present_.converged = converged;
    if (converged) problem.newton_converged(present_.rate);
    if (keep_ && present_.iterations > 0) records_.push_back(present_);
    present_ = {};
  }

 private:
  void end_stage() {
    present_.iterations = std::max(present_.iterations, iterations_);
    if (iterations_ > 1 && first_ > 0)
      present_.rate = std::max(present_.rate, std::pow(last_ / first_, 1.0 / (iterations_ - 1)));
    iterations_ = 0;
  }

  bool keep_ = false;
  std::vector<NewtonRecord> records_;
  NewtonRecord present_;
  double first_ = 0, last_ = 0;
  int iterations_ = 0;
};

}  // namespace trammel
