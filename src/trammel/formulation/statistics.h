// The counters of a run.
#pragma once

namespace trammel {

struct Statistics {
  long accepted = 0;              // steps that were kept
  long steps = 0;                 // steps that were tried
  long rejected_error = 0;        // because the local error was too large
  long rejected_convergence = 0;  // because Newton's iteration did not converge
  long evaluations = 0;           // of the equations of motion
  long mass_evaluations = 0;
  long jacobians = 0;
  long selectors = 0;          // computations of selectors
  long predecompositions = 0;  // of the part that does not depend on the step size
  long decompositions = 0;     // of the part that does (a real and a complex one count once)
  long backsubstitutions = 0;  // a real and a complex one count once
  long newton_iterations = 0;
  long closing_jacobians = 0;   // for closing the constraints at the end of a step
  long rank_changes = 0;        // the rank of the constraints changed for good
  long singular_positions = 0;  // passed
  long events = 0;
  long switches = 0;  // ends of branches of laws that steps ended at
};

}  // namespace trammel
