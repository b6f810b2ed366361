// Of all multipliers with the same effect Dᵀλ, where constraints are redundant, those of minimal norm: what
// is shown to a user as reactions.
#pragma once

#include "trammel/motion/sparse_kkt.h"

namespace trammel {

class MinimalMultipliers {
 public:
  // False, with λ as it was, if they cannot be computed. D must have the same pattern in every call.
  bool reduce(const SparseMatrix& D, VectorOut lambda);
  // The same with Dᵀλ = force; what of it no multiplier can do is left out.
  bool reduce(const SparseMatrix& D, const Vector& force, VectorOut lambda);

 private:
  SparseKkt kkt_;
  SparseMatrix identity_;
};

}  // namespace trammel
