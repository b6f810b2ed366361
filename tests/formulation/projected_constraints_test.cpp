// Coordinate projection where constraints are awkward: rows in other units, redundant, of a rank that changes; functions that
// fail now and then; projections and scales that a user brings.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "tests/published/run_problem.h"
#include "trammel/formulation/projection/coordinate_projection.h"
#include "trammel/motion/templated_equations.h"
#include "trammel/simulation/simulation.h"

namespace trammel {
namespace {

constexpr std::array methods{"projected/adams",  "projected/bdf",    "projected/dop853",
                             "projected/radau5", "projected/sdirk4", "projected-index1/ida"};

Method method_of(const std::string& text) {
  Method method;
  EXPECT_FALSE(parse_method(text, method));
  return method;
}

// Calls that fail with a given probability. Shared by all copies; none fails before it is told to.
struct Chance {
  std::mt19937 random{11};
  double probability = 0;
  long failed = 0;
  bool fails() {
    if (!(std::uniform_real_distribution<double>(0, 1)(random) < probability)) return false;
    ++failed;
    return true;
  }
};

// A double pendulum whose rows are written with any factor, twice if wanted, and whose functions may fail.
struct DoublePendulum {
  double first = 1, second = 1;
  bool twice = false;
  std::shared_ptr<Chance> force = std::make_shared<Chance>(), rows = std::make_shared<Chance>();

  Sizes sizes() const { return {.positions = 4, .holonomic = twice ? 4 : 2}; }
  Names names() const { return {}; }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    for (int i = 0; i < 4; ++i) M(i, i) = 1;
  }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    f[1] = f[3] = -9.81;
    if (force->fails()) f[1] = std::numeric_limits<double>::quiet_NaN();
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    const T dx = x.p[2] - x.p[0], dy = x.p[3] - x.p[1];
    g[0] = first * (x.p[0] * x.p[0] + x.p[1] * x.p[1] - 1);
    g[1] = second * (dx * dx + dy * dy - 1);
    if (twice) {
      g[2] = g[0] + g[1];
      g[3] = 3 * g[0];
    }
    if (rows->fails()) g[0] = g[0] * std::numeric_limits<double>::quiet_NaN();  // with its derivatives
  }
};

Vector horizontal(const EquationsOfMotion& equations) {
  Vector start = Vector::Zero(equations.layout().total);
  start.head(4) << 1, 0, 2, 0;
  return start;
}

Options tight_options() {
  Options options;
  options.tolerances.relative = options.tolerances.absolute = 1e-7;
  options.watch_constraints = false;  // which measures residuals as they are written
  options.record = false;
  return options;
}

Summary swing(const DoublePendulum& pendulum, const std::string& method, const Options& options,
              double end = 2) {
  TemplatedEquations<DoublePendulum> equations{pendulum};
  Simulation simulation(equations, method_of(method), options);
  return simulation.run(horizontal(equations), 0, end);
}

void expect_same(const Summary& one, const Summary& other, Index unknowns, const std::string& what) {
  ASSERT_EQ(one.status, Status::finished) << what << ": " << one.message();
  ASSERT_EQ(other.status, Status::finished) << what << ": " << other.message();
  const auto steps = static_cast<double>(one.statistics.accepted);
  EXPECT_NEAR(static_cast<double>(other.statistics.accepted), steps, 0.05 * steps) << what;
  EXPECT_LT((one.final_state - other.final_state).head(unknowns).norm(), 1e-3) << what;
}

TEST(ProjectedConstraints, UnitsOfRowsDoNotMatter) {
  for (const char* method : methods)
    expect_same(swing({}, method, tight_options()), swing({1e6, 1e-6}, method, tight_options()), 8, method);
}

TEST(ProjectedConstraints, RedundantRowsDoNotMatter) {
  for (const char* method : methods)
    expect_same(swing({}, method, tight_options()), swing({1e6, 1e-6, true}, method, tight_options()), 8,
                method);
}

// --- a rank that changes

// Two pendulums of two rods each that know nothing of each other, so that their rows fall into two groups. Of each the second row is
// written as the sum of both rods' equations, the one of the second rod times something that goes through zero on the way: there
// the row says what the first one says, and nothing holds the second rod but its speed.
struct FadingRows {
  bool fades = true;

  Sizes sizes() const { return {.positions = 8, .holonomic = 4}; }
  Names names() const { return {}; }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    for (int i = 0; i < 8; ++i) M(i, i) = 1 + 0.5 * (i / 4);
  }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    for (int i = 0; i < 8; i += 2)
      f[static_cast<std::size_t>(i) + 1] = -9.81 * (1 + 0.5 * (i / 4)) + 0 * x.p[0];
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t i = 4 * k;
      const T dx = x.p[i + 2] - x.p[i], dy = x.p[i + 3] - x.p[i + 1];
      const T first = x.p[i] * x.p[i] + x.p[i + 1] * x.p[i + 1] - 1, second = dx * dx + dy * dy - 1;
      g[2 * k] = first;
      // zero where the first rod has come half the way down, and again on the other side
      g[2 * k + 1] = fades ? first + (x.p[i + 1] + 0.5) * second : second;
    }
  }
};

