// The state-space form on the example models.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/formulation/state_space_check.h"
#include "trammel/formulation/coordinate_partitioning.h"
#include "trammel/formulation/sparse_coordinate_partitioning.h"
#include "trammel/model/model.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {
namespace {

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(TRAMMEL_SOURCE_DIR "/examples/models"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class EveryExample : public testing::TestWithParam<std::string> {
 protected:
  EveryExample()
      : model_(read_model(TRAMMEL_SOURCE_DIR "/examples/models/" + GetParam() + ".yaml")),
        equations_(model_.mechanism),
        x_(equations_.initial_state()) {
    const AssemblyReport report = assemble_mechanism(equations_, 0, x_);
    EXPECT_FALSE(report.failure) << report.failure.message;
  }

  Model model_;
  CartesianEquations equations_;
  Vector x_;
};

constexpr double shift = 200, tolerance = 1e-6;

TEST_P(EveryExample, HasExactNewtonMatricesByTheReducedSystem) {
  SparseCoordinatePartitioning problem(equations_, {}, 1000000);
  EXPECT_LT(shifted_solve_deviation(problem, 0, x_, shift), tolerance);
}

TEST_P(EveryExample, HasExactNewtonMatricesByOneSparseSystem) {
  SparseCoordinatePartitioning problem(equations_, {}, -1);
  EXPECT_LT(shifted_solve_deviation(problem, 0, x_, shift), tolerance);
}

TEST_P(EveryExample, HasExactNewtonMatricesWithDenseMatrices) {
  CoordinatePartitioning problem(equations_, {});
  if (x_.size() > 400) GTEST_SKIP() << "too large for dense matrices";
  EXPECT_LT(shifted_solve_deviation(problem, 0, x_, shift), tolerance);
}

INSTANTIATE_TEST_SUITE_P(StateSpace, EveryExample, testing::ValuesIn(example_names()),
                         [](const auto& parameters) {
                           std::string name = parameters.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace trammel
