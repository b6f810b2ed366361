#include "trammel/formulation/state_space/coordinate_partitioning.h"

#include <gtest/gtest.h>

#include "tests/formulation/state_space_check.h"
#include "trammel/motion/assembly.h"
#include "trammel/published/builtin.h"

namespace trammel {
namespace {

using Kind = CoordinatePartitioningOptions::Kind;

// A built-in problem in a consistent state.
struct Prepared {
  ProblemCase problem;
  Vector x;
  explicit Prepared(const std::string& name, const std::map<std::string, double>& changes = {}) {
    const BuiltinProblem* builtin = find_problem(name);
    problem = builtin->make(builtin->values(changes));
    x = problem.x0;
    AssemblyOptions options = problem.assembly;
    options.meet_invariants = false;
    const AssemblyReport report = Assembly(*problem.equations, options).run(problem.t_start, x);
    EXPECT_FALSE(report.failure) << report.failure.message;
  }
};

class EveryProblem : public testing::TestWithParam<std::tuple<std::string, Kind>> {};

TEST_P(EveryProblem, HasExactNewtonMatrices) {
  const auto [name, kind] = GetParam();
  Prepared prepared(name);
  CoordinatePartitioning problem(*prepared.problem.equations, {.kind = kind});
  const double t = prepared.problem.t_start;
  EXPECT_LT(shifted_solve_deviation(problem, t, prepared.x, 50), 1e-6);
}

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const BuiltinProblem& problem : builtin_problems()) names.push_back(problem.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(CoordinatePartitioning, EveryProblem,
                         testing::Combine(testing::ValuesIn(problem_names()),
                                          testing::Values(Kind::partition, Kind::tangent, Kind::nullspace)),
                         [](const auto& parameters) {
                           std::string name = std::get<0>(parameters.param);
                           for (char& c : name)
                             if (c == '-') c = '_';
                           const Kind kind = std::get<1>(parameters.param);
                           return name + (kind == Kind::partition ? "_partition"
                                          : kind == Kind::tangent ? "_tangent"
                                                                  : "_nullspace");
                         });

}  // namespace
}  // namespace trammel