// Single runs scatter by a tenth, as any change of the steps does: sums over tolerances show what fading costs.
TEST(ProjectedConstraints, RowsThatDependOnOthersForAnInstantDoNotMatter) {
  const auto fall = [](bool fades, const char* method, double tolerance) {
    TemplatedEquations<FadingRows> equations{{fades}};
    Vector start = Vector::Zero(equations.layout().total);
    start.head(8) << 1, 0, 2, 0, 0.8, 0.6, 1.8, 0.6;
    Options options = tight_options();
    options.tolerances.relative = options.tolerances.absolute = tolerance;
    Simulation simulation(equations, method_of(method), options);
    return simulation.run(start, 0, 2);
  };
  for (const char* method : methods) {
    double steps = 0, fading_steps = 0;
    // sdirk4 comes to a stop, and says so, where its steps get as short as the part of the way on which the rows cannot be told apart
    const double most_digits = method == std::string("projected/sdirk4") ? 7 : 8;
    for (double digits = 4; digits <= most_digits; digits += 0.5) {
      const double tolerance = std::pow(10, -digits);
      const Summary plain = fall(false, method, tolerance), fading = fall(true, method, tolerance);
      ASSERT_EQ(plain.status, Status::finished) << method << ", " << tolerance << ": " << plain.message();
      ASSERT_EQ(fading.status, Status::finished) << method << ", " << tolerance << ": " << fading.message();
      EXPECT_LT((plain.final_state - fading.final_state).head(16).norm(), 1e4 * tolerance)
          << method << ", " << tolerance;
      steps += static_cast<double>(plain.statistics.accepted);
      fading_steps += static_cast<double>(fading.statistics.accepted);
    }
    EXPECT_LT(std::abs(fading_steps - steps), 0.05 * steps) << method;
  }
}

// --- scales of constraints

// The largest residual of the first row after any step.
double worst_row(const DoublePendulum& pendulum, const std::string& method, const Options& options) {
  TemplatedEquations<DoublePendulum> equations{pendulum};
  Simulation simulation(equations, method_of(method), options);
  double worst = 0;
  simulation.on_step([&](const Point<double>& x, double) {
    worst = std::max(worst, pendulum.first * std::abs(x.p[0] * x.p[0] + x.p[1] * x.p[1] - 1));
    return true;
  });
  const Summary summary = simulation.run(horizontal(equations), 0, 1);
  EXPECT_EQ(summary.status, Status::finished) << method << ": " << summary.message();
  return worst;
}

// As written, one tolerance in the row's own unit counts as one; automatic, the unit does not matter; and a scale that is
// given is what counts as one, in tolerances.
TEST(ProjectedConstraints, ScalesSayWhatCountsAsMet) {
  const DoublePendulum coarse_unit{1e3, 1};  // the first row in thousandths
  for (const char* method :
       {"projected/adams", "projected/bdf", "projected/radau5", "projected/sdirk4", "projected-index1/ida"}) {
    Options options = tight_options();
    options.projection_control.constraint_tolerance = 0.1;
    const double limit = 0.1 * 1e-7 * 2;  // where no coordinate is larger than one
    const double automatic = worst_row(coarse_unit, method, options);
    EXPECT_GT(automatic, 10 * limit) << method;
    // of a row with slope 2
    EXPECT_LT(automatic, 1e3 * 2 * limit) << method;
    EXPECT_FALSE(set_option(options, "constraint_scales", "as_written"));
    EXPECT_LT(worst_row(coarse_unit, method, options), limit) << method;
    options.projection.row_scales = Eigen::Vector2d(1e3, 1);
    const double given = worst_row(coarse_unit, method, options);
    EXPECT_GT(given, 10 * limit) << method;
    EXPECT_LT(given, 1e3 * limit) << method;
  }
}

TEST(ProjectedConstraints, ScalesThatCouldHaveNoEffectAreRefused) {
  const auto refusal = [](const Options& options, const char* method) {
    return swing({}, method, options).message();
  };
  Options options = tight_options();
  options.projection.row_scales = Eigen::Vector3d(1, 1, 1);
  EXPECT_NE(refusal(options, "projected/adams").find("constraint_scales is automatic"), std::string::npos);
  options.projection.scales = CoordinateProjectionOptions::Scales::as_written;
  EXPECT_NE(refusal(options, "projected/adams").find("has 3 entries, and there are 2"), std::string::npos);
  options.projection.row_scales = Eigen::Vector2d(1, 0);
  EXPECT_NE(refusal(options, "projected/bdf").find("must be positive"), std::string::npos);
  EXPECT_NE(refusal(options, "projected/dop853").find("does not project inside a step"), std::string::npos);
  options.projection.row_scales = Eigen::Vector2d(1, 2);
  EXPECT_EQ(swing({}, "projected-index1/ida", options).status, Status::finished);
}

// --- failures

