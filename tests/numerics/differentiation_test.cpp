// All ways of differentiation on functions whose derivatives are known, and the graph they are made from.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "trammel/numerics/differentiation/c_code.h"
#include "trammel/numerics/differentiation/compiled_code.h"
#include "trammel/numerics/differentiation/graph_jacobian.h"
#include "trammel/numerics/differentiation/graph_program.h"
#include "trammel/numerics/differentiation/jacobian.h"

namespace trammel {
namespace {

// Every elementary function, with its derivative written by hand.
struct Elementary {
  static constexpr int count = 16;
  void operator()(auto x, auto y) const {
    using std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::sinh, std::cosh, std::tanh,
        std::exp, std::log, std::sqrt, std::atan2, std::pow, std::hypot, std::abs;
    const auto& a = x[0];
    const auto& b = x[1];
    y[0] = sin(a) * b;
    y[1] = cos(a) / b;
    y[2] = tan(a) - b;
    y[3] = asin(a);
    y[4] = acos(a);
    y[5] = atan(a * b);
    y[6] = sinh(a);
    y[7] = cosh(a);
    y[8] = tanh(a);
    y[9] = exp(a * a);
    y[10] = log(b);
    y[11] = sqrt(b);
    y[12] = atan2(a, b);
    y[13] = pow(b, 2.5);
    y[14] = hypot(a, b);
    y[15] = abs(-a) + 2.0 / b;
  }
  static Matrix slopes(double a, double b) {
    Matrix J = Matrix::Zero(count, 2);
    const double r = std::hypot(a, b), ab = 1 + a * a * b * b;
    J << std::cos(a) * b, std::sin(a),             //
        -std::sin(a) / b, -std::cos(a) / (b * b),  //
        1 / (std::cos(a) * std::cos(a)), -1,       //
        1 / std::sqrt(1 - a * a), 0,               //
        -1 / std::sqrt(1 - a * a), 0,              //
        b / ab, a / ab,                            //
        std::cosh(a), 0,                           //
        std::sinh(a), 0,                           //
        1 - std::tanh(a) * std::tanh(a), 0,        //
        2 * a * std::exp(a * a), 0,                //
        0, 1 / b,                                  //
        0, 0.5 / std::sqrt(b),                     //
        b / (r * r), -a / (r * r),                 //
        0, 2.5 * std::pow(b, 1.5),                 //
        a / r, b / r,                              //
        1, -2 / (b * b);
    return J;
  }
};

double tolerance(const DifferentiationWay& way) { return way.is_exact ? 1e-13 : 1e-8; }

TEST(Differentiation, OfElementaryFunctionsIsRightInEveryWay) {
  const DifferentiableFunction function = differentiable(2, Elementary::count, Elementary());
  const std::vector<double> x{0.4, 1.7};
  const Matrix expected = Elementary::slopes(x[0], x[1]);
  for (const DifferentiationWay& way : differentiation_ways()) {
    if (!way.is_available) continue;
    const Matrix found = make_jacobian(way.name, function, x)->dense(x);
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), tolerance(way)) << way.name;
  }
}

// One number may be several outputs, an input or a constant.
TEST(Differentiation, OutputsMayBeTheSameNumber) {
  const DifferentiableFunction function = differentiable(2, 5, [](auto x, auto y) {
    using std::sin;
    y[0] = sin(x[0]) * x[1];
    y[1] = y[0];
    y[2] = x[1];
    y[3] = x[1];
    y[4] = 2.0 + 0.0 * x[0];
  });
  const std::vector<double> x{0.4, 1.7};
  Matrix expected(5, 2);
  expected << std::cos(0.4) * 1.7, std::sin(0.4), std::cos(0.4) * 1.7, std::sin(0.4), 0, 1, 0, 1, 0, 0;
  for (const DifferentiationWay& way : differentiation_ways()) {
    if (!way.is_available) continue;
    EXPECT_LT((make_jacobian(way.name, function, x)->dense(x) - expected).cwiseAbs().maxCoeff(),
              tolerance(way))
        << way.name;
  }
}

// Ways that are not in a build are known by name, and say what they need.
TEST(Differentiation, WaysOfAdolcAreThereOrSayWhatTheyNeed) {
  const DifferentiableFunction function = differentiable(2, Elementary::count, Elementary());
  const std::vector<double> x{0.4, 1.7};
  for (const char* way : {"adolc-forward", "adolc-reverse", "adolc-sparse"}) {
#ifdef TRAMMEL_WITH_ADOLC
    EXPECT_NO_THROW(make_jacobian(way, function, x)) << way;
#else
    try {
      make_jacobian(way, function, x);
      FAIL() << way << " is not in this build";
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find("-DTRAMMEL_ADOLC=ON"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("libadolc-dev"), std::string::npos) << error.what();
    }
#endif
  }
}

