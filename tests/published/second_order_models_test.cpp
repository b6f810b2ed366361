// The models of the semi-recursive paper: methods of second order agree with psf to their order, in joint coordinates.
#include <gtest/gtest.h>

#include <cmath>

#include "trammel/motion/mechanism_motion.h"
#include "trammel/published/builtin.h"
#include "trammel/simulation/mechanism_run.h"
#include "trammel/simulation/simulation.h"

namespace trammel {
namespace {

struct PaperModel {
  const char* problem;
  std::map<std::string, double> values;
  double until, step;
};
inline void PrintTo(const PaperModel& one, std::ostream* out) { *out << one.problem; }

class PaperModels : public testing::TestWithParam<PaperModel> {};
INSTANTIATE_TEST_SUITE_P(Models, PaperModels,
                         testing::Values(PaperModel{"spatial-four-bar", {{"driven", 0}}, 0.5, 5e-3},
                                         PaperModel{"multiple-four-bar", {{"configuration", 1}}, 0.1, 2e-3},
                                         PaperModel{"multiple-four-bar", {{"configuration", 2}}, 0.1, 2e-3},
                                         PaperModel{"multiple-four-bar", {{"configuration", 3}}, 0.1, 2e-3},
                                         PaperModel{"coach", {}, 0.2, 2e-3}));

Vector end_of(MechanismEquations& equations, const Vector& start, const PaperModel& model,
              const std::string& method, double rtol, double step) {
  Method parsed;
  EXPECT_FALSE(parse_method(method, parsed));
  Options options;
  options.tolerances.relative = options.tolerances.absolute = rtol;
  options.record = false;
  options.assembly = assembly_options(equations);
  options.second_order.step = step;
  options.penalty.factor = 1e11;
  Simulation simulation(equations, parsed, options);
  const Summary summary = simulation.run(start, 0, model.until);
  EXPECT_EQ(summary.status, Status::finished) << method << ": " << summary.message();
  return summary.final_state;
}

TEST_P(PaperModels, AgreeWithPsfToOrderTwo) {
  const PaperModel& model = GetParam();
  const BuiltinProblem& builtin = *find_problem(model.problem);
  const ProblemCase problem = builtin.make(builtin.values(model.values));
  const std::unique_ptr<MechanismEquations> equations =
      make_equations(problem.mechanism->mechanism(), "joint");
  const Layout& l = equations->layout();
  Vector start = equations->initial_state();
  const AssemblyReport report = assemble_mechanism(*equations, 0, start);
  ASSERT_FALSE(report.failure) << report.failure.message;
  EXPECT_EQ(report.degrees_of_freedom, std::string(model.problem) == "coach"              ? 16
                                       : std::string(model.problem) == "spatial-four-bar" ? 1
                                                                                          : 15);
  const Vector exact = end_of(*equations, start, model, "psf/radau5", 1e-10, 0);
  for (const char* method : {"penalty/trapezoidal", "augmented/trapezoidal", "augmented/hht", "ggl/alpha"}) {
    double error[2], speed_error[2];
    for (const int i : {0, 1}) {
      const Vector difference = end_of(*equations, start, model, method, 1e-10, model.step / (1 + i)) - exact;
      error[i] = difference.segment(l.p.begin, l.p.size).lpNorm<Eigen::Infinity>();
      speed_error[i] = difference.segment(l.v.begin, l.v.size).lpNorm<Eigen::Infinity>();
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.4) << method << " " << error[0] << " " << error[1];
    EXPECT_NEAR(std::log2(speed_error[0] / speed_error[1]), 2, 0.5)
        << method << " " << speed_error[0] << " " << speed_error[1];
  }
}

}  // namespace
}  // namespace trammel
