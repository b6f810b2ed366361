// What holds for the equations of every built-in problem: exact derivatives, consistent initial values,
// names.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "trammel/motion/difference_derivatives.h"
#include "trammel/published/builtin.h"

namespace trammel {
namespace {

struct Variant {
  std::string problem;
  std::map<std::string, double> changes;
  Index degrees_of_freedom;
  Index position_rank, velocity_rank;
};

void PrintTo(const Variant& variant, std::ostream* out) {
  *out << variant.problem;
  for (const auto& [name, value] : variant.changes) *out << " " << name << "=" << value;
}

class BuiltinEquations : public testing::TestWithParam<Variant> {
 protected:
  const BuiltinProblem& problem() const { return *find_problem(GetParam().problem); }
  ProblemCase make() const { return problem().make(problem().values(GetParam().changes)); }
};

void expect_near(const Matrix& exact, const Matrix& difference, const char* what) {
  if (exact.size() == 0) return;
  EXPECT_LE((exact - difference).cwiseAbs().maxCoeff(), 2e-8 * (1 + exact.cwiseAbs().maxCoeff())) << what;
}

void expect_exact_derivatives(EquationsOfMotion& equations, double t, const Vector& x, const Vector& a) {
  MotionDerivatives exact(equations.layout()), differences(equations.layout());
  equations.differentiate({t, x, a}, part::all, exact);
  DifferenceDerivatives(equations.layout()).compute(equations, {t, x, a}, part::all, differences);
  expect_near(exact.kinematics, differences.kinematics, "kinematics");
  expect_near(exact.dynamics, differences.dynamics, "dynamics");
  expect_near(exact.b, differences.b, "b");
  expect_near(exact.d, differences.d, "d");
  expect_near(exact.c, differences.c, "c");
  expect_near(exact.g, differences.g, "g");
  expect_near(exact.gI, differences.gI, "gI");
  expect_near(exact.gII, differences.gII, "gII");
  expect_near(exact.h, differences.h, "h");
  expect_near(exact.hI, differences.hI, "hI");
  expect_near(exact.e, differences.e, "e");
}

TEST_P(BuiltinEquations, DerivativesAreExact) {
  ProblemCase problem_case = make();
  EquationsOfMotion& equations = *problem_case.equations;
  Vector x = problem_case.x0;
  const AssemblyReport report = Assembly(equations, problem_case.assembly).run(0, x);
  ASSERT_FALSE(report.failure) << report.failure.message;
  expect_exact_derivatives(equations, 0, x, report.accelerations);

  // somewhere else, off the constraints
  for (Index i = 0; i < x.size(); ++i)
    x[i] += 0.02 * (1 + std::abs(x[i])) * std::sin(1.7 * static_cast<double>(i) + 0.4);
  expect_exact_derivatives(equations, 0.7, x, Vector::LinSpaced(report.accelerations.size(), -0.6, 0.9));
}

TEST_P(BuiltinEquations, InitialValuesAreConsistent) {
  ProblemCase problem_case = make();
  EquationsOfMotion& equations = *problem_case.equations;
  const Layout& layout = equations.layout();
  ASSERT_EQ(problem_case.x0.size(), layout.total);
  Vector x = problem_case.x0;
  const AssemblyReport report = Assembly(equations, problem_case.assembly).run(0, x);
  ASSERT_FALSE(report.failure) << report.failure.message;

  // only multipliers and auxiliary variables were left to be found
  EXPECT_EQ(x.head(layout.v.end()), problem_case.x0.head(layout.v.end())) << report.largest_change;
  EXPECT_EQ(x.segment(layout.s.begin, layout.s.size), problem_case.x0.segment(layout.s.begin, layout.s.size));
  EXPECT_EQ(report.degrees_of_freedom, GetParam().degrees_of_freedom);
  EXPECT_EQ(report.position_rank, GetParam().position_rank);
  EXPECT_EQ(report.velocity_rank, GetParam().velocity_rank);

  MotionValues values(layout);
  equations.evaluate({0, x, report.accelerations}, part::all, values);
  for (const Vector* zero : {&values.c, &values.g, &values.gI, &values.h, &values.e, &values.d})
    if (zero->size() > 0) {
      EXPECT_LE(zero->lpNorm<Eigen::Infinity>(), 1e-13);
    }
}

TEST_P(BuiltinEquations, EverythingHasANameOfItsOwn) {
  ProblemCase problem_case = make();
  const Names& names = problem_case.equations->names();
  const Layout& layout = problem_case.equations->layout();
  std::set<std::string> variables;
  for (Index i = 0; i < layout.total; ++i) variables.insert(names.variable(layout, i));
  EXPECT_EQ(static_cast<Index>(variables.size()), layout.total);
  EXPECT_FALSE(variables.contains(""));
  for (const std::string& name : variables) EXPECT_EQ(name.find(' '), std::string::npos) << name;
  std::set<std::string> equations;
  for (const auto* rows : {&names.c, &names.d, &names.e, &names.g, &names.h})
    equations.insert(rows->begin(), rows->end());
  EXPECT_EQ(static_cast<Index>(equations.size()),
            layout.s.size + layout.w.size + layout.invariants + layout.lambda.size + layout.mu.size);

  EXPECT_FALSE(problem().summary.empty());
  EXPECT_EQ(problem().summary.find('\n'), std::string::npos);
  EXPECT_FALSE(problem().source.empty());
  EXPECT_FALSE(problem().error_is.empty());
  EXPECT_EQ(problem().error_is.find('\n'), std::string::npos);
  for (const ProblemParameter& parameter : problem().parameters) EXPECT_FALSE(parameter.description.empty());
}

TEST_P(BuiltinEquations, ParametersThatMakeNoSenseAreRefused) {
  const std::map<std::string, double> nonsense = {
      {"m", -1},       {"L", 0},       {"l", -2},      {"N", 2.5},       {"Theta", 0},
      {"a", -0.1},     {"Omega", 0},   {"speed", 0},   {"pneumatic", 2}, {"crank", 0},
      {"coupler", 10}, {"density", 0}, {"doubled", 3}, {"initial", 3},   {"stiff", 2},
      {"k", 1e9},      {"c", 0},       {"beta", -1},   {"radius", 2},    {"rolling", 0.5}};
  const auto default_values = problem().values({});
  for (const auto& [name, value] : nonsense) {
    const bool fine = name == "k" && problem().name == "force-element";  // however stiff
    if (default_values.contains(name) && !fine) {
      EXPECT_THROW(problem().make(problem().values({{name, value}})), std::invalid_argument)
          << name << " = " << value;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BuiltinEquations,
    testing::Values(Variant{"pendulum", {}, 1, 1, 1}, Variant{"truck", {}, 7, 2, 2},
                    Variant{"truck", {{"pneumatic", 1}}, 7, 2, 2}, Variant{"andrews", {}, 1, 6, 6},
                    Variant{"chain", {}, 5, 5, 5}, Variant{"chain", {{"N", 1}, {"l", 0.5}}, 1, 1, 1},
                    Variant{"chain", {{"N", 13}, {"m", 0.2}}, 13, 13, 13},
                    Variant{"chaplygin-sleigh", {}, 2, 0, 1},
                    Variant{"chaplygin-sleigh", {{"omega0", 0}}, 2, 0, 1}, Variant{"knife-edge", {}, 2, 0, 1},
                    Variant{"four-bar", {}, 1, 8, 8},
                    Variant{"four-bar", {{"doubled", 0}, {"angle", -2}}, 1, 8, 8},
                    Variant{"force-element", {}, 1, 1, 1}, Variant{"rolling-contact", {}, 1, 1, 2},
                    Variant{"rolling-contact", {{"rolling", 0}, {"s0", 0.6}}, 2, 1, 1},
                    Variant{"simple-pendulum", {}, 1, 1, 1}, Variant{"slider-crank", {}, 4, 3, 3},
                    Variant{"slider-crank", {{"initial", 2}, {"stiff", 1}, {"damped", 1}}, 4, 3, 3},
                    Variant{"skate", {}, 1, 0, 1}, Variant{"circular-track", {}, 1, 1, 1},
                    Variant{"stiff-spring-pendulum", {}, 2, 0, 0}),
    [](const auto& variant) {
      std::string name = variant.param.problem;
      for (const auto& [parameter, value] : variant.param.changes) name += "_" + parameter;
      std::erase(name, '-');
      return name;
    });

}  // namespace
}  // namespace trammel
