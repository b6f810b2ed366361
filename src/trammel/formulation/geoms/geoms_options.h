// What can be chosen of the published procedure of GEOMS (geoms.h).
#pragma once

#include "trammel/numerics/constraint_decomposition.h"

namespace trammel {

enum class DifferentialDecomposition { lu, qr };

struct GeomsOptions {
  enum class Form { complete, incomplete };
  enum class Selectors { when_needed, every_step };

  Form form = Form::complete;
  // Of the constraint Jacobians. LU and QR need independent constraints; singular values do not.
  Decomposition algebraic = Decomposition::lu;
  // Go on with singular values where LU or QR finds redundant constraints, instead of stopping.
  bool switch_to_svd = true;
  DifferentialDecomposition differential = DifferentialDecomposition::lu;
  Selectors selectors = Selectors::when_needed;
  // Keep known invariants e = 0 (otherwise they are only watched).
  bool enforce_invariants = true;
  // Close the constraints to round-off at the end of every step.
  bool close_constraints = true;
  // A singular value (or pivot) below this, relative to the largest, counts as zero.
  double rank_tolerance = 1e-9;
  // At how many points in a row another rank must be found before it is taken for the rank of the mechanism.
  // A rank that drops for a moment is a singular position that the motion passes.
  int rank_patience = 3;
};

}  // namespace trammel
