#include "trammel/numerics/interpolating_spline.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trammel {
namespace {

std::vector<double> uneven(int count) {
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back((i + 0.2 * std::sin(3.0 * i)) / count);
  return times;
}

TEST(InterpolatingSpline, HasPolynomialsOfItsDegreeExactly) {
  for (const int count : {1, 2, 3, 4, 5, 6, 7, 12, 40}) {
    const std::vector<double> times = uneven(count);
    const int degree = std::min(5, count - 1);
    Matrix values(count, 2);
    const auto f = [&](double t) { return degree == 0 ? 2.0 : 1 + 3 * std::pow(t, degree); };
    for (int i = 0; i < count; ++i) {
      values(i, 0) = f(times[static_cast<std::size_t>(i)]);
      values(i, 1) = 7;
    }
    const InterpolatingSpline spline(times, values);
    EXPECT_EQ(spline.degree(), degree);
    for (const double t : {times.front(), 0.31, 0.77, times.back()}) {
      EXPECT_NEAR(spline(0, t)[0], f(t), 1e-11) << count;
      const double slope = degree == 0 ? 0.0 : 3 * degree * std::pow(t, degree - 1);
      EXPECT_NEAR(spline(0, t)[1], slope, 1e-9) << count;
      const double second = degree < 2 ? 0.0 : 3 * degree * (degree - 1) * std::pow(t, degree - 2);
      EXPECT_NEAR(spline(0, t)[2], second, 1e-6) << count;
      EXPECT_NEAR(spline(1, t)[0], 7, 1e-11) << count;
    }
  }
}

// Up to the ends: nothing is assumed there.
TEST(InterpolatingSpline, SecondDerivativesConvergeWithTheFourthPower) {
  const auto largest_error = [](int count) {
    Matrix values(count + 1, 1);
    std::vector<double> times;
    for (int i = 0; i <= count; ++i) {
      times.push_back(static_cast<double>(i) / count);
      values(i, 0) = std::sin(4 * times.back());
    }
    const InterpolatingSpline spline(times, values);
    double error = 0;
    for (const double t : times) error = std::max(error, std::abs(spline(0, t)[2] + 16 * std::sin(4 * t)));
    return error;
  };
  const double coarse = largest_error(40), fine = largest_error(80);
  EXPECT_NEAR(std::log2(coarse / fine), 4, 0.7);
  EXPECT_LT(fine, 1e-3);
}

TEST(InterpolatingSpline, RefusesWhatIsNoFunction) {
  EXPECT_THROW(InterpolatingSpline({}, Matrix(0, 1)), std::invalid_argument);
  const std::vector<double> twice{0, 1, 1}, ascending{0, 1, 2};
  EXPECT_THROW(InterpolatingSpline(twice, Matrix::Zero(3, 1)), std::invalid_argument);
  EXPECT_THROW(InterpolatingSpline(ascending, Matrix::Zero(2, 1)), std::invalid_argument);
  EXPECT_THROW(InterpolatingSpline(ascending, Matrix::Constant(3, 1, NAN)), std::invalid_argument);
}

}  // namespace
}  // namespace trammel
