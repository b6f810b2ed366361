// Every way of differentiation on random mechanisms, against the library's own slopes: trees with loops, all joints, couplers,
// drivers, forces, contacts, states; in joint and Cartesian coordinates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/random/random_mechanism.h"
#include "trammel/derivatives/mechanism_functions.h"
#include "trammel/motion/joint_equations.h"

namespace trammel {
namespace {

// A state that is nothing special.
Vector some_state(const MechanismEquations& equations) {
  Vector x = equations.initial_state();
  const Layout& l = equations.layout();
  for (Index i = 0; i < l.p.size; ++i) x[l.p.begin + i] += 0.05 * std::sin(1.3 * static_cast<double>(i + 1));
  for (Index i = 0; i < l.v.size; ++i) x[l.v.begin + i] += 0.4 * std::cos(0.7 * static_cast<double>(i + 1));
  for (Index i = 0; i < l.r.size; ++i) x[l.r.begin + i] += 0.1;
  return x;
}

// Row by row, against the largest of the row, and against the largest of all where a row nearly cancels.
double difference(const Matrix& found, const Matrix& expected) {
  double worst = 0;
  const double all = expected.size() > 0 ? expected.cwiseAbs().maxCoeff() : 0;
  for (Index i = 0; i < expected.rows(); ++i) {
    const double scale = expected.row(i).cwiseAbs().maxCoeff() + 1e-3 * all + 1e-9;
    const double error = (found.row(i) - expected.row(i)).cwiseAbs().maxCoeff() / scale;
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

struct Tried {
  int functions = 0, refused = 0;
};

void check_values(const RecordedMechanism& recorded, MechanismEquations& equations, double t,
                  const Vector& x) {
  const std::unique_ptr<MechanismMotion> motion = equations.mechanism_motion();
  MotionValues values(equations.layout(), false);
  const Vector rest = Vector::Zero(equations.layout().v.size);
  motion->evaluate({t, x, rest}, part::dynamics | part::mass | part::g | part::h | part::b, values);
  const std::vector<double> point = recorded.at(equations, t, x);
  const auto evaluated = [&](const RecordedFunction& function) {
    Vector y(static_cast<Index>(function.outputs.size()));
    differentiable(function, 0).plain(point, {y.data(), at_index(y.size())});
    return y;
  };
  const auto close = [&](const Vector& found, const Vector& expected, const char* what) {
    ASSERT_EQ(found.size(), expected.size()) << what;
    if (expected.size() == 0) return;
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-10 * (1 + expected.cwiseAbs().maxCoeff())) << what;
  };
  close(evaluated(recorded.forces), values.dynamics, "Q");
  Vector rows(values.g.size() + values.h.size());
  rows << values.g, values.h;
  close(evaluated(recorded.constraints), rows, "Phi");
  close(evaluated(recorded.state_rates), values.b, "b");
  const Vector mass = evaluated(recorded.mass);
  Matrix M = Matrix::Zero(recorded.mass_pattern.rows, recorded.mass_pattern.columns);
  Index next = 0;
  for (int i = 0; i < recorded.mass_pattern.rows; ++i)
    for (const int j : recorded.mass_pattern.row(i)) M(i, j) = mass[next++];
  const Matrix expected(motion->slopes().mass);
  EXPECT_LT((M - expected).cwiseAbs().maxCoeff(), 1e-10 * expected.cwiseAbs().maxCoeff()) << "M";
}

void check(const Mechanism& mechanism, const std::string& coordinates, bool with_compiler, Tried& tried) {
  const std::unique_ptr<MechanismEquations> equations = make_equations(mechanism, coordinates);
  Vector x = some_state(*equations);
  const double t = 0.3;
  check_values(record_mechanism(*equations), *equations, t, x);
  for (const MechanismFunction which : {MechanismFunction::forces, MechanismFunction::constraints}) {
    FunctionOfMechanism function(*equations, which);
    if (function.graph().outputs.empty()) continue;
    ++tried.functions;
    const std::vector<double> point = function.point(t, x);
    function.compute_slopes(point);
    const Matrix exact = function.slopes();
    for (const DifferentiationWay& way : differentiation_ways()) {
      if (!way.is_available || (way.name == "generated" && !with_compiler)) continue;
      const bool is_difference = way.name.starts_with("central");
      const DifferentiableFunction of = is_difference ? *function.by_library() : function.by_recording();
      const double error = difference(make_jacobian(way.name, of, point)->dense(point), exact);
      EXPECT_LT(error, way.is_exact ? 1e-8 : 1e-4) << coordinates << ", " << name(which) << ", " << way.name;
    }
  }
}

// Rotors are recorded on joints of the tree, and refused elsewhere.
bool has_recordable_rotors(const Mechanism& mechanism, const std::string& coordinates) {
  const auto has_none = [](const Joint& joint) { return joint.rotors.empty(); };
  if (std::all_of(mechanism.joints.begin(), mechanism.joints.end(), has_none)) return true;
  if (coordinates != "joint") return false;
  const JointEquations equations(mechanism);
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i)
    if (!has_none(mechanism.joints[i]) && !equations.tree().contains(i)) return false;
  return true;
}

class RecordedMechanisms : public testing::TestWithParam<int> {};

TEST_P(RecordedMechanisms, AreDifferentiatedAlikeInEveryWay) {
  constexpr int in_a_batch = 6;
  Tried tried;
  for (int k = 1; k <= in_a_batch; ++k) {
    const auto seed = static_cast<std::uint64_t>(GetParam() * in_a_batch + k);
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Model model = random_model(seed), without_rotors = random_model(seed, {.rotors = false});
    for (const char* coordinates : {"joint", "cartesian"}) {
      const bool with_rotors = has_recordable_rotors(model.mechanism, coordinates);
      // a compiler takes its time: one of each batch
      check(with_rotors ? model.mechanism : without_rotors.mechanism, coordinates, k == 1, tried);
    }
  }
  EXPECT_GE(tried.functions, in_a_batch);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RecordedMechanisms, testing::Range(0, 5));

}  // namespace
}  // namespace trammel
