#include "trammel/integrator/newton_convergence.h"

#include <gtest/gtest.h>

#include "tests/integrator/broken_problems.h"
#include "tests/integrator/ode_runs.h"
#include "trammel/integrator/radau.h"
#include "trammel/integrator/sdirk.h"

namespace trammel {
namespace {

using Verdict = NewtonConvergence::Verdict;

constexpr NewtonConvergence::Limits limits{
    .stop = 1e-3, .noise = 1e-9, .max_iterations = 20, .mean_rate = true};

// The iterations until the changes pass, or 0 if they do not.
int iterations(NewtonConvergence& convergence, const std::vector<double>& changes) {
  convergence.begin(limits);
  for (const double change : changes) {
    const Verdict verdict = convergence.judge(change);
    if (verdict == Verdict::converged) return convergence.iterations();
    if (verdict != Verdict::go_on) return 0;
  }
  return 0;
}

TEST(NewtonConvergence, EndsWhereWhatIsLeftIsSmall) {
  NewtonConvergence convergence;
  EXPECT_EQ(iterations(convergence, {1, 0.1, 0.01, 0.001}), 4);
  EXPECT_NEAR(convergence.rate(), 0.1, 1e-12);
  EXPECT_EQ(iterations(convergence, {1, 0.5, 0.25, 0.125, 0.0625, 0.03, 0.015, 0.008, 0.004, 0.002, 0.001}),
            11);
  EXPECT_EQ(iterations(convergence, {1, 2}), 0) << "it diverges";
}

// The rate of the step before saves an iteration where little was to be done, and only there.
TEST(NewtonConvergence, TrustsTheRateOfTheStepBeforeWithSmallChangesOnly) {
  NewtonConvergence convergence;
  EXPECT_EQ(iterations(convergence, {0.5, 1e-8}), 2);
  EXPECT_EQ(iterations(convergence, {0.5, 1e-8}), 1);
  EXPECT_EQ(iterations(convergence, {1e3, 1e2, 1e1, 1, 0.1, 0.01, 0.001}), 7) << "a force sets in";
  EXPECT_EQ(iterations(convergence, {0.5, 0.6}), 0) << "the rate was poor";
  EXPECT_EQ(iterations(convergence, {0.5, 1e-8}), 2) << "the attempt before did not converge";
}

// A direction that the matrix knows well hides one that it does not.
TEST(NewtonConvergence, IsNotDeceivedByAFastBeginning) {
  NewtonConvergence convergence;
  const double slow = 0.5;
  std::vector<double> changes{1e6};
  double left = 2;  // 2 + 1 + 1/2 + …
  int enough = 1;
  for (double change = 2; change > 1e-6; change *= slow) {
    changes.push_back(change);
    if (left > 1e-3) ++enough;
    left = change * slow / (1 - slow);
  }
  EXPECT_GE(iterations(convergence, changes), enough);
}

// 10 cos 10t, and from t = 1 on a resistance that the matrix of Newton's iteration does not know.
class HiddenResistance final : public test::ScalarProblem {
 public:
  explicit HiddenResistance(bool hidden) : hidden_(hidden) {}
  Outcome linearize(double t, VectorIn) override {
    slope_ = hidden_ ? 0 : -resistance(t + 1e-9);
    return Outcome::ok;
  }
  Outcome factor(double shift) override {
    shift_ = shift;
    return Outcome::ok;
  }
  Outcome factor(std::complex<double> shift) override {
    complex_shift_ = shift;
    return Outcome::ok;
  }
  void solve(VectorIn residual, VectorOut x) override { x = residual / (shift_ - slope_); }
  void solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) override {
    x = residual / (complex_shift_ - slope_);
  }
  double rate(double t, double y) override { return 10 * std::cos(10 * t) - resistance(t) * y; }

 private:
  static double resistance(double t) { return t < 1 ? 1e-6 : 25; }

  bool hidden_;
  double slope_ = 0, shift_ = 0;
  std::complex<double> complex_shift_;
};

// With the same steps both matrices must lead to the same stages.
template <class Method, class MethodOptions>
double difference(MethodOptions options) {
  options.tolerances.relative = options.tolerances.absolute = 1e-6;
  options.fixed_step = true;
  options.max_newton_iterations = 40;
  Vector ends(2);
  for (const bool hidden : {false, true}) {
    HiddenResistance problem(hidden);
    Method method(problem, options);
    EXPECT_EQ(test::run(method, Vector::Ones(1), 1.25, 1.0 / 64), Outcome::ok) << method.failure().message;
    ends[hidden ? 1 : 0] = method.x()[0];
  }
  return std::abs(ends[1] - ends[0]);
}

TEST(NewtonConvergence, AForceThatTheMatrixDoesNotKnowIsFound) {
  EXPECT_LT((difference<Radau>(RadauOptions{})), 1e-6);
  EXPECT_LT((difference<Sdirk>(SdirkOptions{})), 1e-6);
}

// What round-off leaves of a rate, 1/h times as much in steps of size h.
class Noisy final : public test::ScalarProblem {
 public:
  using ScalarProblem::factor;
  Outcome factor(double shift) override {
    shift_ = shift;
    return ScalarProblem::factor(shift);
  }
  double rate(double t, double) override { return std::cos(t) + 1e-14 * shift_ * std::sin(17.0 * ++calls_); }

 private:
  double shift_ = 0;
  int calls_ = 0;
};

// Changes that are round-off are convergence where they do not matter; where they do, the message says what
// can be done.
TEST(NewtonConvergence, RoundOffIsConvergenceOrNamed) {
  const auto go = [](double tolerance) {
    SdirkOptions options;
    options.tolerances.relative = options.tolerances.absolute = tolerance;
    Noisy problem;
    Sdirk method(problem, options);
    const Outcome outcome = test::run(method, Vector::Ones(1), 1, 1e-3);
    return outcome == Outcome::ok ? std::string("finished") : method.failure().message;
  };
  EXPECT_EQ(go(1e-10), "finished");
  const std::string failure = go(1e-14);
  EXPECT_NE(failure.find("tighter than round-off allows"), std::string::npos) << failure;
  EXPECT_EQ(failure.find("jump"), std::string::npos) << failure;
}

}  // namespace
}  // namespace trammel
