// KLU behind an interface without its header.
//
// Matrices of mechanisms have a symmetric pattern with zeros on the diagonal, [M, Gᵀ; G, 0]. KLU's
// permutation to block triangular form, made for circuits, spoils that symmetry and doubles the fill; so the
// ordering is taken that promises less. Where pivoting may break the promise, other orderings are tried as
// well, once.
#include "trammel/numerics/sparse_lu.h"

#include <klu.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace trammel {
namespace {

// A pivot on the diagonal is taken if it is at least this part of the largest entry of its column.
constexpr double diagonal_preference = 0.1;

// Kept pivots are good as long as the factors have not grown by more than this since they were chosen. What
// is solved loses as many digits at the worst.
constexpr double growth_allowed = 1e4;

// Other orderings are tried where fill is larger than estimated by this factor or the pattern less symmetric.
constexpr double fill_allowed = 1.5;
constexpr double symmetry_trusted = 0.9;

// The search for a block triangular form, which can cost the square of the size, is given up after this many
// passes over the matrix.
constexpr double passes_allowed = 20;

// KLU's functions by type of number. It takes no pointers to constants but changes none of what it is given.
template <class Scalar>
struct Klu {
  static constexpr bool real = std::is_same_v<Scalar, double>;
  static double* plain(const Scalar* x) { return const_cast<double*>(reinterpret_cast<const double*>(x)); }
  static auto factor(int* p, int* i, double* x, klu_symbolic* symbolic, klu_common* common) {
    return real ? klu_factor(p, i, x, symbolic, common) : klu_z_factor(p, i, x, symbolic, common);
  }
  static bool refactor(int* p, int* i, double* x, klu_symbolic* symbolic, klu_numeric* numeric,
                       klu_common* common) {
    return (real ? klu_refactor(p, i, x, symbolic, numeric, common)
                 : klu_z_refactor(p, i, x, symbolic, numeric, common)) != 0;
  }
  static void solve(klu_symbolic* symbolic, klu_numeric* numeric, int stride, int count, double* b,
                    klu_common* common) {
    if (real)
      klu_solve(symbolic, numeric, stride, count, b, common);
    else
      klu_z_solve(symbolic, numeric, stride, count, b, common);
  }
  static void solve_transposed(klu_symbolic* symbolic, klu_numeric* numeric, int stride, int count, double* b,
                               klu_common* common) {
    constexpr int not_conjugated = 0;
    if (real)
      klu_tsolve(symbolic, numeric, stride, count, b, common);
    else
      klu_z_tsolve(symbolic, numeric, stride, count, b, not_conjugated, common);
  }
  static void estimate_condition(int* p, double* x, klu_symbolic* symbolic, klu_numeric* numeric,
                                 klu_common* common) {
    if (real)
      klu_condest(p, x, symbolic, numeric, common);
    else
      klu_z_condest(p, x, symbolic, numeric, common);
  }
};

struct FreeSymbolic {
  klu_common* common = nullptr;
  void operator()(klu_symbolic* symbolic) const { klu_free_symbolic(&symbolic, common); }
};
using Symbolic = std::unique_ptr<klu_symbolic, FreeSymbolic>;

template <class Scalar>
struct FreeNumeric {
  klu_common* common = nullptr;
  void operator()(klu_numeric* numeric) const {
    if (Klu<Scalar>::real)
      klu_free_numeric(&numeric, common);
    else
      klu_z_free_numeric(&numeric, common);
  }
};
template <class Scalar>
using Numeric = std::unique_ptr<klu_numeric, FreeNumeric<Scalar>>;

// Raises largest to the largest of these numbers, to infinity if one is not a number. New maxima are rare,
// hence the branch is well predicted.
void include(const double* x, std::size_t count, double& largest) {
  for (std::size_t i = 0; i < count; ++i) {
    const double size = std::abs(x[i]);
    if (!(size <= largest)) largest = std::isnan(size) ? std::numeric_limits<double>::infinity() : size;
  }
}

// The largest real or imaginary part in the factors and in the blocks off the diagonal. KLU keeps a column of
// a factor as its indices followed by its values, both in units of one value.
template <class Scalar>
double largest_entry(const klu_symbolic& symbolic, const klu_numeric& numeric) {
  constexpr std::size_t parts = sizeof(Scalar) / sizeof(double);
  double largest = 0;
  for (int block = 0; block < symbolic.nblocks; ++block) {
    const int begin = symbolic.R[block], end = symbolic.R[block + 1];
    if (end - begin == 1) continue;  // nothing but a pivot
    const double* factors = static_cast<const double*>(numeric.LUbx[block]);
    const auto include_column = [&](int start, int length) {
      const std::size_t count = static_cast<std::size_t>(length);
      const std::size_t indices = (count * sizeof(int) + sizeof(Scalar) - 1) / sizeof(Scalar);
      include(factors + (static_cast<std::size_t>(start) + indices) * parts, count * parts, largest);
    };
    for (int k = begin; k < end; ++k) {
      include_column(numeric.Lip[k], numeric.Llen[k]);
      include_column(numeric.Uip[k], numeric.Ulen[k]);
    }
  }
  include(static_cast<const double*>(numeric.Udiag), static_cast<std::size_t>(numeric.n) * parts, largest);
  include(static_cast<const double*>(numeric.Offx), static_cast<std::size_t>(numeric.nzoff) * parts, largest);
  return largest;
}

// 0 if one of them is zero or not a number.
template <class Scalar>
double pivot_ratio(const klu_numeric& numeric) {
  const Scalar* pivot = static_cast<const Scalar*>(numeric.Udiag);
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  for (int k = 0; k < numeric.n; ++k) {
    const double size = std::abs(pivot[k]);
    if (!(size > 0)) return 0;
    smallest = std::min(smallest, size);
    largest = std::max(largest, size);
  }
  return std::isfinite(largest) ? smallest / largest : 0;
}

}  // namespace

