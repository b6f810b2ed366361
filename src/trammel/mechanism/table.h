// A function given by points: a spring characteristic, a cam profile, a measured torque.
//
// It can be evaluated with every number type of Trammel, with exact derivatives of its interpolation.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "trammel/mechanism/switches.h"
#include "trammel/numerics/dual.h"
#include "trammel/numerics/taylor.h"

namespace trammel {

struct CubicPiece;

// How many derivatives of a function a number type asks for: none for double, three for Taylor<Dual<double,
// N>>.
template <class T>
constexpr int derivative_order = 0;
template <class T, int N>
constexpr int derivative_order<Dual<T, N>> = 1 + derivative_order<T>;
template <class T>
constexpr int derivative_order<Taylor<T>> = 2 + derivative_order<T>;

// A function's value and its first three derivatives at a plain number.
using Derivatives = std::array<double, 4>;

// f(x) in any number type, from f, f', f'', ... at plain(x), of which derivative_order<T> + 1 are read.
inline double chain_derivatives(double, const double* f) { return f[0]; }
template <class T, int N>
Dual<T, N> chain_derivatives(const Dual<T, N>& x, const double* f) {
  return Dual<T, N>::chain(x, chain_derivatives(x.value, f), chain_derivatives(x.value, f + 1));
}
template <class T>
Taylor<T> chain_derivatives(const Taylor<T>& x, const double* f) {
  return Taylor<T>::chain(x, chain_derivatives(x.value, f), chain_derivatives(x.value, f + 1),
                          chain_derivatives(x.value, f + 2));
}
template <class T>
T chain_derivatives(const T& x, const Derivatives& f) {
  static_assert(derivative_order<T> < static_cast<int>(std::tuple_size_v<Derivatives>));
  return chain_derivatives(x, f.data());
}

// Immutable, and cheap to copy: copies share the points.
class Table {
 public:
  enum class Interpolation {
    linear,    // straight lines; corners at the points
    cubic,     // natural spline: two continuous derivatives, no curvature at the ends, may overshoot
    monotone,  // one continuous derivative; rises only where the points rise, so it never overshoots
  };
  enum class Outside {
    hold,    // the value of the nearest end
    extend,  // a straight line with the slope of the nearest end
  };

  // x strictly ascending, at least two points, all finite; otherwise throws std::invalid_argument.
  Table(std::span<const double> x, std::span<const double> y,
        Interpolation interpolation = Interpolation::linear, Outside outside = Outside::hold);

  // Where a derivative jumps, the one to the right is taken.
  template <class T>
  T operator()(const T& x) const {
    return chain_derivatives(x, derivatives(plain(x)));
  }
  Derivatives derivatives(double x) const;

  // The same with a switch: the pieces between two corners are a branch, and go on past its ends.
  template <class T>
  T operator()(const T& x, int index, const Switches& switches) const {
    return chain_derivatives(x, derivatives(plain(x), index, switches));
  }
  Derivatives derivatives(double x, int index, const Switches& switches) const;

  // Points at which the slope (order 1) or the curvature (order 2) jumps, unless the jump is negligible
  // against the table as a whole.
  struct Corner {
    double x;
    int order;
  };
  std::vector<Corner> corners() const;

  // What it is made of (numerics/differentiation/operation_graph.h).
  std::vector<CubicPiece> cubic_pieces() const;

  // The first and the last x.
  double begin() const;
  double end() const;

 private:
  // y + slope u + bend u² + twist u³ with u = x − start, valid from start to the next piece's start
  struct Piece {
    double start, y, slope, bend, twist;
  };
  std::size_t piece_at(double x) const;
  Derivatives of_piece(std::size_t piece, double x) const;
  // Where a piece begins: what jumps, times the length over which it counts.
  struct Jump {
    std::size_t piece;
    double of_slope, of_curvature;
  };
  std::vector<Jump> jumps() const;
  double range() const;
  void weigh_corners();

  // one before the first point, one after each point
  std::shared_ptr<const std::vector<Piece>> pieces_;
  // What happens where each piece begins, relative to the whole table: a jump of the slope, or how high the rise or
  // fall is that begins or ends there; and whether the slope jumps.
  std::shared_ptr<const std::vector<double>> weights_;
  std::shared_ptr<const std::vector<char>> bends_;
};

}  // namespace trammel
