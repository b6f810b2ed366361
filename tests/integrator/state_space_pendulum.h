// A problem in state-space form, written by hand: the pendulum x² + y² = 1 with unknowns (x, y, u, v, λ),
//
//     x' = u,  y' = v,  u' = −xλ,  v' = −yλ − g,   so that  xu + yv = 0,  λ = u² + v² − g y .
//
// One of the positions is independent, q, with its velocity w; the other, d, follows with its velocity e.
// When d has become small the two change places.
#pragma once

#include <array>
#include <cmath>

#include "trammel/formulation/implicit_problem.h"
#include "trammel/formulation/ode_problem.h"

namespace trammel::test {

class StateSpacePendulum final : public OdeProblem, public ImplicitProblem {
 public:
  static constexpr double gravity = 9.81;

  explicit StateSpacePendulum(bool count_all = false) : count_all_(count_all) {}

  Index unknowns() const override { return 5; }
  Index equations() const override { return 2; }
  Index counted() const override { return count_all_ ? 4 : 2; }
  const std::vector<int>& variable_index() const override { return index_; }
  bool completes() const override { return true; }

  Outcome start(double, VectorIn x) override {
    choose(x);
    changes = 0;
    return Outcome::ok;
  }

  Outcome complete(double t, VectorOut x) override {
    const double q = x[q_];
    double d = x[d_];
    for (int iteration = 0; iteration < 20; ++iteration) {
      const double change = (1 - q * q - d * d) / (2 * d);
      d += change;
      if (!(std::abs(d) > 0.05 && std::abs(d) < 2)) break;
      if (std::abs(change) > 1e-15) continue;
      x[d_] = d;
      x[2 + d_] = -q * x[2 + q_] / d;
      return Outcome::ok;
    }
    return try_again(Reason::newton_failed, "the pendulum does not close at t = " + std::to_string(t));
  }

  Outcome rates(double, VectorIn x, VectorOut xdot) override {
    ++statistics().evaluations;
    const double lambda = multiplier(x);
    xdot << x[2], x[3], -x[0] * lambda, -x[1] * lambda - gravity, 0;
    return Outcome::ok;
  }

  Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) override {
    Vector rate(5);
    rates(t, x, rate);
    out << rate[q_] - xdot[q_], rate[2 + q_] - xdot[2 + q_];
    return Outcome::ok;
  }

  Outcome linearize(double, VectorIn x) override {
    ++statistics().jacobians;
    const double q = x[q_], w = x[2 + q_], d = x[d_], e = x[2 + d_];
    const double weight_q = q_ == 1 ? gravity : 0, weight_d = q_ == 1 ? 0 : gravity;
    d_q_ = -q / d;
    e_q_ = -w / (d * d * d);
    const double lambda_q = 2 * e * e_q_ - weight_q - weight_d * d_q_, lambda_w = 2 * w + 2 * e * d_q_;
    J_ << 0, 1, -multiplier(x) - q * lambda_q, -q * lambda_w;
    return Outcome::ok;
  }

  Outcome factor(double shift) override {
    ++statistics().decompositions;
    lu_.compute(shift * Eigen::Matrix2d::Identity() - J_);
    return Outcome::ok;
  }
  Outcome factor(std::complex<double> shift) override {
    complex_lu_.compute(shift * Eigen::Matrix2cd::Identity() - J_.cast<std::complex<double>>());
    return Outcome::ok;
  }
  void solve(VectorIn residual, VectorOut x) override {
    expand(Eigen::Vector2d(lu_.solve(Eigen::Vector2d(residual))), x);
  }
  void solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) override {
    expand(Eigen::Vector2cd(complex_lu_.solve(Eigen::Vector2cd(residual))), x);
  }

  Outcome accepted(double t, VectorOut x) override {
    if (const Outcome outcome = complete(t, x); outcome != Outcome::ok) return outcome;
    x[4] = multiplier(x);
    if (std::abs(x[d_]) < 0.6) choose(x);
    return Outcome::ok;
  }

  static double multiplier(VectorIn x) { return x[2] * x[2] + x[3] * x[3] - gravity * x[1]; }
  static double distance_from_circle(VectorIn x) {
    return std::max(std::abs(x[0] * x[0] + x[1] * x[1] - 1), std::abs(x[0] * x[2] + x[1] * x[3]));
  }
  // At the lowest point, with a speed.
  static Vector initial(double speed) {
    return (Vector(5) << 0, -1, speed, 0, speed * speed + gravity).finished();
  }
  // The same motion by its angle, with the classical method and very small steps.
  static Vector solution(double t, double speed) {
    const auto rate = [](const Eigen::Vector2d& a) {
      return Eigen::Vector2d(a[1], -gravity * std::sin(a[0]));
    };
    Eigen::Vector2d angle(0, speed);
    const int steps = 20000;
    const double h = t / steps;
    for (int i = 0; i < steps; ++i) {
      const Eigen::Vector2d k1 = rate(angle), k2 = rate(angle + h / 2 * k1), k3 = rate(angle + h / 2 * k2),
                            k4 = rate(angle + h * k3);
      angle += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    const double s = std::sin(angle[0]), c = std::cos(angle[0]);
    Vector x(5);
    x << s, -c, angle[1] * c, angle[1] * s, 0;
    x[4] = multiplier(x);
    return x;
  }

  int changes = 0;  // of the independent position

 private:
  void choose(VectorIn x) {
    q_ = std::abs(x[0]) < std::abs(x[1]) ? 0 : 1;
    d_ = 1 - q_;
    index_ = q_ == 0 ? std::vector<int>{1, 0, 1, 0, 0} : std::vector<int>{0, 1, 0, 1, 0};
    if (count_all_) index_ = {1, 1, 1, 1, 0};
    ++changes;
  }
  template <class Pair, class Column>
  void expand(const Pair& change, Eigen::Ref<Column> x) const {
    x.setZero();
    x[q_] = change[0];
    x[2 + q_] = change[1];
    x[d_] = d_q_ * change[0];
    x[2 + d_] = e_q_ * change[0] + d_q_ * change[1];
  }

  bool count_all_ = false;
  Index q_ = 0, d_ = 1;
  std::vector<int> index_{1, 0, 1, 0, 0};
  double d_q_ = 0, e_q_ = 0;
  Eigen::Matrix2d J_;
  Eigen::PartialPivLU<Eigen::Matrix2d> lu_;
  Eigen::PartialPivLU<Eigen::Matrix2cd> complex_lu_;
};

