// Every method on every built-in problem at rtol = atol = 1e-3, 1e-6 and 1e-9: a run ends with an error
// within the factor that method_matrix.txt states, or fails in the way that stands there. A known failure
// that is gone is noted, and is no failure of the test. After a change of the library the table is made anew
// by benchmarks/method_matrix.
#include "method_matrix.h"

#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <tuple>

namespace trammel {

inline void PrintTo(const MatrixProblem& problem, std::ostream* out) { *out << problem.name; }

namespace {

// A run that is not known to end may be off by this, in tolerances; and whatever the tolerance by one.
constexpr double largest_surprise = 1e5;

const std::vector<MatrixEntry>& table() {
  static const std::vector<MatrixEntry> entries =
      read_matrix(TRAMMEL_SOURCE_DIR "/tests/published/method_matrix.txt");
  return entries;
}

std::string said(const MatrixEntry& entry) {
  std::ostringstream text;
  text << entry.problem << " " << entry.method << " " << entry.tolerance;
  return text.str();
}

TEST(MethodMatrix, HasEveryMethodOnEveryProblemOnce) {
  std::set<std::tuple<std::string, std::string, double>> listed;
  for (const MatrixEntry& entry : table())
    EXPECT_TRUE(listed.emplace(entry.problem, entry.method, entry.tolerance).second)
        << said(entry) << " twice";
  std::set<std::string> problems;
  for (const MatrixProblem& problem : matrix_problems()) {
    problems.insert(problem.problem);
    for (const MethodDescription& method : methods())
      for (const double tolerance : matrix_tolerances())
        EXPECT_EQ(listed.erase({problem.name, method.method.name(), tolerance}), 1U)
            << problem.name << " " << method.method.name() << " " << tolerance
            << " is missing: make the table anew";
  }
  EXPECT_TRUE(listed.empty()) << std::get<0>(*listed.begin()) << " " << std::get<1>(*listed.begin())
                              << " is not run";
  for (const BuiltinProblem& problem : builtin_problems())
    EXPECT_TRUE(problems.contains(problem.name)) << problem.name;
}

TEST(MethodMatrix, LargeFactorsAndFailuresSayWhy) {
  for (const MatrixEntry& entry : table())
    if (entry.fails() || entry.factor > 1000) {
      EXPECT_FALSE(entry.why.empty()) << said(entry);
    }
}

class MethodMatrixRun : public testing::TestWithParam<MatrixProblem> {};

TEST_P(MethodMatrixRun, EndsAsTheTableSays) {
  MatrixRunner runner(GetParam());
  for (const MatrixEntry& entry : table()) {
    if (entry.problem != GetParam().name) continue;
    Method method;
    ASSERT_FALSE(parse_method(entry.method, method)) << entry.method;
    const MatrixResult result = runner.run(method, entry.tolerance);
    if (!result.finished()) {
      EXPECT_TRUE(entry.fails()) << said(entry) << ": " << result.message;
      EXPECT_FALSE(result.message.empty()) << said(entry);
      if (entry.fails() && entry.reason != name(result.reason))
        std::cout << "note: " << said(entry) << " fails by " << name(result.reason) << ", not "
                  << entry.reason << "\n";
    } else if (entry.fails()) {
      std::cout << "note: " << said(entry) << " runs now, with an error of " << result.error << "\n";
      EXPECT_LE(result.error, std::min(1.0, largest_surprise * entry.tolerance)) << said(entry);
    } else {
      EXPECT_LE(result.error, entry.factor * entry.tolerance) << said(entry);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, MethodMatrixRun, testing::ValuesIn(matrix_problems()),
                         [](const auto& problem) {
                           std::string text = problem.param.name;
                           for (char& c : text)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return text;
                         });

}  // namespace
}  // namespace trammel