// A band: each output depends on three neighbours.
struct Band {
  void operator()(auto x, auto y) const {
    using std::sin;
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = x[i] * x[i];
      if (i > 0) y[i] += sin(x[i - 1]) * x[i];
      if (i + 1 < y.size()) y[i] -= x[i + 1] * x[i];
    }
  }
};

TEST(Differentiation, FindsPatternAndColoursByItself) {
  constexpr int n = 50;
  const DifferentiableFunction function = differentiable(n, n, Band());
  const std::vector<double> x(n, 0.3);
  const JacobianPattern pattern = pattern_of(function.record(), n);
  EXPECT_EQ(pattern.entries(), 3u * n - 2);
  const Colouring colouring = colour_columns(pattern);
  EXPECT_EQ(colouring.colours, 3);
  for (int i = 0; i < pattern.rows; ++i)
    for (const int a : pattern.row(i))
      for (const int b : pattern.row(i))
        if (a != b) {
          EXPECT_NE(colouring.of_column[static_cast<std::size_t>(a)],
                    colouring.of_column[static_cast<std::size_t>(b)]);
        }
  const JacobianPattern probed = pattern_by_probing(function.plain, x, n);
  EXPECT_EQ(probed.begin, pattern.begin);
  EXPECT_EQ(probed.column, pattern.column);

  const Matrix exact = make_jacobian("forward", function)->dense(x);
  for (const DifferentiationWay& way : differentiation_ways()) {
    if (!way.is_available) continue;
    const std::unique_ptr<Jacobian> jacobian = make_jacobian(way.name, function, x);
    EXPECT_LT((jacobian->dense(x) - exact).cwiseAbs().maxCoeff(), tolerance(way)) << way.name;
    if (way.name == "sparse" || way.name == "central-coloured") {
      EXPECT_EQ(jacobian->directions(), 3);
    }
  }
}