// The same motion in a tangent coordinate: independent are the components of position and velocity along the
// tangent τ₀ of the beginning of the step, and a guess is completed along its own radius. So completing
// changes all unknowns, also what is independent, and all count.
class TangentPendulum final : public OdeProblem, public ImplicitProblem {
 public:
  Index unknowns() const override { return 5; }
  Index equations() const override { return 2; }
  Index counted() const override { return 4; }
  const std::vector<int>& variable_index() const override { return index_; }
  bool completes() const override { return true; }

  Outcome start(double, VectorIn x) override {
    begin_ = tangent(x);
    return Outcome::ok;
  }
  Outcome complete(double, VectorOut x) override {
    const double radius = x.head<2>().norm();
    if (!(radius > 0.3 && radius < 3)) return try_again(Reason::newton_failed, "far from the circle");
    x.head<2>() /= radius;
    x.segment<2>(2) = tangent(x) * tangent(x).dot(x.segment<2>(2));
    return Outcome::ok;
  }
  Outcome rates(double t, VectorIn x, VectorOut xdot) override { return pendulum_.rates(t, x, xdot); }
  Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) override {
    Vector rate(5);
    rates(t, x, rate);
    return multiply_mass(t, x, rate - xdot, out);
  }
  Outcome multiply_mass(double, VectorIn, VectorIn vector, VectorOut out) override {
    out << begin_.dot(vector.head<2>()), begin_.dot(vector.segment<2>(2));
    return Outcome::ok;
  }
  // By the angle and its rate ω: x = (p, ωτ) changes by (τ, −ωp) and (0, τ).
  Outcome linearize(double, VectorIn x) override {
    tau_ = tangent(x);
    p_ = x.head<2>();
    omega_ = tau_.dot(x.segment<2>(2));
    const double g = StateSpacePendulum::gravity, a = -g * p_[0], along = begin_.dot(tau_),
                 across = -begin_.dot(p_);
    E_ << along, 0, omega_ * across, along;
    // acceleration a τ − ω² p with da/dθ = g p_y
    J_ << omega_ * across, along, (g * p_[1] - omega_ * omega_) * along + a * across, 2 * omega_ * across;
    return Outcome::ok;
  }
  Outcome factor(double shift) override {
    lu_.compute(shift * E_ - J_);
    return Outcome::ok;
  }
  Outcome factor(std::complex<double>) override { return Outcome::ok; }
  void solve(VectorIn residual, VectorOut x) override {
    const Eigen::Vector2d change = lu_.solve(Eigen::Vector2d(residual));
    x.head<2>() = change[0] * tau_;
    x.segment<2>(2) = change[1] * tau_ - change[0] * omega_ * p_;
    x[4] = 0;
  }
  void solve(const Eigen::Ref<const ComplexVector>&, Eigen::Ref<ComplexVector>) override {}
  Outcome accepted(double t, VectorOut x) override {
    if (const Outcome outcome = complete(t, x); outcome != Outcome::ok) return outcome;
    x[4] = StateSpacePendulum::multiplier(x);
    begin_ = tangent(x);
    return Outcome::ok;
  }

 private:
  static Eigen::Vector2d tangent(VectorIn x) { return {-x[1], x[0]}; }

  StateSpacePendulum pendulum_;
  std::vector<int> index_{1, 1, 1, 1, 0};
  Eigen::Vector2d begin_, tau_, p_;
  double omega_ = 0;
  Eigen::Matrix2d E_, J_;
  Eigen::PartialPivLU<Eigen::Matrix2d> lu_;
};

}  // namespace trammel::test
