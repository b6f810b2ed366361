#include <gtest/gtest.h>

#include "shifted_solve_check.h"
#include "tests/motion/everything_system.h"
#include "trammel/formulation/geoms/geoms.h"

namespace trammel {
namespace {

struct Assembled {
  Vector x, xdot;
};

Assembled assembled_everything(EquationsOfMotion& equations, bool meet_invariants) {
  AssemblyOptions options;
  options.meet_invariants = meet_invariants;
  Assembled result;
  result.x = Vector::Constant(equations.layout().total, 0.3);
  result.x.head(6) << 0.5, 0.4, 0.6, 0.7, 0.2, 0.9;
  const AssemblyReport report = Assembly(equations, options).run(0.2, result.x);
  EXPECT_FALSE(report.failure) << report.failure.message;
  result.xdot = Vector::Zero(result.x.size());
  MotionValues values(equations.layout());
  equations.evaluate({0.2, result.x, report.accelerations}, part::kinematics | part::b, values);
  const Layout& l = equations.layout();
  result.xdot.segment(l.p.begin, l.p.size) = values.kinematics;
  result.xdot.segment(l.v.begin, l.v.size) = report.accelerations;
  result.xdot.segment(l.r.begin, l.r.size) = values.b;
  return result;
}

class ShiftedSolve : public testing::TestWithParam<std::tuple<Decomposition, bool, bool>> {};

TEST_P(ShiftedSolve, FitsTheResidual) {
  const auto [decomposition, complete, invariants] = GetParam();
  TemplatedEquations<EverythingSystem> equations{EverythingSystem{}};
  GeomsOptions options;
  options.algebraic = decomposition;
  options.form = complete ? GeomsOptions::Form::complete : GeomsOptions::Form::incomplete;
  options.enforce_invariants = invariants;
  options.differential =
      decomposition == Decomposition::qr ? DifferentialDecomposition::qr : DifferentialDecomposition::lu;
  Geoms problem(equations, options);
  const Assembled state = assembled_everything(equations, invariants);
  // multipliers of the incomplete form follow from differences divided by the step: the errors of the check's
  // own differences grow with the shift
  expect_shifted_solves_fit(problem, 0.2, state.x, state.xdot, complete ? 1e-6 : 1e-4);
}

INSTANTIATE_TEST_SUITE_P(AllForms, ShiftedSolve,
                         testing::Combine(testing::Values(Decomposition::lu, Decomposition::qr,
                                                          Decomposition::svd),
                                          testing::Bool(), testing::Bool()));

}  // namespace
}  // namespace trammel
