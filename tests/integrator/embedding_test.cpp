// An integrator of one's own, as docs/integrators/embedding.md shows it, on ordinary differential equations
// and on a state-space form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/integrator/ode_runs.h"
#include "tests/integrator/state_space_pendulum.h"
#include "trammel/integrator/integrator.h"

namespace trammel {
namespace {

// [the integrator]
// The implicit midpoint rule, z = x + h/2 z', with step doubling: one step of size h and two of half that
// size give an estimate of the error and, extrapolated, order 4.
class Midpoint final : public Integrator {
 public:
  Midpoint(ImplicitProblem& problem, Tolerances tolerances)
      : problem_(problem), tolerances_(std::move(tolerances)) {}

  Outcome start(double t, VectorIn x, double t_end, double h0) override {
    t_ = t_old_ = t;
    x_ = x_old_ = delta_ = x;
    h_ = h0 > 0 ? h0 : 1e-4 * (t_end - t);
    const Outcome outcome = problem_.start(t, x);
    return outcome == Outcome::ok ? outcome : give_up(problem_.failure());
  }

  Outcome step(double bound) override {
    for (double h = std::min(h_, bound - t_); h > 1e-15 * std::abs(t_); h = std::min(h_, bound - t_)) {
      ++problem_.statistics().steps;
      Outcome outcome = advance(t_, x_, h, whole_);
      if (outcome == Outcome::ok) outcome = advance(t_, x_, h / 2, middle_);
      if (outcome == Outcome::ok) outcome = advance(t_ + h / 2, middle_, h / 2, end_);
      if (outcome == Outcome::fail) return give_up(problem_.failure());
      const double error = outcome == Outcome::ok ? norm(end_ - whole_) / 3 : 1000;
      h_ = h * std::clamp(0.9 * std::pow(error, -1.0 / 3), 0.2, 5.0);
      if (!(error < 1)) {
        ++problem_.statistics().rejected_error;
        continue;
      }
      ++problem_.statistics().accepted;
      t_old_ = t_;
      x_old_ = x_;
      t_ = h < bound - t_ ? t_ + h : bound;
      x_ = end_ + (end_ - whole_) / 3;
      // the problem may tidy the state, and may choose other independent unknowns
      return problem_.accepted(t_, x_) == Outcome::fail ? give_up(problem_.failure()) : Outcome::ok;
    }
    return give_up(Reason::step_too_small, "the step size became too small at t = " + std::to_string(t_));
  }

  void retreat() override {
    h_ = t_ - t_old_;
    t_ = t_old_;
    x_ = x_old_;
  }

  void interpolate(double t, VectorOut x) const override {
    const double s = (t - t_old_) / (t_ - t_old_);
    x = (1 - s) * (1 - 2 * s) * x_old_ + 4 * s * (1 - s) * middle_ + s * (2 * s - 1) * x_;
  }

  double t() const override { return t_; }
  double previous_t() const override { return t_old_; }
  const Vector& x() const override { return x_; }
  double last_step() const override { return t_ - t_old_; }
  double next_step() const override { return h_; }

 private:
  Outcome advance(double t, const Vector& x, double h, Vector& end) {
    const double middle = t + h / 2, shift = 2 / h;
    Outcome outcome = problem_.linearize(t, x);
    if (outcome == Outcome::ok) outcome = problem_.factor(shift);
    residual_.resize(problem_.equations());
    z_ = x;
    for (int i = 0; i < 10 && outcome == Outcome::ok; ++i) {
      outcome = problem_.complete(middle, z_);  // what follows from other unknowns
      if (outcome == Outcome::ok) outcome = problem_.residual(middle, z_, shift * (z_ - x), residual_);
      if (outcome != Outcome::ok) break;
      problem_.solve(residual_, delta_);
      ++problem_.statistics().newton_iterations;
      z_ += delta_;
      if (norm(delta_) > 1e-3) continue;
      end = 2 * z_ - x;
      return problem_.complete(t + h, end);
    }
    return outcome == Outcome::ok ? Outcome::retry : outcome;
  }

  // The mean over what counts.
  double norm(const Vector& change) const {
    double sum = 0;
    for (Index i = 0; i < change.size(); ++i) {
      const double scale = tolerances_.absolute_of(i) + tolerances_.relative_of(i) * std::abs(x_[i]);
      if (problem_.variable_index()[static_cast<std::size_t>(i)] != 0) sum += std::pow(change[i] / scale, 2);
    }
    return std::sqrt(sum / static_cast<double>(problem_.counted()));
  }

