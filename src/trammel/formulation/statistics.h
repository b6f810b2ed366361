// The counters of a run.
#pragma once

#include "trammel/numerics/snapshot.h"

namespace trammel {

struct Statistics {
  long accepted = 0;              // steps that were kept
  long steps = 0;                 // steps that were tried
  long rejected_error = 0;        // because the local error was too large
  long rejected_convergence = 0;  // because Newton's iteration did not converge
  long rejected_projection = 0;   // because the state could not be put on the constraints
  long evaluations = 0;           // of the equations of motion
  long mass_evaluations = 0;
  long jacobians = 0;
  long selectors = 0;          // computations of selectors
  long predecompositions = 0;  // of the part that does not depend on the step size
  long decompositions = 0;     // of the part that does (a real and a complex one count once)
  long backsubstitutions = 0;  // a real and a complex one count once
  long newton_iterations = 0;
  long closing_jacobians = 0;      // for closing the constraints at the end of a step
  long projections = 0;            // of states onto the constraints, inside steps
  long projections_skipped = 0;    // the constraints were met well enough
  long projection_iterations = 0;  // of all of them
  long rank_changes = 0;           // the rank of the constraints changed for good
  long singular_positions = 0;     // passed
  long events = 0;
  long switches = 0;  // ends of branches of laws that steps ended at

  // In multiples of the tolerance: how far a projection moved a state at most; and the estimated errors of the steps
  // that were kept, before and after they were projected, added up.
  double largest_projection = 0;
  double error_before_projection = 0, error_after_projection = 0;

  // Attempts that were not kept, for whatever reason.
  long rejected() const { return rejected_error + rejected_convergence + rejected_projection; }

  void carry(Carrier& carried) {
    carried(accepted, steps, rejected_error, rejected_convergence, rejected_projection, evaluations,
            mass_evaluations, jacobians, selectors, predecompositions, decompositions, backsubstitutions,
            newton_iterations, closing_jacobians, projections, projections_skipped, projection_iterations,
            rank_changes, singular_positions, events, switches, largest_projection, error_before_projection,
            error_after_projection);
  }
};

}  // namespace trammel