TEST(Differentiation, ByDifferencesTakesFunctionsOfDoublesAlone) {
  DifferentiableFunction function{.inputs = 3, .outputs = 3};
  function.plain = [](std::span<const double> x, std::span<double> y) { Band()(x, y); };
  const std::vector<double> x{0.1, 0.2, 0.3};
  const Matrix exact = make_jacobian("forward", differentiable(3, 3, Band()))->dense(x);
  EXPECT_LT((make_jacobian("central", function)->dense(x) - exact).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((make_jacobian("central-coloured", function, x)->dense(x) - exact).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_THROW(make_jacobian("sparse", function, x), std::invalid_argument);
  EXPECT_THROW(make_jacobian("generated", function, x), std::invalid_argument);
  EXPECT_THROW(make_jacobian("central-colored", function, x), std::invalid_argument);
}

// What is infinite in a branch that is not taken must not show.
struct Branching {
  void operator()(auto x, auto y) const {
    using std::sqrt;
    if (plain(x[0]) > 0.0)
      y[0] = sqrt(x[0]) * x[1];
    else if (plain(x[1]) < plain(x[0]))
      y[0] = x[1] * x[1] + x[0];
    else
      y[0] = 1.0 / (x[1] - x[0] + 1.0);
    y[1] = plain(x[0]) > 0.0 ? x[1] * 3.0 : x[0] * 5.0;
  }
};

TEST(Differentiation, ChoosesBranchesWhereItIsEvaluated) {
  const DifferentiableFunction function = differentiable(2, 2, Branching());
  std::vector<std::unique_ptr<Jacobian>> jacobians;
  for (const DifferentiationWay& way : differentiation_ways())
    if (way.is_available) jacobians.push_back(make_jacobian(way.name, function, std::vector<double>{1, 1}));
  const std::vector<std::pair<std::vector<double>, std::vector<double>>> cases = {
      {{4, 3}, {0.75, 2, 0, 3}},
      {{-1, -2}, {1, -4, 5, 0}},
      {{-1, 0}, {0.25, -0.25, 5, 0}},
  };
  for (const auto& [x, expected] : cases)
    for (std::size_t k = 0; k < jacobians.size(); ++k) {
      const Matrix J = jacobians[k]->dense(x);
      for (Index i = 0; i < 4; ++i) EXPECT_NEAR(J(i / 2, i % 2), expected[at_index(i)], 1e-8) << k;
    }
}

TEST(Differentiation, RefusesTooManyBranches) {
  const auto many = [](std::span<const Traced> x, std::span<Traced> y) {
    y[0] = 0.0;
    for (const Traced& one : x)
      if (one > 0.0) y[0] += one;
  };
  EXPECT_NO_THROW(record(9, 1, many));
  try {
    record(11, 1, many, "the sum of what is positive");
    FAIL();
  } catch (const RecordingError& error) {
    EXPECT_STREQ(error.what(), "the sum of what is positive branches in more than 1024 ways");
  }
  // part by part they only add up
  EXPECT_NO_THROW(record(11, 1, [](std::span<const Traced> x, std::span<Traced> y) {
    y[0] = 0.0;
    for (const Traced& one : x)
      y[0] += record_branches(
          "one", [&](std::vector<Traced>& out) { out.push_back(one > 0.0 ? one : Traced(0.0)); })[0];
  }));
}

TEST(OperationGraph, SharesWhatIsCommonAndFoldsWhatIsConstant) {
  const RecordedFunction function = record(2, 2, [](std::span<const Traced> x, std::span<Traced> y) {
    const Traced zero = x[0] * 0.0 + (x[1] - x[1]);
    y[0] = sin(x[0] * x[1]) + zero;
    y[1] = sin(x[1] * x[0]) * (2.0 * sqrt(Traced(4.0))) * 1.0;
  });
  EXPECT_EQ(operation_count(function), 3u);  // the product, its sine, four times that
}

// Random programs: derivatives in symbols, compiled, against duals.
TEST(OperationGraph, DerivativesOfRandomFunctionsAgree) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto f = [seed](auto x, auto y) {
      using std::sin, std::cos, std::sqrt, std::exp, std::atan2;
      using T = std::remove_cvref_t<decltype(y[0])>;
      std::mt19937 random(seed);
      std::vector<T> values(x.begin(), x.end());
      const auto any = [&]() -> const T& { return values[random() % values.size()]; };
      for (int i = 0; i < 60; ++i) {
        const T a = any(), b = any();
        switch (random() % 8) {
          case 0:
            values.push_back(a + b);
            break;
          case 1:
            values.push_back(a - 0.5 * b);
            break;
          case 2:
            values.push_back(sin(a) * b);
            break;
          case 3:
            values.push_back(cos(a * b));
            break;
          case 4:
            values.push_back(a / (1.5 + sin(b)));
            break;
          case 5:
            values.push_back(sqrt(1.0 + a * a));
            break;
          case 6:
            values.push_back(atan2(a, 2.0 + cos(b)));
            break;
          default:
            values.push_back(exp(-a * a) - b);
            break;
        }
      }
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = sin(values[values.size() - 1 - 3 * i]);
    };
    const DifferentiableFunction function = differentiable(4, 6, f);
    const std::vector<double> x{0.3, -0.7, 1.1, 0.2};
    const Matrix exact = make_jacobian("forward", function)->dense(x);
    SymbolicJacobian symbolic = symbolic_jacobian(function.record(), 4, WithValues::yes);
    const GraphProgram program(symbolic.function);
    std::vector<double> out(symbolic.function.outputs.size()),
        work(static_cast<std::size_t>(program.slots()));
    program.operator()<double>(x, out, work);
    std::vector<double> y(6);
    function.plain(x, y);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_DOUBLE_EQ(out[i], y[i]);
    Matrix found = Matrix::Zero(6, 4);
    for (int i = 0; i < 6; ++i)
      for (std::size_t k = 0; k < symbolic.pattern.row(i).size(); ++k)
        found(i, symbolic.pattern.row(i)[k]) =
            out[6 + static_cast<std::size_t>(symbolic.pattern.begin[static_cast<std::size_t>(i)]) + k];
    EXPECT_LT((found - exact).cwiseAbs().maxCoeff(), 1e-11 * (1 + exact.cwiseAbs().maxCoeff()))
        << "seed " << seed;
  }
}

TEST(CompiledCode, SaysWhatTheCompilerSays) {
  try {
    const CompiledCode code("this is not C");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("generated.c"), std::string::npos) << error.what();
  }
  const CompiledCode code("double three(void) { return 3; }");
  EXPECT_EQ(reinterpret_cast<double (*)()>(code.find("three"))(), 3);
  EXPECT_THROW(code.find("four"), std::runtime_error);
}

}  // namespace
}  // namespace trammel