// Projections that a user brings, of which every twentieth fails: each is counted.
TEST(ProjectedConstraints, FailedProjectionsAreCounted) {
  for (const char* method :
       {"projected/adams", "projected/bdf", "projected/radau5", "projected/sdirk4", "projected-index1/ida"}) {
    Chance chance;
    chance.probability = 0.05;
    TemplatedEquations<DoublePendulum> equations{DoublePendulum{}};
    Options options = tight_options();
    const auto tangent = equations.tangent();
    const CoordinateProjectionOptions own;
    WeightedProjection projection(*tangent, own);
    options.projection.project = [&](double t, VectorIn scale, double tolerance, VectorOut x) {
      if (chance.fails()) return Outcome::retry;
      return projection.project(t, scale, tolerance, x) ? Outcome::retry : Outcome::ok;
    };
    Simulation simulation(equations, method_of(method), options);
    const Summary summary = simulation.run(horizontal(equations), 0, 2);
    ASSERT_EQ(summary.status, Status::finished) << method << ": " << summary.message();
    EXPECT_GT(chance.failed, 3) << method;
    EXPECT_EQ(summary.statistics.rejected_projection, chance.failed) << method;
    const Summary smooth = swing({}, method, tight_options());
    EXPECT_LT((summary.final_state - smooth.final_state).head(8).norm(), 1e-3) << method;
  }
}

// Forces that do not give a number in every twentieth call; then rows, which a derivative or a projection calls several times, so that
// a hundredth of their calls is more than a twentieth of those, and a twentieth half of those of a step. The run ends where it would
// without.
TEST(ProjectedConstraints, FunctionsThatFailAtRandomDoNoHarm) {
  struct Fault {
    bool of_rows;
    double probability, most_steps;
  };
  for (const char* method : methods) {
    const Summary smooth = swing({}, method, tight_options());
    ASSERT_EQ(smooth.status, Status::finished) << method << ": " << smooth.message();
    for (const Fault& fault : {Fault{false, 0.05, 5}, Fault{true, 0.01, 5}, Fault{true, 0.05, 100}}) {
      // IDAS makes a step a quarter whatever failed, and gives up
      if (fault.most_steps > 5 && method == std::string("projected-index1/ida")) continue;
      const std::string what =
          std::string(method) + (fault.of_rows ? ", rows " : ", forces ") + std::to_string(fault.probability);
      const DoublePendulum pendulum;
      Chance& chance = fault.of_rows ? *pendulum.rows : *pendulum.force;
      TemplatedEquations<DoublePendulum> equations{pendulum};
      Simulation simulation(equations, method_of(method), tight_options());
      simulation.on_step([&](const Point<double>&, double) {
        chance.probability = fault.probability;
        return true;
      });
      const Summary summary = simulation.run(horizontal(equations), 0, 2);
      chance.probability = 0;
      ASSERT_EQ(summary.status, Status::finished) << what << ": " << summary.message();
      EXPECT_LT((summary.final_state - smooth.final_state).head(8).norm(), 1e-3) << what;
      EXPECT_GT(chance.failed, 5) << what;
      EXPECT_GT(summary.statistics.rejected(), 0) << what;
      EXPECT_LT(static_cast<double>(summary.statistics.accepted),
                fault.most_steps * static_cast<double>(smooth.statistics.accepted))
          << what;
    }
  }
}

// --- operators of one's own

TEST(ProjectedConstraints, OwnOperatorsTakeTheirPlace) {
  for (const char* method :
       {"projected/adams", "projected/bdf", "projected/dop853", "projected/radau5", "projected/sdirk4"}) {
    long projected = 0, measured = 0;
    Options options;
    options.tolerances.relative = options.tolerances.absolute = 1e-7;
    // as rough as can be: lengths one after the other, velocities likewise
    options.projection.project = [&](double, VectorIn, double, VectorOut x) {
      ++projected;
      Eigen::Ref<Eigen::Vector2d> p = x.segment<2>(0), v = x.segment<2>(4);
      p.normalize();
      v -= p.dot(v) * p;
      const Eigen::Vector2d rod = (x.segment<2>(2) - p).normalized();
      x.segment<2>(2) = p + rod;
      x.segment<2>(6) -= rod.dot(x.segment<2>(6) - v) * rod;
      return Outcome::ok;
    };
    options.projection.violation = [&](double, VectorIn, VectorIn) {
      ++measured;
      return 1.0;
    };
    TemplatedEquations<DoublePendulum> equations{DoublePendulum{}};
    Simulation simulation(equations, method_of(method), options);
    Vector start = Vector::Zero(equations.layout().total);
    start.head(4) << 1, 0, 2, 0;
    const Summary summary = simulation.run(start, 0, 1);
    ASSERT_EQ(summary.status, Status::finished) << method << ": " << summary.message();
    EXPECT_EQ(measured, summary.statistics.projections) << method;
    EXPECT_GT(projected, 10) << method;
    EXPECT_EQ(projected, summary.statistics.projections) << method;
    EXPECT_LT(summary.violation.position, 1e-12) << method;
  }
}

}  // namespace
}  // namespace trammel
