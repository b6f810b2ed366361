// What a user's templated function receives and fills: the unknowns as spans, matrices as small views.
#pragma once

#include <span>

#include "trammel/motion/sizes.h"

namespace trammel {

// The arguments of the functions of spec/1 in a scalar T (double, or a number that carries derivatives). A
// function that must not depend on an argument finds NaN there: g on v, say, shows at the first evaluation.
template <class T>
struct Point {
  std::span<const T> p, v, r, w, s, lambda, mu;
  T t;
};

// A dense matrix in work space, column-major, zero before the user's function is called.
template <class T>
class MatrixView {
 public:
  MatrixView(T* data, Index rows, Index cols) : data_(data), rows_(rows), cols_(cols) {}
  T& operator()(Index row, Index col) const { return data_[row + rows_ * col]; }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }

 private:
  T* data_;
  Index rows_, cols_;
};

}  // namespace trammel