  ImplicitProblem& problem_;
  Tolerances tolerances_;
  double t_ = 0, t_old_ = 0, h_ = 0;
  Vector x_, x_old_, whole_, middle_, end_, z_, delta_, residual_;
};
// [end]

using namespace test;

Tolerances tolerance(double value) { return {.relative = value, .absolute = value}; }

TEST(Embedding, TheIntegratorOfTheManualSolvesDifferentialEquations) {
  double previous = 1;
  for (const double tol : {1e-4, 1e-6, 1e-8}) {
    OdeRun<KnownSolution> ode;
    Midpoint midpoint(ode.problem, tolerance(tol));
    ASSERT_EQ(run(midpoint, KnownSolution::initial(), 10), Outcome::ok) << midpoint.failure().message;
    const double error = (midpoint.x() - KnownSolution::solution(10)).norm();
    EXPECT_LT(error, 10 * tol);
    EXPECT_LT(error, 0.1 * previous);
    previous = error;
  }
  OdeRun<Bead> bead;
  Midpoint midpoint(bead.problem, tolerance(1e-6));
  ASSERT_EQ(run(midpoint, Bead::initial(), 5), Outcome::ok);
  EXPECT_NEAR(Bead::energy(midpoint.x()), Bead::energy(Bead::initial()), 1e-4);
}

TEST(Embedding, TheIntegratorOfTheManualSolvesStateSpaceForms) {
  const double speed = 9, t_end = 3;
  const Vector reference = StateSpacePendulum::solution(t_end, speed);
  double previous = 10;
  for (const double tol : {1e-4, 1e-6}) {
    StateSpacePendulum problem;
    Midpoint midpoint(problem, tolerance(tol));
    ASSERT_EQ(midpoint.start(0, StateSpacePendulum::initial(speed), t_end, 0), Outcome::ok);
    Vector inside(5);
    while (midpoint.t() < t_end) {
      ASSERT_EQ(midpoint.step(t_end), Outcome::ok) << midpoint.failure().message;
      EXPECT_LT(StateSpacePendulum::distance_from_circle(midpoint.x()), 1e-12);
      midpoint.interpolate(0.7 * midpoint.previous_t() + 0.3 * midpoint.t(), inside);
      EXPECT_LT(StateSpacePendulum::distance_from_circle(inside), 0.05);
    }
    EXPECT_GE(problem.changes, 10);
    const double error = (midpoint.x() - reference).head(4).norm();
    EXPECT_LT(error, 500 * tol);
    EXPECT_LT(error, 0.1 * previous);
    previous = error;
  }
}

TEST(Embedding, TheIntegratorOfTheManualGoesBack) {
  OdeRun<KnownSolution> ode;
  Midpoint midpoint(ode.problem, tolerance(1e-7));
  ASSERT_EQ(midpoint.start(0, KnownSolution::initial(), 10, 0), Outcome::ok);
  while (midpoint.t() < 2) ASSERT_EQ(midpoint.step(10), Outcome::ok);
  const double half = 0.5 * (midpoint.previous_t() + midpoint.t());
  midpoint.retreat();
  ASSERT_EQ(midpoint.step(half), Outcome::ok);
  EXPECT_EQ(midpoint.t(), half);
  EXPECT_LT((midpoint.x() - KnownSolution::solution(half)).norm(), 1e-6);
}

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(TRAMMEL_SOURCE_DIR) + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Embedding, TheManualShowsThisIntegrator) {
  const std::string source = text_of("/tests/integrator/embedding_test.cpp");
  const std::string begin = "// [the integrator]\n", end = "// [end]\n";
  const std::size_t first = source.find(begin) + begin.size(), last = source.find(end);
  ASSERT_LT(first, last);
  const std::string integrator = source.substr(first, last - first);
  EXPECT_LT(std::count(integrator.begin(), integrator.end(), '\n'), 100);
  EXPECT_NE(text_of("/docs/integrators/embedding.md").find("```cpp\n" + integrator + "```\n"),
            std::string::npos)
      << "the code in docs/integrators/embedding.md is not the one of this test";
}

}  // namespace
}  // namespace trammel
