// What can be chosen of the classical forms (index_reduction.h).
#pragma once

namespace trammel {

struct IndexReductionOptions {
  enum class Form { index3, index2, index1, baumgarte, ggl, ode };

  Form form = Form::ggl;
  // ggl: Newton's matrix without the derivatives of the constraint forces Gᵀλ and Gᵀη, as in the iteration
  // `cm` of coordinate splitting. Multipliers do not count for its convergence then.
  bool frozen_constraints = false;
  double baumgarte_alpha = 10;
  double baumgarte_beta = 10;
};

}  // namespace trammel