template <class Scalar>
class SparseLu<Scalar>::Decomposition {
 public:
  Decomposition();
  void analyze(const SparseType& A, std::vector<int> order);
  void analyze_copies(const SparseType& A, const Decomposition& single);
  bool factor(const SparseType& A);
  void check_right_hand_side(Index rows) const;
  void require_pattern(const SparseType& A) const;

  klu_common common;
  Symbolic symbolic;
  Numeric<Scalar> numeric;
  Index size = 0;
  Index singular_column = -1;
  bool factored = false;
  double smallest_pivot_ratio = 0;
  long factorizations = 0, refactorizations = 0;
  double estimated_fill(const Symbolic& of) const { return of->lnz + of->unz + of->nzoff; }

 private:
  int* starts() { return starts_.data(); }
  int* indices() { return indices_.data(); }
  double actual_fill(const Numeric<Scalar>& of) const { return double(of->lnz) + of->unz + of->nzoff; }
  void set_pattern(const SparseType& A);
  Symbolic order(int method, bool block_triangular);
  Symbolic order_as_given(std::vector<int> rows, std::vector<int> columns);
  Numeric<Scalar> choose_pivots(double* values, const Symbolic& by);
  void try_other_orderings(double* values);
  bool refactor(double* values);
  void throw_on_error() const;

  std::vector<int> starts_, indices_;  // the pattern
  Symbolic alternative_;               // until the first matrix has shown which ordering is better
  std::vector<int> suggested_;         // likewise, an order that was given
  bool ordering_settled_ = true;
  double largest_when_chosen_ = 1;
};

template <class Scalar>
SparseLu<Scalar>::Decomposition::Decomposition() {
  klu_defaults(&common);
  common.tol = diagonal_preference;
  common.scale = 2;  // rows by their largest entry
  common.halt_if_singular = 1;
  common.maxwork = passes_allowed;
}

