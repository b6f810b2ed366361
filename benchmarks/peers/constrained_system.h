// A mechanism as somebody writes it who uses an integrator without a multibody program around it:
//
//   q' = v,   M(q) v' = f(q, v) − Gᵀ λ,   0 = g(q),   G = ∂g/∂q,
//
// with all functions and the first derivatives of the constraints by hand, in dense matrices.
#pragma once

#include <Eigen/Core>

namespace peers {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

class ConstrainedSystem {
 public:
  ConstrainedSystem(Index coordinates, Index constraints) : nq(coordinates), ng(constraints) {}
  virtual ~ConstrainedSystem() = default;
  ConstrainedSystem(const ConstrainedSystem&) = delete;
  ConstrainedSystem& operator=(const ConstrainedSystem&) = delete;

  const Index nq, ng;

  // Outputs have their size and are zero before.
  virtual void M(const VectorXd& q, MatrixXd& M) const = 0;
  virtual void f(const VectorXd& q, const VectorXd& v, VectorXd& f) const = 0;
  virtual void g(const VectorXd& /*q*/, VectorXd& /*g*/) const {}
  virtual void G(const VectorXd& /*q*/, MatrixXd& /*G*/) const {}
  // d/dt (G v) where v' = 0.
  virtual void curvature(const VectorXd& /*q*/, const VectorXd& /*v*/, VectorXd& /*c*/) const {}
  virtual double energy(const VectorXd& q, const VectorXd& v) const = 0;
};

}  // namespace peers
