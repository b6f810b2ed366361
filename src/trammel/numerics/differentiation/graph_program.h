// A recorded function as a list of instructions in an order that needs little memory, to be carried out in any number type:
// double, complex, duals, those of ADOL-C.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "trammel/numerics/differentiation/operation_graph.h"
#include "trammel/numerics/dual.h"

namespace trammel {

class GraphProgram {
 public:
  // Results of instructions go into slots, which are used again as soon as nobody needs them any more.
  struct Instruction {
    OperationGraph::Kind kind = OperationGraph::Kind::constant;
    int to = 0, a = 0, b = 0, c = 0;  // slots; as Node has it for inputs and tables
    double number = 0;
  };

  explicit GraphProgram(const RecordedFunction& function);

  // `work` has slots() numbers.
  template <class T>
  void operator()(std::span<const T> inputs, std::span<T> outputs, std::span<T> work) const;

  int slots() const { return slots_; }
  std::size_t size() const { return code_.size(); }
  std::size_t bytes() const;
  // The graph in the order of the instructions: nodes that the outputs need, each after its operands.
  static std::vector<int> order(const RecordedFunction& function);

 private:
  void allocate(const RecordedFunction& function);

  std::vector<Instruction> code_;
  std::vector<std::pair<int, int>> results_;  // (after so many instructions, output): ascending
  std::vector<int> result_slots_;
  std::vector<PiecewiseCubic> tables_;
  int slots_ = 0;
};

namespace detail {

// Decisions look at the value alone.
inline double value_of(double x) { return x; }
inline double value_of(const std::complex<double>& x) { return x.real(); }
template <class T, int N>
double value_of(const Dual<T, N>& x) {
  return plain(x);
}

// f(x) with its slope, by the chain rule of the number type.
inline double chained(double, double f, double) { return f; }
inline std::complex<double> chained(const std::complex<double>& x, double f, double slope) {
  return {f, slope * x.imag()};
}
template <int N>
Dual<double, N> chained(const Dual<double, N>& x, double f, double slope) {
  return Dual<double, N>::chain(x, f, slope);
}

inline std::complex<double> atan2(const std::complex<double>& y, const std::complex<double>& x) {
  // to first order in the imaginary parts, which is all that a complex step is about
  const double square = x.real() * x.real() + y.real() * y.real();
  return {std::atan2(y.real(), x.real()), (x.real() * y.imag() - y.real() * x.imag()) / square};
}

}  // namespace detail

template <class T>
void GraphProgram::operator()(std::span<const T> inputs, std::span<T> outputs, std::span<T> work) const {
  using detail::atan2, detail::value_of, detail::chained;
  using std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::sinh, std::cosh, std::tanh,
      std::exp, std::log, std::sqrt, std::pow, std::atan2;
  T* const w = work.data();
  std::size_t result = 0;
  const int count = static_cast<int>(code_.size());
  for (int i = 0;; ++i) {
    for (; result < results_.size() && results_[result].first == i; ++result)
      outputs[static_cast<std::size_t>(results_[result].second)] = w[result_slots_[result]];
    if (i == count) break;
    const Instruction& at = code_[static_cast<std::size_t>(i)];
    T& to = w[at.to];
    switch (at.kind) {
      case OperationGraph::Kind::constant:
        to = T(at.number);
        break;
      case OperationGraph::Kind::input:
        to = inputs[static_cast<std::size_t>(at.a)];
        break;
      case OperationGraph::Kind::negate:
        to = -w[at.a];
        break;
      case OperationGraph::Kind::sine:
        to = sin(w[at.a]);
        break;
      case OperationGraph::Kind::cosine:
        to = cos(w[at.a]);
        break;
      case OperationGraph::Kind::tangent:
        to = tan(w[at.a]);
        break;
      case OperationGraph::Kind::arcsine:
        to = asin(w[at.a]);
        break;
      case OperationGraph::Kind::arccosine:
        to = acos(w[at.a]);
        break;
      case OperationGraph::Kind::arctangent:
        to = atan(w[at.a]);
        break;
      case OperationGraph::Kind::hyperbolic_sine:
        to = sinh(w[at.a]);
        break;
      case OperationGraph::Kind::hyperbolic_cosine:
        to = cosh(w[at.a]);
        break;
      case OperationGraph::Kind::hyperbolic_tangent:
        to = tanh(w[at.a]);
        break;
      case OperationGraph::Kind::exponential:
        to = exp(w[at.a]);
        break;
      case OperationGraph::Kind::logarithm:
        to = log(w[at.a]);
        break;
      case OperationGraph::Kind::square_root:
        to = sqrt(w[at.a]);
        break;
      case OperationGraph::Kind::cube_root: {
        const double x = value_of(w[at.a]), f = std::cbrt(x);
        to = chained(w[at.a], f, f / (3 * x));
        break;
      }
      case OperationGraph::Kind::floor:
        to = T(std::floor(value_of(w[at.a])));
        break;
      case OperationGraph::Kind::ceiling:
        to = T(std::ceil(value_of(w[at.a])));
        break;
      case OperationGraph::Kind::round:
        to = T(std::round(value_of(w[at.a])));
        break;
      case OperationGraph::Kind::logical_not:
        to = T(value_of(w[at.a]) == 0 ? 1.0 : 0.0);
        break;
      case OperationGraph::Kind::piecewise: {
        const PiecewiseCubic& table = tables_[static_cast<std::size_t>(at.b)];
        const double x = value_of(w[at.a]);
        to = chained(w[at.a], evaluate(table, at.c, x), evaluate(table, at.c + 1, x));
        break;
      }
      case OperationGraph::Kind::add:
        to = w[at.a] + w[at.b];
        break;
      case OperationGraph::Kind::subtract:
        to = w[at.a] - w[at.b];
        break;
      case OperationGraph::Kind::multiply:
        to = w[at.a] * w[at.b];
        break;
      case OperationGraph::Kind::divide:
        to = w[at.a] / w[at.b];
        break;
      case OperationGraph::Kind::power:
        to = pow(w[at.a], w[at.b]);
        break;
      case OperationGraph::Kind::arctangent2:
        to = atan2(w[at.a], w[at.b]);
        break;
      case OperationGraph::Kind::less:
        to = T(value_of(w[at.a]) < value_of(w[at.b]) ? 1.0 : 0.0);
        break;
      case OperationGraph::Kind::less_equal:
        to = T(value_of(w[at.a]) <= value_of(w[at.b]) ? 1.0 : 0.0);
        break;
      case OperationGraph::Kind::equal:
        to = T(value_of(w[at.a]) == value_of(w[at.b]) ? 1.0 : 0.0);
        break;
      case OperationGraph::Kind::select:
        to = value_of(w[at.a]) != 0 ? w[at.b] : w[at.c];
        break;
    }
  }
}

}  // namespace trammel
