// Norms of vectors that may have no entries, for which those of Eigen are undefined.
#pragma once

#include "trammel/numerics/linear_algebra.h"

namespace trammel {

// The largest entry by its size; 0 where there is none. Of a matrix too.
template <class Values>
double largest(const Eigen::MatrixBase<Values>& values) {
  return values.size() > 0 ? values.template lpNorm<Eigen::Infinity>() : 0.0;
}

}  // namespace trammel