template <class Scalar>
void SparseLu<Scalar>::Decomposition::throw_on_error() const {
  if (common.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
  if (common.status == KLU_TOO_LARGE) throw std::length_error("the factors of a sparse matrix are too large");
  if (common.status < KLU_OK) throw std::invalid_argument("the pattern of a sparse matrix is not valid");
}

template <class Scalar>
Symbolic SparseLu<Scalar>::Decomposition::order(int method, bool block_triangular) {
  common.ordering = method;
  common.btf = block_triangular ? 1 : 0;
  Symbolic result(klu_analyze(static_cast<int>(size), starts(), indices(), &common), {&common});
  throw_on_error();
  return result;
}

template <class Scalar>
Symbolic SparseLu<Scalar>::Decomposition::order_as_given(std::vector<int> rows, std::vector<int> columns) {
  common.btf = 0;
  Symbolic result(
      klu_analyze_given(static_cast<int>(size), starts(), indices(), rows.data(), columns.data(), &common),
      {&common});
  throw_on_error();
  return result;
}

constexpr int amd = 0, colamd = 1;

template <class Scalar>
void SparseLu<Scalar>::Decomposition::set_pattern(const SparseType& A) {
  if (A.rows() != A.cols() || !A.isCompressed())
    throw std::invalid_argument("a sparse LU decomposition needs a square and compressed matrix");
  factored = false;
  singular_column = -1;
  smallest_pivot_ratio = 0;
  numeric.reset();
  symbolic.reset();
  alternative_.reset();
  size = A.rows();
  starts_.assign(A.outerIndexPtr(), A.outerIndexPtr() + size + 1);
  indices_.assign(A.innerIndexPtr(), A.innerIndexPtr() + A.nonZeros());
}

template <class Scalar>
void SparseLu<Scalar>::Decomposition::analyze_copies(const SparseType& A, const Decomposition& single) {
  if (!single.factored || single.size == 0 || A.rows() % single.size != 0) return analyze(A, {});
  set_pattern(A);
  const int one = static_cast<int>(single.size), copies = static_cast<int>(size / single.size);
  std::vector<int> rows, columns;
  for (int k = 0; k < one; ++k)
    for (int i = 0; i < copies; ++i) {
      rows.push_back(i * one + single.numeric->Pnum[k]);
      columns.push_back(i * one + single.symbolic->Q[k]);
    }
  symbolic = order_as_given(std::move(rows), std::move(columns));
  ordering_settled_ = true;
}

template <class Scalar>
void SparseLu<Scalar>::Decomposition::analyze(const SparseType& A, std::vector<int> suggested) {
  set_pattern(A);
  if (!suggested.empty() && static_cast<Index>(suggested.size()) != size)
    throw std::invalid_argument("an order of the unknowns of a sparse matrix does not have its size");
  suggested_ = std::move(suggested);
  if (indices_.empty()) return;  // KLU wants a first entry

  symbolic = order(amd, false);
  alternative_ = order(amd, true);
  const bool given_up = common.work < 0;
  if (given_up)
    alternative_.reset();
  else if (estimated_fill(alternative_) < estimated_fill(symbolic))
    std::swap(symbolic, alternative_);
  ordering_settled_ = false;
}

template <class Scalar>
void SparseLu<Scalar>::Decomposition::require_pattern(const SparseType& A) const {
  if (A.rows() != size || A.cols() != size || !A.isCompressed() ||
      A.nonZeros() != static_cast<Index>(indices_.size()) ||
      !std::equal(starts_.begin(), starts_.end(), A.outerIndexPtr()) ||
      !std::equal(indices_.begin(), indices_.end(), A.innerIndexPtr()))
    throw std::invalid_argument("a sparse matrix does not have the pattern that was analysed");
}

template <class Scalar>
Numeric<Scalar> SparseLu<Scalar>::Decomposition::choose_pivots(double* values, const Symbolic& by) {
  Numeric<Scalar> result(Klu<Scalar>::factor(starts(), indices(), values, by.get(), &common), {&common});
  throw_on_error();
  return result;
}

// Whichever of the orderings gives the fewest entries is kept.
template <class Scalar>
void SparseLu<Scalar>::Decomposition::try_other_orderings(double* values) {
  ordering_settled_ = true;
  Symbolic alternative = std::move(alternative_);
  const bool as_promised = actual_fill(numeric) <= fill_allowed * estimated_fill(symbolic) &&
                           symbolic->symmetry >= symmetry_trusted;
  const bool block_triangular = symbolic->do_btf != 0;

  const auto try_one = [&](Symbolic other) {
    Numeric<Scalar> factors = choose_pivots(values, other);
    if (!factors || actual_fill(factors) >= actual_fill(numeric)) return;
    symbolic = std::move(other);
    numeric = std::move(factors);
  };
  const std::vector<int> suggested = std::exchange(suggested_, {});
  if (!suggested.empty()) try_one(order_as_given(suggested, suggested));
  if (as_promised) return;
  try_one(order(colamd, block_triangular));
  if (alternative && estimated_fill(alternative) < actual_fill(numeric)) try_one(std::move(alternative));
}

template <class Scalar>
bool SparseLu<Scalar>::Decomposition::refactor(double* values) {
  if (!Klu<Scalar>::refactor(starts(), indices(), values, symbolic.get(), numeric.get(), &common)) {
    throw_on_error();
    return false;
  }
  if (!(largest_entry<Scalar>(*symbolic, *numeric) <= growth_allowed * largest_when_chosen_)) return false;
  smallest_pivot_ratio = pivot_ratio<Scalar>(*numeric);
  return smallest_pivot_ratio > 0;
}

template <class Scalar>
bool SparseLu<Scalar>::Decomposition::factor(const SparseType& A) {
  require_pattern(A);
  factored = false;
  singular_column = -1;
  smallest_pivot_ratio = 0;
  if (size == 0) {
    smallest_pivot_ratio = 1;
    return factored = true;
  }
  if (indices_.empty()) {
    singular_column = 0;
    return false;
  }

  double* values = Klu<Scalar>::plain(A.valuePtr());
  if (numeric && refactor(values)) {
    ++refactorizations;
    return factored = true;
  }
  smallest_pivot_ratio = 0;

  double largest_value = 0;
  include(values, indices_.size() * sizeof(Scalar) / sizeof(double), largest_value);
  if (!std::isfinite(largest_value)) return false;

  numeric.reset();
  numeric = choose_pivots(values, symbolic);
  ++factorizations;
  if (!numeric) {
    singular_column = common.singular_col;
    return false;
  }
  if (!ordering_settled_) try_other_orderings(values);
  // rows are scaled to one, so that the factors begin there
  largest_when_chosen_ = std::max(1.0, largest_entry<Scalar>(*symbolic, *numeric));
  smallest_pivot_ratio = pivot_ratio<Scalar>(*numeric);
  if (!std::isfinite(largest_when_chosen_) || smallest_pivot_ratio == 0) {
    numeric.reset();  // overflow
    smallest_pivot_ratio = 0;
    return false;
  }
  return factored = true;
}

template <class Scalar>
void SparseLu<Scalar>::Decomposition::check_right_hand_side(Index rows) const {
  if (!factored) throw std::logic_error("there is no sparse LU decomposition to solve with");
  if (rows != size) throw std::invalid_argument("a right-hand side does not have the size of the matrix");
}

// --- the interface

template <class Scalar>
SparseLu<Scalar>::SparseLu() : decomposition_(std::make_unique<Decomposition>()) {}
template <class Scalar>
SparseLu<Scalar>::~SparseLu() = default;
template <class Scalar>
SparseLu<Scalar>::SparseLu(SparseLu&&) noexcept = default;
template <class Scalar>
SparseLu<Scalar>& SparseLu<Scalar>::operator=(SparseLu&&) noexcept = default;

template <class Scalar>
void SparseLu<Scalar>::analyze(const SparseType& A, std::vector<int> order) {
  decomposition_->analyze(A, std::move(order));
}

template <class Scalar>
void SparseLu<Scalar>::analyze_copies(const SparseType& A, const SparseLu& single) {
  decomposition_->analyze_copies(A, *single.decomposition_);
}

template <class Scalar>
bool SparseLu<Scalar>::factor(const SparseType& A) {
  return decomposition_->factor(A);
}

template <class Scalar>
void SparseLu<Scalar>::forget_pivots() {
  decomposition_->factored = false;
  decomposition_->numeric.reset();
}

template <class Scalar>
void SparseLu<Scalar>::solve(Eigen::Ref<DenseType> b) {
  Decomposition& lu = *decomposition_;
  lu.check_right_hand_side(b.rows());
  if (b.size() == 0) return;
  Klu<Scalar>::solve(lu.symbolic.get(), lu.numeric.get(), static_cast<int>(b.outerStride()),
                     static_cast<int>(b.cols()), Klu<Scalar>::plain(b.data()), &lu.common);
}

template <class Scalar>
void SparseLu<Scalar>::solve_transposed(Eigen::Ref<DenseType> b) {
  Decomposition& lu = *decomposition_;
  lu.check_right_hand_side(b.rows());
  if (b.size() == 0) return;
  Klu<Scalar>::solve_transposed(lu.symbolic.get(), lu.numeric.get(), static_cast<int>(b.outerStride()),
                                static_cast<int>(b.cols()), Klu<Scalar>::plain(b.data()), &lu.common);
}

template <class Scalar>
double SparseLu<Scalar>::condition_estimate(const SparseType& A) {
  Decomposition& lu = *decomposition_;
  lu.require_pattern(A);
  if (!lu.factored) return std::numeric_limits<double>::infinity();
  if (lu.size == 0) return 1;
  Klu<Scalar>::estimate_condition(const_cast<int*>(A.outerIndexPtr()), Klu<Scalar>::plain(A.valuePtr()),
                                  lu.symbolic.get(), lu.numeric.get(), &lu.common);
  return lu.common.condest;
}

template <class Scalar>
Index SparseLu<Scalar>::singular_column() const {
  return decomposition_->singular_column;
}
template <class Scalar>
double SparseLu<Scalar>::smallest_pivot_ratio() const {
  return decomposition_->smallest_pivot_ratio;
}
template <class Scalar>
Index SparseLu<Scalar>::size() const {
  return decomposition_->size;
}
template <class Scalar>
Index SparseLu<Scalar>::fill() const {
  return decomposition_->numeric ? Index(decomposition_->numeric->lnz) + decomposition_->numeric->unz : 0;
}
template <class Scalar>
Index SparseLu<Scalar>::estimated_fill() const {
  const Decomposition& lu = *decomposition_;
  return lu.symbolic ? static_cast<Index>(lu.estimated_fill(lu.symbolic)) : 0;
}
template <class Scalar>
long SparseLu<Scalar>::factorizations() const {
  return decomposition_->factorizations;
}
template <class Scalar>
long SparseLu<Scalar>::refactorizations() const {
  return decomposition_->refactorizations;
}

template class SparseLu<double>;
template class SparseLu<std::complex<double>>;

}  // namespace trammel
