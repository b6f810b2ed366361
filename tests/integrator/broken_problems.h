// Problems that go wrong, that interfere, or that leave nothing to integrate, for the tests of integrators.
#pragma once

#include <cmath>
#include <stdexcept>

#include "trammel/formulation/implicit_problem.h"
#include "trammel/formulation/ode_problem.h"

namespace trammel::test {

// y' = f(t, y) with one unknown, for problems to be derived from.
class ScalarProblem : public OdeProblem, public ImplicitProblem {
 public:
  Index unknowns() const override { return 1; }
  const std::vector<int>& variable_index() const override { return index_; }
  Outcome start(double, VectorIn) override { return Outcome::ok; }
  Outcome rates(double t, VectorIn x, VectorOut xdot) override {
    ++statistics().evaluations;
    xdot[0] = rate(t, x[0]);
    return Outcome::ok;
  }
  Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) override {
    out[0] = rate(t, x[0]) - xdot[0];
    return Outcome::ok;
  }
  Outcome linearize(double t, VectorIn x) override {
    ++statistics().jacobians;
    slope_ = (rate(t, x[0] + 1e-6) - rate(t, x[0] - 1e-6)) / 2e-6;
    return Outcome::ok;
  }
  Outcome factor(double shift) override {
    shift_ = shift;
    return Outcome::ok;
  }
  Outcome factor(std::complex<double>) override { return Outcome::ok; }
  void solve(VectorIn residual, VectorOut x) override { x[0] = residual[0] / (shift_ - slope_); }
  void solve(const Eigen::Ref<const ComplexVector>&, Eigen::Ref<ComplexVector>) override {}

  virtual double rate(double t, double y) = 0;

 private:
  std::vector<int> index_{1};
  double slope_ = 0, shift_ = 0;
};

// No rate after t = 1.
class EndsInNothing final : public ScalarProblem {
  double rate(double t, double) override { return t > 1 ? std::nan("") : 1.0; }
};

class Throws final : public ScalarProblem {
  double rate(double t, double) override {
    if (t > 0.5) throw std::runtime_error("the spring broke");
    return 1;
  }
};

class ThrowsNonsense final : public ScalarProblem {
  double rate(double t, double) override {
    if (t > 0.5) throw 42;
    return 1;
  }
};

// y' = y² from 1: infinite at t = 1.
class Explodes final : public ScalarProblem {
  double rate(double, double y) override { return y * y; }
};

// Fails for good after t = 0.5, with words of its own.
class GivesUp final : public ScalarProblem {
 public:
  Outcome rates(double t, VectorIn x, VectorOut xdot) override {
    if (t > 0.5) return give_up(Reason::mass_singular, "there is no mass left");
    return ScalarProblem::rates(t, x, xdot);
  }

 private:
  double rate(double, double) override { return 1; }
};

// y' = −y, to which 1 is added after the first step that ends at t = 0.5 or later.
class Jumps final : public ScalarProblem {
 public:
  Outcome accepted(double t, VectorOut x) override {
    if (t < 0.5 || jumped_at > 0) return Outcome::ok;
    x[0] += 1;
    jumped_at = t;
    return Outcome::ok;
  }
  double solution(double t) const { return std::exp(-t) + std::exp(jumped_at - t); }

  double jumped_at = 0;

 private:
  double rate(double, double y) override { return -y; }
};

// A motion that is given by time alone: x = sin 2t, with nothing left to integrate.
class Driven final : public OdeProblem, public ImplicitProblem {
 public:
  Index unknowns() const override { return 1; }
  Index equations() const override { return 0; }
  const std::vector<int>& variable_index() const override { return index_; }
  bool completes() const override { return true; }
  Outcome start(double, VectorIn) override { return Outcome::ok; }
  Outcome complete(double t, VectorOut x) override {
    x[0] = std::sin(2 * t);
    return Outcome::ok;
  }
  Outcome rates(double t, VectorIn, VectorOut xdot) override {
    xdot[0] = 2 * std::cos(2 * t);
    return Outcome::ok;
  }
  Outcome residual(double, VectorIn, VectorIn, VectorOut) override { return Outcome::ok; }
  Outcome multiply_mass(double, VectorIn, VectorIn, VectorOut) override { return Outcome::ok; }
  Outcome linearize(double, VectorIn) override { return Outcome::ok; }
  Outcome factor(double) override { return Outcome::ok; }
  Outcome factor(std::complex<double>) override { return Outcome::ok; }
  void solve(VectorIn, VectorOut x) override { x.setZero(); }
  void solve(const Eigen::Ref<const ComplexVector>&, Eigen::Ref<ComplexVector>) override {}

 private:
  std::vector<int> index_{1};
};

}  // namespace trammel::test
