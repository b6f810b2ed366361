// Equations of motion from plain functions of numbers, without derivatives: what a legacy code or a table
// offers.
//
//   trammel::ResidualFunctions functions;
//   functions.sizes = {.positions = 2, .holonomic = 1};
//   functions.f = [](const trammel::Point<double>&, std::span<double> f) { f[1] = -9.81; };
//   functions.g = [](const trammel::Point<double>& x, std::span<double> g) {
//     g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - 1;
//   };
//   trammel::ResidualEquations equations{functions};
//
// Constraint Jacobians and hidden constraints come from differences of high order (eight points), which are
// accurate to about 1e-11 for functions that are smooth on the scale of `difference_step`. Where that is not
// so, give gI, gII and hI.
#pragma once

#include <functional>
#include <vector>

#include "trammel/motion/difference_derivatives.h"
#include "trammel/motion/point.h"

namespace trammel {

struct ResidualFunctions {
  using Fill = std::function<void(const Point<double>& x, std::span<double> out)>;
  using FillMatrix = std::function<void(const Point<double>& x, MatrixView<double> out)>;
  using FillLevel =
      std::function<void(const Point<double>& x, std::span<const double> a, std::span<double> out)>;

  Sizes sizes;
  Structure structure;
  Names names;
  FillMatrix M, Z, H;             // no M or Z: the identity
  Fill f, b, d, c, g, h, e, n;    // outputs are zero on entry
  FillMatrix G;                   // optional: g_p − g_s c_s⁻¹ c_p, holonomic × positions
  FillLevel gI, gII, hI;          // optional; gI does not look at a
  double difference_step = 4e-3;  // of the eight-point differences, relative to 1 + |x|
};

class ResidualEquations final : public EquationsOfMotion {
 public:
  explicit ResidualEquations(ResidualFunctions functions);

  void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) override;
  void differentiate(const MotionPoint& at, Parts wanted, MotionDerivatives& out) override;

 private:
  Point<double> point(const Vector& x, double t) const;
  Point<double> position_point(const Vector& x, double t) const;
  Point<double> position_only(const Vector& x, double t) const;
  void call(const ResidualFunctions::Fill& function, const Point<double>& at, Vector& out) const;
  void call(const ResidualFunctions::FillMatrix& function, const Point<double>& at, Matrix& out) const;
  void position_derivative(const ResidualFunctions::Fill& function, const Block& by, Matrix& out);
  void constraint_jacobian(const MotionPoint& at);
  void solve_contacts(double t, const Vector& c_kept, Vector& x);
  void levels(const MotionPoint& at, Parts wanted, MotionValues& out);

  ResidualFunctions functions_;
  DifferenceDerivatives differences_;
  Vector x_, moved_, nan_, plus_, minus_, p_dot_, p_ddot_;
  double t_ = 0;
  Matrix Z_, H_, G_, g_s_, c_s_, c_p_;
};

}  // namespace trammel
