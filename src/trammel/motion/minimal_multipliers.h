// Of all multipliers with the same effect Dᵀλ, where constraints are redundant, those of minimal norm: what
// is shown to a user as reactions.
#pragma once

#include <memory>

#include "trammel/numerics/assembled_matrix.h"
#include "trammel/numerics/sparse_lu.h"

namespace trammel {

class MinimalMultipliers {
 public:
  MinimalMultipliers();
  ~MinimalMultipliers();
  MinimalMultipliers(MinimalMultipliers&&) noexcept;
  MinimalMultipliers& operator=(MinimalMultipliers&&) noexcept;

  // False, with λ as it was, if they cannot be computed. D must have the same pattern in every call. The result
  // depends on D and λ alone, to the last bit, not on the calls before: a run that is resumed shows the same.
  bool reduce(const SparseMatrix& D, VectorOut lambda);
  // The same with Dᵀλ = force; what of it no multiplier can do is left out.
  bool reduce(const SparseMatrix& D, const Vector& force, VectorOut lambda);

 private:
  class Normal;  // DᵀD + ε

  bool factor_whole(const SparseMatrix& D);

  std::unique_ptr<Normal> normal_;
  AssembledMatrix matrix_;  // [I D; Dᵀ −ε], where rows of D are long
  SparseLu<double> lu_;
};

}  // namespace trammel
